"""Ten times the entries cost at most eleven times the time, and memory stays by the file's size."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from baton.core.passport.chain_hash import Chain
from baton.core.passport.spelling import block
from passport_samples import BOUNDARY
from support import SCRIPTS

pytestmark = pytest.mark.slow

# Reads, verifies and extends a ledger; prints the seconds, and the growth in times of the file.
PROGRAM = """
import json, sys, time
sys.path.insert(0, sys.argv[1])
from baton.core.passport import document, ledger
from baton.core.passport.append import appended
from baton.core.passport.entry import Resume
from baton.edge.yaml_events import events

def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) * 1024

with open(sys.argv[2], "rb") as file:
    data = file.read()
with open("/proc/self/clear_refs", "w") as reset:
    reset.write("5")  # the peak begins anew: a process starts with that of its parent
before, begun = peak(), time.process_time()
found = document.read(data, events)
awaiting = ledger.checked(found).awaiting()
appended(found, Resume(awaiting[-1].boundary.hash, "2026-04-23T15:00:00Z", "s"), events)
print(json.dumps([time.process_time() - begun, (peak() - before) / len(data), len(awaiting)]))
"""


def written(file: Path, entries: int) -> Path:
    """A passport of that many boundaries, none of them consumed."""
    chain, lines = Chain(), ["topic: bees", "reset_boundary:"]
    for number in range(entries):
        new = replace(BOUNDARY, session_marker=f"sess-{number}", version_label=f"v1.{number}")
        new = replace(new, hash=chain.hash_of(new))
        chain.add(new)
        lines += block(new.to_mapping(), "  ", "    ")
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def measured(file: Path, entries: int) -> tuple[float, float]:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(SCRIPTS), str(file)],
        env=os.environ,
        capture_output=True,
        text=True,
        check=True,
        timeout=280,
    )
    seconds, growth, awaiting = json.loads(done.stdout)
    assert awaiting == entries
    return seconds, growth


def test_linear_in_time_and_memory(tmp_path: Path) -> None:
    small, large = written(tmp_path / "small", 1_000), written(tmp_path / "large", 10_000)
    rounds = [(measured(small, 1_000), measured(large, 10_000)) for _ in range(3)]
    # What a neighbour on the machine adds to a process's time, it adds to some rounds alone.
    ratio = min(many[0] for _, many in rounds) / min(few[0] for few, _ in rounds)
    growth = max(many[1] for _, many in rounds)
    print(
        f"tried: passport of 10 times the entries: {ratio:.1f} times the time; memory {growth:.1f} times the file"
    )
    assert ratio <= 11
    assert 1 < growth <= 40
