"""baton.core.runs.relaunch and prelude, run by a real JavaScript engine: a run that was killed goes
on with exactly the agents that are left, to the same end."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baton.core.runs import javascript, matching, relaunch, script
from baton.core.runs.records import Attempt, record
from baton.hot.runs import journal as journals
from baton.hot.runs import layout
from core.runs.flows import (
    CHILD,
    FLOWS,
    HEAD,
    Flow,
    Ran,
    flow,
    journal_bytes,
    needs_node,
    records,
)

pytestmark = needs_node
# Their own schedule decides what they come to; how many agents they ask is determined all the same.
UNDETERMINED = {"race", "finish order"}


class Story:
    """A run over several launches, as harvests would record it."""

    def __init__(self, flow: Flow, folder: Path) -> None:
        self.flow = flow
        self.folder = folder
        self.attempts: list[Attempt] = []
        self.records: list[dict[str, object]] = []

    def take(self, ran: Ran, *, prompts: bool = True) -> None:
        """Harvest a launch."""
        number = len(self.attempts) + 1
        journal = journals.read(journal_bytes(ran))
        asked = {
            agent: str(facts["prompt"])
            for agent, facts in ran.asked.items()
            if agent not in journal.results
        }
        self.attempts.append(Attempt(number, f"wf_{number}", journal, True, asked))
        fresh = records(ran, number, prompts=prompts)
        for row in fresh:
            row["agent"] = f"{row['agent']}"
        self.records += fresh

    def plan(self, **how: bool) -> matching.Plan:
        rows = [record(f"agent-{row['agent']}.json", row, {}) for row in self.records]
        known = {shown for shown, _ in relaunch.inlined(self.flow.children).values()}
        return matching.plan(self.attempts, rows, known, **how)

    def script(self, plan: matching.Plan, text: str | None = None) -> str:
        """Write the relaunch script and its data files; give its text."""
        job = relaunch.Job(
            script=text or self.flow.script,
            args_given=self.flow.given,
            args=self.flow.args,
            saved=plan.saved,
            children=self.flow.children,
            run="r1",
            attempt=len(self.attempts) + 1,
            stem=str(self.folder / f"relaunch-{len(self.attempts) + 1}"),
        )
        made = relaunch.write(job)
        for path, content in made.files.items():
            Path(path).write_text(content, encoding="utf-8", newline="")
        return made.files[made.path]

    def go_on(self, text: str | None = None, **more: Any) -> Ran:
        return self.flow.run(self.script(self.plan(), text), **more)


def killed(name: str, after: int, folder: Path) -> tuple[Story, Ran]:
    """A story whose first launch was killed after so many results."""
    story = Story(flow(name), folder)
    ran = story.flow.run(killAfter=after)
    story.take(ran)
    return story, ran


def _goes_on(name: str, points: list[int] | None, folder: Path) -> None:
    """Kill a flow after so many results, at each of these points (all when None), and go on."""
    whole = flow(name).run()
    total = len(whole.live)
    for after in range(total + 1) if points is None else points:
        story, _ = killed(name, min(after, total), folder)
        again = story.go_on()
        left = total - len(story.records)
        assert (again.error, len(again.live)) == (None, left), (after, again.live)
        if name not in UNDETERMINED:
            assert again.value == whole.value


@pytest.mark.parametrize("name", ["pipeline", "finish order", "own names", "own agent", "children"])
def test_a_killed_run_goes_on_with_what_is_left(name: str, tmp_path: Path) -> None:
    _goes_on(name, [2], tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", FLOWS)
def test_wherever_it_was_killed(name: str, tmp_path: Path) -> None:
    _goes_on(name, None, tmp_path)


def test_killed_again_and_again(tmp_path: Path) -> None:
    """Always from the original script and the results of all attempts."""
    story, _ = killed("pipeline", 2, tmp_path)
    whole = flow("pipeline").run()
    left = 9 - 2
    for _ in range(3):
        ran = story.flow.run(story.script(story.plan()), killAfter=2)
        assert ran.error is None
        story.take(ran)
        left -= 2
    last = story.go_on()
    assert (last.value, len(last.live)) == (whole.value, left)


GENERATED = given(
    steps=st.lists(
        st.tuples(
            st.sampled_from(["chain", "both", "vote"]),
            st.text(alphabet="ab\n\u2028\x85'`$\\{é🙂", max_size=6),
        ),
        min_size=1,
        max_size=5,
    ),
    after=st.integers(0, 9),
)


def _generated(steps: list[tuple[str, str]], after: int) -> None:
    """A run of any shape, killed anywhere, goes on with exactly the rest, to the same end."""
    lines = ["const all = []"]
    for number, (kind, words) in enumerate(steps):
        prompt = javascript.parsed(f"{number % 3} {words} ")
        if kind == "chain":
            lines.append(f"all.push(await agent({prompt} + all.length, {{label: 'c'}}))")
        elif kind == "both":
            call = f"agent({prompt} + i, {{label: {prompt} + i}})"
            lines.append(f"all.push(...await parallel([0, 1].map(i => () => {call})))")
        else:
            lines.append(f"all.push(...await parallel([0, 1].map(() => () => agent({prompt}))))")
    made = Flow(HEAD + "\n".join([*lines, "return all"]))
    whole = made.run()
    with tempfile.TemporaryDirectory() as folder:
        story = Story(made, Path(folder))
        story.take(made.run(killAfter=min(after, len(whole.live))))
        again = story.go_on()
    assert (again.error, again.value) == (None, whole.value)
    assert len(again.live) == len(whole.live) - len(story.records)


def test_generated_runs() -> None:
    settings(max_examples=3, deadline=None)(GENERATED(_generated))()


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_many_generated_runs() -> None:
    settings(max_examples=150, deadline=None)(GENERATED(_generated))()


# ---- which result goes to which call ----


def test_results_come_in_the_order_in_which_they_first_came(tmp_path: Path) -> None:
    """Scripts whose later prompts depend on it then ask the same again."""
    made = flow("finish order")
    story = Story(made, tmp_path)
    story.take(made.run())
    ends = [row for row in story.records if row["label"] != "rank"]
    for place, row in enumerate(sorted(ends, key=lambda row: str(row["label"]), reverse=True)):
        row["row"] = place
    text = made.script.replace("return agent(", "return found; agent(")
    found = made.run(story.script(story.plan(), text)).value
    assert found == [row["result"] for row in sorted(ends, key=lambda row: int(str(row["row"])))]
    assert found == [row["result"] for row in sorted(ends, key=lambda row: str(row["label"]))][::-1]


def test_a_call_without_a_label_takes_one_without_a_model_first(tmp_path: Path) -> None:
    made = Flow(HEAD + "return [await agent('p', {model: 'haiku'}), await agent('p')]\n")
    story = Story(made, tmp_path)
    story.take(made.run())
    story.records[0]["result"], story.records[1]["result"] = "of haiku", "of no model"
    assert story.go_on(HEAD + "return agent('p')\n").value == "of no model"


def test_a_blank_label_is_none(tmp_path: Path) -> None:
    """The host shows the prompt for it, as for no label."""
    body = "return [await agent('p', {label: ' '}), await agent('q', {label: ''})]\n"
    story = Story(Flow(HEAD + body), tmp_path)
    whole = story.flow.run()
    story.take(whole)
    again = story.go_on()
    assert (again.value, again.live) == (whole.value, [])


def test_a_prompt_cut_short_is_no_label(tmp_path: Path) -> None:
    """The host labels a call that gives none by the first 60 characters of its prompt."""
    made = Flow(HEAD + "return agent('x'.repeat(60) + args.m)\n", {"m": "old"}, True)
    story = Story(made, tmp_path)
    story.take(made.run())
    assert len(story.go_on(args={"m": "fresh"}, given=True).live) == 1
    story.records[0]["prompt"] = None
    assert len(story.go_on(args={"m": "fresh"}, given=True).live) == 0


def test_agents_of_children_are_shown_as_the_host_shows_them(tmp_path: Path) -> None:
    again = Story(flow("children"), tmp_path).go_on()
    phases = {str(call["label"]): dict(call["options"]).get("phase") for call in again.live}  # type: ignore[call-overload]
    assert phases == {"kid a": "▸ kid", "kid b": "▸ kid", "kid c": "▸ kid #2", "sum": None}


PACKED = HEAD + (
    "return parallel(args.tasks.map(t => () => agent(`${args.memory}: ${t}`, {label: t})))\n"
)


def _packed(folder: Path, **more: Any) -> Story:
    made = Flow(PACKED, {"memory": "old", "tasks": ["a", "b", "c", "d"]}, True)
    story = Story(made, folder)
    story.take(made.run(killAfter=2, **more))
    return story


def test_a_fresh_memory_pack_changes_prompts_and_costs_nothing(tmp_path: Path) -> None:
    """What the call gives wins key by key, the rest stands in the script."""
    again = _packed(tmp_path).go_on(args={"memory": "fresh"}, given=True)
    assert sorted(str(call["prompt"]) for call in again.live) == ["fresh: a", "fresh: d"]
    assert [log for log in again.logs if "another prompt" in log] == [
        "baton: saved result 1 of 2: b (asked with another prompt then)",
        "baton: saved result 2 of 2: c (asked with another prompt then)",
    ]


def test_strict_wants_equal_prompts(tmp_path: Path) -> None:
    story = _packed(tmp_path)
    text = story.script(story.plan(strict=True))
    assert len(story.flow.run(text, args={"memory": "fresh"}, given=True).live) == 4
    assert len(story.flow.run(text).live) == 2


def test_args_that_are_no_object_take_the_place_of_the_others(tmp_path: Path) -> None:
    story, _ = killed("parallel", 2, tmp_path)
    again = story.go_on(args=["alpha", "omega"], given=True)
    assert [call["prompt"] for call in again.live] == ["task omega"]
    assert len(story.go_on(args=None, given=True).live) == 4


NULLS = HEAD + (
    "const one = await agent('first', {label: 'first'})\n"
    "const two = await agent(`after ${one}`, {label: 'second'})\n"
    "return agent('third', {label: 'third'})\n"
)


def test_a_result_that_was_asked_without_an_earlier_one_is_asked_again(tmp_path: Path) -> None:
    made = Flow(NULLS, fails=["first"])
    story = Story(made, tmp_path)
    story.take(made.run())
    again = story.go_on()
    assert [call["label"] for call in again.live] == ["first", "second"]
    assert again.value == made.run(fails=[]).value


def test_what_a_failure_cannot_have_touched_goes_by_label(tmp_path: Path) -> None:
    """It had begun before the agent that came to nothing."""
    script = HEAD + (
        "return parallel([() => agent(`${args.memory} long`, {label: 'long'}),\n"
        "  () => agent('short', {label: 'short'})])\n"
    )
    made = Flow(script, {"memory": "old"}, True, fails=["short"])
    story = Story(made, tmp_path)
    story.take(made.run())
    again = story.go_on(args={"memory": "fresh"}, given=True)
    assert [call["label"] for call in again.live] == ["short"]


def test_prompts_unknown(tmp_path: Path) -> None:
    """A label that one call alone has is enough; else the result is not used, and reported."""
    made = flow("parallel")
    story = Story(made, tmp_path)
    story.take(made.run(killAfter=3), prompts=False)
    assert len(story.go_on().live) == 3
    same = flow("same labels")
    story = Story(same, tmp_path)
    story.take(same.run(killAfter=3), prompts=False)
    assert story.plan().saved == []
    assert len(story.plan().unused) == 3
    assert len(story.go_on().live) == 5


def test_an_edited_script_goes_by_prompts(tmp_path: Path) -> None:
    story, _ = killed("parallel", 3, tmp_path)
    plan = story.plan(edited=True)
    relabelled = story.flow.script.replace("`t:${a}`", "`u:${a}`")
    other = story.flow.script.replace("task ${a}", "new task ${a}")
    assert len(story.flow.run(story.script(plan, relabelled)).live) == 3
    assert len(story.flow.run(story.script(plan, other)).live) == 6


def test_voters_keep_their_own(tmp_path: Path) -> None:
    """One prompt, several labels: an edit of labels cannot tell whose a result was."""
    story, _ = killed("voters", 2, tmp_path)
    swapped = story.flow.script.replace("[0, 1, 2, 3]", "[3, 2, 1, 0]")
    assert len(story.go_on(swapped).live) == 2
    renamed = story.flow.script.replace("`v${v}`", "`w${v}`")
    plan = story.plan(edited=True)
    assert len(story.flow.run(story.script(plan, renamed)).live) == 4


FITS = {
    "the same": ("{label: 'x', model: 'haiku', agentType: 'Explore'}", 0),
    "no model asked": ("{label: 'x', agentType: 'Explore'}", 0),
    "another model": ("{label: 'x', model: 'opus', agentType: 'Explore'}", 1),
    "another type": ("{label: 'x', model: 'haiku', agentType: 'Plan'}", 1),
    "no type asked": ("{label: 'x', model: 'haiku'}", 0),
    "a schema": ("{label: 'x', schema: {type: 'object'}}", 1),
    "a work tree": ("{label: 'x', isolation: 'worktree'}", 1),
    "no label": ("{model: 'haiku'}", 0),
    "an empty label": ("{label: '', model: 'haiku'}", 0),
    "a label to clean": ("{label: ' x\\n', model: 'haiku'}", 0),
    "another label": ("{label: 'y', model: 'haiku'}", 1),
    "no options": ("undefined", 0),
}


@pytest.mark.parametrize("case", FITS)
def test_what_fits(case: str, tmp_path: Path) -> None:
    options, asked = FITS[case]
    call = "return agent('p', {label: 'x', model: 'haiku', agentType: 'Explore'})\n"
    made = Flow(HEAD + call)
    story = Story(made, tmp_path)
    story.take(made.run())
    text = story.script(story.plan(), HEAD + f"return agent('p', {options})\n")
    ran = made.run(text)
    assert (ran.error, len(ran.live)) == (None, asked)


def test_a_type_of_a_plugin_and_a_model_that_nobody_knows(tmp_path: Path) -> None:
    made = Flow(HEAD + "return agent('p')\n")
    story = Story(made, tmp_path)
    story.take(made.run())
    story.records[0]["agent_type"] = "plugin:Explore"
    call = HEAD + "return agent('p', {agentType: 'Explore'})\n"
    assert made.run(story.script(story.plan(), call)).live == []
    story.records[0]["agent_type"] = None
    call = HEAD + "return agent('p', {agentType: 'Explore', model: 'haiku'})\n"
    assert made.run(story.script(story.plan(), call)).live == []


def test_an_object_without_a_required_key_does_not_fit(tmp_path: Path) -> None:
    call = "return agent('p', {schema: {type: 'object', required: ['a']}})\n"
    made = Flow(HEAD + call)
    story = Story(made, tmp_path)
    story.take(made.run())
    more = made.script.replace("['a']", "['a', 'b']")
    assert [len(story.go_on(each).live) for each in (None, more)] == [0, 1]


def test_line_ends_are_what_the_host_makes_of_them(tmp_path: Path) -> None:
    made = Flow(HEAD + "return agent('a\\r\\nb\\u2028c\\x85d\\rE\\x1cF\\vG', {label: 'x'})\n")
    story = Story(made, tmp_path)
    story.take(made.run())
    story.records[0]["prompt"] = "a\nb\nc\nd\nE\nF\nG"
    plan = story.plan(strict=True)
    assert made.run(story.script(plan)).live == []


def test_what_is_no_text_is_asked_live(tmp_path: Path) -> None:
    made = Flow(HEAD + "await agent({a: 1}); return agent(undefined)\n")
    story = Story(made, tmp_path)
    assert len(story.go_on().live) == 2


def test_a_label_that_comes_twice_after_all_is_told(tmp_path: Path) -> None:
    script = HEAD + "for (const t of args.t) await agent(`${args.m} ${t}`, {label: 'same'})\n"
    made = Flow(script, {"m": "old", "t": ["a"]}, True)
    story = Story(made, tmp_path)
    story.take(made.run())
    ran = story.go_on(args={"m": "new", "t": ["a", "b"]}, given=True)
    assert len(ran.live) == 1
    assert ran.logs[-1] == (
        "baton: WARNING: a second call is labelled same; the saved result that the first one got "
        "was asked with another prompt"
    )


def test_a_child_whose_script_is_not_known_runs_live(tmp_path: Path) -> None:
    made = flow("children")
    story = Story(made, tmp_path)
    story.take(made.run())
    text = made.children.pop("kid")
    plan = story.plan()
    reasons = {each.reason for each in plan.unused}
    assert (len(plan.saved), reasons) == (1, {"the script of its workflow kid is not known"})
    script = story.script(plan)
    made.children["kid"] = text
    again = made.run(script)
    assert (again.error, len(again.live)) == (None, 3)


def test_children_that_cannot_be_inlined() -> None:
    found = relaunch.inlined(
        {
            "kid": CHILD,
            "plugin:kid": CHILD,
            "sub/kid.js": CHILD,
            "global": CHILD.replace("args.items", "globalThis.args.items"),
            "no script": "return 1",
        }
    )
    shown = {called: name for called, (name, _) in found.items()}
    assert shown == {"kid": "kid", "plugin:kid": "plugin:kid", "sub/kid.js": "kid"}


def test_a_child_may_not_call_another(tmp_path: Path) -> None:
    nested = CHILD.replace(
        "return", "try { await workflow('kid') } catch (e) { log(e.message) }\nreturn"
    )
    made = Flow(HEAD + "return workflow('kid', {items: ['a']})\n", children={"kid": nested})
    story = Story(made, tmp_path)
    ran = story.go_on()
    assert (ran.error, len(ran.live)) == (None, 1)
    assert ran.logs == ["[kid] workflow() cannot be called from within a child workflow"]
    other = Flow(HEAD + "return workflow('unknown')\n", children={"kid": CHILD, "unknown": HEAD})
    story = Story(other, tmp_path)
    story.flow.children = {"kid": CHILD}
    text = story.script(story.plan())
    story.flow.children = {"kid": CHILD, "unknown": HEAD + "return 7\n"}
    assert other.run(text).value == 7


# ---- the text itself ----


def test_the_body_keeps_its_lines(tmp_path: Path) -> None:
    """The host counts lines from the first token of what stands behind `meta`."""
    story, _ = killed("pipeline", 2, tmp_path)
    text = story.script(story.plan())
    head, body = script.split(text)
    assert body.startswith(layout.marker("r1", 2))
    assert layout.marked(text) == "r1"
    original = script.split(story.flow.script)
    assert head == original[0] + ";"
    assert body.split("\n")[1:] == original[1].split("\n")[1:]
    assert body.split("\n")[0].endswith(original[1].split("\n")[0])


def test_a_host_that_has_no_agent_to_wrap_is_told(tmp_path: Path) -> None:
    made = Flow(HEAD + "return agent('x')\n")
    text = Story(made, tmp_path).script(Story(made, tmp_path).plan())
    for name in ("agent", "setTimeout"):
        without = made.run(text.replace("/* baton", f"globalThis.{name} = undefined; /* baton", 1))
        assert without.error is not None
        assert "to build on; nothing was started" in without.error
    shadowed = text.replace("return agent('x')", "return agent('x'); { function agent() {} }")
    assert made.run(shadowed).error is None
    hidden = text.replace("try{if", "{const agent = 1;try{if", 1) + "}"
    said = made.run(hidden).error
    assert said is not None
    assert "baton: agent() cannot be wrapped here; nothing was started" in said


def test_results_larger_than_a_script_stand_in_data_files(tmp_path: Path) -> None:
    made = Flow(
        HEAD + "const all = await parallel(args.map(a => () => agent(a, {label: a})))\n"
        "return all.map(text => text.length)\n",
        ["a", "b", "c", "d"],
        True,
    )
    tail = "\0\x1b\u2028\ud800`</script>'\"\\🙂é" * 20_000
    story = Story(made, tmp_path)
    whole = made.run(tail=tail)
    story.take(made.run(killAfter=3, tail=tail))
    again = story.go_on(tail=tail)
    assert (again.error, again.value, len(again.live)) == (None, whole.value, 1)
    sizes = [path.stat().st_size for path in tmp_path.glob("*.js")]
    assert len(sizes) > 2
    assert max(sizes) <= relaunch.LIMIT


def test_args_larger_than_a_script_stand_in_data_files(tmp_path: Path) -> None:
    made = Flow(HEAD + "return args.map(a => a.length)\n", ["x" * 700_000, "é'" * 200_000], True)
    ran = Story(made, tmp_path).go_on()
    assert (ran.error, ran.value) == (None, [700_000, 400_000])


def test_a_script_that_leaves_no_room(tmp_path: Path) -> None:
    made = Flow(HEAD + "//" + "x" * 523_000)
    with pytest.raises(relaunch.TooLarge, match="a script file may have 524288"):
        Story(made, tmp_path).go_on()


def test_no_name_is_left_behind(tmp_path: Path) -> None:
    made = Flow(HEAD + "return Object.keys(globalThis).filter(k => k.includes('baton'))\n")
    assert Story(made, tmp_path).go_on().value == []
