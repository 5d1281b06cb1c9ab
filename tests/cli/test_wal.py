"""baton.cli.wal: each command in this process and, where it is written or refused, as a process too."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from baton.core.chain import show
from baton.hot import acts, project
from baton.hot.chain import parse
from baton.hot.state import State
from chain_cases import EMPTY, EXAMPLE, PROBLEMS, STATES, VI_EXAMPLE, Case, changed, finished
from commands import BATON, Here, Said, refused, run_baton
from support import git

WAL = ".claude/WAL.md"
START = ["wal", "start", "Ship it", "--item", "[x] a — ls README.md", "--item", "b", "--next", "do b",
         "--verify", "ls README.md"]  # fmt: skip
STAMP = r"updated: \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d \| session: {session} \| branch: {branch}\n"
Runner = Callable[..., Said]


def _runners(baton: Here, repo: Path) -> list[Runner]:
    """The same command line in this process and as a process."""
    return [baton, lambda *words, **env: run_baton(*words, cwd=repo, env=env)]


def _body(path: Path, session: str = "terminal", branch: str = "main") -> bytes:
    """The chain without its header line, which is checked here."""
    text = path.read_bytes().decode()
    pattern = STAMP.replace("{session}", session).replace("{branch}", re.escape(branch))
    assert len(re.findall(pattern, text)) == 1, text
    return re.sub(pattern, "HEADER\n", text).encode()


def _with_header(document: bytes) -> bytes:
    """A document with its header line replaced likewise."""
    return re.sub(rb"updated: .*\n", b"HEADER\n", document)


# ---- init, show, check ----

INITS = {
    "absent": (None, ".claude/WAL.md is there, empty\n", EMPTY),
    "there": (EXAMPLE, ".claude/WAL.md is there already (unfinished); it was left as it is\n", EXAMPLE),
    "empty": (b"", ".claude/WAL.md is there already (empty); it was left as it is\n", b""),
    "unreadable": (b"hi", ".claude/WAL.md is there already (unreadable); it was left as it is\n", b"hi"),
}  # fmt: skip


@pytest.mark.parametrize(("data", "out", "after"), INITS.values(), ids=INITS)
def test_init(data: bytes | None, out: str, after: bytes, baton: Here, repo: Path) -> None:
    if data is not None:
        (repo / ".claude").mkdir()
        (repo / WAL).write_bytes(data)
    assert baton("wal", "init") == Said(0, out, "")
    assert (repo / WAL).read_bytes() == after


def test_init_that_another_was_faster_with(
    baton: Here, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file appears between the look and the lock: it stays."""
    from baton.edge.chain_file import ChainFile

    change = ChainFile.change

    def slow(file: ChainFile, *words: object, **more: object) -> object:
        (repo / ".claude").mkdir()
        (repo / WAL).write_bytes(EXAMPLE)
        return change(file, *words, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(ChainFile, "change", slow)
    assert baton("wal", "init").code == 0
    assert (repo / WAL).read_bytes() == EXAMPLE


@pytest.mark.parametrize("case", (PROBLEMS | STATES).values(), ids=PROBLEMS | STATES)
def test_show_and_check(case: Case, baton: Here, chain: Path) -> None:
    """The table of problems and the states of case C4, on the commands."""
    chain.write_bytes(case.document)
    version = parse(case.document[:65537])
    shown = json.loads(baton("wal", "show", "--json").out)
    assert shown == show.data(case.state, version, shown["rev"])
    text = show.text(case.state, version, case.document[:65537])
    assert baton("wal", "show") == Said(0, text.rstrip("\n") + "\n", "")
    checked = json.loads(baton("wal", "check", "--json").out)
    assert checked["ok"] is not bool(case.problems)
    assert checked["problems"] == [
        {"line": line, "code": code, "message": message} for line, code, message in case.problems
    ]
    said = baton("wal", "check")
    lines = [
        f"{WAL}: {code}: line {line}: {message}" if line else f"{WAL}: {code}: {message}"
        for line, code, message in case.problems
    ] or ([] if "warning" in said.out else [f"{WAL}: {case.state}, nothing wrong"])
    assert said.code == (1 if case.problems else 0)
    assert [line for line in said.out.splitlines() if not line.startswith("warning: ")] == lines
    assert chain.read_bytes() == case.document


IN_PROCESS = ["bad-mark", "no-verify", "conflict-markers", "binary", "too-big", "too-long"]


@pytest.mark.parametrize("name", IN_PROCESS)
def test_check_in_a_process(name: str, baton: Here, chain: Path, repo: Path) -> None:
    chain.write_bytes(PROBLEMS[name].document)
    for words in (["wal", "check"], ["wal", "check", "--json"], ["wal", "show"]):
        assert run_baton(*words, cwd=repo) == baton(*words)


def test_check_warns_of_what_cannot_be_shown(baton: Here, chain: Path) -> None:
    chain.write_bytes(changed(("ls scripts/flush", "all is well")))
    doubt = "item 1: 'all is well' is no command here, no path, and no commit id: /tiep will not be able to check it"
    assert baton("wal", "check") == Said(0, f"warning: {doubt}\n", "")
    assert json.loads(baton("wal", "check", "--json").out) == {
        "ok": True,
        "problems": [],
        "warnings": [doubt],
    }


def test_show_of_nothing(baton: Here, repo: Path) -> None:
    assert json.loads(baton("wal", "show", "--json").out) == {
        "state": "absent",
        "rev": "none",
        "goal": "",
        "items": [],
        "next": "",
        "verify": [],
        "header": {"updated": "", "session": "", "branch": ""},
        "problems": [],
    }


# ---- changes ----

CHANGES: dict[str, tuple[bytes, list[str], bytes, str]] = {
    "start, no file": (
        b"",
        START,
        b"# WAL \xe2\x80\x94 written by baton; change it with `baton wal`\nHEADER\ngoal: Ship it\n\nchain:\n"
        b"[x] a \xe2\x80\x94 ls README.md\n[ ] b\n\nnext: do b\nverify: ls README.md\n",
        "1/2 done · Ship it\n  [ ] b\n  next: do b\n",
    ),
    "start, after a finished one": (
        finished(),
        START,
        b"# WAL \xe2\x80\x94 written by baton; change it with `baton wal`\nHEADER\ngoal: Ship it\n\nchain:\n"
        b"[x] a \xe2\x80\x94 ls README.md\n[ ] b\n\nnext: do b\nverify: ls README.md\n",
        "1/2 done · Ship it\n  [ ] b\n  next: do b\n",
    ),
    "add": (
        EXAMPLE,
        ["wal", "add", "tell them"],
        _with_header(changed(("[ ] draft the announcement\n", "[ ] draft the announcement\n[ ] tell them\n"))),
        "1/5 done · Build feature X: codify the rule, then announce it\n"
        "  [!] codify the rule — grep -c 'H-22' GOVERNANCE.md\n"
        "  next: Append the section to GOVERNANCE.md and run its checks\n",
    ),
    "add, with all there is": (
        EXAMPLE,
        ["wal", "add", "tell them", "--mark", "doing", "--evidence", "ls README.md", "--verify", "ls b",
         "--verify", "ls c"],
        _with_header(changed(
            ("[ ] draft the announcement\n", "[ ] draft the announcement\n[!] tell them — ls README.md\n"),
            ("check_rules.py\n", "check_rules.py\nverify: ls b\nverify: ls c\n"),
        )),
        "1/5 done · Build feature X: codify the rule, then announce it\n"
        "  [!] codify the rule — grep -c 'H-22' GOVERNANCE.md\n"
        "  next: Append the section to GOVERNANCE.md and run its checks\n",
    ),
    "mark": (
        EXAMPLE,
        ["wal", "mark", "2", "done"],
        _with_header(changed(("[!] codify", "[x] codify"))),
        "2/4 done · Build feature X: codify the rule, then announce it\n"
        "  [!] wf:review-docs run=.claude/workflows/runs/r1 runId=wf_bb0ce1d7-626 args=.claude/workflows/runs/…\n"
        "  next: Append the section to GOVERNANCE.md and run its checks\n",
    ),
    "next": (
        EXAMPLE,
        ["wal", "next", "tell them"],
        _with_header(changed(("Append the section to GOVERNANCE.md and run its checks", "tell them"))),
        "1/4 done · Build feature X: codify the rule, then announce it\n"
        "  [!] codify the rule — grep -c 'H-22' GOVERNANCE.md\n  next: tell them\n",
    ),
    "verify": (
        EXAMPLE,
        ["wal", "verify", "ls a  # expect ok", "ls b"],
        _with_header(changed(
            ("verify: grep -c 'H-22' GOVERNANCE.md  # expect >= 1", "verify: ls a  # expect ok"),
            ("verify: python3 scripts/check_rules.py", "verify: ls b"),
        )),
        "1/4 done · Build feature X: codify the rule, then announce it\n"
        "  [!] codify the rule — grep -c 'H-22' GOVERNANCE.md\n"
        "  next: Append the section to GOVERNANCE.md and run its checks\n",
    ),
    "compact": (
        changed(("[!] codify", "[x] codify")),
        ["wal", "compact"],
        _with_header(changed(
            ("[x] script and template written — ls scripts/flush\n", ""),
            ("[!] codify the rule", "[x] (2 done) script and template written; codify the rule"),
        )),
        "2/4 done · Build feature X: codify the rule, then announce it\n"
        "  [!] wf:review-docs run=.claude/workflows/runs/r1 runId=wf_bb0ce1d7-626 args=.claude/workflows/runs/…\n"
        "  next: Append the section to GOVERNANCE.md and run its checks\n",
    ),
    "the Vietnamese example stays Vietnamese": (
        VI_EXAMPLE,
        ["wal", "mark", "1", "todo"],
        _with_header(
            VI_EXAMPLE.replace("# WAL — auto-generated, không sửa tay".encode(),
                               "# WAL — do baton ghi; muốn sửa, dùng `baton wal`".encode())
            .replace(b"[x] script", b"[ ] script").replace(b"   \xe2\x80\x94 ls", b" \xe2\x80\x94 ls")
            .replace(b"    \xe2\x80\x94 grep", b" \xe2\x80\x94 grep")
        ),
        "1/4 done · Dựng tính-năng X — codify governance rồi phát broadcast\n"
        "  [!] codify governance (mục mới) — grep -c 'H-22' <governance-doc> = 0 (chưa append)\n"
        "  next: Append mục mới vào governance-doc rồi chạy bộ kiểm governance\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("before", "words", "after", "out"), CHANGES.values(), ids=CHANGES)
def test_change(
    before: bytes, words: list[str], after: bytes, out: str, baton: Here, chain: Path, repo: Path
) -> None:
    for run in _runners(baton, repo):
        chain.write_bytes(before)
        assert run(*words) == Said(0, out, "")
        assert _body(chain) == after


def test_a_finished_vietnamese_chain_is_followed_by_another(baton: Here, chain: Path) -> None:
    """The writer keeps the language of the file."""
    text = VI_EXAMPLE.decode()
    for mark in ("[!]", "[ ]"):
        text = text.replace(mark, "[x]")
    chain.write_text(text.replace("author broadcast-draft", "author — ls README.md"))
    assert baton(*START).code == 0
    assert "do baton ghi" in chain.read_text()


def test_a_new_file_takes_the_configured_language(baton: Here, repo: Path) -> None:
    (repo / ".claude").mkdir()
    (repo / ".claude/baton.toml").write_text('lang = "vi"\n')
    assert baton(*START).code == 0
    assert "do baton ghi" in (repo / WAL).read_text()


HEADERS = {
    "a session": ({"CLAUDE_CODE_SESSION_ID": "4f1c2a00-1111"}, [], "4f1c2a", "main"),
    "a session of odd signs": ({"CLAUDE_CODE_SESSION_ID": "x|y: z"}, [], "xyz", "main"),
    "detached": ({}, ["switch", "-q", "--detach"], "terminal", "(detached)"),
    "a branch that is not UTF-8": ({}, ["symbolic-ref", "HEAD", b"refs/heads/a\xff"], "terminal", "a?"),
}  # fmt: skip


@pytest.mark.parametrize(("env", "words", "session", "branch"), HEADERS.values(), ids=HEADERS)
def test_header(
    env: dict[str, str], words: list[str], session: str, branch: str, baton: Here, repo: Path
) -> None:
    if words:
        git(*words, cwd=repo)
    assert baton(*START, **env) == Said(0, "1/2 done · Ship it\n  [ ] b\n  next: do b\n", "")
    _body(repo / WAL, session, branch)
    assert parse((repo / WAL).read_bytes()).problems == []


def test_header_outside_git(tmp_path: Path, baton: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "README.md").write_text("x\n")
    monkeypatch.chdir(tmp_path)
    assert baton(*START).code == 0
    _body(tmp_path / WAL, branch="—")


def test_a_doubtful_evidence_is_a_warning(baton: Here, chain: Path) -> None:
    said = baton("wal", "add", "[x] tests — they all pass")
    assert said.code == 0
    assert said.err == (
        "baton: item 5: 'they all pass' is no command here, no path, and no commit id: "
        "/tiep will not be able to check it\n"
    )
    again = chain.read_bytes().replace(b"next: ", b"next: soon, ")
    assert baton("wal", "next", "go on").err == ""
    base = json.loads(baton("wal", "show", "--json").out)["rev"]
    assert run_baton("wal", "write", "--base", base, cwd=os.getcwd(), stdin=again).err == ""


# ---- refusals: whole, and nothing moved ----

NOWHERE = refused(
    1,
    "there is no chain here yet; nothing was written",
    "baton wal start GOAL --item TEXT --next TEXT --verify CMD",
)
UNREADABLE = refused(
    1,
    f'{WAL} cannot be read as a chain (unknown-line: line 1: not a line of a chain: "hi"); nothing was written',
    "baton tiep shows it and the way back to a good version; baton wal start --force … replaces it",
)
REFUSALS: dict[str, tuple[bytes | None, list[str], Said]] = {
    "start over an unfinished one": (
        EXAMPLE,
        START,
        refused(
            3,
            "an unfinished chain stands here (1/4 done · Build feature X: codify the rule, then announce it); "
            "nothing was written",
            "baton tiep goes on with it; baton wal start --force … replaces it",
        ),
    ),
    "start over an unreadable one": (b"hi", START, UNREADABLE),
    "add to an unreadable one": (b"hi", ["wal", "add", "c"], UNREADABLE),
    "mark of an unreadable one": (b"hi", ["wal", "mark", "1", "done"], UNREADABLE),
    "add where there is none": (None, ["wal", "add", "c"], NOWHERE),
    "next where there is none": (None, ["wal", "next", "c"], NOWHERE),
    "verify in an empty one": (EMPTY, ["wal", "verify", "c"], NOWHERE),
    "compact an empty one": (EMPTY, ["wal", "compact"], NOWHERE),
    "done without evidence": (
        EXAMPLE,
        ["wal", "mark", "4", "done"],
        refused(
            1,
            "no-evidence: line 9: no evidence (a command, a path or a commit id after ` — `): "
            '"draft the announcement"; nothing was written',
            "give --evidence: a command, a path or a commit id that shows it",
        ),
    ),
    "no such item": (
        EXAMPLE,
        ["wal", "mark", "9", "done"],
        refused(2, "there is no item 9; the chain has 4; nothing was written", "baton wal show"),
    ),
    "nothing to fold": (
        EXAMPLE,
        ["wal", "compact"],
        refused(
            2,
            "nothing to fold: 1 done item(s) at the head of the chain; nothing was written",
            "baton wal show",
        ),
    ),
    "reset of an unfinished one": (
        EXAMPLE,
        ["wal", "reset"],
        refused(
            3,
            "the chain is unfinished; nothing was written",
            "baton tiep goes on with it; baton wal reset --abandon gives it up",
        ),
    ),
    "reset of an unreadable one": (b"hi", ["wal", "reset"], UNREADABLE),
    "start with an empty goal": (
        None,
        [*START[:2], " ", *START[3:]],
        refused(1, "the goal is empty; nothing was written", "baton wal --help"),
    ),
}


@pytest.mark.parametrize(("before", "words", "said"), REFUSALS.values(), ids=REFUSALS)
def test_refusal(
    before: bytes | None, words: list[str], said: Said, baton: Here, repo: Path
) -> None:
    (repo / ".claude").mkdir()
    if before is not None:
        (repo / WAL).write_bytes(before)
    for run in _runners(baton, repo):
        assert run(*words) == said
    assert baton(*words, "--inline") == Said(0, said.err, "")
    assert sorted(os.listdir(repo / ".claude")) == ([] if before is None else ["WAL.md"])
    assert before is None or (repo / WAL).read_bytes() == before


FORCED = {
    "start over an unfinished one": (EXAMPLE, [*START, "--force"], b"goal: Ship it\n"),
    "start over an unreadable one": (b"hi", [*START, "--force"], b"goal: Ship it\n"),
    "reset of an unfinished one": (EXAMPLE, ["wal", "reset", "--abandon"], b"goal: (none)\n"),
    "reset of an unreadable one": (b"hi", ["wal", "reset", "--abandon"], b"goal: (none)\n"),
    "reset of a Vietnamese one": (
        VI_EXAMPLE,
        ["wal", "reset", "--abandon"],
        "goal: (trống — không có mạch dở)\n".encode(),
    ),
}


@pytest.mark.parametrize(("before", "words", "line"), FORCED.values(), ids=FORCED)
def test_forced(before: bytes, words: list[str], line: bytes, baton: Here, chain: Path) -> None:
    chain.write_bytes(before)
    assert baton(*words).code == 0
    assert line in chain.read_bytes()


RESETS = {"finished": finished(), "empty": EMPTY, "0 bytes": b"", "absent": None}


@pytest.mark.parametrize("before", RESETS.values(), ids=RESETS)
def test_reset(before: bytes | None, baton: Here, repo: Path) -> None:
    """The empty file, byte for byte."""
    (repo / ".claude").mkdir()
    if before is not None:
        (repo / WAL).write_bytes(before)
    assert baton("wal", "reset") == Said(0, f"{WAL} is empty\n", "")
    assert (repo / WAL).read_bytes() == EMPTY


def test_the_lock_is_waited_for_and_then_named(baton: Here, chain: Path, repo: Path) -> None:
    from baton.hot import project
    from baton.hot.state import State

    (repo / ".claude/baton.toml").write_text("lock_wait = 0\n")
    found = project.locate({"HOME": "/"}, str(repo))
    assert found is not None
    with State(found, {}).lock(0):
        for run in _runners(baton, repo):
            assert run("wal", "next", "c") == refused(
                5,
                "the chain is being changed by somebody else for 0 s; nothing was written",
                "the same command again",
            )
    assert chain.read_bytes() == EXAMPLE


# ---- write (case C7) ----

NEW = changed(("Build feature X", "Build feature Y"))


def _stdin(data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


def _revision(baton: Here) -> str:
    revision = json.loads(baton("wal", "show", "--json").out)["rev"]
    assert isinstance(revision, str)
    return revision


def test_write(baton: Here, chain: Path, repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    revision = _revision(baton)
    _stdin(NEW, monkeypatch)
    assert baton("wal", "write", "--base", revision).code == 0
    assert _body(chain) == _with_header(NEW)
    chain.write_bytes(EXAMPLE)
    said = run_baton("wal", "write", "--base", revision, cwd=repo, stdin=NEW)
    assert said == Said(
        0,
        "1/4 done · Build feature Y: codify the rule, then announce it\n"
        "  [!] codify the rule — grep -c 'H-22' GOVERNANCE.md\n"
        "  next: Append the section to GOVERNANCE.md and run its checks\n",
        "",
    )
    assert _body(chain) == _with_header(NEW)


def test_write_where_there_is_none(repo: Path) -> None:
    assert run_baton("wal", "write", "--base", "none", cwd=repo, stdin=NEW).code == 0
    assert _body(repo / WAL) == _with_header(NEW)


def test_a_shows_b_writes_a_writes(baton: Here, chain: Path, repo: Path) -> None:
    """Case C7: A is refused, and both A's texts are kept beside the chain, B's in it."""
    seen = _revision(baton)
    assert baton("wal", "next", "B was here").code == 0
    now = _revision(baton)
    updated = parse(chain.read_bytes()).updated
    written = chain.read_bytes()
    for text in (NEW, NEW.replace(b"feature Y", b"feature Z")):
        said = run_baton("wal", "write", "--base", seen, cwd=repo, stdin=text)
        name = said.err.split("your text is kept in ")[1].split("\n")[0]
        assert said == refused(
            3,
            f"the chain is no longer {seen} but {now} (session terminal, {updated}); "
            f"it was not overwritten, your text is kept in {name}",
            "baton wal show --json",
        )
        assert (repo / name).read_bytes() == text
    assert chain.read_bytes() == written
    assert len(list(chain.parent.glob("WAL.md.refused-*"))) == 2


def test_a_chain_of_an_unknown_writer(
    baton: Here, chain: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chain.write_bytes(b"chain:\n[ ] a\n")
    _stdin(NEW, monkeypatch)
    said = baton("wal", "write", "--base", "../x")
    assert "the chain is no longer ../x but " in said.err
    assert "(session unknown, time unknown)" in said.err
    assert [path.name for path in chain.parent.glob("*refused*")] == [
        said.err.split(".claude/")[1].split("\n")[0]
    ]


DOCUMENTS = {
    "a problem": (PROBLEMS["bad-mark"].document, "bad-mark: line 7: an item starts with [x], [!] or [ ]: "
                  "\"[?] codify the rule — grep -c 'H-22' GOVERNANCE.md\""),
    "too big": (b"x" * 1_000_000, "too-big: it has more than 65536 bytes"),
    "not UTF-8": (b"\xff", "not-utf8: line 1: not UTF-8 text"),
}  # fmt: skip


@pytest.mark.parametrize(("document", "problem"), DOCUMENTS.values(), ids=DOCUMENTS)
def test_write_of_what_is_no_chain(
    document: bytes, problem: str, baton: Here, chain: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    revision = _revision(baton)
    _stdin(document, monkeypatch)
    assert baton("wal", "write", "--base", revision) == refused(
        1, f"{problem}; the document was not written", "baton wal write --help"
    )
    assert chain.read_bytes() == EXAMPLE


def test_write_over_what_is_unreadable(
    baton: Here, chain: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chain.write_bytes(b"hi")
    revision = _revision(baton)
    _stdin(NEW, monkeypatch)
    assert baton("wal", "write", "--base", revision) == UNREADABLE
    _stdin(NEW, monkeypatch)
    assert baton("wal", "write", "--base", revision, "--force").code == 0
    assert _body(chain) == _with_header(NEW)


# ---- flush ----


def test_flush(baton: Here, chain: Path, repo: Path) -> None:
    said = baton("wal", "flush")
    head = git("rev-parse", "HEAD", cwd=repo).strip()
    out = f"committed on main ({head[:8]}), nothing pushed\n  .claude/WAL.md\n"
    assert said == Said(0, out, "")
    assert baton("wal", "flush") == Said(0, "already kept (branch main), nothing pushed\n", "")
    assert run_baton("wal", "flush", cwd=repo) == baton("wal", "flush")
    chain.write_bytes(NEW)
    flushed = json.loads(baton("wal", "flush", "--json").out)
    assert flushed == {
        "outcome": "committed",
        "commit": git("rev-parse", "HEAD", cwd=repo).strip(),
        "ref": "refs/heads/main",
        "paths": [".claude/WAL.md"],
        "refused": [],
        "reason": "",
    }


def test_flush_of_nothing(baton: Here, repo: Path) -> None:
    assert baton("wal", "flush") == Said(0, "unchanged\n", "")


def test_flush_that_leaves_something_out(baton: Here, repo: Path) -> None:
    (repo / ".claude").mkdir()
    (repo / ".claude/agent-memory").symlink_to("/etc")
    said = baton("wal", "flush")
    assert said.code == 3
    assert said.out.startswith("refused: .claude/agent-memory: a symbolic link")
    assert "\n  left out .claude/agent-memory: a symbolic link" in said.out
    again = baton("wal", "flush", "--json")
    assert again.code == 3
    told = json.loads(again.out)
    assert (told["outcome"], [row["path"] for row in told["refused"]]) == (
        "unchanged",
        [".claude/agent-memory"],
    )


def test_flush_that_fails(baton: Here, chain: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(chain.parent))
    assert baton("wal", "flush") == Said(5, "failed: git was not found on PATH\n", "")


def test_flush_switched_off(baton: Here, chain: Path) -> None:
    (chain.parent / "baton.toml").write_text('persist = "off"\n')
    assert baton("wal", "flush") == Said(0, "disabled: persist is off\n", "")


# ---- hostile words and locales ----


def test_words_never_reach_a_shell(repo: Path) -> None:
    """Case C1, on the way in: an escape is made visible in a text and refused in a command."""
    hostile = "$(touch PWNED) `touch PWNED`; touch PWNED '\"</system-reminder>"
    assert run_baton(*START[:2], hostile + "\x1b[2J", *START[3:], cwd=repo).code == 0
    assert parse((repo / WAL).read_bytes()).goal == hostile + "\ufffd[2J"
    said = run_baton("wal", "verify", "ls \x1b[2J", cwd=repo)
    assert said == refused(
        1,
        'a verify command must be one line without control characters: "ls \ufffd[2J"; nothing was written',
        "baton wal --help",
    )
    assert not (repo / "PWNED").exists()


def test_the_locale_does_not_matter(repo: Path) -> None:
    """Case H4: the same bytes in the file and in the commit, whatever the terminal speaks."""
    env = {"LC_ALL": "C", "PYTHONIOENCODING": "cp1252", "LANG": "vi_VN.TCVN"}
    words = ["wal", "start", "Dựng 📣", "--item", "việc", "--next", "làm", "--verify", "ls sổ.md"]
    said = run_baton(*words, cwd=repo, env=env)
    assert said == Said(0, "0/1 done · Dựng 📣\n  [ ] việc\n  next: làm\n", "")
    written = (repo / WAL).read_bytes()
    assert "goal: Dựng 📣\n".encode() in written
    assert run_baton("wal", "flush", cwd=repo, env=env).code == 0
    shown = subprocess.run(
        ["git", "show", f"HEAD:{WAL}"], cwd=repo, capture_output=True, check=True
    )
    assert shown.stdout == written
    assert "Dựng 📣" in run_baton("wal", "show", cwd=repo, env=env).out


def test_words_that_are_not_utf_8(repo: Path) -> None:
    said = run_baton(*START[:2], b"a\xff", *START[3:], cwd=repo)
    assert said.code == 0
    assert parse((repo / WAL).read_bytes()).goal == "a?"


def test_a_project_with_a_hostile_name(tmp_path: Path) -> None:
    """Case H2, as far as the command line goes."""
    project = tmp_path / "it's $HOME & (so) ổn"
    project.mkdir()
    (project / "README.md").write_text("x\n")
    script = f'"{BATON}" wal start a --item b --next c --verify "ls README.md" && "{BATON}" tiep'
    done = subprocess.run(
        ["sh", "-c", script], cwd=project, env=dict(os.environ), capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "  ls README.md → exit 0" in done.stdout


def test_the_form_in_the_help_is_one_that_can_be_written(baton: Here, chain: Path) -> None:
    told = run_baton("wal", "write", "--help", cwd=os.getcwd()).out
    form = re.search(r"^  # WAL\n(?:  .*\n)+", told, re.MULTILINE)
    assert form
    document = re.sub("^  ", "", form[0], flags=re.MULTILINE).encode()
    base = json.loads(baton("wal", "show", "--json").out)["rev"]
    said = run_baton("wal", "write", "--base", base, cwd=os.getcwd(), stdin=document)
    assert (said.code, said.out.splitlines()[0]) == (0, "1/3 done · what the work is for")


GIVEN_UP = {
    "reset": (["wal", "reset", "--abandon"], "baton wal reset --abandon", EMPTY[-20:]),
    "start": ([*START, "--force"], "the same command again", b"verify: ls README.md\n"),
}


@pytest.mark.parametrize(("words", "again", "end"), GIVEN_UP.values(), ids=GIVEN_UP)
def test_a_model_cannot_give_the_work_up(
    words: list[str], again: str, end: bytes, chain: Path, baton: Here
) -> None:
    """Inside Claude Code an unfinished chain goes only after a person has typed something."""
    inside = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "s1"}
    asked = refused(
        4,
        "only a person may decide this; ask them, and wait for what they type: the chain is "
        "unfinished; is its work to be given up? Nothing was done.",
        f"once they have said so: {again}",
    )
    for _ in range(2):
        assert baton(*words, **inside) == asked
        assert chain.read_bytes() == EXAMPLE
    found = project.locate({}, os.getcwd())
    assert found is not None
    acts.submitted(State(found, dict(os.environ)), "s1")
    assert baton(*words, **inside).code == 0
    assert chain.read_bytes().endswith(end)


# ---- what git took back before a flush kept it ----

NOT_THE_NEWEST = (
    WAL + " {}: what baton wrote last ({}) is in its own notes alone, and would be lost; "
    "nothing was written"
)
FIRST_BRING_IT = "baton wal restore newest, then the same command again"
FURTHER = {
    "start": [*START, "--force"],
    "add": ["wal", "add", "one more"],
    "next": ["wal", "next", "further"],
    "verify": ["wal", "verify", "ls README.md", "ls ."],
}


@pytest.mark.parametrize("words", FURTHER.values(), ids=list(FURTHER))
def test_what_no_flush_has_kept_is_not_written_over(
    words: list[str], baton: Here, chain: Path, repo: Path
) -> None:
    """In mid-turn somebody resets the work tree."""
    git("add", ".", cwd=repo)
    git("commit", "-q", "-m", "a chain", cwd=repo)
    assert baton("wal", "next", "the newest step").code == 0
    git("reset", "-q", "--hard", cwd=repo)
    stands = "1/4 done · Build feature X: codify the rule, then announce it"
    told = NOT_THE_NEWEST.format("holds an older version", stands)
    expected = refused(3, told, FIRST_BRING_IT)
    assert baton(*words) == expected
    assert chain.read_bytes() == EXAMPLE
    assert baton("wal", "restore", "newest").code == 0
    assert b"next: the newest step\n" in chain.read_bytes()
    assert baton(*words).code == 0


def test_nor_begun_over_where_the_file_is_gone(baton: Here, repo: Path) -> None:
    assert baton(*START).code == 0
    (repo / WAL).unlink()
    told = NOT_THE_NEWEST.format("is gone", "1/2 done · Ship it")
    assert baton(*START) == refused(3, told, FIRST_BRING_IT)
    assert not (repo / WAL).exists()


def test_what_git_holds_may_be_gone_back_behind(baton: Here, chain: Path, repo: Path) -> None:
    git("add", ".", cwd=repo)
    git("commit", "-q", "-m", "a chain", cwd=repo)
    assert baton("wal", "next", "the newest step").code == 0
    assert baton("wal", "flush").code == 0
    git("checkout", "-q", "HEAD~1", "--", WAL, cwd=repo)
    git("commit", "-q", "-m", "back again", cwd=repo)
    assert baton("wal", "next", "from there on").code == 0
    assert b"next: from there on\n" in chain.read_bytes()
