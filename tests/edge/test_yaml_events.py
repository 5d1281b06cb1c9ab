"""baton.edge.yaml_events: the event stream with its places, and what libyaml refuses."""

from __future__ import annotations

import pytest
import yaml

from baton.core.errors import BatonError
from baton.core.passport.events import Event, Unreadable
from baton.edge import yaml_events


def told(text: str) -> list[tuple[str, str, str]]:
    """Each event's kind, style and the text between its places."""
    return [(e.kind, e.style, text[e.start : e.end]) for e in yaml_events.events(text)]


def test_every_kind_with_its_place() -> None:
    text = "--- # ü😀\r\na: &x 'it''s'\r\nb: [*x, \"q\", ]\r\nc: !t |\r\n  lit\r\nd: >-\r\n  fold\r\ne:\r\n...\r\n"
    assert told(text) == [
        ("document", "", "---"),
        ("mapping", "block", ""),
        ("scalar", "plain", "a"),
        ("scalar", "single", "&x 'it''s'"),
        ("scalar", "plain", "b"),
        ("sequence", "flow", "["),
        ("alias", "", "*x"),
        ("scalar", "double", '"q"'),
        ("end", "", "]"),
        ("scalar", "plain", "c"),
        ("scalar", "literal", "!t |\r\n  lit\r\n"),
        ("scalar", "plain", "d"),
        ("scalar", "folded", ">-\r\n  fold\r\n"),
        ("scalar", "plain", "e"),
        ("scalar", "plain", ""),
        ("end", "", ""),
        ("document-end", "", "..."),
    ]


def test_values_anchors_and_tags() -> None:
    events = list(yaml_events.events("%TAG !e! tag:e,\n---\n&m !<tag:m> {? 2.5 : *m}\n"))
    assert (events[0].kind, events[0].tag, events[0].explicit) == ("document", "!e!", True)
    assert events[1:] == [
        Event("mapping", 20, 33, "", "flow", "m", "tag:m"),
        Event("scalar", 35, 38, "2.5", "plain"),
        Event("alias", 41, 43, "m"),
        Event("end", 43, 44),
        Event("document-end", 45, 45),
    ]


def test_no_document() -> None:
    assert told("# nothing\n") == []


# text → index, what
BAD = {
    "open": ("a: [1", 5, "did not find expected ',' or ']'"),
    "tab": ("ü:\n\t- b", 3, "found character that cannot start any token"),
    "control": ("ü😀\n\x07", 3, "control characters are not allowed"),
    "a bracket too many": ("a: ]\n", 3, "did not find expected node content"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_no_yaml(case: str) -> None:
    text, index, what = BAD[case]
    with pytest.raises(Unreadable) as caught:
        list(yaml_events.events(text))
    assert (caught.value.index, caught.value.what) == (index, what)


def test_without_its_c_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(yaml, "CSafeLoader")
    with pytest.raises(BatonError) as caught:
        list(yaml_events.events("a: 1"))
    error = caught.value
    assert (error.code, error.message, error.hint) == (
        "no-environment",
        "PyYAML was installed without libyaml, its C library",
        "baton doctor",
    )
