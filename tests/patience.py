"""More time for what baton waits for, where a test wants to see what comes of it.

What a hook may cost a person's turn is bounded in seconds; past the bound it puts its work off. On a
machine that does a dozen other things a test would see that instead of the work. Tests of the bounds
themselves set them to what they need.
"""

from __future__ import annotations

import sys

# Every hook of the tests pays for what is imported here.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any

SECONDS = 60.0
# Module → its constants, and its functions with a parameter `seconds`.
BOUNDS = {
    "baton.edge.doctor.program": ("_SECONDS",),
    "baton.hot.asked": ("_SECONDS",),
    "baton.hot.flush.flush": ("flush",),
    "baton.hot.git.slow_talk": ("_LAST_WORDS_SECONDS",),
    "baton.hot.nudge": ("_SECONDS",),
    "baton.hot.once": ("_WAIT_SECONDS",),
    "baton.hot.overlay": ("_SECONDS",),
    "baton.hot.places": ("_SECONDS", "elsewhere"),
    "baton.hot.runs.launch": ("_LOCK_SECONDS",),
    "baton.hot.runs.settle": ("_LOCK_SECONDS",),
    # What counts as the same again.
    "baton.hot.session_start": ("_TWICE_SECONDS",),
    "baton.hot.waiting": ("_OWNER_SECONDS",),
}


def longer(module: ModuleType) -> Iterator[tuple[Any, str, object]]:
    """Give what is to be set in one of these modules: (object, attribute, value)."""
    for name in BOUNDS[module.__name__]:
        bound = getattr(module, name)
        if not callable(bound):
            yield module, name, SECONDS
        elif bound.__kwdefaults__:
            yield bound, "__kwdefaults__", {**bound.__kwdefaults__, "seconds": SECONDS}
        else:
            yield bound, "__defaults__", (SECONDS,)


class Patience:
    """Sees to it in a process of its own: each of these modules has more time once it is imported."""

    def find_spec(self, name: str, path: Any, target: Any = None) -> ModuleSpec | None:
        """Find a module as ever."""
        if name not in BOUNDS:
            return None
        others = (finder for finder in sys.meta_path if finder is not self)
        spec = next(filter(None, (each.find_spec(name, path, target) for each in others)), None)
        if spec is not None:
            loader: Any = spec.loader
            loader.exec_module = _afterwards(loader.exec_module)
        return spec


def _afterwards(run: Any) -> Any:
    def run_longer(module: ModuleType) -> None:
        run(module)
        for where, name, value in longer(module):
            setattr(where, name, value)

    return run_longer
