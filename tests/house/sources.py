"""The project's own files and what they import, read without running them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from support import HOOKS, ROOT, SCRIPTS, git

PACKAGE = SCRIPTS / "baton"
DOORS = sorted(HOOKS.glob("*.py"))
MODULES = sorted(PACKAGE.rglob("*.py"))


def tracked() -> list[Path]:
    """Every file that git tracks and the working tree still has."""
    names = git("ls-files", "-z", cwd=ROOT).split("\0")
    return [ROOT / name for name in names if name and (ROOT / name).is_file()]


def dotted(file: Path) -> str:
    """Give the name under which a module of the package is imported."""
    parts = file.relative_to(SCRIPTS).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def tier(module: str) -> str:
    """Give the folder that a module lies in: hot, core, edge or cli; "" for the top."""
    first, _, rest = module.partition(".")
    below, _, _ = rest.partition(".")
    return below if first == "baton" and below in ("hot", "core", "edge", "cli") else ""


def imports(file: Path) -> list[str]:
    """Give the dotted names that a file imports when it runs, those inside functions too."""
    found: list[str] = []
    for node in _running(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: a relative import"
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return found


def _running(node: ast.AST) -> Iterator[ast.AST]:
    """Walk a tree, past what only type checkers see."""
    yield node
    children = list(ast.iter_child_nodes(node))
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        children = list(node.orelse)
    for child in children:
        yield from _running(child)
