"""StableHLO to array code: programs as JAX prints them become programs of the language.

    %1 = stablehlo.add %0, %0 : tensor<f64>        -->        %1 = array.add %0, %0 : f64

A tensor of rank 0 becomes a scalar, unsigned integers become signed ones of the same bits. Functions that are
called once, or are short, are written out where they are called: the functions that JAX makes of its own
functions hide the patterns by which loops are recognised. All other calls stay.

The converter (`converter.py`) walks blocks, emits through the folding builder, inlines short functions, and
compares each result with the type that its op declares. A meaning is a function from the converter, the op
and its operands to values, entered by `@meaning` in the file of the op's family
(`lit/passes/convert-stablehlo-to-array.mlir`). Loops are recognised in what was emitted (`loops.py`),
comparators and reducers by their text (`regions.py`).

StableHLO is converted op by op, and read as it is printed. Programs of JAX hide their meaning: a loop that
stacks rows is a `while` with updates of slices, a sort has a region of comparisons, a prefix sum is a window.
Converted word for word they would run, with derivatives that record loops of unknown length. So the converter
recognises these forms, in emitted code, where calls are inlined and constants folded. Unsigned integers are
signed ones of the same bits: most operations are the same on both, and the others differ by a flipped bit, so
the language needs no more types. A scatter of StableHLO drops indices outside, the language clamps: sums add
0 there, and elements that are set go to one more row, which is cut off again.
"""

from __future__ import annotations

from collections import Counter
from importlib import import_module
from typing import ClassVar, cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from mlirad.dialects.language_op import LanguageOp
from mlirad.dialects.shapes import Value, shape_of
from mlirad.dialects.stablehlo import HloOp
from mlirad.errors import UnsupportedError
from mlirad.ir.arrays import ArrayBuilder, new_function
from mlirad.ir.builder import function_block
from mlirad.ir.call_graph import CallGraph, calls_of, functions_by_name, is_private
from mlirad.ir.checked_builder import CheckedBuilder
from mlirad.ir.dead_code import erase_unused
from mlirad.ir.foreign import STABLEHLO, ConversionPass
from mlirad.ir.locations import location_of
from mlirad.ir.regions import nested_ops
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.convert_stablehlo.converter import Converter
from mlirad.passes.convert_stablehlo.types import UnsupportedType, language_type
from mlirad.passes.function_pass import drop_unreferenced, replace_function

for _room in (
    "contractions",
    "elementwise",
    "factorisations",
    "loops",
    "ordering",
    "positions",
    "reductions",
    "structural",
):
    # Each enters what its ops mean in `converter.MEANINGS`.
    import_module(f"{__name__}.{_room}")

SHORT = 30
"""The most ops of a function that is written out wherever it is called."""


@dataclass(frozen=True)
class ConvertStablehloToArrayPass(ConversionPass):
    """StableHLO to array code; functions of other ops stay as they are."""

    name = "convert-stablehlo-to-array"
    READS: ClassVar = frozenset(STABLEHLO)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Convert public functions, and private ones that are still called. Declarations go."""
        convert_stablehlo(op)


def convert_stablehlo(module: ModuleOp, *, write_out: bool = False) -> None:
    """Convert the functions of a module in place; with `write_out` no call stays."""
    functions = functions_by_name(module)
    foreign = foreign_functions(functions)
    if not foreign:
        return
    for function in list(module.ops):
        if isinstance(function, FuncOp) and not function.body.blocks:
            function.detach()
            function.erase()
    kept = frozenset[str]() if write_out else _kept(functions, foreign)
    converted = {
        name: _converted(function, foreign, kept)
        for name, function in foreign.items()
        if name in kept or not is_private(function)
    }
    for name, function in converted.items():
        replace_function(functions[name], function)
    for name, function in foreign.items():
        if name not in converted:
            function.detach()
            function.erase()
    for name in ("mhlo.num_partitions", "mhlo.num_replicas"):
        module.attributes.pop(name, None)
    drop_unreferenced(module)


def foreign_functions(functions: dict[str, FuncOp]) -> dict[str, FuncOp]:
    """The functions written in StableHLO, if any is: those that hold no op of the language."""
    if not any(_is_stablehlo(function) for function in functions.values()):
        return {}
    return {
        name: function
        for name, function in functions.items()
        if not any(isinstance(op, LanguageOp) for op in nested_ops(function.body))
    }


def _is_stablehlo(function: FuncOp) -> bool:
    """Return whether a function is StableHLO by its ops, or by a tensor type of rank 0."""
    types = (*function.function_type.inputs.data, *function.function_type.outputs.data)
    if any(isinstance(type_, TensorType) and not shape_of(cast(Attribute, type_)) for type_ in types):
        return True
    return any(isinstance(op, HloOp) for op in nested_ops(function.body))


def _kept(functions: dict[str, FuncOp], foreign: dict[str, FuncOp]) -> frozenset[str]:
    """The functions whose calls stay: those that are not short and called more than once, and recursive
    ones."""
    calls = Counter(name for function in functions.values() for name, _ in calls_of(function))
    graph = CallGraph(functions)
    recursive = graph.recursive()
    return frozenset(
        name
        for name, function in foreign.items()
        if calls[name] and (name in recursive or (calls[name] > 1 and _length(function) > SHORT))
    )


def _length(function: FuncOp) -> int:
    return sum(1 for _ in nested_ops(function.body))


def _converted(function: FuncOp, functions: dict[str, FuncOp], kept: frozenset[str]) -> FuncOp:
    """The function in array code. Locations are those of the ops that it was written with."""
    source = function_block(function)
    try:
        types = [language_type(type_) for type_ in source.arg_types]
    except UnsupportedType as error:
        raise UnsupportedError(
            f"@{function.sym_name.data}: the language has no {error}", location=location_of(function)
        ) from error

    def body(b: ArrayBuilder, *arguments: Value) -> list[Value]:
        return Converter(b, functions, kept).block(source, arguments)

    visibility = "private" if is_private(function) else None
    hints = [a.name_hint for a in source.args]
    new = new_function(function.sym_name.data, types, body, visibility, hints, CheckedBuilder)
    erase_unused(function_block(new))
    new.location = function.location
    return new
