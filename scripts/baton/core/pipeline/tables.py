"""The pipeline's rules as data: what may follow what, under which condition, and what is then handed to
whom (design page pipeline; the academic pipeline's state machine, v2.0).

One table for each of the protocol's; the machine interprets them, the graph is drawn from them, and
`baton pipeline can` answers out of them.
"""

from __future__ import annotations

from dataclasses import dataclass

from baton.core.passport.modes import STAGES

ORDER = tuple(STAGES)
INIT, CHECKPOINT, END, ABORT = "INIT", "checkpoint", "END", "ABORT"
PAUSED, ANY, PREVIOUS = "PAUSED", "any stage", "the stage before"

INTEGRITY = ("2.5", "4.5")
REVIEWS = ("3", "3'")
MANDATORY = (*INTEGRITY, *REVIEWS)
"""The stages whose checkpoints need a person's act."""

ACCEPT, MINOR, MAJOR, REJECT = "accept", "minor", "major", "reject"
DECISIONS = {"3": (ACCEPT, MINOR, MAJOR, REJECT), "3'": (ACCEPT, MINOR, MAJOR)}

CORRECTIONS = 3
"""Rounds of correction at an integrity stage before a person must choose."""
RE_REVISIONS = 1
"""How often stage 4' may be entered."""
REPORTS = 5
SOCRATIC_ROUNDS = 15
SLIM_AFTER, AWARE_AFTER = 2, 4
"""After so many plain confirmations in a row a checkpoint is SLIM, and says that it was often agreed."""


@dataclass(frozen=True, slots=True)
class Move:
    """A row of the transitions. after: the stage whose checkpoint it leaves, "" where it leaves none.
    when: the decisions under which it holds, () for always. needs: its precondition. action: what is
    handed to whom, for the model that goes on."""

    frm: str
    to: str
    needs: str
    action: str
    after: str = ""
    when: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The row's name: unique among all of them."""
        source = f"{self.after}·{self.frm}" if self.after else self.frm
        return f"{source}→{self.to}"


_CONFIRM = "the person confirms"
_WAIT = "Stop here: the person confirms the checkpoint before anything goes on."

NORMAL = (
    Move(
        INIT, "1", "the person starts with research", "Ask for the mode, then begin the research."
    ),
    Move(
        INIT,
        "2",
        "research materials are there, and the person agrees to pass over stage 1",
        "Look through the research materials, then begin to write.",
    ),
    Move(INIT, "2.5", "a complete paper is there", "Give the paper to the integrity check."),
    Move(
        INIT,
        "3",
        "a verified paper and its integrity report are there",
        "Settle the paper's language and field, then give it to the reviewers.",
    ),
    Move(
        INIT,
        "4",
        "a paper and the comments of its reviewers are there",
        "Go through paper and comments with the person, then begin the revision.",
    ),
    Move(
        INIT,
        "5",
        "a final draft is there",
        "Settle the format with the person, then convert the draft.",
    ),
    Move("1", CHECKPOINT, "stage 1 is complete", _WAIT),
    Move(
        CHECKPOINT,
        "2",
        _CONFIRM,
        "Hand over RQ Brief, Methodology Blueprint, Bibliography and Synthesis Report.",
        after="1",
    ),
    Move("2", CHECKPOINT, "stage 2 is complete and the Paper Draft is there", _WAIT),
    Move(CHECKPOINT, "2.5", _CONFIRM, "Give the Paper Draft to the integrity check.", after="2"),
    Move("2.5", CHECKPOINT, "the integrity check passed", _WAIT),
    Move(
        "2.5",
        "2.5",
        "the integrity check failed",
        f"Mend what it found, then check again: {CORRECTIONS} rounds of correction at most.",
    ),
    Move(CHECKPOINT, "3", _CONFIRM, "Give the verified paper to the reviewers.", after="2.5"),
    Move("3", CHECKPOINT, "the review came to a decision", _WAIT),
    Move(
        CHECKPOINT,
        "4",
        "the decision is a minor or major revision, and the person confirms",
        "Hand over the Revision Roadmap.",
        after="3",
        when=(MINOR, MAJOR),
    ),
    Move(
        CHECKPOINT,
        "4.5",
        "the paper was accepted, and the person confirms",
        "No revision: give the paper to the final integrity check.",
        after="3",
        when=(ACCEPT,),
    ),
    Move("4", CHECKPOINT, "stage 4 is complete", _WAIT),
    Move(
        CHECKPOINT,
        "3'",
        _CONFIRM,
        "Hand over the Revised Draft and the Response to Reviewers.",
        after="4",
    ),
    Move("3'", CHECKPOINT, "the re-review came to a decision", _WAIT),
    Move(
        CHECKPOINT,
        "4.5",
        "the paper was accepted, or needs little more, and the person confirms",
        "Give the final draft to the final integrity check.",
        after="3'",
        when=(ACCEPT, MINOR),
    ),
    Move(
        CHECKPOINT,
        "4'",
        "the decision is a major revision, and the person confirms",
        "Hand over the new Revision Roadmap.",
        after="3'",
        when=(MAJOR,),
    ),
    Move("4'", CHECKPOINT, "stage 4' is complete", _WAIT),
    Move(
        CHECKPOINT,
        "4.5",
        _CONFIRM,
        "Give the Re-Revised Draft to the final integrity check.",
        after="4'",
    ),
    Move("4.5", CHECKPOINT, "the final integrity check passed with no issue left", _WAIT),
    Move(
        "4.5",
        "4.5",
        "the final integrity check failed",
        f"Mend what it found, then check again: {CORRECTIONS} rounds of correction at most.",
    ),
    Move(CHECKPOINT, "5", _CONFIRM, "Hand over the accepted final draft.", after="4.5"),
)

SPECIAL = (
    Move(
        "3",
        "2",
        "the paper was rejected (or its revision is not wanted), and the person restructures it",
        "Stages 2 to 3 begin anew, what stage 1 made is kept: write the paper again.",
        when=(MINOR, MAJOR, REJECT),
    ),
    Move(
        "3",
        ABORT,
        "the paper was rejected, and the person gives it up",
        "Everything that was made stays where it is; the pipeline is aborted.",
        when=(REJECT,),
    ),
    Move(
        "3'",
        "4'",
        "the decision is a major revision, and the person confirms",
        "This is the last revision: what it leaves open becomes a limitation of the paper.",
        when=(MAJOR,),
    ),
    Move(
        "4'",
        "4.5",
        "the last revision is complete",
        "On to the final integrity check; there is no way back to a review.",
    ),
    Move(ANY, PAUSED, "the person pauses", "All that is known is in the log already."),
    Move(
        PAUSED,
        PREVIOUS,
        "the person goes on",
        "Show the dashboard, and look for materials that changed meanwhile.",
    ),
)


@dataclass(frozen=True, slots=True)
class Prohibition:
    """A row of what is never done, and why."""

    frm: str
    to: str
    reason: str

    @property
    def name(self) -> str:
        """The row's name."""
        return f"{self.frm}⇸{self.to}"


NO_SECOND_LOOK = "there is one re-revision and no review after it"
PROHIBITED = (
    Prohibition(
        "1", "3", "stages 2 and 2.5 come first, unless a pipeline begins with a paper of its own"
    ),
    Prohibition("2", "3", "stage 2.5 cannot be passed over: the integrity check is mandatory"),
    Prohibition("4", "5", "a revision must be reviewed again before anything else"),
    Prohibition(
        "3'", "5", "stage 4.5 cannot be passed over: the final integrity check is mandatory"
    ),
    Prohibition("4'", "3'", NO_SECOND_LOOK),
    Prohibition("5", "3", "there is no review after the paper was finalized"),
    Prohibition("completed", "in_progress", "a completed stage does not start again"),
)


@dataclass(frozen=True, slots=True)
class Choice:
    """An answer that a checkpoint offers. on: a decision, or PASS, LIMIT or LAST. to: a stage, or ABORT.
    told: what it means, for the person."""

    stage: str
    on: tuple[str, ...]
    value: str
    to: str
    mode: str | None
    told: str


PASS, LIMIT, LAST = "pass", "limit", "last"
"""What a checkpoint stands on beside a review's decision: a passed check, the end of all corrections, a
major revision asked for when the one re-revision is used up."""

REVISE, RESTRUCTURE, GIVE_UP, GO_ON = "revise", "restructure", "abort", "go-on"
BY_HAND, REMOVE, UNVERIFIED = "by-hand", "remove-citations", "go-on-unverified"
FORMATS = ("docx", "latex", "pdf", "md")

CHOICES = (
    Choice("3", (MINOR, MAJOR), REVISE, "4", "revision", "revise the paper"),
    Choice("3", (MINOR, MAJOR, REJECT), RESTRUCTURE, "2", "plan", "write the paper anew"),
    Choice("3", (MINOR, MAJOR, REJECT), GIVE_UP, ABORT, None, "give the paper up"),
    Choice("3'", (MAJOR,), REVISE, "4'", "revision", "revise it once more, for the last time"),
    Choice("3'", (LAST,), GO_ON, "4.5", None, "go on; what is open becomes a limitation"),
    Choice("3'", (MAJOR, LAST), GIVE_UP, ABORT, None, "give the paper up"),
    *(
        Choice(stage, (LIMIT,), value, to, None, told)
        for stage, following in (("2.5", "3"), ("4.5", "5"))
        for value, to, told in (
            (BY_HAND, stage, "handle the items by hand, then check once more"),
            (REMOVE, stage, "remove the citations, then check once more"),
            (UNVERIFIED, following, "go on partially unverified; that is recorded"),
        )
    ),
    *(
        Choice("4.5", (PASS,), form, "5", "format-convert", f"finalize as {form}")
        for form in FORMATS
    ),
)

SWITCH_MODE, NARROW = "switch-mode", "narrow-scope"
STALL_OPTIONS = {
    SWITCH_MODE: "go on in another mode (--mode M), such as socratic → full",
    NARROW: "go on with a narrower scope",
}
"""What helps a stage that stalled, beside skipping it where it may be skipped."""


@dataclass(frozen=True, slots=True)
class Skip:
    """A stage that may be skipped. after: the checkpoint before it. when: the decisions under which, of
    the review before it. needs: a material that stands in for it. to: where that leads."""

    stage: str
    after: str
    to: str
    reason: str
    when: tuple[str, ...] = ()
    needs: str = ""


SKIPS = (
    Skip("1", INIT, "2", "the person has a bibliography of their own", needs="Bibliography"),
    Skip("3'", "4", "4.5", "the revisions were minor", when=(MINOR,)),
    Skip("4'", "3'", "4.5", "the paper was accepted", when=(ACCEPT, MINOR)),
)

RECOMMENDED, REQUIRED = "recommended", "required"


@dataclass(frozen=True, slots=True)
class Material:
    """A row of the material matrix. made, used: stages (END for the delivery). count: how many files.
    executed: required only where the stage that makes it ran. integrity: never at anybody's risk."""

    name: str
    made: str
    used: str
    need: str = REQUIRED
    count: int = 1
    executed: bool = False
    integrity: bool = False


MATERIALS = (
    Material("RQ Brief", "1", "2", RECOMMENDED),
    Material("Methodology Blueprint", "1", "2", RECOMMENDED),
    Material("Bibliography", "1", "2", RECOMMENDED),
    Material("Synthesis Report", "1", "2", RECOMMENDED),
    Material("Paper Draft", "2", "2.5"),
    Material("Integrity Report (Pre)", "2.5", "3", integrity=True),
    Material("Verified Paper Draft", "2.5", "3", integrity=True),
    Material("Review Reports", "3", "4", count=REPORTS),
    Material("Editorial Decision", "3", "4"),
    Material("Revision Roadmap", "3", "4"),
    Material("Revised Draft", "4", "3'"),
    Material("Response to Reviewers", "4", "3'", RECOMMENDED),
    # It is used at 4' alone, and 4' is entered after a major revision alone.
    Material("Re-Review Report", "3'", "4'"),
    Material("Re-Revised Draft", "4'", "4.5", executed=True),
    Material("Integrity Report (Final)", "4.5", "5", integrity=True),
    Material("Final Paper", "5", END),
)
REPORT_OF = {"2.5": "Integrity Report (Pre)", "4.5": "Integrity Report (Final)"}
VERIFIED_DRAFT = "Verified Paper Draft"
BY_NAME = {material.name: material for material in MATERIALS}

_RESEARCH = tuple(material.name for material in MATERIALS if material.made == "1")
ENTRIES: dict[str, tuple[tuple[str, ...], ...]] = {
    "1": (),
    "2": (_RESEARCH,),
    "2.5": (("Paper Draft",),),
    "3": ((VERIFIED_DRAFT,), ("Integrity Report (Pre)",)),
    "4": (("Paper Draft", VERIFIED_DRAFT), ("Review Reports",)),
    "5": (("Re-Revised Draft", "Revised Draft", VERIFIED_DRAFT, "Paper Draft"),),
}
"""Where a pipeline may begin, and what must be there: of each group at least one, a single file of it."""


def row(frm: str, to: str, after: str = "") -> Move:
    """Give the transition from one place to another. after: the stage whose checkpoint is left."""
    return next(
        move for move in (*NORMAL, *SPECIAL) if (move.frm, move.to, move.after) == (frm, to, after)
    )


def prohibition(frm: str, to: str) -> Prohibition | None:
    """Give the row that prohibits going from one stage to another, None when none does."""
    return next((each for each in PROHIBITED if (each.frm, each.to) == (frm, to)), None)


def following(stage: str, decision: str) -> str:
    """Give where the checkpoint of `stage` leads by a plain confirmation; "" when that must be chosen.

    decision: the review's, "" where there was none.
    """
    if stage == "5":
        return END
    for move in NORMAL:
        if move.after == stage and (not move.when or decision in move.when):
            return move.to
    return ""


def is_back(frm: str, to: str) -> bool:
    """Say whether a stage lies before another, or is the same."""
    return ORDER.index(to) <= ORDER.index(frm)
