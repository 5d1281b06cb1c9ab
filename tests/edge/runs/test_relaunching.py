"""baton.edge.runs.relaunching: the script of a relaunch, written where it may stand, from the
original alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from baton.core.errors import BatonError
from baton.edge.runs import relaunching
from baton.edge.runs.relaunching import Prepared, Wish
from baton.hot.runs import layout
from runs_desk import FOUR, Desk, asked

CHILD = "export const meta = {name: 'kid', description: 'd'}\nreturn 1\n"


def _killed(desk: Desk, **more: object) -> Desk:
    desk.prepare(args=["a1", "a2", "a3"], **more)  # type: ignore[arg-type]
    desk.launch()
    desk.ran("a1", "a2", left=("a3",))
    return desk


def _prepare(desk: Desk, wish: Wish | None = None) -> Prepared:
    return relaunching.prepare(desk.harvest().run, wish or Wish())


def _refusal(desk: Desk, wish: Wish | None = None) -> tuple[str, str, str]:
    with pytest.raises(BatonError) as caught:
        _prepare(desk, wish)
    assert not list(Path(desk.place().folder).glob("relaunch-*"))
    return caught.value.code, caught.value.message, caught.value.hint


def test_a_script_in_the_runs_folder(desk: Desk) -> None:
    made = _prepare(_killed(desk))
    assert made.path == f"{desk.place().folder}/relaunch-2.js"
    assert (made.attempt, made.edited, made.live, made.budget) == (2, [], [], False)
    assert [saved.label for saved in made.plan.saved] == ["label a1", "label a2"]
    written = Path(made.path).read_text(encoding="utf-8")
    assert layout.marker("r1", 2) in written
    assert "a1" in written
    again = _prepare(desk)
    assert (again.path, Path(again.path).read_text(encoding="utf-8")) == (made.path, written)


def test_the_next_one_has_the_next_number(desk: Desk) -> None:
    _prepare(_killed(desk))
    desk.launch(run_id="wf_second")
    desk.host.agent("b3", asked("x"), run_id="wf_second")
    Path(desk.place().folder, "relaunch-2-saved-0.js").write_text("data of the one before")
    assert _prepare(desk).path.endswith("/relaunch-3.js")
    # An older one would ask again for what came in since.
    assert [n for n in desk.place().listing("") if n.startswith("relaunch")] == ["relaunch-3.js"]


def test_never_launched(desk: Desk) -> None:
    desk.prepare()
    assert _prepare(desk).path.endswith("/relaunch-1.js")


def test_an_edited_script_stops(desk: Desk) -> None:
    _killed(desk).place().write("script.js", FOUR.replace("task", "job").encode())
    assert _refusal(desk) == (
        "snapshot-changed",
        "script.js of run r1: not what was launched; nothing was written",
        "baton run relaunch r1 --edited, if that is meant; or bring the old text back",
    )
    made = _prepare(desk, Wish(edited=True))
    assert made.edited == ["script.js"]
    assert not any(saved.by_label for saved in made.plan.saved)


def test_an_edited_spec_and_edited_args_stop(desk: Desk) -> None:
    place = _killed(desk).place()
    snapshot = layout.snapshot(place)
    digests = snapshot["digests"]
    assert isinstance(digests, dict)
    digests["spec.md"] = layout.digest(b"old")
    snapshot["args"] = ["a1"]
    place.write("snapshot.json", layout.render(snapshot))
    place.write("spec.md", b"new")
    assert _refusal(desk)[1] == (
        "spec.md and args of run r1: not what was launched; nothing was written"
    )
    made = _prepare(desk, Wish(edited=True))
    assert all(saved.by_label for saved in made.plan.saved)
    place.write("spec.md", b"old")
    assert _refusal_of_args(desk)


def _refusal_of_args(desk: Desk) -> bool:
    with pytest.raises(BatonError, match=r"^args of run r1: not what was launched"):
        _prepare(desk)
    return True


def test_args_of_this_launch(desk: Desk) -> None:
    made = _prepare(_killed(desk), Wish(args=[["only-this"]]))
    assert '["only-this"]' in Path(made.path).read_text(encoding="utf-8")
    made = _prepare(desk, Wish(args=[None]))
    assert "JSON.parse('null')" in Path(made.path).read_text(encoding="utf-8")


def test_strict(desk: Desk) -> None:
    assert not any(s.by_label for s in _prepare(_killed(desk), Wish(strict=True)).plan.saved)


def test_children_and_budget(desk: Desk) -> None:
    live = CHILD.replace("1", "globalThis.x")
    script = FOUR + "// budget\n"
    made = _prepare(_killed(desk, script=script, children={"kid": CHILD, "own": live}))
    assert (made.live, made.budget) == (["own"], True)
    assert "__baton_child0" in Path(made.path).read_text(encoding="utf-8")


def test_no_script(desk: Desk) -> None:
    _killed(desk, script="")
    again = "baton run relaunch r1"
    assert _refusal(desk) == (
        "no-run",
        "run r1 has no script.js: no hook saw its launch, and no session here tells of it",
        f"{again} --config-dir DIR; or cp SCRIPT {desk.place().folder}/script.js, then {again}",
    )


def test_no_script_and_another_engine(desk: Desk) -> None:
    place = desk.place()
    place.write("snapshot.json", b'{"engine": "other"}')
    assert _refusal(desk) == (
        "no-run",
        "run r1 has no script.js: only a run of the Workflow tool can be relaunched",
        "baton run remaining r1",
    )


def test_a_script_that_is_none(desk: Desk) -> None:
    _killed(desk, script="return 1")
    assert _refusal(desk) == (
        "usage",
        "run r1 cannot be relaunched: expected `export const meta = {…}`, no `export` at 0",
        "baton run remaining r1, then launch what is left by hand",
    )
    desk.place().write("script.js", b"\xff")
    assert _refusal(desk, Wish(edited=True))[:2] == (
        "usage",
        "script.js of run r1 is not UTF-8 text",
    )


def test_what_holds_a_secret_stays_out_of_git(desk: Desk) -> None:
    _killed(desk)
    desk.host.result("a3", "AKIA" + "ABCDEFGHIJKLMNOP")
    made = _prepare(desk)
    assert made.path == f"{desk.place().private}/relaunch-2.js"
    assert not list(Path(desk.place().folder).glob("relaunch-*"))


def test_what_is_too_large_stays_out_of_git(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    _killed(desk).harvest()
    monkeypatch.setattr(layout, "CAP", 100)
    assert _prepare(desk).path == f"{desk.place().private}/relaunch-2.js"


def test_data_files_stand_beside_it(desk: Desk) -> None:
    _killed(desk)
    desk.host.result("a3", "x" * 600_000)
    made = _prepare(desk)
    names = sorted(os.listdir(os.path.dirname(made.path)))
    assert [name for name in names if name.startswith("relaunch")] == [
        "relaunch-2-saved-0.js",
        "relaunch-2-saved-1.js",
        "relaunch-2.js",
    ]
    assert f"{os.path.dirname(made.path)}/relaunch-2-saved-1.js" in Path(made.path).read_text()


def test_what_cannot_be_written_is_said(desk: Desk) -> None:
    run = _killed(desk).harvest().run
    (Path(desk.place().folder) / "relaunch-2.js").mkdir()
    with pytest.raises(BatonError) as caught:
        relaunching.prepare(run, Wish())
    assert (caught.value.code, caught.value.hint) == ("io", f"ls -la {desk.place().folder}")
