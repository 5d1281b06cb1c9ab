"""baton.core.setup.plan: what is shown before it is written, and which files are baton's own."""

from __future__ import annotations

import pytest

from baton.core.setup import plan
from baton.core.setup.plan import MANIFEST, Change


def changed(name: str, old: bytes | None, new: bytes | None) -> Change:
    return Change(name, f"/p/{name}", old, new)


def test_needed() -> None:
    assert not changed("a", b"1", b"1").needed
    assert changed("a", b"1", b"2").needed
    assert Change("a", "/a", b"1", b"1", executable=True).needed
    assert not Change("a", "/a", b"1", b"1", True, True).needed
    assert not Change("a", "/a", b"1", b"1", False, True).needed


def test_the_diff() -> None:
    changes = [
        changed("new", None, b"one\n"),
        changed("gone", b"one", None),
        changed("edited", b"a\n\tb\x1b[31m\n", b"a\n\tc"),
        changed(".claude/baton/x", None, b"x"),
        changed(".claude/baton/y", None, b"y"),
    ]
    assert plan.diff(changes) == (
        "--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+one\n"
        "--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n\\ No newline at end of file\n"
        "--- a/edited\n+++ b/edited\n@@ -1,2 +1,2 @@\n a\n-\tb\ufffd[31m\n+\tc\n"
        "\\ No newline at end of file\n"
        "2 files of baton's own in .claude/baton/\n"
    )
    assert plan.diff([]) == ""


def test_the_summary() -> None:
    changes = [
        changed("a", None, b""),
        changed("b\n", b"", None),
        changed("c", b"", b"1"),
        changed(MANIFEST, None, b"1"),
        changed(MANIFEST, b"1", b"2"),
        changed(".claude/baton/y", None, b"y"),
    ]
    assert plan.summary(changes) == ["+ a", "- b", "~ c", "+ .claude/baton/ (2 files)"]
    assert plan.summary([]) == []


def test_the_manifest() -> None:
    assert plan.digest(b"") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    one = {".claude/baton/a": ["1"], ".claude/commands/p.md": ["2"]}
    data = plan.render_manifest("0.1.0", one)
    assert data.startswith(b'{\n "version": "0.1.0",\n')
    assert plan.read_manifest(data) == one
    two = {".claude/baton/a": ["3"], ".claude/baton/b": ["4"]}
    assert plan.both(one, two) == {
        ".claude/baton/a": ["1", "3"],
        ".claude/baton/b": ["4"],
        ".claude/commands/p.md": ["2"],
    }


VERSIONS = {"0.1.0": "", "0.1.1": "0.1.1", "0.0.9": "", "1.0": "1.0", "0.10.0": "0.10.0", "x": ""}


@pytest.mark.parametrize(("theirs", "told"), VERSIONS.items(), ids=list(VERSIONS))
def test_a_newer_copy(theirs: str, told: str) -> None:
    assert plan.newer(plan.render_manifest(theirs, {}), "0.1.0") == told


DAMAGED = [None, b"", b"{", b"[]", b'{"files": 3}', b'{"files": {"a": 3}}', b"\xff", b"[" * 100_000]


@pytest.mark.parametrize("data", DAMAGED)
def test_a_damaged_manifest_names_nothing(data: bytes | None) -> None:
    assert plan.read_manifest(data) == {}
    assert plan.newer(data, "0.1.0") == ""


@pytest.mark.parametrize(
    "name",
    [
        "/etc/passwd",
        "../x",
        ".claude/../x",
        ".claude/baton/../../../x",
        ".claude/settings.json",
        "src/a",
        "",
    ],
)
def test_a_manifest_speaks_of_batons_own_files_alone(name: str) -> None:
    assert plan.read_manifest(plan.render_manifest("1", {name: ["1"]})) == {}
