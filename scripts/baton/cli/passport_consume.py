"""`baton passport resume|continue`: a boundary is consumed, once, after everything was asked (design
page passport, "Consuming it")."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from baton.cli import consent
from baton.cli.context import Context
from baton.cli.passport_desk import Desk, mapping, texts
from baton.cli.passport_pipeline import joined
from baton.core.errors import BatonError
from baton.core.passport import asking
from baton.core.passport import ledger as ledgers
from baton.core.passport import resume as resumes
from baton.core.passport.acknowledgement import acknowledgement
from baton.core.passport.asking import Answers, Evidence, Question
from baton.core.passport.document import Document
from baton.core.passport.entry import Resume
from baton.core.passport.ledger import Awaiting, Ledger
from baton.core.passport.resume import Plan
from baton.core.passport.tag import checked_stage
from baton.core.passport.words import shown
from baton.edge import clock, user_config
from baton.edge.passport_file import PassportFile
from baton.hot import clean, pasted, reply

if TYPE_CHECKING:
    from baton.cli.passport_joined import Joined

OPEN = ("needs-decision", "needs-reverify", "needs-mode-yes")
_WORDS_LIMIT = 4096
_ARTEFACTS = 20
_ONLY_INPUT = (
    "From here on the passport is the only input. "
    "What this session remembers of earlier stages does not count."
)
Planner = Callable[[Awaiting, Answers, Evidence], Plan]


def resume(arguments: argparse.Namespace, context: Context) -> int:
    """Consume a boundary in this session."""
    if arguments.words:
        _take_words(arguments)
    if not arguments.hash:
        raise BatonError("usage", "HASH is missing; nothing was done", "baton passport awaiting")
    desk = Desk(context, arguments.session or "")
    file = desk.holding(arguments.hash, arguments.passport or "")
    _Errand(desk, file, arguments, resumes.planned, personal=False).run("")
    return 0


def go_on(arguments: argparse.Namespace, context: Context) -> int:
    """Consume the boundary that this very session left, for the next stage only."""
    desk = Desk(context, arguments.session or "")
    if arguments.hash:
        file = desk.holding(arguments.hash, arguments.passport or "")
    else:
        file = desk.only(arguments.passport or "")
        arguments.hash = _own(file, desk.session)
    _Errand(desk, file, arguments, _continues(file.place.name), personal=True).run(
        f"\n{_ONLY_INPUT}"
    )
    return 0


def _continues(passport: str) -> Planner:
    def planner(found: Awaiting, answers: Answers, evidence: Evidence) -> Plan:
        return resumes.continues(found, answers, evidence, passport)

    return planner


def question(command: str, hash_: str) -> str:
    """Give the name of what a person answers before a boundary is consumed. command: resume, continue."""
    return f"passport-{command}:{hash_}"


def answers_of(arguments: argparse.Namespace) -> Answers:
    """Give what the command line brings."""
    given = vars(arguments)
    return Answers(
        stage=arguments.stage,
        mode=arguments.mode,
        branch=given.get("branch"),
        reverified=bool(given.get("reverified")),
        proceed_unverified=bool(given.get("proceed_unverified")),
        yes=bool(given.get("yes")),
    )


def check_routing(arguments: argparse.Namespace, command: str) -> None:
    """Check where a person wants to be led. Raises `usage`."""
    texts(arguments, "stage", "mode")
    if arguments.stage is not None:
        checked_stage(arguments.stage, "--stage", command)


class _Errand:
    """One boundary on its way to being consumed."""

    def __init__(
        self,
        desk: Desk,
        file: PassportFile,
        arguments: argparse.Namespace,
        planner: Planner,
        *,
        personal: bool,
    ) -> None:
        """personal: the command itself is a person's act, whatever its flags."""
        self._command = "continue" if personal else "resume"
        check_routing(arguments, self._command)
        texts(arguments, "branch")
        self._desk = desk
        self._file = file
        self._hash: str = arguments.hash
        self._planner = planner
        self._answers = answers_of(arguments)
        self._personal = personal or _personal(self._answers)
        self._typed = typed(self._command, arguments)
        self._ledger: Ledger | None = None
        self._asked: list[Question] = []
        self._joined: Joined | None = None

    def run(self, also: str) -> None:
        """Consume it, or refuse, and answer. also: what the acknowledgement ends with."""
        try:
            plan, entry, artefacts = self._consume()
        except BatonError as error:
            raise self._explained(error) from error
        if self._joined:
            artefacts += self._joined.artefacts()
            also = "".join(f"\n{line}" for line in self._joined.said) + also
        said = acknowledgement(plan, self._file.place.name, artefacts) + also
        self._desk.context.answer(
            said,
            {
                "hash": self._hash,
                "next_stage": plan.next_stage,
                "next_mode": plan.next_mode,
                "chosen_branch": plan.chosen_branch,
                "entry": entry,
                "acknowledgement": said,
            },
        )

    def _consume(self) -> tuple[Plan, dict[str, object], list[str]]:
        with joined(self._desk, self._file.place.name) as self._joined:
            done = self._consumed()
            if self._joined:
                self._joined.take()
            return done

    def _consumed(self) -> tuple[Plan, dict[str, object], list[str]]:
        context = self._desk.context
        remote = user_config.claim_remote(context.environ, context.project.root)
        if self._personal or remote:
            # What can be refused without a person, or without the network, is refused first.
            read, _ = self._file.whole(self._hash)
            self._plan(read.document, read.ledger)
        if self._personal:
            consent.require(context, *self._consent())
        if not remote:
            return self._append()
        from baton.edge.claim import Claim  # few users have a remote for it

        wait = float(context.config.lock_wait)
        held = Claim(context.project, context.state, remote, self._hash, self._desk.session, wait)
        held.stake()
        done = self._append()
        held.done()
        return done

    def _append(self) -> tuple[Plan, dict[str, object], list[str]]:
        made: list[tuple[Plan, list[str]]] = []

        def step(document: Document, ledger: Ledger) -> Resume:
            plan = self._plan(document, ledger)
            if self._personal:
                consent.spend(self._desk.context, *self._consent())
            made.append((plan, artefacts_of(document)))
            return plan.entry(clock.exact_stamp(), self._desk.session)

        entry = self._file.append(step, self._hash)
        return made[0][0], mapping(entry), made[0][1]

    def _plan(self, document: Document, ledger: Ledger) -> Plan:
        self._ledger = ledger
        found = ledger.find(self._hash, self._file.place.name)
        self._file.require_free(self._hash)
        evidence = self._desk.evidence(found, document, self._file.place.name)
        try:
            plan = self._planner(found, self._answers, evidence)
        except BatonError as error:
            if error.code in OPEN:
                # What nothing can answer is refused here once more, in the same words.
                self._asked = asking.questions(found.boundary, self._answers, evidence)
            raise
        if self._joined:
            self._require_legal(plan, self._joined)
        return plan

    def _require_legal(self, plan: Plan, pipeline: Joined) -> None:
        """What the log cannot follow is not written into the ledger; what runs again is shown first."""
        again = pipeline.check(plan.boundary, plan.entry(clock.exact_stamp(), self._desk.session))
        if again and not self._answers.yes:
            consent.put(self._desk.context, question(self._command, self._hash))
            raise BatonError(
                "needs-person", f"{again}. Is it meant? Nothing was written", f"{self._typed} --yes"
            )

    def _consent(self) -> tuple[str, str, str]:
        asks = f"shall boundary {self._hash} be taken with `{self._typed}`?"
        return question(self._command, self._hash), asks, self._typed

    def _explained(self, error: BatonError) -> BatonError:
        """The same refusal, with the question put where a person's answer leads on.

        What is to be shown to the person in several lines goes to stdout, as it stands.
        """
        context = self._desk.context
        if error.code in OPEN:
            consent.put(context, question(self._command, self._hash))
        if error.code == "already-resumed" and self._was_us():
            error.message += "; that was this very session: it has taken this hand-over, go on with its next stage"
        if not context.as_json:
            self._show(error)
        return error

    def _show(self, error: BatonError) -> None:
        if error.code in OPEN and self._asked:
            reply.write("\n".join(each.text for each in self._asked) + "\n")
            error.message = (
                f"boundary {self._hash}: the person must answer first; nothing was written"
            )
        elif "\n" in error.message:
            error.message, _, rest = error.message.partition("\n")
            reply.write(rest.lstrip("\n") + "\n")

    def _was_us(self) -> bool:
        by = self._ledger.consumer(self._hash) if self._ledger else None
        return by is not None and by.session_marker == self._desk.session


def _personal(answers: Answers) -> bool:
    """Whether a flag stands for a person's answer."""
    return bool(
        answers.branch is not None
        or answers.reverified
        or answers.proceed_unverified
        or answers.yes
    )


def typed(
    command: str,
    arguments: argparse.Namespace,
    options: tuple[str, ...] = ("passport", "stage", "mode", "branch", "session"),
) -> str:
    """Give a command line again as it can be typed. options: those with a value that are kept."""
    given = vars(arguments)
    words = ["baton", "passport", command, arguments.hash]
    for option in options:
        if (value := given.get(option)) is not None:
            words += [f"--{option}={value}"] if value.startswith("-") else [f"--{option}", value]
    for flag in ("reverified", "proceed_unverified", "yes"):
        words += [f"--{flag.replace('_', '-')}"] if given.get(flag) else []
    return shlex.join(words)


def _own(file: PassportFile, session: str) -> str:
    """The newest awaiting boundary of this session."""
    for each in file.read().ledger.awaiting():
        if each.boundary.session_marker == session:
            return each.boundary.hash
    message = f"{file.place.name}: no boundary of this session awaits; nothing was written"
    raise BatonError("no-such-boundary", message, "baton passport awaiting")


def _take_words(arguments: argparse.Namespace) -> None:
    """Take what was typed behind /resume_from_passport: a hash, with or without its key, stage=, mode=."""
    words = sys.stdin.buffer.read(_WORDS_LIMIT).decode("utf-8", "replace").split()
    arguments.hash = ""
    if not words:
        return
    arguments.hash = ledgers.checked_form(words[0].removeprefix(f"{pasted.KEY}="))
    found, rest = pasted.options(words[1:])
    if rest:
        message = f"{clean.quoted(rest, 60)} behind the hash is no stage=… or mode=… of its own; nothing was done"
        raise BatonError("usage", message, "/resume_from_passport HASH [stage=S] [mode=M]")
    arguments.stage = found.get("stage", arguments.stage)
    arguments.mode = found.get("mode", arguments.mode)


def artefacts_of(document: Document) -> list[str]:
    """Give the passport's own fields, as references: what stands in them is for the next stage to open."""
    return [
        f"{shown(field.key)}: "
        + (clean.quoted(field.text, 120) if field.text is not None else f"line {field.line}")
        for field in document.fields[:_ARTEFACTS]
    ]
