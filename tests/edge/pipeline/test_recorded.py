"""Files as they are recorded, and what becomes of them."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from baton.core.errors import BatonError
from baton.core.pipeline.state import Pipeline
from baton.edge.pipeline import recorded
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
    assert _refused(project, "/etc/passwd")[0] == "bad-path"


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
