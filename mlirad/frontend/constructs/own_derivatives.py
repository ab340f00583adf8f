"""Library code with a derivative of its own, where that of its formula would be inaccurate or has no limit.

    with_derivative(np.tanh, lambda x, y, dx: dx / np.cosh(x) ** 2, x)

The rule is code like any other: it is differentiated as it is written, so derivatives of every order follow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import add
from typing import Any, cast

from mlirad.dialects.array.custom import CustomOp
from mlirad.dialects.array.structural import BroadcastOp, ConstantOp
from mlirad.dialects.shapes import FLAG, Value, is_float
from mlirad.frontend.tracing.array import Array, made
from mlirad.frontend.tracing.frames import current_frame, emitting
from mlirad.frontend.tracing.operations import as_array
from mlirad.ir.builder import yields


def with_derivative(
    value: Callable[..., Any], derivative: Callable[..., Any], *operands: Array, squared: bool = False
) -> Any:
    """`value(*operands)`, an array or a tuple of arrays of floats, with a derivative of its own.

    `derivative(*operands, *results, *tangents)` gives the tangent of each result from those of the operands
    that are floats. It is linear in these, from which reverse mode follows. Neither function may read traced
    values from outside. With `squared` there are two results, the second the square of the first.
    """
    b, frame = emitting(), current_frame()

    def region(function: Callable[..., Any], types: Sequence[Any]) -> Any:
        def body(*values: Value) -> list[Value]:
            with frame.open_scope():
                found: Any = function(*map(made, values))
                parts = cast("tuple[Any, ...]", found if isinstance(found, tuple) else (found,))
                return [as_array(x).value for x in parts]

        return b.region(types, body)

    types = [x.value.type for x in operands]
    body = region(value, types)
    made_types = [v.type for v in yields(body)]
    tangents = [t for t in types if is_float(t)]
    rule = region(derivative, [*types, *made_types, *tangents])
    values = [x.value for x in operands]
    properties = {"results": FLAG, **({"squared": FLAG} if squared else {})}
    results = b.insert(CustomOp, values, made_types, properties, [body, rule]).results
    found = [made(r) for r in results]
    return tuple(found) if len(found) > 1 else found[0]


def with_partials(
    value: Callable[..., Array], partials: Sequence[Callable[..., Array]], *operands: Array
) -> Any:
    """`value(*operands)`, of floats, with a partial derivative of its own by each operand.

    `partials[k](*operands, result)` is that by operand k. It is traced unless that operand is a number, so
    partial derivatives that are long cost nothing where they are 0.
    """
    varied = [k for k, x in enumerate(operands) if not _is_number(x.value)]

    def derivative(*given: Array) -> Array:
        at, tangents = given[: len(operands) + 1], given[len(operands) + 1 :]
        terms = [partials[k](*at) * tangents[k] for k in varied]
        return reduce(add, terms) if terms else at[-1] * 0.0

    return with_derivative(value, derivative, *operands)


def _is_number(value: Value) -> bool:
    """Tell if a value is one number that is known while tracing."""
    op = value.owner
    return isinstance(op, ConstantOp) or (isinstance(op, BroadcastOp) and _is_number(op.operand))
