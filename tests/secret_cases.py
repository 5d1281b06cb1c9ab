"""Texts with secret-shaped data, a vector for each kind, and texts that only look a little like it.

Put together here from halves, so that no scanner finds a secret in this repository.
"""

from __future__ import annotations

import base64
import hashlib
import random
import unicodedata
import uuid

_RANDOM = random.Random(20260711)
UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
ALNUM = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
SLUG = ALNUM + "-_"
BASE64 = ALNUM + "+/"
HEX = "0123456789abcdef"


def made(alphabet: str, size: int) -> str:
    """Random signs, the same in every run; at least one digit and one letter among them."""
    signs = [_RANDOM.choice(alphabet) for _ in range(size - 2)]
    return "".join([*signs[: size // 2], "7", *signs[size // 2 :], alphabet[11]])


AWS = "AKIA" + made(UPPER, 16)
PASSWORD = "vD3" + "kqZ9w" + "Lm2"
_JWT = ".".join(
    base64.urlsafe_b64encode(part).decode().rstrip("=")
    for part in (b'{"alg":"HS256","typ":"JWT"}', b'{"sub":"1234567890","name":"Ada"}', bytes(range(32)))
)  # fmt: skip
_PEM = "-----BEGIN" + " {} " + "KEY-----"

# name: (text, kind, line)
VECTORS: dict[str, tuple[str, str, int]] = {
    "aws": (AWS, "AWS access key", 1),
    "aws, temporary": ("ASIA" + made(UPPER, 16), "AWS access key", 1),
    "aws, as its manual prints one": ("AKIA" + "IOSFODNN7" + "EXAMPLE", "AWS access key", 1),
    "aws secret": (f"aws_secret_access_key = {made(BASE64, 40)}", "AWS secret key", 1),
    "aws secret in JSON": (f'{{"SecretAccessKey": "{made(BASE64, 40)}"}}', "AWS secret key", 1),
    "aws bedrock": ("ABSK" + made(BASE64, 128), "AWS Bedrock key", 1),
    "google": ("AIza" + made(SLUG, 35), "Google API key", 1),
    "google client": ("GOCSPX-" + made(SLUG, 28), "Google client secret", 1),
    "google access": ("ya29." + made(SLUG, 120), "Google access token", 1),
    "google service account": (
        '{\n  "type": "service_account",\n  "private_key": "'
        + _PEM.format("PRIVATE")
        + '\\nMII"\n}',
        "private key",
        3,
    ),
    "azure storage": (f"AccountName=a;AccountKey={made(BASE64, 86)}==;", "Azure key", 1),
    "azure shared": (f"SharedAccessKey={made(BASE64, 43)}=", "Azure key", 1),
    "azure client": (f"{made(ALNUM, 3)}8Q~{made(SLUG, 34)}", "Azure client secret", 1),
    **{
        f"github {prefix}": (f"{prefix}_{made(ALNUM, 36)}", "GitHub token", 1)
        for prefix in ("ghp", "gho", "ghu", "ghs", "ghr")
    },
    "github, longer": (f"ghs_{made(SLUG, 180)}", "GitHub token", 1),
    "github, plain": ("ghp_" + "A" * 36, "GitHub token", 1),
    "github, fine-grained": (
        f"github_pat_{made(ALNUM, 22)}_{made(ALNUM, 59)}",
        "GitHub token",
        1,
    ),
    "gitlab": ("glpat-" + made(SLUG, 20), "GitLab token", 1),
    "gitlab, routable": (f"glpat-{made(SLUG, 27)}.01.{made(HEX, 9)}", "GitLab token", 1),
    "gitlab runner": ("glrt-" + made(SLUG, 20), "GitLab token", 1),
    "anthropic": ("sk-ant-api03-" + made(SLUG, 93) + "AA", "Anthropic key", 1),
    "anthropic, of a login": ("sk-ant-oat01-" + made(SLUG, 86), "Anthropic key", 1),
    "openai": ("sk-" + made(ALNUM, 20) + "T3BlbkFJ" + made(ALNUM, 20), "OpenAI key", 1),
    "openai project": ("sk-proj-" + made(SLUG, 120), "OpenAI key", 1),
    "openai service": ("sk-svcacct-" + made(SLUG, 120), "OpenAI key", 1),
    "slack bot": (f"xoxb-{made('0123456789AB', 12)}-{made(ALNUM, 24)}", "Slack token", 1),
    "slack app": (f"xapp-1-A0{made(UPPER, 9)}-{made(HEX, 60)}", "Slack token", 1),
    "slack webhook": (
        f"https://hooks.slack.com/services/T{made(UPPER, 8)}/B{made(UPPER, 8)}/{made(ALNUM, 24)}",
        "Slack webhook",
        1,
    ),
    "stripe": ("sk_live_" + made(ALNUM, 24), "Stripe key", 1),
    "stripe, restricted": ("rk_live_" + made(ALNUM, 99), "Stripe key", 1),
    "stripe, for tests": ("sk_test_" + made(ALNUM, 24), "Stripe key", 1),
    "npm": ("npm_" + made(ALNUM, 36), "npm token", 1),
    "npmrc": (f"//registry.npmjs.org/:_authToken={uuid.UUID(int=2**127 + 987654321)}", "token", 1),
    "pypi": ("pypi-" + "AgEIcHlwaS5vcmc" + made(SLUG, 150), "PyPI token", 1),
    "hugging face": ("hf_" + made(ALNUM, 34), "Hugging Face token", 1),
    "sendgrid": (f"SG.{made(SLUG, 22)}.{made(SLUG, 43)}", "SendGrid key", 1),
    "digitalocean": ("dop_v1_" + made(HEX, 64), "DigitalOcean token", 1),
    "twilio": ("SK" + made(HEX, 32), "Twilio key", 1),
    **{
        f"pem {kind or 'plain'}": (_PEM.format(f"{kind} PRIVATE".strip()), "private key", 1)
        for kind in ("", "RSA", "EC", "DSA", "OPENSSH", "ENCRYPTED")
    },
    "pgp": ("-----BEGIN PGP " + "PRIVATE KEY BLOCK-----", "private key", 1),
    "putty": ("PuTTY-User-" + "Key-File-3: ssh-ed25519", "private key", 1),
    "age": ("AGE-SECRET-" + "KEY-1" + made(UPPER, 58), "age private key", 1),
    "jwt": (_JWT, "JSON web token", 1),
    "jwt, longer than a window": (
        f"eyJ{made(SLUG, 20)}." + "eyJ" + made(SLUG, 2000) + "." + made(SLUG, 43),
        "JSON web token",
        1,
    ),
    "url": ("postgres" + f"://app:{PASSWORD}@db.internal:5432/main", "password in a URL", 1),
    "url, words": (
        "https" + "://alice:open" + "sesame@mirror.internal/simple",
        "password in a URL",
        1,
    ),
    "url, no name": ("redis" + f"://:{PASSWORD}@10.0.0.7:6379", "password in a URL", 1),
    "bearer": (f"curl -H 'Authorization: Bearer {made(ALNUM, 32)}' x", "bearer token", 1),
    "basic": (
        "Authorization: Basic " + base64.b64encode(b"ada:" + PASSWORD.encode()).decode(),
        "basic authorization",
        1,
    ),
    "curl -u": (f"curl -u ada:{PASSWORD} https://example.org/", "password", 1),
    "password=": (f"password={PASSWORD}", "password", 1),
    "password, short": ("password=" + "hunter2", "password", 1),
    "password, with signs": ("password: " + "Tr0ub4" + "dor&3", "password", 1),
    "password, without digits": ("PASSWORD=" + "kQwzPv#mLt", "password", 1),
    "passwd:": (f"passwd: {PASSWORD}", "passwd", 1),
    "DB_PASS": (f"export DB_PASS={PASSWORD}", "pass", 1),
    "PGPASSWORD": (f"PGPASSWORD='{PASSWORD}' psql", "password", 1),
    "secret=": (f"client_secret = {made(ALNUM, 24)}", "secret", 1),
    "token=": (f"token={made(HEX, 40)}", "token", 1),
    "api key": (f"X-Api-Key: {made(HEX, 32)}", "api key", 1),
    "an option": (f"deploy --token {made(ALNUM, 24)} --dry-run", "token", 1),
    "an option with =": (f"deploy --password={PASSWORD}", "password", 1),
    "in JSON": (f'{{"user": "ada", "password": "{PASSWORD}"}}', "password", 1),
    "in JSON in JSON": (f'{{"result": "{{\\"password\\": \\"{PASSWORD}\\"}}"}}', "password", 1),
    "in YAML": (f"db:\n  password: '{PASSWORD}'\n", "password", 2),
    "in Python": (f"PASSWORD = b'{PASSWORD}'", "password", 1),
    "in a table": (f'config["password"] = "{PASSWORD}"', "password", 1),
    "in Go": (f'password := "{PASSWORD}"', "password", 1),
    "in a query": (f"https://example.org/?user=ada&token={made(ALNUM, 32)}&x=1", "token", 1),
    "in Vietnamese": (f"mật khẩu: {PASSWORD}", "mật khẩu", 1),
    "in Vietnamese, in capitals": (f"MẬT KHẨU: {PASSWORD}", "mật khẩu", 1),
    "in Vietnamese, decomposed": (
        unicodedata.normalize("NFD", f"Mật khẩu: {PASSWORD}"),
        unicodedata.normalize("NFD", "mật khẩu"),
        1,
    ),
    "in Vietnamese, without accents": (f"Mat khau={PASSWORD}", "mat khau", 1),
    "behind a wide colon": (f"password：{PASSWORD}", "password", 1),
    "in Markdown, bold": (f"- **Password:** {PASSWORD}", "password", 1),
    "in Markdown, bold before the colon": (f"- **token**: `{made(ALNUM, 24)}`", "token", 1),
    "behind an escaped line end": (f'{{"result": "keys:\\n{AWS}\\nend"}}', "AWS access key", 1),
    "on line 3 of a chain": (f"chain:\n[x] a — ls a\n[!] b — echo {AWS}\n", "AWS access key", 3),
    "CRLF": (f"a\r\nb\r\n{AWS}\r\n", "AWS access key", 3),
}

_BLOB = bytes(_RANDOM.randrange(256) for _ in range(60_000))
_ID = hashlib.sha1(b"x").hexdigest()

# What must stay silent.
HARMLESS: dict[str, str] = {
    "lock file, npm": '"node_modules/a": {\n  "version": "1.2.3",\n  "resolved": "https://registry.npmjs.org/a/-/a'
    f'-1.2.3.tgz",\n  "integrity": "sha512-{base64.b64encode(_BLOB[:64]).decode()}"\n}}',
    "lock file, pip": f"attrs==24.2.0 \\\n    --hash=sha256:{hashlib.sha256(b'a').hexdigest()}",
    "lock file, cargo": f'name = "token"\nchecksum = "{hashlib.sha256(b"b").hexdigest()}"\n',
    "lock file, go": f"golang.org/x/crypto v0.1.0 h1:{base64.b64encode(_BLOB[:32]).decode()}",
    "lock file, yarn": f'  resolution: "js-tokens@npm:4.0.0"\n  checksum: {hashlib.sha512(b"c").hexdigest()}',
    "hashes": "\n".join(
        f"{hashlib.new(name, b'x').hexdigest()}  {name}"
        for name in ("md5", "sha1", "sha256", "sha512")
    ),
    "git ids": f"commit {_ID}\ntree {_ID}\nindex {_ID[:7]}..{_ID[7:14]} 100644\n[x] done — {_ID[:12]}",
    "uuids": "\n".join(f"id: {uuid.UUID(int=number**9)}" for number in range(2**13, 2**13 + 40)),
    "placeholders": "\n".join(
        [
            "api_key=<your key>",
            "password=$PW",
            "password=${DB_PASSWORD}",
            "token=$(cat token.txt)",
            "token: {{ secrets.API_TOKEN_2 }}",
            "password=xxxxxxxx",
            "password=********",
            "token=...",
            "secret=",
            "secret: ''",
            'password = ""',
            "password: %(password)s",
            "PASSWORD=%PASSWORD1%",
            "OPENAI_API_KEY=sk-...",
            "ANTHROPIC_API_KEY=sk-ant-your-key-here",
            "ghp_" + "x" * 36,
            "sk-ant-api03-" + "x" * 40,
            "AKIA" + "X" * 16,
            "glpat-" + "X" * 20,
            "password=changeme1",
            "password: password123",
            "token=your-token-1",
            "token: <TOKEN>",
            "password=test1234",
            "api_key: YOUR_API_KEY_1",
            "secret: my-secret",
            "password = REDACTED",
            "token=[hidden]",
            "xoxb-your-bot-token",
            "sk_test_xxxxxxxxxxxxxxxxxxxxxxxx",
            "Authorization: Bearer $TOKEN",
            "Authorization: Bearer <token>",
            "Authorization: Basic <credentials>",
            "curl -u user:pass x",
            'curl -u "$USER:$PASS" x',
            "docker run -u 1000:1000 x",
        ]
    ),
    "urls": "\n".join(
        [
            "https://example.org/a:b@c",
            "postgres://user:password@localhost/db",
            "http://localhost:8080/@x",
            "postgres://postgres:postgres@localhost:5432/test",
            "redis://:$REDIS_PW@host",
            "git@github.com:a/b.git",
            "https://${USER}:${TOKEN}@github.com/a/b",
            "amqp://guest:guest@localhost",
            "ssh://git@host:22/x",
            "mongodb+srv://<username>:<password>@cluster0.example.net",
            "https://x-access-token:{token}@github.com",
        ]
    ),
    "headers in quotes": f'if "{_PEM.format("PRIVATE")}" in text: `{_PEM.format("RSA PRIVATE")}`',
    "paths": "token: https://tools.example.org/html/rfc6749/section-3.2\n"
    "password=/run/secrets/db_password2\ntoken: ./secrets/token2.txt\nsecret=~/.config/app/secret2\n"
    "PWD=/home/ada/v2/src\nOLDPWD=/srv/app3\npassword_file=/etc/x1y2z3\ntoken: path/to/token2.txt",
    "code": "\n".join(
        [
            "password = os.environ['PASSWORD2']",
            "token = get_token(user1)",
            "token: str = ''",
            "secret: Option<String>,",
            "password=password2",
            "self.password = config.db2.password",
            "const token = process.env.API_TOKEN2;",
            "if password == None:",
            "token: string;",
            "def login(user, password): ...",
            "password: { type: 'string' }",
            "tokens = 12345",
            "max_tokens: 4096000000000a",
            "next_token=AbC123dEf456GhI789",
            "page_token: 'x9y8z7w6v5u4t3'",
            "csrf_token = q1w2e3r4t5y6u7i8",
            "token = tokens[index1]",
            "password.value1 = x",
            "secret = hashlib.sha256(x)",
            "passwordHash: bcrypt2",
            "token_count=1234567890ab",
            "secretName: my-app-tls-v2",
            "secret: kubernetes-dashboard-v2",
            "password: bcrypt.hash(x1)",
            "eos_token: '<|endoftext|>'",
            "token=token.strip()",
            "api_key=settings.api_key_2",
        ]
    ),
    "test fixtures": "login('ada', password='secret')\nTOKEN = 'abc123'\nassert token == 'token-1'\n"
    "password: test\npassword = 'password'\nsecret = 'fixture-secret-1'\ntoken = 'dummy-token-12345'\n",
    "documentation": "The password: at least 8 characters, 1 digit.\nA token: the JWT lives in a cookie.\n"
    "Tokens begin with `ghp_`, `sk-ant-` or `AKIA`.\n`password=` with a real value is refused.\n"
    "secret: keep it in a vault\nSet token: to what `gh auth token` prints.\n| password | string | required |\n"
    "Bearer tokens are sent in a header; a public key begins with -----BEGIN PUBLIC KEY-----.\n"
    "-----BEGIN CERTIFICATE-----\nA file of PuTTY's begins with PuTTY-User-Key-File-N: and a name.\n"
    "PASS: test_login2_ok\npass: 12, fail: 3\n",
    "base64 image": "![x](data:image/png;base64," + base64.b64encode(_BLOB).decode() + ")",
    "base64 for URLs": base64.urlsafe_b64encode(_BLOB).decode(),
    "base64, folded": base64.encodebytes(_BLOB).decode(),
    "minified code": "!function(e,t){var n={password:e.password,token:t.t9,secret:!0};n.token=r(n.secret,16),"
    "i.passwd=o?e:t;return{pwd:a,token:b2}}(window,document);" * 50,
    "slugs": "monkeyJumps task-abcdefghijklmnopqrstuvwxyzabcdef01 risk-0123456789abcdef0123456789abcdef01 "
    "npm_config_registry "
    "npm_lifecycle_event_and_a_long_name_01 sk-learn-pipeline-with-a-long-name SKU0123456789abcdef0123456789abcdef0123",
    "markdown": "**Password:** ask Ada\n- **token**: `$TOKEN_2`\n**secret:** **rotated in 2026**\n"
    "* password: *hidden1* in the vault\n| **token** | sha256 |",
    "vietnamese": "mật khẩu: hãy hỏi chủ dự án\nCẤM bí-mật trong WAL: không key, không token, không credential.\n"
    "mật-khẩu: (trống)\ntoken: chưa có, xem tài-liệu\nkỳ-vọng ≥ 1 sau khi append\nĐổi mật khẩu: bước 2",
    "translations": '{"password": "Passwort", "token": "Jeton d\'accès", "secret": "Geheimnis Nr. 2"}',
    "empty": "",
    "nothing but a prefix at the end": "AKIA",
}
