"""baton is taken away while a session runs, by an uninstall or the checkout of another branch: its
hooks fall silent; no turn is forced and no hook problem shown."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from support import HOOKS, ROOT

from .claude import ALLOW_ALL, run_print
from .conftest import MakeHome
from .model_server import ModelServer, Text, ToolCall


def _place(folder: Path, names: list[str], calls: Path) -> None:
    """Put baton's own launcher and registrations there, with doors that note each call."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    for door in HOOKS.glob("*.py"):
        text = f"open({str(calls)!r}, 'a').write('called\\n')\n"
        (folder / "hooks" / door.name).write_text(text, encoding="utf-8")


PLUGIN = ["hooks/run", "hooks/hooks.json", ".claude-plugin/plugin.json"]
FRAGMENT = ["hooks/run", ".claude/settings.json"]


@pytest.mark.parametrize(
    ("names", "gone"),
    [(PLUGIN, "plugin"), (PLUGIN, "plugin/hooks"), (FRAGMENT, "hooks")],
    ids=["the plugin", "its launcher", "the project's own launcher"],
)
def test_no_turn_is_forced_and_no_problem_shown(
    names: list[str],
    gone: str,
    tmp_path: Path,
    project: Path,
    model: ModelServer,
    claude_home: MakeHome,
) -> None:
    calls = tmp_path / "calls"
    plugins = [project / "plugin"] if names is PLUGIN else []
    _place(plugins[0] if plugins else project, names, calls)
    remove = ToolCall("Bash", {"command": f"rm -r {gone}", "description": "as told"})
    model.play([remove, Text("Done.")])
    done = run_print(
        project,
        "go",
        home=claude_home(),
        server=model,
        plugin_dirs=plugins,
        extra_args=[*ALLOW_ALL, "--include-hook-events"],
    )
    assert done.returncode == 0
    assert not (project / gone).exists()
    assert calls.read_text(encoding="utf-8") == "called\n", "the session began without the hooks"
    assert len(model.main()) == 2
    assert "hook problem" not in done.stdout
