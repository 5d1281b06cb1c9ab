"""A relaunch script that was launched: what stands in its file from then on (design page runs).

Called a second time, by this session or another, it would ask again for all that came in since the
first. What is put in its place asks no agent, and says what to call instead.
"""

from baton.hot import digits
from baton.hot.runs import layout
from baton.hot.runs.layout import Place

_HEAD = "export const meta = {name: 'launched-already', description: 'a relaunch that baton has seen launched'};\n"
_WORDS = (
    "baton: relaunch {attempt} of run {run} was launched already, as {run_id} at {at}; once more it would pay again "
    "for what came in since. No agent was asked. If that launch died, what is left now: baton run relaunch {run}"
)


def put(place: Place, attempt: int, run_id: str) -> None:
    """Put it in the place of the relaunch scripts up to that attempt's. Raises OSError.

    Their data files stay: the run that was launched reads them as it goes.
    """
    words = _WORDS.format(attempt=attempt, run=place.name, run_id=run_id, at=layout.stamp())
    text = f"{_HEAD}throw new Error('{words}');\n"
    for name in place.listing(""):
        number = digits.whole(name.removeprefix(layout.RELAUNCH).removesuffix(".js"))
        if 0 <= number <= attempt and name == f"{layout.RELAUNCH}{number}.js":
            place.write(name, text.encode(), private=place.hides(name))


def is_one(script: str) -> bool:
    """Whether a script is what stands in the place of a launched one."""
    return script.startswith(_HEAD)
