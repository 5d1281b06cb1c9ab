"""Started by the script that measured.py writes: runs a door as __main__, with more time, and under
coverage where the tests are."""

from __future__ import annotations

import os
import runpy
import sys


def main(library: str, config: str, data: str, script: str, *arguments: str) -> None:
    """library: a folder that holds coverage and nothing else. data: the absolute data file, "" where
    nothing is counted."""
    sys.argv = [script, *arguments]
    _be_patient()
    if not data or not _has_folder():
        # coverage cannot be imported in a folder that is gone; the door must run there all the same.
        runpy.run_path(script, run_name="__main__")
        return
    sys.path.insert(0, library)
    import coverage

    # What the settings name is relative to the repository; a hook runs in somebody's project.
    source = [os.path.join(os.path.dirname(config), "scripts", "baton")]
    measuring = coverage.Coverage(
        data_file=data, data_suffix=True, config_file=config, source=source
    )
    measuring.start()
    sys.path.remove(library)
    try:
        runpy.run_path(script, run_name="__main__")
    finally:
        measuring.stop()
        measuring.save()


def _be_patient() -> None:
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import patience

    del sys.path[0]
    sys.meta_path.insert(0, patience.Patience())


def _has_folder() -> bool:
    try:
        os.getcwd()
    except OSError:
        return False
    return True


if __name__ == "__main__":
    main(*sys.argv[1:])
