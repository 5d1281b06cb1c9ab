"""Passports for tests: entries that hold together, texts that hold them, and an oracle of their hashes.

The oracle is the standard library's JSON: for texts and null under ASCII keys its sorted, compact
form is that of RFC 8785. Nothing of baton's takes part in it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from hypothesis import strategies as st

from baton.core.passport import document
from baton.core.passport.document import Document
from baton.core.passport.entry import Boundary, Decision, Entry, Option, Override, Resume, Value
from baton.edge.yaml_events import events

VECTORS = Path(__file__).parent / "data" / "passport"
EXPECTED: dict[str, dict[str, list[dict[str, Value]]]] = json.loads(
    (VECTORS / "expected.json").read_text(encoding="utf-8")
)
ZERO = "000000000000"
BOUNDARY = Boundary(ZERO, "2", "2.5", "2026-04-23T14:00:00Z", "sess-a", "v1.0", "full", "VERIFIED")
DECISION = Decision(
    "Stage 3 reviewer decision",
    (
        Option("revise", "4", "revision"),
        Option("restructure", "2", "plan"),
        Option("abort", None),
    ),
)


def read(text: str | bytes, json: bool = False) -> Document:
    """Read a passport through both real doors."""
    return document.read(text.encode() if isinstance(text, str) else text, events, json)


# ---- the oracle ----


def canonical(entry: Entry) -> bytes:
    """The RFC 8785 bytes of an entry, from the standard library."""
    text = json.dumps(entry.to_mapping(), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return text.encode()


def hash_after(before: Iterable[Entry], boundary: Boundary) -> str:
    """The hash of a boundary behind these entries, computed the long way."""
    prior = [entry for entry in before if isinstance(entry, Boundary)]
    lines = [canonical(entry) + b"\n" for entry in [*prior, replace(boundary, hash=ZERO)]]
    return hashlib.sha256(b"".join(lines)).hexdigest()[:12]


def sealed(entries: Iterable[Entry]) -> list[Entry]:
    """These entries with the boundaries' hashes set, and each resume consuming the newest boundary
    that nothing consumes yet; a resume with none to consume is left out."""
    done: list[Entry] = []
    waiting: list[str] = []
    for entry in entries:
        if isinstance(entry, Boundary):
            done.append(replace(entry, hash=hash_after(done, entry)))
            waiting.append(done[-1].hash)  # type: ignore[union-attr]
        elif waiting:
            done.append(replace(entry, consumes_hash=waiting.pop()))
    return done


# ---- texts ----


def block_lines(value: Value, indent: str = "") -> list[str]:
    """A value in block style, its texts in double quotes."""
    lines: list[str] = []
    if isinstance(value, dict):
        for key, item in value.items():
            lines += _below(f"{indent}{key}:", item, indent + "  ")
    elif isinstance(value, list):
        for item in value:
            first, *rest = block_lines(item, indent + "  ")
            lines += [f"{indent}- {first.lstrip()}", *rest]
    return lines


def _below(head: str, item: Value, indent: str) -> list[str]:
    if item and not isinstance(item, str):
        return [head, *block_lines(item, indent)]
    return [f"{head} {quoted(item) if isinstance(item, str) else json.dumps(item)}"]


def quoted(text: str) -> str:
    """A text in double quotes with everything escaped that is not plain ASCII, as YAML alone has it."""
    return '"' + "".join(map(_sign, text)) + '"'


def _sign(sign: str) -> str:
    if " " <= sign <= "~":
        return f"\\{sign}" if sign in '"\\' else sign
    return f"\\U{ord(sign):08x}"


def passport(entries: Sequence[Entry], head: str = "topic: bees\n", tail: str = "") -> str:
    """A passport in block style."""
    value: Value = {"reset_boundary": [entry.to_mapping() for entry in entries]}
    lines = block_lines(value) if entries else ["reset_boundary: []"]
    return head + "\n".join(lines) + "\n" + tail


# ---- generated ----

# Lone surrogates have no bytes; NUL is legal in an entry, but baton writes none.
SIGNS = st.characters(exclude_categories=["Cs"])
TEXTS = st.text(SIGNS, max_size=8) | st.sampled_from(
    ["", "null", "~", "yes", "075173601107", "2.5", "2026-04-23", "12:30:45", "a: b", "# c", "- d"]
)
MOMENTS = st.sampled_from(
    ["2026-04-23T14:00:00Z", "2026-05-01T00:00:00.123+07:00", "2024-02-29t23:59:60z"]
)
HASHES = st.text("0123456789abcdef", min_size=12, max_size=12)
MAYBE = st.none() | TEXTS
DECISIONS = st.builds(
    Decision,
    TEXTS,
    st.lists(
        st.builds(Option, TEXTS, MAYBE, MAYBE), min_size=2, max_size=4, unique_by=lambda o: o.value
    ).map(tuple),
)
BOUNDARIES = st.builds(
    Boundary,
    HASHES,
    TEXTS,
    MAYBE,
    MOMENTS,
    TEXTS,
    TEXTS,
    MAYBE,
    st.sampled_from([None, "VERIFIED", "UNVERIFIED", "STALE"]),
    MAYBE,
    st.none() | DECISIONS,
)
RESUMES = st.builds(
    Resume, HASHES, MOMENTS, TEXTS, MAYBE, st.none() | st.builds(Override, MAYBE, MAYBE)
)
ENTRIES: st.SearchStrategy[Entry] = BOUNDARIES | RESUMES
LEDGERS = st.lists(ENTRIES, max_size=6).map(sealed)
