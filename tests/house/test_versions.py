"""One version, everywhere; pins that agree with what is declared."""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any

import baton
from baton.edge import packages
from support import HOOKS, ROOT


def _json(path: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads((ROOT / path).read_text(encoding="utf-8"))
    return value


def _first(pattern: str, path: str) -> str:
    match = re.search(pattern, (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE)
    assert match is not None, f"{path} has no {pattern}"
    return match[1]


def _project() -> dict[str, Any]:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project: dict[str, Any] = settings["project"]
    return project


def test_one_version_everywhere() -> None:
    [listed] = _json(".claude-plugin/marketplace.json")["plugins"]
    versions = {
        "pyproject.toml": _project()["version"],
        "plugin.json": _json(".claude-plugin/plugin.json")["version"],
        "marketplace.json": listed["version"],
        "hooks/run": _first(r"^version=(\S+)$", "hooks/run"),
        "CHANGELOG.md": _first(r"^## v?(\d+\.\d+\.\d+)", "CHANGELOG.md"),
    }
    assert versions == dict.fromkeys(versions, baton.__version__)


def test_one_name_and_one_description() -> None:
    plugin = _json(".claude-plugin/plugin.json")
    [listed] = _json(".claude-plugin/marketplace.json")["plugins"]
    assert plugin["name"] == listed["name"] == _project()["name"] == "baton"
    assert plugin["description"] == listed["description"]
    assert plugin["license"] == _project()["license"] == "MIT"
    assert "MIT License" in (ROOT / "LICENSE").read_text(encoding="utf-8")


def _pins(path: str) -> dict[str, str]:
    text = (ROOT / path).read_text(encoding="utf-8")
    lines = (line.strip(" \\") for line in text.splitlines() if line[:1].isalpha())
    return dict(line.lower().split("==") for line in lines)


def test_runtime_pins_are_what_the_project_declares() -> None:
    declared = {re.split(r"[>=<]", need)[0] for need in _project()["dependencies"]}
    assert set(_pins("scripts/baton/edge/packages.txt")) == declared


def test_every_runtime_pin_has_hashes() -> None:
    with open(packages.PINS, encoding="utf-8") as file:
        pins = [line for line in re.split(r"\n(?=\w)", file.read()) if not line.startswith("#")]
    assert len(pins) == 3
    assert all("--hash=sha256:" in pin for pin in pins)


def test_development_pins_are_exact() -> None:
    pins = _pins("requirements-dev.txt")
    assert {"ruff", "mypy", "pytest", "coverage", "hypothesis"} <= set(pins)
    assert set(pins).isdisjoint(_pins("scripts/baton/edge/packages.txt"))


def test_the_oldest_python_is_the_same_everywhere() -> None:
    assert _project()["requires-python"] == ">=3.11"
    assert "3.11 or newer" in (HOOKS / "run").read_text(encoding="utf-8")
    assert "3.11" in (ROOT / "README.md").read_text(encoding="utf-8")
