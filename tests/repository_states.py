"""The states that a git repository can be in, each made with git itself, and how its user goes on.

A state is made in a repository where `topic` and `main` both changed `f`, so that joining them
conflicts. The chain changes while the state lasts; then the user carries on to the end.
"""

from __future__ import annotations

from collections.abc import Callable

from desk import Desk

BRANCH, REF = "refs/heads/main", "refs/baton/wal/main"
MERGE, REBASE = "a merge is in progress", "a rebase is in progress"
APPLY, PICK = "a rebase or am is in progress", "a cherry-pick is in progress"
REVERT, SERIES = "a revert is in progress", "a cherry-pick or revert is in progress"
BISECT, DETACHED = "a bisect is in progress", "HEAD is detached"


class State:
    """make: brings a desk into it. goes_to, reason: of the flush in it. ends: by name, what the
    user may do next; each leaves the repository as if baton were not there, and says so itself.

    tracked: also to be tried with a chain that is in HEAD already.
    """

    def __init__(
        self,
        name: str,
        make: Callable[[Desk], None],
        goes_to: str,
        reason: str,
        ends: dict[str, Callable[[Desk], None]],
        tracked: bool = True,
    ) -> None:
        self.name = name
        self.make = make
        self.goes_to = goes_to
        self.reason = reason
        self.ends = ends
        self.tracked = tracked


def diverge(desk: Desk) -> None:
    """Make the two branches; HEAD is main. The tags `base` and `first` stay on the user's commits,
    whatever baton commits between them."""
    desk.commit("base", f="base\n", g="base\n")
    desk.git("tag", "base")
    desk.git("checkout", "--quiet", "-b", "topic")
    desk.commit("topic 1", f="topic\n")
    desk.commit("topic 2", g="topic\n")
    desk.commit("topic 3", h="topic\n")
    desk.git("checkout", "--quiet", "main")
    desk.commit("main 1", f="main\n")
    desk.git("tag", "first")


def _conflict(*args: str) -> Callable[[Desk], None]:
    def make(desk: Desk) -> None:
        assert desk.try_git(*args).returncode == 1

    return make


def _run(*args: str) -> Callable[[Desk], None]:
    def make(desk: Desk) -> None:
        desk.git(*args)

    return make


def _solve(desk: Desk) -> None:
    (desk.root / "f").write_text("solved\n", encoding="utf-8")
    desk.git("add", "f")


def _subjects(desk: Desk) -> list[str]:
    told = desk.git("log", "--format=%s", "--first-parent").splitlines()
    return [subject for subject in told if not subject.startswith("wal: ")]


def _solved(*args: str, then: list[str]) -> Callable[[Desk], None]:
    """Solve the conflict, go on with `args`, and see that the history is `then`."""

    def end(desk: Desk) -> None:
        _solve(desk)
        desk.git(*args)
        assert _subjects(desk)[: len(then)] == then
        assert (desk.root / "f").read_text(encoding="utf-8") == "solved\n"
        assert desk.at("HEAD", "f") == "solved\n"

    return end


def _back(*args: str) -> Callable[[Desk], None]:
    """Give up with `args`, and see that the branch is as it was."""

    def end(desk: Desk) -> None:
        desk.git(*args)
        assert desk.git("symbolic-ref", "HEAD").strip() == BRANCH
        assert _subjects(desk)[:2] == ["main 1", "base"]
        assert (desk.root / "f").read_text(encoding="utf-8") == "main\n"

    return end


def _merged(desk: Desk) -> None:
    assert len(desk.git("rev-parse", "HEAD^@").split()) == 2
    assert desk.at("HEAD", "h") == "topic\n"


def _conclude_merge(desk: Desk) -> None:
    _solve(desk)
    desk.git("commit", "--quiet", "--no-edit")
    _merged(desk)


def _clean_merge(desk: Desk) -> None:
    desk.git("checkout", "--quiet", "-b", "side", "base")
    desk.commit("side", h="topic\n")
    desk.git("checkout", "--quiet", "main")
    desk.git("merge", "--no-commit", "--no-ff", "side")


def _commit_merge(desk: Desk) -> None:
    desk.git("commit", "--quiet", "--no-edit")
    _merged(desk)


def _edit_rebase(desk: Desk) -> None:
    desk.git("rebase", "-i", "base", GIT_SEQUENCE_EDITOR="sed -i 1s/^pick/edit/")


def _amend_and_continue(desk: Desk) -> None:
    desk.git("commit", "--quiet", "--amend", "-m", "main 1, better")
    desk.git("rebase", "--continue")
    assert _subjects(desk)[0] == "main 1, better"
    assert desk.git("symbolic-ref", "HEAD").strip() == BRANCH


def _am(desk: Desk) -> None:
    patch = desk.git("format-patch", "-1", "--stdout", "topic~2")
    assert desk.try_git("am", "--3way", stdin=patch.encode()).returncode != 0


def _between_picks(desk: Desk) -> None:
    """The first of three picks conflicted and was committed by hand: only `sequencer` is left."""
    assert desk.try_git("cherry-pick", "main..topic").returncode == 1
    _solve(desk)
    desk.git("commit", "--quiet", "--no-edit")
    assert not (desk.git_dir() / "CHERRY_PICK_HEAD").exists()


def _rest_of_the_picks(desk: Desk) -> None:
    desk.git("cherry-pick", "--continue")
    assert _subjects(desk)[:4] == ["topic 3", "topic 2", "topic 1", "main 1"]


def _quit_picks(desk: Desk) -> None:
    desk.git("cherry-pick", "--quit")
    assert _subjects(desk)[:2] == ["topic 1", "main 1"]


def _revert(desk: Desk) -> None:
    desk.commit("main 2", f="again\n")
    assert desk.try_git("revert", "--no-edit", "first").returncode == 1


def _reverted(desk: Desk) -> None:
    _solve(desk)
    desk.git("revert", "--continue")
    assert _subjects(desk)[:2] == ['Revert "main 1"', "main 2"]


def _not_reverted(desk: Desk) -> None:
    desk.git("revert", "--abort")
    assert _subjects(desk)[:2] == ["main 2", "main 1"]


def _bisect(desk: Desk) -> None:
    for number in range(4):
        desk.commit(f"step {number}", step=f"{number}\n")
    desk.git("bisect", "start", "HEAD", "HEAD~4")


def _bisect_to_the_end(desk: Desk) -> None:
    desk.git("bisect", "good")
    told = desk.git("bisect", "good")
    assert "is the first bad commit" in told
    desk.git("bisect", "reset")
    assert _subjects(desk)[0] == "step 3"
    assert desk.git("symbolic-ref", "HEAD").strip() == BRANCH


def _back_to_main(desk: Desk) -> None:
    desk.git("checkout", "--quiet", "--force", "main")
    assert _subjects(desk)[:2] == ["main 1", "base"]


def _squash(desk: Desk) -> None:
    desk.git("checkout", "--quiet", "-b", "side", "base")
    desk.commit("side", h="topic\n")
    desk.git("checkout", "--quiet", "main")
    desk.git("merge", "--squash", "side")


def _commit_squash(desk: Desk) -> None:
    desk.git("commit", "--quiet", "-m", "squashed")
    assert desk.files_of("HEAD") == ["h"]


def _stash_conflict(desk: Desk) -> None:
    desk.write("stashed\n", "f")
    desk.git("stash", "--quiet")
    desk.commit("main 2", f="moved\n")
    assert desk.try_git("stash", "pop").returncode == 1


def _stash_solved(desk: Desk) -> None:
    _solve(desk)
    desk.git("commit", "--quiet", "-m", "popped")
    desk.git("stash", "drop", "--quiet")
    assert desk.files_of("HEAD") == ["f"]


def _nothing(desk: Desk) -> None:
    """The user is in the middle of nothing."""


def _commit_something(desk: Desk) -> None:
    desk.commit("main 2", new="new\n")
    assert desk.files_of("HEAD") == ["new"]


STATES = [
    State("clean", _nothing, BRANCH, "", {"commit": _commit_something}),
    State(
        "merge-conflict",
        _conflict("merge", "topic"),
        REF,
        MERGE,
        {"commit": _conclude_merge, "abort": _back("merge", "--abort")},
    ),
    State(
        "merge-no-commit",
        _clean_merge,
        REF,
        MERGE,
        {"commit": _commit_merge, "abort": _back("merge", "--abort")},
    ),
    State("merge-squash", _squash, BRANCH, "", {"commit": _commit_squash}),
    State(
        "rebase-conflict",
        _conflict("rebase", "topic"),
        REF,
        REBASE,
        {
            "continue": _solved("rebase", "--continue", then=["main 1", "topic 3"]),
            "abort": _back("rebase", "--abort"),
        },
        tracked=False,
    ),
    State("rebase-edit", _edit_rebase, REF, REBASE, {"continue": _amend_and_continue}, False),
    State(
        "rebase-apply",
        _conflict("rebase", "--apply", "topic"),
        REF,
        APPLY,
        {
            "continue": _solved("rebase", "--continue", then=["main 1", "topic 3"]),
            "abort": _back("rebase", "--abort"),
        },
        tracked=False,
    ),
    State(
        "am",
        _am,
        REF,
        APPLY,
        {
            "continue": _solved("am", "--continue", then=["topic 1", "main 1"]),
            "abort": _back("am", "--abort"),
        },
        tracked=False,
    ),
    State(
        "cherry-pick",
        _conflict("cherry-pick", "topic~2"),
        REF,
        PICK,
        {
            "continue": _solved("cherry-pick", "--continue", then=["topic 1", "main 1"]),
            "commit": _solved("commit", "--quiet", "--no-edit", then=["topic 1", "main 1"]),
            "abort": _back("cherry-pick", "--abort"),
        },
    ),
    State(
        "between-picks",
        _between_picks,
        REF,
        SERIES,
        {"continue": _rest_of_the_picks, "quit": _quit_picks},
    ),
    State("revert", _revert, REF, REVERT, {"continue": _reverted, "abort": _not_reverted}),
    State("bisect", _bisect, REF, BISECT, {"reset": _bisect_to_the_end}),
    State(
        "detached", _run("checkout", "--quiet", "--detach"), REF, DETACHED, {"back": _back_to_main}
    ),
    State(
        "on-a-tag",
        _run("checkout", "--quiet", "topic~1"),
        REF,
        DETACHED,
        {"back": _back_to_main},
        tracked=False,
    ),
    State("stash-conflict", _stash_conflict, BRANCH, "", {"commit": _stash_solved}),
]


# ---- for tests/states, where each is also compared with a twin that baton never saw


def _skipped(*args: str, then: list[str]) -> Callable[[Desk], None]:
    """Leave the conflicting commit out with `args`, and see that the history is `then`."""

    def end(desk: Desk) -> None:
        desk.git(*args)
        assert _subjects(desk)[: len(then)] == then

    return end


def _quit(*args: str) -> Callable[[Desk], None]:
    """Forget the operation with `args`, keep what it made so far, and commit it by hand."""

    def end(desk: Desk) -> None:
        desk.git(*args)
        _solve(desk)
        desk.git("commit", "--quiet", "-m", "by hand")
        assert _subjects(desk)[0] == "by hand"
        desk.git("checkout", "--quiet", "main")

    return end


def _quit_am(desk: Desk) -> None:
    desk.git("am", "--quit")
    desk.git("reset", "--quiet", "--hard")
    assert _subjects(desk)[:2] == ["main 1", "base"]


def _abandon_picks(desk: Desk) -> None:
    """`--abort` refuses after a commit by hand: HEAD is not where git left it."""
    desk.git("cherry-pick", "--quit")
    desk.git("reset", "--quiet", "--hard", "first")


def _rest_of_the_series(desk: Desk) -> None:
    _solve(desk)
    desk.git("cherry-pick", "--continue")
    assert _subjects(desk)[:4] == ["topic 3", "topic 2", "topic 1", "main 1"]


def _skip_bisect(desk: Desk) -> None:
    desk.git("bisect", "reset")
    assert _subjects(desk)[0] == "step 3"
    assert desk.git("symbolic-ref", "HEAD").strip() == BRANCH


def _bisect_bad(desk: Desk) -> None:
    desk.git("bisect", "bad")
    desk.git("bisect", "bad")
    desk.git("bisect", "reset", "main")


def _bisect_begun(desk: Desk) -> None:
    desk.git("bisect", "start")


def _end_bisect(desk: Desk) -> None:
    desk.git("bisect", "reset")
    assert _subjects(desk)[:2] == ["main 1", "base"]


def _bisect_in_place(desk: Desk) -> None:
    for number in range(4):
        desk.commit(f"step {number}", step=f"{number}\n")
    desk.git("bisect", "start", "--no-checkout", "HEAD", "HEAD~4")


def _exec_rebase(desk: Desk) -> None:
    assert desk.try_git("rebase", "--exec", "test -e ok", "base").returncode == 1


def _exec_and_continue(desk: Desk) -> None:
    desk.write("ok\n", "ok")
    desk.git("rebase", "--continue")
    (desk.root / "ok").unlink()
    assert _subjects(desk)[:2] == ["main 1", "base"]
    assert desk.git("symbolic-ref", "HEAD").strip() == BRANCH


def _break_rebase(desk: Desk) -> None:
    desk.git("rebase", "-i", "base", GIT_SEQUENCE_EDITOR="sed -i 1ibreak")


def _go_on(desk: Desk) -> None:
    desk.git("rebase", "--continue")
    assert _subjects(desk)[:2] == ["main 1", "base"]


def _split_commit(desk: Desk) -> None:
    """What people do in the middle of an `edit`: take the commit apart."""
    desk.git("reset", "--quiet", "base")
    desk.git("add", "f")
    desk.git("commit", "--quiet", "-m", "first half")
    desk.commit("second half", h="half\n")
    desk.git("rebase", "--continue")
    assert _subjects(desk)[:3] == ["second half", "first half", "base"]


def _autostash(desk: Desk) -> None:
    desk.write("not committed\n", "README.md")
    assert desk.try_git("rebase", "--autostash", "topic").returncode == 1


def _autostash_continued(desk: Desk) -> None:
    _solve(desk)
    desk.git("rebase", "--continue")
    assert _subjects(desk)[:2] == ["main 1", "topic 3"]
    assert (desk.root / "README.md").read_text(encoding="utf-8") == "not committed\n"


def _autostash_aborted(desk: Desk) -> None:
    desk.git("rebase", "--abort")
    assert (desk.root / "README.md").read_text(encoding="utf-8") == "not committed\n"


def _commit_detached(desk: Desk) -> None:
    desk.commit("on nothing", new="new\n")
    desk.git("switch", "--quiet", "--create", "kept")
    assert _subjects(desk)[:2] == ["on nothing", "main 1"]
    desk.git("switch", "--quiet", "main")
    desk.git("merge", "--quiet", "--ff-only", "kept")


def _orphan(desk: Desk) -> None:
    desk.git("checkout", "--quiet", "--orphan", "fresh")


def _commit_orphan(desk: Desk) -> None:
    desk.git("commit", "--quiet", "--allow-empty", "-m", "fresh start")
    assert _subjects(desk)[0] == "fresh start"


def _empty_orphan(desk: Desk) -> None:
    desk.git("switch", "--quiet", "--orphan", "fresh")


def _commit_on_fresh(desk: Desk) -> None:
    desk.commit("fresh start", new="new\n")


def _octopus(desk: Desk) -> None:
    for name in ("one", "two"):
        desk.git("checkout", "--quiet", "-b", name, "base")
        desk.commit(name, **{name: f"{name}\n"})
    desk.git("checkout", "--quiet", "main")
    desk.git("merge", "--quiet", "--no-commit", "one", "two")


def _commit_octopus(desk: Desk) -> None:
    desk.git("commit", "--quiet", "--no-edit")
    assert len(desk.git("rev-parse", "HEAD^@").split()) == 3


def _stashed(desk: Desk) -> None:
    desk.write("stashed\n", "f")
    desk.write("stashed too\n", "untracked.c")
    desk.git("stash", "push", "--quiet", "--include-untracked", "--", "f", "untracked.c")


def _pop(desk: Desk) -> None:
    desk.git("stash", "pop", "--quiet", "--index")
    assert (desk.root / "f").read_text(encoding="utf-8") == "stashed\n"
    assert (desk.root / "untracked.c").exists()


MORE_ENDS: dict[str, dict[str, Callable[[Desk], None]]] = {
    "merge-conflict": {"quit": _quit("merge", "--quit")},
    "rebase-conflict": {
        "skip": _skipped("rebase", "--skip", then=["topic 3"]),
        "quit": _quit("rebase", "--quit"),
    },
    "rebase-edit": {"abort": _back("rebase", "--abort"), "split": _split_commit},
    "rebase-apply": {
        "skip": _skipped("rebase", "--skip", then=["topic 3"]),
        "quit": _quit("rebase", "--quit"),
    },
    "am": {"skip": _skipped("am", "--skip", then=["main 1"]), "quit": _quit_am},
    "cherry-pick": {
        "skip": _skipped("cherry-pick", "--skip", then=["main 1"]),
        "quit": _quit("cherry-pick", "--quit"),
    },
    "between-picks": {"reset": _abandon_picks},
    "revert": {
        "skip": _skipped("revert", "--skip", then=["main 2"]),
        "quit": _quit("revert", "--quit"),
    },
    "bisect": {"early": _skip_bisect, "bad": _bisect_bad},
    "detached": {"commit": _commit_detached, "walk": _back("checkout", "--quiet", "main")},
    "on-a-tag": {"walk": _back("checkout", "--quiet", "-")},
}

MORE_STATES = [
    State("merge-octopus", _octopus, REF, MERGE, {"commit": _commit_octopus}),
    State(
        "rebase-exec",
        _exec_rebase,
        REF,
        REBASE,
        {"continue": _exec_and_continue, "abort": _back("rebase", "--abort")},
    ),
    State(
        "rebase-break",
        _break_rebase,
        REF,
        REBASE,
        {"continue": _go_on, "abort": _back("rebase", "--abort")},
    ),
    State(
        "rebase-autostash",
        _autostash,
        REF,
        REBASE,
        {"continue": _autostash_continued, "abort": _autostash_aborted},
    ),
    State(
        "series",
        _conflict("cherry-pick", "main..topic"),
        REF,
        PICK,
        {
            "continue": _rest_of_the_series,
            "skip": _skipped("cherry-pick", "--skip", then=["topic 3", "topic 2", "main 1"]),
            "abort": _back("cherry-pick", "--abort"),
        },
    ),
    State("bisect-begun", _bisect_begun, REF, BISECT, {"reset": _end_bisect}),
    State("bisect-in-place", _bisect_in_place, REF, BISECT, {"early": _skip_bisect}),
    State("orphan", _orphan, "refs/heads/fresh", "", {"commit": _commit_orphan}),
    State("empty-orphan", _empty_orphan, "refs/heads/fresh", "", {"commit": _commit_on_fresh}),
    State("stashed", _stashed, BRANCH, "", {"pop": _pop}),
]
