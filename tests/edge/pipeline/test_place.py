"""What a pipeline may be called."""

from __future__ import annotations

import pytest

from baton.core.errors import BatonError
from baton.edge.pipeline.place import checked_name
from baton.hot import clean

END = "; nothing was recorded"
ODD = ["", ".hidden", "a/b", "a b", "x.jsonl", "dot.", "ü", "n" * 65, "NUL", "com1", "aux.v2"]


@pytest.mark.parametrize("name", ODD)
def test_names_that_no_file_may_have(name: str) -> None:
    with pytest.raises(BatonError) as caught:
        checked_name(name)
    error = caught.value
    assert (error.code, error.hint) == ("usage", "baton pipeline start --name main --entry 1")
    assert error.message == (
        "a pipeline's name is letters, digits, dots and dashes, and none that Windows keeps for a "
        f"device, got {clean.quoted(name, 60)}{END}"
    )


def test_names_that_files_may_have() -> None:
    for name in ("main", "paper-2.1_b", "console", "n" * 64):
        assert checked_name(name) == name
