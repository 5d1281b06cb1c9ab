"""Which file a passport's name means, and where passports are looked for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from baton.core.errors import BatonError
from baton.edge.passport import place
from baton.hot import passports
from commands import refused
from passports import NAME, ON, Shelf


@pytest.mark.parametrize(
    ("cwd", "typed", "name"),
    [
        (".", NAME, NAME),
        ("sub", NAME, NAME),
        ("sub", "../passports/paper.yaml", NAME),
        ("sub", "own.yaml", "sub/own.yaml"),
        ("sub", "absent.yaml", "sub/absent.yaml"),
        ("link", "inner.yaml", "passports/inner.yaml"),
    ],
)
def test_a_path_as_typed(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch, cwd: str, typed: str, name: str
) -> None:
    shelf.lay()
    (shelf.root / "sub").mkdir()
    (shelf.root / "sub/own.yaml").touch()
    (shelf.root / "link").symlink_to("passports")
    monkeypatch.chdir(shelf.root / cwd)
    found = place.named(shelf.project, typed)
    assert (found.name, found.path) == (name, str(shelf.root / name))


def test_a_folder_that_leads_out(shelf: Shelf, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "p.yaml").touch()
    (shelf.root / "link").symlink_to(outside)
    with pytest.raises(BatonError) as caught:
        place.named(shelf.project, "link/p.yaml")
    assert (caught.value.code, caught.value.message) == (
        "bad-path", f"link/p.yaml: outside the project {shelf.root}; nothing was done"
    )  # fmt: skip


def test_a_working_folder_that_is_gone(shelf: Shelf, tmp_path: Path) -> None:
    shelf.lay()
    gone = tmp_path / "gone"
    gone.mkdir()
    os.chdir(gone)
    gone.rmdir()
    assert place.named(shelf.project, NAME).name == NAME


def test_where_passports_are_looked_for(shelf: Shelf) -> None:
    for name in ("passports/a.yaml", "passports/b.yml", "passports/c.y1ml", "passports/d.json", "passports/.e.yaml",
                 "material_passport.yaml", "material_passport_2.yml", "other.yaml", "deep/passports/f.yaml",
                 "written.json", "passports/yml"):  # fmt: skip
        path = shelf.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    for name in ("written.json", "gone.yaml", "passports/a.yaml", "written.json"):
        passports.note(shelf.state, name)
    found = [each.name for each in place.candidates(shelf.project, shelf.state)]
    assert found == [
        "material_passport.yaml", "material_passport_2.yml", "passports/a.yaml", "passports/b.yml",
        "passports/c.y1ml", "written.json",
    ]  # fmt: skip
    assert passports.written(shelf.state) == ["gone.yaml", "passports/a.yaml", "written.json"]


def test_a_passport_in_its_place_may_be_no_link(shelf: Shelf) -> None:
    shelf.lay()
    shelf.path.rename(shelf.root / "elsewhere.yaml")
    shelf.path.symlink_to("../elsewhere.yaml")
    said = shelf("verify", NAME)
    assert (said.code, said.err) == (
        2,
        f"baton: {NAME} is a link; nothing was read\ntry: ls -ld {shelf.path}\n",
    )
    shelf.path.unlink()
    shelf.path.mkdir()
    said = shelf("verify", NAME)
    assert (said.code, said.err) == (
        5,
        f"baton: {NAME} cannot be read: not a regular file\ntry: ls -ld {shelf.path}\n",
    )


def test_a_folder_of_passports_that_leads_out_of_the_project(shelf: Shelf, tmp_path: Path) -> None:
    """A cloned repository can bring such a link along: another project's passport is not written to."""
    outside = tmp_path / "outside"
    outside.mkdir()
    theirs = outside / "paper.yaml"
    theirs.write_text("a: 1\n")
    (shelf.root / "passports").symlink_to(outside)
    said = shelf("boundary", "--stage", "1", "--next", "2", **ON)
    told = f"{NAME} is reached by a link that leads out of the project; nothing was done"
    assert said == refused(2, told, f"ls -ld {shelf.root}/passports")
    assert theirs.read_text() == "a: 1\n"
    said = shelf("awaiting")
    assert (said.code, said.out, said.err) == (1, "nothing could be read\n", f"baton: {told}\n")


def test_a_folder_of_passports_that_is_a_link_within_the_project(shelf: Shelf) -> None:
    """It goes by its own name whichever way it is reached, and so has one mark, and git can keep it."""
    (shelf.root / "real").mkdir()
    (shelf.root / "real/paper.yaml").write_text("a: 1\n")
    (shelf.root / "passports").symlink_to("real")
    assert shelf("boundary", "--stage", "1", "--next", "2", **ON).code == 0
    assert passports.written(shelf.state) == ["real/paper.yaml"]
    assert [each.name for each in place.candidates(shelf.project, shelf.state)] == [
        "real/paper.yaml"
    ]
