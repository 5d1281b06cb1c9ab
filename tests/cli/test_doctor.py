"""baton doctor: faults planted in a real project are found, and the command that it names mends them.

What each check makes of its facts is tested in core/doctor; here the facts are real.
"""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from baton.cli import doctor
from baton.cli.context import Context
from baton.cli.doctor_checks import CHECKS
from baton.core.doctor import keeping
from baton.edge import packages
from baton.edge.doctor import keeping as keeping_facts
from baton.edge.doctor import program as program_facts
from baton.edge.doctor import surroundings as surrounding_facts
from chain_cases import EXAMPLE, PROBLEMS, finished
from commands import BATON, Here, refused, run_baton
from core.doctor import test_keeping as keeping_cases
from core.doctor import test_program as program_cases
from core.doctor import test_surroundings as surrounding_cases
from core.doctor import test_wiring as wiring_cases
from desk import CHAIN, Desk
from support import ROOT, git

Plant = Callable[["Surroundings"], object]
CLAUDE = "#!/bin/sh\necho '2.1.332 (Claude Code)'\n"


@dataclass
class Surroundings:
    """A project in which nothing is wrong, with a `claude` of its own and an editor that mends."""

    desk: Desk
    home: Path
    bin: Path
    bare: bool = False

    def doctor(self, **env: str) -> dict[str, tuple[str, str, str]]:
        """Run the real process; give check → (state, message, fix)."""
        said = run_baton("doctor", "--json", cwd=self.desk.root, env={**self.env(), **env})
        assert (said.code in (0, 1), said.err) == (True, "")
        rows = {row["check"]: row for row in json.loads(said.out)["checks"]}
        assert list(rows) == list(CHECKS)
        assert said.code == any(row["state"] == "wrong" for row in rows.values())
        return {name: (row["state"], row["message"], row["fix"]) for name, row in rows.items()}

    def path_is_bare(self) -> None:
        """No program at all is found."""
        self.bare = True

    def plugins(self, name: str, text: str) -> None:
        """Write one of Claude Code's lists of plugins."""
        (self.home / ".claude/plugins" / name).write_text(text, encoding="utf-8")

    def answer(self, check: str, **env: str) -> tuple[str, str, str]:
        """Make one check in this process; give (state, message, fix)."""
        context = Context({**os.environ, **self.env(), **env}, str(self.desk.root), True)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("PATH", "/nowhere" if self.bare else self.env()["PATH"])
            found = doctor.checked(check, context)
        return found.state, found.message, found.fix

    def env(self) -> dict[str, str]:
        path = f"{self.bin}{os.pathsep}{BATON.parent}{os.pathsep}{os.environ['PATH']}"
        return {"PATH": path, "EDITOR": str(self.bin / "editor")}

    def settings(self, value: object, place: str = "user") -> Path:
        """Write a settings file of Claude Code's."""
        path = self.home / ".claude/settings.json"
        if place != "user":
            path = self.desk.root / ".claude" / place
        path.parent.mkdir(exist_ok=True, parents=True)
        path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
        return path

    def editor(self, script: str) -> None:
        """What the person does when the fix is to edit a file: a shell script that gets its name."""
        path = self.bin / "editor"
        path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        path.chmod(0o755)


@pytest.fixture
def here(repo: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Surroundings:
    # A busy machine takes its time to start what is asked for its version.
    monkeypatch.setattr(program_facts, "_SECONDS", 60.0)
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "claude").write_text(CLAUDE, encoding="utf-8")
    (folder / "claude").chmod(0o755)
    found = Surroundings(Desk(repo), home, folder)
    found.settings(
        {"enabledPlugins": {"baton@baton": True}, "permissions": {"allow": ["Bash(baton:*)"]}}
    )
    _installed(home)
    found.desk.write(EXAMPLE.decode())
    found.desk.flush()
    return found


def _installed(home: Path, version: str = "0.1.0") -> None:
    """What Claude Code 2.1.332 writes on `plugin install baton@baton` from this folder."""
    plugins = home / ".claude/plugins"
    plugins.mkdir(parents=True, exist_ok=True)
    copy = {"scope": "user", "installPath": "/gone", "version": version}
    listed = {"version": 2, "plugins": {"baton@baton": [copy], "other@market": []}}
    (plugins / "installed_plugins.json").write_text(json.dumps(listed), encoding="utf-8")
    source = {"source": {"source": "directory", "path": str(ROOT)}, "installLocation": str(ROOT)}
    (plugins / "known_marketplaces.json").write_text(
        json.dumps({"baton": source}), encoding="utf-8"
    )


def test_nothing_wrong(here: Surroundings) -> None:
    told = here.doctor()
    root = here.desk.root
    python = (here.home / ".local/share/baton/0.1.0/python").read_text().strip()
    told.pop("git")
    # Under coverage the interpreter that hooks/run remembers is one that counts lines.
    assert told.pop("python")[0] == "ok" or "measuring" in python
    assert told == {
        "hooks": ("ok", "registered by the plugin baton@baton (user)", ""),
        "fired": (
            "unknown",
            "no session has left a note here yet; hooks load when a session starts",
            "claude",
        ),
        "last-flush": ("ok", f"kept {here.desk.kept_at()} on branch main", ""),
        "flush-goes-to": ("ok", "the branch main", ""),
        "chain": ("ok", "unfinished", ""),
        "settings": ("ok", "nothing in .claude/baton.toml is ignored", ""),
        "state-paths": ("ok", "every state path lies inside the project and can be read", ""),
        "ignored": ("ok", "git ignores no state file", ""),
        "git-locks": ("ok", "no lock of git's lies about", ""),
        "own-lock": ("ok", "nobody holds baton's lock", ""),
        "notes": ("ok", f"in {root}/.git/baton", ""),
        "permission": ("ok", "Claude may run baton's everyday commands unasked", ""),
        "commit-rules": (
            "ok",
            "nothing here asks for a form of commit messages or for signatures",
            "",
        ),
        "protected-branch": ("ok", "no sign that anybody protects main", ""),
        "unsquashed": ("ok", "there is no remote to push to", ""),
        "cloud": ("ok", "no sign of a service that synchronises this folder", ""),
        "packages": (
            "ok",
            "not made yet; the first passport or pipeline command makes them (needs the network once)",
            "",
        ),
        "claude-code": ("ok", "Claude Code 2.1.332, the plugin needs 2.1.320", ""),
        "version": ("ok", "baton 0.1.0, as installed", ""),
        "command": (
            "ok",
            f"sessions find `baton`; at this terminal it is {ROOT}/bin/baton",
            "",
        ),
        "own-faults": ("ok", "no fault of baton's own is on record", ""),
    }


def test_looking_changes_nothing(here: Surroundings) -> None:
    before = _everything(here.desk.root), _everything(here.home)
    here.doctor()
    assert (_everything(here.desk.root), _everything(here.home)) == before


def _everything(folder: Path) -> dict[str, tuple[int, bytes]]:
    found = {}
    for path in sorted(folder.rglob("*")):
        held = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
        # git renews the time of an object that it has already.
        timed = path.is_file() and "objects" not in path.parts
        found[str(path)] = (path.lstat().st_mtime_ns if timed else 0, held)
    return found


# ---- planted faults ----


def _off(here: Surroundings) -> None:
    here.desk.write('persist = "off"\n', ".claude/baton.toml")


def _bad_key(here: Surroundings) -> None:
    here.desk.write('persists = "ref"\n', ".claude/baton.toml")
    here.editor('rm "$1"')


def _old_lock(here: Surroundings) -> None:
    lock = here.desk.root / ".git/index.lock"
    lock.touch()
    os.utime(lock, (time.time() - 3600,) * 2)


def _link_out(here: Surroundings) -> None:
    (here.desk.root / ".claude/agent-memory").symlink_to(here.home / "notes")


def _link(here: Surroundings) -> None:
    notes = here.desk.root / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("a\n", encoding="utf-8")
    (here.desk.root / ".claude/agent-memory").symlink_to(notes)


def _unreadable(here: Surroundings) -> None:
    here.desk.write(PROBLEMS["conflict-markers"].document.decode())


def _newer(here: Surroundings) -> None:
    here.desk.write(finished().decode())


def _ignored(here: Surroundings) -> None:
    git("rm", "-q", "--cached", CHAIN, cwd=here.desk.root)
    git("commit", "-q", "-m", "out", cwd=here.desk.root)
    (here.desk.root / ".gitignore").write_text(".claude/*\n", encoding="utf-8")


def _disabled_hooks(here: Surroundings) -> None:
    here.settings({"disableAllHooks": True}, "settings.local.json")
    here.editor("echo '{}' > \"$1\"")


def _malformed(here: Surroundings) -> None:
    here.settings('{"permissions": ', "settings.json")
    here.editor("echo '{}' > \"$1\"")


def _launcher_gone(here: Surroundings) -> None:
    _installed(here.home)
    (here.home / ".claude/plugins/installed_plugins.json").unlink()
    args = ["-c", '. "$0"', "${CLAUDE_PROJECT_DIR}/.claude/baton/hooks/run", "flush"]
    entry = {"type": "command", "command": "sh", "args": args}
    here.settings({"hooks": {"Stop": [{"hooks": [entry]}]}}, "settings.json")


def _asks(here: Surroundings) -> None:
    here.settings({"enabledPlugins": {"baton@baton": True}})


def _denied(here: Surroundings) -> None:
    here.settings({"permissions": {"deny": ["Bash(baton wal:*)"]}}, "settings.local.json")
    here.editor('rm "$1"')


def _signing(here: Surroundings) -> None:
    git("config", "commit.gpgSign", "true", cwd=here.desk.root)


def _commitlint(here: Surroundings) -> None:
    (here.desk.root / "package.json").write_text('{"commitlint": {}}', encoding="utf-8")


def _protected(here: Surroundings) -> None:
    (here.desk.root / ".github/rulesets").mkdir(parents=True)


def _reports(here: Surroundings) -> None:
    folder = here.home / ".local/state/baton/faults"
    folder.mkdir(parents=True)
    (folder / "fault-00000001.txt").write_text("x\n", encoding="utf-8")


def _remote(here: Surroundings) -> None:
    """A bare repository beside, as origin, which has main."""
    bare = here.desk.root.parent / "origin.git"
    git("init", "--quiet", "--bare", "--initial-branch=main", str(bare), cwd=here.home)
    git("remote", "add", "origin", str(bare), cwd=here.desk.root)
    git("push", "--quiet", "--set-upstream", "origin", "main", cwd=here.desk.root)
    git("remote", "set-head", "origin", "main", cwd=here.desk.root)


def _unsquashed(here: Surroundings) -> None:
    _remote(here)
    _newer(here)
    here.desk.flush(subject="wal: pause")


def _secret(here: Surroundings) -> None:
    here.desk.write("token: ghp_" + "Ab3dE6gH9" * 4 + "\n", ".claude/agent-memory/a.md")
    here.desk.flush()
    here.editor('echo gone > "$1"')


REF = "baton setup --persist ref --untrack"
EDIT = '"${EDITOR:-vi}" '
# name: (how it is planted, the check, its message, the fix); {root}, {home}, {bin} are places.
PLANTED: dict[str, tuple[Plant, str, str, str]] = {
    "persist is off": (
        _off,
        "flush-goes-to",
        'nothing is kept: persist = "off" in .claude/baton.toml',
        "baton setup --persist branch",
    ),
    "a bad key": (
        _bad_key,
        "settings",
        ".claude/baton.toml: unknown key 'persists'",
        EDIT + "{root}/.claude/baton.toml",
    ),
    "a lock left behind": (
        _old_lock,
        "git-locks",
        "{root}/.git/index.lock is 3600 s old and no git is seen here: flushes go to baton's ref",
        "rm -f {root}/.git/index.lock",
    ),
    "a state path that leads out": (
        _link_out,
        "state-paths",
        ".claude/agent-memory: a symbolic link out of the project, to {home}/notes",
        "rm {root}/.claude/agent-memory",
    ),
    "a state path that is a link": (
        _link,
        "state-paths",
        ".claude/agent-memory: a symbolic link: git would keep the link alone",
        "cp -RL {root}/.claude/agent-memory {root}/.claude/agent-memory.copy && "
        "rm {root}/.claude/agent-memory && "
        "mv {root}/.claude/agent-memory.copy {root}/.claude/agent-memory",
    ),
    "an unreadable chain": (
        _unreadable,
        "chain",
        ".claude/WAL.md cannot be read as a chain: conflict-markers: line 7: a merge conflict is not resolved here",
        "baton wal restore {head}",
    ),
    "a chain newer than its flush": (
        _newer,
        "last-flush",
        "kept {now} on branch main; the chain on disk is newer",
        "baton wal flush",
    ),
    "a secret": (
        _secret,
        "last-flush",
        "left out: .claude/agent-memory/a.md: secret in line 1: GitHub token",
        EDIT + "{root}/.claude/agent-memory/a.md && baton wal flush",
    ),
    "git-ignored": (
        _ignored,
        "ignored",
        "git ignores .claude/WAL.md (.gitignore:1 .claude/*): kept on baton's ref, not on the branch",
        "baton setup --persist ref",
    ),
    "hooks switched off": (
        _disabled_hooks,
        "hooks",
        '"disableAllHooks" in {root}/.claude/settings.local.json switches every hook off',
        EDIT + "{root}/.claude/settings.local.json",
    ),
    "settings that are no JSON": (
        _malformed,
        "hooks",
        "Claude Code ignores {root}/.claude/settings.json: it is not JSON: "
        "Expecting value: line 1 column 17 (char 16)",
        EDIT + "{root}/.claude/settings.json",
    ),
    "a launcher that is gone": (
        _launcher_gone,
        "hooks",
        ".claude/settings.json: {root}/.claude/baton/hooks/run is not there",
        "baton setup --with-hooks",
    ),
    "Claude must ask": (
        _asks,
        "permission",
        "no settings allow `baton wal`, `baton tiep`, `baton pause`, `baton status`: Claude asks each time",
        "baton setup",
    ),
    "Claude may not": (
        _denied,
        "permission",
        "{root}/.claude/settings.local.json denies Bash(baton wal:*)",
        EDIT + "{root}/.claude/settings.local.json",
    ),
    "commits must be signed": (
        _signing,
        "commit-rules",
        "commit.gpgsign = true: baton's commits `wal: …` on the branch are unsigned and pass no hook",
        REF,
    ),
    "a linter of messages": (
        _commitlint,
        "commit-rules",
        "commitlint in package.json: baton's commits `wal: …` on the branch are unsigned and pass no hook",
        REF,
    ),
    "a protected branch": (
        _protected,
        "protected-branch",
        ".github/rulesets protects branches; `wal: …` commits would be pushed with main",
        REF,
    ),
    "flushes that a push would publish": (
        _unsquashed,
        "unsquashed",
        '1 commit `wal: …` would be pushed (the last: "wal: pause"), and the work is done',
        "baton close",
    ),
    "baton's own faults": (
        _reports,
        "own-faults",
        "1 fault of baton's own, the last in {home}/.local/state/baton/faults/fault-00000001.txt: report it, then",
        "rm {home}/.local/state/baton/faults/fault-*.txt",
    ),
}


def _placed(text: str, here: Surroundings) -> str:
    head = git("rev-parse", "--short=12", "HEAD", cwd=here.desk.root).strip()
    places = {
        "root": here.desk.root,
        "home": here.home,
        "now": here.desk.kept_at() if "{now}" in text else "",
        "head": head,
    }
    for name, place in places.items():
        text = text.replace(f"{{{name}}}", str(place))
    return text


@pytest.mark.parametrize(("plant", "check", "message", "fix"), PLANTED.values(), ids=PLANTED)
def test_a_planted_fault_is_found_and_its_fix_mends_it(
    plant: Plant, check: str, message: str, fix: str, here: Surroundings
) -> None:
    plant(here)
    # An age grows while the test runs.
    state, told, command = here.doctor()[check]
    told = re.sub(r"\b3[67]\d\d s\b", "3600 s", told)
    assert (state, told) == ("wrong", _placed(message, here))
    assert command == _placed(fix, here)
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=here.desk.root,
        env={**os.environ, **here.env()},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert here.answer(check)[0] == "ok"


# ---- what cannot be seen is never fine ----


def _folder_instead(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.mkdir(parents=True)


def _git_says(here: Surroundings, script: str) -> None:
    """Put a git first on the PATH that runs a line of shell before the real one."""
    real = shutil.which("git")
    path = here.bin / "git"
    path.write_text(f'#!/bin/sh\n{script}\nexec {real} "$@"\n', encoding="utf-8")
    path.chmod(0o755)


def _no_answer(subcommand: str) -> Plant:
    def plant(here: Surroundings) -> None:
        _git_says(here, f'case " $* " in *" {subcommand} "*) exit 128 ;; esac')

    return plant


def _with_remote(then: Plant) -> Plant:
    def plant(here: Surroundings) -> None:
        _remote(here)
        then(here)

    return plant


SETTINGS = "{home}/.claude/settings.json"
UNSEEN: dict[str, tuple[str, Plant, str]] = {
    "hooks: settings that cannot be read": (
        "hooks",
        lambda here: _folder_instead(here.home / ".claude/settings.json"),
        f"{SETTINGS} cannot be read: not a regular file",
    ),
    "hooks: a list of plugins in another form": (
        "hooks",
        lambda here: here.plugins("installed_plugins.json", "[]"),
        "{home}/.claude/plugins/installed_plugins.json is not what this Claude Code is known to write",
    ),
    "version: a list of plugins that is no JSON": (
        "version",
        lambda here: here.plugins("installed_plugins.json", "{"),
        "{home}/.claude/plugins/installed_plugins.json is not what this Claude Code is known to write",
    ),
    "permission: settings that cannot be read": (
        "permission",
        lambda here: _folder_instead(here.home / ".claude/settings.json"),
        f"{SETTINGS} could not be read: not a regular file",
    ),
    "fired: no note": (
        "fired",
        lambda _: None,
        "no session has left a note here yet; hooks load when a session starts",
    ),
    "last-flush: no note": (
        "last-flush",
        lambda here: (here.desk.root / ".git/baton/outcome").unlink(),
        "there is a chain, and no flush has left a note here",
    ),
    "flush-goes-to: no git": (
        "flush-goes-to",
        lambda here: here.path_is_bare(),
        "git did not answer, so nobody knows where a flush goes",
    ),
    "ignored: git fails": (
        "ignored",
        _no_answer("check-ignore"),
        "git could not say which state files it ignores",
    ),
    "commit-rules: git fails": (
        "commit-rules",
        _no_answer("config"),
        "git could not say how this repository is configured",
    ),
    "unsquashed: git names no remotes": (
        "unsquashed",
        _no_answer("remote"),
        "git could not name the remotes",
    ),
    "unsquashed: git cannot compare": (
        "unsquashed",
        _with_remote(_no_answer("log")),
        "git could not compare HEAD with the remotes",
    ),
    "protected-branch: git fails": (
        "protected-branch",
        _no_answer("for-each-ref"),
        "git could not name the remote branches",
    ),
    "protected-branch: only the server knows": (
        "protected-branch",
        lambda here: _remote(here),
        "whether the server protects main (origin/main) cannot be seen from here",
    ),
    "chain: no file": (
        "chain",
        lambda here: _folder_instead(here.desk.root / CHAIN),
        ".claude/WAL.md cannot be read: not a regular file",
    ),
    "settings: no file": (
        "settings",
        lambda here: _folder_instead(here.desk.root / ".claude/baton.toml"),
        ".claude/baton.toml cannot be read: not a regular file",
    ),
    "state-paths: a name that no disk takes": (
        "state-paths",
        lambda here: here.desk.write(f'paths = ["{"x" * 300}"]\n', ".claude/baton.toml"),
        f"{'x' * 300}: cannot be looked at: File name too long",
    ),
    "git-locks: a young lock": (
        "git-locks",
        lambda here: (here.desk.root / ".git/index.lock").touch(),
        "{root}/.git/index.lock is 0 s old: a git may be at work",
    ),
    "git: another answer": (
        "git",
        lambda here: _git_says(here, "echo git version next; exit"),
        "`git --version` did not say its version",
    ),
    "claude-code: none": (
        "claude-code",
        lambda here: here.path_is_bare(),
        "no `claude` on this PATH, so its version could not be asked",
    ),
    "claude-code: it hangs": (
        "claude-code",
        lambda here: (here.bin / "claude").write_text("#!/bin/sh\nsleep 300\n", encoding="utf-8"),
        "`claude --version` gave no answer in time",
    ),
}


@pytest.mark.parametrize(("check", "plant", "message"), UNSEEN.values(), ids=UNSEEN)
def test_what_cannot_be_seen_is_said_to_be_unseen(
    check: str, plant: Plant, message: str, here: Surroundings, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "in time" in message:
        monkeypatch.setattr(program_facts, "_SECONDS", 1.0)
    plant(here)
    state, told, _ = here.answer(check)
    assert (state, told) == ("unknown", _placed(message, here))


def _refuse(*_: object) -> None:
    raise PermissionError(13, "Permission denied", "/x")


# What only the system's refusal can hide, and root is refused nothing: check → (module, function of os).
REFUSALS = {
    "notes": (keeping_facts, "access"),
    "packages": (program_facts, "listdir"),
    "cloud": (surrounding_facts, "listdir"),
    "own-faults": (surrounding_facts, "listdir"),
}


@pytest.mark.parametrize("check", REFUSALS)
def test_a_refusal_of_the_system(
    check: str, here: Surroundings, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path(packages.place(os.environ)).mkdir(parents=True)
    module, name = REFUSALS[check]
    monkeypatch.setattr(module, "os", _Refusing(name))
    assert here.answer(check) == ("unknown", "/x: Permission denied", "")


class _Refusing:
    """The module os, but for one function."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> object:
        return _refuse if name == self._name else getattr(os, name)


def test_python_without_a_place_for_its_memory(here: Surroundings) -> None:
    state, message, _ = here.answer("python", HOME="", XDG_DATA_HOME="")
    told = "neither HOME nor XDG_DATA_HOME says where the interpreter is remembered"
    assert (state, message) == ("unknown", told)


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """baton as a copy that is no plugin."""
    monkeypatch.setattr(program_facts, "ROOT", str(tmp_path))
    return tmp_path


def test_a_copy_that_is_no_plugin(here: Surroundings, elsewhere: Path) -> None:
    state, message, _ = here.answer("claude-code")
    told = f"{elsewhere} has no plugin manifest that says which Claude Code it needs"
    assert (state, message) == ("unknown", told)
    assert here.answer("command", PATH="/nowhere")[:2] == (
        "ok",
        f"sessions find `baton`; at this terminal it is {elsewhere}/bin/baton",
    )


def test_what_nothing_registers_no_session_finds(here: Surroundings) -> None:
    (here.home / ".claude/plugins/installed_plugins.json").unlink()
    told = "nothing registers baton, so only a session can tell whether it finds `baton`"
    state, message, fix = here.answer("command")
    assert (state, message) == ("unknown", told)
    assert fix == here.answer("hooks")[2]
    (here.desk.root / ".claude/settings.local.json").mkdir(parents=True)
    assert here.answer("command")[0] == "unknown"


@pytest.fixture
def holder(here: Surroundings) -> Iterator[subprocess.Popen[bytes]]:
    """A process that holds baton's lock."""
    lock = here.desk.root / ".git/baton/lock"
    program = "import fcntl, sys, time; f = open(sys.argv[1]); fcntl.flock(f, 2); print(flush=True); time.sleep(300)"
    with subprocess.Popen([sys.executable, "-c", program, lock], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process
        process.kill()


def test_somebody_holds_batons_lock(
    here: Surroundings, holder: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    state, message, _ = here.answer("own-lock")
    assert (state, message.endswith(" old, holds baton's lock: it may be at work")) == (
        "unknown",
        True,
    )
    assert message.startswith(f"process {holder.pid} ({sys.executable} -c import fcntl")
    monkeypatch.setattr(keeping, "OLD_SECONDS", 0)
    state, _, fix = here.answer("own-lock")
    assert (state, fix) == ("wrong", f"kill -KILL {holder.pid}")
    subprocess.run(["sh", "-c", fix], check=True)
    holder.wait(timeout=60)
    assert here.answer("own-lock") == ("ok", "nobody holds baton's lock", "")


def test_every_check_has_all_three_answers() -> None:
    """Those of the facts are in core/doctor; what is unseen, and what a fix mends, are above."""
    told = {
        (found.check, found.state)
        for module in (program_cases, wiring_cases, keeping_cases, surrounding_cases)
        for found, _ in module.CASES.values()
    }
    unseen = {check for check, _, _ in UNSEEN.values()} | set(REFUSALS)
    told |= {(check, "unknown") for check in unseen}
    wanted = {(check, state) for check in CHECKS for state in ("ok", "wrong", "unknown")}
    assert told == wanted


# ---- for a person ----


def test_in_words_and_in_colour(
    here: Surroundings, baton: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Colour for a terminal alone; what is wrong comes first; a word on stderr while it looks."""
    _off(here)
    plain = baton("doctor", **here.env())
    assert plain.code == 1
    assert "wrong           flush-goes-to: nothing is kept: persist" in plain.out
    assert "                fix: baton setup --persist branch\n" in plain.out
    assert plain.err == ""
    monkeypatch.setattr("baton.cli.doctor.os", _Terminal())
    monkeypatch.setattr("baton.cli.busy.sys", _Terminal())
    assert "\033[31mwrong          \033[0m flush-goes-to" in baton("doctor", **here.env()).out
    assert "\033[" not in baton("doctor", NO_COLOR="1", **here.env()).out


class _Terminal:
    """os and sys where both ends are a terminal."""

    stderr = io.StringIO()
    stderr.isatty = lambda: True  # type: ignore[method-assign]

    @staticmethod
    def isatty(_: int) -> bool:
        return True

    def __getattr__(self, name: str) -> object:
        return getattr(os, name)


def test_the_word_on_stderr_goes_again(
    here: Surroundings, baton: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("baton.cli.busy.sys", _Terminal())
    baton("doctor", **here.env())
    said = _Terminal.stderr.getvalue()
    assert said.startswith("\r\033[Kchecking hooks …\r\033[K\r\033[Kchecking fired …")
    assert said.endswith("\r\033[K")


# ---- a Stop without consequences ----


def _parked(here: Surroundings) -> None:
    here.desk.git("switch", "--quiet", "--detach")
    _newer(here)


def _partly(here: Surroundings) -> None:
    _link(here)
    _newer(here)


def _out_of_git(here: Surroundings) -> None:
    (here.desk.root / ".git").rename(here.home / "away")


REHEARSED: dict[str, tuple[Plant, int, str]] = {
    "nothing new": (lambda _: None, 0, "a Stop now would change nothing\n"),
    "committed": (_newer, 0, f"a Stop now would commit on main:\n  {CHAIN}\n"),
    "parked": (
        _parked,
        0,
        f"a Stop now would keep on refs/baton/wal/main:\n  {CHAIN}\n  because: HEAD is detached\n",
    ),
    "in part": (
        _partly,
        1,
        f"a Stop now would commit on main:\n  {CHAIN}\n"
        "  left out .claude/agent-memory: a symbolic link: git would keep the link alone\n",
    ),
    "off": (_off, 0, "a Stop now would keep nothing\n  because: persist is off\n"),
    "outside git": (
        _out_of_git,
        0,
        "a Stop now would change nothing\n  because: not a git repository: the files are on disk\n",
    ),
}


@pytest.mark.parametrize(("plant", "code", "text"), REHEARSED.values(), ids=REHEARSED)
def test_a_rehearsal(plant: Plant, code: int, text: str, here: Surroundings, baton: Here) -> None:
    plant(here)
    before = _everything(here.desk.root)
    said = run_baton("doctor", "--simulate", cwd=here.desk.root)
    assert (said.code, said.out, said.err) == (code, text, "")
    assert baton("doctor", "--simulate") == said
    assert _everything(here.desk.root) == before


def test_a_rehearsal_for_scripts(here: Surroundings, baton: Here) -> None:
    _newer(here)
    assert json.loads(baton("doctor", "--simulate", "--json").out) == {
        "outcome": "committed",
        "commit": "",
        "ref": "refs/heads/main",
        "paths": [CHAIN],
        "refused": [],
        "reason": "",
    }


def test_rehearsals_that_cannot_be(
    here: Surroundings, baton: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here.desk.root / ".git/reftable").mkdir()
    told = "this repository keeps its refs in reftables, which cannot be copied file by file"
    message = f"a Stop cannot be rehearsed here: {told}"
    assert baton("doctor", "--simulate") == refused(5, message, "baton doctor")
    (here.desk.root / ".git/reftable").rmdir()
    monkeypatch.setattr("baton.edge.rehearsal._MOST_BYTES", 10)
    told = f"{here.desk.root}: the state files hold more than 0 MiB"
    message = f"a Stop cannot be rehearsed here: {told}"
    assert baton("doctor", "--simulate") == refused(5, message, "baton doctor")
