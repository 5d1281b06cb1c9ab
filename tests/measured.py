"""Counts the lines that hooks run in processes of their own, when the tests run under coverage.

Hooks are started with `-I -S`, where no start-up file of coverage's is read. But hooks/run uses
the interpreter that it remembers: under coverage that is a small script which starts coverage and
then becomes the door. Without coverage it is the interpreter of the tests, which spares the search.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import coverage

import baton

_ROOT = Path(__file__).resolve().parent.parent
_MEASURING = """\
#!/bin/sh
# called as: THIS -I -S SCRIPT [ARGUMENT...]
shift 2
exec '{python}' -I -S '{program}' '{library}' '{config}' '{data}' "$@"
"""


def remember(data_home: Path) -> None:
    """Write the interpreter for hooks/run into a data home."""
    folder = data_home / "baton" / baton.__version__
    folder.mkdir(parents=True, exist_ok=True)
    running = coverage.Coverage.current()
    python = base_interpreter() if running is None else _measuring(folder, running)
    (folder / "python").write_text(f"{python}\n", encoding="utf-8")


def base_interpreter() -> str:
    """The binary behind the tests' virtual environment."""
    return os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)


def _measuring(folder: Path, running: coverage.Coverage) -> Path:
    library = folder / "library"
    library.mkdir(exist_ok=True)
    if not (library / "coverage").exists():
        (library / "coverage").symlink_to(Path(coverage.__file__).parent)
    script = folder / "measuring-python"
    text = _MEASURING.format(
        python=base_interpreter(),
        program=Path(__file__).with_name("measured_door.py"),
        library=library,
        config=_ROOT / "pyproject.toml",
        data=_ROOT / str(running.config.data_file),
    )
    script.write_text(text, encoding="utf-8")
    script.chmod(0o755)
    return script
