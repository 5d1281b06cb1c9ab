"""baton.hot.runs.layout: the folder of a run, read and written."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from baton.hot import project
from baton.hot.project import Project
from baton.hot.runs import layout
from baton.hot.runs.layout import Place
from baton.hot.state import State


@pytest.fixture
def found(repo: Path) -> Project:
    here = project.locate({}, str(repo))
    assert here is not None
    return here


@pytest.fixture
def state(found: Project) -> State:
    return State(found, dict(os.environ))


@pytest.fixture
def place(found: Project, state: State) -> Place:
    return Place(found, state, "wf_1")


def test_a_file_stands_in_one_place_only(place: Place) -> None:
    place.write("script.js", b"one")
    assert place.exists
    place.write("script.js", b"two", private=True)
    assert place.read("script.js") == b"two"
    assert not (Path(place.folder) / "script.js").exists()
    assert place.has("script.js")
    place.write("script.js", b"three")
    assert not (Path(place.private) / "script.js").exists()
    place.remove("script.js")
    assert place.read("script.js") is None
    assert not place.has("script.js")


def test_listing_joins_both_places_and_leaves_out_what_a_killed_writer_left(place: Place) -> None:
    place.write("results/b.json", b"{}")
    place.write("results/a.json", b"{}", private=True)
    (Path(place.folder) / "results/c.json.77.tmp").write_text("{")
    assert place.listing("results") == ["a.json", "b.json"]
    assert place.listing("journal") == []


@pytest.mark.parametrize("link", [".claude", ".claude/workflows", ".claude/workflows/runs"])
def test_nothing_is_written_through_a_link_out_of_the_project(
    repo: Path, tmp_path: Path, place: Place, link: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (repo / link).parent.mkdir(parents=True, exist_ok=True)
    (repo / link).symlink_to(outside)
    with pytest.raises(OSError, match="a symbolic link leads elsewhere"):
        place.write("script.js", b"x")
    assert list(outside.iterdir()) == []


def test_what_is_too_large_is_not_read(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.write("script.js", b"12345")
    monkeypatch.setattr(layout, "LIMIT", 4)
    with pytest.raises(OSError, match="File too large"):
        place.read("script.js")


NAMES = {
    "wf_9f05723c-7b2": True,
    "review.2": True,
    "": False,
    ".hidden": False,
    "-option": False,
    "../up": False,
    "a/b": False,
    "a b": False,
    "ü": False,
    "x" * 81: False,
}


@pytest.mark.parametrize(("name", "good"), NAMES.items(), ids=[repr(name)[:20] for name in NAMES])
def test_names(name: str, good: bool) -> None:
    assert layout.valid(name) is good


def test_the_runs_of_a_project(found: Project, repo: Path, place: Place) -> None:
    assert layout.names(found) == []
    place.write("script.js", b"")
    (repo / layout.RUNS / "not a run").mkdir()
    (repo / layout.RUNS / "file").write_text("")
    assert layout.names(found) == ["wf_1"]


class TestFind:
    def test_by_its_note(self, found: Project, state: State) -> None:
        other = Place(found, state, "review")
        other.write("spec.md", b"")
        layout.point(state, "wf_7", "review")
        known = layout.find(found, state, "wf_7")
        assert known is not None
        assert known.name == "review"

    def test_by_its_folder(self, found: Project, state: State, place: Place) -> None:
        assert layout.find(found, state, "wf_1") is None
        layout.add_attempt(place, {"attempt": 1, "run_id": "wf_1"})
        layout.point(state, "wf_1", "gone")
        known = layout.find(found, state, "wf_1")
        assert known is not None
        assert known.name == "wf_1"

    def test_by_its_attempts(self, found: Project, state: State) -> None:
        layout.add_attempt(Place(found, state, "a"), {"attempt": 1, "run_id": "wf_2"})
        layout.add_attempt(Place(found, state, "b"), {"attempt": 1, "run_id": "wf_3"})
        layout.add_attempt(Place(found, state, "b"), {"attempt": 2, "run_id": "wf_4"})
        known = layout.find(found, state, "wf_4")
        assert known is not None
        assert known.name == "b"
        assert layout.find(found, state, "wf_5") is None

    def test_no_name_leads_out_of_the_runs(self, found: Project, state: State) -> None:
        assert layout.find(found, state, "../../x") is None


def test_attempts(place: Place) -> None:
    assert layout.attempts(place) == ([], 0)
    layout.add_attempt(place, {"attempt": 1, "run_id": "pending"})
    layout.add_attempt(place, {"attempt": 2, "run_id": "wf_2"})
    layout.add_attempt(place, {"attempt": 1, "run_id": "wf_1"})
    with open(os.path.join(place.folder, "attempts.jsonl"), "ab") as file:
        file.write(b'{"attempt": "x"}\n\n{"attempt": 3, "ru')
    done, bad = layout.attempts(place)
    assert [(each["attempt"], each["run_id"]) for each in done] == [(1, "wf_1"), (2, "wf_2")]
    assert bad == 2
    layout.add_attempt(place, {"attempt": 3, "run_id": "wf_3"})
    assert len(layout.attempts(place)[0]) == 3


def test_a_snapshot_with_the_parts_that_were_withheld(place: Place) -> None:
    assert layout.snapshot(place) == {}
    place.write("snapshot.json", layout.render({"args": None, "children": {"a": "b"}}))
    assert layout.snapshot(place) == {"args": None, "children": {"a": "b"}}
    place.write("args.json", layout.render({"args": [1]}), private=True)
    place.write("children.json", b"{damaged", private=True)
    assert layout.snapshot(place) == {"args": [1], "children": {"a": "b"}}


def test_results(place: Place) -> None:
    assert layout.result_file("a1") == "results/agent-a1.json"
    place.write("results/agent-a1.json", layout.render({"agent": "a1"}))
    place.write("results/b.json", b"{half", private=False)
    place.write("results/notes.txt", b"{}")
    assert layout.results(place) == (
        [("agent-a1.json", {"agent": "a1"})],
        ["b.json", "notes.txt"],
    )


MARKS = {
    "/* baton relaunch run=wf_1-a attempt=2 */": "wf_1-a",
    "x;/* baton relaunch run=review attempt=10 */globalThis.args=1": "review",
    "/* baton relaunch run=../x attempt=2 */": "",
    "/* baton relaunch run=a attempt=two */": "",
    "/* baton relaunch run=a */": "",
    "/* baton relaunch run=a attempt=2": "a",
    "agent('x')": "",
}


@pytest.mark.parametrize(("script", "run"), MARKS.items(), ids=list(map(str, range(len(MARKS)))))
def test_the_mark_of_a_relaunch(script: str, run: str) -> None:
    assert layout.marked(script) == run


def test_the_mark_is_read_as_it_is_written() -> None:
    assert layout.marked(f"a {layout.marker('wf_1', 3)} b") == "wf_1"


VALUES: list[object] = [
    None,
    True,
    3,
    2.5,
    "Việt \ud800 \u2028 \x00",
    [1.0, {"a": [None]}],
    {"__proto__": {}},
]


@pytest.mark.parametrize("value", VALUES, ids=list(map(str, range(len(VALUES)))))
def test_any_json_value_comes_back(value: object) -> None:
    data = layout.render({"a": value, "b": 1})
    assert data.isascii()
    assert data.count(b"\n") == 4
    assert layout.parse(data) == {"a": value, "b": 1} == json.loads(data)
    assert layout.parse(layout.line({"a": value})) == {"a": value}


def test_what_is_no_object_is_nothing() -> None:
    assert [layout.parse(data) for data in (b"", b"[1]", b"{", b"\xff")] == [{}] * 4


def test_all_text_of_a_value_as_it_reads() -> None:
    value = {"a": ["x\ny", {"password": "—pw"}], "b": None, "c": 1.5}
    assert layout.words(value) == "a: x\ny\npassword: —pw\nb: None\nc: 1.5"


def test_digests() -> None:
    empty = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert layout.digest(b"") == layout.digest("") == layout.value_digest("") == empty
    assert layout.value_digest("\ud800") == layout.digest(b"\xed\xa0\x80")
    assert layout.value_digest({"a": 1.5}) == layout.digest('{"a": 1.5}')


def test_moments() -> None:
    assert layout.stamp(0) == "1970-01-01T00:00:00Z"
    assert len(layout.stamp()) == 20
