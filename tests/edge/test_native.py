"""baton.edge.native against the real programs: what a recognised command shows is what a shell would show."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baton.core.chain import native as meanings
from baton.core.chain.checks import Result
from baton.edge import native
from support import git, make_repository

SHELLS = [name for name in ("dash", "bash") if shutil.which(name)]
FILES = {
    "a": b"",
    "one": b"one line without its end",
    "doc.md": b"# Rule H-22\nH-22 again, h-22\n\nline a.b*c\n  end $\n",
    "b c.md": "sổ mạch-việc\nổn\n".encode(),
    "-f": b"H-22\n",
    "=": b"x\n",
    "!": b"x\n",
    "[": b"x\n",
    "long": b"x\n" * 5000,
    "crlf": b"a\r\nb\r\n",
    "deep/er/f.md": b"H-22\n",
    "none/.keep": b"",
    "kelvin": "\u212aelvin k \u017f\n".encode(),
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with files of every kind, all committed but one."""
    root = make_repository(tmp_path_factory.mktemp("native") / "project")
    for name, data in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
    (root / "link").symlink_to("doc.md")
    (root / "folder-link").symlink_to("deep")
    (root / "dangling").symlink_to("nowhere")
    (root / "script").write_text("#!/bin/sh\n")
    (root / "script").chmod(0o755)
    git("add", ".", cwd=root)
    git("commit", "-q", "-m", "all", cwd=root)
    git("tag", "v1.0", cwd=root)
    (root / "untracked").write_text("x\n")
    return root


def by_shell(shell: str, command: str, root: Path) -> tuple[int, str]:
    """Run a command by a real shell; give its exit code and output."""
    done = subprocess.run(
        [shell, "-c", command],
        cwd=root,
        env={**os.environ, "LC_ALL": "C.UTF-8", "GIT_OPTIONAL_LOCKS": "0"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
    )
    return done.returncode, done.stdout.decode("utf-8", "replace").strip()


def agree(command: str, root: Path) -> Result | None:
    """Evaluate a command, and have every shell confirm it; None when it is left to the shell."""
    meaning = meanings.recognise(command)
    result = native.evaluate(meaning, str(root)) if meaning else None
    if meaning is None or result is None or result.exit is None:
        return None
    for shell in SHELLS:
        code, output = by_shell(shell, command, root)
        assert (code == 0) == (result.exit == 0), f"{shell}: {code} {output}"
        if not isinstance(meaning, meanings.Listing):
            assert output == result.output, shell
    assert result.by_baton
    return result


def shown(command: str, root: Path) -> tuple[int | None, str, str]:
    """Give exit, output and errors of a command that is recognised, confirmed by every shell."""
    result = agree(command, root)
    assert result is not None, command
    return result.exit, result.output, result.errors


# command → exit, output, errors
SHOWN = {
    "ls doc.md deep": (0, "doc.md\ndeep", ""),
    "ls doc.md gone deep/gone": (
        2, "", "gone: no such file or folder\ndeep/gone: no such file or folder",
    ),
    "ls dangling": (0, "dangling", ""),
    "ls doc.md/": (2, "", "doc.md/: no such file or folder"),
    "ls 'b c.md'": (0, "b c.md", ""),
    "ls .": (0, ".", ""),
    "test -e doc.md": (0, "", ""),
    "test -e dangling": (1, "", ""),
    "test -f deep": (1, "", ""),
    "test -d folder-link": (0, "", ""),
    "test -s a": (1, "", ""),
    "test -s one": (0, "", ""),
    "test -s gone": (1, "", ""),
    "test -r one": (0, "", ""),
    "test -w one": (0, "", ""),
    "test -x script": (0, "", ""),
    "test -x one": (1, "", ""),
    "test -L link": (0, "", ""),
    "test -h link/": (1, "", ""),
    "test ! -f gone": (0, "", ""),
    "[ ! -d deep ]": (1, "", ""),
    "test -n ''": (1, "", ""),
    "test -z ''": (0, "", ""),
    "test ! -z ''": (1, "", ""),
    "test -n =": (0, "", ""),
    "[ a = a ]": (0, "", ""),
    "[ a != a ]": (1, "", ""),
    "test ! a = b": (0, "", ""),
    "test '(' = ')'": (1, "", ""),
    "grep -c 'H-22' doc.md": (0, "2", ""),
    "grep -c 'H-22' link": (0, "2", ""),
    "grep -ci 'h-22' doc.md": (0, "2", ""),
    "grep -q 'H-22' doc.md": (0, "", ""),
    "grep -q 'H-23' doc.md": (1, "", ""),
    "grep -c 'H-23' doc.md": (1, "0", ""),
    "grep -c 'H-22' gone": (2, "", "gone: no such file"),
    "grep -c '^' doc.md": (0, "5", ""),
    "grep -c '^$' doc.md": (0, "1", ""),
    "grep -c '^  end' doc.md": (0, "1", ""),
    "grep -c '^$' a": (1, "0", ""),
    "grep -c 'a.b' doc.md": (0, "1", ""),
    "grep -cF 'a.b*c' doc.md": (0, "1", ""),
    "grep -c 'without' one": (0, "1", ""),
    "grep -c 'ổn$' 'b c.md'": (0, "1", ""),
    "grep -c '^.n$' 'b c.md'": (0, "1", ""),
    "wc -l doc.md": (0, "5 doc.md", ""),
    "wc -l one": (0, "0 one", ""),
    "wc -l gone": (1, "", "gone: no such file"),
    "git rev-parse --abbrev-ref HEAD": (0, "main", ""),
    "git cat-file -t v1.0": (0, "commit", ""),
    "git log -1 --format=%s": (0, "all", ""),
    "git status --porcelain": (0, "?? untracked", ""),
    "git diff --quiet": (0, "", ""),
    "git diff --quiet HEAD~1": (1, "", ""),
    "git diff --quiet HEAD~1 -- README.md": (0, "", ""),
}  # fmt: skip


@pytest.mark.parametrize(("command", "expected"), SHOWN.items(), ids=SHOWN)
def test_shown(command: str, expected: tuple[int, str, str], place: Path) -> None:
    assert shown(command, place) == expected


def test_git_says_in_its_own_words_what_is_wrong(place: Path) -> None:
    code, output, errors = shown("git cat-file -t nothing", place)
    assert (code, output) == (128, "")
    assert errors == "fatal: Not a valid object name nothing"


BARE = st.sampled_from(
    [*FILES, "deep", "deep/er", "deep/", "link", "folder-link", "dangling", "untracked", "gone", ".", "",
     "HEAD", "HEAD~1", "main", "v1.0", "--", "-1", "-s", "-q", "!=", "]", "H-22", "h-22", "a.b", "^H", "d$", ".", "k",
     "--quiet", "--short", "--format=%s", "--porcelain", "-e", "-t", "x", "..", "/", "(", ")", "-a", "-o"]
)  # fmt: skip
HOSTILE = st.sampled_from(
    ["$(touch PWNED)", "`touch PWNED`", ";touch PWNED", "|touch PWNED", "&&touch PWNED", ">PWNED",
     "2>PWNED", "<(touch PWNED)", "*", "?oc.md", "[ab]", "{a,one}", "~", "=~", "a=~", "$HOME", "${HOME}",
     "$'a'", "!!", "^a", "\\", "#", "\n", "\r", "\u00a0", "\u2003", "\x0b", "\x1f", "'", '"']
)  # fmt: skip
QUOTES = st.sampled_from(["'{}'", '"{}"', "{}", "{}", "{}", "''{}", '{}""', "'{}'{}"])
NAMES = BARE | BARE | BARE | HOSTILE | st.text("ab .-=\n", max_size=3)
WORDS = st.builds(lambda quote, text: quote.replace("{}", text), QUOTES, NAMES)
FORMS = st.sampled_from(
    ["ls W", "ls -l W", "ls W W", "test F W", "test F W", "test ! F W", "[ F W ]", "[ ! F W ]", "test W = W",
     "[ W != W ]", "test ! W = W", "test W W W", "test W", "grep -c W W", "grep -q W W", "grep -ci W W",
     "grep -cF W W", "grep -cE W W", "grep -cFE W W", "grep -n W W", "wc -l W", "wc -l W W",
     "git rev-parse W", "git rev-parse --verify W", "git cat-file -e W", "git cat-file -t W", "git log -1 W",
     "git log -1 --format=%s W", "git diff --quiet W", "git diff --quiet -- W W", "git status W",
     "git status --porcelain", "! test F W", "exec ls W", "W ls W"]
)  # fmt: skip
FLAGS = st.sampled_from([f"-{flag}" for flag in "edfsrwxLhnz"])
BLANKS = st.sampled_from([" "] * 12 + ["  ", "\t", "\n", "\u00a0", "\x0b"])


@st.composite
def commands(draw: st.DrawFn) -> str:
    """A command like those that are recognised, with now and then a sign that means more."""
    drawn = {"W": WORDS, "F": FLAGS}
    words = [draw(drawn[word]) if word in drawn else word for word in draw(FORMS).split()]
    if draw(st.integers(0, 9)) == 0:
        words.insert(draw(st.integers(0, len(words))), draw(HOSTILE))
    return draw(BLANKS).join(words)


def _names(root: Path) -> set[str]:
    return {str(path) for path in root.rglob("*") if ".git" not in path.parts}


@given(commands())
@settings(max_examples=600)
def test_nothing_is_recognised_in_which_a_shell_would_do_more(place: Path, command: str) -> None:
    before = _names(place)
    agree(command, place)
    assert _names(place) == before


@st.composite
def searches(draw: st.DrawFn) -> tuple[str, bytes]:
    """A grep command and the file that it looks into."""
    signs = "aAbkKsSiI.^$ 1-ổỔ\u0301"
    text = draw(st.text(signs, max_size=4))
    flags = draw(st.sampled_from(["-c", "-q", "-ci", "-cF", "-cE", "-qiF"]))
    content = draw(st.text(signs + "\n\r", max_size=30) | st.text(max_size=10)).encode(
        "utf-8", "replace"
    )
    return f"grep {flags} '{text}' sought", content + draw(
        st.sampled_from([b"", b"\n", b"\0\n", b"\xff\n"])
    )


@given(searches())
@settings(max_examples=150)
def test_grep_counts_the_same(place: Path, search: tuple[str, bytes]) -> None:
    command, content = search
    (place / "sought").write_bytes(content)
    try:
        agree(command, place)
    finally:
        (place / "sought").unlink()


LEFT_TO_A_SHELL = {
    "a NUL": ("grep -c H-22 f", b"H-22\0H-22\n"),
    "not UTF-8": ("grep -c H-22 f", b"H-22 \xff\n"),
    "upper case beyond ASCII": ("grep -ci kelvin f", "\u212aelvin\n".encode()),
}


@pytest.mark.parametrize(("command", "content"), LEFT_TO_A_SHELL.values(), ids=LEFT_TO_A_SHELL)
def test_what_differs_from_place_to_place_is_left_to_a_shell(
    command: str, content: bytes, tmp_path: Path
) -> None:
    (tmp_path / "f").write_bytes(content)
    meaning = meanings.recognise(command)
    assert meaning is not None
    assert native.evaluate(meaning, str(tmp_path)) is None


def reason(command: str, root: Path) -> str:
    """Why a recognised command, or evidence, could not be checked."""
    meaning = meanings.recognise_evidence(command)
    assert meaning is not None
    result = native.evaluate(meaning, str(root))
    assert result is not None
    assert (result.exit, result.output, result.by_baton) == (None, "", False)
    return result.reason


@pytest.mark.parametrize(
    "path", ["../outside", "/etc/passwd", "way-out/passwd", "deep/../../x"], ids=str
)
def test_what_lies_outside_is_not_looked_at(path: str, place: Path, tmp_path: Path) -> None:
    shutil.copytree(place, tmp_path / "p", symlinks=True)
    (tmp_path / "p/way-out").symlink_to("/etc")
    for command in ("ls {}", "test -e {}", "grep -c x {}", "wc -l {}", "{}"):
        assert reason(command.format(path), tmp_path / "p") == f"{path} lies outside the project"


@pytest.mark.parametrize("command", ["wc -l deep", "grep -c x deep"])
def test_a_folder_is_no_file_to_look_into(command: str, place: Path) -> None:
    meaning = meanings.recognise(command)
    assert meaning is not None
    assert native.evaluate(meaning, str(place)) is None


def test_a_file_too_large_to_look_into(tmp_path: Path) -> None:
    with (tmp_path / "f.txt").open("wb") as file:
        file.truncate((64 << 20) + 1)
    assert reason("grep -c x f.txt", tmp_path) == "f.txt: larger than 64 MiB"


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "f.txt").write_text("x\n")

    def refuse(path: str, mode: str) -> None:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr("builtins.open", refuse)
    assert reason("wc -l f.txt", tmp_path) == f"{tmp_path}/f.txt: Permission denied"


def test_the_root_of_the_file_system_is_a_project_too() -> None:
    meaning = meanings.recognise("ls etc")
    assert meaning is not None
    result = native.evaluate(meaning, "/")
    assert result is not None
    assert result.exit == 0


def evidence(text: str, root: Path) -> tuple[int | None, str, str] | None:
    """What evidence shows; None when it is left to a shell."""
    meaning = meanings.recognise_evidence(text)
    result = native.evaluate(meaning, str(root)) if meaning else None
    return (result.exit, result.output, result.errors) if result else None


def test_evidence(place: Path) -> None:
    commit = git("rev-parse", "HEAD", cwd=place).strip()
    assert evidence(commit[:7], place) == (0, "commit", "")
    missing = evidence("0123456789", place)
    assert missing is not None
    assert (missing[0], missing[2]) == (128, "fatal: Not a valid object name 0123456789")
    assert evidence("doc.md", place) == (0, "doc.md", "")
    assert evidence("b c.md", place) == (0, "b c.md", "")
    assert evidence("doc.md:12", place) == (0, "doc.md:12", "")
    assert evidence("gone.md:12", place) == (1, "", "gone.md:12: no such file or folder")
    assert evidence("gone.md", place) == (1, "", "gone.md: no such file or folder")
    assert evidence("pytest tests/gone.py", place) is None


def test_a_path_that_looks_like_an_id(tmp_path: Path) -> None:
    (tmp_path / "deadbeef").write_text("")
    assert evidence("deadbeef", tmp_path) == (0, "deadbeef", "")


def test_a_git_that_does_not_answer_is_left_to_a_shell(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert evidence("git status", place) is None
    assert evidence("0123456789", place) is None
