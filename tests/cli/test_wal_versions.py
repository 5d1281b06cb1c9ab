"""baton.cli.wal_versions: what git keeps of the chain, and the way back to it."""

from __future__ import annotations

import json
import os
import re
import time
from pathlib import Path

import pytest

from baton.core.chain import show
from baton.hot.chain import parse
from chain_cases import EMPTY, EXAMPLE, PROBLEMS, changed, finished
from commands import Here, Said, refused, run_baton
from support import git

WAL = ".claude/WAL.md"
FURTHER = changed(("[!] codify", "[x] codify"))


@pytest.fixture
def history(chain: Path, repo: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Three kept versions, oldest first: the example, one step further, unreadable. Their ids."""
    ids = []
    for when, data in enumerate((EXAMPLE, FURTHER, b"hello\n"), 1):
        chain.write_bytes(data)
        monkeypatch.setenv("GIT_COMMITTER_DATE", f"@{when * 86400} +0000")
        git("add", ".claude", cwd=repo)
        git("commit", "-q", "-m", f"wal: {when} \x1b[1m", cwd=repo)
        ids.append(git("rev-parse", "HEAD", cwd=repo).strip()[:12])
    monkeypatch.delenv("GIT_COMMITTER_DATE")
    return ids


def test_log(history: list[str], baton: Here, repo: Path) -> None:
    goal = "Build feature X: codify the rule, then…"
    expected = Said(
        0,
        f"{history[2]}  1970-01-04 00:00  unreadable  —  HEAD\n"
        f"{history[1]}  1970-01-03 00:00    2/4  {goal}  HEAD\n"
        f"{history[0]}  1970-01-02 00:00    1/4  {goal}  HEAD\n",
        "",
    )
    assert baton("wal", "log") == expected
    assert run_baton("wal", "log", cwd=repo) == expected
    rows = json.loads(baton("wal", "log", "--json").out)["versions"]
    assert [row["version"] for row in rows] == history[::-1]
    assert rows[1] == {
        "version": history[1],
        "place": "HEAD",
        "time": 2 * 86400,
        "subject": "wal: 2 \ufffd[1m",
        "state": "unfinished",
        "done": 2,
        "total": 4,
        "goal": "Build feature X: codify the rule, then announce it",
    }


def test_log_of_nothing(baton: Here, repo: Path) -> None:
    assert baton("wal", "log") == Said(0, "no version of the chain is kept\n", "")
    assert json.loads(baton("wal", "log", "--json").out) == {"versions": []}
    message = "no version of the chain that holds work is kept; nothing was written"
    assert baton("wal", "restore", "newest") == refused(2, message, show.START)
    message = 'no such version of the chain is kept: "notes"'
    assert baton("wal", "restore", "notes") == refused(2, message, "baton wal log")


def test_an_empty_chain_is_no_work_to_bring_back(baton: Here, repo: Path) -> None:
    assert baton("wal", "init").code == 0
    assert baton("wal", "log").out.startswith("notes  ")
    message = "no version of the chain that holds work is kept; nothing was written"
    assert baton("wal", "restore", "newest") == refused(2, message, show.START)


def test_what_was_written_last_comes_back_by_its_own_name(
    baton: Here, chain: Path, repo: Path
) -> None:
    """`newest` is another branch's: the name that the log gives is that of the version beside it."""
    assert baton("wal", "next", "mine").code == 0
    mine = chain.read_bytes()
    git("switch", "-q", "-c", "topic", cwd=repo)
    chain.write_bytes(re.sub(rb"updated: \d{4}", b"updated: 2999", mine))
    git("add", ".", cwd=repo)
    git("commit", "-q", "-m", "wal: later", cwd=repo)
    later = git("rev-parse", "HEAD", cwd=repo)[:12]
    git("switch", "-q", "main", cwd=repo)
    rows = [line.split()[0] for line in baton("wal", "log").out.splitlines()]
    assert rows == [later, "notes"]
    first = baton("wal", "restore", "notes").out.splitlines()[0]
    assert first == f"{WAL} is again as at notes (baton's own notes)"
    assert chain.read_bytes() == mine


STANDS = (
    "1/4 done · Build feature X: codify the rule, then announce it\n"
    "  [!] codify the rule — grep -c 'H-22' GOVERNANCE.md\n"
    "  next: Append the section to GOVERNANCE.md and run its checks\n"
)


@pytest.mark.parametrize("before", [None, EMPTY, finished()], ids=["absent", "empty", "finished"])
def test_restore(
    before: bytes | None, history: list[str], baton: Here, chain: Path, repo: Path
) -> None:
    for run in (baton, lambda *words: run_baton(*words, cwd=repo)):
        chain.unlink()
        if before is not None:
            chain.write_bytes(before)
        said = run("wal", "restore", history[0])
        assert said == Said(0, f"{WAL} is again as at {history[0]} (HEAD)\n{STANDS}", "")
        assert chain.read_bytes() == EXAMPLE
        assert not list(chain.parent.glob("*refused*"))


def test_restore_over_what_git_keeps_as_well(history: list[str], baton: Here, chain: Path) -> None:
    said = baton("wal", "restore", "newest")
    assert said.out.startswith(f"{WAL} is again as at {history[1]} (HEAD)\n2/4 done · ")
    assert os.listdir(chain.parent) == ["WAL.md"]


def test_restore_over_a_chain_that_git_ignores(
    history: list[str], baton: Here, chain: Path, repo: Path
) -> None:
    git("rm", "-q", "--cached", WAL, cwd=repo)
    git("commit", "-q", "-m", "untracked", cwd=repo)
    (repo / ".git/info/exclude").write_text(".claude/\n")
    other = changed(("Build feature X", "Build feature Y"))
    chain.write_bytes(other)
    assert baton("wal", "restore", history[0], "--force").code == 0
    (aside,) = chain.parent.glob("*refused*")
    assert (chain.read_bytes(), aside.read_bytes()) == (EXAMPLE, other)


def test_restore_the_newest_that_can_be_read(history: list[str], baton: Here, chain: Path) -> None:
    """Over an unreadable chain, which is kept beside it."""
    chain.write_bytes(b"hello you\n")
    said = baton("wal", "restore", "newest")
    (aside,) = chain.parent.glob("*refused*")
    assert said.out.startswith(f"{WAL} is again as at {history[1]} (HEAD)\n2/4 done · ")
    assert said.out.endswith(f"\nwhat stood there is kept in .claude/{aside.name}\n")
    assert (chain.read_bytes(), aside.read_bytes()) == (FURTHER, b"hello you\n")


def test_restore_over_an_unfinished_chain(history: list[str], baton: Here, chain: Path) -> None:
    other = changed(("Build feature X", "Build feature Y"))
    chain.write_bytes(other)
    assert baton("wal", "restore", history[0][:7]) == refused(
        3,
        "an unfinished chain stands here (1/4 done · Build feature Y: codify the rule, then announce it); "
        "nothing was written",
        f"baton wal restore {history[0]} --force",
    )
    assert chain.read_bytes() == other
    assert baton("wal", "restore", history[0], "--force").code == 0
    (aside,) = chain.parent.glob("*refused*")
    assert (chain.read_bytes(), aside.read_bytes()) == (EXAMPLE, other)


def test_restore_what_stands_there_already(history: list[str], baton: Here, chain: Path) -> None:
    """Nothing is lost by it, so nothing is kept beside it."""
    chain.write_bytes(EXAMPLE)
    expected = f"{WAL} is as at {history[0]} already (HEAD)\n{STANDS}nothing was written\n"
    assert baton("wal", "restore", history[0]) == Said(0, expected, "")
    assert not list(chain.parent.glob("*refused*"))


def test_restore_after_a_reset_gives_the_work_back(baton: Here, chain: Path, repo: Path) -> None:
    """The newest version is the empty one; nobody asks for that."""
    assert baton("wal", "flush").code == 0
    assert baton("wal", "reset", "--abandon").code == 0
    assert baton("wal", "flush").code == 0
    assert baton("wal", "restore", "newest").code == 0
    assert chain.read_bytes() == EXAMPLE


def test_the_way_back_to_what_baton_wrote_last_can_be_typed(
    baton: Here, chain: Path, repo: Path
) -> None:
    """baton's notes hold the newest version, another unfinished chain stands in the file."""
    start = ("wal", "start", "Y", "--item", "a", "--next", "b", "--verify", "ls", "--force")
    assert baton(*start).code == 0
    written = chain.read_bytes()
    chain.write_bytes(EXAMPLE)
    said = baton("wal", "restore", "newest")
    assert (said.code, said.err.splitlines()[1]) == (3, "try: baton wal restore notes --force")
    assert baton("wal", "restore", "newest", "--force").code == 0
    assert chain.read_bytes() == written


def test_what_git_cannot_say_is_not_taken_for_nothing(
    history: list[str], baton: Here, chain: Path, repo: Path
) -> None:
    (repo / ".git/config").write_text("[core\n")
    for words in (["log"], ["restore", "newest"], ["restore", history[0]]):
        said = baton("wal", *words)
        assert (said.code, said.out) == (5, "")
        assert said.err.startswith("baton: git rev-parse: bad config line 1 in file .git/config")
        assert said.err.endswith("\ntry: git status\n")


REFUSED = {
    "unknown": ("0123456789ab", 'no such version of the chain is kept: "0123456789ab"'),
    "too short": ("{short}", 'no such version of the chain is kept: "{short}"'),
    "words": ("\x1b[1m", 'no such version of the chain is kept: "\ufffd[1m"'),
}


@pytest.mark.parametrize(("name", "message"), REFUSED.values(), ids=REFUSED)
def test_no_such_version(
    name: str, message: str, history: list[str], baton: Here, chain: Path
) -> None:
    short = history[0][:6]
    words = [text.replace("{short}", short) for text in (name, message)]
    assert baton("wal", "restore", words[0]) == refused(2, words[1], "baton wal log")
    assert chain.read_bytes() == b"hello\n"


def test_a_commit_that_holds_no_chain(history: list[str], baton: Here, repo: Path) -> None:
    begun = git("rev-list", "--max-parents=0", "HEAD", cwd=repo).strip()
    assert baton("wal", "restore", begun[:12]) == refused(
        2, f'no such version of the chain is kept: "{begun[:12]}"', "baton wal log"
    )


def test_a_commit_that_merely_holds_it(baton: Here, chain: Path, repo: Path) -> None:
    """Listed is what changed the chain; any commit may be named."""
    git("add", ".", cwd=repo)
    git("commit", "-q", "-m", "a chain", cwd=repo)
    (repo / "other.txt").write_text("other\n")
    git("add", ".", cwd=repo)
    git("commit", "-q", "-m", "other work", cwd=repo)
    held = git("rev-parse", "HEAD", cwd=repo).strip()[:12]
    stood = chain.read_bytes()
    chain.unlink()
    said = baton("wal", "restore", held)
    assert said.out.splitlines()[0] == f"{WAL} is again as at {held} (commit {held})"
    assert chain.read_bytes().split(b"\n")[2:] == stood.split(b"\n")[2:]


def test_a_version_that_cannot_be_read(history: list[str], baton: Here, chain: Path) -> None:
    assert baton("wal", "restore", history[2]) == refused(
        1,
        f"version {history[2]} cannot be read as a chain "
        '(unknown-line: line 1: not a line of a chain: "hello"); nothing was written',
        "baton wal log",
    )
    assert chain.read_bytes() == b"hello\n"


def test_other_line_ends_are_the_same_version(history: list[str], baton: Here, chain: Path) -> None:
    chain.write_bytes(FURTHER.replace(b"\n", b"\r\n"))
    said = baton("wal", "restore", history[1])
    assert said.out.startswith(f"{WAL} is as at {history[1]} already (HEAD)\n")
    assert said.out.endswith("\nnothing was written\n")
    assert not list(chain.parent.glob("*refused*"))


def test_in_the_middle_of_an_operation_it_takes_its_place_afterwards(
    history: list[str], baton: Here, chain: Path, repo: Path
) -> None:
    git("switch", "-q", "--detach", cwd=repo)
    said = baton("wal", "restore", history[0])
    aside = "HEAD is detached: it is kept aside, and takes its place afterwards\n"
    assert said.out.startswith(f"{WAL} is again as at {history[0]} (HEAD)\n{STANDS}{aside}")
    assert chain.read_bytes() == b"hello\n"
    git("switch", "-q", "main", cwd=repo)
    assert baton("wal", "flush").code == 0
    assert chain.read_bytes() == EXAMPLE


def test_back_from_baton_s_own_ref(baton: Here, chain: Path, repo: Path) -> None:
    """Kept while HEAD was detached, gone from disk since."""
    git("switch", "-q", "--detach", cwd=repo)
    time.sleep(0.02)
    assert json.loads(baton("wal", "flush", "--json").out)["outcome"] == "parked"
    chain.unlink()
    said = baton("wal", "restore", "newest")
    assert said.out.splitlines()[0].endswith(" (refs/baton/wal/main)")
    assert parse(chain.read_bytes()).problems == []
    assert chain.read_bytes() == EXAMPLE


def test_a_problem_does_not_keep_a_version_from_coming_back(
    baton: Here, chain: Path, repo: Path
) -> None:
    data = PROBLEMS["no-evidence of what is done"].document
    chain.write_bytes(data)
    git("add", ".claude", cwd=repo)
    git("commit", "-q", "-m", "wal: x", cwd=repo)
    chain.unlink()
    assert baton("wal", "restore", "newest").code == 0
    assert chain.read_bytes() == data
