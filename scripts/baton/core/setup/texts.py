"""The lines that `baton setup` puts into a project's files."""

from __future__ import annotations

from collections.abc import Sequence

from baton.core.setup.blocks import Block
from baton.core.setup.settings import RUNTIME
from baton.hot.project import CHAIN

_ATTRIBUTES = (
    "# A carriage return breaks a shell script, and the chain is compared byte by byte.",
    "*.sh text eol=lf",
    f"/{CHAIN} text eol=lf",
    f"/{RUNTIME}/** text eol=lf",
)
_POINTER = {
    "en": (
        f"Work in progress stands in `{CHAIN}`, kept with `baton wal`. The only way back into it is `/tiep`, also",
        'when the person says "go on" in words of their own; do not recover it in any other way.',
    ),
    "vi": (
        f"Mạch việc dở nằm trong `{CHAIN}`, ghi bằng `baton wal`. Chỉ nối lại bằng `/tiep`, kể cả khi",
        'người dùng nói "làm tiếp" bằng lời thường; đừng tự khôi phục theo cách nào khác.',
    ),
}
_SPECIAL = str.maketrans({sign: f"\\{sign}" for sign in "\\*?["})


def attributes() -> Block:
    """Give the block for .gitattributes: line ends that no checkout may change."""
    return Block("# >>> baton setup", "# <<< baton setup", _ATTRIBUTES)


def pointer(lang: str) -> Block:
    """Give the block for CLAUDE.md: where the work stands, and the one way back."""
    return Block(
        "<!-- baton setup: begin -->", "<!-- baton setup: end -->", _POINTER[lang], apart=True
    )


def exclude(prefix: str, names: Sequence[str]) -> Block:
    """Give the block for info/exclude.

    prefix: the project's folder below the work tree's top, "" at the top. names: the state paths
    as git has them.
    """
    of_project = f" of {prefix}" if prefix else ""
    lines = [_pattern(name) for name in names]
    return Block(f"# >>> baton setup{of_project}", f"# <<< baton setup{of_project}", lines)


def _pattern(name: str) -> str:
    pattern = f"/{name}".translate(_SPECIAL)
    return pattern[:-1] + "\\ " if pattern.endswith(" ") else pattern
