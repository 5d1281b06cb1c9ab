"""What the mutations begin with: good samples of each kind, and what is nasty by itself."""

from __future__ import annotations

import json
from pathlib import Path

from baton.core.pipeline import event as events
from baton.core.pipeline import log as logs
from baton.edge.passport import undo
from baton.hot.flush.record import Record
from chain_cases import EMPTY, EXAMPLE, finished
from passport_samples import passport, sealed
from passports import RESUME, boundary
from runs_desk import FOUR
from workflow_host import SCRIPT

DATA = Path(__file__).resolve().parent.parent / "data"
DEEP = 20_000
NASTY = (
    b"", b"\0", b"\xef\xbb\xbf", b"\xff\xfe\x00", b"\xc0\x80", b"\xed\xa0\x80", b" " * 5000, b"\n" * 5000,
    b"[" * DEEP, b"{\"a\":" * DEEP, b"- " * DEEP, b"\"" + b"x" * 200_000, b"x" * 1_000_000, b"\\" * 9999,
    b"1e999", b"-0", b"NaN", b"9" * 5000, b"{\"a\": 1, \"a\": 2}", b"\x1b[2J\x1b]0;x\x07", b"\xe2\x80\xae" * 100,
    b"a: &a [" + b"*a, " * 1000 + b"]", b"a: &a {b: *a}\n", b"!!python/object/apply:os.system [id]\n",
    b"reset_boundary:\n" * 300, b"\r" * 3000, b"#" * 3000, "é".encode("latin-1") * 99, b"\x00\x01\x02" * 2000,
)  # fmt: skip


def _files(pattern: str) -> tuple[bytes, ...]:
    return tuple(path.read_bytes() for path in sorted(DATA.glob(pattern)) if path.is_file())


def _hooks() -> tuple[bytes, ...]:
    """The recorded events, on one line each as they come."""
    return tuple(
        json.dumps(json.loads(data)).encode() + b"\n" for data in _files("runs/hooks/*.json")
    )


def _log() -> bytes:
    log, data = logs.Log(), b""
    draft = events.File("draft.md", 6, "d" * 64)
    for event in (
        events.Started("1", "full", "passports/paper.yaml", 2, True),
        events.Entered("1", "full"),
        events.Recorded("Bibliography", (draft,)),
        events.Finished("1", ()),
        events.Paused("for the night"),
    ):
        log, line = log.with_entry(events.Entry("2026-12-01T09:00:00Z", "sess", event))
        data += line
    return data


def _record() -> bytes:
    record = Record("branch", "branch", "0 0", [".claude/WAL.md"])
    record.head, record.oid, record.tip = "refs/heads/main", "a" * 40, ""
    record.ids, record.kept_off = [b"100644 " + b"b" * 40], [b"x"]
    record.lines = [b"100644 10 1 2 3 .claude/WAL.md"]
    return record.render()


_LEDGER = sealed([boundary("2", "2.5"), RESUME, boundary("2.5", "3", mode="full")])
RUN = b"wf: survey run=r1 runId=wf_9f05723c-7b2 args=no done=2/8 harvested=no"
CHAINS = (
    EXAMPLE.replace(b"\n\nnext", b"\n[!] " + RUN + b"\n\nnext"),
    EXAMPLE,
    EMPTY,
    finished(),
    *_files("chain/*.md"),
)
PASSPORTS = (
    passport(_LEDGER, "verification_status: VERIFIED\n").encode(),
    *_files("passport/*.yaml"),
)
JSON_PASSPORTS = (
    b'{"topic": "bees", "reset_boundary": []}',
    json.dumps({"a": [1], "reset_boundary": [each.to_mapping() for each in _LEDGER]}).encode(),
)
EVENTS = _hooks()
JOURNALS = _files("runs/killed-after-2-of-4/**/journal.jsonl")
TRANSCRIPTS = _files("runs/killed-after-2-of-4/**/*.jsonl")
SCRIPTS = (SCRIPT.encode(), FOUR.encode(), *_files("runs/**/*.js"))
LOGS = (_log(),)
SETTINGS = (
    b'{\n  "model": "x",\n  "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}\n}\n',
    b'{"permissions": {"allow": ["Bash(ls:*)"]}, "statusLine": {"type": "command", "command": "y"}}',
)
CONFIGURATIONS = (
    b'# ours\nlang = "vi"\npersist = "ref"\nlock_wait = 5\npaths = [".claude/WAL.md", "notes/"]\n',
    b"persist = 'off'\n[table]\nx = 1\n",
)
PROMPTS = (
    b"resume_from_passport=075173601107",
    b"please resume_from_passport=075173601107 stage=3 mode=full and go on",
    b"[PASSPORT-RESET: hash=075173601107, stage=2, next=2.5]",
    b"/tiep run", b"/pause for today", b"no, why?",
)  # fmt: skip
UNDOS = (undo.Undo.between(b"ledger: old\n", b"ledger: old and new\n", "sess").render(),)
RECORDS = (_record(),)
BLOCKS = (b"# Rules\r\n\r\nBe kind.\r\n", b"*.png binary\n", b"a\n# >>> baton\nx\n# <<< baton\nb\n")
COMMANDS = (
    b"grep -c 'H-22' GOVERNANCE.md  # expect >= 1", b"ls a b # expect absent", b"test -e x  # expect ok",
    b"wc -l < a # expect 3..5", b"echo '# expect 1' # expect \"x\"",
)  # fmt: skip
