"""The plugin and the project may lie anywhere, and may go away while a session runs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from launcher.stage import GUARDED, PYTHON, SHELLS, Stage, registered

PLUGINS = {
    "spaces, accents, parentheses": "plug in/Bộ gài (mới)",
    "dollar, ampersand, apostrophe": "it's $HOME & co; $(touch pwned)",
    "quotes, backslash, glob": 'a "quoted" b\\c *[x]?',
}
PROJECTS = {"plain": "project", "apostrophe, dollar, ampersand": "it's $PATH & more"}


@pytest.fixture(params=PLUGINS.values(), ids=list(PLUGINS))
def placed(request: pytest.FixtureRequest, shell: list[str], tmp_path: Path) -> Stage:
    """A stage whose plugin lies in an odd folder."""
    stage = Stage(tmp_path, shell, request.param)
    stage.put("bin/python3", "good")
    return stage


@pytest.mark.parametrize("project", PROJECTS.values(), ids=list(PROJECTS))
@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_every_place(project: str, locale: str, placed: Stage) -> None:
    cwd = placed.folder / project
    cwd.mkdir()
    for _ in ("found", "remembered"):
        report = placed.report("flush", cwd=cwd, LC_ALL=locale)
        assert (report["python"], report["root"]) == (PYTHON, str(placed.root))
    assert os.listdir(cwd) == []


def test_as_hooks_json_has_it(placed: Stage) -> None:
    command = [
        word.replace("${CLAUDE_PLUGIN_ROOT}", str(placed.root)) for word in registered("flush")
    ]
    assert command[:2] == ["-c", GUARDED]
    report = placed.report(command[-1], command=command[:-1])
    assert (report["door"], report["root"]) == ("flush.py", str(placed.root))


@pytest.mark.parametrize("folder", ["", "hooks", "bin"], ids=["root", "hooks", "bin"])
def test_a_relative_call(folder: str, stage: Stage) -> None:
    stage.put("bin/python3", "good")
    cwd = stage.root / folder
    relative = os.path.relpath(stage.launcher, cwd)
    report = stage.report("flush", command=[relative], cwd=cwd)
    assert report["root"] == str(stage.root)


def test_a_plugin_that_is_gone_blocks_no_turn(stage: Stage) -> None:
    """Python and dash exit with 2 for a missing script, which a hook means as "block"."""
    stage.put("bin/python3", "good")
    gone = ["-c", GUARDED, f"{stage.root}/gone/hooks/run"]
    done = stage.run("flush", command=gone)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_door_that_is_gone_blocks_no_turn(stage: Stage) -> None:
    stage.put("bin/python3", "good")
    done = stage.run("no_such_door")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_command_line_that_is_gone_says_so(stage: Stage) -> None:
    script = stage.root / "scripts/baton/__main__.py"
    script.unlink()
    done = stage.run("cli")
    assert (done.returncode, done.stdout) == (5, "")
    assert done.stderr == f"baton: {script} is missing\ntry: claude plugin update baton\n"


@pytest.mark.parametrize("door", ["", "-x", "../flush", "Flush"])
def test_not_the_name_of_a_door(door: str, stage: Stage) -> None:
    done = stage.run(door)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "usage: hooks/run DOOR [ARGUMENT...]\n"


def test_a_folder_that_was_deleted(stage: Stage) -> None:
    stage.put("bin/python3", "good")
    here = stage.folder / "here"
    here.mkdir()
    script = 'cd "$1" && rm -r ../here && shift && exec "$@"'
    command = ["-c", script, "sh", str(here), *stage.shell, str(stage.launcher)]
    done = stage.run("flush", command=command)
    assert done.returncode == 0
    assert f'"python": "{PYTHON}"' in done.stdout


LINKS = {
    "the file": [],
    "an absolute link": ["{root}/bin/baton"],
    "a relative link": ["../plugin/bin/baton"],
    "a chain of links": ["third", "../plugin/bin/baton"],
}


@pytest.mark.parametrize("links", LINKS.values(), ids=list(LINKS))
def test_baton_through_links(links: list[str], stage: Stage) -> None:
    stage.put("bin/python3", "good")
    own = stage.folder / "own"
    own.mkdir()
    command = stage.root / "bin/baton"
    names = ["baton", "third"]
    for name, target in zip(names, links, strict=False):
        (own / name).symlink_to(target.format(root=stage.root))
        command = own / "baton"
    report = stage.report("wal", "show", command=[str(command)])
    assert (report["door"], report["root"]) == ("__main__.py", str(stage.root))
    assert (report["arguments"], report["deaf"]) == (["wal", "show"], False)


def test_baton_by_its_bare_name(stage: Stage) -> None:
    stage.put("bin/python3", "good")
    report = stage.report("status", command=["baton"], cwd=stage.root / "bin")
    assert report["root"] == str(stage.root)


def test_the_shells_are_those_that_can_be_sh() -> None:
    assert set(SHELLS) >= {"dash", "bash --posix", "busybox"}
