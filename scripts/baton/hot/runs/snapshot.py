"""A run's snapshot: script, args and children's scripts, each where it may stand (layout)."""

from baton.hot.runs import keep, layout
from baton.hot.runs.keep import Kept
from baton.hot.runs.layout import Place

# What a person gave with `baton run snapshot`, or an earlier launch: it stays.
_STAYS = ("purpose", "created", "session", "tasks", "estimate")
_EMPTY: dict[str, object] = {"args": None, "children": {}}


def write(place: Place, facts: dict[str, object], script: str, known: dict[str, object]) -> str:
    """Write a run's script and snapshot; the script first, so that no snapshot speaks of one that is
    not there.

    facts: keys of snapshot.json. script: "" where it is unknown. known: the snapshot that was there.
    Gives what a person is told. Raises OSError.
    """
    digests = known.get("digests")
    spec = digests.get(layout.SPEC) if isinstance(digests, dict) else None
    parts = _Parts(place, {layout.SPEC: spec} if spec else {})
    if script:
        parts.put_script(script)
    for name in layout.PARTS:
        if facts.get(name) or (name == "args" and facts.get("args_given")):
            facts[name] = parts.part(name, facts[name])
    record = {
        "format": layout.FORMAT,
        "run": place.name,
        "engine": "workflow",
        "created": layout.stamp(),
        "tasks": None,
        "estimate": None,
        **facts,
        **{key: known[key] for key in _STAYS if known.get(key) is not None},
        "digests": parts.digests,
        "withheld": parts.withheld,
    }
    data = layout.render(record)
    # What the parts hold was looked at one by one.
    rest = layout.words({**record, "args": None, "children": None})
    parts.kept.append(keep.store(place, layout.SNAPSHOT, data, rest))
    return keep.telling(place, parts.kept)


class _Parts:
    """What was put down so far. withheld: part → why it is kept outside git."""

    __slots__ = ("digests", "kept", "place", "withheld")

    def __init__(self, place: Place, digests: dict[str, object]) -> None:
        self.place = place
        self.digests = digests
        self.withheld: dict[str, object] = {}
        self.kept: list[Kept] = []

    def put_script(self, script: str) -> None:
        data = script.encode("utf-8", "surrogatepass")
        self.digests[layout.SCRIPT] = layout.digest(data)
        self._take(layout.SCRIPT, keep.store(self.place, layout.SCRIPT, data, script))

    def part(self, name: str, value: object) -> object:
        """Give what stands of a part in the snapshot itself."""
        text = layout.json_text(value)
        self.digests[name] = layout.value_digest(value)
        kept = keep.judge(self.place, layout.SNAPSHOT, len(text), layout.words(value))
        self._take(name, kept)
        if not kept.reason:
            self.place.remove(f"{name}.json")
            return value
        self.place.write(f"{name}.json", layout.render({name: value}), private=True)
        return _EMPTY[name]

    def _take(self, name: str, kept: Kept) -> None:
        self.kept.append(kept)
        if kept.reason:
            self.withheld[name] = kept.reason
            kept.told = kept.told.replace(layout.SNAPSHOT, name)
