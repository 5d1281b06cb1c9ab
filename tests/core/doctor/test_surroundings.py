"""baton.core.doctor.surroundings: where a project lies and goes to, each check with each of its answers."""

from __future__ import annotations

import pytest

from baton.core.doctor import surroundings
from baton.core.doctor.finding import Finding, ok, unknown, wrong
from baton.core.doctor.surroundings import Ahead, Protection, Rules

REF_ADVICE = "baton setup --persist ref --untrack"
HUSKY = (".husky/commit-msg", "commit.gpgsign = true")
TOLD = ", ".join(HUSKY)
FLUSH = "wal: flush 20260711T1403"

CASES: dict[str, tuple[Finding, Finding]] = {
    "cloud: none": (
        surroundings.cloud("/p", ""),
        ok("cloud", "no sign of a service that synchronises this folder"),
    ),
    "cloud: one": (
        surroundings.cloud("/h/Dropbox/my p", "Dropbox"),
        wrong(
            "cloud",
            "Dropbox synchronises this folder; it can hold git's locks at a bad moment",
            "mv '/h/Dropbox/my p' ~/'my p'",
        ),
    ),
    "commit-rules: none": (
        surroundings.commit_rules(Rules((), "branch", False)),
        ok("commit-rules", "nothing here asks for a form of commit messages or for signatures"),
    ),
    "commit-rules: and it hurts": (
        surroundings.commit_rules(Rules(HUSKY, "branch", False)),
        wrong(
            "commit-rules",
            f"{TOLD}: baton's commits `wal: …` on the branch are unsigned and pass no hook",
            REF_ADVICE,
        ),
    ),
    "commit-rules: and it is meant": (
        surroundings.commit_rules(Rules(HUSKY, "branch", True)),
        ok("commit-rules", f'{TOLD}; persist = "branch" is set all the same'),
    ),
    "commit-rules: and nothing goes there": (
        surroundings.commit_rules(Rules(HUSKY, "ref", True)),
        ok("commit-rules", f"{TOLD}; baton commits nothing to the branch"),
    ),
    "protected-branch: detached": (
        surroundings.protection(Protection("", "", (), "branch")),
        ok("protected-branch", "baton commits nothing to a branch here"),
    ),
    "protected-branch: the ref": (
        surroundings.protection(Protection("main", "origin/main", ("x",), "ref")),
        ok("protected-branch", "baton commits nothing to a branch here"),
    ),
    "protected-branch: rules in the repository": (
        surroundings.protection(Protection("main", "origin/main", (".github/rulesets",), "branch")),
        wrong(
            "protected-branch",
            ".github/rulesets protects branches; `wal: …` commits would be pushed with main",
            REF_ADVICE,
        ),
    ),
    "protected-branch: perhaps": (
        surroundings.protection(Protection("main", "origin/main", (), "branch")),
        unknown(
            "protected-branch",
            "whether the server protects main (origin/main) cannot be seen from here",
            REF_ADVICE,
        ),
    ),
    "protected-branch: one's own": (
        surroundings.protection(Protection("topic", "", (), "branch")),
        ok("protected-branch", "no sign that anybody protects topic"),
    ),
    "unsquashed: no remote": (
        surroundings.unsquashed(Ahead(False, (), False)),
        ok("unsquashed", "there is no remote to push to"),
    ),
    "unsquashed: none": (
        surroundings.unsquashed(Ahead(True, ("feature", "not wal: x"), False)),
        ok("unsquashed", "no `wal: …` commit waits to be pushed"),
    ),
    "unsquashed: the work goes on": (
        surroundings.unsquashed(Ahead(True, (FLUSH,), True)),
        ok(
            "unsquashed",
            "1 commit `wal: …` would be pushed; `/close` folds them up when the work is done",
        ),
    ),
    "unsquashed: the work is done": (
        surroundings.unsquashed(Ahead(True, ("feature", FLUSH, "wal: x"), False)),
        wrong(
            "unsquashed",
            f'2 commits `wal: …` would be pushed (the last: "{FLUSH}"), and the work is done',
            "baton close",
        ),
    ),
    "own-faults: none": (
        surroundings.reports("", 0),
        ok("own-faults", "no fault of baton's own is on record"),
    ),
    "own-faults: some": (
        surroundings.reports("/a b/fault-1.txt", 2),
        wrong(
            "own-faults",
            "2 faults of baton's own, the last in /a b/fault-1.txt: report it, then",
            "rm '/a b'/fault-*.txt",
        ),
    ),
}


@pytest.mark.parametrize(("found", "expected"), CASES.values(), ids=CASES)
def test_what_is_found(found: Finding, expected: Finding) -> None:
    assert found == expected
