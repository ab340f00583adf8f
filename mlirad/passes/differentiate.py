"""Adds the derivative of a function to the module, as a function that linearises it and applies the map.

    differentiate{function=f wrt=0}                      @f_grad(x) -> (f(x), its gradient)
    differentiate{function=f wrt=0,1 mode=forward}       @f_jvp(x, y, dx, dy) -> (f(x, y), df (dx, dy))

The reverse function takes, after the arguments, one cotangent per float result, unless the only result is a
float scalar: its cotangent is 1. It returns the results and the cotangents of the arguments in `wrt`.
"""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from mlirad.dialects import linear
from mlirad.dialects.shapes import FLOATS, Value, ints, is_array, is_float, product_type, tangent_type
from mlirad.errors import DifferentiationError, UnsupportedError
from mlirad.ir.arrays import ArrayBuilder, new_function
from mlirad.ir.builder import function_block
from mlirad.ir.call_graph import functions_by_name, state_sizes_like
from mlirad.ir.locations import location_of
from mlirad.lazy_dataclass import dataclass

MODES = {"reverse": "grad", "forward": "jvp"}
"""The modes, each with what it appends to the function's name."""


@dataclass(frozen=True)
class DifferentiatePass(ModulePass):
    """Adds `@f_grad` or `@f_jvp`. Without a name, the function is `@main` or the only one."""

    name = "differentiate"
    function: str | None = None
    wrt: tuple[int, ...] = (0,)
    mode: str = "reverse"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Put the new function after the one it differentiates."""
        if self.mode not in MODES:
            raise UnsupportedError(f"there is no mode {self.mode!r}", hint=f"there are {', '.join(MODES)}")
        functions = functions_by_name(op)
        function = chosen(functions, self.function)
        add_beside(function, differentiate(function, self.wrt, self.mode), functions)


def chosen(functions: Mapping[str, FuncOp], name: str | None) -> FuncOp:
    """The function of the name; without a name `@main` or the only one."""
    if name is None:
        name = next(iter(functions)) if len(functions) == 1 else "main"
    if name not in functions:
        there = ", ".join(f"@{known}" for known in functions) or "none"
        raise UnsupportedError(
            f"there is no function @{name} with a body",
            hint=f"name one of the functions of the module: {there}",
        )
    return functions[name]


def add_beside(function: FuncOp, derivative: FuncOp, functions: Mapping[str, FuncOp]) -> None:
    """Put what was made of a function after it; `functions` are those of the module."""
    name = derivative.sym_name.data
    if name in functions:
        raise UnsupportedError(
            f"there is a function @{name} already",
            location=location_of(functions[name]),
            hint="rename it, or differentiate once per module",
        )
    state_sizes_like(derivative, function)
    assert function.parent is not None
    function.parent.insert_op_after(derivative, function)


def differentiate(function: FuncOp, wrt: tuple[int, ...] = (0,), mode: str = "reverse") -> FuncOp:
    """The derivative of `function` with respect to the arguments at `wrt`, as a new function."""
    inputs, outputs = function.function_type.inputs.data, function.function_type.outputs.data
    name = function.sym_name.data
    check_wrt(function, wrt)
    for k, type_ in enumerate(outputs):
        if not is_array(type_):
            raise DifferentiationError(
                f"result {k} of @{name} has type {type_}, and derivatives are of arrays",
                location=location_of(function),
            )
    floats = [t for t in outputs if is_float(t)]
    if not floats:
        raise DifferentiationError(
            f"@{name} returns no float: there is nothing to differentiate", location=location_of(function)
        )
    domain = product_type([inputs[k] for k in wrt])
    codomain = product_type([tangent_type(t) for t in outputs])
    is_scalar = len(outputs) == 1 and outputs[0] in FLOATS
    seeds = [inputs[k] for k in wrt] if mode == "forward" else [] if is_scalar else floats

    def body(b: ArrayBuilder, *args: Value) -> list[Value]:
        b.location = function.location
        arguments, given = args[: len(inputs)], list(args[len(inputs) :])
        properties = {"callee": SymbolRefAttr(name), "wrt": ints(wrt)}
        types = [*outputs, b.map_type(domain, codomain)]
        *primals, derivative = b.insert(linear.LinearizeOp, arguments, types, properties).results
        if mode == "forward":
            images = b.insert(linear.ApplyOp, (derivative, *given), floats).results
        else:
            cotangents = [b.constant(1.0, outputs[0])] if is_scalar else given
            wanted = [inputs[k] for k in wrt]
            images = b.insert(linear.ApplyTransposeOp, (derivative, *cotangents), wanted).results
        return [*primals, *images]

    hints = [a.name_hint for a in function_block(function).args]
    prefix, sources = ("d_", [hints[k] for k in wrt]) if mode == "forward" else ("ct_", [None] * len(seeds))
    new = new_function(
        f"{name}_{MODES[mode]}",
        [*inputs, *seeds],
        body,
        None,
        [*hints, *(h if h is None else prefix + h for h in sources)],
    )
    new.location = function.location
    return new


def check_wrt(function: FuncOp, wrt: tuple[int, ...]) -> None:
    """Require distinct float arguments."""
    inputs = function.function_type.inputs.data
    name, location = function.sym_name.data, location_of(function)
    for k in wrt:
        if not 0 <= k < len(inputs):
            raise DifferentiationError(
                f"wrt names argument {k} of @{name}, which has {len(inputs)}", location=location
            )
        if not is_float(inputs[k]):
            raise DifferentiationError(
                f"argument {k} of @{name} has type {inputs[k]}, which has no derivative",
                location=location,
                hint="differentiate with respect to floating-point arguments",
            )
    if not wrt or len(set(wrt)) != len(wrt):
        raise DifferentiationError(
            f"wrt must name distinct arguments of @{name}, at least one; got {list(wrt)}", location=location
        )
