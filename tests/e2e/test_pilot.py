"""The pilot: the four trials that the session-continuity protocol asks for before a hook may run
unattended, one after the other in one repository, in the real Claude Code.

Kill in mid-chain, another account, the hook firing in a new session, the closing squash rehearsed.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from facts import until
from support import ROOT, git

from .claude import ALLOW_ALL, Home
from .conftest import MakeHome, OpenScreen
from .model_server import Hang, ModelServer, Text
from .session import CHAIN, bash, begin_chain


def subjects(project: Path) -> list[str]:
    """Give the commits' subjects, newest first, without their times."""
    told = git("log", "--format=%s", cwd=project).splitlines()
    return ["wal: flush" if line.startswith("wal: flush ") else line for line in told]


def close(project: Path, home: Home, model: ModelServer, *words: str) -> dict[str, object]:
    """Run `baton close --json` at a terminal of this account's."""
    done = subprocess.run(
        [str(ROOT / "bin/baton"), "close", "--json", *words],
        cwd=project,
        env=home.environment(model),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    answer: dict[str, object] = json.loads(done.stdout)
    return answer


def test_the_pilot(
    work: Path, claude_home: MakeHome, model: ModelServer, plugin: Path, screen: OpenScreen
) -> None:
    one, two = claude_home("one"), claude_home("two")
    begun = git("rev-parse", "HEAD", cwd=work).strip()
    begin_chain(work, one, model, plugin)
    assert subjects(work)[0] == "wal: flush"

    # Killed in mid-chain: what was written down is on disk, though no hook ran.
    model.play([bash("baton wal next 'run prove.sh, then announce it'"), Hang(120)])
    first = screen(one, plugin_dirs=[plugin], extra_args=ALLOW_ALL)
    first.submit("go on")
    model.wait_for_main(4)
    first.kill()
    assert "next: run prove.sh, then announce it" in (work / CHAIN).read_text(encoding="utf-8")

    # Another account: told on the screen, and the way back works.
    (work / "parser.py").write_text("print('number')\n", encoding="utf-8")
    second = screen(two, plugin_dirs=[plugin], extra_args=ALLOW_ALL)
    second.wait_for(r"SessionStart:startup says: Unfinished work: 1/3 done")
    model.play(
        [
            bash("baton wal mark 2 done"),
            bash("sh prove.sh"),
            bash("baton wal mark 3 done --evidence 'ls README.md'"),
            Text("All three are done."),
        ]
    )
    second.submit("/tiep")
    second.wait_for("All three are done")
    assert "MISMATCH" in model.main()[-4].role_text("user")

    # The hook fires in the new session, too.
    assert until(lambda: subjects(work)[:2] == ["wal: flush", "wal: flush"])
    second.close()
    assert git("show", f"HEAD:{CHAIN}", cwd=work) == (work / CHAIN).read_text(encoding="utf-8")

    # The squash, rehearsed: named commit by commit, and nothing moves.
    before = git("rev-parse", "HEAD", cwd=work), git("status", "--porcelain", cwd=work)
    told = close(work, two, model, "--dry-run")
    assert (told["trailing"], told["base"], told["refused"]) == (
        len(subjects(work)) - 1,
        begun,
        None,
    )
    assert (git("rev-parse", "HEAD", cwd=work), git("status", "--porcelain", cwd=work)) == before
