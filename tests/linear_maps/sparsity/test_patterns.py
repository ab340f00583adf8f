"""Sparsity patterns of linear maps against their dense matrices, which the interpreter gives by columns."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from mlirad.dialects import linear
from mlirad.dialects.linear import ARRAY_MAP_OPS
from mlirad.dialects.shapes import is_float, shape_of, size_of
from mlirad.interpreter import run_function
from mlirad.ir.call_graph import functions_of
from mlirad.linear_maps.sparsity import Known, sparsity_of
from tests.generators.arguments import random_value
from tests.generators.maps import random_map


def captured_values(function: FuncOp, seed: int) -> list[Any]:
    """A value for each captured one; floats stay away from 0."""
    count = function.attributes["captures"].value.data  # pyright: ignore
    rng = random.Random(seed)
    values = [random_value(a.type, rng) for a in list(function.body.block.args)[:count]]
    return [
        np.where(np.abs(v) < 0.1, np.asarray(0.7, np.asarray(v).dtype), v)[()] if is_float(a) else v
        for v, a in zip(values, function.body.block.args, strict=False)
    ]


def dense(function: FuncOp, captured: list[Any]) -> np.ndarray[Any, Any]:
    """The matrix of the map that the function applies to its last parameters."""
    vectors = list(function.body.block.args)[len(captured) :]
    zeros = [np.zeros(shape_of(v), np.asarray(random_value(v.type, random.Random(0))).dtype) for v in vectors]
    columns: list[Any] = []
    for k, zero in enumerate(zeros):
        for i in range(zero.size):
            one = zero.copy()
            one.reshape(-1)[i] = 1
            given_vectors = [one[()] if j == k else z[()] for j, z in enumerate(zeros)]
            images = run_function(function, [*captured, *given_vectors])
            columns.append(np.concatenate([np.ravel(image) for image in images] or [np.zeros(0)]))
    height = sum(size_of(result) for result in function.body.block.last_op.operands)  # pyright: ignore
    return np.stack(columns, 1) if columns else np.zeros((height, 0))


def found(module: ModuleOp, captured: list[Any], *, integers_only: bool) -> np.ndarray[Any, Any]:
    """The pattern of the applied map as a dense matrix of booleans."""
    function = functions_of(module)[0]
    application = next(op for op in function.body.block.ops if isinstance(op, linear.ApplyOp))
    known = {
        a: np.asarray(v)
        for a, v in zip(function.body.block.args, captured, strict=False)
        if not (integers_only and is_float(a))
    }
    pattern = sparsity_of(application.map, Known(known))
    matrix = np.zeros(pattern.shape, bool)
    matrix[pattern.rows, pattern.columns] = True
    assert pattern.count == matrix.sum(), "an entry twice"
    keys = pattern.rows * max(pattern.shape[1], 1) + pattern.columns
    assert (np.diff(keys) > 0).all(), "out of order"
    return matrix


@pytest.mark.parametrize("op_class", ARRAY_MAP_OPS, ids=lambda op: op.name)
def test_the_pattern_of_a_primitive_is_exact(op_class: type[linear.MapOp]) -> None:
    """Except for Fourier transforms, which are taken for dense: roots of unity have parts that are 0."""
    for seed in range(25):
        module = random_map(seed, only=op_class)
        captured = captured_values(functions_of(module)[0], seed)
        expected = dense(functions_of(module)[0], captured) != 0
        pattern = found(module, captured, integers_only=True)
        assert not (expected & ~pattern).any(), seed
        assert op_class is linear.FftOp or np.array_equal(pattern, expected), seed


@given(st.integers(0, 2**32 - 1), st.sampled_from(["spine", "general"]), st.booleans())
def test_no_entry_of_a_random_map_is_missing(seed: int, form: str, integers_only: bool) -> None:
    module = random_map(seed, 6, form)
    captured = captured_values(functions_of(module)[0], seed)
    expected = dense(functions_of(module)[0], captured) != 0
    matrix = found(module, captured, integers_only=integers_only)
    assert matrix.shape == expected.shape
    assert not (expected & ~matrix).any()


@given(st.integers(0, 2**32 - 1))
def test_unknown_positions_and_conditions_give_a_superset(seed: int) -> None:
    module = random_map(seed, 6, "spine")
    captured = captured_values(functions_of(module)[0], seed)
    matrix = found(module, captured, integers_only=False)
    function = functions_of(module)[0]
    application = next(op for op in function.body.block.ops if isinstance(op, linear.ApplyOp))
    unknown = sparsity_of(application.map, Known({}))
    wider = np.zeros(unknown.shape, bool)
    wider[unknown.rows, unknown.columns] = True
    assert not (matrix & ~wider).any()
