"""Every op with one part of it changed: types of operands and results, properties, regions.

    mutants("stablehlo.pad")     ("operand 0: tensor<4x4xf64>", module), ("interior_padding: [-1, 0]", module)

StableHLO's own verifier has judged whether they are still programs: see `judge_mutants.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, cast

from xdsl.dialects.builtin import (
    BoolAttr,
    ComplexType,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    Signedness,
    StringAttr,
    SymbolRefAttr,
    TensorType,
    f32,
    f64,
    i1,
    i32,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, Region

from mlirad.dialects.stablehlo import HloOp
from mlirad.dialects.stablehlo.attributes import ATTRIBUTES, ConvolutionDimensions
from mlirad.dialects.stablehlo.structural import padding_attribute
from mlirad.ir.parsing import parse_module
from tests.stablehlo.op_examples import EXAMPLES

Change = Callable[[HloOp], object]

ELEMENTS = (f64, f32, i64, i32, i1, IntegerType(32, Signedness.UNSIGNED), ComplexType(f64))


def example(name: str) -> ModuleOp:
    """The module with an op of a name."""
    return parse_module(EXAMPLES[name], f"{name}.mlir")


def mutants(name: str) -> Iterator[tuple[str, ModuleOp]]:
    """The example of an op with one part changed, for each part and some changes of it."""
    for label, change in list(_changes(_op_of(example(name), name))):
        module = example(name)
        change(_op_of(module, name))
        for function in module.ops:
            if isinstance(function, FuncOp):
                function.update_function_type()
        yield label, module


def _op_of(module: ModuleOp, name: str) -> HloOp:
    return next(cast(HloOp, op) for op in module.walk() if op.name == name)


def _changes(op: HloOp) -> Iterator[tuple[str, Change]]:
    for k, operand in enumerate(op.operands):
        for type_ in _types(operand.type):
            yield f"operand {k}: {type_}", lambda op, k=k, t=type_: _set_type(op.operands[k], t)
    for k, result in enumerate(op.results):
        for type_ in _types(result.type):
            yield f"result {k}: {type_}", lambda op, k=k, t=type_: _set_type(op.results[k], t)
    for name, value in op.properties.items():
        for text, changed in _values(value):
            yield f"{name}: {text}", lambda op, n=name, v=changed: op.properties.__setitem__(n, v)
        yield f"no {name}", lambda op, n=name: op.properties.pop(n)
    for k, region in enumerate(op.regions):
        for text, change in _region_changes(region):
            yield f"region {k} {text}", lambda op, k=k, change=change: change(op.regions[k])
    if op.regions:
        yield "one region less", lambda op: op.detach_region(len(op.regions) - 1).drop_all_references()


def _region_changes(region: Region) -> Iterator[tuple[str, Callable[[Region], object]]]:
    for k, argument in enumerate(region.block.args):
        for type_ in _types(argument.type)[:4]:
            yield f"argument {k}: {type_}", lambda r, k=k, t=type_: _set_type(r.block.args[k], t)
    yield "returns nothing", lambda r: setattr(_end(r), "operands", [])
    yield "returns all twice", lambda r: setattr(_end(r), "operands", [*_end(r).operands] * 2)
    yield "takes one more", lambda r: r.block.insert_arg(TensorType(f64, []), 0)
    if region.block.args:
        yield "returns its first argument", lambda r: setattr(_end(r), "operands", [r.block.args[0]])


def _end(region: Region) -> Operation:
    return cast(Operation, region.block.last_op)


def _set_type(value: Any, type_: Attribute) -> None:
    value._type = type_


def _types(type_: Attribute) -> list[Attribute]:
    """Other types: one more along a dimension, none, a dimension more or less, other elements."""
    tensor = cast("TensorType[Any]", type_)
    shape, element = list(tensor.get_shape()), tensor.element_type
    shapes = [[n + (k == d) for k, n in enumerate(shape)] for d in range(len(shape))]
    shapes += [[0 if k == d else n for k, n in enumerate(shape)] for d in range(len(shape))]
    shapes += [[*shape, 1], shape[:-1], shape[::-1]]
    found = [TensorType(element, s) for s in shapes if s != shape]
    found += [TensorType(e, shape) for e in ELEMENTS if e != element]
    return list(dict.fromkeys(found))


def _values(value: Attribute) -> list[tuple[str, Attribute]]:
    """Other values of a property."""
    if isinstance(value, IntegerAttr) and value.type == i1:
        return [("not", BoolAttr.from_bool(not value.value.data))]
    if isinstance(value, IntegerAttr):
        n = value.value.data
        return [(str(v), IntegerAttr(v, value.type)) for v in (-1, n + 1, 0, 99, -99) if v != n]
    if isinstance(value, DenseArrayBase):
        numbers = [abs(int(n)) for n in cast(Any, value).get_values()]
        lists = [v for v in _lists(numbers) if value.elt_type == i64 or {*v} <= {0, 1}]
        return [(str(v), cast(Attribute, DenseArrayBase.from_list(value.elt_type, v))) for v in lists]
    if isinstance(value, DenseIntOrFPElementsAttr) and value.get_type().element_type == i64:
        given = [int(n) for n in value.get_values()]
        pairs = [list(p) for p in zip(given[::2], given[1::2], strict=True)]
        others = [pairs[:-1], [*pairs, [0, 0]], [[-99, 0], *pairs[1:]], [[3, 0], *pairs[1:]]]
        return [(str(p), padding_attribute(p)) for p in others]
    if isinstance(value, ConvolutionDimensions):
        return list(_convolution(value))
    if isinstance(value, StringAttr):
        return [(f'"{text}"', StringAttr(text)) for text in ("", "other")]
    if isinstance(value, SymbolRefAttr):
        return [("@other", SymbolRefAttr("other"))]
    if type(value) in ATTRIBUTES and hasattr(value, "VALUES"):
        word: Any = value
        return [(v, type(value)(v)) for v in word.VALUES if v != word.data]
    return list(_dimensions(value)) if hasattr(value, "LISTS") else []


def _lists(values: list[int]) -> list[list[int]]:
    found = [
        [v if k == j else n for k, n in enumerate(values)]
        for j in range(len(values))
        for v in (-1, 0, values[j] + 1, 99)
    ]
    found += [values[:-1], [*values, 0], [*values, 1], values[::-1]]
    return [v for k, v in enumerate(found) if v != values and v not in found[:k]]


def _dimensions(value: Any) -> Iterator[tuple[str, Attribute]]:
    data = dict(value.data)
    for name, given in data.items():
        others = [given - 1, given + 1, 99] if isinstance(given, int) else _lists(list(given))
        for other in others:
            changed = data | {name: other if isinstance(other, int) else tuple(other)}
            yield f"{name} {other}", type(value)(tuple((n, v) for n, v in changed.items() if v != ()))


def _convolution(value: ConvolutionDimensions) -> Iterator[tuple[str, Attribute]]:
    for k, group in enumerate(value.data):
        others = [group[::-1], (group[1], group[0], *group[2:]), (*group[:-1], group[-2]), group[:-1]]
        for other in (*others, (*group, "2"), ("x", *group[1:])):
            groups = tuple(other if j == k else g for j, g in enumerate(value.data))
            yield f"group {k} {list(other)}", ConvolutionDimensions(cast(Any, groups))
