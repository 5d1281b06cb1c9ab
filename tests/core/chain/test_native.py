"""baton.core.chain.native: what is recognised, and all that is not. Its meaning is proved in edge/."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baton.core.chain import native
from baton.core.chain.native import (
    CommitId,
    Existing,
    Git,
    LineCount,
    Listing,
    Native,
    Search,
    placeholder,
    plain_path,
    plain_words,
    recognise,
    recognise_evidence,
)

RECOGNISED: dict[str, Native] = {
    "ls a": Listing(("a",)),
    "ls -la a 'b c' \"d e\"": Listing(("a", "b c", "d e")),
    "  ls\ta  ": Listing(("a",)),
    "ls ổ.md a'b'\"c\"": Listing(("ổ.md", "abc")),
    "ls [": Listing(("[",)),
    "test -f a": native.Test("-f", ("a",), False),
    "test ! -f a": native.Test("-f", ("a",), True),
    "[ -d a ]": native.Test("-d", ("a",), False),
    "[ ! -s 'a b' ]": native.Test("-s", ("a b",), True),
    "test -n ''": native.Test("-n", ("",), False),
    "test -z a": native.Test("-z", ("a",), False),
    "test a = b": native.Test("=", ("a", "b"), False),
    "[ '' != b ]": native.Test("!=", ("", "b"), False),
    "grep -c 'H-22' doc.md": Search("H\\-22", "doc.md", True),
    "grep -q a doc.md": Search("a", "doc.md", False),
    "grep -cq a doc.md": Search("a", "doc.md", False),
    "grep -c -i a doc.md": Search("a", "doc.md", True, True),
    "grep -cF 'a.b*' doc.md": Search("a\\.b\\*", "doc.md", True),
    "grep -c '^a.b$' doc.md": Search("^a.b$", "doc.md", True),
    "grep -c 'a+b' doc.md": Search("a\\+b", "doc.md", True),
    "grep -c '^' doc.md": Search("^", "doc.md", True),
    "grep -c '^$' doc.md": Search("^$", "doc.md", True),
    "grep -cE 'ab' doc.md": Search("ab", "doc.md", True),
    "wc -l doc.md": LineCount("doc.md"),
    "git status": Git(("status",)),
    "git status --porcelain -b": Git(("status", "--porcelain", "-b")),
    "git rev-parse HEAD": Git(("rev-parse", "HEAD")),
    "git rev-parse --verify -q main~2": Git(("rev-parse", "--verify", "-q", "main~2")),
    "git cat-file -e HEAD": Git(("cat-file", "-e", "HEAD")),
    "git cat-file -t v1.0": Git(("cat-file", "-t", "v1.0")),
    "git log -1": Git(("log", "-1")),
    "git log -1 --format=%h main": Git(("log", "-1", "--format=%h", "main")),
    "git log -1 --oneline": Git(("log", "-1", "--oneline")),
    "git diff --quiet": Git(("diff", "--quiet")),
    "git diff --quiet HEAD -- a b": Git(("diff", "--quiet", "HEAD", "--", "a", "b")),
    "git diff --quiet main..topic": Git(("diff", "--quiet", "main..topic")),
}
NOT_RECOGNISED = [
    "", " ", "make test", "cat a", "/bin/ls a", "LC_ALL=C ls a", "! test -f a", "if", "python3 x.py",
    # a shell would do more
    "ls a; rm b", "ls a && rm b", "ls a || rm b", "ls a | wc", "ls a & rm b", "ls $HOME", "ls `pwd`", "ls $(pwd)",
    'ls "$HOME"', 'ls "`pwd`"', "ls a > b", "ls < a", "ls a 2>&1", "ls *", "ls a?", "ls [ab]", "ls {a,b}", "ls ~",
    "ls ~/a", "ls a=~", "ls a:~/b", "ls a\\ b", "ls 'a", 'ls "a', "ls a # all", "ls !$", "ls (a)", "ls a\nrm b",
    "ls\na", "ls 'a\nb'", "grep -c 'a\nb' f", "ls a\r", "ls a\u00a0b", "ls\u00a0a", "ls a\u2003b", "ls a\n",
    # not in the plain form
    "ls", "ls -l", "ls -R a", "ls -- a", "ls a -l", "ls ''", "ls a ''",
    "test", "test a", "test -f", "test -f ''", "test -f a b", "test a = b c", "test -f a -a -f b", "test a == b",
    "test -nt a", "[ -f a", "[", "[ ]", "[ -f a ] b", "test -x a ]",
    "grep", "grep a f", "grep -c a", "grep -n a f", "grep -c a f g", "grep -c '' f", "grep -c a ''", "grep -c -- a f",
    "grep -c a -", "grep -e a f", "grep -c -e a f", "grep -r a f", "grep -i a f", "grep -cFE a f", "grep -ci ổ f",
    "grep -c 'a*' f", "grep -c 'a\\b' f", "grep -c '[ab]' f", "grep -c 'a^b' f", "grep -c 'a$b' f", "grep -c '$' f",
    "grep -cE 'a+' f", "grep -cE 'a|b' f", "grep -cE '(a)' f", "grep -cE 'a{2}' f", "grep -cE 'a?' f", "grep -cP a f",
    "wc", "wc -l", "wc -c f", "wc -l f g", "wc -l -", "wc -l ''",
    "git", "git -C / status", "git push", "git commit", "git fetch", "git checkout main", "git log", "git log -2",
    "git log -1 -p", "git log -1 --format=%G?", "git log -1 a b", "git log -1 --output=f", "git log --ext-diff -1",
    "git rev-parse", "git rev-parse --git-dir", "git rev-parse HEAD:a", "git cat-file -p HEAD", "git cat-file -e",
    "git cat-file -e HEAD:a", "git diff", "git diff HEAD", "git diff --quiet --output=f",
    "git diff --quiet --no-index a b",
    "git diff --quiet /etc/passwd /etc/group", "git diff --quiet ../a",
    "git diff --quiet a/../../b", "git diff --quiet ..",
    "git diff --quiet ''", "git status a", "git status --ignored", "git --version",
]  # fmt: skip


@pytest.mark.parametrize(("command", "meaning"), RECOGNISED.items(), ids=RECOGNISED)
def test_recognised(command: str, meaning: Native) -> None:
    assert recognise(command) == meaning
    assert recognise_evidence(command) == meaning


@pytest.mark.parametrize("command", NOT_RECOGNISED, ids=ascii)
def test_not_recognised(command: str) -> None:
    assert recognise(command) is None


EVIDENCE: dict[str, Native | None] = {
    "4f1c2a9": CommitId("4f1c2a9"),
    "0123456789abcdef" * 4: CommitId("0123456789abcdef" * 4),
    "4f1c2a": None,
    "4F1C2A9": None,
    "f" * 41: None,
    "commit 4f1c2a9": CommitId("4f1c2a9"),
    "src/a.py:12": Existing("src/a.py:12"),
    "docs/x.md": Existing("docs/x.md"),
    "my docs/the plan.md": Existing("my docs/the plan.md"),
    "NEWS.md": Existing("NEWS.md"),
    "ls docs/x.md": Listing(("docs/x.md",)),
    "make": None,
    "make test": None,
    "-f docs/x.md": None,
    "docs/*.md": None,
    "docs/x.md; rm y": None,
    "...": None,
}


@pytest.mark.parametrize(("evidence", "meaning"), EVIDENCE.items(), ids=EVIDENCE)
def test_evidence(evidence: str, meaning: Native | None) -> None:
    assert recognise_evidence(evidence) == meaning


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a/b", True), ("a.b", True), (".a", False), ("a", False), ("-a/b", False), ("a/$b", False)],
)
def test_plain_path(text: str, expected: bool) -> None:
    assert plain_path(text) is expected


PLACEHOLDERS = {
    "grep -c 'H-22' <governance-doc>": "<governance-doc>",
    "grep -c X <the doc>": "<the doc>",
    "cp {{file}} x": "{{file}}",
    "make …": "…",
    "make test ...": "...",
    "grep -c 'X' <doc> = 0 (chưa append)": "<doc>",
    "make test": "",
    "sort <in >out": "",
    "sort < in > out": "",
    "cat <<EOF >x": "",
    "git diff --quiet main...topic": "",
    "grep -c '<div>' index.html": "",
    "docker ps --format '{{.Names}}'": "",
    'grep -c "and so on…" doc.md': "",
}


@pytest.mark.parametrize(("command", "expected"), PLACEHOLDERS.items(), ids=PLACEHOLDERS)
def test_placeholder(command: str, expected: str) -> None:
    assert placeholder(command) == expected


@given(st.text(st.sampled_from("ab1.-_/='\" \t\n;&|<>()$`\\*?[]{}~#!^:@+,%\u00a0\u2028")))
def test_plain_words_hold_nothing_that_a_shell_reads(text: str) -> None:
    words = plain_words(text)
    if words:
        assert not set(";&|<>()$`\\*?{}#\n") & set(re.sub("'[^']*'|\"[^\"]*\"", "", text))
        if not {"'", '"'} & set(text):
            assert words == re.split("[ \t]+", text.strip(" \t"))
