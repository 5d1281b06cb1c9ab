"""The nine operations: what is laid before each, the command, and what must hold whatever happened to it."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from baton.core.pipeline import log as logs
from baton.core.pipeline.event import Reached
from baton.edge import setup_runtime
from baton.hot.runs import layout
from chain_cases import EMPTY, EXAMPLE, finished
from commands import Here
from desk import CHAIN, SETTLE_SECONDS, Desk
from hot.runs.conftest import Left
from measured import base_interpreter
from passport_samples import read
from passports import NAME, ON, Shelf, boundary, ledger
from pipelines import PipelineDesk
from support import HOOKS, SCRIPTS, git, make_repository, run_hook
from workflow_host import RUN_ID, SCRIPT, Host, asked, said, text

NOTE = ".claude/agent-memory/n.md"
BRANCH, REF = "refs/heads/main", "refs/baton/wal/main"


@dataclass
class Scene:
    """What is laid for one operation.

    roots: the folders that the disk consists of. command: the operation; line: what it reads. look:
    told whether the operation had reported its end, runs what comes next and asserts what must hold.
    elsewhere: those of them that stand for another machine. tells: whether its exit code says how it went;
    a hook's never does.
    """

    roots: list[Path]
    command: list[str]
    look: Callable[[bool], None]
    line: bytes = b""
    elsewhere: tuple[str, ...] = ()
    tells: bool = True


class Stage:
    """Where scenes are laid. baton: runs a command line in this process, where its start costs nothing."""

    def __init__(self, folder: Path, baton: Here) -> None:
        self.folder = folder
        self.baton = baton

    def repository(self) -> Path:
        """A new project."""
        return make_repository(self.folder / "project")

    def command(self, root: Path, *words: str) -> list[str]:
        """A command line as a process."""
        program = str(SCRIPTS / "baton/__main__.py")
        return [base_interpreter(), "-I", "-S", "-B", program, "--project", str(root), *words]

    def run(self, root: Path, *words: str, **env: str) -> int:
        """Run a command line; give its exit code. It must not stumble."""
        done = self.baton("--project", str(root), *words, **env)
        assert done.code in (0, 1, 3), done
        return done.code


def _hook(door: str) -> list[str]:
    return [base_interpreter(), "-I", "-S", "-B", str(HOOKS / f"{door}.py")]


# ---- the nine operations ----


def chain_write(stage: Stage) -> Scene:
    """`baton wal next`."""
    root = stage.repository()
    (root / ".claude").mkdir()
    (root / CHAIN).write_bytes(EXAMPLE)
    assert stage.run(root, "wal", "next", "the old step") == 0

    def look(reported: bool) -> None:
        told = (root / CHAIN).read_text()
        assert ("the new step" in told) != ("the old step" in told)
        assert "the new step" in told or not reported
        assert stage.run(root, "wal", "check") == 0
        assert stage.run(root, "wal", "next", "one more") == 0
        assert Desk(root).flush().kind == "committed"
        assert "one more" in Desk(root).at(BRANCH)

    return Scene([root], stage.command(root, "wal", "next", "the new step"), look)


def _users_work(desk: Desk) -> None:
    """Work staged, half-staged, intended and not tracked at all."""
    desk.commit("more", half="1\n2\n")
    desk.write("staged\n2\n", "half")
    desk.git("add", "half")
    desk.write("staged\nnot staged\n", "half")
    desk.write("intent\n", "intent.txt")
    desk.git("add", "-N", "intent.txt")
    desk.write("theirs\n", "untracked.txt")


def _users_own(desk: Desk) -> dict[str, object]:
    """All that is the user's, to the bit. Whoever loses their power leaves locks and passing files."""
    owned = desk.users_own()
    for part in ("own", "shared"):
        files = owned[part]
        assert isinstance(files, dict)
        owned[part] = {name: fact for name, fact in files.items() if not name.endswith(".lock")}
    tree = owned["tree"]
    assert isinstance(tree, dict)
    owned["tree"] = {name: fact for name, fact in tree.items() if not name.startswith(CHAIN)}
    return owned


def _flushing(stage: Stage, ref: str, *, first: bool = False) -> Scene:
    """first: nothing is kept at the ref yet."""
    desk = Desk(stage.repository())
    _users_work(desk)
    desk.write("goal: old\n")
    desk.write("old note\n", NOTE)
    olds, news = ("goal: old\n", "old note\n"), ("goal: new\n", "new note\n")
    if first:
        olds = ("", "")
        assert desk.flush().kind == "committed"
    if ref == REF:
        desk.git("checkout", "--quiet", "--detach")
    if not first:
        assert desk.flush().kind in ("committed", "parked")
        time.sleep(SETTLE_SECONDS)
        assert desk.flush().kind == "unchanged"
    desk.write(news[0])
    desk.write(news[1], NOTE)
    owned = _users_own(desk)

    def look(reported: bool) -> None:
        held = (desk.at(ref), desk.at(ref, NOTE))
        assert held == news or (held == olds and not reported)
        assert _users_own(desk) == owned
        _is_connected(desk)
        assert (desk.root / CHAIN).read_text() == news[0]
        outcome = desk.flush()
        _without_locks(desk)
        outcome = desk.flush()
        assert outcome.kind in ("committed", "parked", "unchanged"), outcome.reason
        assert (desk.at(ref), desk.at(ref, NOTE)) == news
        assert ref == REF or desk.git("status", "--porcelain", "--", ".claude") == ""
        assert _users_own(desk) == owned
        _is_connected(desk)

    return Scene([desk.root], _hook("flush"), look, b"{}\n", tells=False)


def _is_connected(desk: Desk) -> None:
    """All that refs lead to can be read. What nothing leads to may be torn, as any git leaves it."""
    rows = desk.git("rev-list", "--objects", "--all").splitlines()
    asked = "".join(f"{row.split()[0]}\n" for row in rows)
    told = desk.git("cat-file", "--batch", stdin=asked.encode())
    assert " missing" not in told


def _without_locks(desk: Desk) -> None:
    """A lock that outlived its git is the user's to remove, as git itself says; ours go when they are old."""
    for lock in (desk.root / ".git").rglob("*.lock"):
        if "/.git/baton/" not in str(lock):
            lock.unlink()


def flush_to_the_branch(stage: Stage) -> Scene:
    """The Stop hook."""
    return _flushing(stage, BRANCH)


def flush_to_the_ref(stage: Stage) -> Scene:
    """The Stop hook on a detached HEAD."""
    return _flushing(stage, REF)


def flush_to_a_new_ref(stage: Stage) -> Scene:
    """The first Stop hook on a detached HEAD: the ref's folders are new."""
    return _flushing(stage, REF, first=True)


def close(stage: Stage) -> Scene:
    """`baton close -m`."""
    desk = Desk(stage.repository())
    _users_work(desk)
    desk.write(EXAMPLE.decode())
    desk.write("note\n", NOTE)
    desk.flush()
    desk.write(finished().decode())
    desk.flush()
    time.sleep(SETTLE_SECONDS)
    tip, owned = desk.head(), _users_own(desk)

    def look(reported: bool) -> None:
        _is_connected(desk)
        assert _users_own(desk) == owned
        moved = desk.head() != tip
        chain = (desk.root / CHAIN).read_bytes()
        assert chain in (finished(), EMPTY)
        assert moved or not reported
        assert chain == EMPTY or not reported
        backups = desk.git("for-each-ref", "--format=%(objectname)", "refs/baton/closed").split()
        assert tip in backups or not moved
        _without_locks(desk)
        assert stage.run(desk.root, "close", "-m", "Ship it") == 0
        assert (desk.root / CHAIN).read_bytes() == EMPTY
        assert {*desk.git("log", "--format=%s").splitlines()} == {"Ship it", "more", "begin"}
        assert (desk.at("HEAD", NOTE), desk.at("HEAD", "half")) == ("note\n", "staged\n2\n")
        assert _users_own(desk)["tree"] == owned["tree"]
        _is_connected(desk)

    return Scene([desk.root], stage.command(desk.root, "close", "-m", "Ship it"), look)


def _passport(stage: Stage, root: Path) -> tuple[Shelf, str]:
    shelf = Shelf(root, stage.baton)
    [hash_] = shelf.lay(*ledger(boundary("2", "2.5")))
    with shelf.path.open("a", encoding="utf-8") as file:
        file.write("notes: |\n  kept\n  to the letter\n# the end\n")
    return shelf, hash_


def _ledger_is_whole(stage: Stage, shelf: Shelf, old: bytes, reported: bool) -> bool:
    """Whether the new entry stands there once the next command has looked."""
    assert stage.run(shelf.root, "passport", "verify", NAME) == 0
    now = shelf.path.read_bytes()
    entries = read(now).entries
    assert read(now).foreign == read(old).foreign
    assert now == old or len(entries) == 2
    assert now != old or not reported
    return now != old


def append(stage: Stage) -> Scene:
    """`baton passport resume`."""
    shelf, hash_ = _passport(stage, stage.repository())
    old = shelf.path.read_bytes()
    words = ("passport", "resume", hash_, "--session", "sess-b")

    def look(reported: bool) -> None:
        new = _ledger_is_whole(stage, shelf, old, reported)
        assert stage.run(shelf.root, *words) == (3 if new else 0)
        assert len(read(shelf.path.read_bytes()).entries) == 2

    return Scene([shelf.root], stage.command(shelf.root, *words), look)


def claim(stage: Stage) -> Scene:
    """The same with a remote as the referee."""
    config = Path(os.environ["XDG_CONFIG_HOME"]) / "baton/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('claim_remote = "origin"\n')
    shelf, hash_ = _passport(stage, stage.repository())
    git("add", ".", cwd=shelf.root)
    git("commit", "-qm", "passport", cwd=shelf.root)
    remote, other = stage.folder / "remote.git", stage.folder / "other"
    git("clone", "-q", "--bare", str(shelf.root), str(remote), cwd=stage.folder)
    git("clone", "-q", str(remote), str(other), cwd=stage.folder)
    git("remote", "add", "origin", str(remote), cwd=shelf.root)
    old = shelf.path.read_bytes()
    words = ("passport", "resume", hash_, "--session")

    def look(reported: bool) -> None:
        new = _ledger_is_whole(stage, shelf, old, reported)
        for lock in remote.rglob("*.lock"):
            # The other machine's git goes on, and comes to its end.
            lock.unlink()
        assert stage.run(shelf.root, *words, "sess-b") == (3 if new else 0)
        assert stage.run(other, *words, "sess-c") == 3
        assert len(read((other / NAME).read_bytes()).entries) == 1

    roots = [shelf.root, remote, other]
    command = stage.command(shelf.root, *words, "sess-b")
    return Scene(roots, command, look, elsewhere=(f"{remote}", f"{other}"))


def harvest(stage: Stage) -> Scene:
    """SubagentStop: an agent's result."""
    host = Host(stage.folder / "config", stage.repository())
    event = json.dumps(host.after()).encode() + b"\n"
    assert run_hook("run_events", event, cwd=host.project).returncode == 0
    ended = host.agent("a1", asked("x"), said(text("the result")))

    def look(reported: bool) -> None:
        left = Left(host.project)
        found, bad = layout.results(left.place)
        assert bad == []
        assert [record["result"] for _, record in found] in ([], ["the result"])
        assert found or not reported
        assert run_hook("run_events", ended, cwd=host.project).returncode == 0
        assert Left(host.project).result("a1")["result"] == "the result"

    line = json.dumps(ended).encode() + b"\n"
    return Scene([host.project], _hook("run_events"), look, line, tells=False)


def snapshot(stage: Stage) -> Scene:
    """PostToolUse of a launch: the script and its first attempt."""
    host = Host(stage.folder / "config", stage.repository())
    launched = host.after(args=[1])

    def look(reported: bool) -> None:
        left = Left(host.project)
        attempts, bad = layout.attempts(left.place)
        kept = layout.snapshot(left.place)
        assert bad == 0
        assert kept or not attempts
        assert attempts or not reported
        if kept:
            assert left.place.read(layout.SCRIPT) == SCRIPT.encode()
        assert run_hook("run_events", launched, cwd=host.project).returncode == 0
        assert [each["attempt"] for each in layout.attempts(Left(host.project).place)[0]] == [1]
        assert Left(host.project).place.name == RUN_ID

    line = json.dumps(launched).encode() + b"\n"
    return Scene([host.project], _hook("run_events"), look, line, tells=False)


def pipeline_event(stage: Stage) -> Scene:
    """`baton pipeline complete` with a hand-over: ledger and log."""
    root = stage.repository()
    shelf = Shelf(root, stage.baton)
    shelf.lay(top="verification_status: VERIFIED\n")
    pipeline = PipelineDesk(root, stage.baton)
    os.chdir(root)
    pipeline.ok("start", "--entry", "1", **ON)
    before = pipeline.log.read_bytes()

    def look(reported: bool) -> None:
        held = logs.read(pipeline.log.read_bytes())
        assert reported <= any(isinstance(each.event, Reached) for each in held.entries)
        assert pipeline.log.read_bytes().startswith(before)
        assert held.torn == b"" or not reported
        assert stage.run(root, "pipeline", "complete") in (0, 3)
        assert pipeline.events.count("reached") == 1
        assert len(read(shelf.path.read_bytes()).entries) == 1
        assert stage.run(root, "passport", "verify", NAME) == 0

    return Scene([root], stage.command(root, "pipeline", "complete"), look)


def setup(stage: Stage) -> Scene:
    """`baton setup --persist ref`, with neighbours in every file that it touches."""
    root = stage.repository()
    theirs = {
        ".gitattributes": b"*.png binary",
        "CLAUDE.md": b"# Rules\r\n\r\nBe kind.\r\n",
        ".claude/baton.toml": b"# ours\nlang = 'vi' # why\n",
        ".claude/settings.json": b'{\n    "model": "x"\n}\n',
    }
    for name, data in theirs.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_bytes(data)
    words = ("setup", "--persist", "ref")
    os.chdir(root)
    assert stage.run(root, *words) == 0
    ours = {name: (root / name).read_bytes() for name in theirs}
    assert stage.run(root, "setup", "--uninstall") == 0

    def look(reported: bool) -> None:
        for name in theirs:
            now = (root / name).read_bytes()
            assert now == ours[name] or (now == theirs[name] and not reported), name
        assert stage.run(root, *words) == 0
        assert {name: (root / name).read_bytes() for name in theirs} == ours
        assert stage.run(root, "setup", "--uninstall") == 0
        assert {name: (root / name).read_bytes() for name in theirs} == theirs

    return Scene([root], stage.command(root, *words), look)


def setup_for_a_team(stage: Stage) -> Scene:
    """`baton setup --with-hooks`: what the settings name is there, whole."""
    root = stage.repository()
    words = ("setup", "--with-hooks")
    copy, settings = root / ".claude/baton", root / ".claude/settings.json"
    pieces = setup_runtime.pieces()

    def look(reported: bool) -> None:
        registered = settings.exists()
        assert registered or not reported
        assert not registered or all(
            (copy / each.name).read_bytes() == each.data for each in pieces
        )
        assert stage.run(root, *words) == 0
        assert all((copy / each.name).read_bytes() == each.data for each in pieces)
        assert stage.run(root, "setup", "--uninstall") == 0
        left = [each for each in (root / ".claude").rglob("*") if not each.is_dir()]
        # Beside files that are not baton's alone nobody removes what a dead writer left.
        assert all(each.name.endswith(".tmp") for each in left)
        assert left or not (root / ".claude").exists()

    return Scene([root], stage.command(root, *words), look)


OPERATIONS = (
    chain_write, flush_to_the_branch, flush_to_the_ref, flush_to_a_new_ref, close, append, claim, harvest,
    snapshot, pipeline_event, setup,
)  # fmt: skip
