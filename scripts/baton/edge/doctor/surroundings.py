"""What the project lies in, what its repository asks of commits, and what a push would publish."""

from __future__ import annotations

import fnmatch
import json
import os
from collections.abc import Iterator, Mapping

from baton.core.doctor.finding import Unseen
from baton.core.doctor.surroundings import Ahead, Protection, Rules
from baton.edge import git
from baton.hot import files
from baton.hot.config import Config
from baton.hot.git import head as heads
from baton.hot.guarded import reports_folder
from baton.hot.project import Project

_LIMIT = 1 << 20
_ASKED = r"^(commit\.gpgsign|core\.hookspath)$"
_MOST = 500
# A folder of such a name, or beginning so, somewhere above the project → the service.
_FOLDERS = {
    "dropbox": "Dropbox",
    "onedrive": "OneDrive",
    "google drive": "Google Drive",
    "googledrive": "Google Drive",
    "icloud drive": "iCloud Drive",
    "mobile documents": "iCloud Drive",
    "nextcloud": "Nextcloud",
    "owncloud": "ownCloud",
    "pcloud": "pCloud",
    "synology drive": "Synology Drive",
    "box sync": "Box",
}
# A file or folder that a service leaves in the folder which it synchronises.
_TRACES = (
    (".dropbox", "Dropbox"),
    (".dropbox.cache", "Dropbox"),
    (".stfolder", "Syncthing"),
    (".sync_*.db", "Nextcloud"),
    (".owncloudsync.log", "Nextcloud"),
    (".SynologyWorkingDirectory", "Synology Drive"),
)
# Hooks that judge a message or what is pushed; one that looks at code has nothing to do with state files.
_JUDGES = ("commit-msg", "prepare-commit-msg", "pre-push")
_RULE_FILES = (
    *(f".husky/{hook}" for hook in _JUDGES),
    *(f"commitlint.config.{ending}" for ending in ("js", "cjs", "mjs", "ts", "cts", "mts")),
    *(f".commitlintrc{ending}" for ending in ("", ".json", ".yaml", ".yml", ".js", ".cjs", ".ts")),
    ".gitlint",
)
# husky's own: what counts there is named above; newer ones keep a stub for every hook in the second.
_HUSKYS = (".husky", ".husky/_")
_PROTECTION_FILES = (".github/settings.yml", ".github/rulesets", ".github/branch-protection.yml")


def cloud(project: Project) -> str:
    """Name the service that synchronises the project's folder, "" when none is seen.

    By the names of the folders above it, and by what services leave in the user's own ones. Raises
    OSError.
    """
    folder = project.root
    while folder != os.path.dirname(folder):
        found = _by_name(os.path.basename(folder)) or _by_trace(folder)
        if found:
            return found
        folder = os.path.dirname(folder)
    return ""


def _by_name(name: str) -> str:
    low = name.lower()
    for begin, service in _FOLDERS.items():
        if low == begin or low.startswith((f"{begin} ", f"{begin}-", f"{begin}_")):
            return service
    return ""


def _by_trace(folder: str) -> str:
    if hasattr(os, "geteuid") and os.stat(folder).st_uid != os.geteuid():
        return ""
    names = os.listdir(folder)
    return next((service for trace, service in _TRACES if fnmatch.filter(names, trace)), "")


def commit_rules(project: Project, config: Config) -> Rules | Unseen:
    """Look for hooks on messages, linters of messages, and signing. Raises OSError."""
    chosen = "persist" in config.said
    checkout = project.checkout
    if checkout is None:
        return Rules((), config.persist, chosen)
    found = [name for name in _RULE_FILES if os.path.lexists(os.path.join(checkout.top, name))]
    found += _in_package(checkout.top)
    done = git.read(project.root, "config", "--show-scope", "--get-regexp", _ASKED)
    if done.exit not in (0, 1):
        return Unseen("git could not say how this repository is configured")
    rows = [line.partition("\t") for line in done.output.decode("utf-8", "replace").split("\n")]
    # What we ourselves ask git to do without is on the command line.
    settings = dict(row.partition(" ")[::2] for scope, _, row in rows if scope != "command")
    if settings.get("commit.gpgsign") == "true":
        found.append("commit.gpgsign = true")
    hooks = settings.get("core.hookspath") or os.path.join(checkout.common_dir, "hooks")
    folder = os.path.normpath(os.path.join(checkout.top, os.path.expanduser(hooks)))
    if folder not in (os.path.join(checkout.top, name) for name in _HUSKYS):
        found += _active(folder)
    return Rules(tuple(dict.fromkeys(found)), config.persist, chosen)


def _in_package(top: str) -> Iterator[str]:
    data = files.read(os.path.join(top, "package.json"), _LIMIT)
    try:
        value = json.loads(data or b"{}")
    except (ValueError, RecursionError):
        return
    if isinstance(value, dict) and "commitlint" in value:
        yield "commitlint in package.json"


def _active(hooks: str) -> Iterator[str]:
    for name in _JUDGES:
        path = os.path.join(hooks, name)
        if os.path.isfile(path) and os.access(path, os.X_OK):
            yield f"a {name} hook in {hooks}"


def ahead(project: Project, busy: bool) -> Ahead | Unseen:
    """Give the commits at HEAD that no remote has, newest first."""
    if project.checkout is None:
        return Ahead(False, (), busy)
    remotes = git.read(project.root, "remote")
    if remotes.exit != 0:
        return Unseen("git could not name the remotes")
    if not remotes.output.strip():
        return Ahead(False, (), busy)
    if git.read(project.root, "rev-parse", "--quiet", "--verify", "HEAD").exit == 1:
        return Ahead(True, (), busy)
    done = git.read(
        project.root, "log", f"-{_MOST}", "--format=%s", "HEAD", "--not", "--remotes", "--"
    )
    if done.exit != 0:
        return Unseen("git could not compare HEAD with the remotes")
    subjects = done.output.decode("utf-8", "replace").split("\n")[:-1]
    return Ahead(True, tuple(subjects), busy)


def protection(project: Project, config: Config) -> Protection | Unseen:
    """Look for signs that HEAD's branch is one that a server protects."""
    checkout = project.checkout
    branch = heads.read(checkout).branch if checkout else ""
    if checkout is None or not branch:
        return Protection("", "", (), config.persist)
    top = checkout.top
    rules = tuple(name for name in _PROTECTION_FILES if os.path.lexists(os.path.join(top, name)))
    done = git.read(
        top, "for-each-ref", "--format=%(refname) %(symref:short)", "refs/remotes/*/HEAD",
        f"refs/remotes/*/{branch}",
    )  # fmt: skip
    if done.exit != 0:
        return Unseen("git could not name the remote branches")
    rows = [line.split(" ") for line in done.output.decode("utf-8", "replace").split("\n")[:-1]]
    shared = [target for _, target in rows if target.partition("/")[2] == branch]
    return Protection(branch, shared[0] if shared else "", rules, config.persist)


def reports(environ: Mapping[str, str]) -> tuple[str, int]:
    """Give the newest report of a fault of baton's own, and how many there are. Raises OSError."""
    folder = reports_folder(dict(environ))
    try:
        names = [name for name in os.listdir(folder) if name.startswith("fault-")]
    except (FileNotFoundError, NotADirectoryError):
        return "", 0
    paths = [os.path.join(folder, name) for name in names]
    return max(paths, key=os.path.getmtime, default=""), len(paths)
