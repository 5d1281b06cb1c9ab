"""baton.hot.pasted: what a prompt that names a hand-over makes of itself (case P8)."""

from __future__ import annotations

import pytest

from baton.hot import pasted

HASH, OTHER = "075173601107", "9449bf5d271e"
COMMAND = """baton: the person pasted a passport hand-over. Run exactly this, once, and nothing before it:
  {}
Show the person what it prints. Where it asks something, ask the person and wait for what they type: never \
choose, re-verify or agree for them. After "Resume Acknowledged" go on with the next stage that it names, and \
never ask them to summarise earlier stages."""
NO_HASH = """baton: the prompt is a passport hand-over, but "{}" is no boundary hash: a hash is exactly 12 \
hexadecimal digits, lower case. Nothing was consumed. Do not correct or guess it: ask the person to paste the \
line again. `baton passport awaiting` lists what waits."""
REST = """baton: the prompt begins as a passport hand-over of {0}, but goes on with "{1}", which is no \
stage=… or mode=… of its own. Nothing was consumed. If the person means to resume, `baton passport inspect \
{0}` shows what it would do; ask them to paste the line alone."""
SEVERAL = """baton: the prompt names more than one passport hand-over ({}). Nothing was consumed. Ask the \
person which one they mean, and to paste that line alone."""
TWICE = """baton: the prompt names the passport hand-over {} more than once. Nothing was consumed. Ask the \
person to paste that line once, alone."""
MENTIONS = """baton: the prompt mentions several passport hand-overs ({}). Nothing was consumed, and nothing \
needs to be: answer the prompt. If the person wants to go on from one of them, `baton passport inspect HASH` \
shows what it would do."""
NEARLY = """baton: the prompt mentions a passport hand-over, but "{}" is no boundary hash: a hash is exactly \
12 hexadecimal digits, lower case. Nothing was consumed, and nothing needs to be: answer the prompt, and do not \
correct or guess the hash."""
MENTION = """baton: the prompt mentions the passport hand-over {0}. Nothing was consumed, and nothing needs \
to be: answer the prompt. If the person wants to go on from it, `baton passport inspect {0}` shows what it \
would do."""

BARE = [
    ("alone", f"resume_from_passport={HASH}", HASH),
    ("blanks around", f"\n  resume_from_passport={HASH} \n", HASH),
    ("stage", f"resume_from_passport={HASH} stage=2.5", f"{HASH} --stage 2.5"),
    ("stage and mode", f"resume_from_passport={HASH} mode=quick stage=3", f"{HASH} --mode quick --stage 3"),
    ("a stage with a prime", f"resume_from_passport={HASH} stage=3'", f"""{HASH} --stage '3'"'"''"""),
    ("a stage that is a command", f"resume_from_passport={HASH} stage=$(id)", f"{HASH} --stage '$(id)'"),
    ("a stage with a sign", f"resume_from_passport={HASH} stage=;id", f"{HASH} --stage ';id'"),
    ("a stage that is a flag", f"resume_from_passport={HASH} stage=--yes", f"{HASH} --stage=--yes"),
    ("Windows", f"resume_from_passport={HASH} mode=full\r\n", f"{HASH} --mode full"),
]  # fmt: skip
NOT_BARE = [
    ("upper case", f"resume_from_passport={OTHER.upper()}", NO_HASH.format(OTHER.upper())),
    ("11 digits", f"resume_from_passport={HASH[1:]}", NO_HASH.format(HASH[1:])),
    ("13 digits", f"resume_from_passport={HASH}0", NO_HASH.format(HASH + "0")),
    ("full width digits", "resume_from_passport=０75173601107", NO_HASH.format("０75173601107")),
    ("no hash", "resume_from_passport=", NO_HASH.format("")),
    ("a blank before it", f"resume_from_passport= {HASH}", NO_HASH.format("")),
    ("quoted value", f'resume_from_passport="{HASH}"', NO_HASH.format(f"”{HASH}”")),
    ("controls", "resume_from_passport=a\x1b[2Jb", NO_HASH.format("a\ufffd[2Jb")),
    ("trailing text", f"resume_from_passport={HASH} please", REST.format(HASH, "please")),
    ("stage twice", f"resume_from_passport={HASH} stage=1 stage=2", REST.format(HASH, "stage=2")),
    ("an empty stage", f"resume_from_passport={HASH} stage=", REST.format(HASH, "stage=")),
    ("twice", f"resume_from_passport={HASH} resume_from_passport={OTHER}", SEVERAL.format(f'"{HASH}", "{OTHER}"')),
    ("twice the same", f"resume_from_passport={HASH}\n" * 2, TWICE.format(f'"{HASH}"')),
    ("many", " ".join(f"resume_from_passport={n}" for n in range(9)), SEVERAL.format('"0", "1", "2", "3", "4"')),
    ("two lines", f"resume_from_passport={HASH}\r\n\r\nresume_from_passport={OTHER}\r\n",
     SEVERAL.format(f'"{HASH}", "{OTHER}"')),
    ("twice in a text", f"resume_from_passport={HASH}\nIs resume_from_passport={HASH} taken?", MENTION.format(HASH)),
    ("two in a text", f"compare resume_from_passport={HASH} and\nresume_from_passport={OTHER}.",
     MENTIONS.format(f'"{HASH}", "{OTHER}"')),
    ("quoted in a text", f'go on from resume_from_passport="{HASH}", please', MENTION.format(HASH)),
    ("upper case in a text", f"please resume_from_passport={OTHER.upper()} now", NEARLY.format(OTHER.upper())),
    ("13 digits in a code block", f"```\nresume_from_passport={HASH}0\n```", NEARLY.format(HASH + "0")),
    ("11 digits too", f"resume_from_passport={HASH[1:]} or resume_from_passport={HASH}\n!", MENTION.format(HASH)),
    ("quoted line", f'"resume_from_passport={HASH}"', MENTION.format(HASH)),
    ("code", f"`resume_from_passport={HASH}`", MENTION.format(HASH)),
    ("a code block", f"what is this?\n```\nresume_from_passport={HASH}\n```", MENTION.format(HASH)),
    ("a question", f"what does resume_from_passport={HASH}?", MENTION.format(HASH)),
    ("a pasted block", f"- resume_from_passport={HASH}\n- more", MENTION.format(HASH)),
    ("a first line with more below", f"resume_from_passport={HASH}\nand then", MENTION.format(HASH)),
    ("a placeholder", "paste resume_from_passport=<hash> there", ""),
    ("a placeholder that ends the text", "paste resume_from_passport=", ""),
    ("the word alone", "how does resume_from_passport work?", ""),
    ("a typed command", f"/resume_from_passport resume_from_passport={HASH}", ""),
    ("nothing", "", ""),
]  # fmt: skip


@pytest.mark.parametrize(
    ("prompt", "wanted"), [case[1:] for case in BARE], ids=[c[0] for c in BARE]
)
def test_a_pasted_line_is_one_command(prompt: str, wanted: str) -> None:
    assert pasted.context(prompt) == COMMAND.format(f"baton passport resume {wanted}")


@pytest.mark.parametrize(
    ("prompt", "wanted"), [case[1:] for case in NOT_BARE], ids=[case[0] for case in NOT_BARE]
)
def test_anything_else_consumes_nothing(prompt: str, wanted: str) -> None:
    assert pasted.context(prompt) == wanted
