"""`baton pipeline` without hand-overs: whole runs through the command line, gates, and what it prints."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from baton.hot import acts
from commands import Said, refused, run_baton
from passports import Shelf
from pipelines import PipelineDesk

END = "; nothing was recorded"
CHECK = "baton pipeline integrity pass --report FILE --draft FILE"


def no(code: int, message: str, hint: str) -> Said:
    """A refusal by which nothing was recorded."""
    return refused(code, message + END, hint)


def kinds(desk: PipelineDesk, *wanted: str) -> list[str]:
    """The events of these kinds, in order."""
    return [kind for kind in desk.events if kind in wanted]


# ---- whole runs ----


def test_from_research_to_the_final_paper_with_one_major_revision(pipeline: PipelineDesk) -> None:
    pipeline.to_review()
    pipeline.reviewed()
    out = pipeline.ok("decide", "major")
    assert "checkpoint  FULL, MANDATORY · The review asks for a major revision. What now?" in out
    assert pipeline.ok("confirm").startswith(
        "stage 4 REVISE begins in mode revision\nAction: Hand over the Revision Roadmap.\n"
    )
    pipeline.material("Revised Draft", "revised.md")
    pipeline.ok("complete")
    pipeline.ok("confirm")
    pipeline.material("Re-Review Report", "rereview.md")
    pipeline.ok("decide", "major")
    pipeline.ok("choose", "revise")
    pipeline.material("Re-Revised Draft", "again.md")
    pipeline.ok("complete", "--unresolved", "one site only")
    pipeline.ok("confirm")
    pipeline.checked("--issues", "0")
    pipeline.ok("choose", "pdf")
    pipeline.material("Final Paper", "final.md")
    pipeline.ok("complete")
    out = pipeline.ok("confirm")
    assert out == "the pipeline is completed: the final paper is there\n"
    status = pipeline.status()
    assert status["global"] == "completed"
    assert (status["format"], status["limitations"]) == ("pdf", ["one site only"])
    stages = status["stages"]
    assert isinstance(stages, dict)
    assert {each["state"] for each in stages.values()} == {"completed"}
    assert pipeline("abort").code == 3
    assert kinds(pipeline, "reached", "confirmed", "chosen").count("reached") == 9


def test_rejected_restructured_and_accepted(pipeline: PipelineDesk) -> None:
    pipeline.to_review()
    pipeline.reviewed()
    pipeline.ok("decide", "reject")
    assert pipeline("confirm") == no(
        4,
        "The paper was rejected. What now? Offered: restructure, abort",
        "baton pipeline choose restructure|abort",
    )
    assert pipeline.ok("choose", "restructure").startswith(
        "chosen: restructure\nstage 2 WRITE begins in mode plan, attempt 2\n"
    )
    assert pipeline.status()["materials"] == {}
    pipeline.material("Paper Draft", "again.md")
    assert "version v1.1-revised" in pipeline.ok("complete")
    pipeline.ok("confirm")
    pipeline.checked()
    pipeline.ok("confirm")
    pipeline.ok("decide", "accept")
    assert pipeline.ok("confirm").startswith("stage 4.5 FINAL INTEGRITY begins")
    assert "· 5   FINALIZE        pending" in pipeline.ok("status")
    assert "– 4   REVISE          skipped" in pipeline.ok("status")


def test_a_paper_that_is_given_up(pipeline: PipelineDesk) -> None:
    pipeline.to_review()
    pipeline.ok("decide", "reject")
    out = pipeline.ok("choose", "abort")
    assert (
        out
        == "chosen: abort\nthe pipeline is aborted; everything that was made stays where it is\n"
    )
    assert pipeline("start", "--entry", "1") == no(
        3,
        "pipeline main is there already: it is aborted",
        "baton pipeline start --name NAME --entry S",
    )


# ---- gates ----


def test_a_word_passes_no_integrity_gate(pipeline: PipelineDesk) -> None:
    pipeline.to_integrity()
    before = pipeline.log.read_bytes()
    assert pipeline("complete") == no(
        3, "stage 2.5 ends with an integrity check that passes, not by a word", CHECK
    )
    assert pipeline("skip", "2.5").code == pipeline("confirm").code == 3
    assert pipeline("material", "Verified Paper Draft", "draft.md").code == 3
    assert pipeline.log.read_bytes() == before


def test_a_check_needs_its_report_and_its_draft(pipeline: PipelineDesk) -> None:
    pipeline.to_integrity()
    pipeline.lay("empty.md", "")
    command = ("integrity", "pass", "--draft", "draft.md", "--report")
    assert pipeline(*command, "empty.md") == no(
        4, "--report empty.md: the file is empty", "ls -l empty.md"
    )
    assert pipeline(*command, "none.md") == no(
        4, "--report none.md: there is no such file", "ls -l none.md"
    )
    assert pipeline(*command, "draft.md") == no(
        2, "--report and --draft name the same file", "baton pipeline integrity --help"
    )
    assert pipeline("integrity", "pass", "--draft", "draft.md").code == 2


def test_a_draft_that_changed_by_one_byte_after_its_pass_blocks_the_next_gate(
    pipeline: PipelineDesk,
) -> None:
    pipeline.to_integrity()
    pipeline.checked()
    pipeline.lay("draft.md", "draft!")
    void = no(3, "draft.md has changed since it passed stage 2.5: the check is STALE", CHECK)
    assert pipeline("confirm") == void
    assert pipeline("can", "2.5", "3") == Said(
        3, "no: draft.md has changed since it passed stage 2.5: the check is STALE\n", ""
    )
    stages = pipeline.status()["stages"]
    assert isinstance(stages, dict)
    assert (stages["2.5"]["state"], stages["2.5"]["verdict"]) == ("blocked", "STALE")
    assert "version v1.1-revised" in pipeline.checked()
    assert pipeline.ok("confirm").startswith("stage 3 REVIEW begins")


def test_three_rounds_and_the_choice(pipeline: PipelineDesk) -> None:
    pipeline.to_integrity()
    for left in (3, 2, 1):
        out = pipeline.checked("--issues", "2", verdict="fail")
        assert out.startswith(f"stage 2.5 INTEGRITY: FAIL; {left} round(s) of correction left\n")
    out = pipeline.checked("--item", "Smith 2019", verdict="fail")
    assert 'what cannot be verified: "Smith 2019"\n' in out
    again = ("integrity", "pass", "--report", "report.md", "--draft", "draft.md")
    assert pipeline(*again) == no(
        3,
        "stage 2.5 failed after 3 rounds of correction: a person must choose",
        "baton pipeline choose by-hand|remove-citations|go-on-unverified",
    )
    pipeline.ok("choose", "remove-citations")
    pipeline.checked(verdict="fail")
    pipeline.ok("choose", "go-on-unverified")
    assert "· UNVERIFIED" in pipeline.ok("status").splitlines()[0]


def test_required_materials_are_brought_or_go_at_a_persons_risk(pipeline: PipelineDesk) -> None:
    pipeline.ok("start", "--entry", "1")
    pipeline.ok("complete")
    pipeline.ok("confirm")
    assert pipeline("complete") == no(
        4,
        "stage 2.5 needs Paper Draft (stage 2 makes it) (or --accept-risk, a person's act)",
        "baton pipeline material 'Paper Draft' FILE",
    )
    out = pipeline.ok("complete", "--accept-risk")
    assert out.startswith("at your own risk, without Paper Draft\nstage 2 WRITE is complete\n")
    assert pipeline.status()["at_risk"] == ["Paper Draft"]


# ---- inside Claude Code ----


def test_inside_claude_only_a_person_passes_a_mandatory_gate(
    pipeline: PipelineDesk, shelf: Shelf
) -> None:
    pipeline.to_integrity()
    pipeline.checked()
    before = pipeline.log.read_bytes()
    asked = refused(
        4,
        "only a person may decide this; ask them, and wait for what they type: stage 2.5 is at its "
        "checkpoint; shall it go on with stage 3? Nothing was done.",
        "once they have said so: baton pipeline confirm",
    )
    assert pipeline.inside("confirm") == asked
    assert pipeline.inside("confirm") == asked
    assert pipeline.log.read_bytes() == before
    acts.submitted(shelf.state, "sess-b")
    assert pipeline.inside("confirm").out.startswith("stage 3 REVIEW begins")


def test_one_answer_serves_once_and_for_its_own_question(
    pipeline: PipelineDesk, shelf: Shelf
) -> None:
    pipeline.to_review()
    pipeline.reviewed()
    pipeline.ok("decide", "minor")
    assert pipeline.inside("choose", "revise").code == 4
    acts.submitted(shelf.state, "sess-b")
    said = pipeline.inside("choose", "abort")
    assert said.code == 4
    assert said.err.endswith("try: once they have said so: baton pipeline choose abort\n")
    assert pipeline.inside("choose", "revise").code == 0


def test_an_answer_of_an_earlier_checkpoint_is_none_at_this_one(
    pipeline: PipelineDesk, shelf: Shelf
) -> None:
    pipeline.to_integrity()
    pipeline.checked()
    assert pipeline.inside("confirm").code == 4
    pipeline.lay("draft.md", "changed")
    pipeline.checked()
    acts.submitted(shelf.state, "sess-b")
    assert pipeline.inside("confirm").code == 4


def test_ordinary_steps_need_nobody(pipeline: PipelineDesk) -> None:
    assert pipeline.inside("start", "--entry", "1").code == 0
    assert pipeline.inside("complete").code == 0
    assert pipeline.inside("confirm").code == 0


@pytest.mark.parametrize(
    ("args", "typed"),
    [
        (("skip", "1"), "skip 1"),
        (("abort", "no", "time"), "abort no time"),
        (("mode", "quick", "--yes"), "mode quick --yes"),
    ],
)
def test_what_is_a_persons(pipeline: PipelineDesk, args: tuple[str, ...], typed: str) -> None:
    pipeline.ok("start", "--entry", "1", "--mode", "full")
    pipeline.material("Bibliography", "draft.md")
    said = pipeline.inside(*args)
    assert said.code == 4
    assert said.err.endswith(f"try: once they have said so: baton pipeline {typed}\n")


def test_a_session_without_a_name_looks_and_pauses_but_moves_nothing(
    pipeline: PipelineDesk,
) -> None:
    pipeline.ok("start", "--entry", "1")
    for command in (("status",), ("list",), ("graph",), ("log",), ("pause", "--every")):
        assert pipeline(*command, CLAUDECODE="1", CLAUDE_CODE_SESSION_ID="").code == 0
    assert pipeline("resume", CLAUDECODE="1", CLAUDE_CODE_SESSION_ID="").code == 2


def test_a_switch_of_mode_that_asks_is_a_persons(pipeline: PipelineDesk) -> None:
    pipeline.ok("start", "--entry", "1", "--mode", "full")
    pipeline.ok("complete")
    switch = ("confirm", "--mode", "outline-only")
    said = pipeline.inside(*switch)
    assert (said.code, said.err.rpartition("try: ")[2]) == (4, "the same command with --yes\n")
    said = pipeline.inside(*switch, "--yes")
    assert said.code == 4
    assert said.err.endswith(
        "try: once they have said so: baton pipeline confirm --mode outline-only --yes\n"
    )


# ---- starting ----


@pytest.mark.parametrize(
    ("entry", "materials", "begins"),
    [
        ("2", ["Synthesis Report"], "stage 2 WRITE begins"),
        ("2.5", ["Paper Draft"], "stage 2.5 INTEGRITY begins in mode pre-review"),
        ("3", ["Verified Paper Draft", "Integrity Report (Pre)"], "stage 3 REVIEW begins"),
        ("4", ["Paper Draft", "review reports"], "stage 4 REVISE begins"),
        ("finalize", ["Revised Draft"], "stage 5 FINALIZE begins"),
    ],
)
def test_entries_in_the_middle(
    pipeline: PipelineDesk, entry: str, materials: list[str], begins: str
) -> None:
    out = pipeline.ok("start", "--entry", entry)
    assert "wanted: " in out
    assert pipeline("confirm").code == 4
    for name in materials:
        pipeline.material(name, "draft.md")
    assert pipeline.ok("confirm").startswith(begins)


def test_what_cannot_be_started(pipeline: PipelineDesk) -> None:
    assert pipeline("start", "--entry", "1", "--mode", "poetic") == no(
        3,
        "stage 1 has no such mode; it has full, quick, review, lit-review, three-way-scan, fact-check, "
        "socratic, systematic-review",
        "baton pipeline start --entry 1",
    )
    assert pipeline("start", "--entry", "4.5") == refused(
        2,
        "argument --entry: a pipeline begins with one of 1, 2, 2.5, 3, 4, 5; it is '4.5'",
        "baton pipeline start --help",
    )
    assert pipeline("start", "--entry", "9").code == 2
    assert pipeline("start", "--entry", "1", ARS_PASSPORT_RESET="yes") == no(
        2,
        "ARS_PASSPORT_RESET must be 0 or 1; it is 'yes'",
        "ARS_PASSPORT_RESET=1 baton pipeline start --entry 1",
    )
    assert pipeline("start", "--entry", "1", "--name", "../x").code == 2
    assert not (pipeline.root / ".claude").exists()


def test_a_start_that_was_killed_before_its_first_event(pipeline: PipelineDesk) -> None:
    pipeline.lay(".claude/pipelines/main.jsonl", "")
    unknown = no(
        2,
        "there is no pipeline main (.claude/pipelines/main.jsonl)",
        "baton pipeline start --name main --entry 1",
    )
    for command in ("complete", "status", "log"):
        assert pipeline(command) == unknown
    assert json.loads(pipeline.ok("list", "--json"))["pipelines"] == [
        {
            "name": "main",
            "problem": "pipeline main was never started: its log holds no event",
            "hint": "baton pipeline start --name main --entry 1",
        }
    ]
    pipeline.ok("start", "--entry", "1")


def test_a_name_that_was_never_started(pipeline: PipelineDesk) -> None:
    for command in ("complete", "status", "log"):
        assert pipeline(command).code == 2
    assert not (pipeline.root / ".claude").exists()


def test_several_papers(pipeline: PipelineDesk) -> None:
    pipeline.ok("start", "--entry", "1")
    assert "baton pipeline complete --name second" in pipeline.ok(
        "start", "--entry", "1", "--name", "second"
    )
    assert pipeline("confirm", "--name", "second").err.endswith(
        "try: baton pipeline status --name second\n"
    )
    pipeline.ok("pause", "--name", "second")
    assert pipeline.ok("list") == (
        "main: running · stage 1 RESEARCH in_progress\nsecond: paused · stage 1 RESEARCH in_progress\n"
    )


# ---- what is recorded ----


def test_materials(pipeline: PipelineDesk) -> None:
    pipeline.ok("start", "--entry", "1")
    assert pipeline.material("rq brief", "draft.md") == (
        "RQ Brief: 1 file(s) recorded: draft.md\n"
        "next: baton pipeline complete\nnext: baton pipeline skip 1 (a person)\n"
    )
    assert pipeline.material("RQ Brief", "draft.md").startswith("nothing to do: it is so already\n")
    assert pipeline("material", "RQ Brief", "draft.md", "./draft.md") == no(
        2, "RQ Brief: a file is named twice", "baton pipeline material NAME FILE…"
    )
    assert pipeline("material", "Poster", "draft.md").code == 2
    assert pipeline("material", "RQ Brief", "gone.md").code == 4


def test_pause_and_resume_say_what_changed_meanwhile(pipeline: PipelineDesk) -> None:
    pipeline.ok("start", "--entry", "1")
    pipeline.material("Bibliography", "draft.md")
    assert pipeline.ok("pause", "until", "Monday").startswith("paused at stage 1 RESEARCH\n")
    assert "because     until Monday" in pipeline.ok("status")
    (pipeline.root / "draft.md").unlink()
    out = pipeline.ok("resume")
    assert out.startswith("resumed at stage 1 RESEARCH\n\npipeline main · running\n")
    assert "changed     draft.md is gone (Bibliography)" in out


def test_pausing_every_one(pipeline: PipelineDesk) -> None:
    assert pipeline("pause", "--every") == Said(0, "no pipeline to pause\n", "")
    pipeline.ok("start", "--entry", "1")
    pipeline.ok("start", "--entry", "2", "--name", "second")
    pipeline.ok("start", "--entry", "1", "--name", "third")
    pipeline.ok("abort", "--name", "third")
    pipeline.lay(".claude/pipelines/empty.jsonl", "")
    pipeline.lay(".claude/pipelines/broken.jsonl", "x\n")
    said = pipeline("pause", "--every")
    assert said.code == 1
    assert said.out.startswith(
        "pipeline main: paused at stage 1\npipeline second: paused at stage 2\n"
        "pipeline broken is not paused: .claude/pipelines/broken.jsonl, line 1: "
    )
    data = json.loads(pipeline("pause", "--every", "--json").out)
    assert data["paused"] == [{"name": "main", "stage": "1"}, {"name": "second", "stage": "2"}]
    assert pipeline.events.count("paused") == 1


def test_stalled_switched_and_skipped(pipeline: PipelineDesk) -> None:
    pipeline.ok("start", "--entry", "1", "--mode", "socratic")
    out = pipeline.ok("stall", "15", "rounds")
    assert "next: baton pipeline choose switch-mode --mode M (a person)\n" in out
    pipeline.ok("choose", "switch-mode", "--mode", "full", "--yes")
    assert pipeline.ok("mode", "quick", "--yes").startswith(
        "stage 1 RESEARCH goes on in mode quick\n"
    )
    pipeline.material("Bibliography", "draft.md")
    assert pipeline.ok("skip").startswith("stage 1 RESEARCH is skipped\nstage 2 WRITE begins")


def test_a_mode_for_the_next_stage(pipeline: PipelineDesk) -> None:
    pipeline.ok("start", "--entry", "1")
    pipeline.ok("complete")
    assert pipeline.ok("confirm", "--mode", "outline-only", "--yes", "--accept-risk").startswith(
        "stage 2 WRITE begins in mode outline-only\n"
    )


# ---- looking ----


def test_the_log(pipeline: PipelineDesk) -> None:
    pipeline.ok("start", "--entry", "1")
    lines = pipeline.ok("log").splitlines()
    assert lines[0].startswith("  1  20")
    assert lines[0].endswith("Z  started   entry=1")
    rows = json.loads(pipeline.ok("log", "--json"))["events"]
    assert [(row["n"], row["event"]) for row in rows] == [(1, "started"), (2, "entered")]
    assert rows[0]["entry"] == "1"


def test_a_broken_log(pipeline: PipelineDesk) -> None:
    pipeline.ok("start", "--entry", "1")
    data = pipeline.log.read_bytes()
    pipeline.log.write_bytes(data.replace(b"entered", b"ENTERED"))
    for command in ("complete", "status", "log", "pause"):
        said = pipeline(command)
        assert said.code == 1
        assert said.err.startswith(
            "baton: .claude/pipelines/main.jsonl, line 2: the line was changed"
        )
    assert "line 2: the line was changed" in pipeline.ok("list")
    assert pipeline.log.read_bytes() == data.replace(b"entered", b"ENTERED")


def test_a_torn_last_line_is_recovered(pipeline: PipelineDesk) -> None:
    pipeline.ok("start", "--entry", "1")
    pipeline.ok("complete")
    data = pipeline.log.read_bytes()
    pipeline.log.write_bytes(data + data[:70])
    said = pipeline("confirm")
    assert (said.code, said.err) == (
        0,
        "baton: .claude/pipelines/main.jsonl: an event that was not written to its end is cut off\n",
    )
    assert pipeline.log.read_bytes().startswith(data)


def test_can_and_graph_need_no_pipeline(pipeline: PipelineDesk) -> None:
    assert pipeline("can", "write", "3") == Said(
        3, "no: stage 2.5 cannot be passed over: the integrity check is mandatory\n", ""
    )
    assert pipeline("can", "3p", "4p").code == 0
    assert pipeline("can", "init", "end").code == 3
    assert pipeline("can", "1", "nowhere").code == 2
    assert json.loads(pipeline("can", "1", "2", "--json").out) == {
        "from": "1",
        "to": "2",
        "can": True,
        "reason": "the person confirms; or 1 is skipped: the person has a bibliography of their own",
    }
    assert pipeline.ok("graph").startswith("flowchart TD\n")
    pipeline.ok("start", "--entry", "1")
    assert "class S1 working" in json.loads(pipeline.ok("graph", "--json"))["mermaid"]


def test_status_by_words(pipeline: PipelineDesk) -> None:
    """As the command file asks: the name comes from stdin, whatever it is."""
    pipeline.ok("start", "--entry", "1", "--name", "second")
    said = run_baton("pipeline", "status", "--words", cwd=pipeline.root, stdin=b"second\n")
    assert said.out.startswith("pipeline second · running\n")
    said = run_baton(
        "pipeline", "status", "--words", "--inline", cwd=pipeline.root, stdin=b"$(touch x)\n"
    )
    assert said.out.startswith("baton: a pipeline's name is letters")
    said = run_baton("pipeline", "status", "--words", cwd=pipeline.root)
    assert said.code == 2


def test_what_a_command_answers_as_data(pipeline: PipelineDesk) -> None:
    data = json.loads(pipeline.ok("start", "--entry", "1", "--json"))
    assert data["said"][0] == "the pipeline is set up to begin with stage 1 RESEARCH"
    assert (data["name"], data["global"], data["stages"]["1"]["state"]) == (
        "main",
        "running",
        "in_progress",
    )
    assert json.loads(pipeline.ok("status", "--json"))["notes"] == []


def test_a_folder_that_cannot_be_listed(
    pipeline: PipelineDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: object) -> list[str]:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("baton.cli.pipeline_bound.names", refuse)
    assert pipeline("list") == refused(
        5,
        "the pipelines cannot be listed: Permission denied; nothing was done",
        "ls -ld .claude/pipelines",
    )


def test_issues_are_a_number(pipeline: PipelineDesk) -> None:
    pipeline.to_integrity()
    said = pipeline(
        "integrity", "pass", "--report", "report.md", "--draft", "draft.md", "--issues", "-1"
    )
    assert said.code == 2
    assert "must be a number from 0; it is '-1'" in said.err


def test_a_passport_is_only_remembered_where_nothing_is_handed_over(
    pipeline: PipelineDesk, shelf: Shelf
) -> None:
    """With the flag never set not a byte of it differs, nor of what is printed."""
    shelf.lay()
    before = (shelf.path.read_bytes(), shelf.path.stat().st_mtime_ns)
    with_passport = []
    for extra in ([], ["--passport", "passports/paper.yaml"]):
        name = f"p{len(extra)}"
        out = [pipeline.ok("start", "--entry", "1", "--name", name, *extra)]
        out += [
            pipeline.ok(command, "--name", name) for command in ("complete", "confirm", "status")
        ]
        with_passport.append("".join(out).replace(name, "X"))
    assert with_passport[0] == with_passport[1]
    assert (shelf.path.read_bytes(), shelf.path.stat().st_mtime_ns) == before
    assert Path(pipeline.root / ".claude/pipelines/p2.jsonl").exists()
