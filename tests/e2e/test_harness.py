"""The harness itself, proved on the real Claude Code; some facts that baton stands on with it."""

from __future__ import annotations

import json
import socket
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from facts import alive

from .claude import ALLOW_ALL, run_print, start_print
from .conftest import MakeHome, OpenScreen
from .model_server import (
    Delay,
    Drop,
    Error,
    Hang,
    ModelServer,
    Request,
    Text,
    ToolCall,
    Turn,
    overloaded,
    usage_limit,
)
from .screen import Screen

PAUSE = """\
---
name: pause
description: A command of the throw-away plugin
allowed-tools: Bash(relay:*)
---
The pause command says:

```!
relay pause <<'RELAY_7f3a91'
$ARGUMENTS
RELAY_7f3a91
```
"""
HOOK = """\
import json, os, sys
event = json.load(sys.stdin)
name = event["hook_event_name"]
with open(os.path.join(os.environ["HOME"], "hooks.jsonl"), "a") as log:
    log.write(json.dumps(event) + "\\n")
reply = {"systemMessage": "first line of " + name + "\\nsecond line"}
if name != "Stop":
    reply["hookSpecificOutput"] = {"hookEventName": name, "additionalContext": "context of " + name}
print(json.dumps(reply))
"""


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    """A plugin `relay`: hooks that speak, the command /pause, and a program `relay` that echoes."""
    folder = tmp_path / "relay plugin"
    manifest = {"name": "relay", "version": "0.0.1", "description": "d", "author": {"name": "a"}}
    events = {"SessionStart": "*", "UserPromptExpansion": "^relay:pause$", "Stop": "*"}
    entry = {"command": "python3", "args": ["${CLAUDE_PLUGIN_ROOT}/hooks/hook.py"], "timeout": 10}
    hooks = {
        event: [{"matcher": matcher, "hooks": [{"type": "command", **entry}]}]
        for event, matcher in events.items()
    }
    write(folder / ".claude-plugin/plugin.json", json.dumps(manifest))
    write(folder / "hooks/hooks.json", json.dumps({"hooks": hooks}))
    write(folder / "hooks/hook.py", HOOK)
    write(folder / "commands/pause.md", PAUSE)
    write(folder / "bin/relay", '#!/bin/sh\necho "relay $* was told: $(cat)"\n').chmod(0o755)
    return folder


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def fired(home: Path) -> list[str]:
    """The names of the events that reached the plugin's hooks."""
    lines = (home / "hooks.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["hook_event_name"] for line in lines]


def ask(model: ModelServer, path: str, body: dict[str, Any] | None = None) -> tuple[int, Any]:
    """One request without Claude Code: status and parsed body."""
    data = None if body is None else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(
            urllib.request.Request(model.url + path, data), timeout=60
        ) as got:
            return got.status, json.load(got)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


class TestServer:
    def test_answers_without_stream(self, model: ModelServer) -> None:
        model.play([Turn(Text("I look."), ToolCall("Bash", {"command": "ls"}))])
        status, body = ask(model, "/v1/messages", {"model": "m", "tools": [{"name": "Bash"}]})
        assert status == 200
        assert body["stop_reason"] == "tool_use"
        assert [block["type"] for block in body["content"]] == ["text", "tool_use"]
        assert body["content"][1]["input"] == {"command": "ls"}

    def test_counts_tokens_and_knows_nothing_else(self, model: ModelServer) -> None:
        assert ask(model, "/v1/messages/count_tokens", {}) == (200, {"input_tokens": 10})
        assert ask(model, "/api/anything", {}) == (200, {})
        assert ask(model, "/favicon.ico")[0] == 404
        assert [request.kind for request in model.requests] == ["other"] * 3

    def test_a_fault_of_the_script_is_kept(self) -> None:
        def broken(request: Request) -> Text:
            raise KeyError("a slip")

        with ModelServer(broken) as model:
            status, _ = ask(model, "/v1/messages", {"tools": [{"name": "Bash"}]})
        assert status == 500
        assert "a slip" in model.faults[0]

    def test_what_a_dead_client_asked_takes_no_reply(self, model: ModelServer) -> None:
        """Its request is read when the next script is in place already."""
        model.play([Text("For the living.")])
        with model._changed:
            with socket.create_connection(("127.0.0.1", model._door.port)) as dead:
                dead.sendall(
                    b'POST /v1/messages HTTP/1.1\r\nContent-Length: 24\r\n\r\n{"tools":[{"name":"B"}]}'
                )
            # Time for a server that does not look to be found out.
            time.sleep(0.2)
        status, body = ask(model, "/v1/messages", {"tools": [{"name": "Bash"}]})
        assert (status, body["content"][0]["text"]) == (200, "For the living.")
        assert len(model.main()) == 1

    def test_closing_ends_what_hangs(self, project: Path, claude_home: MakeHome) -> None:
        with ModelServer(default=Hang()) as model:
            running = start_print(project, "Hello", home=claude_home("one"), server=model)
            model.wait_for_main()
            before = time.monotonic()
        assert time.monotonic() - before < 20
        assert running.kill().returncode == -9


class TestPrint:
    def test_text_turn(self, project: Path, claude_home: MakeHome, model: ModelServer) -> None:
        model.play([Text("Good morning.")])
        home = claude_home("one")
        done = run_print(project, "Say something", home=home, server=model)
        assert (done.returncode, done.result, done.stderr) == (0, "Good morning.", "")
        request = model.last()
        assert request.user_text() == "Say something"
        assert request.key == home.key
        assert request.session == done.of_type("system", "init")[0]["session_id"]
        assert str(project) in request.role_text("system")
        assert [request.kind for request in model.requests] == ["main"]

    def test_plain_output(self, project: Path, claude_home: MakeHome, model: ModelServer) -> None:
        done = run_print(project, "Hi", home=claude_home("one"), server=model, stream=False)
        assert (done.returncode, done.stdout, done.result) == (0, "Done.\n", "Done.\n")

    def test_tool_call_comes_back(
        self,
        project: Path,
        claude_home: MakeHome,
        model: ModelServer,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setenv("LEAKS", "leaked")
        command = 'echo "home=$HOME leak=$LEAKS"; git config user.name; python3 -c "print(6*7)"'
        model.play([Turn(Text("I look."), ToolCall("Bash", {"command": command})), Text("Seen.")])
        home = claude_home("one")
        done = run_print(project, "Look", home=home, server=model, extra_args=ALLOW_ALL)
        assert done.result == "Seen."
        (result,) = model.last().tool_results()
        assert not result.failed
        assert result.text == f"home={home.root} leak=\nTest Person\n42"

    @pytest.mark.parametrize(
        ("reply", "words"),
        [(usage_limit("Limit reached until 5pm."), "Limit reached until 5pm."), (overloaded(), "")],
        ids=["429", "529"],
    )
    def test_error_without_retry(
        self,
        project: Path,
        claude_home: MakeHome,
        model: ModelServer,
        reply: Error,
        words: str,
    ) -> None:
        model.default = reply
        done = run_print(project, "Hi", home=claude_home("one"), server=model)
        assert done.returncode == 1
        assert str(reply.status) in done.result
        assert words in done.result
        assert len(model.main()) == 1

    def test_dropped_connection_is_asked_again(
        self, project: Path, claude_home: MakeHome, model: ModelServer
    ) -> None:
        model.play([Drop(), Delay(0.1, Text("Whole."))])
        done = run_print(project, "Hi", home=claude_home("one"), server=model)
        assert (done.returncode, done.result) == (0, "Whole.")
        assert [request.user_text() for request in model.main()] == ["Hi", "Hi"]

    def test_subagent_is_told_apart(
        self, project: Path, claude_home: MakeHome, model: ModelServer
    ) -> None:
        def script(request: Request) -> Text | ToolCall:
            if request.kind == "agent":
                return Text(f"agent saw: {request.user_text()}")
            if request.tool_results():
                return Text("The agent is back.")
            return ToolCall("Agent", {"description": "d", "prompt": "Count", **foreground})

        foreground = {"subagent_type": "claude", "run_in_background": False}
        model.play(script)
        done = run_print(
            project, "Ask", home=claude_home("one"), server=model, extra_args=ALLOW_ALL
        )
        assert done.result == "The agent is back."
        assert [request.kind for request in model.requests] == ["main", "agent", "main"]
        assert "agent saw: Count" in model.last().tool_results()[0].text

    def test_bare_command(
        self, project: Path, claude_home: MakeHome, model: ModelServer, plugin: Path
    ) -> None:
        words = 'it\'s $(touch x) "; touch y; "'
        home = claude_home("one")
        run_print(project, f"/pause {words}", home=home, server=model, plugin_dirs=[plugin])
        assert f"relay pause was told: {words}" in model.last().user_text()
        assert "context of UserPromptExpansion" in model.last().role_text("system")
        assert fired(home.root) == ["SessionStart", "UserPromptExpansion", "Stop"]
        assert sorted(path.name for path in project.iterdir()) == [".git", "README.md"]


class TestScreen:
    def test_hooks_speak_to_person_and_model(
        self,
        claude_home: MakeHome,
        model: ModelServer,
        screen: OpenScreen,
        plugin: Path,
    ) -> None:
        home = claude_home("one")
        shown = screen(home, plugin_dirs=[plugin])
        shown.wait_for(r"SessionStart:startup says: first line of SessionStart\n {5}second line\n")
        model.play([Text("A reply.")])
        shown.submit("A question")
        shown.wait_for(r"A reply\.\n {2}⎿ {2}Stop says: first line of Stop\n {5}second line\n")
        assert model.last().user_text() == "A question"
        assert "context of SessionStart" in model.last().role_text("system")
        assert "first line of SessionStart" not in model.last().all_text()
        assert fired(home.root) == ["SessionStart", "Stop"]

    def test_bare_command_at_a_limit(
        self, claude_home: MakeHome, model: ModelServer, screen: OpenScreen, plugin: Path
    ) -> None:
        model.default = Error(429, "rate_limit_error", "Come back at 5pm.")
        shown = screen(claude_home("one"), plugin_dirs=[plugin])
        shown.submit("/pause")
        shown.wait_for("UserPromptExpansion says: first line of UserPromptExpansion")
        shown.wait_for(r"retrying in \d+s")
        assert "relay pause was told:" in model.wait_for_main(2).user_text()

    def test_kill_and_another_account(
        self, claude_home: MakeHome, model: ModelServer, screen: OpenScreen
    ) -> None:
        model.default = Hang(text="I begin.")
        first, second = claude_home("one"), claude_home("two")
        shown = screen(first)
        shown.submit("Begin")
        model.wait_for_main()
        shown.wait_for("esc to interrupt")
        assert shown.pid in first.processes()
        shown.kill()
        assert shown.pid not in first.processes()
        model.default = Text("I go on.")
        again = screen(second, size=(100, 30))
        again.submit("Go on")
        again.wait_for(r"I go on\.")
        assert [request.key for request in model.main()] == [first.key, second.key]
        assert model.main()[0].session != model.main()[1].session

    def test_side_requests_are_told_apart(
        self, claude_home: MakeHome, model: ModelServer, screen: OpenScreen
    ) -> None:
        home = claude_home("one")
        home.extra["CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC"] = None
        model.play([Text("Once."), Text("Twice.")])
        shown = screen(home)
        shown.submit("Please say the first thing for me now")
        shown.wait_for(r"Once\.")
        shown.submit("/compact")
        shown.wait_for("Compacted")
        shown.submit("And again")
        shown.wait_for(r"Twice\.")
        kinds = [request.kind for request in model.requests if request.kind != "other"]
        assert kinds.count("main") == 2
        assert kinds.count("compact") == 1
        assert "side" in kinds

    def test_paste_of_several_lines(
        self, claude_home: MakeHome, model: ModelServer, screen: OpenScreen
    ) -> None:
        shown = screen(claude_home("one"))
        shown.wait_ready()
        shown.paste("line one\nline two")
        shown.wait_for("line two")
        shown.keys("Enter")
        shown.wait_for(r"Done\.")
        assert model.last().user_text() == "line one\nline two"


class TestTerminal:
    """Screen with programs other than Claude Code."""

    def test_failure_shows_the_screen(self, tmp_path: Path) -> None:
        shown = Screen(["sh", "-c", "echo what stands here; cat"], cwd=tmp_path, environment={})
        try:
            shown.wait_for("stands here")
            with pytest.raises(AssertionError, match=r"'absent' did not come in 0.2 s; the screen"):
                shown.wait_for("absent", 0.2)
            with pytest.raises(AssertionError, match="what stands here"):
                shown.wait_gone("stands", 0.2)
        finally:
            shown.close()

    @pytest.mark.parametrize(
        ("script", "status"),
        [("exit 7", 7), ("kill -9 $$", -9)],
        ids=["status", "signal"],
    )
    def test_exit(self, tmp_path: Path, script: str, status: int) -> None:
        shown = Screen(["sh", "-c", script], cwd=tmp_path, environment={"PATH": "/bin"})
        try:
            assert shown.wait_exit() == status
        finally:
            shown.close()

    def test_closing_ends_the_stubborn_and_no_other(self, tmp_path: Path) -> None:
        other = subprocess.Popen(["sleep", "600"])
        shown = Screen(
            ["sh", "-c", "trap '' HUP; echo up; while :; do sleep 0.1; done"],
            cwd=tmp_path,
            environment={"PATH": "/usr/bin:/bin"},
        )
        try:
            shown.wait_for("up")
            shown.close(grace=0.5)
            assert not alive(shown.pid)
            assert other.poll() is None
        finally:
            shown.close()
            other.kill()
            other.wait()
