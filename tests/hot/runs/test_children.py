"""baton.hot.runs.children: the scripts that a run may call, which the host keeps nowhere."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from baton.hot.runs import children


def saved(folder: Path, file: str, name: str, more: str = "") -> str:
    folder.mkdir(parents=True, exist_ok=True)
    script = f"export const meta = {{ name: '{name}', description: 'd' }}\n{more}"
    (folder / file).write_text(script, encoding="utf-8")
    return script


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return tmp_path / "config"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return tmp_path / "project"


def found(script: str, config: Path, *folders: Path) -> dict[str, str]:
    here = [str(folder) for folder in folders]
    return children.scripts(script, str(config), here, here[-1] if here else "")


def test_a_script_that_calls_none(config: Path, project: Path) -> None:
    saved(project / ".claude/workflows", "kid.js", "kid")
    assert found("agent('kid')", config, project) == {}


def test_a_name_that_is_spelled_brings_its_script(config: Path, project: Path) -> None:
    kid = saved(project / ".claude/workflows", "any-file.js", "kid")
    saved(project / ".claude/workflows", "other.js", "other")
    (project / ".claude/workflows/notes.md").write_text("name: 'kid'")
    (project / ".claude/workflows/nameless.js").write_text("return 1")
    for quote in "'\"`":
        assert found(f"await workflow({quote}kid{quote}, 1)", config, project) == {"kid": kid}


def test_a_name_that_is_computed_brings_all(config: Path, project: Path) -> None:
    kid = saved(project / ".claude/workflows", "a.js", "kid")
    own = saved(config / "workflows", "b.js", "own")
    assert found("workflow(args.which)", config, project) == {"own": own, "kid": kid}
    assert found("const w = workflow; w('x')", config, project) == {"own": own, "kid": kid}


def test_the_projects_own_comes_before_the_persons(config: Path, project: Path) -> None:
    saved(config / "workflows", "kid.js", "kid", "// the person's")
    kid = saved(project / ".claude/workflows", "kid.js", "kid", "// the project's")
    assert found("workflow('kid')", config, project) == {"kid": kid}


def test_by_path(config: Path, project: Path) -> None:
    one = saved(project, "one.js", "one")
    two = saved(project / "deep", "two.js", "two")
    script = f"workflow({{scriptPath: 'one.js'}}); workflow({{ \"scriptPath\" : `{project}/deep/two.js` }}); "
    script += "workflow({scriptPath: 'gone.js'}); workflow({scriptPath: 'deep'})"
    assert found(script, config, project) == {"one.js": one, f"{project}/deep/two.js": two}


def test_what_is_larger_than_the_host_takes(config: Path, project: Path) -> None:
    saved(project / ".claude/workflows", "kid.js", "kid", "x" * 524_288)
    assert found("workflow('kid')", config, project) == {}


def test_a_plugins_by_the_name_that_it_is_called_by(config: Path, project: Path) -> None:
    cache = config / "plugins/cache/market/pack"
    for number, version in enumerate(("2.0.0", "1.0.0")):
        kid = saved(cache / version / "workflows", "kid.js", "kid", f"// {version}")
        os.utime(cache / version, (number, number))
    saved(config / "plugins/cache/market/other/1.0.0/workflows", "kid.js", "kid")
    assert found("workflow('pack:kid')", config, project) == {"pack:kid": kid}
    assert "1.0.0" in kid


def test_a_version_that_vanishes_meanwhile(tmp_path: Path) -> None:
    assert children._time(str(tmp_path), "gone") == 0.0
