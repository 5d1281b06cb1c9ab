"""baton.hot.config: each bad value is named, the rest still holds (design page cli)."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baton.hot.config import DEFAULT_PATHS, Config, fault_of, load
from baton.hot.project import Project

DEFAULTS: dict[str, object] = {
    "persist": "branch",
    "paths": [
        ".claude/WAL.md",
        ".claude/agent-memory/",
        ".claude/workflows/runs/",
        ".claude/pipeline.jsonl",
        ".claude/pipelines/",
    ],
    "lang": "en",
    "notice": "on",
    "lock_wait": 30,
    "verify_timeout": 30,
}
FILE = ".claude/baton.toml"


def facts(found: Config) -> dict[str, object]:
    """The settings that differ from the defaults."""
    return {key: getattr(found, key) for key in DEFAULTS if getattr(found, key) != DEFAULTS[key]}


def _load(folder: Path, data: bytes) -> Config:
    (folder / ".claude").mkdir(exist_ok=True)
    (folder / FILE).write_bytes(data)
    return load(Project(str(folder), None))


# file → what differs from the defaults, problems
FILES: dict[str, tuple[bytes, dict[str, object], list[str]]] = {
    "empty": (b"", {}, []),
    "everything": (
        b'persist = "ref"\nlang = "vi"\nnotice = "off"\nlock_wait = 0\nverify_timeout = 3600\n'
        b'paths = [".claude/WAL.md", "notes/"]\n',
        {
            "persist": "ref",
            "lang": "vi",
            "notice": "off",
            "lock_wait": 0,
            "verify_timeout": 3600,
            "paths": [".claude/WAL.md", "notes/"],
        },
        [],
    ),
    "a BOM and CRLF": (b'\xef\xbb\xbflang = "vi"\r\n', {"lang": "vi"}, []),
    "an unknown key": (
        b'claim_remote = "origin"\nlang = "vi"\n',
        {"lang": "vi"},
        [f"{FILE}: unknown key 'claim_remote'"],
    ),
    "bad choices": (
        b'persist = "push"\nlang = 1\nnotice = false\n',
        {},
        [
            f"{FILE}: persist must be one of branch, ref, off; it is 'push'",
            f"{FILE}: lang must be one of en, vi; it is 1",
            f"{FILE}: notice must be one of on, off; it is False",
        ],
    ),
    "bad seconds": (
        b'lock_wait = 61\nverify_timeout = 0\n',
        {},
        [
            f"{FILE}: lock_wait must be a whole number from 0 to 60; it is 61",
            f"{FILE}: verify_timeout must be a whole number from 1 to 3600; it is 0",
        ],
    ),
    "seconds that are no number": (
        b'lock_wait = true\nverify_timeout = 1.5\n',
        {},
        [
            f"{FILE}: lock_wait must be a whole number from 0 to 60; it is True",
            f"{FILE}: verify_timeout must be a whole number from 1 to 3600; it is 1.5",
        ],
    ),
    "paths that are no list": (
        b'paths = "notes/"\n',
        {},
        [f"{FILE}: paths must be a list of strings; it is 'notes/'"],
    ),
    "a path that is no text": (
        b'paths = ["notes/", 1]\n',
        {},
        [f"{FILE}: paths must be a list of strings; it is ['notes/', 1]"],
    ),
    "one bad path": (
        b'paths = ["../x", "notes/"]\n',
        {"paths": ["notes/"]},
        [f"{FILE}: path '../x' was ignored: it leads out of the project"],
    ),
    "not TOML": (b"persist: ref\n", {}, [f"{FILE} is not TOML and was ignored: …"]),
    "not UTF-8": (b'lang = "\xff"\n', {}, [f"{FILE} is not TOML and was ignored: …"]),
    "a number of 5,000 digits": (
        b"lock_wait = " + b"9" * 5000,
        {},
        [f"{FILE} is not TOML and was ignored: …"],
    ),
    "too deep": (b"a = " + b"[" * 50_000, {}, [f"{FILE} is not TOML and was ignored: …"]),
    "too large": (
        b'lang = "vi"\n' + b"#" * 65536,
        {},
        [f"{FILE} is larger than 65536 bytes and was ignored"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("data", "expected", "problems"), FILES.values(), ids=FILES)
def test_load(
    data: bytes, expected: dict[str, object], problems: list[str], tmp_path: Path
) -> None:
    found = _load(tmp_path, data)
    told = [
        problem.partition("ignored: ")[0] + "ignored: …" if "not TOML" in problem else problem
        for problem in found.problems
    ]
    assert (facts(found), told) == (expected, problems)


def test_no_file(tmp_path: Path) -> None:
    found = load(Project(str(tmp_path), None))
    assert (facts(found), found.problems) == ({}, [])


def test_a_folder_in_its_place(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir(parents=True)
    found = load(Project(str(tmp_path), None))
    assert found.problems == [f"{FILE} cannot be read: not a regular file"]
    assert facts(found) == {}


def test_no_settings_share_their_list() -> None:
    one = Config()
    one.paths.append("x")
    assert Config().paths == DEFAULT_PATHS == DEFAULTS["paths"]


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_any_file_is_read(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    folder = tmp_path_factory.getbasetemp() / "any-config"
    folder.mkdir(exist_ok=True)
    assert isinstance(_load(folder, data), Config)


PATHS = {
    ".claude/WAL.md": "",
    "notes/": "",
    "./notes": "",
    "a b/ổ.md": "",
    "...": "",
    "": "it is the whole project",
    ".": "it is the whole project",
    "./": "it is the whole project",
    "..": "it leads out of the project",
    "a/../../b": "it leads out of the project",
    "/etc": "it must be relative to the project, with forward slashes",
    "C:/x": "it must be relative to the project, with forward slashes",
    "a\\b": "it must be relative to the project, with forward slashes",
    ".git": "it lies in git's own folder",
    ".GIT/hooks": "it lies in git's own folder",
    "sub/.git/config": "it lies in git's own folder",
    "git~1/hooks": "it lies in git's own folder",
    "a\nb": "it holds control characters",
}


@pytest.mark.parametrize(("path", "fault"), PATHS.items(), ids=list(map(repr, PATHS)))
def test_fault_of(path: str, fault: str) -> None:
    assert fault_of(path) == fault
