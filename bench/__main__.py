"""The table of budgets: what baton costs, as ratios of medians from runs in turn.

    python3 bench [PART...] [--rounds N] [--plain-hook HOOK]

PART: turns, hand-over, harvest, resumed, relaunch; all of them by default (ten minutes). `relaunch`
drives the real Claude Code, fetched as for the end-to-end tests. The Python must have baton's packages
and those of the tests; `scripts/check --bench` brings one. Exit code 1 when a budget is missed or could
not be measured.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent.parent / name) for name in ("scripts", "tests")]

import baton  # noqa: E402
import hand_over  # noqa: E402
import harvest  # noqa: E402
import relaunch  # noqa: E402
import resumed  # noqa: E402
import turns  # noqa: E402
from e2e.fetch import VERSION  # noqa: E402
from paired import PYTHON, Row  # noqa: E402

PARTS: dict[str, Callable[[Path, argparse.Namespace], Iterator[Row]]] = {
    "turns": lambda folder, given: turns.rows(folder, given.rounds, given.plain_hook),
    "hand-over": lambda folder, given: hand_over.rows(folder, given.rounds),
    "harvest": lambda folder, _: harvest.rows(folder),
    "resumed": lambda folder, _: resumed.rows(folder),
    "relaunch": lambda folder, _: relaunch.rows(folder),
}


def main() -> int:
    """Measure and print; exit code 1 when a budget is missed or was not measured."""
    given = _parser().parse_args()
    print(f"{machine()}\n\n| what | measured | budget | of |\n|---|---|---|---|", flush=True)
    kept = True
    for name in given.parts or PARTS:
        with tempfile.TemporaryDirectory() as folder:
            for row in PARTS[name](Path(folder).resolve() / "bench", given):
                print(row, flush=True)
                kept = kept and row.kept
    return 0 if kept else 1


def _parser() -> argparse.ArgumentParser:
    title, _, rest = (__doc__ or "").partition("\n\n")
    parser = argparse.ArgumentParser(
        prog="python3 bench",
        description=title,
        epilog=rest,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("parts", nargs="*", metavar="PART", choices=[*PARTS, []], default=[])
    parser.add_argument("--rounds", type=int, default=40, help="of each contender (40)")
    parser.add_argument(
        "--plain-hook",
        type=Path,
        default=turns.PLAIN_HOOK,
        metavar="HOOK",
        help="a shell hook that commits the same, instead of bench/plain_hook.sh",
    )
    return parser


def machine() -> str:
    """What was measured, where, in one line."""
    git = subprocess.run(["git", "--version"], capture_output=True, text=True).stdout.split()[-1]
    python = subprocess.run([PYTHON, "-V"], capture_output=True, text=True).stdout.strip()
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    versions = f"{python}, git {git}, Claude Code {VERSION}"
    return f"baton {baton.__version__}; {cores} cores, {platform.system()} {platform.machine()}; {versions}"


if __name__ == "__main__":
    sys.exit(main())
