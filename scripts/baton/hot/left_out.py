"""What the last flush left out, as its note names it (design page persist)."""


def rows(note: dict[str, object]) -> list[tuple[str, str]]:
    """Give (path, reason) of each state file that `state.record(OUTCOME)` names as left out.

    Whatever else a damaged note holds in their place is passed over.
    """
    found = note.get("refused")
    listed = found if isinstance(found, list) else []
    pairs = [row for row in listed if isinstance(row, list) and len(row) == 2]
    return [(str(path), str(reason)) for path, reason in pairs]
