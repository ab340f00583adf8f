"""Random array programs keep their meaning on the way to upstream dialects and back."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from xdsl.ir import Operation

from mlirad.dialects.array import ARRAY_OPS, FRAME_OPS
from mlirad.dialects.array.elementwise import ElementwiseOp
from mlirad.dialects.array.indexing import YieldOp
from mlirad.interpreter import run_function
from mlirad.ir.printing import text_of
from mlirad.pipelines import run_passes
from mlirad.registry import make_passes
from tests.generators import arguments_for, random_program
from tests.upstream.mlir_tools import Call, run
from tests.upstream.test_programs import call_of, converted, functions_of, renamed


def is_converted(op_class: type[Operation]) -> bool:
    """Whether an op has a form in upstream dialects."""
    from mlirad.passes.convert_from_array.convert_from_array import REFUSED

    return op_class not in REFUSED


def test_every_op_is_converted_or_refused_for_a_reason() -> None:
    from mlirad.passes.convert_from_array.convert_from_array import HANDLERS, REFUSED
    from mlirad.passes.convert_from_array.scalars import FORMULAS, formula_of

    for op_class in (*ARRAY_OPS, *FRAME_OPS):
        if op_class is YieldOp:
            continue
        with_properties = issubclass(op_class, ElementwiseOp) and op_class.name in (
            "array.compare",
            "array.convert",
        )
        converted_somehow = op_class in HANDLERS or op_class in FORMULAS or with_properties
        assert converted_somehow != (op_class in REFUSED), op_class.name
    assert all(reason and reason[0].islower() for reason in REFUSED.values())
    assert formula_of


def check_round_trip(seed: int, size: int) -> None:
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


@pytest.mark.parametrize("seed", range(100))
def test_random_programs_keep_their_meaning(seed) -> None:
    check_round_trip(seed, 12)


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
