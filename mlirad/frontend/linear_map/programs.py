"""Applying map expressions: in a trace as ops, at the top level by a program per expression and use.

    J.T @ J  on a vector      one program of J's arrays and the vector, in which the map of J is written out
                              and applied twice, once transposed

A program takes the arrays of the expression as parameters, so it serves all points, and copies none of them.
It is kept with the first linearised function in the expression, and dropped with it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import Any, TypeAlias, cast

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from mlirad.dialects import linear
from mlirad.dialects.array.literals import ELEMENT_TYPES
from mlirad.dialects.shapes import Value, array_type
from mlirad.errors import TracingError
from mlirad.frontend.compiling.compilation import Executable, compiling, executable
from mlirad.frontend.compiling.options import Options
from mlirad.frontend.compiling.programs import Cache
from mlirad.frontend.linear_map.expressions import MapExpression
from mlirad.frontend.linear_map.nodes import Transpose, transposed
from mlirad.frontend.tracing.array import Array, made
from mlirad.frontend.tracing.frames import Functions, emitting, in_trace, leaked_error
from mlirad.frontend.tracing.functions import function_of
from mlirad.frontend.tracing.leaf_types import LeafType
from mlirad.frontend.tracing.operations import as_array
from mlirad.frontend.tracing.run_time_checks import marked_still
from mlirad.frontend.tracing.source import user_line
from mlirad.ir.arrays import ArrayBuilder, new_function

Body: TypeAlias = Callable[[MapExpression, list[Array], list[Array]], Sequence[Array]]
"""The code of a program: from an expression, its arrays and further arguments."""


def apply_traced(expression: MapExpression, arrays: Sequence[Any], vectors: Sequence[Array]) -> list[Array]:
    """The image of a vector, one array per leaf, as ops of the function being traced."""
    root, is_transposed = expression, False
    while isinstance(root.steps[-1].node, Transpose):
        root = transposed(root)
        is_transposed = not is_transposed
    b = emitting()
    values = [as_array(a).value for a in arrays]
    map_ = root.emit(b, values)
    op_class = linear.ApplyTransposeOp if is_transposed else linear.ApplyOp
    types = [leaf.type for leaf in expression.codomain.moving]
    moved = marked_still([as_array(v) for v in vectors])
    op = b.insert(op_class, [map_, *(v.value for v in moved)], types)
    return [made(image) for image in op.results]


def run(
    expression: MapExpression, what: Hashable, body: Body, arrays: Sequence[Any], arguments: Sequence[Any]
) -> tuple[Any, ...]:
    """Return what `body` computes, called `what`, by a compiled program; for use outside of a trace."""
    if expression.is_traced or any(isinstance(a, Array) for a in arrays):
        raise leaked_error()
    types = [LeafType(np.shape(a), np.asarray(a).dtype) for a in arguments]
    key = (expression, what, tuple(types))
    program = cache_of(expression).of(key, lambda: _compile(expression, body, arrays, types))
    results: Any = program(*arrays, *arguments)
    return cast("tuple[Any, ...]", results) if isinstance(results, tuple) else (results,)


def cache_of(expression: MapExpression) -> Cache:
    """Return where the programs of an expression are kept."""
    programs = expression.programs
    return programs[0].programs if programs else _cache


_cache = Cache()
"""The programs of expressions without a derivative in them."""


@compiling
def _compile(
    expression: MapExpression, body: Body, arrays: Sequence[Any], types: Sequence[LeafType]
) -> Executable:
    of_arrays = [LeafType(np.shape(a), np.asarray(a).dtype) for a in arrays]
    functions = Functions()

    def traced() -> FuncOp:
        with function_of(functions, [*of_arrays, *types]) as (frame, parameters):
            known, given = parameters[: len(arrays)], parameters[len(arrays) :]
            results = [r.value for r in body(expression, known, given)]
            return frame.finish("main", results, visibility=None)

    main = in_trace(traced)
    called = [f.clone() for program in dict.fromkeys(expression.programs) for f in program.called]
    module = ModuleOp([*functions.finished, *called, main])
    return executable(module, options_of(expression), name="map")[0]


def options_of(expression: MapExpression) -> Options:
    """Return how programs of an expression are compiled: as the first derivative in it, with the least time
    limit of all, and interpreted where one is.
    """
    each = [program.options for program in expression.programs] or [Options()]
    return replace(
        each[0],
        interpret=any(options.interpret for options in each),
        timeout=min((options.timeout for options in each if options.timeout is not None), default=None),
    )


def map_function(expression: MapExpression, arrays: Sequence[Any], name: str = "map") -> FuncOp:
    """The expression as a function of its arrays that returns the map."""
    if expression.is_traced:
        raise TracingError(
            "a map made inside a trace is not yet split into residuals and code",
            location=user_line(),
            hint="use ad.linearize outside of the traced function",
        )
    types = [array_type(np.shape(a), ELEMENT_TYPES[np.asarray(a).dtype]) for a in arrays]

    def body(b: ArrayBuilder, *values: Value) -> list[Value]:
        return [expression.emit(b, values)]

    return compiling(new_function)(name, types, body)
