"""What `/tiep` checks before it believes a chain, and what a finished check says about it (design
page chain, /tiep 2-4)."""

from __future__ import annotations

from dataclasses import dataclass

from baton.core.chain import native
from baton.core.chain.expectation import Expectation, split
from baton.hot.chain import DOING, TODO, Chain


@dataclass(frozen=True)
class Result:
    """What a check showed.

    exit: None when it could not be run or did not end, and then reason says why. output: of its
    standard output, which alone is compared; errors: of the other. by_baton: not by a shell.
    """

    exit: int | None
    output: str = ""
    errors: str = ""
    reason: str = ""
    by_baton: bool = False


@dataclass(frozen=True)
class Check:
    """A command of the chain, or an item's evidence.

    item: its number from 1, 0 for a verify command that belongs to none; mark: that item's.
    meaning: how baton evaluates it by itself, None when only a shell could. obstacle: why nobody
    can run it as it stands, or "".
    """

    command: str
    expectation: Expectation | None
    item: int
    mark: str
    is_evidence: bool
    meaning: native.Native | None
    obstacle: str


def plan(chain: Chain) -> list[Check]:
    """Give the checks of a chain.

    Its verify commands in order, then the evidence that no verify command covers.
    """
    parted = [split(command) for command in chain.verify]
    owners = _owners(chain, [command for command, _ in parted])
    checks = [
        _check(chain, command, expected, owner, False)
        for (command, expected), owner in zip(parted, owners, strict=True)
    ]
    covered = {check.command for check in checks}
    for number, item in enumerate(chain.items, 1):
        evidence, expected = split(item.evidence)
        if evidence and evidence not in covered:
            checks.append(_check(chain, evidence, expected, number, True))
    return checks


def _owners(chain: Chain, commands: list[str]) -> list[int]:
    """The item that each verify command speaks of: the one with that command as evidence.

    What is left goes, in order, to the items in progress that no command speaks of yet.
    """
    by_evidence = {
        split(item.evidence)[0]: number
        for number, item in enumerate(chain.items, 1)
        if item.evidence
    }
    owners = [by_evidence.get(command, 0) for command in commands]
    waiting = [
        number
        for number, item in enumerate(chain.items, 1)
        if item.mark == DOING and item.run is None and number not in owners
    ]
    return [owner or (waiting.pop(0) if waiting else 0) for owner in owners]


def _check(
    chain: Chain, command: str, expected: Expectation | None, owner: int, is_evidence: bool
) -> Check:
    unfilled = native.placeholder(command)
    return Check(
        command=command,
        expectation=expected,
        item=owner,
        mark=chain.items[owner - 1].mark if owner else "",
        is_evidence=is_evidence,
        meaning=None if unfilled else _meaning(command, expected, is_evidence),
        obstacle=f"{unfilled} is a placeholder: a person must fill it in" if unfilled else "",
    )


def _meaning(command: str, expected: Expectation | None, is_evidence: bool) -> native.Native | None:
    recognise = native.recognise_evidence if is_evidence else native.recognise
    meaning = recognise(command)
    # baton looks whether the paths are there; what ls would print of them is not known.
    blind = isinstance(meaning, native.Listing) and expected and expected.operator != "ok"
    return None if blind else meaning


def agrees(check: Check, result: Result) -> bool | None:
    """Say whether a result agrees with the chain; None when it could not be checked.

    An expectation states when the item is done: met under an item that is not done, or unmet under
    one that is, disagrees. Without an expectation success is expected of done items and of commands
    that belong to none.
    """
    if result.exit is None:
        return None
    met = (
        check.expectation.met(result.exit, result.output) if check.expectation else result.exit == 0
    )
    if met is None:
        return None
    if check.mark in (DOING, TODO):
        return not met if check.expectation else True
    return met
