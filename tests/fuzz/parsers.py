"""Who reads what: each parser of bytes from outside, what it begins with, and how it may refuse.

A parser takes bytes, and gives what it says of them: texts that may reach a screen. It raises nothing
but what it documents; `refusals` names that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from baton.core.chain import expectation, render
from baton.core.errors import BatonError
from baton.core.passport import document, ledger, tag
from baton.core.passport.errors import LedgerError
from baton.core.pipeline import log as logs
from baton.core.runs import script
from baton.core.setup import blocks, json_text, settings, toml_lines
from baton.edge.passport import undo
from baton.edge.yaml_events import events as yaml_events
from baton.hot import chain, clean, door, jsons, pasted, secrets
from baton.hot.flush import record
from baton.hot.runs import journal, transcript

from . import corpus

Said = Iterable[str]


@dataclass(frozen=True)
class Parser:
    """read: gives what it says of an input. seeds: good inputs. refusals: what it may raise."""

    read: Callable[[bytes], Said]
    seeds: tuple[bytes, ...]
    refusals: tuple[type[Exception], ...] = ()


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _chain(data: bytes) -> Said:
    found = chain.parse(data)
    yield clean.line(found.goal)
    if found.readable and not found.problems:
        # What was understood is written so that it is understood again.
        again = chain.parse(render.render(found))
        assert [*map(_of_item, again.items)] == [*map(_of_item, found.items)]


def _of_item(item: chain.Item) -> tuple[str, str, str]:
    return item.mark, item.text, item.evidence


def _passport(data: bytes, json: bool = False) -> Said:
    found = document.read(data, yaml_events, json)
    ledger.checked(found)
    return ()


def _tags(data: bytes) -> Said:
    return [str(each) for each in tag.found(_text(data))]


def _prompt(data: bytes) -> Said:
    return [pasted.context(_text(data)), *pasted.options(_text(data).split())[0].values()]


def _event(data: bytes) -> Said:
    found = door.event(data)
    quick = door.fields(data, "hook_event_name", "session_id", "cwd")
    if quick is not None:
        assert {name: door.text(found, name) for name in quick} == {
            name: door.text(quick, name) for name in quick
        }
    return ()


def _json(data: bytes) -> Said:
    jsons.parse(data)
    return ()


def _transcript(data: bytes) -> Said:
    rows, _ = transcript.rows(data)
    transcript.prompt(rows)
    transcript.answer(rows, ended=True)
    transcript.last_text(rows)
    return ()


def _journal(data: bytes) -> Said:
    journal.read(data)
    journal.started_place(data, "a1")
    return ()


def _script(data: bytes) -> Said:
    head, body = script.split(_text(data))
    assert _text(data).startswith(head)
    assert body in _text(data)
    script.declares_agent(body)
    script.reads_budget(body)
    return [clean.line(script.name(_text(data)))]


def _log(data: bytes) -> Said:
    found = logs.read(data)
    return logs.first_words(found.entries)


def _settings(data: bytes) -> Said:
    text = _text(data)
    stripped = settings.strip(text, None)
    settings.has_hooks(text)
    settings.foreign_status_line(text)
    if stripped:
        json_text.parse(stripped)
    return ()


def _toml(data: bytes) -> Said:
    text = _text(data)
    assert toml_lines.read(toml_lines.put(text, "lang", "en"))["lang"] == "en"
    return ()


def _block(data: bytes) -> Said:
    text = _text(data)
    block = blocks.Block("# >>> baton", "# <<< baton", ("x",))
    assert blocks.take(blocks.put(text, block), block) is not None
    return ()


def _expectation(data: bytes) -> Said:
    expectation.split(_text(data).replace("\n", " "))
    return ()


def _record(data: bytes) -> Said:
    found = record.parse(data)
    if found is not None:
        assert record.parse(found.render()) is not None
    return ()


def _undo(data: bytes) -> Said:
    undo.parse(data)
    return ()


def _secrets(data: bytes) -> Said:
    found = secrets.find_bytes(data)
    return [secrets.described(found)] if found else ()


PARSERS = {
    "chain": Parser(_chain, corpus.CHAINS),
    "expectation": Parser(_expectation, corpus.COMMANDS, (BatonError, ValueError)),
    "passport, YAML": Parser(_passport, corpus.PASSPORTS, (LedgerError,)),
    "passport, JSON": Parser(
        lambda data: _passport(data, True), corpus.JSON_PASSPORTS, (LedgerError,)
    ),
    "tag": Parser(_tags, corpus.PROMPTS),
    "prompt": Parser(_prompt, corpus.PROMPTS),
    "hook payload": Parser(_event, corpus.EVENTS),
    "JSON note": Parser(_json, corpus.EVENTS, (ValueError,)),
    "host journal": Parser(_journal, corpus.JOURNALS),
    "transcript": Parser(_transcript, corpus.TRANSCRIPTS),
    "workflow script": Parser(_script, corpus.SCRIPTS, (script.NotAScript,)),
    "pipeline log": Parser(_log, corpus.LOGS, (logs.LogBroken,)),
    "settings": Parser(_settings, corpus.SETTINGS, (json_text.Malformed,)),
    "configuration": Parser(_toml, corpus.CONFIGURATIONS, (toml_lines.Malformed,)),
    "marked block": Parser(_block, corpus.BLOCKS, (blocks.Damaged,)),
    "flush record": Parser(_record, corpus.RECORDS),
    "undo record": Parser(_undo, corpus.UNDOS, (undo.Strange,)),
    "secrets": Parser(_secrets, corpus.CHAINS),
}
