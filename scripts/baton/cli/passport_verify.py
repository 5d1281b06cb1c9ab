"""`baton passport verify`: a passport checked from its bytes, by nothing that writes one."""

from __future__ import annotations

import argparse

from baton.cli.context import Context
from baton.cli.passport_desk import Desk
from baton.core.errors import typed
from baton.core.passport import ledger as ledgers
from baton.core.passport.document import Document
from baton.core.passport.entry import Boundary
from baton.core.passport.errors import LedgerError
from baton.edge.passport import marks
from baton.edge.passport.marks import Look
from baton.edge.passport_file import PassportFile

_BLIND = "Bytes alone cannot show a changed resume entry or a cut-off tail"


def verify(arguments: argparse.Namespace, context: Context) -> int:
    """Say whether the ledger holds together; exit 1, naming the first bad entry, when it does not."""
    file = Desk(context).named(arguments.file)
    try:
        document, look = file.compared()
        problem = ledgers.first_problem(document)
    except LedgerError as error:
        return _report(context, file, None, _problem(error, error.message), Look())
    if problem:
        told = problem.in_file(file.place.name).message
        return _report(context, file, document, _problem(problem, told), Look())
    return _report(context, file, document, _rewound(file.place.name, document, look), look)


def _problem(error: LedgerError, message: str) -> dict[str, object]:
    return {
        "code": error.code,
        "index": error.index,
        "line": error.line,
        "expected": error.expected,
        "got": error.got,
        "message": message,
    }


def _rewound(name: str, document: Document, look: Look) -> dict[str, object] | None:
    lost = look.rewound
    if lost is None:
        return None
    lines = document.lines
    return {
        "code": "ledger-rewound",
        "index": lost.at,
        "line": lines[lost.at] if lost.at < len(lines) else None,
        "expected": f"{lost.had} entries",
        "got": f"{lost.has} entries",
        "message": marks.told(name, lost),
    }


def _report(
    context: Context,
    file: PassportFile,
    document: Document | None,
    problem: dict[str, object] | None,
    look: Look,
) -> int:
    entries = document.entries if document else ()
    boundaries = [each for each in entries if isinstance(each, Boundary)]
    waiting = (
        [each.boundary.hash for each in ledgers.checked(document).awaiting()]
        if document and not problem
        else []
    )
    data: dict[str, object] = {
        "ok": problem is None,
        "entries": len(entries),
        "boundaries": len(boundaries),
        "awaiting": waiting,
        "problem": problem,
        "compared": list(look.compared),
        "unchecked": list(look.unchecked),
    }
    count = f"entries {len(entries)}, boundaries {len(boundaries)}, awaiting {len(waiting)}"
    lines = (
        [str(problem["message"]), *_next(problem, file.place.name, context)]
        if problem
        else [
            f"{file.place.name}: holds together: {count}",
            *(f"awaiting: {hash_}" for hash_ in waiting),
            f"{_BLIND}; {_compared(look)}.",
        ]
    )
    context.answer("\n".join([*lines, *look.unchecked]), data)
    return 1 if problem else 0


def _next(problem: dict[str, object], name: str, context: Context) -> list[str]:
    """What to type where a ledger does not hold together."""
    if problem["code"] == "ledger-rewound":
        return [
            "bring it back from git or a copy; only a person may take it as it is: "
            f"baton passport accept {typed(name)}"
        ]
    if context.project.checkout is None:
        return []
    git = f"git -C {typed(context.project.root)}"
    return [
        f"to see what changed it: {git} diff HEAD -- {typed(name)}",
        f"and before that: {git} log -p -- {typed(name)}",
    ]


def _compared(look: Look) -> str:
    if not look.compared:
        return "and there is nothing here to compare it with"
    return f"what was last seen {' and '.join(look.compared)} agrees with it"
