"""Functions that apply the maps that other functions make: what applications of such maps call.

    @f_map(residuals...) -> !linear.map<S, T>

has @f_map_apply(residuals..., dx) -> dy and @f_map_apply_transpose(residuals..., ct) -> cx. The latter can be
given sums to add components of cx to: @f_map_apply_transpose_onto_1(residuals..., ct, sum) adds component 1.
They are made when a map that `linear.call` makes is applied, each once, however many calls there are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.dialects.func import CallOp, FuncOp

from mlirad.dialects import linear
from mlirad.dialects.shapes import UNIT, Shape, Value, components_of
from mlirad.errors import UnsupportedError
from mlirad.ir.arrays import ArrayBuilder, Environment, new_function
from mlirad.ir.builder import function_block, returned
from mlirad.ir.call_graph import calls_of
from mlirad.ir.locations import location_of
from mlirad.linear_maps.apply.calls import APPLY, APPLY_TRANSPOSE, ONTO
from mlirad.linear_maps.apply.evaluator import MapEvaluator
from mlirad.linear_maps.elements import Element, assembled, components, from_leaves, leaves
from mlirad.passes.apply_linear_maps.application import apply_maps, prepared_for_application
from mlirad.passes.dce import eliminate_dead_code


def called(b: ArrayBuilder, function: FuncOp, arguments: Sequence[Value]) -> list[Value]:
    """The results of a call."""
    types = function.function_type.outputs.data
    properties = {"callee": SymbolRefAttr(function.sym_name.data)}
    return list(b.insert(CallOp, arguments, list(types), properties).results)


def made_map(b: ArrayBuilder, maker: FuncOp, residuals: Sequence[Value]) -> Value:
    """The map that `maker` makes of the residuals, as a value that a call makes."""
    type_ = linear.map_type(returned(maker)[0].type, "what the function returns")
    properties = {"callee": SymbolRefAttr(maker.sym_name.data)}
    return b.map_of(linear.CallOp, type_.domain, type_.codomain, residuals, properties)


def add_applications(starts: Iterable[FuncOp], functions: dict[str, FuncOp]) -> list[FuncOp]:
    """The functions applying maps that are called and not among `functions`, made and entered there.

    `starts` hold no maps any more; calls in what is made are looked at too. Raises `UnsupportedError` for a
    call of a function that is no such and does not exist.
    """
    made: list[FuncOp] = []
    pending = list(starts)
    while pending:
        for name, op in calls_of(pending.pop()):
            if not isinstance(op, CallOp) or name in functions:
                continue
            maker, op_class, onto = _applied(name)
            if maker not in functions:
                raise UnsupportedError(f"there is no function @{name} with a body", location=location_of(op))
            found = functions[maker]
            new = _onto(name, found, onto) if onto else application(name, found, op_class)
            new = eliminate_dead_code(apply_maps(new))
            functions[name] = new
            made.append(new)
            pending.append(new)
    return made


def _applied(name: str) -> tuple[str, type[linear.ApplicationOp], Shape]:
    """The function whose map the function of this name applies, how, and the components that are sums."""
    found = _TRANSPOSED.fullmatch(name)
    if found is None:
        return name.removesuffix(APPLY), linear.ApplyOp, ()
    maker, onto = found.groups()
    return maker, linear.ApplyTransposeOp, tuple(map(int, onto.split("_")[1:])) if onto else ()


_TRANSPOSED = re.compile(rf"(.*){APPLY_TRANSPOSE}(?:{ONTO}((?:_\d+)+))?")


def application(
    name: str, maker: FuncOp, op_class: type[linear.ApplicationOp], visibility: str | None = "private"
) -> FuncOp:
    """The function of the residuals and a vector that applies the map which `maker` makes."""
    block = function_block(maker)
    type_ = linear.map_type(returned(maker)[0].type, "what the function returns")
    domain, codomain = linear.carried(type_.domain), linear.carried(type_.codomain)
    given, made = (domain, codomain) if op_class is linear.ApplyOp else (codomain, domain)
    types = block.arg_types

    def body(b: ArrayBuilder, *args: Value) -> list[Value]:
        env: Environment = dict(zip(block.args, args, strict=False))
        b.location = maker.location
        for op in block.ops:
            if op is not block.last_op:
                b.rebuild_unfolded(op, env)
        map_ = env.get(returned(maker)[0], returned(maker)[0])
        b.name_hint = None
        return list(b.insert(op_class, (map_, *args[len(types) :]), made).results)

    hints = [a.name_hint for a in block.args]
    return new_function(name, [*types, *given], body, visibility, hints)


def _onto(name: str, maker: FuncOp, onto: Shape) -> FuncOp:
    """The function of residuals, a cotangent and sums that adds the transposed image to these in place.

    Components of the image that are not in `onto` are returned as they are.
    """
    prepared = prepared_for_application(maker.clone())
    block, map_ = function_block(prepared), returned(prepared)[0]
    type_ = linear.map_type(map_.type, "what the function returns")
    codomain, spaces = linear.carried(type_.codomain), components_of(type_.domain)
    carrying = [k for k, space in enumerate(spaces) if space != UNIT]
    types = block.arg_types
    count = len(types)

    def body(b: ArrayBuilder, *args: Value) -> list[Value]:
        env: Environment = dict(zip(block.args, args, strict=False))
        b.location = maker.location
        for op in block.ops:
            if op is not block.last_op and not isinstance(op, linear.MapOp):
                b.rebuild_unfolded(op, env)
        b.name_hint = None
        given = from_leaves(type_.codomain, args[count : count + len(codomain)])
        sums: list[Element] = [None] * len(spaces)
        for n, value in zip(onto, args[count + len(codomain) :], strict=True):
            sums[carrying[n]] = value
        ct = components(given, type_.codomain)
        image = MapEvaluator(b, maker, env).transposed_onto(env, map_, ct, sums)
        return leaves(b, assembled(image, type_.domain), type_.domain)

    hints = [a.name_hint for a in block.args]
    sums = [spaces[carrying[n]] for n in onto]
    return new_function(name, [*types, *codomain, *sums], body, "private", hints)
