"""The log's lines: what was written is read, what was changed is found, what is torn is left off."""

from __future__ import annotations

import contextlib
import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baton.core.pipeline import dashboard, moves, tables
from baton.core.pipeline import event as events
from baton.core.pipeline import log as logs
from baton.core.pipeline.asking import Facts
from baton.core.pipeline.event import Entry, EventError
from baton.core.pipeline.fold import Impossible
from baton.core.pipeline.log import Log, LogBroken, read
from core.pipeline.test_event import EVENTS
from pipelines import MOMENT, course

COURSE = course("5")


def written(entries: list[Entry]) -> tuple[Log, list[bytes]]:
    """A log with these events, and its lines."""
    log, lines = Log(), []
    for entry in entries:
        log, line = log.with_entry(entry)
        lines.append(line)
    return log, lines


LOG, LINES = written(COURSE.entries)
DATA = b"".join(LINES)


def sealed(mapping: dict[str, object]) -> bytes:
    """A line whose own digest follows, whatever it says."""
    body = json.dumps(mapping, separators=(",", ":")).encode()
    return body[:-1] + b',"sum":"' + hashlib.sha256(body).hexdigest().encode() + b'"}\n'


def test_what_was_written_is_read() -> None:
    found = read(DATA)
    assert found == LOG
    assert (found.pipeline, found.size) == (COURSE.pipeline, len(DATA))


def test_a_line_by_hand() -> None:
    """The format, from outside: a line without its sum is what the sum is of."""
    first = json.loads(LINES[0])
    assert list(first)[:5] == ["n", "prev", "at", "session", "event"]
    assert (first["n"], first["prev"], first["event"]) == (1, "0" * 64, "started")
    second = json.loads(LINES[1])
    assert second["prev"] == first["sum"]
    sum_ = second.pop("sum")
    body = json.dumps(second, ensure_ascii=False, separators=(",", ":")).encode()
    assert hashlib.sha256(body).hexdigest() == sum_


def test_lines_that_a_checkout_ended_with_crlf() -> None:
    found = read(DATA.replace(b"\n", b"\r\n"))
    assert (found.pipeline, found.size) == (LOG.pipeline, len(DATA) + len(LINES))


@pytest.mark.parametrize("cut", [1, 2, 40, 200])
def test_a_torn_last_line_is_left_off(cut: int) -> None:
    found = read(DATA[: -1 - cut])
    assert found.torn == LINES[-1][: -1 - cut]
    assert (len(found.entries), found.size) == (len(LINES) - 1, len(DATA) - len(LINES[-1]))
    assert found.ended()[1] == b""


@pytest.mark.parametrize(
    "tail", [b"\0" * 30, b"\0" * 30 + b"\n", LINES[-1][:9] + b"\0" * 9 + b"\n"]
)
def test_a_last_line_with_lost_blocks_is_torn(tail: bytes) -> None:
    found = read(DATA + tail)
    assert (found.torn, found.size, found.pipeline) == (tail, len(DATA), LOG.pipeline)


def test_a_last_line_that_lacks_its_line_feed_alone_holds() -> None:
    found = read(DATA[:-1])
    assert (found.pipeline, found.unended, found.size) == (LOG.pipeline, True, len(DATA) - 1)
    ended, more = found.ended()
    assert (ended.size, more, ended.unended) == (len(DATA), b"\n", False)


def test_an_empty_log() -> None:
    assert read(b"") == Log()
    assert read(b"{") == Log(torn=b"{")


@given(st.integers(0, len(LINES) - 1), st.data())
def test_any_changed_byte_of_a_whole_line_is_found_in_it(number: int, data: st.DataObject) -> None:
    line = LINES[number][:-1]
    at = data.draw(st.integers(0, len(line) - 1))
    byte = data.draw(st.integers(1, 255).filter(lambda each: each not in (line[at], 10)))
    changed = line[:at] + bytes([byte]) + line[at + 1 :] + b"\n"
    with pytest.raises(LogBroken) as caught:
        read(b"".join([*LINES[:number], changed, *LINES[number + 1 :]]))
    assert caught.value.line == number + 1


@given(st.integers(0, len(LINES) - 2), st.data())
def test_a_byte_put_in_or_taken_out_is_found_in_its_line(number: int, data: st.DataObject) -> None:
    line = LINES[number]
    at = data.draw(st.integers(0, len(line) - 2))
    more = bytes([data.draw(st.integers(0, 255))])
    for changed in (line[:at] + more + line[at:], line[:at] + line[at + 1 :]):
        with pytest.raises(LogBroken) as caught:
            read(b"".join([*LINES[:number], changed, *LINES[number + 1 :]]))
        assert caught.value.line == number + 1


@pytest.mark.parametrize("how", ["joined", "split", "nul"])
def test_a_line_that_was_joined_split_or_blanked_is_found(how: str) -> None:
    line = LINES[1]
    changed = {
        "joined": line[:-1],
        "split": line[:9] + b"\n" + line[9:],
        "nul": b"\0" * (len(line) - 1) + b"\n",
    }[how]
    with pytest.raises(LogBroken) as caught:
        read(b"".join([LINES[0], changed, *LINES[2:]]))
    assert caught.value.line == 2


@given(st.integers(0, len(LINES) - 2), st.sampled_from(["deleted", "twice", "swapped", "foreign"]))
def test_lines_taken_out_put_in_or_swapped_are_found(number: int, how: str) -> None:
    one, other = LINES[number], LINES[number + 1]
    middle = {
        "deleted": [other],
        "twice": [one, one, other],
        "swapped": [other, one],
        "foreign": [one, LINES[0], other],
    }[how]
    with pytest.raises(LogBroken) as caught:
        read(b"".join([*LINES[:number], *middle, *LINES[number + 2 :]]))
    assert caught.value.line in (number + 1, number + 2)


@given(st.binary(max_size=300))
def test_any_bytes_are_a_log_or_broken(data: bytes) -> None:
    try:
        read(data)
    except LogBroken as error:
        assert error.line >= 1


MERGED = (
    "a merge left its marks: two histories cannot become one, take one side whole, by git checkout "
    "--ours or --theirs"
)
NO_MOMENT = "at must be a moment in UTC as in RFC 3339"
FOREIGN = "the line is not in baton's own form: blanks, escapes, or a key that stands there twice"
FIRST = json.loads(LINES[0])
del FIRST["sum"]
BROKEN = [
    (b"<<<<<<< HEAD\n", MERGED),
    (b"=======\n", MERGED),
    (b">>>>>>> other\n", MERGED),
    (b"hello\n", "the line is no event: it does not end in its own digest"),
    (
        LINES[0].replace(b"full", b"FULL"),
        "the line was changed: its digest does not follow",
    ),
    (sealed({**FIRST, "n": 2}), "the line does not follow from the one before it: lines are missing, or were put in"),
    (sealed({key: FIRST[key] for key in FIRST if key != "at"}), "the line lacks at"),
    (sealed({**FIRST, "session": 1}), "at, session and event must be texts"),
    (sealed({**FIRST, "at": "noon"}), NO_MOMENT),
    (sealed({**FIRST, "at": "2026-12-01T16:00:00+07:00"}), NO_MOMENT),
    (sealed({**FIRST, "session": "\u1ea1"}), FOREIGN),
    (sealed({**FIRST, "event": "flown"}), "no event is called 'flown'"),
    (
        sealed({"n": 1, "prev": "0" * 64, "at": MOMENT, "session": "s", "event": "resumed"}),
        "its first event does not start a pipeline",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("data", "what"), BROKEN)
def test_what_is_no_log_is_said(data: bytes, what: str) -> None:
    with pytest.raises(LogBroken) as caught:
        read(data)
    assert (caught.value.line, caught.value.what) == (1, what)


@pytest.mark.parametrize(
    ("body", "what"),
    [
        (b'{"n":1,}', "^the line is not JSON: "),
        (b'{"n":"\xff"}', "^the line is not JSON: "),
        (b'{"n":' + b"[" * 100_000 + b"}", "^the line is not JSON: "),
        (b'{"n":"\\ud800"}', "^the line is not JSON: .*surrogates not allowed"),
        (b'{"n":1,"n":1}', FOREIGN),
        (b'{"n": 1}', FOREIGN),
    ],
)
def test_json_that_is_none_or_not_as_baton_writes_it(body: bytes, what: str) -> None:
    line = body[:-1] + b',"sum":"' + hashlib.sha256(body).hexdigest().encode() + b'"}\n'
    with pytest.raises(LogBroken, match=what):
        read(line)


IMPOSSIBLE: list[tuple[list[events.Event], str]] = [
    ([events.Started("1", None, None, 0, False)], "the pipeline is started a second time"),
    ([events.Finished("1", ())], "finished before the first stage"),
    ([events.Confirmed("1", "2", None)], "confirmed without a checkpoint"),
    ([events.Chosen("1", "pdf", "5", None)], "chosen without a checkpoint"),
    ([events.Resumed()], "resumed without a pause"),
]


@pytest.mark.parametrize(("done", "what"), IMPOSSIBLE)
def test_events_that_cannot_follow(done: list[events.Event], what: str) -> None:
    """Somebody who knows how to make digests may put events where none of their kind can be."""
    log, line = Log().with_entry(Entry(MOMENT, "s", events.Started("2", None, None, 0, False)))
    for event in done:
        mapping = {"n": 2, "prev": log.last, "at": MOMENT, "session": "s"}
        own = events.to_mapping(event)
        line += sealed({**mapping, "event": events.kind_of(event), **own})
    with pytest.raises(LogBroken) as caught:
        read(line)
    assert (caught.value.line, caught.value.what) == (2, what)


def test_words_for_people() -> None:
    rows = list(logs.first_words(COURSE.entries))
    assert rows[0] == "  1  2026-12-01T09:00:00Z  started   entry=1 mode=full"
    assert rows[9].startswith(" 10  2026-12-01T09:00:00Z  ")
    assert any("checked   stage=2.5 verdict=pass report=report.md" in row for row in rows)
    assert any("issues=0" in row for row in rows)
    assert any("material=Paper Draft files=Paper Draft0.md (000000000000)" in row for row in rows)


def test_words_that_a_terminal_would_obey() -> None:
    entries = [
        Entry(MOMENT, "s", events.Resumed()),
        Entry(MOMENT, "s", events.Paused("a\n\x1b[2J")),
    ]
    assert list(logs.first_words(entries)) == [
        "  1  2026-12-01T09:00:00Z  resumed",
        "  2  2026-12-01T09:00:00Z  paused    reason=a \ufffd[2J",
    ]


@given(EVENTS)
def test_what_is_written_of_any_event_is_read(event: events.Event) -> None:
    start = events.Started("1", None, None, 0, False)
    log, first = Log().with_entry(Entry(MOMENT, "s", start))
    try:
        grown, line = log.with_entry(Entry(MOMENT, "s", event))
    except Impossible:
        return
    assert read(first + line) == grown


@given(st.sampled_from([*tables.ENTRIES]), st.lists(EVENTS, max_size=12))
def test_whatever_a_log_holds_can_be_shown(entry: str, later: list[events.Event]) -> None:
    """Somebody who knows how to make digests puts any events behind each other: what cannot follow is
    refused, and where the rest leads can be told."""
    start = events.Started(entry, None, None, 0, False)
    log, data = Log(), b""
    for event in (start, events.Entered(entry, None), *later):
        with contextlib.suppress(Impossible):
            log, line = log.with_entry(Entry(MOMENT, "s", event))
            data += line
    pipeline = read(data).pipeline
    assert pipeline is not None
    legal = moves.legal(pipeline, Facts())
    board = dashboard.text("main", pipeline, Facts(), legal)
    assert all(len(row) <= dashboard.COLUMNS for row in board.splitlines())
    assert len(list(logs.first_words(log.entries))) == len(log.entries)


def test_what_could_not_be_read_is_never_written() -> None:
    with pytest.raises(EventError):
        LOG.with_entry(Entry(MOMENT, "s", events.Stalled("9", "")))
    with pytest.raises(UnicodeEncodeError):
        LOG.with_entry(Entry(MOMENT, "\udcff", events.Stalled("1", "")))
