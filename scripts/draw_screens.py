#!/usr/bin/env python3
"""Draws docs/tiep.svg: what a person sees when a new session finds the work of one that died; and
docs/pipeline.svg: the dashboard of a research pipeline in mid-course.

For the first the real Claude Code runs in a terminal of its own, with an empty home and the scripted
model server of the end-to-end tests: what the model says is written here; everything else is the
program's and baton's. Times of day become 14:03, so that the same screen is drawn again as the same
bytes. The second is what `baton pipeline status` prints.

    python scripts/draw_screens.py           draw them (needs tmux and what tests/e2e/fetch.py fetches)
    python scripts/draw_screens.py --check   say whether one would be drawn otherwise; exit 1 then
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from difflib import unified_diff
from html import escape
from pathlib import Path
from unicodedata import east_asian_width

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "scripts")]

from e2e.claude import Home, open_screen, run_print  # noqa: E402
from e2e.model_server import ModelServer  # noqa: E402
from e2e.replies import Text, ToolCall, Turn  # noqa: E402
from passports import give_packages  # noqa: E402
from support import git  # noqa: E402

TIEP, PIPELINE = ROOT / "docs/tiep.svg", ROOT / "docs/pipeline.svg"
COLUMNS, LINES = 80, 50
NOW = "14:03"

# ---- the story ----

START = (
    "baton wal start 'Ship the parser'"
    " --item '[x] grammar written — ls grammar.txt'"
    " --item '[!] parser handles numbers — grep -c number parser.py'"
    " --item 'announce it'"
    " --next 'write NEWS.md'"
    " --verify 'grep -c number parser.py  # expect >= 1'"
    " --verify 'sh prove.sh'"
)
CORRECTED = (
    "The parser handles numbers already; the chain did not know it yet. Corrected. Now the proof."
)
DONE = "Proved. Two of three steps are done; what is left is NEWS.md. I am writing it now."


def screen() -> str:
    """Let a session die, open the next one, type /tiep; give the screen with its escape sequences."""
    with tempfile.TemporaryDirectory(prefix="baton-draw-") as folder, ModelServer() as model:
        home = Home.create(Path(folder) / "home")
        project = _project(home)
        model.play([_bash(START), Text("The chain stands.")])
        run_print(project, "begin", home=home, server=model, plugin_dirs=[ROOT])
        # It went on, and died before the turn's end.
        (project / "parser.py").write_text('print("number")\n', encoding="utf-8")
        try:
            return _next_session(project, home, model)
        finally:
            home.kill_processes()


def _project(home: Home) -> Path:
    project = home.root / "parser"
    project.mkdir()
    (project / "grammar.txt").write_text("number = digit+\n", encoding="utf-8")
    (project / "prove.sh").write_text("python3 parser.py\n", encoding="utf-8")
    for words in ("init --quiet --initial-branch=main", "config user.name Ada",
                  "config user.email ada@example.org", "add .", "commit --quiet --message begin"):  # fmt: skip
        git(*words.split(), cwd=project)
    home.trust(project)
    line = {"type": "command", "command": f"'{ROOT}/bin/baton' statusline"}
    allowed = {"allow": ["Bash(baton:*)", "Bash(sh prove.sh)"]}
    home.settings({"permissions": allowed, "statusLine": line})
    return project


def _next_session(project: Path, home: Home, model: ModelServer) -> str:
    model.play([
        Turn(Text(CORRECTED), _bash("baton wal mark 2 done")),
        _bash("sh prove.sh"),
        Text(DONE),
    ])  # fmt: skip
    terminal = open_screen(
        project,
        home=home,
        server=model,
        plugin_dirs=[ROOT],
        size=(COLUMNS, LINES),
        # The default mode, auto, would first advertise itself.
        extra_args=["--permission-mode", "default"],
    )
    try:
        terminal.wait_for("type /tiep to go on")
        terminal.submit("/tiep")
        terminal.wait_for("NEWS.md. I am writing", timeout=30)
        terminal.wait_gone("esc to interrupt")
        # Below the prompt box; Claude Code asks for it again when the turn is over.
        terminal.wait_for(r"▸ 2/3 Ship the parser · saved \d\d:\d\d\n")
        return terminal.styled()
    finally:
        terminal.close()


def _bash(command: str) -> ToolCall:
    return ToolCall("Bash", {"command": command, "description": "as told"})


# ---- a pipeline in mid-course ----

COURSE = (
    "start --entry 1 --mode full",
    "material Bibliography sources.bib",
    "complete",
    "confirm",
    "material Paper_Draft draft.md",
    "complete",
    "confirm",
    "integrity fail --report report.md --draft draft.md --issues 2",
    "integrity pass --report report.md --draft draft.md --issues 0",
)


def dashboard() -> str:
    """Let a paper come to its integrity check, and change a byte of it; give what status prints."""
    with tempfile.TemporaryDirectory(prefix="baton-draw-") as folder:
        home, project = Path(folder) / "home", Path(folder) / "paper"
        give_packages(home)
        project.mkdir()
        for name in ("sources.bib", "draft.md", "report.md"):
            (project / name).write_text(f"{name}\n", encoding="utf-8")
        for line in COURSE:
            _pipeline(project, home, *(word.replace("_", " ") for word in line.split()))
        (project / "draft.md").write_text("draft.me\n", encoding="utf-8")
        return "$ baton pipeline status\n" + _pipeline(project, home, "status").rstrip("\n")


def _pipeline(project: Path, home: Path, *words: str) -> str:
    env = {"HOME": str(home), "PATH": os.environ["PATH"], "BATON_PACKAGES": "there"}
    command = [str(ROOT / "bin/baton"), "--project", str(project), "pipeline", *words]
    done = subprocess.run(command, cwd=project, env=env, capture_output=True, text=True, check=True)
    return done.stdout


# ---- from a terminal's screen to a picture ----

FOREGROUND, BACKGROUND, DIM = "#d6d6d0", "#1b1d21", 0.62
# The sixteen colours of a dark terminal.
PALETTE = (
    "#2b2e35 #e06c75 #98c379 #e5c07b #61afef #c678dd #56b6c2 #c8ccd4 "
    "#6b7280 #f08c95 #b5e08f #ffd58a #82c4ff #dd9cf0 #7fd7e0 #ffffff"
).split()
CELL, ROW, SIZE, MARGIN = 8.4, 18, 14, 14
# The first of eight codes, what they set, and where they begin in the palette.
_BASIC = ((30, "colour", 0), (40, "behind", 0), (90, "colour", 8), (100, "behind", 8))
_SGR = re.compile(r"\x1b\[([0-9;]*)m")


class Pen:
    """How characters look from here on."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self.colour, self.behind = "", ""
        self.bold = self.dim = self.italic = self.underline = self.inverse = False

    def take(self, codes: list[int]) -> None:
        """Follow the numbers of one escape sequence."""
        rest = iter(codes or [0])
        for code in rest:
            if code in (38, 48):
                colour = _extended(next(rest, 0), rest)
                self.colour, self.behind = (
                    (colour, self.behind) if code == 38 else (self.colour, colour)
                )
            else:
                self._simple(code)

    def _simple(self, code: int) -> None:
        flags = {1: "bold", 2: "dim", 3: "italic", 4: "underline", 7: "inverse"}
        ends = {22: ("bold", "dim"), 23: ("italic",), 24: ("underline",), 27: ("inverse",)}
        if code == 0:
            self.reset()
        elif code in flags:
            setattr(self, flags[code], True)
        elif code in ends:
            for name in ends[code]:
                setattr(self, name, False)
        elif code in (39, 49):
            setattr(self, {39: "colour", 49: "behind"}[code], "")
        else:
            for first, name, offset in _BASIC:
                if first <= code < first + 8:
                    setattr(self, name, PALETTE[code - first + offset])

    def style(self) -> tuple[str, str]:
        """Give the attributes of the text, and the colour behind it, "" for none."""
        colour, behind = self.colour or FOREGROUND, self.behind
        if self.inverse:
            colour, behind = behind or BACKGROUND, colour
        parts = [f'fill="{colour}"'] if colour != FOREGROUND else []
        parts += ['font-weight="bold"'] if self.bold else []
        parts += [f'opacity="{DIM}"'] if self.dim else []
        parts += ['font-style="italic"'] if self.italic else []
        parts += ['text-decoration="underline"'] if self.underline else []
        return " ".join(parts), behind


def _extended(kind: int, rest: Iterator[int]) -> str:
    """The colour of 38;2;R;G;B and 38;5;N."""
    if kind == 2:
        return _hexadecimal(*(next(rest, 0) for _ in range(3)))
    number = next(rest, 0)
    if number < 16:
        return PALETTE[number]
    if number >= 232:
        return _hexadecimal(*[8 + (number - 232) * 10] * 3)
    steps = (0, 95, 135, 175, 215, 255)
    cube = number - 16
    return _hexadecimal(steps[cube // 36], steps[cube // 6 % 6], steps[cube % 6])


def _hexadecimal(*parts: int) -> str:
    return "#" + "".join(f"{part:02x}" for part in parts)


def plain(styled: str) -> str:
    """Give a screen without its escape sequences."""
    return _SGR.sub("", styled)


# What is otherwise each time → what is drawn.
STEADY = (
    (r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", "2026-07-11T14:03:22"),
    (r"(?<=session: )[0-9a-f]{6}\b", "4f1c2a"),
    (r"(?<![\d:+-])\d\d:\d\d(?![\d:])", NOW),
    ("\N{NO-BREAK SPACE}", " "),
)
# Claude Code's own figure beside its name, made of block elements: it blinks and hops.
_FIGURE = re.compile("[\u2580-\u259f]")
# Lines that come and go: how long a turn took, hints below and above the box.
_PASSING = re.compile(r"\S \w+ed for \d+s|\s*◐ .*/effort|\s*⏸ manual mode on")


def steady(styled: str) -> str:
    """Give a screen without what is otherwise each time: times, ids, how long a turn took."""
    for pattern, instead in STEADY:
        styled = re.sub(pattern, instead, styled)
    kept: list[str] = []
    for line in map(str.rstrip, styled.split("\n")):
        blank = not plain(line).strip()
        if not _PASSING.match(plain(line)) and not (blank and kept and not plain(kept[-1]).strip()):
            kept.append(line)
    return "\n".join(kept).rstrip("\n")


def svg(styled: str, label: str = "") -> str:
    """Draw a screen. label: what it shows, for those who do not see it."""
    lines = styled.split("\n")
    width, height = COLUMNS * CELL + 2 * MARGIN, len(lines) * ROW + 2 * MARGIN
    pen = Pen()
    rows = [row for number, line in enumerate(lines) for row in _row(line, number, pen)]
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
        f'width="{width:g}" height="{height:g}" role="img" '
        f'aria-label="{label}">',
        f'<rect width="100%" height="100%" rx="8" fill="{BACKGROUND}"/>',
        f'<g font-family="ui-monospace, Menlo, Consolas, monospace" font-size="{SIZE}" '
        f'fill="{FOREGROUND}" xml:space="preserve">',
        *rows,
        "</g>",
        "</svg>",
        "",
    ])  # fmt: skip


def _row(line: str, number: int, pen: Pen) -> list[str]:
    """One line of the screen: what lies behind runs of characters, then the runs, each in its place."""
    behind, front, column = [], [], 0
    top = MARGIN + number * ROW
    for index, part in enumerate(_SGR.split(line)):
        if index % 2:
            pen.take([int(code) for code in part.split(";") if code])
            continue
        cells = sum(2 if east_asian_width(sign) in "WF" else 1 for sign in part)
        attributes, colour = pen.style()
        x, wide = MARGIN + column * CELL, cells * CELL
        if _FIGURE.search(part):
            column += cells
            continue
        if colour and cells:
            behind.append(
                f'<rect x="{x:g}" y="{top}" width="{wide:g}" height="{ROW}" fill="{colour}"/>'
            )
        if part.strip():
            start = len(part) - len(part.lstrip())
            x += start * CELL
            length = (cells - start - (len(part) - len(part.rstrip()))) * CELL
            space = f" {attributes}" if attributes else ""
            front.append(
                f'<text x="{x:g}" y="{top + SIZE}" textLength="{length:g}"{space}>{escape(part.strip())}</text>'
            )
        column += cells
    return behind + front


PICTURES = {
    TIEP: (screen, "Claude Code: a new session finds unfinished work, /tiep goes on with it"),
    PIPELINE: (
        dashboard,
        "The dashboard of a research pipeline whose draft changed after its check",
    ),
}


def compare(picture: Path, drawn: str) -> bool:
    """Say whether a file holds this drawing, and in which lines not."""
    there, name = picture.read_text(encoding="utf-8"), str(picture.relative_to(ROOT))
    print(f"{name} {'is' if there == drawn else 'is NOT'} what would be drawn")
    lines = unified_diff(
        there.splitlines(), drawn.splitlines(), name, "drawn now", lineterm="", n=0
    )
    sys.stderr.writelines(f"{line}\n" for line in lines)
    return there == drawn


def main() -> int:
    """Draw the pictures, or compare."""
    parser = argparse.ArgumentParser(description="Draws the pictures in docs/.")
    parser.add_argument(
        "--check", action="store_true", help="compare with the files; write nothing"
    )
    arguments = parser.parse_args()
    good = True
    for picture, (draw, label) in PICTURES.items():
        drawn = svg(steady(draw()), label)
        if arguments.check:
            good = compare(picture, drawn) and good
            continue
        picture.parent.mkdir(exist_ok=True)
        picture.write_text(drawn, encoding="utf-8")
        print(f"{picture.relative_to(ROOT)}: {len(drawn)} bytes")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
