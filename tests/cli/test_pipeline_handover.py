"""`baton pipeline` with hand-overs: the ledger and the log tell one truth, whatever happens between them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from baton.core.pipeline import event as events
from baton.core.pipeline.event import Entry as Logged
from baton.core.pipeline.log import Log
from baton.core.pipeline.log import read as read_log
from baton.hot import acts
from commands import Said, refused
from passports import NAME, ON, Shelf
from pipelines import MOMENT, PipelineDesk

END = "; nothing was recorded"
YES = "--proceed-unverified"


class Joint:
    """A pipeline that hands over in a passport. Every command is a person's at a terminal, in a session
    of its own."""

    def __init__(self, pipeline: PipelineDesk, shelf: Shelf) -> None:
        self.pipeline = pipeline
        self.shelf = shelf
        shelf.lay(top="")
        self.said = pipeline.ok("start", "--entry", "1", "--mode", "full", **ON)

    @property
    def hash(self) -> str:
        """Of the newest boundary that waits."""
        rows = json.loads(self.shelf("awaiting", "--json").out)["awaiting"]
        return str(rows[0]["hash"])

    def take(self, *args: str) -> Said:
        """Take the hand-over that waits, in another session."""
        return self.shelf("resume", self.hash, *args, session="sess-next")

    def done(self, *args: str) -> str:
        """The same, and see that it was done."""
        said = self.take(*args)
        assert said.code == 0, said
        return said.out

    def to_integrity(self) -> None:
        """To where stage 2.5 is at work."""
        self.pipeline.ok("complete")
        self.done(YES)
        self.pipeline.material("Paper Draft", "draft.md")
        self.pipeline.ok("complete")
        self.done(YES)

    def to_review(self) -> None:
        """To where stage 3 is at work."""
        self.to_integrity()
        self.pipeline.checked()
        self.done()
        self.pipeline.ok("confirm")

    @property
    def kinds(self) -> list[str]:
        """What the ledger holds, in order."""
        rows = json.loads(self.shelf("show", NAME, "--json").out)["entries"]
        return [row["kind"] for row in rows]


@pytest.fixture
def joint(pipeline: PipelineDesk, shelf: Shelf) -> Joint:
    """A pipeline at its first stage."""
    return Joint(pipeline, shelf)


# ---- the ordinary course ----


def test_each_full_checkpoint_is_handed_over_and_nothing_goes_on_before(joint: Joint) -> None:
    out = joint.pipeline.ok("complete")
    hash_ = joint.hash
    assert out.count(f"[PASSPORT-RESET: hash={hash_}, stage=1, next=2]") == 1
    assert f"- In a fresh Claude Code session: resume_from_passport={hash_}\n" in out
    assert joint.pipeline("confirm") == refused(
        3,
        f"stage 1 was handed over, and goes on in the session that takes boundary {hash_}{END}",
        f"resume_from_passport={hash_}",
    )
    taken = joint.done(YES)
    assert "- Pipeline main: stage 2 WRITE begins in mode full\n" in taken
    assert joint.pipeline.status()["current"] == "2"
    assert joint.pipeline.events[-3:] == ["finished", "reached", "taken"]
    assert joint.kinds == ["boundary", "resume"]


def test_the_flag_is_recorded_when_the_pipeline_starts(joint: Joint) -> None:
    """Unsetting it later does not walk round a required reset, and setting it later changes nothing."""
    joint.pipeline.ok("complete", ARS_PASSPORT_RESET="0")
    assert joint.kinds == ["boundary"]
    joint.pipeline.ok("start", "--entry", "1", "--name", "free")
    assert "PASSPORT-RESET" not in joint.pipeline.ok("complete", "--name", "free", **ON)
    assert joint.kinds == ["boundary"]


def test_a_mandatory_gate_needs_a_person_beside_the_fresh_session(joint: Joint) -> None:
    joint.to_integrity()
    out = joint.pipeline.checked()
    assert "- This checkpoint is MANDATORY: it still needs the person's confirmation" in out
    taken = joint.done()
    told = "- Pipeline main: the checkpoint of stage 2.5 INTEGRITY still needs a person's confirmation\n"
    assert told in taken
    assert joint.pipeline.status()["current"] == "2.5"
    assert joint.pipeline.inside("confirm").code == 4
    joint.pipeline.ok("confirm")
    assert joint.pipeline.status()["current"] == "3"


def test_or_before_it(joint: Joint) -> None:
    joint.to_integrity()
    joint.pipeline.checked()
    joint.pipeline.ok("confirm")
    assert joint.pipeline.status()["current"] == "2.5"
    assert "- Pipeline main: stage 3 REVIEW begins" in joint.done()


def test_a_decision_is_made_where_the_hand_over_is_taken(joint: Joint) -> None:
    joint.to_review()
    joint.pipeline.reviewed()
    joint.pipeline.ok("decide", "major")
    assert "To be asked first" in joint.shelf("inspect", joint.hash).out
    assert joint.pipeline("choose", "revise").code == 3
    asked = joint.take()
    assert (asked.code, '  "revise" → stage 4 (REVISE), mode revision\n' in asked.out) == (4, True)
    assert "stage 4 REVISE begins in mode revision\n" in joint.done("--branch", "revise")
    assert joint.pipeline.events.count("taken") == 4


def test_giving_up_where_the_hand_over_is_taken(joint: Joint) -> None:
    joint.to_review()
    joint.pipeline.ok("decide", "reject")
    assert "- Pipeline main: the pipeline is aborted" in joint.done("--branch", "abort")
    assert joint.pipeline.status()["global"] == "aborted"


def test_the_limit_is_a_hand_over_with_its_choices(joint: Joint) -> None:
    joint.to_integrity()
    for _ in range(4):
        joint.pipeline.checked(verdict="fail")
    assert "stage 2.5 INTEGRITY is checked once more" in joint.done("--branch", "by-hand", YES)
    joint.pipeline.checked()
    joint.done()


def test_the_last_hand_over_ends_the_pipeline(pipeline: PipelineDesk, shelf: Shelf) -> None:
    shelf.lay(top="")
    pipeline.ok("start", "--entry", "5", **ON)
    pipeline.material("Revised Draft", "draft.md")
    pipeline.ok("confirm")
    pipeline.material("Final Paper", "final.md")
    pipeline.ok("complete")
    hash_ = json.loads(shelf("awaiting", "--json").out)["awaiting"][0]["hash"]
    assert "the pipeline is completed: the final paper is there" in shelf("resume", hash_, YES).out
    assert pipeline.status()["global"] == "completed"


# ---- nothing is written that the log cannot follow ----


@pytest.mark.parametrize(
    ("stage", "why"),
    [
        ("3", "stage 2.5 cannot be passed over: the integrity check is mandatory"),
        ("4.5", "no rule leads from stage 2 to stage 4.5"),
        ("poster", "stage 2 does not end the pipeline"),
    ],
)
def test_a_hand_over_leads_where_the_rules_allow(joint: Joint, stage: str, why: str) -> None:
    joint.pipeline.ok("complete")
    joint.done(YES)
    joint.pipeline.material("Paper Draft", "draft.md")
    joint.pipeline.ok("complete")
    before = joint.shelf.path.read_bytes(), joint.pipeline.log.read_bytes()
    assert joint.take(YES, "--stage", stage) == refused(
        3, f"stage 2 cannot lead to {stage}: {why}{END}", f"baton pipeline can 2 {stage}"
    )
    assert (joint.shelf.path.read_bytes(), joint.pipeline.log.read_bytes()) == before


def test_a_look_at_a_hand_over_says_so_before(joint: Joint) -> None:
    joint.pipeline.ok("complete")
    first = joint.shelf("inspect", joint.hash, "--stage", "3")
    assert (first.code, first.err.partition(": ")[2].partition(":")[0]) == (
        3,
        "stage 1 cannot lead to 3",
    )
    assert joint.shelf("inspect", joint.hash, "--stage", "research", "--mode", "quick").code == 0
    assert joint.shelf("inspect", joint.hash, "--mode", "plan").code == 0
    assert joint.shelf("inspect", joint.hash).code == 0
    joint.done(YES)
    joint.pipeline.material("Paper Draft", "draft.md")
    joint.pipeline.ok("complete")
    joint.done(YES)
    joint.pipeline.checked()
    joint.pipeline.lay("draft.md", "changed")
    assert "the check is STALE" in joint.shelf("inspect", joint.hash).err


def test_a_draft_that_changed_is_not_handed_on(joint: Joint) -> None:
    joint.to_integrity()
    joint.pipeline.checked()
    joint.pipeline.lay("draft.md", "changed")
    said = joint.take()
    assert said.code == 3
    assert said.err.startswith(
        "baton: draft.md has changed since it passed stage 2.5: the check is STALE"
    )
    old = joint.hash
    joint.pipeline.checked()
    assert joint.hash != old
    superseded = joint.shelf("resume", old)
    assert superseded.code == 3
    assert "is not the one that the pipeline stands at (stage 2.5 is completed)" in superseded.err


def test_what_runs_again_is_shown_before_a_person_agrees(joint: Joint, shelf: Shelf) -> None:
    joint.to_integrity()
    joint.pipeline.checked(verdict="fail")
    joint.pipeline.checked()
    before = shelf.path.read_bytes()
    said = joint.take("--stage", "2")
    assert (said.code, shelf.path.read_bytes()) == (4, before)
    assert said.err == (
        "baton: Stage 2 runs again (attempt 2, after version v1.0): 2, 2.5 pend again. Materials are kept, and so "
        "is what is counted: rounds of correction 1/3 at 2.5, 0/3 at 4.5, re-revisions 0/1. Is it meant? Nothing "
        f"was written\ntry: baton passport resume {joint.hash} --stage 2 --session sess-next --yes\n"
    )
    assert "stage 2 WRITE begins in mode full, attempt 2" in joint.done("--stage", "2", "--yes")
    joint.pipeline.ok("complete")
    assert (
        json.loads(shelf("show", NAME, "--json").out)["entries"][-1]["version_label"]
        == "v1.1-revised"
    )


def test_inside_claude_a_rerun_is_a_persons(joint: Joint, shelf: Shelf) -> None:
    joint.to_integrity()
    joint.pipeline.checked()
    hash_ = joint.hash
    rerun = ("resume", hash_, "--stage", "2")
    assert shelf.inside(*rerun).code == 4
    assert shelf.inside(*rerun, "--yes").code == 4
    acts.submitted(shelf.state, "sess-b")
    assert shelf.inside(*rerun, "--yes").code == 0


def test_a_pipeline_that_was_given_up_is_not_taken_over(joint: Joint) -> None:
    joint.pipeline.ok("complete")
    joint.pipeline.ok("abort")
    said = joint.take(YES)
    assert (said.code, said.err.partition("\n")[0]) == (
        3, f"baton: the pipeline is aborted: nothing follows{END}",
    )  # fmt: skip
    rows = json.loads(joint.shelf("awaiting", "--json").out)["awaiting"]
    assert rows[0]["pipeline_over"] is True
    assert joint.shelf("awaiting").out.endswith(", its pipeline is over\n")


def test_a_boundary_beside_the_pipeline_would_pass_its_gates_by(joint: Joint) -> None:
    said = joint.shelf("boundary", "--stage", "2.5", "--next", "3", **ON)
    assert said == refused(
        3,
        f"{NAME} belongs to pipeline main, whose stages end with baton pipeline complete, integrity or decide; "
        "nothing was written",
        "baton pipeline status --name main",
    )
    joint.pipeline.ok("abort")
    assert joint.shelf("boundary", "--stage", "2.5", "--next", "3", **ON).code == 0


def test_a_passport_serves_one_pipeline_at_a_time(joint: Joint) -> None:
    assert joint.pipeline("start", "--entry", "1", "--name", "second", **ON) == refused(
        3,
        f"{NAME} belongs to pipeline main, which is running{END}",
        "baton pipeline status --name main",
    )
    joint.pipeline.ok("abort")
    joint.pipeline.ok("start", "--entry", "1", "--name", "second", **ON)


def test_the_passport_is_the_projects_from_wherever_it_is_asked(
    joint: Joint, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = joint.shelf.root / "sub"
    (folder / "passports").mkdir(parents=True)
    (folder / NAME).write_text("reset_boundary: []\n", encoding="utf-8")
    with monkeypatch.context() as below:
        below.chdir(folder)
        joint.pipeline.ok("complete")
    assert joint.kinds == ["boundary"]
    assert (folder / NAME).read_text(encoding="utf-8") == "reset_boundary: []\n"


def test_a_log_that_leads_out_of_the_project_is_refused(joint: Joint, tmp_path: Path) -> None:
    """Whoever made it knew how digests are made."""
    outside = tmp_path / "paper.yaml"
    outside.write_text("reset_boundary: []\n", encoding="utf-8")
    joint.pipeline.log.unlink()
    started = events.Started("1", None, "../paper.yaml", 0, True)
    log, first = Log().with_entry(Logged(MOMENT, "s", started))
    log, second = log.with_entry(Logged(MOMENT, "s", events.Entered("1", None)))
    joint.pipeline.log.write_bytes(first + second)
    said = joint.pipeline("complete")
    assert (said.code, "outside the project" in said.err) == (2, True)
    assert outside.read_text(encoding="utf-8") == "reset_boundary: []\n"


def test_a_label_that_a_short_checkpoint_took_is_not_given_twice(joint: Joint) -> None:
    lines = joint.pipeline.log.read_bytes()
    found = read_log(lines)
    data = lines
    for event in (
        events.Finished("1", ()),
        events.Reached("1", "SLIM", False, "v1.0", None, "2", None),
        events.Paused(""),
        events.Resumed(),
        events.Confirmed("1", "1", None),
    ):
        found, line = found.with_entry(Logged(MOMENT, "s", event))
        data += line
    joint.pipeline.log.write_bytes(data)
    assert "version v1.1-revised" in joint.pipeline.ok("complete")


def test_hand_overs_need_a_passport(pipeline: PipelineDesk) -> None:
    said = pipeline("start", "--entry", "1", **ON)
    assert (said.code, said.err.rpartition("try: ")[2]) == (5, "baton passport init\n")


# ---- one truth for two files ----


def _torn(joint: Joint, *keep: str) -> None:
    """Cut the log behind its last event of one of these kinds, as if the command had been killed there."""
    lines = joint.pipeline.log.read_text("utf-8").splitlines(keepends=True)
    while json.loads(lines[-1])["event"] not in keep:
        lines.pop()
    joint.pipeline.log.write_text("".join(lines), encoding="utf-8")


def test_killed_before_the_boundary(joint: Joint, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = joint.shelf.path.read_bytes()
    joint.pipeline.ok("complete")
    joint.shelf.path.write_bytes(ledger)
    monkeypatch.setattr("baton.edge.passport_file.Marks.check", lambda *_: ())
    _torn(joint, "finished")
    notes = joint.pipeline.status()["notes"]
    assert notes == ["the end of stage 1 was cut short: the next command completes it"]
    said = joint.pipeline("confirm")
    assert said.code == 3
    assert said.out.startswith("the end of stage 1, which was cut short, is completed\n")
    assert said.out.count("[PASSPORT-RESET: ") == 1
    assert joint.pipeline.events[-2:] == ["finished", "reached"]
    assert joint.kinds == ["boundary"]


def test_killed_between_the_boundary_and_its_checkpoint(joint: Joint) -> None:
    joint.pipeline.ok("complete")
    _torn(joint, "finished")
    assert joint.pipeline.status()["notes"] == [
        "the passport knows more than the log: the next command takes it in"
    ]
    out = joint.pipeline.ok("pause")
    assert out.startswith(
        "checkpoint behind stage 1 RESEARCH (FULL), version v1.0\npaused at stage 1"
    )
    assert joint.pipeline.events[-3:] == ["finished", "reached", "paused"]
    assert joint.kinds == ["boundary"]


def test_killed_between_the_resume_and_its_stage(joint: Joint) -> None:
    joint.pipeline.ok("complete")
    joint.done(YES)
    _torn(joint, "reached")
    out = joint.pipeline.ok("material", "Paper Draft", "draft.md")
    assert out.startswith("boundary ")
    assert "stage 2 WRITE begins in mode full\n" in out
    assert joint.kinds == ["boundary", "resume"]


def test_killed_at_both(joint: Joint) -> None:
    joint.pipeline.ok("complete")
    joint.done(YES)
    _torn(joint, "finished")
    joint.pipeline.ok("material", "Paper Draft", "draft.md")
    assert joint.pipeline.events[-4:] == ["finished", "reached", "taken", "recorded"]
    again = joint.pipeline.ok("status")
    assert "▸ 2   WRITE" in again


def test_a_resume_of_what_was_taken_completes_the_log(joint: Joint) -> None:
    joint.pipeline.ok("complete")
    hash_ = joint.hash
    joint.done(YES)
    _torn(joint, "reached")
    said = joint.shelf("resume", hash_, YES)
    assert said.code == 3
    assert "was consumed at" in said.err
    assert joint.pipeline.events[-1] == "taken"


def test_without_hand_overs_a_cut_end_is_completed_too(pipeline: PipelineDesk) -> None:
    pipeline.ok("start", "--entry", "1")
    pipeline.ok("complete")
    lines = pipeline.log.read_text("utf-8").splitlines(keepends=True)
    pipeline.log.write_text("".join(lines[:-1]), encoding="utf-8")
    assert pipeline.status()["notes"] == [
        "the end of stage 1 was cut short: the next command completes it"
    ]
    out = pipeline.ok("confirm")
    assert out.startswith(
        "the end of stage 1, which was cut short, is completed\ncheckpoint behind stage 1"
    )


def test_what_was_completed_is_said_beside_an_answer_for_scripts(pipeline: PipelineDesk) -> None:
    pipeline.ok("start", "--entry", "1")
    pipeline.ok("complete")
    lines = pipeline.log.read_text("utf-8").splitlines(keepends=True)
    pipeline.log.write_text("".join(lines[:-1]), encoding="utf-8")
    said = pipeline("decide", "minor", "--json")
    assert json.loads(said.out)["error"]["code"] == "illegal-transition"
    assert said.err.startswith("the end of stage 1, which was cut short, is completed\n")


def test_an_end_that_was_cut_short_before_a_pause_is_no_end_of_the_pause(
    pipeline: PipelineDesk,
) -> None:
    pipeline.ok("start", "--entry", "1")
    pipeline.ok("complete")
    lines = pipeline.log.read_text("utf-8").splitlines(keepends=True)
    pipeline.log.write_text("".join(lines[:-1]), encoding="utf-8")
    pipeline.ok("pause", "--every")
    assert pipeline.events[-2:] == ["finished", "paused"]
    out = pipeline.ok("resume")
    assert out.startswith("the end of stage 1, which was cut short, is completed\n")
    assert pipeline.status()["global"] == "awaiting_confirmation"


def test_a_boundary_that_another_process_left_meanwhile_is_taken_for_ours(
    joint: Joint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is looked for again under the ledger's own lock."""
    joint.pipeline.ok("complete")
    _torn(joint, "finished")
    monkeypatch.setattr("baton.cli.pipeline_handover._due", lambda *_: None)
    out = joint.pipeline.ok("pause")
    assert out.count("[PASSPORT-RESET: ") == 1
    assert joint.kinds == ["boundary"]
    assert joint.pipeline.events[-2:] == ["reached", "paused"]


def test_a_ledger_that_says_what_no_rule_allows(joint: Joint) -> None:
    """Written with no log at hand, it moves nothing: the checkpoint still waits for an answer."""
    joint.pipeline.ok("complete")
    hash_ = joint.hash
    log = joint.pipeline.log.read_bytes()
    joint.pipeline.log.unlink()
    assert joint.shelf("resume", hash_, YES, "--stage", "5").code == 0
    joint.pipeline.log.write_bytes(log)
    out = joint.pipeline.ok("confirm")
    assert (
        'it cannot lead to "5": the checkpoint of stage 1 RESEARCH still waits for an answer\n'
        in out
    )
    assert "stage 2 WRITE begins" in out


def test_a_passport_that_cannot_be_read_stops_what_it_must(joint: Joint) -> None:
    joint.pipeline.ok("complete")
    joint.shelf.path.write_text("reset_boundary: [\n", encoding="utf-8")
    notes = joint.pipeline.status()["notes"]
    assert isinstance(notes, list)
    [note] = notes
    assert str(note).startswith(f"the passport could not be looked at: {NAME}, line ")
    before = joint.pipeline.log.read_bytes()
    assert joint.pipeline("pause").code == 1
    assert joint.pipeline.log.read_bytes() == before


# ---- what is known beside a boundary ----


def test_a_newer_pass_stands_for_a_verification(joint: Joint) -> None:
    joint.pipeline.ok("complete")
    assert joint.take("--reverified").code == 4
    joint.pipeline.ok("abort")
    hash_ = joint.shelf("boundary", "--stage", "2", "--next", "3", "--json", **ON).out
    hash_ = json.loads(hash_)["hash"]
    bound = ("start", "--entry", "2.5", "--name", "check", "--passport", NAME)
    joint.pipeline.ok(*bound)
    joint.pipeline.ok("material", "Paper Draft", "draft.md", "--name", "check")
    joint.pipeline.ok("confirm", "--name", "check")
    joint.pipeline.checked("--name", "check")
    assert joint.shelf("resume", hash_, "--reverified").code == 0


def test_a_systematic_review_is_one_in_every_stage(pipeline: PipelineDesk, shelf: Shelf) -> None:
    """Though the boundary's own mode is another: nobody takes over from itself."""
    shelf.lay(top="verification_status: VERIFIED\n")
    pipeline.ok("start", "--entry", "1", "--mode", "systematic-review", **ON)
    env = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "sess-a"}
    pipeline.ok("complete", **env)
    hash_ = json.loads(shelf("awaiting", "--json").out)["awaiting"][0]["hash"]
    assert shelf.inside("resume", hash_, session="sess-a").code == 3
    assert shelf.inside("resume", hash_, "--proceed-unverified", session="sess-c").code == 4
    acts.submitted(shelf.state, "sess-c")
    assert shelf.inside("resume", hash_, "--proceed-unverified", session="sess-c").code == 0
    pipeline.material("Paper Draft", "draft.md")
    pipeline.ok("complete", **{**env, "CLAUDE_CODE_SESSION_ID": "sess-c"})
    hash_ = json.loads(shelf("awaiting", "--json").out)["awaiting"][0]["hash"]
    said = shelf.inside("resume", hash_, session="sess-c")
    assert "of a systematic review was emitted by this session" in said.err


def test_what_a_broken_log_says_is_said_to_be_unknown(joint: Joint) -> None:
    joint.pipeline.ok("complete")
    hash_ = joint.hash
    joint.pipeline.lay(".claude/pipelines/other.jsonl", "x\n")
    said = joint.shelf("inspect", hash_)
    assert said.code == 1
    assert f"baton: what the pipelines say of {NAME} could not be looked at: " in said.err
    before = joint.shelf.path.read_bytes()
    assert joint.shelf("resume", hash_, YES).code == 1
    assert joint.shelf.path.read_bytes() == before


def test_a_stage_is_unfinished_while_the_log_says_so(joint: Joint) -> None:
    def unfinished() -> list[str]:
        return [
            row["stage"] for row in json.loads(joint.shelf("awaiting", "--json").out)["unfinished"]
        ]

    joint.pipeline.ok("complete")
    joint.done(YES)
    assert unfinished() == ["2"]
    joint.pipeline.ok("abort")
    assert unfinished() == []


def test_the_acknowledgement_lists_what_was_recorded(joint: Joint) -> None:
    joint.pipeline.material("Bibliography", "draft.md")
    joint.pipeline.ok("complete")
    out = joint.done(YES)
    assert "- Artefact: Bibliography: draft.md (sha256 " in out


def test_a_label_of_its_own_counts_from_there(pipeline: PipelineDesk, shelf: Shelf) -> None:
    shelf.lay(top="version_label: paper_draft_v2\n")
    pipeline.ok("start", "--entry", "1", **ON)
    assert "version paper_draft_v2\n" in pipeline.ok("complete")


def test_many_pipelines_and_one_passport_of_another(joint: Joint, tmp_path: Path) -> None:
    joint.pipeline.ok("start", "--entry", "1", "--name", "free")
    joint.pipeline.ok("complete")
    assert "- Pipeline main: " in joint.done(YES)
