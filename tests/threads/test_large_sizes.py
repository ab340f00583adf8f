"""Programs for all large sizes that threads share: tasks follow from the size, and no bit from threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mlirad.interpreter import run_function
from mlirad.jit.call import NativeFunction
from mlirad.lower.native_program import NativeProgram
from tests.lower.sized_programs import PROGRAMS, array, function
from tests.lower.test_large_sizes import compiled, drawn
from tests.threads.sharing import counted, digests, everything_shared, is_shared

SIZES = (256, 257, 1000)

ALONE = (
    "rows of a table",
    "sums of single precision",
    "where the greatest is",
    "sums so far",
    "in order",
    "steps",
)
"""Programs without a loop of independent iterations that is long enough."""

SHARED = [name for name in PROGRAMS if name not in ALONE]


@pytest.mark.parametrize("case", SHARED)
def test_same_bits_for_any_number_of_threads(case: str) -> None:
    with everything_shared():
        module, program = compiled(PROGRAMS[case])
    assert is_shared(program)
    rng = np.random.default_rng(0)
    for n in SIZES:
        bound = program.bound({"n": n})
        arguments = drawn(bound, rng)
        assert len(set(digests(bound, arguments).values())) == 1
        got: Any = NativeFunction(bound, debug=True, threads=3)(*arguments)
        wanted: Any = run_function(module, arguments)
        for one, other in zip(got, wanted, strict=True):
            tolerance = 1e-5 if np.asarray(other).dtype == np.float32 else 1e-11
            np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance)


def tasks_at(program: NativeProgram, n: int) -> int:
    """The number of tasks that threads shared in a call of a size."""
    bound = program.bound({"n": n})
    arguments = drawn(bound, np.random.default_rng(0))
    call = NativeFunction(bound, threads=2)
    call(*arguments)
    return counted(lambda: call(*arguments)).tasks


def test_how_many_tasks_there_are_follows_from_the_size() -> None:
    x = array("n")
    text = function({"x": x}, [f"%0 = array.tanh %x : {x}"], {"0": x})
    _, program = compiled(text, checks=False)
    assert is_shared(program) is False, "so few rows as costs are estimated for are one task"
    found = [tasks_at(program, n) for n in (256, 4096, 60_000, 400_000, 2_000_000)]
    assert found[:2] == [0, 0]
    assert found == sorted(found)
    assert 4 < found[3] < found[4] <= 128
