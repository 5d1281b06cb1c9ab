"""Files as they are recorded, and what becomes of them."""

from __future__ import annotations

import errno
import hashlib
import os
from pathlib import Path

import pytest

from baton.core.errors import BatonError
from baton.core.pipeline.state import Pipeline
from baton.edge.pipeline import recorded
from baton.hot import files
from baton.hot import project as projects


@pytest.fixture
def project(repo: Path, monkeypatch: pytest.MonkeyPatch) -> projects.Project:
    """A project, the working folder a folder of it."""
    found = projects.locate({}, str(repo))
    assert found is not None
    (repo / "text").mkdir()
    monkeypatch.chdir(repo / "text")
    return found


@pytest.mark.parametrize("name", ["draft.md", "bản thảo $1 'a'.md"])
def test_a_file_is_recorded_as_the_project_names_it(project: projects.Project, name: str) -> None:
    Path(name).write_bytes(b"x" * 3_000_000)
    digest = hashlib.sha256(b"x" * 3_000_000).hexdigest()
    for typed in (name, f"text/{name}", os.path.abspath(name)):
        found = recorded.record(project, typed, "FILE")
        assert (found.path, found.size, found.digest) == (f"text/{name}", 3_000_000, digest)


def test_a_link_is_what_it_leads_to(project: projects.Project, tmp_path: Path) -> None:
    Path("real.md").write_text("x")
    os.symlink("real.md", "link.md")
    assert recorded.record(project, "link.md", "FILE").path == "text/real.md"
    (tmp_path / "outside.md").write_text("x")
    os.symlink(tmp_path / "outside.md", "out.md")
    with pytest.raises(BatonError) as caught:
        recorded.record(project, "out.md", "--draft")
    assert caught.value.code == "bad-path"
    assert caught.value.message == (
        f"--draft out.md: outside the project {project.root}; nothing was recorded"
    )


def _refused(project: projects.Project, typed: str) -> tuple[str, str]:
    with pytest.raises(BatonError) as caught:
        recorded.record(project, typed, "--report")
    return caught.value.code, caught.value.message


def test_what_is_no_file(project: projects.Project) -> None:
    Path("empty.md").touch()
    os.mkfifo("pipe.md")
    Path("secret.md").write_text("x")
    end = "; nothing was recorded"
    assert _refused(project, "empty.md") == (
        "missing-material",
        f"--report empty.md: the file is empty{end}",
    )
    assert _refused(project, "no.md") == (
        "missing-material",
        f"--report no.md: there is no such file{end}",
    )
    assert _refused(project, "pipe.md") == (
        "bad-path",
        f"--report pipe.md: not a regular file{end}",
    )
    assert _refused(project, "../text") == (
        "bad-path",
        f"--report ../text: not a regular file{end}",
    )


@pytest.mark.parametrize("typed", ["/etc/passwd", "..", "../..", "../../{root}-beside/x.md"])
def test_what_lies_outside_the_project(project: projects.Project, typed: str) -> None:
    root = Path(project.root)
    beside = root.with_name(f"{root.name}-beside")
    beside.mkdir()
    (beside / "x.md").write_text("x")
    typed = typed.format(root=root.name)
    with pytest.raises(BatonError) as caught:
        recorded.record(project, typed, "FILE")
    assert (caught.value.code, caught.value.message, caught.value.hint) == (
        "bad-path",
        f"FILE {typed}: outside the project {root}; nothing was recorded",
        f"cp {typed} {root}",
    )


def test_asked_from_outside_the_project_its_own_file_is_meant(
    project: projects.Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("draft.md").write_text("outside")
    Path(project.root, "draft.md").write_text("inside")
    assert recorded.record(project, "draft.md", "FILE").size == len("inside")
    assert _refused(project, "no.md")[0] == "missing-material"


def test_a_folder_that_was_removed_is_no_working_folder(
    project: projects.Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path(project.root, "draft.md").write_text("x")
    os.mkdir("gone")
    monkeypatch.chdir("gone")
    os.rmdir(Path(project.root, "text/gone"))
    assert recorded.record(project, "draft.md", "FILE").path == "draft.md"
    assert _refused(project, "no.md")[0] == "missing-material"


def test_a_file_that_is_closed_to_us(
    project: projects.Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tests may run as root, to whom none is."""
    Path("draft.md").write_text("x")

    def refuse(path: str) -> int:
        raise PermissionError(errno.EACCES, "Permission denied", path)

    made = recorded.record(project, "draft.md", "FILE")
    monkeypatch.setattr(files, "open_regular", refuse)
    with pytest.raises(BatonError) as caught:
        recorded.record(project, "draft.md", "FILE")
    assert (caught.value.code, caught.value.message, caught.value.hint) == (
        "bad-path",
        "FILE draft.md: Permission denied; nothing was recorded",
        f"ls -ld {project.root}/text",
    )
    pipeline = Pipeline("1", materials={"Bibliography": (made,)})
    assert recorded.facts(project, pipeline).gone(made)


def test_a_name_that_no_log_can_hold(project: projects.Project) -> None:
    name = os.fsdecode(b"\xff.md")
    Path(name).write_text("x")
    code, message = _refused(project, name)
    assert (code, message) == (
        "bad-path",
        "--report: its name is not UTF-8 text; nothing was recorded",
    )


def test_what_became_of_recorded_files(project: projects.Project) -> None:
    Path("a.md").write_text("a")
    Path("b.md").write_text("b")
    made = recorded.record(project, "a.md", "FILE"), recorded.record(project, "b.md", "FILE")
    pipeline = Pipeline("1", materials={"Review Reports": made})
    pipeline = pipeline.with_stage("2.5", draft=made[0])
    assert not any(recorded.facts(project, pipeline).changed(each) for each in made)
    Path("a.md").write_text("c")
    Path("b.md").unlink()
    facts = recorded.facts(project, pipeline)
    assert [(facts.changed(each), facts.gone(each)) for each in made] == [
        (True, False),
        (True, True),
    ]
    assert recorded.facts(project, None).digests == {}


def test_each_file_is_read_once(project: projects.Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """The draft that a check passed is a material, too."""
    Path("draft.md").write_text("a")
    made = recorded.record(project, "draft.md", "FILE")
    pipeline = Pipeline("1", materials={"Paper Draft": (made,), "Verified Paper Draft": (made,)})
    pipeline = pipeline.with_stage("2.5", draft=made)
    opened: list[str] = []
    real = files.open_regular

    def count(path: str) -> int:
        opened.append(path)
        return real(path)

    monkeypatch.setattr(files, "open_regular", count)
    assert recorded.facts(project, pipeline).digests == {"text/draft.md": made.digest}
    assert opened == [project.path("text/draft.md")]
