"""Kinds of repository, each made with git itself. A maker gets an empty folder and gives the project's
folder in it; the user's name and address are set there."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from desk import Desk
from support import git, make_repository

Maker = Callable[[Path], Path]


def _grown(folder: Path) -> Desk:
    """A repository with some folders, and a settings file of Claude Code's in the state's own."""
    desk = Desk(make_repository(folder))
    for name in ("in/x", "out/deep/x", "y.txt", ".claude/settings.json"):
        desk.write("{}\n", name)
        desk.git("add", name)
    desk.git("commit", "--quiet", "-m", "grown")
    return desk


def plain(*commands: tuple[str, ...]) -> Maker:
    """Give a maker of a grown repository, after some gits."""

    def make(folder: Path) -> Path:
        desk = _grown(folder / "work")
        for command in commands:
            desk.git(*command)
        return desk.root

    return make


def with_attributes(text: str, *commands: tuple[str, ...]) -> Maker:
    """Give a maker of a repository with filters, line ends or encodings of its own."""

    def make(folder: Path) -> Path:
        root = plain(*commands)(folder)
        desk = Desk(root)
        desk.commit("attributes", __gitattributes=text)
        desk.git("add", "--renormalize", ".")
        desk.git("commit", "--quiet", "--allow-empty", "-m", "renormalized")
        return root

    return make


def cloned(*options: str, offline: bool = True) -> Maker:
    """Give a maker of a clone. offline: what it was cloned from is gone afterwards."""

    def make(folder: Path) -> Path:
        source = _grown(folder / "source")
        source.git("config", "uploadpack.allowFilter", "true")
        words = [option.format(folder=folder) for option in options]
        source.git("clone", "--quiet", *words, f"file://{folder}/source", f"{folder}/work")
        if offline:
            shutil.rmtree(folder / "source")
        return _named(folder / "work")

    return make


def _named(root: Path) -> Path:
    git("config", "user.email", "ada@example.org", cwd=root)
    git("config", "user.name", "Ada Example", cwd=root)
    return root


def _linked(folder: Path) -> Path:
    _grown(folder / "main").git("worktree", "add", "--quiet", "-b", "side", f"{folder}/work")
    return folder / "work"


def _linked_in_turmoil(folder: Path) -> Path:
    """The main work tree is in the middle of a rebase; the linked one is not."""
    root = _linked(folder)
    main = Desk(folder / "main")
    main.git("rebase", "-i", "HEAD~1", GIT_SEQUENCE_EDITOR="sed -i 1ibreak")
    assert (folder / "main/.git/rebase-merge").is_dir()
    return root


def _beside_turmoil(folder: Path) -> Path:
    """A linked work tree is in the middle of a rebase; the main one is not."""
    _linked(folder)
    Desk(folder / "work").git("rebase", "-i", "HEAD~1", GIT_SEQUENCE_EDITOR="sed -i 1ibreak")
    return folder / "main"


def _inside(folder: Path) -> Path:
    """A linked work tree that lies in the main one, as many people have them."""
    main = _grown(folder / "work")
    main.write(".trees/\n", ".git/info/exclude")
    main.git("worktree", "add", "--quiet", "-b", "side", ".trees/side")
    return main.root / ".trees/side"


def _of_a_bare_one(folder: Path) -> Path:
    source = _grown(folder / "source")
    source.git("clone", "--quiet", "--bare", ".", f"{folder}/bare.git")
    bare = Desk(_named(folder / "bare.git"))
    bare.git("worktree", "add", "--quiet", f"{folder}/work", "-b", "side")
    return folder / "work"


def _submodule(folder: Path) -> Path:
    outer = _superproject(folder)
    return _named(outer / "lib")


def _superproject(folder: Path) -> Path:
    _grown(folder / "library")
    outer = _grown(folder / "outer")
    allow = ("-c", "protocol.file.allow=always")
    outer.git(*allow, "submodule", "--quiet", "add", "../library", "lib")
    outer.git("commit", "--quiet", "-m", "library")
    return outer.root


def _below(folder: Path) -> Path:
    """A project in a folder of a larger repository."""
    desk = _grown(folder / "work")
    desk.write('notice = "on"\n', "packages/app/.claude/baton.toml")
    desk.git("add", "packages")
    desk.git("commit", "--quiet", "-m", "a package")
    return desk.root / "packages/app"


def _separate(folder: Path) -> Path:
    root = plain()(folder)
    git("init", "--quiet", "--separate-git-dir", str(folder / "elsewhere"), cwd=root)
    return root


def _sha256(folder: Path) -> Path:
    git("init", "--quiet", "--object-format=sha256", "-b", "main", ".", cwd=folder)
    Desk(_named(folder)).commit("begin", a="a\n")
    return folder


def _unborn(folder: Path) -> Path:
    git("init", "--quiet", "-b", "main", ".", cwd=folder)
    return _named(folder)


def _link_to_it(folder: Path) -> Path:
    _grown(folder / "real")
    os.symlink("real", folder / "link")
    return folder / "link"


def _odd_name(folder: Path) -> Path:
    return _grown(folder / "it's $HOME & (ünïcödé)\n;x").root


def _monitored(folder: Path) -> Path:
    """The user has a file system monitor that sees every change."""
    monitor = folder / "monitor"
    monitor.write_text("#!/bin/sh\nprintf 'token\\0/\\0'\n", encoding="utf-8")
    monitor.chmod(0o755)
    root = plain(("config", "core.fsmonitor", str(monitor)))(folder)
    git("update-index", "--fsmonitor", cwd=root)
    git("status", cwd=root)
    return root


def _pointing(folder: Path) -> Path:
    """A filter like LFS's: what git keeps is a pointer, what stands on disk is the content."""
    program = folder / "pointing.py"
    program.write_text(_POINTING, encoding="utf-8")
    command = f"'{sys.executable}' -I -S '{program}' '{folder}/store'"
    filters = [
        ("config", "filter.pointing.clean", f"{command} clean"),
        ("config", "filter.pointing.smudge", f"{command} smudge"),
        ("config", "filter.pointing.required", "true"),
    ]
    return with_attributes("*.md filter=pointing\n", *filters)(folder)


_POINTING = """
import os, sys, zlib
store, verb = sys.argv[1:]
os.makedirs(store, exist_ok=True)
data = sys.stdin.buffer.read()
mark = b"pointer "
if verb == "clean" and not data.startswith(mark):
    name = f"{zlib.crc32(data):08x}"
    open(os.path.join(store, name), "wb").write(data)
    data = mark + name.encode()
elif verb == "smudge" and data.startswith(mark):
    data = open(os.path.join(store, data[len(mark):].decode()), "rb").read()
sys.stdout.buffer.write(data)
"""

PLACES: dict[str, Maker] = {
    "plain": plain(),
    "linked": _linked,
    "linked-in-turmoil": _linked_in_turmoil,
    "beside-turmoil": _beside_turmoil,
    "linked-inside": _inside,
    "of-a-bare-one": _of_a_bare_one,
    "submodule": _submodule,
    "superproject": _superproject,
    "below": _below,
    "separate": _separate,
    "unborn": _unborn,
    "sha256": _sha256,
    "shallow": cloned("--depth", "1"),
    "blobless": cloned("--filter=blob:none", offline=False),
    "treeless": cloned("--filter=tree:0", offline=False),
    "alternates": cloned("--reference", "{folder}/source", offline=False),
    "sparse-cone": plain(("sparse-checkout", "set", "--cone", "in", ".claude")),
    "sparse-index": plain(("sparse-checkout", "set", "--cone", "--sparse-index", "in", ".claude")),
    "sparse-no-cone": plain(("sparse-checkout", "set", "--no-cone", "/*", "!/out/", "/.claude")),
    "split-index": plain(("update-index", "--split-index")),
    "index-v4": plain(("update-index", "--index-version", "4")),
    "untracked-cache": plain(("update-index", "--force-untracked-cache")),
    "commit-graph": plain(
        ("commit-graph", "write", "--reachable"),
        ("config", "core.commitGraph", "true"),
        ("config", "fetch.writeCommitGraph", "true"),
    ),
    "packed": plain(("gc", "--quiet"), ("pack-refs", "--all", "--prune")),
    "monitored": _monitored,
    "replaced": plain(("replace", "--graft", "HEAD")),
    "link": _link_to_it,
    "odd-name": _odd_name,
    "autocrlf": plain(("config", "core.autocrlf", "true")),
    "autocrlf-input": plain(("config", "core.autocrlf", "input")),
    "eol-crlf": with_attributes("* text=auto eol=crlf\n"),
    "eol-auto": with_attributes("* text=auto\n", ("config", "core.safecrlf", "true")),
    "filtered": with_attributes(
        "*.md filter=turned\n",
        ("config", "filter.turned.clean", "tr A-Za-z N-ZA-Mn-za-m"),
        ("config", "filter.turned.smudge", "tr A-Za-z N-ZA-Mn-za-m"),
    ),
    "pointing": _pointing,
    "no-file-mode": plain(("config", "core.fileMode", "false")),
    "ignore-case": plain(("config", "core.ignoreCase", "true")),
    "no-reflog": plain(("config", "core.logAllRefUpdates", "false")),
    "strict": plain(
        ("config", "receive.fsckObjects", "true"), ("config", "user.useConfigOnly", "true")
    ),
}
