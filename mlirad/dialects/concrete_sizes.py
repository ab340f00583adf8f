"""A program with numbers in place of its sizes, and the sizes that given arguments have.

    func.func @main(%x: tensor<?x10xf64, #array.extents<[n, 10]>>) attributes {array.sizes = ["n"]}
    sizes_at(types, [(7, 10)])         {"n": 7}
    function_at(main, {"n": 7})        func.func @main(%x: tensor<7x10xf64>)

A size is one number throughout a program, for as long as a call of it runs. So functions that are called need
not be told sizes, and neither calls nor ops that name functions say anything of them. A function that can be
called from outside states the sizes that are read from its arguments; each is, alone, an extent of one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, TypeAlias, cast

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, StringAttr, TensorType, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, ParametrizedAttribute, Region
from xdsl.rewriter import Rewriter

from mlirad.dialects.array.structural import ConstantOp, SizeOp
from mlirad.dialects.extents import LEAST_SIZE, evaluate, is_static, size
from mlirad.dialects.extents_attribute import ExtentAttr, ExtentsAttr, extents_at, sizes_in
from mlirad.dialects.shapes import Shape, array_type, integer, ints, shape_of
from mlirad.errors import ShapeError

_At: TypeAlias = Callable[[Attribute], Attribute]

SIZES: Final = "array.sizes"
"""The attribute of a function that names its sizes."""


def stated_sizes(function: FuncOp) -> tuple[str, ...]:
    """The sizes that a function states."""
    stated = function.attributes.get(SIZES)
    if not isinstance(stated, ArrayAttr):
        return ()
    return tuple(cast(StringAttr, name).data for name in cast("ArrayAttr[Attribute]", stated).data)


def sizes_attribute(names: Iterable[str]) -> ArrayAttr[StringAttr]:
    """The attribute that states these sizes."""
    return ArrayAttr([StringAttr(name) for name in names])


def state_sizes(function: FuncOp) -> None:
    """Have a function state the sizes that can be read from its arguments, in the order of these."""
    read = [alone(e) for type_ in function.function_type.inputs.data for e in shape_of(type_)]
    names = tuple(dict.fromkeys(name for name in read if name is not None))
    if names:
        function.attributes[SIZES] = sizes_attribute(names)


def sizes_at(types: Sequence[Attribute], shapes: Sequence[Shape | None]) -> dict[str, int]:
    """The sizes of parameters of these types where arguments have these shapes; None says nothing of one.

    Each size is read where it is, alone, an extent. Raises ShapeError where two arguments disagree and for
    sizes below `LEAST_SIZE`.
    """
    found: dict[str, tuple[int, int, int]] = {}
    for k, (type_, shape) in enumerate(zip(types, shapes, strict=True)):
        extents = shape_of(type_)
        if shape is None or len(shape) != len(extents):
            continue
        for d, (extent, number) in enumerate(zip(extents, shape, strict=True)):
            name = alone(extent)
            if name is None:
                continue
            first, at, in_dimension = found.setdefault(name, (number, k, d))
            if number != first:
                raise ShapeError(
                    f"argument {at} has {first} elements in dimension {in_dimension}, and argument {k} "
                    f"{number} in dimension {d}, which are one size, {name}"
                )
            if number < LEAST_SIZE:
                raise ShapeError(
                    f"argument {k} has {number} elements in dimension {d}, whose size {name} is "
                    f"{LEAST_SIZE} at least"
                )
    return {name: number for name, (number, _, _) in found.items()}


def alone(extent: int) -> str | None:
    """The name of the size that an extent is, if it is one and nothing else."""
    if is_static(extent):
        return None
    names = sizes_in((extent,))
    (name, *more) = names
    return name if not more and extent == size(name) else None


def attribute_at(attribute: Attribute, sizes: Mapping[str, int]) -> Attribute:
    """The attribute or type with other extents, or numbers, in place of sizes; itself if it has none."""
    match attribute:
        case TensorType():
            if not isinstance(attribute.encoding, ExtentsAttr):
                return attribute
            return array_type(extents_at(attribute.encoding, sizes), attribute.element_type)
        case ExtentsAttr():
            return ints(extents_at(attribute, sizes))
        case ExtentAttr():
            return integer(evaluate(attribute.data, sizes))
        case ArrayAttr():
            parts = _parts_at(attribute.data, sizes)
            return attribute if parts is None else ArrayAttr(parts)
        case DictionaryAttr():
            parts = _parts_at(tuple(attribute.data.values()), sizes)
            if parts is None:
                return attribute
            return DictionaryAttr(dict(zip(attribute.data, parts, strict=True)))
        case ParametrizedAttribute():
            parts = _parts_at(attribute.parameters, sizes)
            return attribute if parts is None else type(attribute).new(parts)
        case _:
            return attribute


def _parts_at(parts: Sequence[Attribute], sizes: Mapping[str, int]) -> list[Attribute] | None:
    """The attributes with numbers in place of sizes; None if they have none."""
    made = [attribute_at(part, sizes) for part in parts]
    return None if all(a is b for a, b in zip(made, parts, strict=True)) else made


def mentioned(attributes: Iterable[Attribute], known: set[Attribute]) -> set[str]:
    """The names of all sizes in attributes and types; those that are `known` are passed over, and entered."""
    found: set[str] = set()
    pending = list(attributes)
    while pending:
        attribute = pending.pop()
        if attribute in known:
            continue
        known.add(attribute)
        match attribute:
            case ExtentsAttr():
                found |= sizes_in(attribute.data)
            case ExtentAttr():
                found |= sizes_in((attribute.data,))
            case ArrayAttr():
                pending += attribute.data
            case DictionaryAttr():
                pending += attribute.data.values()
            case ParametrizedAttribute():
                pending += attribute.parameters
            case _:
                pass
    return found


def sizes_in_function(function: FuncOp) -> set[str]:
    """The names of all sizes that the ops of a function mention, and its type."""
    known: set[Attribute] = set()
    found: set[str] = set()
    for op in function.walk():
        found |= mentioned((*op.result_types, *op.properties.values()), known)
        for region in op.regions:
            for block in region.blocks:
                found |= mentioned(block.arg_types, known)
    return found


def function_at(function: FuncOp, sizes: Mapping[str, int]) -> FuncOp:
    """A copy of the function with numbers in place of sizes, which it states no more."""
    copied = function.clone()
    remaining = [name for name in stated_sizes(function) if name not in sizes]
    copied.attributes.pop(SIZES, None)
    if remaining:
        copied.attributes[SIZES] = sizes_attribute(remaining)
    known: dict[Attribute, Attribute] = {}

    def at(attribute: Attribute) -> Attribute:
        if attribute not in known:
            known[attribute] = attribute_at(attribute, sizes)
        return known[attribute]

    for op in list(copied.walk()):
        for region in op.regions:
            _enter_types(region, at)
        for result in op.results:
            result._type = at(result.type)  # pyright: ignore[reportPrivateUsage]
        for name, value in op.properties.items():
            op.properties[name] = value if isinstance(op, SizeOp) else at(value)
        if isinstance(op, SizeOp):
            _replace_size(op, sizes)
    return copied


def _enter_types(region: Region, at: _At) -> None:
    blocks: Iterable[Block] = region.blocks
    for block in blocks:
        for argument in block.args:
            argument._type = at(argument.type)  # pyright: ignore[reportPrivateUsage]


def _replace_size(op: SizeOp, sizes: Mapping[str, int]) -> None:
    extent = evaluate(op.extent.data, sizes)
    if not is_static(extent):
        op.properties["extent"] = integer(extent)
        return
    constant = ConstantOp.create(
        properties={"value": IntegerAttr(extent, i64)}, result_types=[i64], location=op.location
    )
    Rewriter.replace_op(op, constant)
