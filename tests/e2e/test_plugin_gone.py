"""baton is taken away while a session runs, by an uninstall or the checkout of another branch: its
hooks fall silent, and no turn is forced."""

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
        text = f"open({str(calls)!r}, 'a').write('{door.stem}\\n')\n"
        (folder / "hooks" / door.name).write_text(text, encoding="utf-8")


PLUGIN = ["hooks/run", "hooks/hooks.json", ".claude-plugin/plugin.json"]
FRAGMENT = ["hooks/run", ".claude/settings.json"]


@pytest.mark.parametrize(
    ("names", "gone", "problem"),
    # Of a plugin whose whole folder is gone Claude Code itself says so, and starts no hook.
    [(PLUGIN, "plugin", True), (PLUGIN, "plugin/hooks", False), (FRAGMENT, "hooks", False)],
    ids=["the plugin", "its launcher", "the project's own launcher"],
)
def test_no_turn_is_forced(
    names: list[str],
    gone: str,
    problem: bool,
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
        home=claude_home("one"),
        server=model,
        plugin_dirs=plugins,
        extra_args=[*ALLOW_ALL, "--include-hook-events"],
    )
    assert done.returncode == 0
    assert not (project / gone).exists()
    called = calls.read_text(encoding="utf-8").split()
    assert called == ["session_start", "prompt"], "the session began without the hooks"
    assert len(model.main()) == 2
    assert ("hook problem" in done.stdout) is problem
