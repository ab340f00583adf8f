"""The stages of the method `jacobian`, which are those of the linear-map notes, section 7.

    program              f(x) in A-normal form
    jacobian             ∂f(x) as ∇ makes it; simplified by the laws of maps
    forward derivative   f'(x, dx) = ∂f(x) ⊙ dx; applied; with common subexpressions shared
    transposed jacobian  ∂f(x)ᵀ; the transpose moved to the parts
    reverse derivative   ∂f(x)ᵀ ⊙ dr; applied; with common subexpressions shared

Functions that f calls are differentiated separately, and called; where a derivative is applied they are
inlined, so no map is left, and the pipeline `apply` turns it into array code. The stages before are made by
constructors that apply no law, so that what each step of the method `jacobian` does can be seen.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute

from mlirad.compiler import transform
from mlirad.dialects import linear
from mlirad.dialects.shapes import Value
from mlirad.ir.arrays import ArrayBuilder, Environment, new_function
from mlirad.ir.builder import function_block, returned
from mlirad.ir.call_graph import PRIVATE, functions_by_name
from mlirad.ir.maps import codomain_of, domain_of
from mlirad.passes.canonicalize import canonicalize
from mlirad.passes.eliminate_functions import eliminate_functions
from mlirad.passes.function_pass import transform_functions
from mlirad.passes.inline import inline_calls
from mlirad.passes.jacobian.derivatives import Derivatives
from mlirad.passes.jacobian.laws import simplified
from mlirad.passes.jacobian.nabla import LiteralBuilder
from mlirad.pipeline_options import Options
from mlirad.pipelines import pipeline_passes
from mlirad.tools.mathematics import Sharing
from mlirad.tools.stages.stage import Stage, differentiable, reached


def jacobian_stages(program: ModuleOp, name: str) -> Iterator[Stage]:
    """The stages of the function `name`, differentiated with respect to all its float parameters.

    Functions as values are eliminated in the program first, in place. Raises `DifferentiationError` for a
    function without floats, and what differentiation raises.
    """
    eliminate_functions(program)
    transform_functions(program, canonicalize)
    functions = functions_by_name(program)
    wrt = differentiable(functions[name])
    yield Stage("A-normal form", reached(name, functions), Sharing.EACH)

    derivatives = Derivatives(program, is_literal=True)
    whole = derivatives.of_function(name, wrt)
    literal = _map_alone(whole)
    title = literal.sym_name.data
    called = [f for f in reached(title, derivatives.functions) if f is not whole]
    yield Stage("The Jacobian, as the rules make it", (*called, literal), Sharing.NAMED)

    known = {f.sym_name.data: simplified(f) for f in called}
    jacobian = simplified(literal)
    yield Stage("The Jacobian, simplified", (*known.values(), jacobian), Sharing.LONG)

    closed = simplified(_inlined(jacobian, known, derivatives.kept))
    domain, codomain = domain_of(returned(closed)[0]), codomain_of(returned(closed)[0])
    tangents = _hints(functions[name], wrt)
    callees = tuple(known.values())
    forward = linear.ApplyOp, (domain, codomain), tangents
    yield from _derivative("forward", jacobian, closed, callees, *forward)

    whole_transpose = _transposed(jacobian)
    yield Stage("The transposed Jacobian", (whole_transpose,), Sharing.LONG, callees)
    moved = simplified(whole_transpose)
    yield Stage("The transposed Jacobian, simplified", (moved,), Sharing.LONG, callees)
    count = len(linear.carried(codomain))
    cotangents = ["dr"] if count == 1 else [f"dr_{k}" for k in range(count)]
    reverse = linear.ApplyTransposeOp, (codomain, domain), cotangents
    yield from _derivative("reverse", moved, closed, callees, *reverse)


def _hints(function: FuncOp, wrt: Sequence[int]) -> list[str | None]:
    hints = [function_block(function).args[k].name_hint for k in wrt]
    return [None if h is None else f"d_{h}" for h in hints]


def _derivative(
    mode: str,
    shown: FuncOp,
    closed: FuncOp,
    callees: tuple[FuncOp, ...],
    op_class: type[linear.ApplicationOp],
    spaces: tuple[Attribute, Attribute],
    hints: Sequence[str | None],
) -> Iterator[Stage]:
    """A derivative as the map `shown` on a vector, applied, and shared; `closed` is the map without calls."""
    name = closed.sym_name.data.removesuffix("_jacobian") + ("_jvp" if mode == "forward" else "_grad")
    unapplied = _application(name, shown, linear.ApplyOp, spaces, hints)
    yield Stage(f"The {mode} derivative", (unapplied,), Sharing.LONG, callees)
    code = _applied(_application(name, closed, op_class, spaces, hints), callees)
    yield Stage(f"The {mode} derivative, simplified", code, Sharing.LONG)
    yield Stage(f"The {mode} derivative, shared", code, Sharing.ALL)


def _applied(function: FuncOp, callees: Sequence[FuncOp]) -> tuple[FuncOp, ...]:
    """The function as array code, after those that it calls: recursive ones, and derivatives of these."""
    others = [f.clone() for f in callees if not _returns_map(f)]
    for callee in others:
        callee.sym_visibility = PRIVATE
    module = ModuleOp([*others, function])
    transform(module, Options(first=pipeline_passes("apply"), end="program"))
    return reached(function.sym_name.data, functions_by_name(module))


def _returns_map(function: FuncOp) -> bool:
    return any(isinstance(t, linear.MapType) for t in function.function_type.outputs.data)


# Functions made of functions -------------------------------------------------------------------------


def _remade(
    function: FuncOp,
    builder: type[ArrayBuilder],
    results: Callable[[ArrayBuilder, list[Value], Sequence[Value]], list[Value]],
    name: str,
    more: Sequence[tuple[Attribute, str | None]] = (),
) -> FuncOp:
    """The ops of a function as they are, with other results, and with more parameters."""
    source = function_block(function)

    def body(b: ArrayBuilder, *args: Value) -> list[Value]:
        env: Environment = dict(zip(source.args, args, strict=False))
        for op in source.ops:
            if not isinstance(op, ReturnOp):
                b.rebuild_unfolded(op, env)
        b.name_hint = None
        return results(b, [env.get(v, v) for v in returned(function)], args[len(source.args) :])

    types = [*source.arg_types, *(t for t, _ in more)]
    hints = [*(a.name_hint for a in source.args), *(h for _, h in more)]
    return new_function(name, types, body, None, hints, builder)


def _map_alone(function: FuncOp) -> FuncOp:
    """A derivative without the values."""
    return _remade(function, LiteralBuilder, lambda b, made, _: made[-1:], function.sym_name.data)


def _transposed(function: FuncOp) -> FuncOp:
    """The function of the transposed map, as such."""
    name = function.sym_name.data + "_transpose"
    return _remade(function, LiteralBuilder, lambda b, made, _: [b.transpose_map(made[0])], name)


def _inlined(function: FuncOp, known: dict[str, FuncOp], recursive: Container[str]) -> FuncOp:
    """The function without calls but of recursive ones; `known` are those that it reaches, callees first."""
    inlined: dict[str, FuncOp] = {}
    for name, callee in known.items():
        inlined[name] = inline_calls(callee, inlined, recursive)
    return inline_calls(function, inlined, recursive)


def _application(
    name: str,
    function: FuncOp,
    op_class: type[linear.ApplicationOp],
    spaces: tuple[Attribute, Attribute],
    hints: Sequence[str | None],
) -> FuncOp:
    """The function of the point and of a vector that applies the map."""
    given, made = (linear.carried(space) for space in spaces)

    def results(b: ArrayBuilder, maps: list[Value], vector: Sequence[Value]) -> list[Value]:
        return list(b.insert(op_class, (maps[0], *vector), made).results)

    return _remade(function, ArrayBuilder, results, name, list(zip(given, hints, strict=True)))
