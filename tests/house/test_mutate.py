"""scripts/mutate: what it changes, and that a change which a test notices is told from one that none does."""

from __future__ import annotations

import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType

import pytest

from support import ROOT


@pytest.fixture(scope="module")
def mutate() -> ModuleType:
    loader = SourceFileLoader("mutate", str(ROOT / "scripts/mutate"))
    spec = spec_from_loader("mutate", loader)
    assert spec is not None
    module = module_from_spec(spec)
    # Its dataclasses look their module up.
    sys.modules["mutate"] = module
    loader.exec_module(module)
    return module


SOURCE = '''\
"""About."""
def small(n: int, names: list[str] = []) -> bool:
    """Say whether."""
    if not names and n <= 3:
        return n == 3 or "x" in names
    names.append("y")
    return True
'''
CHANGES = [
    (4, "And to Or", "names or n <= 3"),
    (4, "LtE to Lt", "n < 3"),
    (4, "3 to 4", "n <= 4"),
    (4, "not not", "not not names"),
    (4, "the condition negated", "if not (not names and n <= 3)"),
    (5, "return None", "return None"),
    (5, "Or to And", "n == 3 and"),
    (5, "Eq to NotEq", "n != 3"),
    (5, "3 to 4", "n == 4"),
    (5, "In to NotIn", "'x' not in names"),
    (5, "another text", "'xx' in names"),
    (6, "no expr", "    pass\n    return True"),
    (7, "return None", "    return None"),
    (7, "True to False", "return False"),
]


def test_what_is_changed(mutate: ModuleType) -> None:
    found = list(mutate.mutants("m.py", SOURCE))
    assert sorted((each.line, each.what) for each in found) == sorted(row[:2] for row in CHANGES)
    for line, what, code in CHANGES:
        [mutant] = [each for each in found if (each.line, each.what) == (line, what)]
        assert code in mutant.code, what
        assert mutant.key == ("m.py", SOURCE.splitlines()[line - 1].strip(), what)


def test_annotations_docstrings_and_slots_are_left_alone(mutate: ModuleType) -> None:
    source = "@dataclass(frozen=True)\nclass A:\n    '''x'''\n    __slots__ = ('a',)\n    b: tuple[1, 2]\n"
    assert list(mutate.mutants("m.py", source)) == []


def test_every_target_is_there(mutate: ModuleType) -> None:
    assert list(mutate.TARGETS) == ["hash", "match", "lock", "gate", "safe-state"]
    for modules in mutate.TARGETS.values():
        for module, tests in modules.items():
            assert (ROOT / "scripts/baton" / module).is_file()
            assert all((ROOT / "tests" / test).exists() for test in tests)


def test_every_explanation_fits_a_mutant(mutate: ModuleType) -> None:
    explained = mutate.explanations((ROOT / mutate.EXPLAINED).read_text(encoding="utf-8"))
    assert all(len(reason) > 20 for reason in explained.values())
    for module in {key[0] for key in explained}:
        source = (ROOT / "scripts/baton" / module).read_text(encoding="utf-8")
        there = {each.key for each in mutate.mutants(module, source)}
        assert {key for key in explained if key[0] == module} <= there


@pytest.mark.slow
def test_a_mutant_that_is_noticed_and_one_that_is_not(mutate: ModuleType, tmp_path: Path) -> None:
    bench = mutate.Bench(tmp_path)
    tests = ("hot/test_digits.py",)
    source = (ROOT / "scripts/baton/hot/digits.py").read_text(encoding="utf-8")
    assert bench.run(tests, 120) == 0
    noticed = {
        each.what: bench.notices(each, tests, 120)
        for each in mutate.mutants("hot/digits.py", source)
        if each.what in ("LtE to Lt", "return None")
    }
    assert noticed == {"LtE to Lt": True, "return None": True}
    harmless = mutate.Mutant("hot/digits.py", 1, "", "", source + "\nx = 1\n")
    assert not bench.notices(harmless, tests, 120)
    endless = mutate.Mutant("hot/digits.py", 1, "", "", source + "\nwhile True: pass\n")
    assert bench.notices(endless, tests, 5)
    assert (tmp_path / "scripts/baton/hot/digits.py").read_text(encoding="utf-8") == source
