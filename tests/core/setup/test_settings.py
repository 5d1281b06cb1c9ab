"""baton.core.setup.settings and json_text: what is not baton's stays the same to the byte."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baton.core.setup import json_text, settings
from baton.core.setup.json_text import Malformed
from baton.core.setup.settings import RULES, Wanted

COMMAND = {
    "type": "command",
    "command": "sh",
    "args": ["-c", "x", "${CLAUDE_PLUGIN_ROOT}/hooks/run", "flush"],
    "timeout": 10,
}
HOOKS = settings.of_project(
    {
        "Stop": [{"hooks": [COMMAND]}],
        "PreToolUse": [{"matcher": "Workflow", "hooks": [COMMAND, {**COMMAND, "timeout": 5}]}],
    }
)
ALL = Wanted(hooks=HOOKS, status_line=settings.status_line())
OTHERS = {"type": "command", "command": "say done"}


def with_crlf(text: str) -> str:
    return text.replace("\n", "\r\n")


LONG = json.dumps(
    {
        "permissions": {"allow": ["Bash(ls:*)"], "deny": ["Read(./.env)"]},
        "hooks": {
            "Stop": [{"hooks": [OTHERS]}],
            "PostToolUse": [{"matcher": "Write", "hooks": [OTHERS]}],
        },
        "env": {"A": "\\u00e9 é \ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16")},
    },
    indent=4,
    ensure_ascii=False,
)
FILES = {
    "none": "",
    "blank": " \n",
    "an empty object": "{}",
    "an empty object on two lines": "{\n}\n",
    "an empty object with a blank": "{ }\n",
    "one line": '{"model": "opus"}',
    "one dense line": '{"a":1,"permissions":{"allow":[]}}\n',
    "one dense line with much": json.dumps(json.loads(LONG), separators=(",", ":")),
    "tabs": '{\n\t"model": "opus"\n}\n',
    "lists on one line": '{\n  "permissions": {"allow": ["Read(./x)", "Bash(ls:*)"]},\n  "x": 1\n}\n',
    "empty lists of all kinds": (
        '{\n  "permissions": {\n    "allow": [ ]\n  },\n  "hooks": {\n    "Stop": [\n    ]\n  }\n}'
    ),
    "empty objects": '{"permissions": { }, "hooks": {}}\n',
    "hooks of others": LONG,
    "hooks of others, CRLF": with_crlf(LONG) + "\r\n",
    "odd blanks": '  {\n "a" :\n [ 1 , {"b":[ ]}\n ],"hooks"\t:{"Stop":[] } }\n\n',
    "strings that look like JSON": '{"a": "}],{\\"", "hooks": {"x]": [ "," ]}}',
    "a rule of ours, written by hand": '{"permissions": {"allow": ["Bash(baton wal:*)"]}}',
    "a status line": '{"statusLine": {"type": "command", "command": "date"}}',
}


@pytest.mark.parametrize("text", FILES.values(), ids=FILES)
@pytest.mark.parametrize("wanted", [Wanted(), ALL], ids=["rules", "all"])
def test_put_in_and_taken_out(text: str, wanted: Wanted) -> None:
    merged = settings.merge(text, wanted)
    assert settings.merge(merged, wanted) == merged
    old, new = json.loads(text if text.strip() else "{}"), json.loads(merged)
    assert set(RULES) <= set(new["permissions"]["allow"])
    assert _without_ours(new, old) == old
    assert list(new)[: len(old)] == list(old), "the order of what was there"
    assert settings.strip(merged, text) == text
    assert ("\r" in merged) == ("\r" in text)


def _without_ours(new: dict[str, Any], old: dict[str, Any]) -> dict[str, Any]:
    """What a plain reader sees when it drops what was not there before, key by key."""
    return {key: _common(new[key], value) for key, value in old.items()}


def _common(new: Any, old: Any) -> Any:
    if isinstance(old, dict):
        return {key: _common(new[key], value) for key, value in old.items()}
    if isinstance(old, list):
        return new[: len(old)]
    return new


def test_a_new_file_reads_well() -> None:
    merged = settings.merge("", Wanted(rules=("A", "B"), hooks={"Stop": [{"hooks": [1]}]}))
    assert merged == (
        '{\n  "hooks": {\n    "Stop": [\n      {\n        "hooks": [\n          1\n        ]\n'
        '      }\n    ]\n  },\n  "permissions": {\n    "allow": [\n      "A",\n      "B"\n    ]\n  }\n}\n'
    )


def test_the_style_of_the_neighbours_is_kept() -> None:
    one = Wanted(rules=("A",))
    tabs = '{\n\t"permissions": {\n\t\t"allow": [\n\t\t\t"x"\n\t\t]\n\t}\n}'
    assert settings.merge(tabs, one) == tabs.replace('"x"', '"x",\n\t\t\t"A"')
    dense = '{"permissions":{"allow":["x"]},"y":2}'
    assert settings.merge(dense, one) == dense.replace('"x"', '"x","A"')
    loose = '{"permissions": {"allow": ["x"]}}'
    assert settings.merge(loose, one) == loose.replace('"x"', '"x", "A"')
    assert settings.merge('{"a":1}', one) == '{"a":1,"permissions":{"allow":["A"]}}'


EDITS = {
    "a key behind": lambda t: t[: t.rindex("}")] + ', "mine": [1, 2]}' + t[t.rindex("}") + 1 :],
    "a key in front": lambda t: t.replace("{", '{"mine": {"a": "b"}, ', 1),
    "another model": lambda t: t.replace('"opus"', '"haiku"'),
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
@pytest.mark.parametrize(
    "text", ['{"model": "opus"}', '{\n  "model": "opus",\n  "hooks": {}\n}\n', LONG]
)
def test_what_the_user_edited_meanwhile_stays(edit: Any, text: str) -> None:
    assert settings.strip(edit(settings.merge(text, ALL)), text) == edit(text)


def test_a_hook_that_the_user_added_to_ours_stays() -> None:
    merged = settings.merge("{}", Wanted(rules=(), hooks={"Stop": HOOKS["Stop"]}))
    edited = merged.replace('"hooks": [', '"hooks": [{"type": "x"},', 1)
    assert json.loads(settings.strip(edited, "{}")) == {
        "hooks": {"Stop": [{"hooks": [{"type": "x"}]}]}
    }


def test_nobody_knows_what_was_there() -> None:
    """A colleague's clone: emptied lists and objects go, and with them the file."""
    assert settings.strip(settings.merge("", ALL), None) == ""
    assert settings.strip(settings.merge('{"a": 1}', ALL), None) == '{"a": 1}'
    assert settings.strip(settings.merge('{"hooks": {}, "a": 1}', ALL), None) == '{"a": 1}'


def test_nothing_is_taken_out_of_nothing() -> None:
    assert settings.strip("", None) == ""
    assert settings.strip(" \n", " \n") == " \n"


def test_a_status_line_can_come_later() -> None:
    merged = settings.merge("{}", Wanted())
    assert settings.strip(settings.merge(merged, ALL), "{}") == "{}"
    assert "statusLine" in settings.merge(merged, Wanted(status_line=settings.status_line()))


def test_our_own_old_entries_are_replaced() -> None:
    old = Wanted(
        rules=RULES[:1],
        hooks={
            "Stop": [{"hooks": [{**COMMAND, "args": [f"x{settings.LAUNCHER}"], "timeout": 99}]}],
            "Notification": HOOKS["Stop"],
        },
    )
    merged = settings.merge(settings.merge(LONG, old), ALL)
    assert json.loads(merged) == json.loads(settings.merge(LONG, ALL))
    assert settings.strip(merged, LONG) == LONG


def test_our_entry_in_somebodys_group_is_moved_into_one_of_its_own() -> None:
    stop = {"hooks": [OTHERS, *HOOKS["Stop"][0]["hooks"]]}  # type: ignore[index]
    merged = json.loads(
        settings.merge(json.dumps({"hooks": {"Stop": [stop]}}), Wanted(hooks=HOOKS))
    )
    assert merged["hooks"]["Stop"] == [{"hooks": [OTHERS]}, *HOOKS["Stop"]]


def test_without_hooks_wanted_those_that_stand_there_stay() -> None:
    merged = settings.merge("{}", ALL)
    assert settings.merge(merged, Wanted()) == merged
    assert settings.has_hooks(merged)
    assert not settings.has_hooks(LONG)
    assert not settings.has_hooks("")


def test_somebody_elses_status_line_stays() -> None:
    theirs = FILES["a status line"]
    assert json.loads(settings.merge(theirs, ALL))["statusLine"]["command"] == "date"
    assert settings.foreign_status_line(theirs)
    assert not settings.foreign_status_line(settings.merge("{}", ALL))
    assert not settings.foreign_status_line("")
    assert not settings.foreign_status_line("{}")


def test_nothing_points_into_the_plugin() -> None:
    assert "CLAUDE_PLUGIN_ROOT" not in json.dumps(HOOKS)
    assert "${CLAUDE_PROJECT_DIR}/.claude/baton/hooks/run" in json.dumps(HOOKS)


def test_entries_of_another_shape_are_nobodys_business() -> None:
    odd = '{"hooks": {"Stop": [{"hooks": ["x", {"command": 1, "args": 2}]}, {}, 1, {"hooks": 1}]}}'
    assert settings.strip(odd, None) == odd
    assert settings.strip(settings.merge(odd, ALL), odd) == odd


MALFORMED = {
    "cut off": ('{"a": 1,', "line 1 column 9: Expecting property name enclosed in double quotes"),
    "a comment": (
        '{\n  // x\n  "a": 1\n}',
        "line 2 column 3: a comment, which JSON does not have",
    ),
    "a list": ("[]", "an object is expected"),
    "two documents": ("{} {}", "line 1 column 4: Extra data"),
    "no number": ('{"a": NaN}', "NaN is no JSON value"),
    "deep": ('{"a": ' + "[" * 100_000, "nested too deeply"),
    "digits": ('{"a": ' + "9" * 5000 + "}", "a number of too many digits"),
    "deep but whole": ('{"a": ' + "[" * 600 + "]" * 600 + "}", "nested too deeply"),
    "permissions": ('{"permissions": []}', "permissions must be an object"),
    "rules": ('{"permissions": {"allow": {}}}', "permissions.allow must be a list"),
    "hooks": ('{"hooks": null}', "hooks must be an object"),
    "an event": ('{"hooks": {"Stop": {}}}', "hooks.Stop must be a list"),
    "hooks twice": ('{"hooks": {}, "hooks": {}}', "the key 'hooks' stands twice in one object"),
}


@pytest.mark.parametrize(("text", "message"), MALFORMED.values(), ids=MALFORMED)
def test_refused(text: str, message: str) -> None:
    with pytest.raises(Malformed) as refusal:
        settings.merge(text, ALL)
    assert str(refusal.value) == message
    with pytest.raises(Malformed) as refusal:
        settings.strip(text, None)
    assert str(refusal.value) == message


# ---- any document, however it is written ----

_NAMES = st.sampled_from(["permissions", "allow", "hooks", "Stop", "a", "é", '"', "b]"])
_LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=5),
)
_VALUES = st.recursive(
    _LEAVES,
    lambda v: st.lists(v, max_size=3) | st.dictionaries(_NAMES, v, max_size=3),
    max_leaves=8,
)


@st.composite
def documents(draw: st.DrawFn) -> str:
    """A settings file of the right shape, written with any blanks that JSON allows."""
    value: dict[str, Any] = draw(
        st.dictionaries(st.sampled_from(["a", "é", "x"]), _VALUES, max_size=2)
    )
    if draw(st.booleans()):
        rules = draw(st.lists(st.sampled_from(["x", *RULES[:2]]), max_size=3))
        value["permissions"] = draw(st.sampled_from([{}, {"deny": []}, {"allow": rules}]))
    if draw(st.booleans()):
        groups = draw(
            st.lists(st.sampled_from([{"hooks": [OTHERS]}, {"hooks": []}, {}]), max_size=2)
        )
        value["hooks"] = draw(st.sampled_from([{}, {"Stop": groups}, {"Else": groups, "Stop": []}]))
    return _written(draw, value)


def _written(draw: st.DrawFn, value: Any) -> str:
    style = draw(st.sampled_from(["dense", "plain", "2", "tab", "wild"]))
    if style == "dense":
        return json.dumps(value, separators=(",", ":"), ensure_ascii=draw(st.booleans()))
    if style != "wild":
        indent = {"plain": None, "2": 2, "tab": "\t"}[style]
        text = json.dumps(value, indent=indent) + draw(st.sampled_from(["", "\n"]))
        return with_crlf(text) if draw(st.booleans()) else text
    return _wild(draw, value)


def _wild(draw: st.DrawFn, value: Any) -> str:
    def gap() -> str:
        return draw(st.sampled_from(["", " ", "\n", "\t", "\n  "]))

    if isinstance(value, dict):
        rows = [
            f"{gap()}{json.dumps(k)}{gap()}:{gap()}{_wild(draw, v)}{gap()}"
            for k, v in value.items()
        ]
        return "{" + (",".join(rows) or gap()) + "}"
    if isinstance(value, list):
        return "[" + (",".join(f"{gap()}{_wild(draw, v)}{gap()}" for v in value) or gap()) + "]"
    return json.dumps(value)


@given(documents(), st.booleans())
def test_any_document_comes_back(text: str, everything: bool) -> None:
    wanted = ALL if everything else Wanted()
    merged = settings.merge(text, wanted)
    json.loads(merged)
    assert settings.merge(merged, wanted) == merged
    assert settings.strip(merged, text) == text


@given(st.text(alphabet='{}[]",:1a \n\\', max_size=30))
def test_any_text_is_edited_or_refused(text: str) -> None:
    try:
        merged = settings.merge(text, ALL)
    except Malformed:
        return
    assert settings.strip(merged, text) == text


@given(_VALUES)
def test_places_are_those_of_the_values(value: Any) -> None:
    text = json.dumps(value)
    root = json_text.parse(text)
    assert root.value == value
    assert text[root.start : root.end] == text
    for child in root.children:
        assert json.loads(text[child.start : child.end]) == child.value
