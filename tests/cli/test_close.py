"""baton.cli.close: in real repositories; what is refused moves nothing, what is done moves HEAD alone."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from baton.core import secrecy
from baton.hot import acts
from baton.hot.git import durable
from chain_cases import EMPTY, EXAMPLE, finished
from commands import Here, Said, refused, run_baton
from desk import CHAIN, Desk
from secret_cases import AWS

NOTE = ".claude/agent-memory/n.md"
DONE = finished().decode()
BACKUP = r"refs/baton/closed/main/\d{8}T\d{6}-[0-9a-f]{12}"
SESSION = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "4f1c2a-1"}


@pytest.fixture
def desk(repo: Path) -> Desk:
    """A finished chain in three commits of baton's on top of one of the user's."""
    desk = Desk(repo)
    for text, path in ((EXAMPLE.decode(), CHAIN), ("note\n", NOTE), (DONE, CHAIN)):
        desk.write(text, path)
        assert desk.flush().kind == "committed"
    return desk


def _everything(desk: Desk) -> dict[str, object]:
    """All files of the project and its repository, to the bit, and when they were written."""
    found: dict[str, object] = {}
    for path in sorted(desk.root.rglob("*")):
        st = path.lstat()
        kept = path.read_bytes() if path.is_file() else b""
        found[str(path)] = (st.st_mode, st.st_mtime_ns, st.st_ino, kept)
    return found


def _subjects(desk: Desk) -> list[str]:
    return re.sub(r"(wal: flush) \S+", r"\1", desk.git("log", "--format=%s")).splitlines()


def _backups(desk: Desk) -> dict[str, str]:
    rows = desk.git("for-each-ref", "--format=%(refname) %(objectname)", "refs/baton/closed")
    return dict(row.split(" ") for row in rows.splitlines())


def _without_ids(text: str) -> str:
    return re.sub(r"\b[0-9a-f]{8}\b", "ID", re.sub(BACKUP, "BACKUP", text))


# ---- done ----

KEPT = "  kept on BACKUP; to get them back: git reset --soft BACKUP\n"
EMPTIED = "the chain is empty\n"


def test_without_a_message_all_is_left_staged(desk: Desk, baton: Here) -> None:
    head, base = desk.head(), desk.git("rev-parse", "HEAD~3").strip()
    desk.write("mine\n", "mine.txt")
    desk.git("add", "mine.txt")
    desk.write("mine, changed\n", "mine.txt")
    index, owned = desk.git("ls-files", "-s", "--debug"), desk.users_own()
    said = baton("close")
    assert (said.code, said.err) == (0, "")
    assert _without_ids(said.out) == (
        f"3 commits of baton's taken off main; what they hold is staged\n{KEPT}"
        "staged by you: mine.txt\n"
        f"now make the commit that absorbs them: git commit -m MESSAGE\n{EMPTIED}"
    )
    assert desk.head() == base
    assert (desk.git("ls-files", "-s", "--debug"), desk.users_own()) == (index, owned)
    assert list(_backups(desk).values()) == [head]
    assert (desk.root / CHAIN).read_bytes() == EMPTY
    assert desk.git("reflog", "-1", "--format=%gs").strip() == f"reset: moving to {base}"
    desk.fsck()
    desk.git("commit", "--quiet", "-m", "Ship it")
    assert sorted(desk.files_of("HEAD")) == [CHAIN, NOTE, "mine.txt"]
    assert (desk.at("HEAD"), desk.at("HEAD", "mine.txt")) == (DONE, "mine\n")
    assert _subjects(desk) == ["Ship it", "begin"]


def test_with_a_message_one_commit_absorbs_all(desk: Desk, baton: Here) -> None:
    head = desk.head()
    index = desk.git("ls-files", "-s", "--debug")
    said = baton("close", "-m", "Ship it\n\nAnd tell them.")
    assert (said.code, said.err) == (0, "")
    assert _without_ids(said.out) == (
        f"3 commits of baton's absorbed by ID on main\n{KEPT}the closing commit: ID Ship it\n{EMPTIED}"
    )
    assert _subjects(desk) == ["Ship it", "begin"]
    assert desk.git("log", "-1", "--format=%B%an <%ae>") == (
        "Ship it\n\nAnd tell them.\nAda Example <ada@example.org>\n"
    )
    assert sorted(desk.files_of("HEAD")) == [CHAIN, NOTE]
    assert desk.git("diff", "--stat", head, "HEAD") == ""
    assert desk.git("ls-files", "-s", "--debug") == index
    assert list(_backups(desk).values()) == [head]
    assert desk.git("status", "--porcelain") == f" M {CHAIN}\n"
    assert desk.git("reflog", "-1", "--format=%gs").strip() == "commit: Ship it"
    assert not list((desk.root / ".git/baton").glob("index.*"))
    desk.fsck()


def test_with_a_message_what_is_staged_goes_along(desk: Desk, baton: Here) -> None:
    desk.write("mine\n", "mine.txt")
    desk.write("new\n", "sub/deep/new.txt")
    desk.git("add", "mine.txt", "sub")
    desk.write("later\n", "mine.txt")
    said = baton("close", "-m", "Ship it")
    assert _without_ids(said.out) == (
        f"3 commits of baton's absorbed by ID on main\n{KEPT}the closing commit: ID Ship it\n"
        f"  with what you had staged: mine.txt, sub/deep/new.txt\n{EMPTIED}"
    )
    assert desk.at("HEAD", "mine.txt") == "mine\n"
    assert desk.git("status", "--porcelain") == f" M {CHAIN}\n M mine.txt\n"
    desk.fsck()


def _tear(desk: Desk, *oids: str) -> None:
    """Leave of objects what a cut of the power does: their names."""
    for oid in oids:
        path = desk.root / ".git/objects" / oid[:2] / oid[2:]
        path.chmod(0o644)
        path.write_bytes(b"")


def test_folders_that_a_crash_had_torn_are_made_again(desk: Desk, baton: Here) -> None:
    desk.write("new\n", "sub/deep/new.txt")
    desk.git("add", "sub")
    desk.write("", "later.txt")
    desk.git("add", "-N", "later.txt")
    tree = desk.git("write-tree").strip()
    inner = desk.git("rev-parse", f"{tree}:sub").strip()
    _tear(desk, inner, tree)
    said = baton("close", "-m", "Ship it")
    assert said.err == ""
    assert sorted(desk.files_of("HEAD")) == [CHAIN, NOTE, "sub/deep/new.txt"]
    assert desk.at("HEAD", "sub/deep/new.txt") == "new\n"
    desk.fsck()
    assert sorted(os.listdir(desk.root / ".git/baton/torn")) == sorted([inner, tree])


def test_a_staged_file_that_a_crash_had_torn_is_named(desk: Desk, baton: Here) -> None:
    """Nothing but the file itself can make it again."""
    head = desk.head()
    desk.write("mine\n", "mine.txt")
    desk.git("add", "mine.txt")
    oid = desk.git("rev-parse", ":mine.txt").strip()
    _tear(desk, oid)
    said = baton("close", "-m", "Ship it")
    assert (said.code, said.out) == (5, "")
    assert f"invalid object 100644 {oid} for 'mine.txt'" in said.err
    assert (desk.head(), (desk.root / CHAIN).read_text()) == (head, DONE)
    # To git a file whose times it knows is not worth another look.
    os.utime(desk.root / "mine.txt", (0, 0))
    desk.git("add", "mine.txt")
    assert baton("close", "-m", "Ship it").code == 0
    assert desk.at("HEAD", "mine.txt") == "mine\n"
    desk.fsck()


def test_a_disk_that_tears_all_that_is_made(
    desk: Desk, baton: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = desk.head()
    commits = []

    def torn(git: object, checkout: object, oids: list[bytes], aside: str) -> list[str]:
        commits.extend(oids)
        return [oid.decode() for oid in oids if _kind(desk, oid) == "commit"]

    monkeypatch.setattr(durable, "sync_objects", torn)
    assert baton("close", "-m", "Ship it") == refused(
        5, f"the object {commits[-1].decode()} is torn, however often it is made", "git status"
    )
    assert (desk.head(), (desk.root / CHAIN).read_text()) == (head, DONE)


def _kind(desk: Desk, oid: bytes) -> str:
    return desk.git("cat-file", "-t", oid.decode()).strip()


def test_in_a_process_as_data(desk: Desk) -> None:
    head, base = desk.head(), desk.git("rev-parse", "HEAD~3").strip()
    run = desk.git("rev-list", "HEAD", f"^{base}").split()
    said = run_baton("close", "-m", "Ship it", "--json", cwd=desk.root)
    assert (said.code, said.err) == (0, "")
    told = json.loads(said.out)
    assert re.fullmatch(BACKUP, told.pop("backup"))
    assert told == {
        "trailing": 3,
        "base": base,
        "commits": run,
        "refused": None,
        "left": "",
        "staged": [],
        "commit": desk.head(),
    }
    assert run[0] == head


def test_what_is_on_disk_is_kept_first(desk: Desk, baton: Here) -> None:
    """The last change of the chain had not been flushed yet."""
    last = DONE.replace("goal: Build", "goal: We built")
    desk.write(last)
    assert "4 commits of baton's" in baton("close", "-m", "Ship it").out
    assert desk.at("HEAD") == last
    assert _subjects(desk) == ["Ship it", "begin"]


def test_the_user_s_commits_between_stay(desk: Desk, baton: Here) -> None:
    mine = desk.commit("mine", mine="1\n")
    desk.write("note 2\n", NOTE)
    desk.flush()
    assert "1 commit of baton's taken off main" in baton("close").out
    assert desk.head() == mine


def test_several_closes_keep_several(desk: Desk, baton: Here) -> None:
    heads = [desk.head()]
    baton("close", "-m", "One")
    desk.write("note 2\n", NOTE)
    desk.flush()
    heads.append(desk.head())
    baton("close", "-m", "Two")
    assert sorted(_backups(desk).values()) == sorted(heads)
    assert _subjects(desk) == ["Two", "One", "begin"]


def test_a_backup_that_a_killed_close_made_in_the_same_second(
    desk: Desk, baton: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "strftime", lambda _: "20260711T140322")
    ref = f"refs/baton/closed/main/20260711T140322-{desk.head()[:12]}"
    desk.git("update-ref", ref, "HEAD")
    locks = [desk.root / f".git/refs/baton/closed/main/{name}.lock" for name in ("old", "new")]
    for lock in locks:
        lock.touch()
    os.utime(locks[0], (0, 0))
    assert f"kept on {ref}; " in baton("close").out
    assert list(_backups(desk)) == [ref]
    assert [lock.exists() for lock in locks] == [False, True]


def test_commits_that_cancel_out(repo: Path, baton: Here) -> None:
    desk = Desk(repo)
    desk.write("note\n", NOTE)
    desk.flush()
    (desk.root / NOTE).unlink()
    desk.flush()
    said = baton("close", "-m", "Ship it")
    assert _without_ids(said.out) == (
        f"2 commits of baton's taken off main; together they changed nothing\n{KEPT}"
        "nothing to commit: no closing commit was made\nthere is no chain here\n"
    )
    assert _subjects(desk) == ["begin"]


def test_the_flush_waits_for_the_closing_commit(desk: Desk, baton: Here) -> None:
    """Else the next turn's end would commit again, below it, what it is to absorb."""
    baton("close")
    base = desk.head()
    # A file as young as the flush itself is looked at again.
    time.sleep(0.02)
    outcome = desk.flush()
    assert (outcome.kind, outcome.ref) == ("parked", "refs/baton/wal/main")
    assert outcome.reason == "the closing commit is awaited"
    assert (desk.head(), desk.looks()) == (base, "same")
    desk.write("note 2\n", NOTE)
    assert desk.flush().kind == "parked"
    desk.git("commit", "--quiet", "-m", "Ship it")
    assert desk.looks() == "changed"
    assert desk.flush().ref == "refs/heads/main"
    assert _subjects(desk) == ["wal: flush", "Ship it", "begin"]
    assert desk.at("HEAD", NOTE) == "note 2\n"


def test_after_a_closing_commit_the_flush_goes_on(desk: Desk, baton: Here) -> None:
    baton("close", "-m", "Ship it")
    assert desk.flush().ref == "refs/heads/main"
    assert desk.at("HEAD").encode() == EMPTY


# ---- nothing to squash ----


def _pushed(desk: Desk) -> None:
    desk.git("update-ref", "refs/remotes/origin/main", "HEAD")


def _pushed_before(desk: Desk) -> None:
    desk.git("update-ref", "refs/remotes/origin/main", "HEAD~1")


def _tagged(desk: Desk) -> None:
    desk.git("tag", "-a", "-m", "v1", "v1")


def _branched(desk: Desk) -> None:
    desk.git("branch", "other")


def _fetched(desk: Desk) -> None:
    desk.git("update-ref", "refs/prefetch/remotes/origin/main", "HEAD")


HOLDERS: dict[str, tuple[Callable[[Desk], None], int]] = {
    "pushed": (_pushed, 0),
    "pushed, but for the last one": (_pushed_before, 1),
    "tagged": (_tagged, 0),
    "in another branch": (_branched, 0),
    "prefetched": (_fetched, 0),
}


@pytest.mark.parametrize(("hold", "count"), HOLDERS.values(), ids=HOLDERS)
def test_what_others_hold_stays(
    hold: Callable[[Desk], None], count: int, desk: Desk, baton: Here
) -> None:
    hold(desk)
    base = desk.git("rev-parse", f"HEAD~{count}").strip()
    said = baton("close")
    assert said.code == 0
    assert (
        "baton's commits below stay: they are pushed, or another branch or a tag has them\n"
        in said.out
    )
    assert said.out.startswith("1 commit" if count else "nothing to squash on main\n")
    assert desk.head() == base
    assert len(_backups(desk)) == count
    assert (desk.root / CHAIN).read_bytes() == EMPTY


def test_stashes_backups_and_broken_tags_hold_nothing(desk: Desk, baton: Here) -> None:
    desk.write("half\n", "README.md")
    desk.git("stash", "--quiet")
    desk.git("update-ref", "refs/baton/closed/main/x", "HEAD")
    desk.git("tag", "tree", "HEAD^{tree}")
    assert "3 commits of baton's" in baton("close").out


def test_a_merge_stays(desk: Desk, baton: Here) -> None:
    desk.git("checkout", "--quiet", "-b", "side", "HEAD~1")
    desk.commit("side", side="1\n")
    desk.git("checkout", "--quiet", "main")
    desk.git("merge", "--quiet", "--no-ff", "-m", "wal: merge", "side")
    head = desk.head()
    assert baton("close").out == (
        "nothing to squash on main\nbaton's commits below stay: a merge is among them\n" + EMPTIED
    )
    assert desk.head() == head


@pytest.mark.parametrize("count", [1, 2])
def test_at_the_root_nothing_is_squashed(count: int, tmp_path: Path, baton: Here) -> None:
    folder = tmp_path / "fresh"
    folder.mkdir()
    desk = Desk(folder)
    desk.git("init", "--quiet", "--initial-branch=main")
    for number in range(count):
        desk.write(f"{number}\n", NOTE)
        desk.flush()
    head = desk.head()
    assert baton("--project", str(folder), "close").out == (
        "nothing to squash on main\n"
        "baton's commits below stay: they begin at the root commit, which has no parent\n"
        "there is no chain here\n"
    )
    assert (desk.head(), _backups(desk)) == (head, {})


def test_an_unborn_branch(tmp_path: Path, baton: Here) -> None:
    folder = tmp_path / "fresh"
    folder.mkdir()
    desk = Desk(folder)
    desk.git("init", "--quiet", "--initial-branch=main")
    desk.git("config", "user.name", "Ada")
    desk.git("config", "user.email", "ada@example.org")
    close = ("--project", str(folder), "close")
    assert baton(*close).out == "nothing to squash on main\nthere is no chain here\n"
    said = "nothing to squash on main\nnothing to commit: no closing commit was made\nthere is no chain here\n"
    assert baton(*close, "-m", "Begin") == Said(0, said, "")
    desk.write("a\n", "a")
    desk.git("add", "a")
    assert "the closing commit: " in baton(*close, "-m", "Begin").out
    assert (_subjects(desk), desk.tree_of("HEAD")) == (["Begin"], ["a"])


def test_nothing_of_baton_s(repo: Path, baton: Here) -> None:
    said = "nothing to squash on main\nthere is no chain here\n"
    assert baton("close") == Said(0, said, "")
    assert Desk(repo).git("status", "--porcelain") == ""


def test_a_message_and_only_the_user_s_work(repo: Path, baton: Here) -> None:
    desk = Desk(repo)
    desk.write("a\n", "a")
    desk.git("add", "a")
    assert _without_ids(baton("close", "-m", "Ship it").out) == (
        "nothing to squash on main\nthe closing commit: ID Ship it\n"
        "  with what you had staged: a\nthere is no chain here\n"
    )
    assert (_subjects(desk), _backups(desk)) == (["Ship it", "begin"], {})


def test_off_the_branch(repo: Path, baton: Here) -> None:
    """Baton's own ref stays as it is."""
    desk = Desk(repo)
    desk.write('persist = "ref"\n', ".claude/baton.toml")
    desk.write(DONE)
    desk.flush()
    parked = desk.git("rev-parse", "refs/baton/wal/main")
    assert baton("close") == Said(0, f'nothing to squash on main: persist = "ref"\n{EMPTIED}', "")
    assert desk.git("rev-parse", "refs/baton/wal/main") == parked
    assert (desk.root / CHAIN).read_bytes() == EMPTY


def test_outside_git(tmp_path: Path, baton: Here) -> None:
    desk = Desk(tmp_path / "plain")
    desk.write(DONE)
    close = ("--project", str(desk.root), "close")
    said = "not a git repository: nothing to squash\n"
    first = "something has changed since the last flush: one would come first\n"
    planned = f"{said}{first}the chain would be emptied\nnothing was done\n"
    assert baton(*close, "--dry-run") == Said(0, planned, "")
    assert baton(*close, "-m", "Ship it") == Said(0, f"{said}{EMPTIED}", "")
    assert (desk.root / CHAIN).read_bytes() == EMPTY


def test_the_language_of_the_chain_stays(repo: Path, baton: Here) -> None:
    desk = Desk(repo)
    desk.write(
        "# WAL — do baton ghi\nupdated: —\ngoal: xong\n\nchain:\n[x] a — ls\n\nnext: (trống)\n"
    )
    assert baton("close").code == 0
    assert "(rỗng)" in (desk.root / CHAIN).read_text()


# ---- refused ----


def _merge(desk: Desk) -> None:
    desk.git("checkout", "--quiet", "-b", "side", "HEAD~1")
    desk.commit("side", side="1\n")
    desk.git("checkout", "--quiet", "main")
    desk.git("merge", "--quiet", "--no-ff", "--no-commit", "side")


def _detached(desk: Desk) -> None:
    desk.git("checkout", "--quiet", "--detach")


def _locked(desk: Desk) -> None:
    (desk.root / ".git/index.lock").touch()


def _conflict(desk: Desk) -> None:
    desk.write("one\n", "README.md")
    desk.git("stash", "--quiet")
    desk.commit("two", **{"README__md": "two\n"})
    assert desk.try_git("stash", "pop").returncode == 1


def _unfinished(desk: Desk) -> None:
    desk.write(EXAMPLE.decode())


def _unreadable(desk: Desk) -> None:
    desk.write("hi\n")


def _nothing(desk: Desk) -> None:
    """Only the command line is at fault."""


UNFINISHED = (
    "the chain is unfinished (1/4 done · Build feature X: codify the rule, then announce it)"
)
GOES_ON = "baton tiep goes on with it; baton close --abandon gives it up"
STATUS = "git status says how to end it; then baton close"
# name: (state, words, exit, message, hint)
REFUSALS: dict[str, tuple[Callable[[Desk], None], list[str], int, str, str]] = {
    "merge": (_merge, [], 3, "a merge is in progress", STATUS),
    "detached": (_detached, [], 3, "HEAD is detached", "git switch BRANCH, then baton close"),
    "index.lock": (
        _locked, [], 5, "{repo}/.git/index.lock is present: another git is at work, or was killed",
        "baton close",
    ),
    "conflict": (
        _conflict, [], 3, "the index holds a conflict that is not resolved", "git status, then baton close",
    ),
    "unfinished": (_unfinished, [], 3, UNFINISHED, GOES_ON),
    "unreadable": (_unreadable, [], 3, "the chain is unreadable", GOES_ON),
    "empty message": (_nothing, ["-m", ""], 2, "-m: the message is empty", "baton close -m MESSAGE"),
    "message like baton's": (
        _nothing, ["-m", "wal: x"], 2, "-m: a subject that starts with wal: is baton's own",
        "baton close -m MESSAGE",
    ),
    "secret": (
        _nothing, ["-m", AWS], 3, "-m holds what looks like a secret (line 1: AWS access key)",
        secrecy.HINT,
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("make", "words", "code", "message", "hint"), REFUSALS.values(), ids=REFUSALS
)
def test_refused(
    make: Callable[[Desk], None],
    words: list[str],
    code: int,
    message: str,
    hint: str,
    desk: Desk,
    baton: Here,
) -> None:
    make(desk)
    expected = refused(code, f"{message.replace('{repo}', str(desk.root))}; nothing was done", hint)
    before = _everything(desk)
    assert baton("close", *words) == expected
    assert run_baton("close", *words, cwd=desk.root) == expected
    assert _everything(desk) == before


def _hook(desk: Desk, path: str = ".git/hooks/pre-commit") -> None:
    hook = desk.root / path
    hook.parent.mkdir(parents=True, exist_ok=True)
    hook.write_text("#!/bin/sh\ntouch ran\nexit 1\n")
    hook.chmod(0o755)


def _hooks_elsewhere(desk: Desk) -> None:
    _hook(desk, "tools/hooks/commit-msg")
    desk.git("config", "core.hooksPath", "tools/hooks")


def _signing(desk: Desk) -> None:
    desk.git("config", "commit.gpgSign", "yes")


GUARDS: dict[str, tuple[Callable[[Desk], None], str]] = {
    "hook": (_hook, "the hook pre-commit"),
    "hook elsewhere": (_hooks_elsewhere, "the hook commit-msg"),
    "signing": (_signing, "signing"),
}


@pytest.mark.parametrize(("guard", "named"), GUARDS.values(), ids=GUARDS)
def test_the_user_s_work_is_not_committed_past_hooks_and_signing(
    guard: Callable[[Desk], None], named: str, desk: Desk, baton: Here
) -> None:
    guard(desk)
    desk.write("mine\n", "mine.txt")
    desk.git("add", "mine.txt")
    before = _everything(desk)
    assert baton("close", "-m", "Ship it") == refused(
        3,
        f"the closing commit would take in what you have staged (mine.txt), but past {named}, which baton "
        "never runs; nothing was done",
        "baton close, then git commit -m MESSAGE",
    )
    assert _everything(desk) == before
    desk.git("reset", "--quiet", "mine.txt")
    assert baton("close", "-m", "Ship it").code == 0
    assert not (desk.root / "ran").exists()


def test_the_user_s_work_is_not_committed_in_baton_s_name(desk: Desk, baton: Here) -> None:
    desk.git("config", "--unset", "user.email")
    desk.write("mine\n", "mine.txt")
    desk.git("add", "mine.txt")
    before = _everything(desk)
    assert baton("close", "-m", "Ship it") == refused(
        3,
        "the closing commit would take in what you have staged (mine.txt), but git does not know who you "
        "are; nothing was done",
        "git config user.name NAME and git config user.email ADDRESS, then baton close -m MESSAGE",
    )
    assert _everything(desk) == before
    desk.git("reset", "--quiet", "mine.txt")
    assert baton("close", "-m", "Ship it").code == 0


def test_a_hook_that_cannot_run_guards_nothing(desk: Desk, baton: Here) -> None:
    _hook(desk)
    (desk.root / ".git/hooks/pre-commit").chmod(stat.S_IRUSR)
    desk.write("mine\n", "mine.txt")
    desk.git("add", "mine.txt")
    assert baton("close", "-m", "Ship it").code == 0


def test_giving_up_is_a_person_s_act(desk: Desk, baton: Here) -> None:
    desk.write(EXAMPLE.decode())
    head = desk.head()
    asked = refused(
        4,
        "only a person may decide this; ask them, and wait for what they type: the chain is unfinished; "
        "is its work to be given up? Nothing was done.",
        "once they have said so: baton close --abandon",
    )
    assert baton("close", "--abandon", **SESSION) == asked
    assert baton("close", "--abandon", **SESSION) == asked
    assert (desk.head(), desk.root.joinpath(CHAIN).read_bytes()) == (head, EXAMPLE)
    acts.submitted(desk.state, SESSION["CLAUDE_CODE_SESSION_ID"])
    assert baton("close", "--abandon", "-m", "Enough", **SESSION).code == 0
    assert (_subjects(desk), desk.at("HEAD").encode()) == (["Enough", "begin"], EXAMPLE)
    assert desk.root.joinpath(CHAIN).read_bytes() == EMPTY


@pytest.mark.parametrize("document", [EXAMPLE, b"hi\n"], ids=["unfinished", "unreadable"])
def test_given_up_at_a_terminal(document: bytes, desk: Desk, baton: Here) -> None:
    desk.write(document.decode())
    assert baton("close", "--abandon").code == 0
    assert desk.root.joinpath(CHAIN).read_bytes() == EMPTY
    assert document in [desk.at(commit).encode() for commit in _backups(desk).values()]


def test_what_cannot_be_kept_is_not_taken_away(desk: Desk, baton: Here) -> None:
    secret = DONE.replace("goal: Build", f"goal: {AWS}")
    desk.write(secret)
    head = desk.head()
    assert baton("close") == refused(
        3,
        "the chain could not be kept first (secret in line 3: AWS access key); nothing was done",
        "baton wal flush",
    )
    assert (desk.head(), desk.root.joinpath(CHAIN).read_text()) == (head, secret)


# ---- rehearsed ----


def test_a_dry_run_changes_nothing(desk: Desk, baton: Here) -> None:
    desk.write("mine\n", "mine.txt")
    desk.git("add", "mine.txt")
    base, run = desk.git("rev-parse", "HEAD~3").strip(), desk.git("rev-list", "HEAD").split()[:3]
    before = _everything(desk)
    told = baton("close", "--dry-run").out
    assert re.sub(r"\d{8}T\d{4}", "TIME", told) == (
        f"would take 3 commits of baton's off main, back to {base[:8]}:\n"
        + "".join(f"  {id_[:8]} wal: flush TIME\n" for id_ in run)
        + "the chain would be emptied\nnothing was done\n"
    )
    as_data = json.loads(run_baton("close", "--dry-run", "-m", "x", "--json", cwd=desk.root).out)
    assert as_data == {
        "trailing": 3,
        "base": base,
        "commits": run,
        "refused": None,
        "left": "",
        "staged": ["mine.txt"],
        "backup": "",
        "commit": "",
    }
    assert _everything(desk) == before


def test_a_dry_run_of_many(repo: Path, baton: Here) -> None:
    desk = Desk(repo)
    for number in range(12):
        desk.git("commit", "--quiet", "--allow-empty", "-m", f"wal: {number}")
    desk.write(DONE)
    told = baton("close", "--dry-run").out.splitlines()
    assert len(told) == 1 + 10 + 4
    assert told[11:] == [
        "  and 2 more",
        "something has changed since the last flush: one would come first",
        "the chain would be emptied",
        "nothing was done",
    ]


def test_a_dry_run_where_nothing_ever_was(repo: Path, baton: Here) -> None:
    before = _everything(Desk(repo))
    assert baton("close", "--dry-run").out == "nothing to squash on main\nnothing was done\n"
    assert _everything(Desk(repo)) == before


@pytest.mark.parametrize("name", ["merge", "detached", "index.lock", "unfinished"])
def test_a_dry_run_says_what_would_be_refused(name: str, desk: Desk, baton: Here) -> None:
    make, _, code, message, hint = REFUSALS[name]
    make(desk)
    before = _everything(desk)
    message = f"{message.replace('{repo}', str(desk.root))}; nothing was done"
    said = baton("close", "--dry-run", **SESSION)
    assert said == Said(code, f"would be refused: {message}\ntry: {hint}\n", "")
    told = json.loads(baton("close", "--dry-run", "--json").out)
    assert told["refused"] == message
    assert _everything(desk) == before


# ---- somebody else ----


def test_head_moves_meanwhile(desk: Desk, baton: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the look and the move: the other one's commit stays, and so does the chain."""
    from baton.edge import closing

    back_up = closing._back_up

    def slow(*args: object) -> str:
        desk.git("commit", "--quiet", "--allow-empty", "-m", "theirs")
        return back_up(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(closing, "_back_up", slow)
    said = baton("close", "-m", "Ship it")
    assert said.code == 3
    assert re.fullmatch(
        r"baton: HEAD was moved meanwhile \(git update-ref: .*\); it was left there, and the chain as it is\n"
        "try: baton close\n",
        said.err,
    )
    assert _subjects(desk)[0] == "theirs"
    assert desk.root.joinpath(CHAIN).read_text() == DONE


SWITCHES: dict[str, tuple[Callable[[Desk], object], str]] = {
    "another branch": (lambda desk: desk.git("switch", "--quiet", "-c", "b"), "it is on b"),
    "detached": (_detached, "HEAD is detached"),
    "a lock": (_locked, "{repo}/.git/index.lock is present: another git is at work, or was killed"),
}


@pytest.mark.parametrize(("switch", "why"), SWITCHES.values(), ids=SWITCHES)
def test_head_is_elsewhere_meanwhile(
    switch: Callable[[Desk], object],
    why: str,
    desk: Desk,
    baton: Here,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from baton.edge import closing

    back_up = closing._back_up

    def slow(*args: object) -> str:
        switch(desk)
        return back_up(*args)  # type: ignore[arg-type]

    head = desk.head()
    monkeypatch.setattr(closing, "_back_up", slow)
    why = why.replace("{repo}", str(desk.root))
    assert baton("close") == refused(
        3,
        f"HEAD was moved meanwhile ({why}); it was left there, and the chain as it is",
        "baton close",
    )
    assert desk.git("rev-parse", "main").strip() == head
    assert desk.root.joinpath(CHAIN).read_text() == DONE


def test_the_state_directory_is_locked(desk: Desk, baton: Here) -> None:
    desk.write("lock_wait = 0\n", ".claude/baton.toml")
    with desk.state.lock(1):
        said = baton("close")
    assert said.code == 3
    assert "the chain could not be kept first (another baton held its lock" in said.err


def test_locked_between_flush_and_squash(
    desk: Desk, baton: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    from baton.cli import close

    desk.write("lock_wait = 0\n", ".claude/baton.toml")
    keep = close._keep
    held = desk.state.lock(1)

    def then_held(*args: object) -> None:
        keep(*args)  # type: ignore[arg-type]
        held.__enter__()

    monkeypatch.setattr(close, "_keep", then_held)
    said = baton("close")
    held.__exit__()
    assert said == refused(
        5, "another baton held its lock for 0 s; nothing was done", "baton close"
    )


def test_no_git(desk: Desk, baton: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(desk.root))
    assert baton("close") == refused(5, "git was not found on PATH", "git status")


def test_a_git_that_hangs(desk: Desk, baton: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    from baton.edge import closing

    monkeypatch.setattr(closing, "_SECONDS", 0.0)
    said = "git did not finish within 0 s and was ended"
    assert baton("close") == refused(5, said, "baton close")


def test_a_disk_that_refuses(desk: Desk, baton: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device", "index.close")

    monkeypatch.setattr(shutil, "copyfile", full)
    head = desk.head()
    assert baton("close", "-m", "Ship it") == refused(
        5, "index.close: No space left on device; the chain is as it was", "baton close"
    )
    assert (desk.head(), desk.root.joinpath(CHAIN).read_text()) == (head, DONE)


# ---- places ----


def test_nothing_is_flushed_first_where_nothing_is_kept(desk: Desk, baton: Here) -> None:
    desk.write('persist = "off"\n', ".claude/baton.toml")
    desk.write(DONE + "\n")
    assert "would come first" not in baton("close", "--dry-run").out


@pytest.mark.parametrize("words", [(), ("-m", "Ship it")], ids=["staged", "committed"])
def test_the_way_back_can_be_typed(words: tuple[str, ...], desk: Desk, baton: Here) -> None:
    """Then the branch is where it was, nothing of the user's has moved, and the chain can be had again."""
    (desk.root / "f").write_text("mine\n")
    desk.git("add", "f")
    before = desk.head(), desk.git("ls-files", "--stage")
    found = re.search(r"to get them back: git (.*)", baton("close", *words).out)
    assert found
    desk.git(*found[1].split())
    assert (desk.head(), desk.git("ls-files", "--stage")) == before
    assert baton("wal", "restore", "newest").code == 0
    assert (desk.root / CHAIN).read_text() == DONE


def test_a_project_below_the_root_in_a_linked_work_tree(repo: Path, baton: Here) -> None:
    desk = Desk(repo)
    desk.git("worktree", "add", "--quiet", "-b", "topic", str(repo.parent / "tree"))
    inner = Desk(repo.parent / "tree/part")
    inner.write(DONE)
    inner.flush()
    said = baton("--project", str(inner.root), "close", "-m", "Ship it")
    assert re.search(r"kept on refs/baton/closed/tree/\S+; ", said.out)
    assert inner.files_of("HEAD") == [f"part/{CHAIN}"]
    assert _subjects(inner) == ["Ship it", "begin"]
    assert desk.git("log", "-1", "--format=%s") == "begin\n"


def test_replaced_commits_are_seen_as_they_are(desk: Desk, baton: Here) -> None:
    """A replacement of the user's must not make a merge look like none."""
    other = desk.git("commit-tree", "HEAD^{tree}", "-p", "HEAD~3", "-m", "theirs").strip()
    desk.git("replace", "HEAD", other)
    assert "3 commits of baton's" in baton("close").out


def test_the_environment_of_git_is_not_inherited(
    desk: Desk, baton: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"):
        monkeypatch.setenv(name, os.path.join(desk.root, "nowhere"))
    assert "3 commits of baton's" in baton("close", "-m", "Ship it").out
