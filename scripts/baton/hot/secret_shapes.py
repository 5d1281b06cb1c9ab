"""What keys and tokens of well-known services look like: data for `baton.hot.secrets`."""

_UPPER = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LOWER = b"abcdefghijklmnopqrstuvwxyz"
DIGITS = b"0123456789"
LETTERS = _UPPER + _LOWER
ALNUM = LETTERS + DIGITS
WORD = ALNUM + b"_"
SLUG = WORD + b"-"
BASE64 = ALNUM + b"+/="
_SHOUT = _UPPER + DIGITS
_HEX = DIGITS + b"abcdef"
_DOTTED = SLUG + b"."

# kind, prefixes, signs that follow, how many of them at least and at most (0: any number). Of two
# that begin alike the longer comes first.
SHAPES: tuple[tuple[str, tuple[bytes, ...], bytes, int, int], ...] = (
    ("AWS access key", (b"AKIA", b"ASIA", b"ABIA", b"ACCA"), _SHOUT, 16, 16),
    ("AWS Bedrock key", (b"ABSK",), BASE64, 100, 0),
    ("Google API key", (b"AIza",), SLUG, 35, 35),
    ("Google client secret", (b"GOCSPX-",), SLUG, 24, 0),
    ("Google access token", (b"ya29.",), SLUG, 20, 0),
    ("Azure key", (b"AccountKey=", b"SharedAccessKey="), BASE64, 40, 0),
    ("Azure client secret", (b"7Q~", b"8Q~"), _DOTTED + b"~", 31, 34),
    ("Alibaba Cloud key", (b"LTAI",), ALNUM, 16, 24),
    ("Tencent Cloud key", (b"AKID",), ALNUM, 32, 32),
    ("DigitalOcean token", (b"dop_v1_", b"doo_v1_", b"dor_v1_"), _HEX, 64, 64),
    ("GitHub token", (b"ghp_", b"gho_", b"ghu_", b"ghs_", b"ghr_"), _DOTTED, 36, 0),
    ("GitHub token", (b"github_pat_",), WORD, 40, 0),
    (
        "GitLab token",
        (b"glpat-", b"gldt-", b"glrt-", b"glptt-", b"glcbt-", b"glsoat-", b"glft-", b"glimt-"),
        _DOTTED,
        20,
        0,
    ),
    ("GitLab token", (b"gloas-", b"glagent-", b"glffct-", b"GR1348941"), SLUG, 20, 0),
    ("Anthropic key", (b"sk-ant-",), SLUG, 20, 0),
    ("OpenAI key", (b"sk-proj-", b"sk-svcacct-", b"sk-admin-", b"sk-None-"), SLUG, 20, 0),
    ("OpenRouter key", (b"sk-or-",), SLUG, 32, 0),
    ("OpenAI key", (b"sk-",), ALNUM, 32, 0),
    (
        "Slack token",
        (b"xoxb-", b"xoxp-", b"xoxa-", b"xoxr-", b"xoxs-", b"xoxo-", b"xoxc-", b"xoxd-", b"xoxe-"),
        SLUG + b"%",
        10,
        0,
    ),
    ("Slack token", (b"xapp-",), SLUG, 20, 0),
    ("Slack webhook", (b"hooks.slack.com/services/",), ALNUM + b"/", 30, 0),
    ("Stripe key", (b"sk_live_", b"sk_test_", b"rk_live_", b"rk_test_"), ALNUM, 16, 0),
    ("Stripe webhook secret", (b"whsec_",), BASE64, 24, 0),
    ("npm token", (b"npm_",), ALNUM, 36, 36),
    ("PyPI token", (b"pypi-AgE",), SLUG, 40, 0),
    ("Hugging Face token", (b"hf_",), ALNUM, 30, 40),
    ("Groq key", (b"gsk_",), ALNUM, 40, 0),
    ("xAI key", (b"xai-",), ALNUM, 60, 0),
    ("Perplexity key", (b"pplx-",), ALNUM, 40, 0),
    ("Replicate token", (b"r8_",), ALNUM, 37, 37),
    ("SendGrid key", (b"SG.",), _DOTTED, 60, 70),
    ("Twilio key", (b"SK",), _HEX, 32, 32),
    ("Shopify token", (b"shpat_", b"shpca_", b"shppa_", b"shpss_"), _HEX, 32, 32),
    ("Databricks token", (b"dapi",), _HEX, 32, 32),
    ("Vault token", (b"hvs.", b"hvb."), SLUG, 24, 0),
    ("Docker token", (b"dckr_pat_", b"dckr_oat_"), SLUG, 20, 0),
    ("Atlassian token", (b"ATATT3",), SLUG + b"=", 60, 0),
    ("Grafana token", (b"glsa_", b"glc_"), BASE64 + b"_", 30, 0),
    ("Supabase token", (b"sbp_",), _HEX, 40, 40),
    ("Linear key", (b"lin_api_",), ALNUM, 32, 0),
    ("Notion token", (b"ntn_",), ALNUM, 40, 0),
    ("Doppler token", (b"dp.pt.",), ALNUM, 40, 0),
    ("Postman key", (b"PMAK-",), SLUG, 50, 0),
    ("New Relic key", (b"NRAK-",), _SHOUT, 27, 27),
    ("age private key", (b"AGE-SECRET-KEY-1",), _SHOUT, 58, 58),
)

# What stands before `=` or `:` → how long a value must be to be more than a word. Lower case.
NAMES: dict[bytes, int] = {
    b"password": 6,
    b"passwd": 6,
    b"passphrase": 6,
    b"pwd": 6,
    b"_pass": 6,
    "mật khẩu".encode(): 6,
    # Of letters beyond ASCII only these are turned to lower case by nobody, or decomposed.
    "mẬt khẨu".encode(): 6,
    "ma\u0323\u0302t kha\u0302\u0309u".encode(): 6,
    b"mat khau": 6,
    b"secret": 8,
    b"token": 12,
    b"api_key": 12,
    b"api-key": 12,
    b"apikey": 12,
    b"access_key": 12,
    b"accesskey": 12,
    b"private_key": 12,
    b"secret_key": 12,
    b"secretkey": 12,
    b"auth_key": 12,
    b"credential": 8,
    b"credentials": 8,
}

# `next_token` and the like are no secrets.
HARMLESS = frozenset(
    b"next page csrf xsrf continuation sync max min idempotency cancel cancellation resume eos bos"
    b" pad unk mask cls sep stop special vocab run boundary".split()
)

# Parts of values that stand for a value. Longest first: `password` is not `pass` and a rest.
PLACEHOLDERS = tuple(
    sorted(
        b"password passwd passphrase pass secret token apikey api key access account client private"
        b" public auth bearer example sample placeholder changeme change dummy fake mock test testing"
        b" todo redacted removed hidden masked your mine my here insert replace enter value string text"
        b" none null true false undefined default user username name admin root guest postgres mysql"
        b" redis mongo foo bar baz foobar abc abcd qwerty asdf xxx yyy zzz dev local prod staging demo"
        b" some any the this that env var vault github gitlab base64 base32 sha1 sha256 sha384 sha512"
        b" md5 utf8 utf16 oauth2 oauth int32 int64 uint8 x509 ed25519 rsa2048 aes128 aes256 argon2 es256"
        b" argon2id pbkdf2 hs256 rs256 option required optional deadbeef db id".split(),
        key=len,
        reverse=True,
    )
)
