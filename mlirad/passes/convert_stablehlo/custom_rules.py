"""Calls of functions with derivative rules of their own, which the bridge from JAX puts beside a program.

    %y = stablehlo.custom_call @mlirad.rule(%x) {backend_config = "rule0"}      -->      array.custom

`@rule0.value` takes the operands; `@rule0.derivative`, `@rule0.transposed` or both take these, the results,
and what they move of floats, as `array.custom` has them. Without a rule the derivative is NaN.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import partial
from math import nan
from typing import Final

from xdsl.dialects.builtin import StringAttr, f64
from xdsl.ir import Attribute, Block, Region

from mlirad.dialects.array.custom import CustomOp
from mlirad.dialects.shapes import FLAG, Value, element_of, is_float, shape_of
from mlirad.dialects.stablehlo import HloOp
from mlirad.errors import DroppedRuleWarning, UnsupportedError
from mlirad.ir.builder import function_block
from mlirad.passes.convert_stablehlo.converter import Converter
from mlirad.passes.convert_stablehlo.types import language_type

RULE: Final = "mlirad.rule"
"""The target of such calls."""

VALUE, DERIVATIVE, TRANSPOSED, CODE = "value", "derivative", "transposed", "code"
"""The functions of a rule, behind its name and a dot. `CODE` stands for a function whose rule is dropped."""


def dropped(function: str, why: str) -> str:
    """The message that a rule is not kept."""
    return (
        f"the derivative rule of {function} is not kept, and its operations are differentiated in its place: "
        f"{why}"
    )


def with_rule(c: Converter, op: HloOp, operands: list[Value]) -> list[Value]:
    """The results of a function with a rule. On scalars of a region that is applied to arrays it has none."""
    config = op.properties.get("backend_config")
    name = config.data if isinstance(config, StringAttr) else ""
    if f"{name}.{CODE}" in c.functions:
        return c.block(function_block(c.functions[f"{name}.{CODE}"]), operands)
    if f"{name}.{VALUE}" not in c.functions:
        raise c.refuse(op, "names no function with a rule")
    value = function_block(c.functions[f"{name}.{VALUE}"])
    results = [language_type(r.type) for r in op.results]
    floats = [v.type for v in operands if is_float(v)]
    made = [t for t in results if is_float(t)]
    if c.over is not None or not floats or not made:
        return c.block(value, operands)
    b, types = c.b, [v.type for v in operands]
    moved = {DERIVATIVE: floats, TRANSPOSED: made}
    rules: list[Region] = []
    try:
        for direction, vectors in moved.items():
            function = c.functions.get(f"{name}.{direction}")
            if function is not None:
                block = function_block(function)
                rules.append(b.region([*types, *results, *vectors], partial(_applied, c, block)))
    except UnsupportedError as error:
        warnings.warn(dropped(name.partition(".")[2], error.message), DroppedRuleWarning, stacklevel=2)
        return c.block(value, operands)
    properties = {"results": FLAG}
    if not rules:
        start = len(types) + len(results)
        rules.append(b.region([*types, *results, *floats], lambda *a: _unknown(c, a[start], results)))
    elif f"{name}.{DERIVATIVE}" not in c.functions:
        properties["transposed"] = FLAG
    body = b.region(types, lambda *a: c.block(value, a))
    return list(b.insert(CustomOp, operands, results, properties, [body, *rules]).results)


def _applied(c: Converter, block: Block, *values: Value) -> list[Value]:
    return c.block(block, values)


def _unknown(c: Converter, tangent: Value, results: Sequence[Attribute]) -> list[Value]:
    """NaN times a tangent, for each float result."""
    b = c.b
    total = b.sum(tangent, range(len(shape_of(tangent))))
    unknown = b.convert(b.scaled(total, nan), f64)
    floats = (t for t in results if is_float(t))
    return [b.broadcast(b.convert(unknown, element_of(t)), shape_of(t), ()) for t in floats]
