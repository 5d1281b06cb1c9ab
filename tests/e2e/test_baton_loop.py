"""baton's main job in the real Claude Code: a session dies, the next one goes on.

Asserted is what the model server received and what stands on disk and screen.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from baton.core.chain.edit import empty
from baton.core.chain.render import render
from baton.hot.notice import NEVER_USED, STANDING_WORD
from facts import until
from support import git

from .claude import ALLOW_ALL, binary, run_print
from .conftest import MakeHome, OpenScreen
from .model_server import (
    Hang,
    ModelServer,
    Reply,
    Request,
    Text,
    usage_limit,
)
from .session import CHAIN, bash, begin_chain, has_stopped, snapshot


def test_the_standing_word_reaches_the_model(
    project: Path, claude_home: MakeHome, model: ModelServer, plugin: Path, screen: OpenScreen
) -> None:
    """One line where baton was never used, the whole of it where it was; and a fresh project stays as it is."""
    terminal = screen(claude_home("one"), plugin_dirs=[plugin])
    terminal.submit("hello")
    terminal.wait_for("Done.")
    assert NEVER_USED in model.last().role_text("system")
    assert not (project / ".claude").exists()
    assert not (project / ".git/baton").exists()
    (project / ".claude").mkdir()
    (project / CHAIN).write_bytes(render(empty("en")))
    terminal.submit("/clear")
    terminal.submit("hello again")
    model.wait_for_main(2)
    assert STANDING_WORD in model.last().role_text("system")


def test_a_stop_commits_the_state_files_and_nothing_else(
    work: Path, claude_home: MakeHome, model: ModelServer, plugin: Path
) -> None:
    before = git("rev-parse", "HEAD", cwd=work).strip()
    begin_chain(work, claude_home("one"), model, plugin)
    assert git("log", "--format=%s", f"{before}..HEAD", cwd=work).startswith("wal: flush 20")
    assert git("rev-list", "--count", f"{before}..HEAD", cwd=work).strip() == "1"
    assert git("show", "--format=", "--name-only", "HEAD", cwd=work).split() == [CHAIN]
    assert git("status", "--porcelain", cwd=work).splitlines() == [
        "A  grammar.txt",
        "?? parser.py",
        "?? prove.sh",
    ]


def obedient(model: ModelServer) -> list[str]:
    """A script that does nothing unasked: it runs what the report lists under TO RUN, then stops."""
    ran: list[str] = []

    def answer(request: Request) -> Reply:
        listed = re.search(r"^TO RUN.*\n((?:  .+\n)+)", request.role_text("user"), re.MULTILINE)
        commands = [line.strip() for line in listed[1].splitlines()] if listed else []
        left = [re.sub(r"^item \d+ \[.\]: ", "", line) for line in commands]
        left = [command.split("   (done when")[0] for command in left if command not in ran]
        if left:
            ran.append(left[0])
            return bash(left[0])
        return Text("I did what was listed.")

    model.play(answer)
    return ran


def test_killed_in_mid_turn_then_carried_on_by_another_account(
    work: Path, claude_home: MakeHome, model: ModelServer, plugin: Path, screen: OpenScreen
) -> None:
    one, two = claude_home("one"), claude_home("two")
    begin_chain(work, one, model, plugin)
    model.play([bash("baton wal next 'run prove.sh, then announce it'"), Hang(120)])
    first = screen(one, plugin_dirs=[plugin], extra_args=ALLOW_ALL)
    first.submit("go on")
    asked, called = model.wait_for_main(3), model.wait_for_main(4)
    assert asked.key == called.key == one.key
    first.kill()
    (work / "parser.py").write_text("print('number')\n", encoding="utf-8")

    model.play([Text("Something waits.")])
    second = screen(two, plugin_dirs=[plugin], extra_args=ALLOW_ALL)
    second.wait_for(r"SessionStart:startup says: Unfinished work: 1/3 done")
    shown = second.text()
    assert "Ship the parser" in shown
    assert re.search(r"on disk since \d\d:\d\d, newer than the flush at \d\d:\d\d", shown)
    assert "type /tiep to go on" in shown
    second.submit("hello")
    second.wait_for("Something waits.")
    received = model.last()
    assert received.key == two.key
    context = received.role_text("system")
    assert '- next: "run prove.sh, then announce it"' in context
    assert "wait for their choice" in context

    ran = obedient(model)
    second.submit("/tiep")
    second.wait_for(r"UserPromptExpansion says: Unfinished work: 1/3 done")
    second.wait_for("I did what was listed.")
    assert 'next: "run prove.sh, then announce it"' in second.text(history=True)
    report = model.last().role_text("user")
    assert "MISMATCH" in report
    assert "correct it: baton wal mark 2 done" in report
    assert "AGREES\n  item 1 [x]: ls grammar.txt → exit 0" in report
    assert ran == ["sh prove.sh"]
    assert "proved" in [result.text for result in model.last().tool_results()]


def test_pause_keeps_chain_and_words_while_the_model_cannot_be_reached(
    work: Path, claude_home: MakeHome, model: ModelServer, plugin: Path, screen: OpenScreen
) -> None:
    home = claude_home("one")
    begin_chain(work, home, model, plugin)
    model.play(lambda _: usage_limit())
    terminal = screen(home, plugin_dirs=[plugin])
    terminal.submit("/pause it's $(touch x); half done")
    terminal.wait_for(r"UserPromptExpansion says: ⏸ Safe to leave · 1/3 done")
    terminal.wait_for(r"kept: committed on main \([0-9a-f]{8}\), nothing pushed")
    body = git("log", "-1", "--format=%s%n%n%b", cwd=work).strip()
    assert body == "wal: pause\n\nit's $(touch x); half done"
    assert not (work / "x").exists()
    terminal.wait_for(r"usage limit|429")


def test_a_one_shot_run_changes_nothing(
    work: Path, claude_home: MakeHome, model: ModelServer, plugin: Path
) -> None:
    begin_chain(work, claude_home("one"), model, plugin)
    before = snapshot(work)
    model.play([Text("4")])
    done = run_print(
        work, "what is 2+2?", home=claude_home("two"), server=model, plugin_dirs=[plugin]
    )
    assert done.result == "4"
    assert snapshot(work) == before
    context = model.last().role_text("system")
    assert "there is unfinished work in this project's chain; leave it alone" in context
    assert "Ship the parser" not in context


def test_the_plugin_validates(plugin: Path, claude_home: MakeHome, model: ModelServer) -> None:
    done = subprocess.run(
        [str(binary()), "plugin", "validate", "--strict", "--profile", "directory", str(plugin)],
        env=claude_home("one").environment(model),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_what_a_person_reads_fits_eighty_columns(
    work: Path, claude_home: MakeHome, model: ModelServer, plugin: Path, screen: OpenScreen
) -> None:
    """Whole lines of the notice and of /pause, as they stand on the screen."""
    home = claude_home("one")
    begin_chain(work, home, model, plugin)
    terminal = screen(home, plugin_dirs=[plugin])
    terminal.wait_for("type /tiep")
    notice = _lines_after(terminal.text(), "SessionStart:startup says:")
    assert [re.sub(r"\d\d:\d\d", "HH:MM", line) for line in notice] == [
        "⎿  SessionStart:startup says: Unfinished work: 1/3 done · HH:MM",
        'goal: "Ship the parser"',
        "type /tiep to go on, or just begin something else",
    ]
    terminal.submit("/pause")
    terminal.wait_for("Done.")
    pause = _lines_after(terminal.text(), "UserPromptExpansion says:")
    assert re.sub(r"[0-9a-f]{8}|HH:MM", "ID", "\n".join(pause[:4])) == "\n".join(
        [
            "⎿  UserPromptExpansion says: ⏸ Safe to leave · 1/3 done",
            "goal: Ship the parser",
            "in progress: parser handles numbers",
            "already kept (branch main), nothing pushed",
        ]
    )


def _lines_after(text: str, mark: str) -> list[str]:
    lines = [line.strip() for line in text.splitlines()]
    start = next(number for number, line in enumerate(lines) if mark in line)
    return [line for line in lines[start:] if line][: lines[start:].index("") or None]


def test_commands_answer_under_their_full_names_too(
    work: Path, claude_home: MakeHome, model: ModelServer, plugin: Path
) -> None:
    begin_chain(work, claude_home("one"), model, plugin)
    run_print(work, "/baton:tiep", home=claude_home("two"), server=model, plugin_dirs=[plugin])
    assert "NEXT, once the checks agree" in model.last().role_text("user")


def test_only_a_person_has_the_chains_commands_run(
    work: Path, claude_home: MakeHome, model: ModelServer, plugin: Path
) -> None:
    """A scripted model that asks for it by itself is refused; typed /tiep run is a person's act, once."""
    home = claude_home("one")
    begin_chain(work, home, model, plugin)
    (work / "prove.sh").write_text("touch ran; echo proved\n", encoding="utf-8")
    model.play([bash("baton tiep --run"), Text("Refused.")])
    run_print(work, "go on", home=home, server=model, plugin_dirs=[plugin], extra_args=ALLOW_ALL)
    assert "only a person may have these commands run" in model.last().tool_results()[0].text
    assert not (work / "ran").exists()
    model.play([bash("rm ran; baton tiep --run"), Text("Refused.")])
    run_print(
        work, "/tiep run", home=home, server=model, plugin_dirs=[plugin], extra_args=ALLOW_ALL
    )
    assert 'sh prove.sh → exit 0, "proved"' in model.main()[-2].role_text("user")
    assert "only a person may have these commands run" in model.last().tool_results()[0].text
    assert not (work / "ran").exists()


def test_a_quiet_turn_leaves_no_commit(
    work: Path, claude_home: MakeHome, model: ModelServer, plugin: Path, screen: OpenScreen
) -> None:
    begin_chain(work, claude_home("one"), model, plugin)
    head = git("rev-parse", "HEAD", cwd=work)
    model.play([Text("Turn one."), Text("Turn two.")])
    terminal = screen(claude_home("two"), plugin_dirs=[plugin])
    for turn in ("one", "two"):
        stopped = has_stopped(work)
        terminal.submit(turn)
        terminal.wait_for(f"Turn {turn}.")
        assert until(stopped), terminal.text()
        terminal.wait_gone("esc to interrupt")
    assert git("rev-parse", "HEAD", cwd=work) == head
    assert "Stop says" not in terminal.text(history=True)


def test_a_usage_limit_is_named_to_the_next_session_and_forgotten_after_a_good_turn(
    work: Path, claude_home: MakeHome, model: ModelServer, plugin: Path, screen: OpenScreen
) -> None:
    begin_chain(work, claude_home("one"), model, plugin)
    model.play(lambda _: usage_limit())
    limited = screen(claude_home("two"), plugin_dirs=[plugin])
    limited.submit("hello")
    limited.wait_for("usage limit|429")
    note = work / ".git/baton/death"
    assert until(note.exists), limited.text()
    limited.kill()

    model.play([Text("Fine.")])
    after = screen(claude_home("three"), plugin_dirs=[plugin])
    after.wait_for(r"the last session stopped: a usage limit at \d\d:\d\d")
    after.submit("hello")
    after.wait_for("Fine.")
    assert until(lambda: not note.exists()), after.text()
