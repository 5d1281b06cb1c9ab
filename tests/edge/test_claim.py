"""baton.edge.claim: one boundary, two clones and a bare remote; what `ls-remote` shows decides."""

from __future__ import annotations

import errno
import json
import os
import re
import shlex
import shutil
import subprocess
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from baton.core.errors import BatonError
from baton.edge import claim as claims
from baton.edge import clock, process, user_config
from baton.edge.claim import Claim
from baton.edge.process import Completed
from baton.hot import files
from baton.hot.flush.commits import NEUTRAL
from baton.hot.git import durable
from baton.hot.git.speaker import Failed, Stuck
from commands import Here
from facts import timed_alone
from passports import NAME, Shelf, boundary, give_packages, ledger
from support import git, make_repository

HASH = "075173601107"
REF = f"refs/baton/consumed/{HASH}"
# BATON_CLAIM_ROUNDS=200 pytest -s -k round_after_round: the campaign as long as one likes.
ROUNDS = int(os.environ.get("BATON_CLAIM_ROUNDS", "20"))


class Clones:
    """A bare remote and clones of it that hold one passport."""

    def __init__(self, folder: Path, baton: Here, config: Path) -> None:
        self.remote = folder / "remote.git"
        seed = Shelf(make_repository(folder / "seed"), baton)
        [self.hash] = seed.lay(*ledger(boundary("1", "2")))
        git("add", ".", cwd=seed.root)
        git("commit", "-qm", "passport", cwd=seed.root)
        git("clone", "-q", "--bare", str(seed.root), str(self.remote), cwd=folder)
        self.config = config
        self._folder = folder
        self._baton = baton

    def clone(self, name: str) -> Shelf:
        """A further clone."""
        git("clone", "-q", str(self.remote), name, cwd=self._folder)
        return Shelf(self._folder / name, self._baton)

    def refs(self) -> str:
        """The claims that the remote holds."""
        return git("for-each-ref", "--format=%(refname)", "refs/baton", cwd=self.remote)


@pytest.fixture
def clones(
    tmp_path: Path, home: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Clones:
    """Clones of a bare remote, on which the user has boundaries claimed."""
    import sys

    monkeypatch.setattr(sys, "path", [*sys.path])
    give_packages(home)
    config = home / ".config/baton/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('claim_remote = "origin"\n')
    return Clones(tmp_path, Here(capfd), config)


def resume(shelf: Shelf, hash_: str, session: str = "sess-b") -> tuple[int, str]:
    """Take it in one clone."""
    said = shelf.baton(
        "--project", str(shelf.root), "passport", "resume", hash_, "--session", session
    )
    return said.code, said.out + said.err


def staked(
    shelf: Shelf, session: str = "sess-b", remote: str = "origin", wait: float = 60
) -> Claim:
    """A claim that was made."""
    claim = Claim(shelf.project, shelf.state, remote, HASH, session, wait)
    claim.stake()
    return claim


def refusal(shelf: Shelf, remote: str = "origin", wait: float = 60) -> BatonError:
    """A claim that is refused."""
    with pytest.raises(BatonError) as caught:
        staked(shelf, remote=remote, wait=wait)
    return caught.value


# ---- across clones ----


def test_one_clone_alone_takes_it(clones: Clones) -> None:
    one, two = clones.clone("one"), clones.clone("two")
    assert resume(one, clones.hash, "sess-1")[0] == 0
    before = two.path.read_bytes()
    code, said = resume(two, clones.hash, "sess-2")
    assert code == 3
    host = re.escape(os.uname().nodename)
    assert re.fullmatch(
        f'baton: boundary {clones.hash} was already resumed elsewhere: session "sess-1" on "{host}" at '
        r'"[-0-9:TZ]{20}" holds its claim on origin; nothing was written'
        "\ntry: git pull\n",
        said,
    )
    assert two.path.read_bytes() == before
    assert clones.refs() == f"refs/baton/consumed/{clones.hash}\n"
    assert not list(Path(two.state.path("claims")).iterdir())


def test_nothing_is_claimed_unless_the_user_says_so(clones: Clones) -> None:
    clones.config.write_text("")
    assert resume(clones.clone("one"), clones.hash)[0] == 0
    assert clones.refs() == ""


def test_what_is_refused_anyway_is_not_claimed(clones: Clones) -> None:
    one = clones.clone("one")
    assert resume(one, "075173601107")[0] == 3
    assert clones.refs() == ""


def test_a_clone_claims_nothing_for_others_that_merely_fetch(clones: Clones) -> None:
    one = clones.clone("one")
    resume(one, clones.hash)
    git("fetch", "-q", cwd=one.root)
    assert git("for-each-ref", "refs/baton", cwd=one.root) == ""
    assert not (one.root / ".git/FETCH_HEAD").read_text().count("consumed")


def test_what_a_person_has_not_answered_is_not_claimed(clones: Clones) -> None:
    one = clones.clone("one")
    flags = ("--proceed-unverified", "--json")
    env = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "sess-b"}
    said = one.baton("--project", str(one.root), "passport", "resume", clones.hash, *flags, **env)
    assert json.loads(said.out)["error"]["code"] == "needs-person"
    assert clones.refs() == ""


def test_two_sessions_of_one_name_in_one_second_are_two(
    clones: Clones, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Were their objects the same, the second push would find its own there and pass for the winner."""
    moment = "2026-05-01T00:00:00Z"
    dates = {"GIT_AUTHOR_DATE": moment, "GIT_COMMITTER_DATE": moment}
    monkeypatch.setattr(claims, "NEUTRAL", {**NEUTRAL, **dates})
    monkeypatch.setattr(clock, "stamp", lambda: moment)
    staked(clones.clone("one"), "same")
    with pytest.raises(BatonError) as caught:
        staked(clones.clone("two"), "same")
    assert caught.value.code == "already-resumed"


def _race(clones: Clones, shelves: list[Shelf], hash_: str) -> str:
    """Let a process in each of these places take one boundary at once; give the one that did."""
    root = Path(__file__).resolve().parents[2]
    for shelf in {shelf.root: shelf for shelf in shelves}.values():
        settings = shelf.root / ".claude/baton.toml"
        settings.parent.mkdir(exist_ok=True)
        settings.write_text("lock_wait = 60\n")
    racers = [
        subprocess.Popen(
            [root / "bin/baton", "--project", shelf.root, "passport", "resume", hash_, "--json"],
            env={**os.environ, "CLAUDE_CODE_SESSION_ID": f"{shelf.root.name}-{number}"},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for number, shelf in enumerate(shelves)
    ]  # fmt: skip
    outcomes = [(*racer.communicate(timeout=300), racer.returncode) for racer in racers]
    winners = [json.loads(out)["entry"]["session_marker"] for out, _, code in outcomes if code == 0]
    assert len(winners) == 1, outcomes
    for out, err, code in outcomes:
        if code:
            assert out, (code, err)
            error = json.loads(out)["error"]
            assert (code, error["code"]) == (3, "already-resumed"), (error, err)
            # A claim is its clone's: a session beside the one that staked it may come to append.
            assert f'session "{winners[0].partition("-")[0]}-' in error["message"]
    return str(winners[0])


def test_many_clones_at_once(clones: Clones) -> None:
    """The race itself, between processes: one of them wins."""
    _race(clones, [clones.clone(f"c{number}") for number in range(5)], clones.hash)


@pytest.mark.slow
@pytest.mark.timeout(300 + 60 * ROUNDS)
def test_two_clones_and_many_sessions_round_after_round(clones: Clones) -> None:
    """Sixteen processes in two clones on one boundary: one winner each time, both clones do win."""
    pair = [clones.clone("first"), clones.clone("second")]
    won = []
    for number in range(ROUNDS):
        for shelf in pair:
            shelf.path.unlink(missing_ok=True)
            shelf.path = shelf.root / f"passports/round-{number}.yaml"
            [hash_] = shelf.lay(*ledger(boundary("1", "2", session=f"emitter-{number}")))
        won.append(_race(clones, pair * 8, hash_).split("-")[0])
        kinds = [shelf.path.read_text(encoding="utf-8").count("kind: resume") for shelf in pair]
        quoted = [shelf.path.read_text(encoding="utf-8").count('kind: "resume"') for shelf in pair]
        assert sorted(map(sum, zip(kinds, quoted, strict=True))) == [0, 1]
    assert set(won) == {"first", "second"}
    assert len(clones.refs().splitlines()) == ROUNDS
    share = ", ".join(f"{name} {won.count(name)}" for name in sorted(set(won)))
    print(f"tried: claim: 16 processes, two clones, {ROUNDS} rounds: one winner each ({share})")


# ---- a claim of our own ----


def test_a_claim_whose_append_never_came_is_taken_up_again(clones: Clones) -> None:
    one = clones.clone("one")
    staked(one)
    oid = git("rev-parse", REF, cwd=clones.remote)
    staked(one).done()
    assert git("rev-parse", REF, cwd=clones.remote) == oid
    assert not list(Path(one.state.path("claims")).iterdir())


def test_an_object_whose_push_never_came_is_pushed_later(clones: Clones) -> None:
    one = clones.clone("one")
    away = clones.remote.rename(clones.remote.with_name("away.git"))
    assert refusal(one).code == "claim-unreachable"
    note = Path(one.state.path(f"claims/{HASH}")).read_text()
    away.rename(clones.remote)
    staked(one)
    assert git("rev-parse", REF, cwd=clones.remote) == note


def _lose(shelf: Shelf, oid: str) -> None:
    """As a cut of the power does it: of an object its name is left."""
    path = shelf.root / ".git/objects" / oid[:2] / oid[2:]
    path.chmod(0o644)
    path.write_bytes(b"")


def test_an_object_that_a_crash_had_torn_is_made_again(clones: Clones) -> None:
    one = clones.clone("one")
    away = clones.remote.rename(clones.remote.with_name("away.git"))
    refusal(one)
    note = Path(one.state.path(f"claims/{HASH}"))
    lost = note.read_text().strip()
    away.rename(clones.remote)
    _lose(one, lost)
    tree = git("mktree", cwd=one.root).strip()
    _lose(one, tree)
    staked(one)
    oid = git("rev-parse", REF, cwd=clones.remote)
    assert note.read_text() == oid != f"{lost}\n"
    assert os.listdir(one.state.path("torn")) == [tree]


def test_a_claim_that_the_remote_holds_is_ours_though_its_object_is_lost(clones: Clones) -> None:
    one = clones.clone("one")
    staked(one)
    oid = git("rev-parse", REF, cwd=clones.remote)
    _lose(one, oid.strip())
    staked(one)
    assert git("rev-parse", REF, cwd=clones.remote) == oid
    assert Path(one.state.path(f"claims/{HASH}")).read_text() == oid


def test_a_disk_that_tears_all_that_is_made(
    clones: Clones, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(durable, "_inflates", lambda fd: False)
    error = refusal(clones.clone("one"))
    assert (error.code, error.hint) == ("git-failed", "git fsck")
    assert re.fullmatch(
        "the object [0-9a-f]{40} is torn, however often it is made; nothing was written",
        error.message,
    )
    assert clones.refs() == ""


def test_objects_that_cannot_be_brought_to_the_disk(
    clones: Clones, monkeypatch: pytest.MonkeyPatch
) -> None:
    refusals = iter([Failed("git lost the object"), Stuck()])

    def refuse(*_: object) -> list[str]:
        raise next(refusals)

    monkeypatch.setattr(durable, "sync_objects", refuse)
    one = clones.clone("one")
    assert refusal(one).message == "git lost the object; nothing was written"
    error = refusal(one)
    assert (error.code, error.message) == (
        "git-failed",
        "git gave no answer within 20 s; nothing was written",
    )


def test_notes_for_which_there_is_no_room(clones: Clones, monkeypatch: pytest.MonkeyPatch) -> None:
    one = clones.clone("one")

    def refuse(path: str, data: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", path)

    monkeypatch.setattr(files, "replace", refuse)
    error = refusal(one)
    note = one.state.path(f"claims/{HASH}")
    assert (error.code, error.message, error.hint) == (
        "io",
        f"baton's notes: {note}: No space left on device; nothing was written",
        "the same command again",
    )
    assert clones.refs() == ""


def test_a_note_that_cannot_be_forgotten_is_no_harm(
    clones: Clones, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = clones.clone("one")

    def refuse(path: str) -> None:
        raise OSError(errno.EROFS, "Read-only file system", path)

    claim = staked(one)
    with monkeypatch.context() as patch:
        patch.setattr(os, "unlink", refuse)
        claim.done()
    assert resume(one, clones.hash)[0] == 0


def test_sessions_of_one_clone_share_its_claim(clones: Clones) -> None:
    """Staked by one and killed there, it is another's to take up: the clone has one object."""
    shelf = clones.clone("c1")
    with shelf.state.lock(1):
        beside = threading.Thread(target=staked, args=(shelf, "sess-c"))
        beside.start()
        time.sleep(0.2)
    beside.join()
    [line] = clones.refs().splitlines()
    staked(shelf, "sess-d")
    assert clones.refs().splitlines() == [line]
    assert resume(shelf, clones.hash)[0] == 0


def test_notes_that_stay_locked(clones: Clones) -> None:
    shelf = clones.clone("c1")
    with shelf.state.lock(1):
        error = refusal(shelf, wait=0.05)
    assert (error.code, error.message, error.hint) == (
        "locked",
        "baton's notes are locked by another session for 0.05 s; nothing was written",
        "the same command again",
    )
    assert clones.refs() == ""


def test_done_twice(clones: Clones) -> None:
    claim = staked(clones.clone("one"))
    claim.done()
    claim.done()


# ---- unreachable, refused ----


def test_a_remote_that_is_gone(clones: Clones) -> None:
    one = clones.clone("one")
    clones.remote.rename(clones.remote.with_name("away.git"))
    before = one.path.read_bytes()
    code, said = resume(one, clones.hash)
    assert code == 5
    assert said.startswith(
        f'baton: boundary {clones.hash} cannot be claimed on the remote "origin": git ls-remote: '
    )
    assert said.endswith("; nothing was written\ntry: git ls-remote origin\n")
    assert one.path.read_bytes() == before


def test_a_server_that_refuses_it(clones: Clones) -> None:
    hook = clones.remote / "hooks/pre-receive"
    hook.write_text("#!/bin/sh\necho no claims here >&2\nexit 1\n")
    hook.chmod(0o755)
    error = refusal(clones.clone("one"))
    assert error.code == "claim-unreachable"
    assert error.message == (
        f'boundary {HASH} cannot be claimed on the remote "origin": it did not take the claim: '
        "[remote rejected] (pre-receive hook declined); nothing was written"
    )


def _held_ref(clones: Clones) -> Path:
    """The lock that another push has while it makes the same ref."""
    lock = clones.remote / f"{REF}.lock"
    lock.parent.mkdir(parents=True)
    lock.touch()
    return lock


def test_a_ref_that_another_push_is_about_to_make(
    clones: Clones, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Refused, and yet nothing is there: whoever was first has not come to its end, or has died."""
    lock, one, two = _held_ref(clones), clones.clone("one"), clones.clone("two")

    def theirs(_: float) -> None:
        lock.unlink()
        staked(two, "sess-2")

    monkeypatch.setattr(claims, "time", SimpleNamespace(monotonic=time.monotonic, sleep=theirs))
    error = refusal(one)
    assert (error.code, 'session "sess-2" on' in error.message) == ("already-resumed", True)
    assert not list(Path(one.state.path("claims")).iterdir())


def test_a_ref_whose_lock_goes_away(clones: Clones, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = _held_ref(clones)
    monkeypatch.setattr(
        claims, "time", SimpleNamespace(monotonic=time.monotonic, sleep=lambda _: lock.unlink())
    )
    staked(clones.clone("one"))
    assert clones.refs() == f"{REF}\n"


def test_a_ref_that_stays_locked(clones: Clones, monkeypatch: pytest.MonkeyPatch) -> None:
    _held_ref(clones)
    pauses: list[float] = []
    monkeypatch.setattr(
        claims, "time", SimpleNamespace(monotonic=time.monotonic, sleep=pauses.append)
    )
    error = refusal(clones.clone("one"))
    assert (error.code, "it did not take the claim: " in error.message) == (
        "claim-unreachable",
        True,
    )
    assert pauses == [0.5, 0.5]


def test_a_push_that_came_to_no_verdict(clones: Clones, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server took its time, and answers now that there is no claim: nobody waits for it again."""
    run, pushes = process.run, 0

    def silent(argv: list[str], **more: Any) -> Completed:
        nonlocal pushes
        if "push" not in argv:
            return run(argv, **more)
        pushes += 1
        return Completed(None, b"", b"", True, False)

    one = clones.clone("one")
    monkeypatch.setattr(process, "run", silent)
    error = refusal(one)
    assert "it did not take the claim: git push gave no answer within 20 s" in error.message
    assert (error.code, pushes) == ("claim-unreachable", 1)


def test_a_server_that_hides_the_refs(clones: Clones) -> None:
    git("config", "transfer.hideRefs", "refs/baton", cwd=clones.remote)
    assert refusal(clones.clone("one")).code == "claim-unreachable"


def test_a_server_that_never_answers(
    clones: Clones, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import socket

    one = clones.clone("one")
    with socket.create_server(("127.0.0.1", 0)) as server:
        git(
            "remote",
            "set-url",
            "origin",
            f"git://127.0.0.1:{server.getsockname()[1]}/x",
            cwd=one.root,
        )
        monkeypatch.setattr(claims, "_SECONDS", 0.5)
        # What does not talk to the server may take its time.
        timed_alone(monkeypatch, "push", "ls-remote")
        error = refusal(one)
    assert "git ls-remote gave no answer within 0.5 s" in error.message


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("remote", "remove", "origin"), "git remote: No such remote 'origin'"),
        (
            ("remote", "set-url", "--push", "origin", "elsewhere"),
            "it has more than one URL, or pushes elsewhere",
        ),
        (
            ("remote", "set-url", "--add", "origin", "elsewhere"),
            "it has more than one URL, or pushes elsewhere",
        ),
    ],
    ids=["none", "another to push to", "two"],
)
def test_a_remote_that_is_no_referee(clones: Clones, words: tuple[str, ...], reason: str) -> None:
    one = clones.clone("one")
    git(*words, cwd=one.root)
    error = refusal(one)
    assert error.code == "claim-unreachable"
    assert reason in error.message


def test_outside_git(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    plain = Shelf(tmp_path, Here(capfd))
    assert "the project is in no git repository" in refusal(plain).message


def test_a_claim_that_somebody_else_wrote_by_hand(clones: Clones) -> None:
    one = clones.clone("one")
    head = git("rev-parse", "HEAD", cwd=clones.remote).strip()
    git("update-ref", REF, head, cwd=clones.remote)
    error = refusal(one)
    assert error.code == "already-resumed"
    assert f"elsewhere: object {head} holds its claim" in error.message


def test_an_object_that_cannot_be_made(
    clones: Clones, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = clones.clone("one")
    fake = tmp_path / "bin/git"
    fake.parent.mkdir()
    fake.write_text(
        '#!/bin/sh\ncase " $* " in *" commit-tree "*) echo "fatal: no room" >&2; exit 128 ;; esac\n'
        f'exec {shutil.which("git")} "$@"\n'
    )
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{fake.parent}:{os.environ['PATH']}")
    error = refusal(one)
    assert (error.code, error.message) == (
        "git-failed", "git commit-tree: no room; nothing was written"
    )  # fmt: skip


HOSTILE = [
    ("remote.origin.mirror", "true"),
    ("push.gpgSign", "true"),
    ("push.pushOption", "x"),
    ("push.followTags", "true"),
    ("push.recurseSubmodules", "check"),
    ("core.hooksPath", "hooks"),
    ("commit.gpgSign", "true"),
]


def test_no_setting_of_the_users_spoils_it(clones: Clones) -> None:
    one = clones.clone("one")
    hooks = one.root / "hooks"
    hooks.mkdir()
    (hooks / "pre-push").write_text("#!/bin/sh\ntouch ran\nexit 1\n")
    (hooks / "pre-push").chmod(0o755)
    for key, value in HOSTILE:
        git("config", key, value, cwd=one.root)
    staked(one)
    assert clones.refs() == f"{REF}\n"
    assert not (one.root / "ran").exists()


def test_no_program_of_the_repositorys_is_run(clones: Clones, home: Path) -> None:
    """At the other end of a path that is a local one, too; the user's own are."""
    one, two = clones.clone("one"), clones.clone("two")
    seen = home / "seen"
    for kind, program in (("receivepack", "git-receive-pack"), ("uploadpack", "git-upload-pack")):
        git("config", f"remote.origin.{kind}", f"touch {home}/pwned; {program}", cwd=one.root)
        own = f"echo {kind} >>{seen}; {program}"
        git("config", "--global", f"remote.origin.{kind}", own, cwd=one.root)
    staked(one)
    assert refusal(two).code == "already-resumed"
    assert not (home / "pwned").exists()
    assert set(seen.read_text().split()) == {"receivepack", "uploadpack"}


def test_ssh_is_the_users_own_and_asks_nothing(
    clones: Clones, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = clones.clone("one")
    git("config", "core.sshCommand", "touch pwned; false", cwd=one.root)
    git("remote", "set-url", "origin", "ssh://127.0.0.1:1/x", cwd=one.root)
    seen = home / "seen"
    ssh = home / "bin/ssh"
    ssh.parent.mkdir()
    ssh.write_text(f'#!/bin/sh\necho "$@" >>{seen}\nexit 255\n')
    ssh.chmod(0o755)
    monkeypatch.setenv("PATH", f"{ssh.parent}:{os.environ['PATH']}")
    assert refusal(one).code == "claim-unreachable"
    assert "-oBatchMode=yes -oConnectTimeout=10" in seen.read_text()
    git("config", "--global", "core.sshCommand", f"{ssh} --users-own", cwd=one.root)
    refusal(one)
    assert "--users-own" in seen.read_text()
    monkeypatch.setenv("GIT_SSH_COMMAND", f"{ssh} --of-this-shell")
    refusal(one)
    assert "--of-this-shell" in seen.read_text()
    assert not (one.root / "pwned").exists()


# ---- the user's own settings ----

SETTINGS = [
    ("none", None, ""),
    ("for all", 'claim_remote = "origin"', "origin"),
    ("not for this one", 'claim_remote = "origin"\n[project."/p"]\nclaim_remote = ""', ""),
    (
        "for this one alone",
        '[project."/p"]\nclaim_remote = "up"\n[project."/q"]\nclaim_remote = "x"',
        "up",
    ),
    ("another key", 'other = 1\n[project."/q"]\nclaim_remote = "x"', ""),
]


@pytest.mark.parametrize(
    ("text", "wanted"), [c[1:] for c in SETTINGS], ids=[c[0] for c in SETTINGS]
)
def test_the_users_settings(home: Path, text: str | None, wanted: str) -> None:
    _write(home, text)
    assert user_config.claim_remote(os.environ, "/p") == wanted


BAD_SETTINGS = [
    ("not TOML", "claim_remote = ", "is not TOML: Invalid value (at end of document)"),
    ("a number", "claim_remote = 1", "claim_remote must be the name of a git remote; it is 1"),
    (
        "an option",
        'claim_remote = "--exec"',
        "claim_remote must be the name of a git remote; it is '--exec'",
    ),
    (
        "projects that are none",
        "project = 1",
        'project must be tables, as in [project."/home/ada/paper"]',
    ),
    (
        "a project that is none",
        '[project]\n"/p" = 1',
        'project must be tables, as in [project."/home/ada/paper"]',
    ),
]


@pytest.mark.parametrize(
    ("text", "fault"), [c[1:] for c in BAD_SETTINGS], ids=[c[0] for c in BAD_SETTINGS]
)
def test_settings_that_say_nothing(home: Path, text: str, fault: str) -> None:
    path = _write(home, text)
    with pytest.raises(BatonError) as caught:
        user_config.claim_remote(os.environ, "/p")
    assert (caught.value.code, caught.value.message) == (
        "bad-config",
        f"{path}: {fault}; nothing was done",
    )


def test_settings_that_cannot_be_read(home: Path) -> None:
    path = home / ".config/baton/config.toml"
    path.mkdir(parents=True)
    with pytest.raises(BatonError) as caught:
        user_config.claim_remote(os.environ, "/p")
    assert caught.value.message == f"{path}: cannot be read: not a regular file; nothing was done"


def test_where_the_settings_are(home: Path) -> None:
    assert user_config.path({"HOME": "/h"}) == "/h/.config/baton/config.toml"
    assert user_config.path({"HOME": "/h", "XDG_CONFIG_HOME": "/c"}) == "/c/baton/config.toml"
    assert user_config.path({}) == f"{home}/.config/baton/config.toml"


def test_the_way_to_bad_settings_can_be_typed(home: Path) -> None:
    config = home / "my config"
    (config / "baton").mkdir(parents=True)
    (config / "baton/config.toml").write_text("claim_remote = 1")
    with pytest.raises(BatonError) as caught:
        user_config.claim_remote({"XDG_CONFIG_HOME": str(config)}, "/p")
    assert shlex.split(caught.value.hint) == ["cat", f"{config}/baton/config.toml"]


def _write(home: Path, text: str | None) -> Path:
    path = home / ".config/baton/config.toml"
    if text is not None:
        path.parent.mkdir(parents=True)
        path.write_text(text)
    return path


def test_the_passport_command_names_bad_settings(clones: Clones) -> None:
    clones.config.write_text("claim_remote = 1")
    code, said = resume(clones.clone("one"), clones.hash)
    assert (code, NAME in said) == (2, False)
