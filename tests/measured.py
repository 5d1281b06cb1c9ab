"""Hooks and commands in processes of their own: they have more time (patience.py), and under coverage
their lines are counted.

They are started with `-I -S`, where no start-up file is read. But hooks/run uses the interpreter that
it remembers: here that is a small script, which sees to both and then becomes the door.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import coverage

import baton

_ROOT = Path(__file__).resolve().parent.parent
_DOOR = Path(__file__).with_name("measured_door.py")
_MEASURING = """\
#!/bin/sh
# called as: THIS -I -S SCRIPT [ARGUMENT...]
shift 2
case $1 in -*) exec '{python}' -I -S "$@" ;; esac
exec '{python}' -I -S '{program}' '{library}' '{config}' '{data}' "$@"
"""


def remember(data_home: Path) -> None:
    """Write the interpreter for hooks/run into a data home."""
    folder = data_home / "baton" / baton.__version__
    folder.mkdir(parents=True, exist_ok=True)
    python = _measuring(folder, coverage.Coverage.current())
    (folder / "python").write_text(f"{python}\n", encoding="utf-8")


def base_interpreter() -> str:
    """The binary behind the tests' virtual environment."""
    return os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)


def patient(door: Path, *options: str) -> list[str]:
    """The command for a door that has more time and is not counted. options: of the interpreter."""
    return [base_interpreter(), "-I", "-S", *options, str(_DOOR), "", "", "", str(door)]


def _measuring(folder: Path, running: coverage.Coverage | None) -> Path:
    library = folder / "library"
    library.mkdir(exist_ok=True)
    if running and not (library / "coverage").exists():
        (library / "coverage").symlink_to(Path(coverage.__file__).parent)
    script = folder / "measuring-python"
    text = _MEASURING.format(
        python=base_interpreter(),
        program=_DOOR,
        library=library,
        config=_ROOT / "pyproject.toml",
        data=_ROOT / str(running.config.data_file) if running else "",
    )
    script.write_text(text, encoding="utf-8")
    script.chmod(0o755)
    return script
