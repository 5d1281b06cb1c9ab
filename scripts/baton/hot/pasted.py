"""A prompt that names `resume_from_passport=…`: what the model is told of it (design page passport).

Nothing is consumed here. Only a prompt that is that line and nothing else becomes a command; one that
merely mentions it is left to the person.
"""

from baton.hot import clean

KEY = "resume_from_passport"
_DIGITS = frozenset("0123456789abcdef")
_HASH_LENGTH = 12
_OPTIONS = ("stage", "mode")
_SHOWN = 60
_MOST = 5
_FEWEST = 8

_COMMAND = """baton: the person pasted a passport hand-over. Run exactly this, once, and nothing before it:
  {command}
Show the person what it prints. Where it asks something, ask the person and wait for what they type: never \
choose, re-verify or agree for them. After "Resume Acknowledged" go on with the next stage that it names, and \
never ask them to summarise earlier stages."""
_NO_HASH = """baton: the prompt is a passport hand-over, but {value} is no boundary hash: a hash is exactly \
12 hexadecimal digits, lower case. Nothing was consumed. Do not correct or guess it: ask the person to paste \
the line again. `baton passport awaiting` lists what waits."""
_REST = """baton: the prompt begins as a passport hand-over of {hash}, but goes on with {rest}, which is no \
stage=… or mode=… of its own. Nothing was consumed. If the person means to resume, `baton passport inspect \
{hash}` shows what it would do; ask them to paste the line alone."""
_SEVERAL = """baton: the prompt names more than one passport hand-over ({values}). Nothing was consumed. Ask \
the person which one they mean, and to paste that line alone."""
_TWICE = """baton: the prompt names the passport hand-over {values} more than once. Nothing was consumed. Ask \
the person to paste that line once, alone."""
_MENTIONS = """baton: the prompt mentions several passport hand-overs ({values}). Nothing was consumed, and \
nothing needs to be: answer the prompt. If the person wants to go on from one of them, `baton passport inspect \
HASH` shows what it would do."""
_NEARLY = """baton: the prompt mentions a passport hand-over, but {value} is no boundary hash: a hash is exactly \
12 hexadecimal digits, lower case. Nothing was consumed, and nothing needs to be: answer the prompt, and do not \
correct or guess the hash."""
_MENTION = """baton: the prompt mentions the passport hand-over {hash}. Nothing was consumed, and nothing \
needs to be: answer the prompt. If the person wants to go on from it, `baton passport inspect {hash}` shows \
what it would do."""


def context(prompt: str) -> str:
    """Give what the model is to know of a prompt that names a hand-over, "" when there is nothing.

    A typed command (`/resume_from_passport …`) speaks for itself.
    """
    if prompt.lstrip().startswith("/"):
        return ""
    lines = [line.strip() for line in prompt.strip().split("\n")]
    bare = all(line.startswith(f"{KEY}=") for line in lines if line)
    values = [_value(part, bare=bare) for part in prompt.split(f"{KEY}=")[1:]]
    if not bare or not values:
        return _mentioned(list(dict.fromkeys(values)))
    if len(values) == 1:
        return _pasted(values[0], prompt.split()[1:])
    text = _SEVERAL if len(set(values)) > 1 else _TWICE
    return text.format(values=_named(list(dict.fromkeys(values))))


def is_hash(text: str) -> bool:
    """Whether this is a boundary's hash: 12 digits of lower-case hexadecimal, nothing else."""
    return len(text) == _HASH_LENGTH and _DIGITS.issuperset(text)


def options(words: list[str]) -> tuple[dict[str, str], str]:
    """Give the `stage=` and `mode=` among the words behind a hash, and the first word that is neither."""
    found: dict[str, str] = {}
    for word in words:
        name, _, value = word.partition("=")
        if name not in _OPTIONS or not value or name in found:
            return found, word
        found[name] = value
    return found, ""


def _value(rest: str, *, bare: bool) -> str:
    """What stands behind a `resume_from_passport=`, up to the next blank; of a mention in text, without
    the signs of a quotation around it."""
    words = rest.split(maxsplit=1)
    value = words[0] if words and not rest[:1].isspace() else ""
    return value if bare else value.lstrip("`'\"“‘«<").rstrip("`'\"”’»)]}>.,;:!?")


def _mentioned(values: list[str]) -> str:
    """What is said of hand-overs that stand in a text: it is the text that is to be answered."""
    hashes = [value for value in values if is_hash(value)]
    if len(hashes) > 1:
        return _MENTIONS.format(values=_named(hashes))
    if hashes:
        return _MENTION.format(hash=hashes[0])
    nearly = [value for value in values if _is_nearly(value)]
    return _NEARLY.format(value=_named(nearly[:1])) if nearly else ""


def _is_nearly(value: str) -> bool:
    """Whether a text was meant for a hash: digits, some too few or too many, or in upper case."""
    return len(value) >= _FEWEST and _DIGITS.issuperset(value.lower())


def _named(values: list[str]) -> str:
    return ", ".join(clean.quoted(value, _SHOWN) for value in values[:_MOST])


def _pasted(value: str, words: list[str]) -> str:
    if not is_hash(value):
        return _NO_HASH.format(value=clean.quoted(value, _SHOWN))
    found, rest = options(words)
    if rest:
        return _REST.format(hash=value, rest=clean.quoted(rest, _SHOWN))
    return _COMMAND.format(command=_command(value, found))


def _command(hash_: str, found: dict[str, str]) -> str:
    """The command for a shell, its values quoted."""
    from shlex import quote  # only a hand-over pays for it

    # Of one piece where a value begins with a dash: it is no flag.
    flags = [
        f"--{name}{'=' if value.startswith('-') else ' '}{quote(clean.line(value))}"
        for name, value in found.items()
    ]
    return " ".join(["baton passport resume", hash_, *flags])
