"""Calls of C functions, lane by lane: for rare functions and rare arguments.

A C function `name` is the external symbol `mlirad_c_name`; `mlirad.jit.external` knows its address.

Elementary functions are IR, inlined where they are few. A call per lane would cost several times as much as
the function, so each is written for whole vectors, once per width. Up to some number of uses LLVM inlines it;
beyond, the code would cost more time to compile than a call of it costs to run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from mlirad.lower.llvm.text import IRBuilder, ModuleText, Parameter, Value, undefined
from mlirad.lower.native_program import C_PREFIX


def call_c(f: IRBuilder, name: str, x: Value) -> Value:
    """The C function `double name(double)` of every lane of a float value."""
    widened = f.fpext(x) if x.kind == "float" else x
    symbol = C_PREFIX + name
    f.module.external(symbol, "double", ["double"], "nounwind")
    y = undefined("double", x.width)
    for lane in range(x.width):
        result = f.call(symbol, [f.extract(widened, lane)], "double")
        assert result is not None
        y = f.insert(y, result, lane)
    return f.fptrunc(y) if x.kind == "float" else y


def outlined(f: IRBuilder, name: str, x: Value, body: Callable[[IRBuilder, Value], Value]) -> Value:
    """Call `body` of x as a function of its own, shared in the module and kept out of line."""
    symbol = f"mlirad.{name}.{x.kind}.{x.width}"
    f.module.shared_function(symbol, partial(_define, f.module, symbol, [x], body, "noinline nounwind"))
    result = f.call(symbol, [x], x.kind, x.width)
    assert result is not None
    return result


def shared(f: IRBuilder, name: str, args: Sequence[Value], body: Callable[..., Value]) -> Value:
    """Call `body` of operands of one kind and width as a function that all its uses in the module share."""
    kind, width = args[0].kind, args[0].width
    symbol = f"mlirad.{name}.{kind}.{width}"
    define = partial(_define, f.module, symbol, args, body, "nounwind")
    return f.call_shared(symbol, args, kind, width, define)


def _define(
    module: ModuleText, symbol: str, args: Sequence[Value], body: Callable[..., Value], attributes: str
) -> IRBuilder:
    """Write a function of operands like these, whose result is like them."""
    kind, width = args[0].kind, args[0].width
    parameters = [Parameter(f"x{k}", kind, width) for k in range(len(args))]
    function = module.function(symbol, parameters, kind, width, attributes=attributes)
    function.ret(body(function, *function.arguments))
    return function


def where_unlikely(
    f: IRBuilder, condition: Value, x: Value, y: Value, body: Callable[[Value], Value]
) -> Value:
    """`body(x)` where the condition holds and y elsewhere; a branch skips the body if no lane does."""
    with f.conditional(f.any_lane(condition), [y], unlikely=True) as branch:
        branch.give(f.select(condition, body(x), y))
    return branch.results[0]


def in_double(
    emit: Callable[..., Value],
) -> Callable[..., Value]:
    """A function of doubles extended to single precision: computed in double, rounded once."""

    def extended(f: IRBuilder, *args: Value) -> Value:
        if args[0].kind == "double":
            return emit(f, *args)
        return f.fptrunc(emit(f, *[f.fpext(x) for x in args]))

    extended.__doc__ = emit.__doc__
    extended.__name__ = emit.__name__
    return extended
