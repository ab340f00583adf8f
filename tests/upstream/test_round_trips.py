"""Random array programs keep their meaning on the way to upstream dialects and back."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from xdsl.ir import Operation

from mlirad.dialects.array import ARRAY_OPS, FRAME_OPS
from mlirad.dialects.array.elementwise import CompareOp, ConvertOp
from mlirad.dialects.array.indexing import YieldOp
from mlirad.interpreter import run_function
from mlirad.ir.printing import text_of
from mlirad.passes.convert_from_array.convert_from_array import HANDLERS, REFUSED
from mlirad.passes.convert_from_array.scalars import FORMULAS
from mlirad.pipelines import run_passes
from mlirad.registry import make_passes
from tests.generators import arguments_for, random_program
from tests.upstream.mlir_tools import Call, run
from tests.upstream.test_programs import call_of, converted, functions_of, renamed

WITH_PROPERTIES = (CompareOp, ConvertOp)
"""Elementwise ops whose formula depends on more than their class."""


def is_converted(op_class: type[Operation]) -> bool:
    """Return whether an op has a form in upstream dialects."""
    return op_class not in REFUSED


def test_every_op_is_converted_or_refused_for_a_reason() -> None:
    converted_ops = {*HANDLERS, *FORMULAS, *WITH_PROPERTIES}
    assert converted_ops.isdisjoint(REFUSED)
    assert converted_ops | set(REFUSED) == {*ARRAY_OPS, *FRAME_OPS} - {YieldOp}
    assert all(len(reason.split()) > 3 for reason in REFUSED.values())


def check_round_iteration(seed: int, size: int) -> None:
    """Compare a random program with itself after a journey, as text and in memory."""
    module = random_program(seed, size, allow=is_converted)
    upstream = module.clone()
    run_passes(upstream, make_passes("convert-from-array"))
    back = converted(text_of(upstream), "convert-to-array")
    arguments = arguments_for(module, random.Random(seed), special=bool(seed % 2))
    with np.errstate(all="ignore"):
        expected = run_function(module, arguments)
        found = run_function(back, arguments)
    for a, b in zip(expected, found, strict=True):
        tolerance = 1e-4 if a.dtype == np.float32 else 1e-9
        np.testing.assert_allclose(b, a, rtol=tolerance, atol=tolerance, err_msg=f"seed {seed}")


@pytest.mark.parametrize("seed", range(40))
def test_random_programs_keep_their_meaning(seed) -> None:
    check_round_iteration(seed, 12)


def check_in_runner(seeds: Sequence[int], size: int) -> None:
    """Compare random programs with what MLIR's runner makes of them as upstream code, all in one process."""
    texts: list[str] = []
    calls: list[Call] = []
    expected: list[Sequence[Any]] = []
    for seed in seeds:
        module = random_program(seed, size, allow=is_converted)
        arguments = arguments_for(module, random.Random(seed))
        with np.errstate(all="ignore"):
            expected.append(run_function(module, arguments))
        run_passes(module, make_passes("convert-from-array"))
        texts.append(renamed(module, f"p{seed}_"))
        calls.append(call_of(functions_of(module)[0], f"p{seed}_", arguments))
    declarations = {line for text in texts for line in text.splitlines() if "func.func private" in line}
    lines = [line for text in texts for line in text.splitlines() if line not in declarations]
    found = run("\n".join([*sorted(declarations), *lines]), calls)
    for seed, meant, results in zip(seeds, expected, found, strict=True):
        for a, b in zip(meant, results, strict=True):
            tolerance = 1e-4 if b.dtype == np.float32 else 1e-9
            np.testing.assert_allclose(b, a, rtol=tolerance, atol=tolerance, err_msg=f"seed {seed}")


def test_random_programs_mean_the_same_in_the_runner() -> None:
    check_in_runner(range(12), 10)


@pytest.mark.fuzz
def test_many_random_programs_mean_the_same_in_the_runner(fuzz_seconds: float) -> None:
    end, seeds = time.monotonic() + fuzz_seconds, random.SystemRandom()
    while time.monotonic() < end:
        check_in_runner([seeds.randrange(2**32) for _ in range(12)], 12)
