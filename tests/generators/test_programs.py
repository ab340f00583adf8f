"""The generators: they cover their dialects, verify, run, are functions of the seed, and stay smooth."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp, f32, f64

from mlirad.dialects import linear
from mlirad.dialects.array import ARRAY_OPS
from mlirad.dialects.array.elementwise import AddOp, ExpOp
from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.array.structural import SizeOp
from mlirad.dialects.shapes import is_float, size_of
from mlirad.interpreter import run_function
from tests.generators import arguments_for, programs, random_map, random_program
from tests.generators.makers import MAKERS
from tests.generators.map_builds import BUILD_MAKERS
from tests.generators.map_control import CONTROL_MAP_MAKERS
from tests.generators.map_functions import FUNCTION_MAKERS
from tests.generators.map_primitives import PRIMITIVE_MAKERS


def names(module: ModuleOp) -> list[str]:
    return [op.name for op in module.walk()]


def test_every_op_of_the_array_dialect_has_a_maker() -> None:
    assert {*MAKERS, YieldOp, SizeOp} == set(ARRAY_OPS)  # sizes have programs of their own: test_extents.py


def test_every_primitive_map_has_a_maker() -> None:
    assert set(PRIMITIVE_MAKERS) == set(linear.ARRAY_MAP_OPS)
    everything = {*linear.PRIMITIVE_OPS, *linear.CONTROL_OPS, *linear.CODE_OPS}
    assert {*PRIMITIVE_MAKERS, *CONTROL_MAP_MAKERS, *BUILD_MAKERS, *FUNCTION_MAKERS} == everything


@pytest.mark.parametrize("smooth", [False, True])
def test_every_op_occurs(smooth) -> None:
    seen = {name for seed in range(250) for name in names(random_program(seed, 15, smooth))}
    missing = {op.name for op in MAKERS} - seen
    rough = ("sign", "floor", "ceil", "round", "trunc", "copysign", "stop_gradient")
    of_derivatives = ("tanh_slope", "logistic_slope", "deviation")
    not_unique = ("schur",)
    assert missing <= ({"array." + n for n in (*rough, *of_derivatives, *not_unique)} if smooth else set())


def test_every_map_occurs() -> None:
    seen = {name for seed in range(150) for name in names(random_map(seed, 6, "general", functions=True))}
    assert {op.name for op in (*linear.STRUCTURE_OPS, *linear.PRIMITIVE_OPS, *linear.CONTROL_OPS)} <= seen


@given(programs(max_ops=12), st.integers(0, 1000))
def test_programs_verify_and_run(module, seed) -> None:
    module.verify()
    run_function(module, arguments_for(module, random.Random(seed)))
    run_function(module, arguments_for(module, random.Random(seed), special=True))


@given(programs(max_ops=12, smooth=True), st.integers(0, 1000))
def test_smooth_programs_are_bounded_and_continuous(module, seed) -> None:
    module.verify()
    args = arguments_for(module, random.Random(seed))
    nudged = [a + 1e-9 if np.asarray(a).dtype == np.float64 else a for a in args]
    for y, z in zip(run_function(module, args), run_function(module, nudged), strict=True):
        assert np.asarray(y).dtype == np.float64
        assert np.all(np.abs(y) < 10)
        np.testing.assert_allclose(z, y, rtol=0, atol=1e-3)


def test_programs_are_functions_of_the_seed() -> None:
    assert str(random_program(11, 10)) == str(random_program(11, 10))
    assert str(random_program(11, 10)) != str(random_program(12, 10))
    assert str(random_map(11, 5)) == str(random_map(11, 5))


def test_smaller_programs_are_beginnings() -> None:
    small = str(random_program(3, 5)).split("func.return")[0]
    large = str(random_program(3, 6)).split("func.return")[0]
    body = small.split("{", 2)[2].rstrip()
    assert body in large


def test_restrictions_are_kept() -> None:
    allowed = {"array.add", "array.exp", "array.constant", "array.broadcast", "array.sum"}
    module = random_program(5, 20, elements={f32: 1}, ranks=(1, 2), allow=(AddOp, ExpOp))
    assert set(names(module)) <= allowed | {"builtin.module", "func.func", "func.return"}
    values = [r for op in module.walk() for r in op.results]
    assert values and all(is_float(v) and size_of(v) <= 100 for v in values)
    assert f64 not in {v.type for v in values}
