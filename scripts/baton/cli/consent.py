"""What only a person may decide: every flag that stands for a person's answer passes here (design
README, "a person's act")."""

from __future__ import annotations

from baton.cli.context import Context
from baton.core.errors import BatonError
from baton.hot import acts
from baton.hot.chain import UNFINISHED, UNREADABLE

ABANDON = "chain/abandon"


def put(context: Context, question: str) -> None:
    """Note that `question` is put to the person now; what they type next answers it.

    question: a name for the matter, the same wherever it is asked and answered. At a terminal
    outside Claude Code nothing is noted: who types a flag there has answered.
    """
    if context.inside_claude:
        acts.ask(context.state, context.session, question)


def require(context: Context, question: str, asks: str, hint: str) -> None:
    """Return when a person has answered `question`, or types this at a terminal.

    asks: what the person is to be asked, one sentence. hint: what to do once they have answered.
    Raises needs-person otherwise, and has put the question then. `spend` uses the answer up.
    """
    if not _given(context, question):
        raise _refusal(context, question, asks, hint)


def spend(context: Context, question: str, asks: str, hint: str) -> None:
    """Use the answer to `question` up, just before what it allows is done.

    Raises needs-person when there is none, or when it cannot be used up, and has put the question
    then: where nothing lies between the two, this alone asks and answers.
    """
    if context.inside_claude and not acts.take(context.state, context.session, question):
        raise _refusal(context, question, asks, hint)


def give_up(context: Context, state: str, again: str) -> None:
    """Return when a chain holds no work in progress, or a person wants that given up; that is used up.

    state: the chain's. again: the command that is run once they have said so. Raises needs-person.
    """
    if state in (UNFINISHED, UNREADABLE):
        asks = f"the chain is {state}; is its work to be given up?"
        spend(context, ABANDON, asks, f"once they have said so: {again}")


def _given(context: Context, question: str) -> bool:
    return not context.inside_claude or acts.answered(context.state, context.session, question)


def _refusal(context: Context, question: str, asks: str, hint: str) -> BatonError:
    put(context, question)
    message = f"only a person may decide this; ask them, and wait for what they type: {asks}"
    return BatonError("needs-person", f"{message} Nothing was done.", hint)
