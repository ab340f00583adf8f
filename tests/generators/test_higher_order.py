"""Random higher-order programs: they verify, run, and have every op of the dialect."""

from __future__ import annotations

import random

import numpy as np

from mlirad.dialects.function import FUNCTION_OPS
from mlirad.interpreter import run_function
from mlirad.ir.verification import verify_module
from tests.generators import arguments_for, random_higher_order


def test_programs_verify_and_are_bounded_and_continuous() -> None:
    for seed in range(60):
        module = random_higher_order(seed, 5 + seed % 25)
        verify_module(module)
        arguments = arguments_for(module, random.Random(seed))
        nudged = [a + 1e-9 if np.asarray(a).dtype == np.float64 else a for a in arguments]
        (y,), (z,) = run_function(module, arguments), run_function(module, nudged)
        assert abs(y) < 10
        assert abs(y - z) < 1e-5


def test_every_op_of_the_dialect_occurs() -> None:
    programs = [
        random_higher_order(seed, 25, growing=growing) for seed in range(40) for growing in (False, True)
    ]
    assert set(FUNCTION_OPS) <= {type(op) for program in programs for op in program.walk()}


def test_programs_are_functions_of_the_seed() -> None:
    assert str(random_higher_order(11, 10)) == str(random_higher_order(11, 10))
    assert str(random_higher_order(11, 10)) != str(random_higher_order(12, 10))
