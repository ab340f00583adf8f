"""Adds to a module the sweep of a function by an instance.

    sweep{function=f instance=provenance mode=reverse}     @f_sweep(x, y, data of f) -> (f, data of x and y)
    sweep{function=f instance=z2 mode=forward}             @f_sweep(x, y, data of x and y) -> (f, data of f)

Data are of the arguments, and results, that carry any. Functions as values, and builds, are gone before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute
from xdsl.passes import ModulePass

from mlirad.dialects.shapes import Value
from mlirad.errors import UnsupportedError
from mlirad.ir.arrays import ArrayBuilder, new_function
from mlirad.ir.builder import function_block, returned
from mlirad.ir.call_graph import PRIVATE, CallGraph, functions_by_name
from mlirad.ir.first_order import require_first_order
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.dce import eliminate_dead_code
from mlirad.passes.differentiate import add_beside, chosen
from mlirad.passes.sweep.activity import require_no_loss
from mlirad.passes.sweep.backward import Backward
from mlirad.passes.sweep.forward import Forward
from mlirad.passes.sweep.functions import SweptFunctions
from mlirad.passes.sweep.instance import Instance
from mlirad.passes.sweep.reductions import as_loops
from mlirad.passes.sweep.shipped import INSTANCES, modulo

MODES = ("forward", "reverse")


@dataclass(frozen=True)
class SweepPass(ModulePass):
    """Adds `@f_sweep`. Without a name, the function is `@main` or the only one."""

    name = "sweep"
    function: str | None = None
    instance: str = "provenance"
    mode: str = "reverse"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Put the new function after the one that it sweeps, and those that it calls at the end."""
        require_mode(self.mode)
        require_first_order(op)
        functions = functions_by_name(op)
        function = chosen(functions, self.function)
        new, others = sweep_function(functions, function, instance_named(self.instance), self.mode)
        add_beside(function, new, functions)
        for other in others:
            op.body.block.add_op(other)


def require_mode(mode: str) -> None:
    """Raise `UnsupportedError` for a mode that does not exist."""
    if mode not in MODES:
        raise UnsupportedError(f"there is no mode {mode!r}", hint=f"there are {', '.join(MODES)}")


def instance_named(name: str) -> Instance:
    """The instance of a name; raises `UnsupportedError` for an unknown name."""
    if name in INSTANCES:
        return INSTANCES[name]
    if (match := re.fullmatch(r"z([1-9]\d*)", name)) is not None and int(match[1]) < 2**31:
        return modulo(int(match[1]))
    raise UnsupportedError(
        f"there is no instance {name!r}", hint=f"there are {', '.join(INSTANCES)}, and zN for a number N"
    )


def sweep_function(
    functions: Mapping[str, FuncOp],
    function: FuncOp,
    instance: Instance,
    mode: str,
    given: tuple[int, ...] | None = None,
    fresh: Callable[[str], str] = str,
) -> tuple[FuncOp, list[FuncOp]]:
    """The sweep of a function, and the functions that it calls.

    It is by the arguments at the places `given`, or all that carry data; `fresh` gives names of functions.
    """
    reached = CallGraph(functions).postorder([function.sym_name.data], circles=True)
    ready = {name: as_loops(functions[name]) for name in reached}
    swept = SweptFunctions(instance, ready, _forward, _backward, fresh)
    source = ready[function.sym_name.data]
    if given is None:
        given = tuple(k for k, a in enumerate(function_block(source).args) if instance.has(a))
    require_no_loss(instance, function_block(source), [function_block(source).args[k] for k in given], ready)
    make = _forward if mode == "forward" else _backward
    new = make(swept, source, given, fresh(f"{function.sym_name.data}_sweep"), True)
    new.location = function.location
    for other in swept.made:
        other.sym_visibility = PRIVATE
    return new, swept.made


def _forward(
    swept: SweptFunctions, function: FuncOp, given: tuple[int, ...], name: str, has_values: bool
) -> FuncOp:
    """The function that also takes data of arguments, and returns those of its results."""
    block, instance = function_block(function), swept.instance
    moving = [block.args[k] for k in given]

    def body(b: ArrayBuilder, *args: Value) -> list[Value]:
        data: dict[Value, Value] = dict(zip(moving, args[len(block.args) :], strict=True))
        sweep = Forward(b, instance, swept, dict(zip(block.args, args, strict=False)), data)
        sweep.block(block)
        results = returned(function)
        return sweep.both(results, [r for r in results if instance.has(r)])

    return _made(
        function, name, body, [v.type for v in moving], instance, [f"d_{v.name_hint}" for v in moving]
    )


def _backward(
    swept: SweptFunctions, function: FuncOp, given: tuple[int, ...], name: str, has_values: bool
) -> FuncOp:
    """The function that also takes data of its results, and returns those of arguments."""
    block, instance, results = function_block(function), swept.instance, returned(function)
    moving = [block.args[k] for k in given]
    carrying = [k for k, r in enumerate(results) if instance.has(r)]

    def body(b: ArrayBuilder, *args: Value) -> list[Value]:
        sweep = Backward(b, instance, swept, dict(zip(block.args, args, strict=False)), moving)
        sums = sweep.through(block, dict(zip(carrying, args[len(block.args) :], strict=True)), moving)
        return [*(sweep.values(results) if has_values else ()), *sums]

    return _made(function, name, body, [results[k].type for k in carrying], instance, ["ct"] * len(carrying))


def _made(
    function: FuncOp,
    name: str,
    body: Callable[..., list[Value]],
    carrying: Sequence[Attribute],
    instance: Instance,
    hints: Sequence[str],
) -> FuncOp:
    """A function of the arguments of another one, and of data."""
    block = function_block(function)
    types = [*block.arg_types, *(space for t in carrying if (space := instance.space(t)) is not None)]
    new = new_function(name, types, body, None, [*(a.name_hint for a in block.args), *hints])
    return eliminate_dead_code(new)
