"""baton installed, set up, updated and taken away again through the real program.

The plugin comes from a folder or from a git server on loopback; a colleague has neither, only the
repository, Python and git.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from baton.core.setup.settings import RULES
from baton.hot.notice import STANDING_WORD
from facts import until
from support import git

from .claude import ALLOW_ALL, Home, binary, run_print
from .conftest import MakeHome, OpenScreen
from .git_server import GitServer
from .model_server import ModelServer, Text
from .session import CHAIN, START, bash

NAME = "baton@baton"
NEWER = "99.0.0"
VERSIONED = (
    ".claude-plugin/plugin.json",
    ".claude-plugin/marketplace.json",
    "hooks/run",
    "scripts/baton/__init__.py",
)


class Published:
    """Where baton is had from. address: what a person types. push: makes the next version public."""

    def __init__(self, source: Path, address: str, bare: Path | None) -> None:
        self.source = source
        self.address = address
        self._bare = bare
        self.version = ""
        self.publish(NEWER[:-1] + "1", start=True)

    def publish(self, version: str, *, start: bool = False) -> None:
        """Give the next version a number, everywhere, and make it public."""
        old = self._declared()
        for name in VERSIONED:
            path = self.source / name
            path.write_text(
                path.read_text(encoding="utf-8").replace(old, version), encoding="utf-8"
            )
        assert self._declared() == version
        self.version = version
        if self._bare is None:
            return
        if start:
            git("init", "-q", "-b", "main", cwd=self.source)
        git("add", ".", cwd=self.source)
        git(
            "-c", "user.name=A", "-c", "user.email=a@b.c", "commit", "-qm", version, cwd=self.source
        )
        if start:
            git("clone", "-q", "--bare", ".", str(self._bare), cwd=self.source)
        git("push", "-q", str(self._bare), "main", cwd=self.source)

    def _declared(self) -> str:
        manifest = json.loads((self.source / VERSIONED[0]).read_text(encoding="utf-8"))
        return str(manifest["version"])


@pytest.fixture(params=["a folder", "a git server"])
def published(request: pytest.FixtureRequest, plugin: Path, tmp_path: Path) -> Iterator[Published]:
    """baton, had from either."""
    source = tmp_path / "published" / "baton"
    shutil.copytree(plugin, source)
    if request.param == "a folder":
        yield Published(source, str(source), None)
        return
    served = tmp_path / "served"
    served.mkdir()
    with GitServer(served) as server:
        yield Published(source, f"{server.url}/baton.git", served / "baton.git")


def claude(home: Home, model: ModelServer, cwd: Path, *words: str) -> str:
    """Run a subcommand of the real program, which must succeed; give what it printed."""
    done = subprocess.run(
        [str(binary()), *words],
        cwd=cwd,
        env=home.environment(model),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, f"claude {' '.join(words)}: {done.stdout}{done.stderr}"
    return done.stdout


def say(
    work: Path, home: Home, model: ModelServer, *commands: str, prompt: str = "go"
) -> list[str]:
    """One session in which the model runs the commands; give what they printed."""
    before = len(model.main())
    model.play([*map(bash, commands), Text("Said and done.")])
    done = run_print(work, prompt, home=home, server=model, extra_args=ALLOW_ALL)
    assert done.returncode == 0, done.stderr
    return [result.text for each in model.main()[before:] for result in each.tool_results()]


def flushes(work: Path) -> int:
    """How many commits of the Stop hook's are on the branch."""
    return git("log", "--format=%s", cwd=work).count("wal: flush ")


def reached(work: Path, count: int) -> bool:
    """Wait for the Stop hook, which runs when the answer is on the screen already."""
    return until(lambda: flushes(work) >= count) and flushes(work) == count


def speaking_of(needle: str, *folders: Path) -> list[str]:
    """Every file below the folders that names something."""
    done = subprocess.run(
        ["grep", "-rlaF", "--", needle, *[str(folder) for folder in folders if folder.exists()]],
        capture_output=True,
        text=True,
    )
    return done.stdout.splitlines()


def test_installed_updated_and_taken_away(
    published: Published, work: Path, claude_home: MakeHome, model: ModelServer
) -> None:
    home = claude_home("one")
    first = published.version
    claude(home, model, work, "plugin", "marketplace", "add", published.address)
    claude(home, model, work, "plugin", "install", NAME)
    assert first in claude(home, model, work, "plugin", "list")
    version, _ = say(work, home, model, "baton --version", START)
    assert version.strip() == f"baton {first}"
    assert flushes(work) == 1
    chain = git("show", f"HEAD:{CHAIN}", cwd=work)

    published.publish(NEWER)
    claude(home, model, work, "plugin", "marketplace", "update", "baton")
    claude(home, model, work, "plugin", "update", NAME)
    version, _ = say(
        work, home, model, "baton --version", "baton wal mark 3 doing --evidence ls --verify ls"
    )
    assert version.strip() == f"baton {NEWER}"
    assert flushes(work) == 2
    assert "[!] announce it" in git("show", f"HEAD:{CHAIN}", cwd=work)
    assert chain.splitlines()[2] in git("show", f"HEAD:{CHAIN}", cwd=work)

    plugins = str(home.claude_folder / "plugins")
    kept = [home.root / ".local", home.root / ".config"]
    for place in (plugins, str(published.source)):
        assert speaking_of(place, work, *kept) == []

    claude(home, model, work, "plugin", "uninstall", NAME)
    assert NAME not in claude(home, model, work, "plugin", "list")
    head = git("rev-parse", "HEAD", cwd=work)
    [gone] = say(work, home, model, "baton --version; echo > more.txt")
    assert "not found" in gone
    assert git("rev-parse", "HEAD", cwd=work) == head
    assert "baton" not in model.last().role_text("system").replace("baton-", "")
    assert "[!] announce it" in (work / CHAIN).read_text(encoding="utf-8")


def test_the_marketplace_and_the_plugin_validate(
    plugin: Path, claude_home: MakeHome, model: ModelServer, project: Path
) -> None:
    home = claude_home("one")
    strictly = ("plugin", "validate", "--strict")
    said = claude(home, model, project, *strictly, "--profile", "directory", str(plugin))
    assert "warning" not in said.lower()
    market = str(plugin / ".claude-plugin/marketplace.json")
    assert "warning" not in claude(home, model, project, *strictly, market).lower()


# ---- baton setup, in a session ----


@pytest.fixture
def team(work: Path, claude_home: MakeHome, model: ModelServer, plugin: Path) -> Path:
    """The project, in which somebody who has the plugin ran `baton setup --with-hooks`."""
    home = claude_home("one")
    model.play([bash("baton setup --with-hooks --statusline"), Text("It is set up.")])
    done = run_print(
        work, "set it up", home=home, server=model, plugin_dirs=[plugin], extra_args=ALLOW_ALL
    )
    assert done.returncode == 0, done.stderr
    assert "+ .claude/settings.json" in model.last().tool_results()[0].text
    assert speaking_of(str(plugin), work) == []
    git("add", ".", cwd=work)
    git("-c", "user.name=A", "-c", "user.email=a@b.c", "commit", "-qm", "Set up", cwd=work)
    return work


@pytest.fixture
def colleague(team: Path, claude_home: MakeHome) -> tuple[Path, Home]:
    """Another person's clone, on a machine where nobody installed baton."""
    clone = team.parent / "the clone"
    git("clone", "-q", str(team), str(clone), cwd=team)
    home = claude_home("two")
    home.trust(clone)
    return clone, home


def test_a_colleague_has_it_all_from_the_repository(
    colleague: tuple[Path, Home], model: ModelServer
) -> None:
    clone, home = colleague
    before = flushes(clone)
    said = say(clone, home, model, "command -v baton", START)
    assert said[0].strip() == f"{os.path.realpath(clone)}/.claude/baton/bin/baton"
    assert flushes(clone) == before + 1
    assert git("status", "--porcelain", cwd=clone) == ""
    say(clone, home, model, prompt="/tiep it's $(touch x)")
    assert "NEXT, once the checks agree" in model.last().role_text("user")
    assert model.last().role_text("system").count("there is unfinished work") == 1
    assert not (clone / "x").exists()
    say(clone, home, model, "echo more >> parser.py", prompt="/pause")
    assert "baton has done the deterministic half" in model.main()[-1].role_text("system")
    say(clone, home, model, "baton setup --uninstall")
    assert git("status", "--porcelain", cwd=clone).splitlines()
    assert not (clone / ".claude/baton").exists()


def test_a_colleague_sees_it_on_the_screen(
    colleague: tuple[Path, Home], model: ModelServer, plugin: Path
) -> None:
    from .claude import open_screen

    clone, home = colleague
    say(clone, home, model, START)
    terminal = open_screen(clone, home=home, server=model)
    try:
        terminal.wait_for(r"SessionStart:startup says: Unfinished work: 1/3 done")
        terminal.wait_for(r"1/3 Ship the parser")
    finally:
        terminal.close()


def test_heard_twice_acted_on_once(
    team: Path, claude_home: MakeHome, model: ModelServer, plugin: Path, screen: OpenScreen
) -> None:
    """Plugin and project both register the hooks: one commit, one notice, one /pause."""
    home, before = claude_home("two"), flushes(team)
    terminal = screen(home, plugin_dirs=[plugin], extra_args=ALLOW_ALL)
    model.play([bash(START), Text("The chain stands.")])
    terminal.submit("begin")
    terminal.wait_for("The chain stands.")
    assert model.last().role_text("system").count(STANDING_WORD) == 1
    assert reached(team, before + 1)
    terminal.close()
    assert flushes(team) == before + 1

    again = screen(claude_home("three"), plugin_dirs=[plugin], extra_args=ALLOW_ALL)
    again.wait_for(r"Unfinished work: 1/3 done")
    model.play([Text("Nothing done.")])
    again.submit("/pause for lunch")
    again.wait_for("Nothing done.")
    shown = again.text(history=True)
    assert shown.count("SessionStart:startup says") == 1
    assert shown.count("UserPromptExpansion says") == 1
    assert model.last().all_text().count("baton has done the deterministic half") == 1
    assert model.last().all_text().count("wait for their choice") == 1
    assert flushes(team) == before + 1


def test_a_one_shot_session_is_told_once(
    team: Path, claude_home: MakeHome, model: ModelServer, plugin: Path
) -> None:
    home = claude_home("two")
    say(team, home, model, START)
    model.play([Text("4")])
    run_print(team, "what is 2+2?", home=home, server=model, plugin_dirs=[plugin])
    assert model.last().role_text("system").count("there is unfinished work") == 1


def test_the_rules_allow_what_is_harmless_and_nothing_else(
    work: Path, claude_home: MakeHome, model: ModelServer, plugin: Path
) -> None:
    home = claude_home("one")
    model.play([bash("baton setup"), Text("It is set up.")])
    run_print(
        work, "set it up", home=home, server=model, plugin_dirs=[plugin], extra_args=ALLOW_ALL
    )
    asked = [
        "baton setup --uninstall",
        "baton close",
        "baton --project /tmp wal show",
        "baton wal show; touch x",
    ]
    allowed = [
        START,
        "baton tiep",
        "baton pause -m x",
        "baton status",
        "baton wal show && baton wal check",
    ]
    before = len(model.main())
    model.play([*map(bash, [*asked, *allowed]), Text("Said and done.")])
    run_print(work, "go", home=home, server=model, plugin_dirs=[plugin])
    texts = [result.text for each in model.main()[before:] for result in each.tool_results()]
    assert [text for text in texts[: len(asked)] if "approv" not in text] == []
    assert [text for text in texts[len(asked) :] if "approv" in text] == []
    assert len(texts) == len(asked) + len(allowed)
    value = json.loads((work / ".claude/settings.json").read_bytes())
    assert value == {"permissions": {"allow": list(RULES)}}
