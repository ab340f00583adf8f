"""Linear maps: linearity, and transposes against the dense matrix and the inner product."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import IntegerAttr, ModuleOp

from mlirad.errors import UnsupportedError
from mlirad.interpreter import run_function
from mlirad.interpreter.spaces import coordinates
from tests.generators import arguments_for, random_map
from tests.generators.arguments import function_of
from tests.generators.map_primitives import PRIMITIVE_MAKERS
from tests.interpreter.programs import module, run

Action = Callable[[list[Any]], tuple[Any, ...]]


def actions(expression: ModuleOp, seed: int) -> tuple[Action, Action, list[Any], list[Any]]:
    """The map and its transpose at random captures, with a random argument for each."""
    rng = random.Random(seed)
    count = function_of(expression, "apply").attributes["captures"]
    assert isinstance(count, IntegerAttr)
    captures, x, ct = [], [], []
    captures = arguments_for(expression, rng, function="apply")[: count.value.data]
    x = arguments_for(expression, rng, function="apply")[count.value.data :]
    ct = arguments_for(expression, rng, function="apply_transpose")[count.value.data :]

    def action(name: str) -> Action:
        return lambda parts: run_function(expression, [*captures, *parts], function=name)

    return action("apply"), action("apply_transpose"), x, ct


def flat(parts: Any) -> np.ndarray:
    return coordinates(tuple(parts)).astype(np.float64)


def dense(action: Action, x: list[Any]) -> np.ndarray:
    """The matrix of a map, a column per basis vector of its domain."""
    size = flat(x).size
    columns = []
    for k in range(size):
        basis, offset, parts = np.eye(size)[k], 0, []
        for part in x:
            n = np.size(part)
            parts.append(basis[offset : offset + n].astype(part.dtype).reshape(np.shape(part))[()])
            offset += n
        columns.append(flat(action(parts)))
    return np.stack(columns, 1) if columns else np.zeros((flat(action(x)).size, 0))


def assert_a_map_and_its_transpose(expression: ModuleOp, seed: int) -> None:
    apply, transpose, x, ct = actions(expression, seed)
    precise = "f32" not in str(expression)
    tolerance = {"rtol": 1e-9, "atol": 1e-9} if precise else {"rtol": 1e-3, "atol": 1e-3}
    y, image = flat(apply(x)), flat(transpose(ct))
    doubled = flat(apply([p + p for p in x]))
    np.testing.assert_allclose(doubled, 2 * y, **tolerance)
    if flat(x).size > 24 or flat(ct).size > 24:
        return
    matrix = dense(apply, x)
    np.testing.assert_allclose(y, matrix @ flat(x), **tolerance)
    np.testing.assert_allclose(image, matrix.T @ flat(ct), **tolerance)
    np.testing.assert_allclose(dense(transpose, ct), matrix.T, **tolerance)


@pytest.mark.parametrize("op_class", PRIMITIVE_MAKERS)
def test_primitives(op_class) -> None:
    for seed in range(8):
        assert_a_map_and_its_transpose(random_map(seed, only=op_class), seed)


@pytest.mark.parametrize("form", ["spine", "general"])
def test_expressions(form) -> None:
    for seed in range(30):
        assert_a_map_and_its_transpose(random_map(seed, 6, form), seed)


def test_inner_products_of_larger_expressions() -> None:
    for seed in range(40):
        apply, transpose, x, ct = actions(random_map(seed + 100, 8, "general"), seed)
        y, image = flat(apply(x)), flat(transpose(ct))
        size = 1 + np.abs(y * flat(ct)).sum() + np.abs(image * flat(x)).sum()
        assert abs(y @ flat(ct) - image @ flat(x)) <= 1e-4 * size


@pytest.mark.parametrize("name", ["apply", "apply_transpose"])
def test_zero_absorbs_infinite_coefficients(name) -> None:
    body = f"""
    %m = linear.scale %k : tensor<4xf64> -> !linear.map<tensor<4xf64>, tensor<4xf64>>
    %y = linear.{name} %m, %x : !linear.map<tensor<4xf64>, tensor<4xf64>>, tensor<4xf64> -> tensor<4xf64>
    func.return %y : tensor<4xf64>"""
    k, x = np.array([np.inf, np.nan, np.inf, 2.0]), np.array([0.0, -0.0, 1.0, 3.0])
    y = run("%k : tensor<4xf64>, %x : tensor<4xf64>", "tensor<4xf64>", body, k, x)
    np.testing.assert_array_equal(y, [0, 0, np.inf, 6])


def test_long_chains_of_maps_apply() -> None:
    steps = 3000
    type_ = "!linear.map<f64, f64>"
    lines = [f"%m0 = linear.identity : -> {type_}", f"%s = linear.scale %k : f64 -> {type_}"]
    lines += [f"%m{i + 1} = linear.compose %s, %m{i} : {type_}, {type_} -> {type_}" for i in range(steps)]
    lines += [
        f"%y = linear.apply %m{steps}, %x : {type_}, f64 -> f64",
        f"%z = linear.apply_transpose %m{steps}, %x : {type_}, f64 -> f64",
        "func.return %y, %z : f64, f64",
    ]
    y, z = run("%k : f64, %x : f64", "f64, f64", "\n".join(lines), -1.0, 3.0)
    assert y == z == 3.0


def test_derivatives_have_no_value_before_they_are_expanded() -> None:
    text = """
    func.func @f(%x : f64) -> f64 {
      func.return %x : f64
    }
    func.func @main(%x : f64) -> f64 {
      %y, %d = linear.linearize %x {callee = @f, wrt = [0]} : f64 -> (f64, !linear.map<f64, f64>)
      func.return %y : f64
    }"""
    with pytest.raises(UnsupportedError, match=r"test.mlir:6.*linear.linearize of @f") as error:
        run_function(module(text), [1.0])
    assert error.value.hint is not None and "linearize" in error.value.hint
