"""baton.edge.packages: made once, by one process, whole or not at all."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import baton
from baton.core.errors import BatonError
from baton.edge import packages
from baton.hot.lock import Lock
from facts import timed_alone, wait_until

HERE = sys.executable
TAG = sys.implementation.cache_tag
PREPARING = "preparing its packages, once (about 10 s)…"

# A stand-in for the interpreter: its pip notes that it was called and makes one file.
PYTHON = """\
#!/bin/sh
case "$*" in
*'-m pip --version') exit {pip} ;;
*'-m venv '*) [ {venv} = 0 ] || exit 1
  for folder; do :; done; mkdir -p "$folder/bin"
  sed 's/exit 1 ;;/exit 0 ;;/' "$0" >"$folder/bin/python"
  chmod +x "$folder/bin/python"; exit 0 ;;
*'-m pip install '*)
  echo "${{0##*/}} $*" >>'{log}'
  while [ "$1" != --target ]; do shift; done
  echo half >"$2/half"; {install}; mv "$2/half" "$2/yaml"; exit 0 ;;
esac
exit 9
"""

UV = """\
#!/bin/sh
echo "uv $*" >>'{log}'
while [ "$1" != --target ]; do shift; done
echo >"$2/yaml"
"""


class Stand:
    """A data home, a stand-in interpreter, and what was said and installed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.python = folder / "python"
        self.log = folder / "log"
        self.said: list[str] = []
        self.base = folder / "data/baton" / baton.__version__
        self.packages = self.base / f"packages-{TAG}"

    def write(self, *, pip: int = 0, venv: int = 0, install: str = ":") -> None:
        """pip, venv: exit codes of what asks for them. install: what happens half-way."""
        text = PYTHON.format(pip=pip, venv=venv, install=install, log=self.log)
        self.python.write_text(text, encoding="utf-8")
        self.python.chmod(0o755)

    def ensure(self) -> str:
        return packages.ensure(self.said.append)

    def installs(self) -> list[str]:
        return self.log.read_text(encoding="utf-8").splitlines() if self.log.exists() else []

    def process(self) -> subprocess.Popen[bytes]:
        """Start another process that wants the packages."""
        program = (
            f"import sys; sys.executable = {str(self.python)!r}\n"
            "from baton.edge import packages\n"
            "print(packages.ensure(lambda text: print(text, flush=True)))"
        )
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        command = [HERE, "-c", program]
        return subprocess.Popen(command, env=env, stdout=-1, stderr=-1)


@pytest.fixture
def stand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stand:
    made = Stand(tmp_path)
    made.write()
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setattr(sys, "executable", str(made.python))
    return made


def test_made_once_and_then_found(stand: Stand) -> None:
    assert [stand.ensure(), stand.ensure()] == [str(stand.packages)] * 2
    assert stand.said == [PREPARING]
    assert len(stand.installs()) == 1
    assert os.listdir(stand.packages) == ["yaml"]
    assert sorted(os.listdir(stand.base)) == [stand.packages.name, f"{stand.packages.name}.lock"]


def test_the_install_command(stand: Stand) -> None:
    stand.ensure()
    [line] = stand.installs()
    before, _, after = line.partition(" --target ")
    assert before == (
        "python -I -m pip install --disable-pip-version-check --no-input"
        " --require-hashes --only-binary :all: --no-deps --quiet"
    )
    assert after.endswith(f"/built --requirement {packages.PINS}")


def test_present_packages_need_no_interpreter_and_no_network(stand: Stand) -> None:
    stand.packages.mkdir(parents=True)
    stand.python.unlink()
    assert stand.ensure() == str(stand.packages)
    assert stand.said == []


def test_where_there_is_no_pip_uv_installs(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    stand.write(pip=1)
    uv = stand.folder / "bin/uv"
    uv.parent.mkdir()
    uv.write_text(UV.format(log=stand.log), encoding="utf-8")
    uv.chmod(0o755)
    monkeypatch.setenv("PATH", f"{uv.parent}:/usr/bin:/bin")
    stand.ensure()
    [line] = stand.installs()
    assert line.startswith(f"uv pip install --python {stand.python} --require-hashes")


def test_where_there_is_neither_a_venv_brings_pip(stand: Stand) -> None:
    stand.write(pip=1)
    stand.ensure()
    assert [line.split(" --target ")[0] for line in stand.installs()] == [
        "python -I -m pip install --disable-pip-version-check --no-input"
        " --require-hashes --only-binary :all: --no-deps --quiet"
    ]
    assert sorted(os.listdir(stand.base)) == [stand.packages.name, f"{stand.packages.name}.lock"]


def test_nothing_to_install_with(stand: Stand) -> None:
    stand.write(pip=1, venv=1)
    with pytest.raises(BatonError) as refused:
        stand.ensure()
    assert (refused.value.code, refused.value.message, refused.value.hint) == (
        "no-environment",
        f"its packages cannot be installed: {stand.python} has no pip, and there is no uv",
        "sudo apt-get install python3-pip",
    )
    assert os.listdir(stand.base) == [f"{stand.packages.name}.lock"]


FAILURES = {
    "no network": ("echo 'ERROR: no matching distribution' >&2; echo >&2; exit 1",
                   "ERROR: no matching distribution"),
    "a word to nobody": ("exit 7", "exit 7"),
}  # fmt: skip


@pytest.mark.parametrize(("install", "words"), FAILURES.values(), ids=FAILURES)
def test_a_failed_install_leaves_nothing(install: str, words: str, stand: Stand) -> None:
    stand.write(install=install)
    with pytest.raises(BatonError) as refused:
        stand.ensure()
    assert refused.value.code == "no-environment"
    assert refused.value.message == f"its packages cannot be installed: {words}"
    assert refused.value.hint.startswith(f"{stand.python} -m pip download ")
    assert os.listdir(stand.base) == [f"{stand.packages.name}.lock"]
    stand.write()
    assert stand.ensure() == str(stand.packages)


def test_an_install_without_end(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "_INSTALL_SECONDS", 1.0)
    # Whoever is merely asked for its version may take its time.
    timed_alone(monkeypatch, "install")
    stand.write(install="sleep 300")
    with pytest.raises(BatonError) as refused:
        stand.ensure()
    assert refused.value.message == "its packages cannot be installed: no answer within 1 s"


def test_a_data_home_that_cannot_be_written(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    (stand.folder / "data").write_text("a file\n", encoding="utf-8")
    with pytest.raises(BatonError) as refused:
        stand.ensure()
    assert (refused.value.code, refused.value.message) == (
        "no-environment",
        f"its packages cannot be put into {stand.base}: Not a directory",
    )


def test_without_data_home_it_lies_under_home(
    stand: Stand, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "relative")
    version = baton.__version__
    assert stand.ensure() == f"{home}/.local/share/baton/{version}/packages-{TAG}"


def test_two_at_once_install_once_and_the_second_says_that_it_waits(stand: Stand) -> None:
    go = stand.folder / "go"
    stand.write(install=f"while [ ! -e '{go}' ]; do sleep 0.05; done")
    several = [stand.process() for _ in range(4)]
    # The one that installs goes on when all the others have said that they wait.
    first = [child.stdout.readline().decode() for child in several if child.stdout]
    go.touch()
    rest = [child.communicate(timeout=120)[0].decode() for child in several]
    waiting = "another baton is preparing the packages; waiting for it…"
    assert sorted(first) == [f"{waiting}\n"] * 3 + [f"{PREPARING}\n"]
    assert rest == [f"{stand.packages}\n"] * 4
    assert len(stand.installs()) == 1


def test_who_waits_too_long_is_told_for_what(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "_WAIT_SECONDS", 0.1)
    stand.base.mkdir(parents=True)
    lock = f"{stand.packages}.lock"
    with Lock(lock, 0), pytest.raises(BatonError) as refused:
        stand.ensure()
    assert (refused.value.code, refused.value.message, refused.value.hint) == (
        "locked",
        f"another baton has been preparing the packages for 0 s ({lock})",
        "the same command again",
    )


def test_a_killed_build_is_never_used_and_is_cleared_away(stand: Stand) -> None:
    stand.write(install="sleep 300")
    child = stand.process()
    halves = ".packages-*/built/half"
    wait_until(lambda: list(stand.base.glob(halves)), "the installation is halfway")
    child.send_signal(signal.SIGKILL)
    child.communicate(timeout=60)
    assert not stand.packages.exists()
    stand.write()
    stand.ensure()
    assert sorted(os.listdir(stand.base)) == [stand.packages.name, f"{stand.packages.name}.lock"]
    assert os.listdir(stand.packages) == ["yaml"]


@pytest.mark.slow
def test_the_pinned_packages_can_be_had(home: Path) -> None:
    """Uses the package registry."""
    folder = packages.ensure(lambda _: None)
    program = "import sys; sys.path.append(sys.argv[1]); import yaml, rfc8785, filelock"
    command = [sys.executable, "-I", "-S", "-c", program, folder]
    assert subprocess.run(command, check=False).returncode == 0
    shutil.rmtree(folder)
