"""baton.edge.doctor.wiring and claude_files: Claude Code's own files, as its version 2.1.332 writes them."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from baton.core.doctor.finding import Unseen
from baton.core.doctor.wiring import Firing, Rules, Source
from baton.edge.doctor import claude_files, wiring
from desk import Desk
from support import ROOT

FRAGMENT = json.loads((ROOT / ".claude/settings.json").read_text(encoding="utf-8"))
EVENTS = tuple(sorted(FRAGMENT["hooks"]))


@pytest.fixture
def desk(repo: Path) -> Desk:
    (repo / ".claude").mkdir()
    return Desk(repo)


def _write(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")


def _plugins(home: Path, *, enabled: object = True, source: object = None, root: str = "") -> None:
    copy = {"scope": "user", "installPath": root or str(ROOT), "version": "0.1.0"}
    _write(home / "settings.json", {"enabledPlugins": {"baton@baton": enabled}})
    _write(home / "plugins/installed_plugins.json", {"plugins": {"baton@baton": [copy]}})
    _write(home / "plugins/known_marketplaces.json", {"baton": {"source": source or {}}})


def _plugin_without_hooks(home: Path) -> None:
    _plugins(home, root=str(home / "gone"))


def _plugin_of_nothing(home: Path) -> None:
    _write(home / "old/hooks/hooks.json", {"hooks": []})
    _plugins(home, root=str(home / "old"))


def _old_plugin(home: Path) -> None:
    old = {"hooks": {name: FRAGMENT["hooks"][name] for name in EVENTS if name != "Stop"}}
    _write(home / "old/hooks/hooks.json", old)
    _plugins(home, root=str(home / "old"))


def _in_place(home: Path) -> None:
    _plugins(
        home, source={"source": "directory", "path": str(ROOT)}, root="/a copy that is not run"
    )


PLUGIN = "the plugin baton@baton (user)"
PLACES: dict[str, tuple[Callable[[Path], object], tuple[Source, ...], str]] = {
    "nothing": (lambda home: home.mkdir(), (), ""),
    "a copy": (_plugins, (Source(PLUGIN, plugin="baton@baton"),), ""),
    "in place": (_in_place, (Source(PLUGIN, plugin="baton@baton"),), ""),
    "switched off": (lambda home: _plugins(home, enabled=False), (), "baton@baton"),
    "an old copy": (_old_plugin, (Source(PLUGIN, ("Stop",), plugin="baton@baton"),), ""),
    "hooks that are no hooks": (
        _plugin_of_nothing,
        (
            Source(
                PLUGIN,
                fault="its hooks cannot be read: {home}/old/hooks/hooks.json registers nothing",
                plugin="baton@baton",
            ),
        ),
        "",
    ),
    "a copy that is gone": (
        _plugin_without_hooks,
        (
            Source(
                PLUGIN,
                fault="its hooks cannot be read: Expecting value: line 1 column 1 (char 0)",
                plugin="baton@baton",
            ),
        ),
        "",
    ),
    "a skills folder": (
        lambda home: _skill(home),
        (Source("the plugin in {home}/skills/baton"),),
        "",
    ),
    "the user's settings, and what is none of ours": (
        lambda home: _write(home / "settings.json", _user_settings()),
        (Source("the user's settings"),),
        "",
    ),
}


def _skill(home: Path) -> None:
    (home / "skills").mkdir(parents=True)
    (home / "skills/baton").symlink_to(ROOT)


def _user_settings() -> object:
    """baton's own fragment by absolute path, among what others and mistakes put there."""
    text = json.dumps(FRAGMENT).replace("${CLAUDE_PROJECT_DIR}", str(ROOT))
    hooks = json.loads(text)["hooks"]
    hooks["Stop"] += [{"hooks": [{"type": "command", "command": "say done"}, "x"]}, {"hooks": 1}, 2]
    return {"hooks": {**hooks, "Notification": "?"}}


@pytest.mark.parametrize(("make", "sources", "off"), PLACES.values(), ids=PLACES)
def test_where_hooks_are_registered(
    make: Callable[[Path], object], sources: tuple[Source, ...], off: str, desk: Desk, home: Path
) -> None:
    folder = home / "config"
    make(folder)
    environ = {"CLAUDE_CONFIG_DIR": str(folder), "HOME": "/nowhere"}
    found = wiring.wiring(environ, desk.project, desk.state)
    assert not isinstance(found, Unseen)
    placed = [
        Source(
            source.where.replace("{home}", str(folder)),
            source.missing,
            source.fault.replace("{home}", str(folder)),
            source.plugin,
        )
        for source in sources
    ]
    assert (list(found.sources), found.off) == (placed, off)


def test_the_projects_own_settings(desk: Desk, home: Path) -> None:
    _write(desk.root / ".claude/settings.json", FRAGMENT)
    (desk.root / "hooks").symlink_to(ROOT / "hooks")
    found = wiring.wiring({"HOME": str(home)}, desk.project, desk.state)
    assert not isinstance(found, Unseen)
    assert found.sources == (Source(".claude/settings.json"),)
    add = f"claude plugin marketplace add {ROOT} && claude plugin install baton@baton"
    assert found.install == add


def test_a_plugin_of_this_session_alone(desk: Desk, home: Path) -> None:
    environ = {"HOME": str(home), "PATH": f"/usr/bin:{ROOT}/bin", "CLAUDECODE": "1"}
    found = wiring.wiring(environ, desk.project, desk.state)
    assert not isinstance(found, Unseen)
    assert found.sources == (Source("the plugin of this session"),)


def test_a_projects_own_copy_is_no_plugin(
    desk: Desk, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its bin/ is on the session's PATH too, and it is no marketplace to install from."""
    (tmp_path / "hooks").symlink_to(ROOT / "hooks")
    monkeypatch.setattr(wiring, "ROOT", str(tmp_path))
    environ = {"HOME": str(home), "PATH": f"{tmp_path}/bin", "CLAUDECODE": "1"}
    found = wiring.wiring(environ, desk.project, desk.state)
    assert not isinstance(found, Unseen)
    assert (found.sources, found.install) == ((), "baton setup --with-hooks")


IGNORED = {
    "no JSON": ("{", "it is not JSON: Expecting property name enclosed in double quotes: "
                "line 1 column 2 (char 1)"),
    "too deep": ("[" * 100_000, "it is not JSON: maximum recursion depth exceeded while decoding "
                 "a JSON array from a unicode string"),
    "no object": ("[]", "it holds no JSON object"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "fault"), IGNORED.values(), ids=IGNORED)
def test_settings_that_claude_code_ignores(text: str, fault: str, desk: Desk, home: Path) -> None:
    path = desk.root / ".claude/settings.json"
    _write(path, text)
    found = wiring.wiring({"HOME": str(home)}, desk.project, desk.state)
    assert not isinstance(found, Unseen)
    assert found.faults == ((str(path), fault),)


def test_the_way_to_settings_that_cannot_be_read_can_be_typed(desk: Desk, home: Path) -> None:
    path = home / "of Ada/.claude/settings.json"
    path.mkdir(parents=True)
    found = wiring.wiring({"HOME": str(home / "of Ada")}, desk.project, desk.state)
    assert isinstance(found, Unseen)
    assert shlex.split(found.fix) == ["ls", "-l", str(path)]


def test_a_byte_order_mark_is_nothing(desk: Desk, home: Path) -> None:
    _write(desk.root / ".claude/settings.json", '\ufeff{"disableAllHooks": true}')
    [found] = claude_files.settings({"HOME": str(home)}, desk.project)
    assert (found.fault, found.values) == ("", {"disableAllHooks": True})


def test_the_permission_rules_of_all_files_together(desk: Desk, home: Path) -> None:
    local = {"permissions": {"deny": ["Bash(baton:*)", "Bash(rm:*)", 5], "allow": "x"}}
    mode = {"permissions": {"defaultMode": "bypassPermissions", "allow": ["Bash(ls:*)", 7]}}
    _write(desk.root / ".claude/settings.local.json", local)
    _write(home / ".claude/settings.json", mode)
    path = str(desk.root / ".claude/settings.local.json")
    expected = Rules(("Bash(ls:*)",), ((path, "Bash(baton:*)"),), True, ())
    assert wiring.rules({"HOME": str(home)}, desk.project) == expected


def _noted(desk: Desk, session: str, start: object) -> None:
    desk.state.set_record(f"sessions/{session}", {"start": start})


def test_what_the_hooks_left(desk: Desk) -> None:
    state = desk.state
    assert wiring.firing(state, "") == Firing(0, 0, 0, False)
    _noted(desk, "one", 100)
    _noted(desk, "two", 200)
    _noted(desk, "last", None)
    state.write("prompts/two", b"250000000000")
    assert wiring.firing(state, "one") == Firing(200, 250, 0, False)
    state.write("stopped", b"")
    os.utime(state.path("stopped"), (300, 300))
    state.write("prompts/two", b"?")
    assert wiring.firing(state, "two") == Firing(200, 0, 300, True)
    assert wiring.firing(state, "") == Firing(200, 0, 300, False)
