"""The folder of a run, `.claude/workflows/runs/<run>/`, which hooks and commands share (design page
runs).

<run> is the host's run id (`wf_9f05723c-7b2`) where a hook saw the launch first, else the name that
`baton run snapshot` gave. Every launch of it, by whatever session, is one more attempt.

    snapshot.json    what was launched; keys below
    script.js        the script, byte for byte as the host had it (UTF-8)
    spec.md          what the run is for, where a person or a command gave it
    attempts.jsonl   one line a launch; keys below
    results/agent-<agent id>.json     one agent of the Workflow tool (hooks and harvest alike)
    results/<task>.json               one task of another engine
    results/unmatched-<agent id>.json a result that belongs to nothing known
    journal/<run id>.jsonl            our copy of the host's journal
    harvested.json   there once nothing is left; a further launch takes it away
    relaunch-<n>.js  the script of attempt <n>, with its data files relaunch-<n>-<what>-<m>.js: the
                     newest alone, since an older one would ask again for what came in since; once
                     it was launched a script that says so stands there; none where nothing is left

A file that holds a secret, or that would bring the run over 5 MB, stands in the state directory
instead, under `runs/<run>/` and the same name, and never in both. Of the snapshot the parts `args`
and `children` go there one by one, as `args.json` and `children.json`.

snapshot.json

    format      1
    run         the folder's name
    engine      "workflow", else what launched it
    purpose     one line: the script's name and description, or a person's words
    created     UTC, "2026-11-30T17:25:02Z"
    session     the session that launched it first
    name        the script's meta.name, null where unknown
    path        scriptPath or name as the launch gave it, null for an inline script
    args_given  whether there were args at all (absent and null differ)
    args        as the host had them
    tasks       null, or [{"id", "label", "args"}]
    children    {name or path as it may be called: the child's script}
    estimate    null, or minutes
    digests     {"script.js" | "spec.md" | "args" | "children": digest}, what is there
    withheld    {"script.js" | "args" | "children" | …: "secret" | "size"}

attempts.jsonl; of several lines with one attempt number the last holds

    attempt     from 1
    run_id      the host's, or "pending"
    session     who launched it
    transcripts the host's folder with the journal and agent-*.jsonl, null where unknown
    cwd         where the session was
    launched    UTC
    source      "hook" | "command" | "transcript": found later, in the session's
    script      digest of script.js as this attempt ran it (a relaunch script counts as its original)
    relaunch    whether it was a script of `baton run relaunch`
    tool_use    the tool call's id, null where unknown

results/*.json

    format      1
    run, attempt, run_id, session
    agent       agent id, null for another engine
    task        task id, null for the Workflow tool
    label       as the host cleans it, null where none was given
    phase       null where there was none
    prompt      the computed task, every line end as \\n; null where unknown
    model       as named in the call, null when none was
    agent_type  null where unknown
    worktree    whether it had a work tree of its own
    started     its place among the journal's `started` rows, from 0, null where unknown
    ended       when the result was taken, ns since the epoch
    row         its place among the journal's `result` rows, from 0, null where there is none yet
    kind        "text" | "object" | null
    result      verbatim: a string, or JSON for an agent with a schema; null when there is none
    digest      of the result
    source      "hook" | "journal" | "transcript"
    status      "complete" | "partial": a partial one is what a dead agent left, never a result
    error       null, or what it died of ("rate_limit")

Finish order: by attempt, then those with a row by row, then the others by `ended`.

harvested.json: {"at": UTC, "done": N, "attempts": N, "by": "hook" | "command"}
"""

import errno
import os
import time

from baton.hot import files, jsons
from baton.hot.lock import Lock
from baton.hot.project import RUNS as RUNS
from baton.hot.project import Project
from baton.hot.state import State

SNAPSHOT, SCRIPT, SPEC = "snapshot.json", "script.js", "spec.md"
ATTEMPTS, HARVESTED = "attempts.jsonl", "harvested.json"
RESULTS, JOURNAL = "results", "journal"
PARTS = ("args", "children")
RELAUNCH = "relaunch-"
FORMAT = 1
PENDING = "pending"
HOOK, FROM_JOURNAL, FROM_TRANSCRIPT, COMMAND = "hook", "journal", "transcript", "command"
COMPLETE, PARTIAL = "complete", "partial"
TEXT, OBJECT = "text", "object"
SECRET, SIZE = "secret", "size"
CAP = 5 << 20
# The host's args have no limit; what is larger than this is not read back.
LIMIT = 64 << 20

_MARK, _MARK_END = "/* baton relaunch run=", " */"
_NAME_SIGNS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")


class Place:
    """One run's two folders. folder: in the project. private: in the state directory."""

    __slots__ = ("folder", "name", "private")

    def __init__(self, project: Project, state: State, name: str) -> None:
        self.name = name
        self.folder = os.path.join(project.path(RUNS), name)
        self.private = state.path(f"runs/{name}")

    @property
    def exists(self) -> bool:
        """Whether anything of the run is in the project."""
        return os.path.isdir(self.folder)

    def has(self, name: str) -> bool:
        """Whether a file of the run is there, here or in the state directory."""
        return any(os.path.isfile(os.path.join(at, name)) for at in (self.folder, self.private))

    def hides(self, name: str) -> bool:
        """Whether a file of the run stands in the state directory, outside git."""
        return os.path.isfile(os.path.join(self.private, name))

    def read(self, name: str) -> bytes | None:
        """Give the bytes of a file of the run, wherever it stands; None when there is none.

        Raises OSError for one that cannot be read or is larger than LIMIT.
        """
        for at in (self.private, self.folder):
            data = files.read(os.path.join(at, name), LIMIT)
            if data is not None:
                if len(data) > LIMIT:
                    raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), os.path.join(at, name))
                return data
        return None

    def write(self, name: str, data: bytes, *, private: bool = False) -> None:
        """Put a file of the run whole, durably, here or in the state directory.

        Its namesake in the other place goes. Raises OSError; then the old one is still there.
        """
        here, there = (self.private, self.folder) if private else (self.folder, self.private)
        path = os.path.join(here, name)
        if not private:
            _stay_inside(os.path.dirname(path))
        files.make_folders(os.path.dirname(path))
        files.replace(path, data)
        _forget(os.path.join(there, name))

    def remove(self, name: str) -> None:
        """Take a file of the run away, if it is there. Raises OSError."""
        _forget(os.path.join(self.folder, name))
        _forget(os.path.join(self.private, name))

    def listing(self, folder: str) -> list[str]:
        """Give the names below one of the run's folders, wherever they stand, sorted."""
        found: set[str] = set()
        for at in (self.folder, self.private):
            found.update(_names(os.path.join(at, folder)))
        return sorted(name for name in found if not name.endswith(".tmp"))


def names(project: Project) -> list[str]:
    """Give the name of every run of the project, sorted."""
    base = project.path(RUNS)
    return sorted(
        name for name in _names(base) if valid(name) and os.path.isdir(os.path.join(base, name))
    )


def valid(name: str) -> bool:
    """Whether a text can be a run's name: one plain file name of at most 80 letters, digits, `._-`."""
    return 0 < len(name) <= 80 and name[0] not in ".-" and _NAME_SIGNS.issuperset(name)


def find(project: Project, state: State, run_id: str) -> Place | None:
    """Give the run that had an attempt of this run id, None when no launch of it is known."""
    if not valid(run_id):
        return None
    name = noted(state, run_id)
    if name and Place(project, state, name).exists:
        return Place(project, state, name)
    own = Place(project, state, run_id)
    if own.has(ATTEMPTS):
        return own
    # The note is lost, or of another checkout: what the folders say counts.
    for name in names(project):
        place = Place(project, state, name)
        if any(attempt.get("run_id") == run_id for attempt in attempts(place)[0]):
            return place
    return None


def point(state: State, run_id: str, name: str) -> None:
    """Note which run a run id belongs to, so that hooks find it at once. Raises OSError."""
    state.write(_index(run_id), name.encode())


def noted(state: State, run_id: str) -> str:
    """Give the run that a run id was noted for in this checkout, "" where it was not launched here."""
    name = state.read(_index(run_id)).decode("ascii", "replace") if valid(run_id) else ""
    return name if valid(name) else ""


def _index(run_id: str) -> str:
    return f"runs/.ids/{run_id}"


def lock(state: State, wait: float) -> Lock:
    """Give the lock for what more than one writer changes in a run: attempts and harvest."""
    files.make_folders(state.path("runs"))
    return Lock(state.path("runs/.lock"), wait)


def attempts(place: Place) -> tuple[list[dict[str, object]], int]:
    """Give the launches of a run by attempt number, and how many lines could not be read.

    Raises OSError.
    """
    found: dict[int, dict[str, object]] = {}
    bad = 0
    for line in (place.read(ATTEMPTS) or b"").split(b"\n"):
        if not line.strip():
            continue
        record = parse(line)
        number = record.get("attempt")
        if isinstance(number, int):
            found[number] = record
        else:
            bad += 1
    return [found[number] for number in sorted(found)], bad


def add_attempt(place: Place, record: dict[str, object]) -> None:
    """Put a launch behind the others, whole or not at all. The caller holds the lock.

    Raises OSError.
    """
    data = place.read(ATTEMPTS) or b""
    if data and not data.endswith(b"\n"):
        data += b"\n"
    place.write(ATTEMPTS, data + line(record))


def snapshot(place: Place) -> dict[str, object]:
    """Give a run's snapshot with the parts that were withheld; {} when there is none or it is damaged.

    Raises OSError.
    """
    record = parse(place.read(SNAPSHOT) or b"")
    for part in PARTS:
        kept = parse(place.read(f"{part}.json") or b"")
        if part in kept:
            record[part] = kept[part]
    return record


def number_of(attempt: dict[str, object]) -> int:
    """Give the number of a launch, 0 for a line that has none."""
    number = attempt.get("attempt")
    return number if isinstance(number, int) else 0


def close(place: Place, *, done: int, attempts: int, by: str) -> None:
    """Note that nothing is left of a run: no relaunch of it is wanted. by: HOOK or COMMAND. Raises OSError."""
    record: dict[str, object] = {"at": stamp(), "done": done, "attempts": attempts, "by": by}
    place.write(HARVESTED, render(record))
    forget_relaunches(place)


def results(place: Place) -> tuple[list[tuple[str, dict[str, object]]], list[str]]:
    """Give (file name, record) of each result, by name, and the names of what is none: damaged, too
    large, a folder, not to be read. One such file takes none of the others with it.
    """
    found, bad = [], []
    for name in place.listing(RESULTS):
        try:
            record = parse(place.read(f"{RESULTS}/{name}") or b"")
        except OSError:
            record = {}
        if name.endswith(".json") and record:
            found.append((name, record))
        else:
            bad.append(name)
    return found, bad


def result_file(agent: str) -> str:
    """Give the name, inside the run, of the file that holds an agent's result."""
    return f"{RESULTS}/agent-{agent}.json"


def forget_relaunches(place: Place, but: frozenset[str] = frozenset()) -> None:
    """Take away every relaunch script and data file of a run but those. Raises OSError."""
    for name in place.listing(""):
        if name.startswith(RELAUNCH) and name.endswith(".js") and name not in but:
            place.remove(name)


def marker(run: str, attempt: int) -> str:
    """Give the comment by which a launch is known as an attempt of a run that is there already."""
    return f"{_MARK}{run} attempt={attempt}{_MARK_END}"


def marked(script: str) -> str:
    """Give the run that a script says it relaunches, "" when it says none.

    A script can say anything: the caller looks whether the run is there.
    """
    _, found, rest = script.partition(_MARK)
    name, _, number = rest.partition(_MARK_END)[0].partition(" attempt=") if found else ("", "", "")
    return name if valid(name) and number.isdecimal() else ""


def parse(data: bytes) -> dict[str, object]:
    """Give the JSON object that a file or line holds; {} for anything else."""
    try:
        value = jsons.parse(data)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def render(record: dict[str, object]) -> bytes:
    """Give a record as ASCII JSON, a line for each key.

    Any JSON value goes, lone surrogates included.
    """
    rows = (f"  {json_text(key)}: {json_text(value)}" for key, value in record.items())
    return ("{\n" + ",\n".join(rows) + "\n}\n").encode("ascii")


def line(record: dict[str, object]) -> bytes:
    """Give a record as one line of ASCII JSON with its line end."""
    return json_text(record).encode("ascii") + b"\n"


def json_text(value: object) -> str:
    """Give any JSON value as ASCII JSON on one line."""
    try:
        return jsons.render(value)
    except TypeError:
        import json  # only numbers with a fraction pay for it

        return json.dumps(value)


def words(value: object) -> str:
    """Give all text of a JSON value as it reads unescaped, a line for each: what is searched for
    secrets."""
    if isinstance(value, dict):
        return "\n".join(f"{key}: {words(below)}" for key, below in value.items())
    if isinstance(value, list):
        return "\n".join(map(words, value))
    return value if isinstance(value, str) else str(value)


def digest(data: bytes | str) -> str:
    """Give the digest of a file's bytes, or of a text's UTF-8 (a lone surrogate as it comes)."""
    from hashlib import sha256

    raw = data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass")
    return "sha256:" + sha256(raw).hexdigest()


def value_digest(value: object) -> str:
    """Give the digest of a result or of args: of the text itself, else of its `json_text`."""
    return digest(value if isinstance(value, str) else json_text(value))


def stamp(seconds: float | None = None) -> str:
    """Give a moment (epoch seconds, now by default) as UTC: 2026-11-30T17:25:02Z."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return []


def _stay_inside(folder: str) -> None:
    if os.path.realpath(folder) != os.path.normpath(folder):
        raise OSError(errno.ELOOP, "a symbolic link leads elsewhere", folder)


def _forget(path: str) -> None:
    try:
        os.unlink(path)
    except (FileNotFoundError, NotADirectoryError):
        pass
