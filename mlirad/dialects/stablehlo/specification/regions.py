"""The rules of ops with regions, of calls, and of what ends a region."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import FunctionType, IntegerType, ModuleOp, StringAttr, SymbolRefAttr, i1
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation

from mlirad.dialects.stablehlo.specification.checks import (
    Tensor,
    bits,
    block_of,
    element,
    extents,
    integers,
    kind,
    number,
    operands,
    require,
    require_dimensions,
    require_region,
    require_same,
    require_scalar,
    require_type,
    results,
    rule,
    scalar,
)


@rule("stablehlo.return")
def _return(op: Operation) -> None:
    operands(op)
    results(op, 0)


@rule("stablehlo.reduce")
def _reduce(op: Operation) -> None:
    types = operands(op, regions=1)
    count = len(types) // 2
    require(len(types) == 2 * count and count > 0, "takes arrays, and an initial value for each")
    made = results(op, count)
    shape = extents(types[0])
    dims = integers(op, "dimensions")
    require_dimensions("dimensions", dims, len(shape))
    elements = require_reducer(op, types[:count], types[count:])
    rest = [n for d, n in enumerate(shape) if d not in dims]
    for k, (x, result) in enumerate(zip(types[:count], made, strict=True)):
        require_type(f"operand {k}", x, shape, element(x))
        require_type(f"result {k}", result, rest, elements[k])


def require_reducer(op: Operation, xs: Sequence[Tensor], initial: Sequence[Tensor]) -> list[Attribute]:
    """Require a region that combines elements; returns their types, which may be wider than in the arrays."""
    for k, (x, start) in enumerate(zip(xs, initial, strict=True)):
        require_scalar(f"operand {len(xs) + k}", start, element(x))
    types = [cast("Tensor", type_) for type_ in block_of(op, 0).arg_types[: len(xs)]]
    for k, (x, inner) in enumerate(zip(xs, types, strict=False)):
        widens = kind(element(x)) == kind(element(inner)) and bits(element(x)) <= bits(element(inner))
        require(widens, f"region 0 takes {inner} as argument {k}, and must take {scalar(element(x))}")
    elements = [element(type_) for type_ in types]
    scalars = [scalar(of) for of in elements]
    require_region(op, 0, [*scalars, *scalars], scalars)
    require(len(elements) == len(xs), f"region 0 must take {2 * len(xs)} arguments")
    return elements


@rule("stablehlo.while")
def _while(op: Operation) -> None:
    types = operands(op, regions=2)
    made = results(op, len(types))
    for k, (given, result) in enumerate(zip(types, made, strict=True)):
        require_same(f"result {k}", result, f"operand {k}", given)
    require_region(op, 0, types, [scalar(i1)])
    require_region(op, 1, types, types)


@rule("stablehlo.case")
def _case(op: Operation) -> None:
    (index,) = operands(op, 1, regions=len(op.regions))
    require_type("operand 0", index, (), IntegerType(32))
    require(bool(op.regions), "has at least one region")
    _require_branches(op)


@rule("stablehlo.if")
def _if(op: Operation) -> None:
    (condition,) = operands(op, 1, regions=2)
    require_type("operand 0", condition, (), i1)
    _require_branches(op)


def _require_branches(op: Operation) -> None:
    made = results(op, len(op.results))
    for k in range(len(op.regions)):
        require_region(op, k, [], made)


@rule("stablehlo.map")
def _map(op: Operation) -> None:
    types = operands(op, regions=1)
    (result,) = results(op)
    require(bool(types), "takes at least one operand")
    shape = extents(types[0])
    for k, x in enumerate(types):
        require_type(f"operand {k}", x, shape, element(x))
    dims = integers(op, "dimensions", len(shape))
    require(list(dims) == list(range(len(shape))), f"`dimensions` is {list(dims)}, and must be all in order")
    require_type("the result", result, shape, element(result))
    require_region(op, 0, [scalar(element(x)) for x in types], [scalar(element(result))])


@rule("stablehlo.sort")
def _sort(op: Operation) -> None:
    types = operands(op, regions=1)
    require(bool(types), "takes at least one operand")
    made = results(op, len(types))
    shape = extents(types[0])
    for k, (x, result) in enumerate(zip(types, made, strict=True)):
        require_type(f"operand {k}", x, shape, element(x))
        require_same(f"result {k}", result, f"operand {k}", x)
    if "dimension" in op.properties:
        d = number(op, "dimension")
        require(
            -len(shape) <= d < len(shape), f"`dimension` is {d}, and operand 0 has {len(shape)} dimensions"
        )
    pairs = [scalar(element(x)) for x in types for _ in range(2)]
    require_region(op, 0, pairs, [scalar(i1)])


@rule("stablehlo.optimization_barrier")
def _optimization_barrier(op: Operation) -> None:
    types = operands(op)
    for k, (result, given) in enumerate(zip(results(op, len(types)), types, strict=True)):
        require_same(f"result {k}", result, f"operand {k}", given)


@rule("stablehlo.custom_call")
def _custom_call(op: Operation) -> None:
    require(not op.regions, "has no regions")
    require(bool(cast(StringAttr, op.properties["call_target_name"]).data), "`call_target_name` is empty")


@rule("stablehlo.composite")
def _composite(op: Operation) -> None:
    types = operands(op)
    made = results(op, len(op.results))
    name = cast(StringAttr, op.properties["name"]).data
    is_whole = all(name.split(".")) and "." in name
    require(is_whole, f'`name` is "{name}", and must be that of an op, with its dialect')
    target = cast(SymbolRefAttr, op.properties["decomposition"]).root_reference.data
    function = _function_called(op, target)
    require(function is not None, f"there is no function @{target}")
    signature = cast(FuncOp, function).function_type
    given = FunctionType.from_lists(types, made)
    require(signature == given, f"@{target} has type {signature}, and is used as {given}")


def _function_called(op: Operation, name: str) -> FuncOp | None:
    around = op.parent_op()
    while around is not None and not isinstance(around, ModuleOp):
        around = around.parent_op()
    ops = () if around is None else around.ops
    return next((f for f in ops if isinstance(f, FuncOp) and f.sym_name.data == name), None)
