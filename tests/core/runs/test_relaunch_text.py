"""baton.core.runs.relaunch: which texts are written, and how much goes into each; no engine is needed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from baton.core.runs import relaunch
from baton.core.runs.relaunch import LIMIT, Job, TooLarge, inlined

HEAD = "export const meta = {name: 'flow', description: 'x'}\n"
JOB = Job(f"{HEAD}return 1\n", True, None, [], {}, "r1", 2, "/p/relaunch-2")


def _sizes(job: Job) -> dict[str, int]:
    return {path: len(text.encode()) for path, text in relaunch.write(job).files.items()}


def _padded(size: int) -> Job:
    """A job whose script comes to so many bytes."""
    [without] = _sizes(JOB).values()
    return replace(JOB, script=f"{JOB.script}//{'x' * (size - without - 2)}")


def test_a_script_may_fill_its_file_and_no_more() -> None:
    assert _sizes(_padded(LIMIT)) == {"/p/relaunch-2.js": LIMIT}
    with pytest.raises(TooLarge, match=f"{LIMIT + 1}; a script file may have {LIMIT}"):
        relaunch.write(_padded(LIMIT + 1))


def test_data_files_are_made_where_they_help_alone() -> None:
    """Not while there is room, and not for what would save nothing."""
    assert list(_sizes(replace(JOB, args="x" * 5000))) == ["/p/relaunch-2.js"]
    full = _padded(LIMIT - 2000)
    assert list(_sizes(replace(full, args="x" * 500))) == ["/p/relaunch-2.js"]
    assert list(_sizes(replace(full, args="x" * 1900))) == [
        "/p/relaunch-2-args-0.js",
        "/p/relaunch-2.js",
    ]


def test_each_file_of_a_large_value_stays_below_the_limit() -> None:
    sizes = _sizes(replace(JOB, args="ü\\" * 400_000))
    assert len(sizes) > 4
    assert max(sizes.values()) <= relaunch.ROOM + 1000


NAMED = "export const meta = {name: 'own name', description: 'x'}\nreturn 1\n"
SHOWN = {
    "child": "own name",
    "plugin:child": "plugin:child",
    "folder/child.js": "own name",
    "C:/folder/child.js": "own name",
}


def test_a_child_is_shown_by_its_own_name_or_as_its_plugin_calls_it() -> None:
    found = inlined(dict.fromkeys(SHOWN, NAMED))
    assert {called: shown for called, (shown, _) in found.items()} == SHOWN
    assert {body for _, body in found.values()} == {"return 1\n"}


def test_what_is_no_script_is_no_child_whatever_stood_before_it() -> None:
    assert list(inlined({"a": NAMED, "b": "no script", "c": NAMED})) == ["a", "c"]
    assert inlined({"a": NAMED + "globalThis.x = 1"}) == {}
