"""baton.core.runs.javascript: a real engine reads the same values back."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baton.core.runs import javascript
from core.runs.flows import needs_node

ODD = (
    "\0\t\n\v\f\r\x1b\x7f\x85\u00ad\u061c\u200b\u200f\u2028\u2029\u202e\u2060\ufeff\ufffe\U000e0001"
)
VALUES: dict[str, Any] = {
    "text": "plain",
    "quotes": "'\"`${x}\\' </script> <!--",
    "odd": ODD,
    "a lone surrogate": "\ud800 and \udfff",
    "Vietnamese": "Dự án Tiếp 🙂",
    "proto": {"__proto__": {"x": 1}, "constructor": 2},
    "nested": [None, True, False, 0, -1, 1.5, 1e300, [], {}, [{"a": ["b"]}]],
}
_READ = (
    "const fs=require('fs');const it=eval(fs.readFileSync(0,'utf8'));"
    "process.stdout.write(JSON.stringify(it))"
)


def read_back(expression: str) -> Any:
    node = shutil.which("node")
    assert node is not None
    done = subprocess.run(
        [node, "-e", _READ], input=expression.encode(), capture_output=True, timeout=280
    )
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


@needs_node
@pytest.mark.parametrize("name", VALUES)
def test_an_engine_reads_the_same(name: str) -> None:
    assert read_back(javascript.parsed(VALUES[name])) == VALUES[name]


@needs_node
def test_an_engine_reads_any_text() -> None:
    texts = [chr(code) for code in range(0x10000)]
    assert read_back(javascript.parsed(texts)) == texts


@given(st.text(alphabet=st.characters(codec=None, exclude_categories=())))
@settings(max_examples=200)
def test_nothing_odd_stands_for_itself(text: str) -> None:
    written = javascript.literal(javascript.json_text(text))
    written.encode("utf-8")
    assert not set(written) & set(ODD)
    assert json.loads(javascript.json_text(text)) == text


def test_what_it_costs() -> None:
    """Letters that are not ASCII stand as they are: an escape costs six bytes."""
    assert javascript.json_text("Tiếp") == '"Tiếp"'
    assert javascript.parsed({"a": "b'"}) == 'globalThis.JSON.parse(\'{"a":"b\\\'"}\')'
