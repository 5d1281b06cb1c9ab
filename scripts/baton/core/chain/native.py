"""Which commands baton evaluates by itself.

A few read-only ones in plain forms, recognised, never handed to a shell. Everything that is not
recognised here, word for word, is somebody else's to run (design page chain, /tiep 2).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

# A plain word: bare characters that mean nothing to a shell, and quoted parts in which nothing is expanded. A tilde
# means something at the start, and in some shells behind = and : too.
_WORD = re.compile(
    r"""(?!~)(?:[^\s'"$`;&|<>*?\\(){}!#\[\]~]|(?<![=:])~|'[^']*'|"[^"$`\\]*")+(?=[ \t]|\Z)"""
)
_ALONE = re.compile(r"(?:[\[\]!]|!=)(?=[ \t]|\Z)")
_QUOTED = re.compile(r"""'([^']*)'|"([^"]*)\"""")
_PLACEHOLDER = re.compile(r"<[^<>\s](?:[^<>]*[^<>\s])?>|\{\{.*?\}\}|…|\.\.\.(?=\s|$)")
_BLANK = " \t"
_BASIC_SPECIAL = set("\\*[]^$")
_EXTENDED_SPECIAL = _BASIC_SPECIAL | set("+?(){}|")
_LINE = re.compile(r"(.+?)(?::[0-9]+(?:-[0-9]+)?)+")
_REVISION = re.compile(r"[A-Za-z0-9_./@^~{}-]+")
_ID = re.compile(r"[0-9a-f]{7,40}|[0-9a-f]{64}")

FILE_TESTS = "edfsrwxLh"


@dataclass(frozen=True)
class Listing:
    """`ls PATH…`: the paths exist."""

    paths: tuple[str, ...]


@dataclass(frozen=True)
class Test:
    """`test -f PATH` and its like, `! ` in front negating; or `test A = B`."""

    operator: str
    operands: tuple[str, ...]
    negated: bool


@dataclass(frozen=True)
class Search:
    """`grep -c|-q TEXT FILE`.

    pattern: a Python expression for what grep would look for in a line, without repetition.
    """

    pattern: str
    path: str
    count: bool
    any_case: bool = False


@dataclass(frozen=True)
class LineCount:
    """`wc -l FILE`."""

    path: str


@dataclass(frozen=True)
class Git:
    """A git command that only reads; its words behind `git`."""

    words: tuple[str, ...]


@dataclass(frozen=True)
class CommitId:
    """A commit id that git must know."""

    id: str


@dataclass(frozen=True)
class Existing:
    """A path that must exist."""

    path: str


Native = Listing | Test | Search | LineCount | Git | CommitId | Existing


def placeholder(command: str) -> str:
    """Give the part of a command that a person still has to fill in (`<doc>`), or "".

    Inside quotes it is text that is meant (`grep -c '<div>' index.html`).
    """
    found = _PLACEHOLDER.search(_QUOTED.sub("''", command))
    return found[0] if found else ""


def recognise(command: str) -> Native | None:
    """Give the meaning of a command (without its expectation) that baton can evaluate by itself,
    else None."""
    words = plain_words(command)
    if not words:
        return None
    reader = _READERS.get(words[0])
    return reader(words) if reader else None


def recognise_evidence(evidence: str) -> Native | None:
    """The same for an item's evidence, which may also be a commit id or a path."""
    name = evidence.removeprefix("commit ")
    if _ID.fullmatch(name):
        return CommitId(name)
    native = recognise(evidence)
    if native or not plain_path(evidence):
        return native
    return Existing(evidence)


def without_line(path: str) -> str:
    """Give the path of `src/a.py:12`, `a.py:12:3` or `a.py:10-20`, "" for a text of another form."""
    found = _LINE.fullmatch(path)
    return found[1] if found else ""


def plain_path(text: str) -> bool:
    """Whether a text reads as a path: a slash or a dot inside, perhaps spaces, no shell's sign."""
    looks = ("/" in text or "." in text.strip(".")) and not text.startswith("-")
    return looks and bool(plain_words(text.replace(" ", "_")))


def plain_words(command: str) -> list[str]:
    """Give the words of a command in which a shell would change nothing; [] for all others."""
    words: list[str] = []
    rest = command.strip(_BLANK)
    # A line end parts commands, and inside quotes it parts grep's patterns.
    while rest and "\n" not in rest:
        found = _ALONE.match(rest) or _WORD.match(rest)
        if not found:
            return []
        words.append(_QUOTED.sub(lambda quoted: quoted[1] or quoted[2] or "", found[0]))
        rest = rest[found.end() :].lstrip(_BLANK)
    return words


def _names(words: list[str]) -> bool:
    """Whether words can only be paths: not empty, which names nothing, and no options."""
    return all(word and not word.startswith("-") for word in words)


def _ls(words: list[str]) -> Native | None:
    options = 1
    while options < len(words) and re.fullmatch(r"-[1adlhAF]+", words[options]):
        options += 1
    paths = words[options:]
    return Listing(tuple(paths)) if paths and _names(paths) else None


def _test(words: list[str]) -> Native | None:
    words = words[1:]
    negated = bool(words) and words[0] == "!"
    words = words[negated:]
    if len(words) == 2 and (
        words[0] in ("-n", "-z") or (re.fullmatch(f"-[{FILE_TESTS}]", words[0]) and words[1])
    ):
        return Test(words[0], (words[1],), negated)
    if len(words) == 3 and words[1] in ("=", "!="):
        return Test(words[1], (words[0], words[2]), negated)
    return None


def _bracket(words: list[str]) -> Native | None:
    return _test(words[:-1]) if words[-1] == "]" else None


def _grep(words: list[str]) -> Native | None:
    if len(words) < 4:
        return None
    options, (text, path) = words[1:-2], words[-2:]
    flags = set("".join(option[1:] for option in options))
    if not all(re.fullmatch("-[cqFEi]+", option) for option in options) or not flags & {"c", "q"}:
        return None
    # What is upper case beyond ASCII depends on the locale; with both F and E the versions of grep differ.
    if not _names([text, path]) or {"F", "E"} <= flags or ("i" in flags and not text.isascii()):
        return None
    pattern = _pattern(text, flags)
    if not pattern:
        return None
    return Search(pattern, path, "q" not in flags, "i" in flags)


def _pattern(text: str, flags: set[str]) -> str:
    """A text without repetition or choice as a Python expression; "" for any other."""
    if "F" in flags:
        return re.escape(text)
    start, end = "^" * text.startswith("^"), "$" * (len(text) > 1 and text.endswith("$"))
    middle = text[len(start) : len(text) - len(end)]
    if set(middle) & (_EXTENDED_SPECIAL if "E" in flags else _BASIC_SPECIAL):
        return ""
    return start + "".join("." if sign == "." else re.escape(sign) for sign in middle) + end


def _wc(words: list[str]) -> Native | None:
    return (
        LineCount(words[2])
        if words[1:2] == ["-l"] and len(words) == 3 and _names(words[2:])
        else None
    )


def _git(words: list[str]) -> Native | None:
    rule = _GIT.get(words[1]) if len(words) > 1 else None
    return Git(tuple(words[1:])) if rule and rule(words[2:]) else None


def _revisions(words: list[str]) -> bool:
    flags = {"--verify", "-q", "--quiet", "--short", "--abbrev-ref"}
    rest = [word for word in words if word not in flags]
    return bool(rest) and all(
        _REVISION.fullmatch(word) and not word.startswith("-") for word in rest
    )


def _object(words: list[str]) -> bool:
    return len(words) == 2 and words[0] in ("-e", "-t") and _revisions(words[1:])


def _last(words: list[str]) -> bool:
    flags = re.compile(
        r"-1|--oneline|--format=%[hHsadcitnN %:]+|--pretty=(?:oneline|short|format:%[hHsadcitnN %:]+)"
    )
    rest = [word for word in words if not flags.fullmatch(word)]
    return "-1" in words and len(rest) <= 1 and (not rest or _revisions(rest))


def _difference(words: list[str]) -> bool:
    """Not with a path that leads out: git compares any two files there."""
    flags = {"--quiet", "--cached", "--staged", "--"}
    rest = [word for word in words if word not in flags]
    outside = re.compile(r"/.*|(?:.*/)?\.\.(?:/.*)?")
    return "--quiet" in words and _names(rest) and not any(map(outside.fullmatch, rest))


def _status(words: list[str]) -> bool:
    return all(word in ("-s", "--short", "--porcelain", "-b", "--branch") for word in words)


_GIT = {
    "rev-parse": _revisions,
    "cat-file": _object,
    "log": _last,
    "diff": _difference,
    "status": _status,
}
_READERS = {"ls": _ls, "test": _test, "[": _bracket, "grep": _grep, "wc": _wc, "git": _git}
