"""`baton setup`: merged into whatever is there, shown first, refused where it cannot be, and taken back
without a trace."""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import baton as package
import syscalls
from baton.core.chain.edit import empty
from baton.core.chain.render import render
from baton.core.setup import settings as entries
from baton.core.setup.settings import RULES
from baton.edge import setup_git, setup_runtime
from baton.hot import acts, project
from baton.hot.state import State
from chain_cases import EXAMPLE
from commands import Here, Said, refused, run_baton
from measured import base_interpreter
from support import ROOT, git, make_repository

SETTINGS = ".claude/settings.json"
OTHERS = {
    "permissions": {"allow": ["Bash(ls:*)"], "deny": ["Read(./.env)"], "defaultMode": "plan"},
    "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]},
    "env": {"NAME": "Jürgen"},
}
ONE_LINE = json.dumps(OTHERS, ensure_ascii=False)
INDENTED = json.dumps(OTHERS, indent=4, ensure_ascii=False)


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A baton of few files, to be copied into projects: enough for the merging, nothing that moves."""
    folder = tmp_path_factory.mktemp("small")
    for name in ("LICENSE", "bin", "commands", "hooks", "scripts/baton/__init__.py"):
        source = ROOT / name
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if source.is_dir() else shutil.copy)(source, folder / name)
    return folder


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The launcher of a whole baton that nobody edits meanwhile."""
    folder = tmp_path_factory.mktemp("whole")
    for piece in setup_runtime.pieces():
        path = write(folder / piece.name, piece.data)
        path.chmod(0o755 if piece.executable else 0o644)
    return folder / "bin/baton"


def run_whole(whole: Path, *words: str, cwd: Path) -> str:
    """Run a command line of that baton, which must succeed; give what it printed."""
    done = subprocess.run([whole, *words], cwd=cwd, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(autouse=True)
def _in_this_process(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(setup_runtime, "ROOT", str(small))


def tree(root: Path) -> dict[str, object]:
    """Every file, link and folder of a project, git's own exclude file too, with mode and content."""
    found: dict[str, object] = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if name.startswith(".git/") and name != ".git/info/exclude":
            continue
        mode = oct(path.lstat().st_mode)
        if path.is_symlink():
            found[name] = (mode, os.readlink(path))
        else:
            found[name] = (mode, path.read_bytes() if path.is_file() else "folder")
    return found


def write(path: Path, data: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def put(text: str) -> Callable[[Path], object]:
    return lambda root: write(root / SETTINGS, text.encode())


def old_entries(root: Path) -> None:
    """What an older baton registered, its copy included."""
    launcher = f"${{CLAUDE_PROJECT_DIR}}{entries.LAUNCHER}"
    hook = {"type": "command", "command": "sh", "args": [launcher, "old"], "timeout": 99}
    old = {"hooks": {"Stop": [{"hooks": [hook]}], "Notification": [{"hooks": [hook]}]}}
    write(root / SETTINGS, json.dumps(old, indent=2).encode())


def linked(root: Path) -> None:
    write(root / "config/claude.json", INDENTED.encode())
    (root / ".claude").mkdir()
    (root / SETTINGS).symlink_to("../config/claude.json")


def local_file(root: Path) -> None:
    write(root / ".claude/settings.local.json", b'{"permissions": {"deny": ["Bash(baton:*)"]}}')
    put(ONE_LINE)(root)


def neighbours(root: Path) -> None:
    """Everything else that setup touches is there, each in a way of its own."""
    write(root / ".gitattributes", b"*.png binary")
    write(root / "CLAUDE.md", b"# Rules\r\n\r\nBe kind.\r\n")
    write(root / ".claude/baton.toml", b"# ours\nlang = 'vi' # why\n")
    write(root / ".claude/commands/deploy.md", b"deploy\n")
    write(root / ".claude/WAL.md", render(empty("vi")))


def private(root: Path) -> None:
    put(ONE_LINE)(root)
    (root / SETTINGS).chmod(0o600)


KINDS: dict[str, Callable[[Path], object]] = {
    "none": lambda root: None,
    "an empty .claude": lambda root: (root / ".claude").mkdir(),
    "empty": put(""),
    "an empty object": put("{}"),
    "hooks of others": put(INDENTED),
    "on one line, no final newline": put(ONE_LINE),
    "CRLF": put(INDENTED.replace("\n", "\r\n") + "\r\n"),
    "a byte order mark": put("\ufeff" + INDENTED),
    "a symlink": linked,
    "a local file": local_file,
    "neighbours": neighbours,
    "a private file": private,
}


@pytest.mark.parametrize("prepare", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize(
    "wish",
    [[], ["--with-hooks", "--statusline", "--persist", "ref", "--lang", "en"]],
    ids=["plain", "everything"],
)
def test_set_up_and_taken_back(
    prepare: Callable[[Path], object], wish: list[str], repo: Path, baton: Here
) -> None:
    prepare(repo)
    before = tree(repo)
    assert baton("setup", *wish, "--dry-run").code == 0
    assert tree(repo) == before
    assert baton("setup", *wish).code == 0
    after = tree(repo)
    assert set(before) <= set(after)
    value = json.loads((repo / SETTINGS).read_text(encoding="utf-8-sig"))
    assert set(RULES) <= set(value["permissions"]["allow"])
    assert ("Stop" in value.get("hooks", {}) and "SubagentStop" in value["hooks"]) is bool(
        wish
    ) or ("hooks" in str(before.get(SETTINGS)) or not wish)
    assert baton("setup", *wish) == Said(0, f"{repo}: was set up already\n", "")
    assert tree(repo) == after
    assert baton("setup", "--uninstall").code == 0
    assert tree(repo) == before
    assert baton("setup", "--uninstall").out == f"{repo}: nothing of baton's set-up is here\n"


def test_what_the_person_reads(repo: Path, baton: Here) -> None:
    assert baton("setup") == Said(
        0,
        f"{repo}: set up\n  + .gitattributes\n  + .claude/WAL.md\n  + CLAUDE.md\n  + {SETTINGS}\n"
        "next: `baton doctor`, which says whether Claude Code runs the hooks\n",
        "",
    )
    assert baton("setup", "--uninstall") == Said(
        0,
        f"{repo}: set-up taken back\n  - {SETTINGS}\n  - CLAUDE.md\n  - .gitattributes\n"
        "  - .claude/WAL.md\n",
        "",
    )


def test_what_a_machine_reads(repo: Path, baton: Here) -> None:
    said = json.loads(baton("setup", "--json").out)
    assert said == {
        "project": str(repo),
        "made": [".gitattributes", ".claude/WAL.md", "CLAUDE.md", SETTINGS],
        "changed": [],
        "removed": [],
        "notes": [],
        "untrack": [],
        "dry_run": False,
    }
    shown = json.loads(baton("setup", "--dry-run", "--json").out)
    assert (shown["dry_run"], shown["diff"]) == (True, "")


def test_a_dry_run_shows_the_diff(repo: Path, baton: Here) -> None:
    write(repo / "CLAUDE.md", b"Be kind.\n")
    shown = baton("setup", "--dry-run", "--with-hooks").out
    assert (
        "--- a/CLAUDE.md\n+++ b/CLAUDE.md\n@@ -1 +1,6 @@\n Be kind.\n+\n+<!-- baton setup: begin -->\n"
        in shown
    )
    assert f"+++ b/{SETTINGS}\n" in shown
    assert '+      "Bash(baton wal:*)",\n' in shown
    assert " files of baton's own in .claude/baton/\n" in shown
    assert not (repo / ".git/baton").exists()
    baton("setup", "--with-hooks")
    assert baton("setup", "--dry-run").out == "nothing would change\n"


def test_what_was_edited_meanwhile_stays(repo: Path, baton: Here) -> None:
    neighbours(repo)
    put(INDENTED)(repo)
    before = tree(repo)
    baton("setup", "--with-hooks", "--persist", "ref", "--lang", "en")

    def edit(name: str, old: str, new: str) -> None:
        data = before[name][1]  # type: ignore[index]
        mode = before[name][0]  # type: ignore[index]
        before[name] = (mode, data.replace(old.encode(), new.encode()))
        path = repo / name
        path.write_bytes(path.read_bytes().replace(old.encode(), new.encode(), 1))

    edit(SETTINGS, '"defaultMode": "plan"', '"defaultMode": "plan", "ask": ["Bash(rm:*)"]')
    edit("CLAUDE.md", "Be kind.", "Be kind and brief.")
    edit(".claude/baton.toml", "# ours", "# ours and mine")
    edit(".gitattributes", "*.png", "*.jpg binary\n*.png")
    assert baton("setup", "--uninstall").code == 0
    assert tree(repo) == before


def test_a_second_set_up_adds_to_the_first(repo: Path, baton: Here) -> None:
    before = tree(repo)
    baton("setup")
    baton("setup", "--with-hooks")
    put_ = json.loads((repo / SETTINGS).read_bytes())
    assert list(put_) == ["permissions", "hooks"]
    assert baton("setup").out == f"{repo}: was set up already\n"
    baton("setup", "--uninstall")
    assert tree(repo) == before


def test_old_entries_of_ours_are_replaced(repo: Path, baton: Here) -> None:
    old_entries(repo)
    assert baton("setup").code == 0
    value = json.loads((repo / SETTINGS).read_bytes())
    assert value["hooks"] == entries.of_project(setup_runtime.hooks())
    assert (repo / ".claude/baton/hooks/run").exists()
    baton("setup", "--uninstall")
    assert not (repo / SETTINGS).exists()


# ---- refusals: whole texts, and nothing moved ----


def malformed(root: Path) -> None:
    put('{"a": 1,}\n')(root)


def leads_out(root: Path) -> None:
    write(root.parent / "elsewhere.json", b"{}")
    (root / ".claude").mkdir()
    (root / SETTINGS).symlink_to(root.parent / "elsewhere.json")


def folder_leads_out(root: Path) -> None:
    (root.parent / "elsewhere").mkdir()
    (root / ".claude").symlink_to(root.parent / "elsewhere")


def read_only(root: Path) -> None:
    put(ONE_LINE)(root)
    (root / SETTINGS).chmod(0o444)


EDIT = '"${{EDITOR:-vi}}" '
REFUSED: dict[str, tuple[Callable[[Path], object], list[str], int, str, str]] = {
    "malformed": (
        malformed,
        [],
        2,
        "{s}: line 1 column 9: Expecting property name enclosed in double quotes; nothing was written",
        EDIT + "{root}/{s}",
    ),
    "malformed, taken back": (
        malformed,
        ["--uninstall"],
        2,
        "{s}: line 1 column 9: Expecting property name enclosed in double quotes; nothing was written",
        EDIT + "{root}/{s}",
    ),
    "a comment": (
        put('{\n  "a": 1 // why\n}\n'),
        [],
        2,
        "{s}: line 2 column 10: a comment, which JSON does not have; nothing was written",
        EDIT + "{root}/{s}",
    ),
    "another shape": (
        put('{"hooks": []}'),
        ["--with-hooks"],
        2,
        "{s}: hooks must be an object; nothing was written",
        EDIT + "{root}/{s}",
    ),
    "no text": (
        put("{\0}"),
        [],
        2,
        "{s} is no UTF-8 text; nothing was written",
        "head -c 64 {root}/{s}",
    ),
    "read-only": (
        read_only,
        [],
        5,
        "{s} is write-protected; nothing was written",
        "chmod u+w {root}/{s}",
    ),
    "a link that leads out": (
        leads_out,
        [],
        2,
        "{s} leads out of {root}, to {above}/elsewhere.json; nothing was written",
        "ls -ld {root}/{s}",
    ),
    "a folder that leads out": (
        folder_leads_out,
        [],
        2,
        "{s} leads out of {root}, to {above}/elsewhere/settings.json; nothing was written",
        "ls -ld {root}/{s}",
    ),
    "a folder": (
        lambda root: (root / SETTINGS).mkdir(parents=True),
        [],
        5,
        "{s} cannot be read: not a regular file; nothing was written",
        "ls -ld {root}/{s}",
    ),
    "a file where a folder should be": (
        lambda root: write(root / ".claude", b"mine\n"),
        [],
        2,
        "{s}: {root}/.claude is no folder; nothing was written",
        "ls -ld {root}/.claude",
    ),
    "too large": (
        put(" " * (1 << 20) + "{}"),
        [],
        5,
        "{s} is larger than 1048576 bytes; nothing was written",
        "ls -l {root}/{s}",
    ),
    "a damaged block": (
        lambda root: write(root / ".gitattributes", b"# >>> baton setup\n"),
        [],
        2,
        ".gitattributes: '# >>> baton setup' stands there 1 times, '# <<< baton setup' 0 times; "
        "a block has one of each, in this order; nothing was written",
        "grep -n 'baton setup' {root}/.gitattributes",
    ),
    "no TOML": (
        lambda root: write(root / ".claude/baton.toml", b"lang =\n"),
        ["--persist", "off"],
        2,
        ".claude/baton.toml: Invalid value (at line 1, column 7); nothing was written",
        EDIT + "{root}/.claude/baton.toml",
    ),
    "two wishes at once": (
        lambda root: None,
        ["--uninstall", "--with-hooks"],
        2,
        "--uninstall takes everything back; no other wish goes with it",
        "baton setup --uninstall",
    ),
    "untrack alone": (
        lambda root: None,
        ["--untrack"],
        2,
        "--untrack goes with --persist ref",
        "baton setup --persist ref --untrack",
    ),
}


@pytest.mark.parametrize(
    ("prepare", "words", "code", "message", "hint"), REFUSED.values(), ids=REFUSED
)
def test_refused(
    prepare: Callable[[Path], object],
    words: list[str],
    code: int,
    message: str,
    hint: str,
    repo: Path,
    baton: Here,
) -> None:
    prepare(repo)
    before = tree(repo)
    said = baton("setup", *words)
    facts = {"s": SETTINGS, "root": repo, "above": repo.parent}
    wanted = refused(code, message.format(**facts), hint.format(**facts))
    assert (said.code, said.out) == (wanted.code, wanted.out)
    assert said.err.endswith(wanted.err)
    assert tree(repo) == before
    assert not (repo / ".git/baton/setup").exists()


def test_the_home_folder_is_no_project(home: Path, baton: Here) -> None:
    said = baton("setup", "--project", str(home))
    message = f"{home} is your home: its .claude is Claude Code's own; nothing was written"
    assert said == refused(2, message, "baton setup --project DIR")


def test_outside_git(tmp_path: Path, baton: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    monkeypatch.chdir(folder)
    said = baton("setup", "--persist", "ref")
    assert "\nnote: no git repository here: files are kept on disk alone\n" in said.out
    assert not (folder / ".gitattributes").exists()
    assert baton("setup", "--uninstall").code == 0
    assert tree(folder) == {}


# ---- what is put there ----


def test_line_ends_that_no_checkout_changes(repo: Path, baton: Here) -> None:
    baton("setup", "--with-hooks")
    names = ["x.sh", ".claude/WAL.md", ".claude/baton/hooks/run", ".claude/baton/bin/baton"]
    said = git("check-attr", "eol", "--", *names, cwd=repo).splitlines()
    assert said == [f"{name}: eol: lf" for name in names]
    git("add", ".", cwd=repo)
    git("commit", "-qm", "set up", cwd=repo)
    clone = repo.parent / "clone"
    git(
        "-c",
        "core.autocrlf=true",
        "clone",
        "-q",
        "-c",
        "core.autocrlf=true",
        str(repo),
        str(clone),
        cwd=repo,
    )
    assert b"\r" not in (clone / ".claude/baton/hooks/run").read_bytes()


def test_the_language(repo: Path, baton: Here) -> None:
    baton("setup", "--lang", "vi")
    assert (repo / ".claude/WAL.md").read_bytes() == render(empty("vi"))
    assert "nối lại" in (repo / "CLAUDE.md").read_text(encoding="utf-8")
    assert (repo / ".claude/baton.toml").read_text() == 'lang = "vi"  # baton setup\n'


def test_the_pointer_goes_where_the_project_has_its_rules(repo: Path, baton: Here) -> None:
    rules = write(repo / ".claude/CLAUDE.md", b"Be kind.\n")
    baton("setup")
    assert not (repo / "CLAUDE.md").exists()
    assert b"`/tiep`" in rules.read_bytes()
    baton("setup", "--uninstall")
    assert rules.read_bytes() == b"Be kind.\n"


def test_an_unfinished_chain_outlives_the_set_up(repo: Path, baton: Here) -> None:
    baton("setup")
    (repo / ".claude/WAL.md").write_bytes(EXAMPLE)
    said = baton("setup", "--uninstall")
    assert said.out.endswith(
        "note: .claude/WAL.md is unfinished and was left; it holds work, not set-up\n"
    )
    assert list(tree(repo)) == [
        ".claude",
        ".claude/WAL.md",
        ".git",
        ".git/info/exclude",
        "README.md",
    ]


def test_a_status_line_of_somebody_elses_is_left(repo: Path, baton: Here) -> None:
    put('{"statusLine": {"type": "command", "command": "date"}}')(repo)
    said = baton("setup", "--statusline")
    assert f"note: {SETTINGS} has a status line already; it was left as it is\n" in said.out
    assert json.loads((repo / SETTINGS).read_bytes())["statusLine"]["command"] == "date"


def test_a_rule_that_allows_too_much_is_named(repo: Path, baton: Here) -> None:
    put('{"permissions": {"allow": ["Bash(baton:*)"]}}')(repo)
    said = baton("setup")
    assert (
        f"note: {SETTINGS} allows all of baton, setup and close too; the rules by group suffice\n"
        in said.out
    )


def test_the_status_line_runs_the_copy(repo: Path, baton: Here, whole: Path) -> None:
    said = run_whole(whole, "setup", "--statusline", cwd=repo)
    # Its hooks are not among them: a clone has the files, not baton at work.
    assert said.endswith(
        "\nnext: commit these files; whoever clones the project then has them, too\n"
    )
    command = json.loads((repo / SETTINGS).read_bytes())["statusLine"]["command"]
    env = {**os.environ, "CLAUDE_PROJECT_DIR": str(repo)}
    (repo / ".claude/WAL.md").write_bytes(EXAMPLE)
    event = json.dumps({"cwd": str(repo), "workspace": {"project_dir": str(repo)}}).encode()
    done = subprocess.run(["sh", "-c", command], input=event, env=env, capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")
    assert "1/" in done.stdout.decode()
    assert not (repo / ".claude/commands").exists()
    assert "hooks" not in json.loads((repo / SETTINGS).read_bytes())
    baton("setup", "--uninstall")
    gone = subprocess.run(["sh", "-c", command], input=b"{}", env=env, capture_output=True)
    assert (gone.returncode, gone.stdout, gone.stderr) == (0, b"", b"")


# ---- the team's copy ----


def test_the_copy_works_alone(repo: Path, whole: Path) -> None:
    """A colleague has the repository, Python and git; run by that copy, set-up changes nothing."""
    run_whole(whole, "setup", "--with-hooks", cwd=repo)
    git("add", ".", cwd=repo)
    git("commit", "-qm", "set up", cwd=repo)
    clone = repo.parent / "clone"
    git("clone", "-q", str(repo), str(clone), cwd=repo)
    own = clone / ".claude/baton/bin/baton"

    def copy(*words: str) -> str:
        done = subprocess.run([own, *words], cwd=clone, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    assert copy("wal", "show").startswith("# WAL")
    assert copy("setup") == f"{clone}: was set up already\n"
    assert git("status", "--porcelain", cwd=clone) == ""
    other = make_repository(repo.parent / "other")
    assert copy("setup", "--project", str(other), "--with-hooks").startswith(f"{other}: set up\n")
    assert (other / ".claude/commands/tiep.md").exists()
    assert copy("setup", "--uninstall").startswith(f"{clone}: set-up taken back\n")
    assert list(tree(clone)) == [".git", ".git/info/exclude", "README.md"]


def test_nothing_in_the_project_points_to_where_it_came_from(repo: Path, whole: Path) -> None:
    run_whole(whole, "setup", "--with-hooks", "--statusline", cwd=repo)
    files = [path for path in (repo / ".claude").rglob("*") if path.is_file()]
    source = os.fsencode(str(whole.parent.parent))
    assert [path for path in files if source in path.read_bytes()] == []
    assert (repo / ".claude/baton/hooks/run").stat().st_mode & 0o111 == 0o111


def test_a_command_of_the_projects_own_is_left(repo: Path, baton: Here) -> None:
    own = write(repo / ".claude/commands/pause.md", b"our own pause\n")
    before = tree(repo)
    said = baton("setup", "--with-hooks")
    note = "note: .claude/commands/pause.md is the project's own and was left; baton's is there as baton:pause\n"
    assert note in said.out
    assert own.read_bytes() == b"our own pause\n"
    ours = (ROOT / "commands/pause.md").read_bytes()
    assert (repo / ".claude/commands/baton/pause.md").read_bytes() == ours
    baton("setup", "--uninstall")
    assert tree(repo) == before


def test_a_newer_baton_replaces_the_copy(repo: Path, baton: Here) -> None:
    baton("setup", "--with-hooks")
    manifest = repo / ".claude/baton/manifest.json"
    listed = json.loads(manifest.read_bytes())
    stale = write(repo / ".claude/baton/scripts/baton/old.py", b"old\n")
    touched = write(repo / ".claude/commands/gone.md", b"edited\n")
    older = write(repo / ".claude/commands/tiep.md", b"an older tiep\n")
    digests = {
        ".claude/baton/scripts/baton/old.py": _digest(b"old\n"),
        ".claude/commands/gone.md": _digest(b"as it came\n"),
        ".claude/commands/tiep.md": _digest(b"an older tiep\n"),
        ".claude/baton/never.py": _digest(b""),
    }
    listed["files"] |= {name: [digest] for name, digest in digests.items()}
    manifest.write_text(json.dumps(listed))
    (repo / ".claude/baton/bin/baton").chmod(0o644)
    said = baton("setup")
    assert not stale.exists()
    assert touched.read_bytes() == b"edited\n"
    assert "note: .claude/commands/gone.md was changed by somebody else and was left\n" in said.out
    assert older.read_bytes() == (ROOT / "commands/tiep.md").read_bytes()
    assert (repo / ".claude/baton/bin/baton").stat().st_mode & 0o100


def test_an_older_baton_leaves_a_newer_copy_alone(repo: Path, baton: Here) -> None:
    baton("setup", "--with-hooks")
    manifest = repo / ".claude/baton/manifest.json"
    manifest.write_text(manifest.read_text().replace(f'"{package.__version__}"', '"99.0.0"'))
    (repo / ".claude/baton/hooks/run").write_text("newer\n")
    put(ONE_LINE)(repo)
    said = baton("setup", "--with-hooks")
    note = f"the project's copy is baton 99.0.0, this is {package.__version__}: the copy and its hooks were left"
    next_ = "next: `baton doctor`, which says whether Claude Code runs the hooks"
    assert said == Said(0, f"{repo}: set up\n  ~ {SETTINGS}\nnote: {note}\n{next_}\n", "")
    assert (repo / ".claude/baton/hooks/run").read_text() == "newer\n"
    assert "SubagentStop" not in (repo / SETTINGS).read_text()


def _digest(data: bytes) -> str:
    return subprocess.run(["sha256sum"], input=data, capture_output=True).stdout.decode().split()[0]


def test_bytecode_goes_with_the_copy_and_foreign_files_stay(
    repo: Path, baton: Here, whole: Path
) -> None:
    run_whole(whole, "setup", "--with-hooks", cwd=repo)
    own = repo / ".claude/baton/bin/baton"
    subprocess.run([own, "wal", "show"], cwd=repo, capture_output=True, check=True)
    assert list((repo / ".claude/baton").rglob("*.pyc"))
    assert "__pycache__" not in git("status", "--porcelain", "-uall", cwd=repo)
    mine = write(repo / ".claude/baton/notes.txt", b"mine\n")
    assert baton("setup", "--uninstall").code == 0
    assert list(tree(repo / ".claude")) == ["baton", "baton/notes.txt"]
    assert mine.read_bytes() == b"mine\n"


def test_a_copy_is_whole_whatever_the_project_ignores(
    repo: Path, baton: Here, tmp_path: Path, whole: Path
) -> None:
    write(repo / ".gitignore", b"bin/\ncore\n*.json\n*.pyc\nscripts/baton/hot\n!.claude/*.json\n")
    assert "note: " not in baton("setup", "--with-hooks", "--dry-run").out
    run_whole(whole, "setup", "--with-hooks", cwd=repo)
    git("add", ".", cwd=repo)
    git("commit", "-qm", "set up", cwd=repo)
    clone = tmp_path / "clone"
    git("clone", "-q", str(repo), str(clone), cwd=tmp_path)
    run_whole(clone / ".claude/baton/bin/baton", "doctor", "--simulate", cwd=clone)
    assert "__pycache__" not in git("status", "--porcelain", "-uall", cwd=clone)


def test_what_git_will_not_hand_on_is_said(repo: Path, baton: Here) -> None:
    write(repo / ".gitignore", b".claude\n")
    note = "git ignores .claude/WAL.md and 1 more (.gitignore:1 .claude): nobody gets that by git"
    assert f"\nnote: {note}\nnext: " in baton("setup").out
    assert baton("setup").out == f"{repo}: was set up already\nnote: {note}\n"
    # Whoever keeps the chain off the branch means it; the rules of permission are still the team's.
    write(repo / ".gitignore", b"settings.json\n")
    alone = note.replace("WAL.md and 1 more", "settings.json").replace(
        " .claude)", " settings.json)"
    )
    assert f"\nnote: {alone}\nnext: " in baton("setup", "--persist", "ref").out


def test_a_copy_that_git_ignores_is_said(repo: Path, baton: Here) -> None:
    write(repo / ".gitignore", b".claude/baton\n")
    rule = ".gitignore:1 .claude/baton"
    note = f"git ignores .claude/baton/.gitignore ({rule}): nobody gets that by git"
    assert f"\nnote: {note}\n" in baton("setup", "--with-hooks").out


def test_behind_a_link_git_keeps_nothing(repo: Path, baton: Here) -> None:
    (repo / "config").mkdir()
    (repo / ".claude").symlink_to("config")
    note = "git keeps nothing of .claude/WAL.md and 1 more: behind a symbolic link it does not look"
    assert f"\nnote: {note}\nnext: " in baton("setup").out


def test_where_baton_never_was_nothing_is_made(repo: Path, baton: Here) -> None:
    assert baton("setup", "--uninstall").out == f"{repo}: nothing of baton's set-up is here\n"
    assert not (repo / ".git/baton").exists()
    put(json.dumps({"permissions": {"allow": list(RULES)}}))(repo)
    assert baton("setup", "--uninstall").code == 0
    assert not (repo / SETTINGS).exists()


def test_a_clone_is_taken_back_without_notes_of_what_was_there(repo: Path, baton: Here) -> None:
    put(INDENTED)(repo)
    before = tree(repo)
    baton("setup", "--with-hooks", "--persist", "off")
    (repo / ".git/baton/setup").unlink()
    baton("setup", "--uninstall")
    assert tree(repo) == before


def test_an_incomplete_baton_says_so(
    repo: Path, baton: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(setup_runtime, "ROOT", str(tmp_path))
    before = tree(repo)
    said = baton("setup", "--with-hooks")
    assert said == refused(
        5, f"{tmp_path}/LICENSE: No such file; nothing was written", "claude plugin update baton"
    )
    monkeypatch.setattr(setup_runtime, "_FILES", ())
    said = baton("setup", "--with-hooks")
    message = f"{tmp_path}/hooks/hooks.json cannot be read; nothing was written"
    assert said == refused(5, message, "claude plugin update baton")
    assert tree(repo) == before


# ---- persist = "ref" ----


def test_the_ref_keeps_the_state_paths_out_of_git_status(repo: Path, baton: Here) -> None:
    before = tree(repo)
    baton("setup", "--persist", "ref")
    assert (
        git("check-ignore", ".claude/WAL.md", ".claude/agent-memory/x", cwd=repo).count("\n") == 2
    )
    assert 'persist = "ref"' in (repo / ".claude/baton.toml").read_text()
    baton("setup", "--persist", "branch")
    assert tree(repo)[".git/info/exclude"] == before[".git/info/exclude"]
    baton("setup", "--uninstall")
    assert tree(repo) == before


@pytest.fixture
def tracked(repo: Path) -> Path:
    """A repository in which git tracks the chain and a memory."""
    write(repo / ".claude/WAL.md", EXAMPLE)
    write(repo / ".claude/agent-memory/a b.md", b"x")
    git("add", ".", cwd=repo)
    git("commit", "-qm", "work", cwd=repo)
    return repo


ASKS = (
    'git tracks ".claude/WAL.md" and 1 more; stop tracking, so that the ref alone keeps them'
    " (the files stay)?"
)
UNTRACK = "baton setup --persist ref --untrack"


def test_a_person_is_asked_before_anything_is_untracked(tracked: Path, baton: Here) -> None:
    before = tree(tracked)
    said = baton("setup", "--persist", "ref")
    assert said == refused(4, f"{ASKS} Nothing was written.", UNTRACK)
    assert tree(tracked) == before
    shown = baton("setup", "--persist", "ref", "--dry-run").out
    assert "(the files stay)\n" in shown
    done = baton("setup", "--persist", "ref", "--untrack")
    assert (done.code, done.err) == (0, "")
    assert git("status", "--porcelain", "-uall", cwd=tracked).splitlines() == [
        "D  .claude/WAL.md",
        'D  ".claude/agent-memory/a b.md"',
        "?? .claude/baton.toml",
        "?? .claude/settings.json",
        "?? .gitattributes",
        "?? CLAUDE.md",
    ]
    assert (tracked / ".claude/WAL.md").read_bytes() == EXAMPLE
    assert baton("setup", "--persist", "ref").out == f"{tracked}: was set up already\n"


def test_inside_claude_code_the_model_cannot_answer(tracked: Path, baton: Here) -> None:
    inside = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "one"}
    before = git("ls-files", cwd=tracked)
    for _ in range(2):
        said = baton("setup", "--persist", "ref", "--untrack", **inside)
        assert said.code == 4
        assert said.err.startswith("baton: only a person may decide this; ask them, and wait")
        assert git("ls-files", cwd=tracked) == before
    found = project.locate({}, str(tracked))
    assert found is not None
    acts.submitted(State(found, dict(os.environ)), "one")
    assert baton("setup", "--persist", "ref", "--untrack", **inside).code == 0
    assert git("ls-files", cwd=tracked) == "README.md\n"


def test_git_refuses_to_untrack(tracked: Path, baton: Here) -> None:
    (tracked / ".git/index.lock").touch()
    said = baton("setup", "--persist", "ref", "--untrack")
    assert said.code == 5
    assert said.err.startswith(
        f"baton: git update-index: Unable to create '{tracked}/.git/index.lock'"
    )
    assert said.err.endswith("; all else is set up\ntry: the same command again\n")
    (tracked / ".git/index.lock").unlink()
    assert baton("setup", "--persist", "ref", "--untrack").code == 0


@pytest.mark.parametrize("verb", ["clean", "process"])
@pytest.mark.parametrize("name", ["trap", "a=b"])
def test_untracking_runs_nothing_that_the_repository_names(
    name: str,
    verb: str,
    tracked: Path,
    baton: Here,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # As young as any index: git looks again whether it was changed, through the filter.
    for path in (write(tracked / "sub/.claude/WAL.md", EXAMPLE), tracked / "README.md"):
        os.utime(path, (4 * 10**9, 4 * 10**9))
    git("add", ".", cwd=tracked)
    ran = tmp_path / "ran"
    trap = f"echo \"$0 $@\" >>'{ran}'; cat"
    write(tracked / ".git/hooks/post-index-change", f"#!/bin/sh\n{trap}\n".encode()).chmod(0o755)
    write(tracked / ".git/info/attributes", f"* filter={name}\n".encode())
    for key in (f"filter.{name}.{verb}", "core.fsmonitor"):
        git("config", key, trap, cwd=tracked)
    git("config", f"filter.{name}.required", "true", cwd=tracked)
    monkeypatch.chdir(tracked / "sub")
    said = baton("setup", "--persist", "ref", "--untrack")
    assert (said.code, said.err, ran.exists()) == (0, "", False)
    listed = git("-c", "core.fsmonitor=false", "ls-files", cwd=tracked).splitlines()
    assert listed == [".claude/WAL.md", ".claude/agent-memory/a b.md", "README.md"]
    assert (tracked / "sub/.claude/WAL.md").read_bytes() == EXAMPLE


def test_a_git_that_hangs_is_not_waited_for(
    tracked: Path, baton: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(setup_git, "_SECONDS", -1.0)
    said = baton("setup", "--persist", "ref", "--untrack")
    told = "git update-index: no answer in time; all else is set up"
    assert said == refused(5, told, "the same command again")


def test_git_cannot_say_what_it_tracks(repo: Path, baton: Here) -> None:
    before = tree(repo)
    (repo / ".git/index").write_bytes(b"no index")
    said = baton("setup", "--persist", "ref")
    assert said.code == 5
    assert said.err.endswith("; nothing was written\ntry: git status\n")
    assert tree(repo) == before


def test_a_project_below_the_root(repo: Path, baton: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    below = repo / "packages/one"
    below.mkdir(parents=True)
    before = tree(repo)
    assert baton("--project", str(below), "setup", "--persist", "ref").code == 0
    assert git("check-ignore", "packages/one/.claude/WAL.md", cwd=repo)
    assert (below / ".gitattributes").exists()
    assert baton("setup", "--project", str(below), "--uninstall").code == 0
    assert tree(repo) == before


# ---- somebody else at the same time, and the end in the middle ----


def test_the_lock_is_somebody_elses(repo: Path, baton: Here) -> None:
    write(repo / ".claude/baton.toml", b"lock_wait = 0\n")
    before = tree(repo)
    found = project.locate({}, str(repo))
    assert found is not None
    with State(found, dict(os.environ)).lock(0):
        said = baton("setup")
    message = "another baton has been at work here for 0 s; nothing was written"
    assert said == refused(5, message, "the same command again")
    assert tree(repo) == before


def test_the_notes_cannot_be_written(repo: Path, baton: Here) -> None:
    (repo / ".git/baton").touch()
    before = tree(repo)
    said = baton("setup")
    message = f"{repo}/.git/baton: Not a directory; nothing was written"
    assert said == refused(5, message, "baton setup --dry-run")
    assert tree(repo) == before


def test_what_was_there_is_on_the_disk_before_the_first_byte(
    repo: Path, baton: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And off it after the last: a power cut must neither lose what --uninstall goes back to, nor keep it."""
    from baton.hot import files

    notes, seen = repo / ".git/baton/setup", []
    sync = files.sync_folder

    def look(folder: str) -> None:
        seen.append((os.path.relpath(folder, repo), notes.exists(), (repo / "CLAUDE.md").exists()))
        sync(folder)

    monkeypatch.setattr(files, "sync_folder", look)
    baton("setup")
    assert seen[:2] == [(".git", False, False), (".git/baton", True, False)]
    assert seen[-1][1:] == (True, True)
    baton("setup", "--uninstall")
    assert seen[-1] == (".git/baton", False, False)


def test_what_dead_writers_left_in_the_copy_goes_with_it(repo: Path, baton: Here) -> None:
    before = tree(repo)
    baton("setup", "--with-hooks")
    (repo / ".claude/baton/hooks/run.123.tmp").touch()
    baton("setup", "--uninstall")
    assert tree(repo) == before


def test_a_file_changes_under_our_hands(
    repo: Path, baton: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    from baton.cli import setup

    remember = setup._remember

    def then_a_change(*words: object) -> None:
        remember(*words)  # type: ignore[arg-type]
        put(ONE_LINE)(repo)

    monkeypatch.setattr(setup, "_remember", then_a_change)
    said = baton("setup")
    message = (
        f"{SETTINGS} was changed by somebody else just now; written until then, each whole: "
        ".gitattributes, .claude/WAL.md, CLAUDE.md; the others are as they were"
    )
    assert said == refused(5, message, "the same command again")
    assert (repo / SETTINGS).read_text() == ONE_LINE
    monkeypatch.setattr(setup, "_remember", remember)
    assert baton("setup").code == 0
    baton("setup", "--uninstall")
    assert (repo / SETTINGS).read_text() == ONE_LINE


def test_the_first_file_changes_under_our_hands(
    repo: Path, baton: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    from baton.cli import setup

    def a_change(*_: object) -> None:
        write(repo / ".gitattributes", b"* text\n")

    monkeypatch.setattr(setup, "_remember", a_change)
    message = ".gitattributes was changed by somebody else just now; nothing was written"
    assert baton("setup") == refused(5, message, "the same command again")


def test_a_disk_that_becomes_full(repo: Path, baton: Here) -> None:
    """As large as the limit a file still goes; the settings with all hooks are larger."""
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, old[1]))
    try:
        said = baton("setup", "--with-hooks")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)
        signal.signal(signal.SIGXFSZ, ignored)
    assert said.code == 5
    assert re.fullmatch(
        r"baton: \S+: File too large; written until then, each whole: \.gitattributes.*;"
        r" the others are as they were\ntry: the same command again\n",
        said.err,
    )
    assert baton("setup", "--with-hooks").code == 0
    assert baton("setup", "--uninstall").code == 0
    assert list(tree(repo)) == [".git", ".git/info/exclude", "README.md"]


def test_the_copy_does_not_copy_itself(
    repo: Path, baton: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    baton("setup", "--with-hooks")
    monkeypatch.setattr(setup_runtime, "ROOT", str(repo / ".claude/baton"))
    assert baton("setup").out == f"{repo}: was set up already\n"


def test_many_at_once(repo: Path, whole: Path) -> None:
    put(INDENTED)(repo)
    # The last one waits for three that copy the whole program.
    write(repo / ".claude/baton.toml", b"lock_wait = 60\n")
    before = tree(repo)
    command = [str(whole), "setup", "--with-hooks"]
    started = [
        subprocess.Popen(command, cwd=repo, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(4)
    ]
    said = [process.communicate(timeout=280) for process in started]
    assert [process.returncode for process in started] == [0] * 4, said
    heads = sorted(out.decode().splitlines()[0].rpartition(": ")[2] for out, _ in said)
    assert heads == ["set up", *["was set up already"] * 3]
    assert run_baton("setup", "--uninstall", cwd=repo).code == 0
    assert tree(repo) == before


def traced(mode: str, at: int, repo: Path, whole: Path, *words: str) -> tuple[int, int]:
    """Run a set-up with its calls counted; give its exit code and the calls."""
    program = str(whole.parent.parent / "scripts/baton/__main__.py")
    command = [sys.executable, syscalls.__file__, mode, str(at), base_interpreter()]
    command += ["-I", "-S", "-B", program, "setup", *words]
    done = subprocess.run(command, cwd=repo, capture_output=True, timeout=60)
    return done.returncode, int(done.stderr.rpartition(b"calls: ")[2])


@pytest.mark.slow
@pytest.mark.skipif(not syscalls.SUPPORTED, reason="ptrace on Linux x86-64 only")
@pytest.mark.parametrize("mode", ["kill", "enospc", "eio"])
@pytest.mark.parametrize(
    "words", [["--persist", "ref"], ["--uninstall"]], ids=["set up", "taken back"]
)
def test_ended_or_refused_at_each_call(
    mode: str, words: list[str], tmp_path: Path, whole: Path
) -> None:
    """Each file is old or new, the same command again completes it, and nothing is lost."""
    old = tree(_laid(tmp_path / "old"))
    clean = _laid(tmp_path / "clean")
    run_whole(whole, "setup", "--persist", "ref", cwd=clean)
    new = tree(clean)
    template = clean if words == ["--uninstall"] else tmp_path / "old"
    start, end = (new, old) if words == ["--uninstall"] else (old, new)
    calls, at = 1, 0
    while at <= calls:
        repo = tmp_path / f"at-{at}"
        shutil.copytree(template, repo, symlinks=True)
        code, called = traced("count" if not at else mode, at, repo, whole, *words)
        calls = calls if at else called
        now = _settled(repo)
        assert [n for n in now if now[n] not in (start.get(n), end.get(n))] == [], at
        assert code in (0, 5, 99)
        run_whole(whole, "setup", *words, cwd=repo)
        assert _settled(repo) == end, at
        run_whole(whole, "setup", "--uninstall", cwd=repo)
        assert _settled(repo) == old, at
        at += 1
    assert calls > 20
    print(f"tried: setup {words[0]}, {mode}: {calls} calls, each of them")


def _laid(folder: Path) -> Path:
    repo = make_repository(folder)
    neighbours(repo)
    put(INDENTED)(repo)
    return repo


def _settled(repo: Path) -> dict[str, object]:
    """What stands there, but for what a killed process leaves beside it."""
    return {name: fact for name, fact in tree(repo).items() if not name.endswith(".tmp")}
