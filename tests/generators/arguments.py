"""Random inputs for the functions of a module."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from mlirad.dialects.array.literals import literal, numpy_dtype
from mlirad.dialects.shapes import element_of, shape_of

SPECIAL = (0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e30, -1e30, 1e-30)


def function_of(module: ModuleOp, name: str = "main") -> FuncOp:
    """The named function of a module."""
    for op in module.body.block.ops:
        if isinstance(op, FuncOp) and op.sym_name.data == name:
            return op
    raise KeyError(name)


def arguments_for(
    module: ModuleOp, rng: random.Random, *, special: bool = False, function: str = "main"
) -> list[Any]:
    """One NumPy value per parameter. Floats are near 1 in size and not 0; integers are small.

    `special` mixes in zeros of both signs, infinities, NaN, huge and tiny floats, and extreme integers.
    """
    types = function_of(module, function).function_type.inputs.data
    return [random_value(t, rng, special=special) for t in types]


def random_literal(type_: Attribute, rng: random.Random, *, special: bool = False) -> Attribute:
    """A random literal of a type."""
    return literal(random_value(type_, rng, special=special), element_of(type_))


def random_value(type_: Attribute, rng: random.Random, *, special: bool = False) -> Any:
    """A random array, or NumPy scalar, of a type."""
    shape, dtype = shape_of(type_), numpy_dtype(type_)
    count = int(np.prod(shape, dtype=np.int64))
    if dtype.kind == "f":
        numbers = [rng.choice((-1, 1)) * rng.uniform(0.2, 1.8) for _ in range(count)]
        if special:
            numbers = [rng.choice(SPECIAL) if rng.random() < 0.3 else x for x in numbers]
    elif dtype.kind == "i":
        numbers = [rng.randint(-3, 5) for _ in range(count)]
        if special:
            info = np.iinfo(dtype)
            extremes = (info.min, info.max, 0, -1, 64)
            numbers = [rng.choice(extremes) if rng.random() < 0.3 else x for x in numbers]
    else:
        numbers = [rng.random() < 0.5 for _ in range(count)]
    with np.errstate(over="ignore"):
        return np.array(numbers).astype(dtype).reshape(shape)[()]
