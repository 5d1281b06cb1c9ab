"""baton.hot.homes: where a person's folders are."""

from __future__ import annotations

import os

import pytest

from baton.hot import homes

HOMES: dict[str, tuple[dict[str, str], str]] = {
    "HOME": ({"HOME": "/h", "USERPROFILE": "/u"}, "/h"),
    "Windows": ({"USERPROFILE": "/u"}, "/u"),
    "empty": ({"HOME": "", "USERPROFILE": "/u"}, "/u"),
}


@pytest.mark.parametrize(("environ", "home"), HOMES.values(), ids=HOMES)
def test_the_home_folder(environ: dict[str, str], home: str) -> None:
    assert homes.home(environ) == home
    assert homes.xdg(environ, "XDG_DATA_HOME", ".local/share") == f"{home}/.local/share"
    assert homes.claude(environ) == f"{home}/.claude"


def test_without_a_variable_the_system_knows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/of the system")
    assert homes.home({}) == os.path.expanduser("~") == "/of the system"


def test_what_a_variable_names_counts() -> None:
    environ = {"HOME": "/h", "XDG_DATA_HOME": "/d", "CLAUDE_CONFIG_DIR": "/c"}
    assert homes.xdg(environ, "XDG_DATA_HOME", ".local/share") == "/d"
    assert homes.claude(environ) == "/c"


@pytest.mark.parametrize("named", ["", "d", "~/d"])
def test_a_relative_one_is_none(named: str) -> None:
    environ = {"HOME": "/h", "XDG_DATA_HOME": named}
    assert homes.xdg(environ, "XDG_DATA_HOME", ".local/share") == "/h/.local/share"
