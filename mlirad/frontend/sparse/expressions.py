"""A function's derivative as a map expression with the code that it needs, traced and linearised.

    main(arguments..., vectors...) -> (others..., images...)

is traced and brought to the point where the derivative is a value of type `linear.map` and not yet applied.
The sparsity pattern is found there, and programs that apply the map to compressing vectors are made from it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from mlirad.dialects import linear
from mlirad.dialects.array.literals import ELEMENT_TYPES
from mlirad.dialects.shapes import Value, array_type
from mlirad.frontend.compiling.options import Options
from mlirad.frontend.compiling.run_compiler import brought_to
from mlirad.frontend.compiling.stats import Stats
from mlirad.frontend.differentiation.argnums import Argnums, argument_positions
from mlirad.frontend.differentiation.derivatives import (
    Linearization,
    linearize_at,
)
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.captures import Watch
from mlirad.frontend.tracing.control import Control, as_traced
from mlirad.frontend.tracing.frames import Functions
from mlirad.frontend.tracing.function_names import argument_hints
from mlirad.frontend.tracing.functions import function_of, settled_trace
from mlirad.frontend.tracing.leaf_types import LeafType
from mlirad.frontend.tracing.pytree import Tree
from mlirad.ir.arrays import ArrayBuilder, Environment, new_function
from mlirad.ir.builder import function_block, returned
from mlirad.ir.call_graph import functions_of
from mlirad.lazy_dataclass import dataclass
from mlirad.lower.cpu.emit.program import rooms_of


@dataclass(frozen=True)
class Expression:
    """A linearised function: the code that makes its map, and what belongs to the matrix.

    The first `arguments` parameters of `main` are the leaves of the arguments. `inputs` are the leaves that
    are columns of the matrix; `outputs` the components of the codomain that are its rows, with their types.
    The first `others` results of `main` are not part of the matrix. `rooms` are the rows for the records of
    each type.
    """

    module: ModuleOp
    main: FuncOp
    map: Value
    arguments: int
    inputs: tuple[LeafType, ...]
    outputs: tuple[tuple[int, LeafType], ...]
    others: int
    other_tree: Tree | None
    rooms: tuple[int, ...] = ()


def trace_expression(
    function: Callable[..., Any],
    tree: Tree,
    types: Sequence[LeafType],
    argnums: Argnums,
    has_aux: bool,
    options: Options,
    stats: Stats,
    rooms: tuple[int, ...] = (),
) -> Expression:
    """The derivative of a function of arguments of this structure and of these types.

    There are `rooms` rows for records of each type, or as many as usual.
    """
    start = time.perf_counter()

    def traced(functions: Functions) -> tuple[ModuleOp, Linearization, Tree | None, list[int], int]:
        return _traced(functions, function, tree, types, argnums, has_aux)

    module, at, other_tree, floats, others = settled_trace(
        traced, Watch(function), control=Control(options.control)
    )
    stats.add("trace", time.perf_counter() - start, module)
    # Only operations on whole arrays show which elements of a build depend on which.
    brought_to("plain-maps", module, replace(options, chunk=None), stats, rooms)
    main = next(f for f in functions_of(module) if f.sym_name.data == "main")
    application = next(op for op in main.body.block.ops if isinstance(op, linear.ApplyOp))
    rows = tuple((k, LeafType(at.results[k].shape, at.results[k].dtype)) for k in floats)
    inputs = tuple(LeafType(p.shape, p.dtype) for p in at.points)
    made = rooms_of(functions_of(module))
    return Expression(module, main, application.map, len(types), inputs, rows, others, other_tree, made)


def _traced(
    functions: Functions,
    function: Callable[..., Any],
    tree: Tree,
    types: Sequence[LeafType],
    argnums: Argnums,
    has_aux: bool,
) -> tuple[ModuleOp, Linearization, Tree | None, list[int], int]:
    """A module that applies the derivative, the linearisation in it, and what it returns besides.

    That is the structure of aux, which results are differentiated, and how many leaves aux has.
    """
    with function_of(functions, types, argument_hints(function, tree)) as (frame, arguments):
        args = tree.unflatten(arguments)
        at = linearize_at(as_traced(function), args, argument_positions(function, argnums, len(args)))
        outputs, other_tree, floats = at.outputs(function, has_aux)
        vectors = [
            Array(frame.add_argument(array_type(p.shape, ELEMENT_TYPES[p.dtype])), frame.scope)
            for p in at.points
        ]
        images = [v.value for v in at.image(vectors) if v is not None]
        others = [r.value for r in at.results[outputs.size :]]
        main = frame.finish("main", [*others, *images], visibility=None)
    return ModuleOp([*functions.finished, main]), at, other_tree, floats, len(others)


def common_dtype(outputs: Sequence[tuple[int, LeafType]], inputs: Sequence[LeafType]) -> np.dtype[Any]:
    """The dtype of the entries of the matrix."""
    return np.result_type(*(t.dtype for _, t in outputs), *(t.dtype for t in inputs))


Body: TypeAlias = Callable[[ArrayBuilder, Value, Sequence[Value]], Sequence[Value]]
"""From a map and further parameters to results."""


def with_map(expression: Expression, extra: Sequence[Attribute], body: Body) -> ModuleOp:
    """The function of the arguments and more parameters to its other results and what `body` makes of its
    map.

    `body` is called with the builder, the map and the further parameters.
    """
    source = function_block(expression.main)
    own = list(source.args)[: expression.arguments]

    def emit(b: ArrayBuilder, *args: Value) -> list[Value]:
        env: Environment = dict(zip(own, args, strict=False))
        for op in source.ops:
            if op is not source.last_op and not isinstance(op, linear.ApplicationOp):
                b.rebuild(op, env)
        b.name_hint = None
        others = [env.get(v, v) for v in returned(expression.main)[: expression.others]]
        map_ = env.get(expression.map, expression.map)
        return [*others, *body(b, map_, list(args[len(own) :]))]

    hints = [a.name_hint for a in own]
    main = new_function("main", [*(a.type for a in own), *extra], emit, None, hints)
    called = [f.clone() for f in functions_of(expression.module) if f is not expression.main]
    return ModuleOp([*called, main])
