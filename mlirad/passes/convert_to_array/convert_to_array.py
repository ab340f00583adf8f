"""The pass `convert-to-array`: functions over `arith`, `math`, `tensor`, `linalg` and `scf` on arrays.

    %0 = tensor.empty() : tensor<3x5xf64>
    %1 = linalg.fill ins(%zero : f64) outs(%0 : tensor<3x5xf64>) -> tensor<3x5xf64>
    %2 = linalg.matmul ins(%x, %y : ...) outs(%1 : ...) -> tensor<3x5xf64>

    -->  %2 = array.dot %x, %y {lhs_contract = [1], rhs_contract = [0], ...}

Every op becomes what has its meaning in the array dialect; ops that are of the language already stay. Shapes
must be static, and programs on memory are refused. `index` becomes i64.
"""

from __future__ import annotations

from collections.abc import Container
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp

from mlirad.dialects.shapes import Value
from mlirad.ir.arrays import ArrayBuilder, new_function
from mlirad.ir.checked_builder import CheckedBuilder
from mlirad.ir.foreign import UPSTREAM, ConversionPass, is_upstream
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.convert_to_array.affine_maps import AFFINE
from mlirad.passes.convert_to_array.control import CONTROL
from mlirad.passes.convert_to_array.conversion import Conversion, Handler
from mlirad.passes.convert_to_array.conversions import ELEMENTWISE
from mlirad.passes.convert_to_array.named_ops import BY_ATTRIBUTES, ELEMENTWISE_NAMES, NOTATIONS
from mlirad.passes.convert_to_array.source_ops import language_type, refusal
from mlirad.passes.convert_to_array.structured import convert_index, convert_structured
from mlirad.passes.convert_to_array.tensors import TENSORS
from mlirad.passes.dce import eliminate_dead_code
from mlirad.passes.function_pass import transform_functions
from mlirad.passes.raise_contractions import raise_contractions

HANDLERS: dict[str, Handler] = {
    **ELEMENTWISE,
    **AFFINE,
    **TENSORS,
    **CONTROL,
    **{f"linalg.{name}": convert_structured for name in (*BY_ATTRIBUTES, *ELEMENTWISE_NAMES, *NOTATIONS)},
    "linalg.index": convert_index,
}
"""The converter of each upstream op."""


@dataclass(frozen=True)
class ConvertToArrayPass(ConversionPass):
    """Turns functions of arith, math, tensor, linalg and scf into functions on arrays."""

    name = "convert-to-array"
    READS: ClassVar = frozenset(UPSTREAM)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Convert every function that holds an op of another dialect, or a value of its types.

        Declarations go: what calls those of the C library becomes ops.
        """
        declarations = [f for f in op.ops if isinstance(f, FuncOp) and not f.body.blocks]
        declared = {f.sym_name.data for f in declarations}
        transform_functions(op, lambda function: convert_function(function, declared))
        for declaration in declarations:
            declaration.detach()
            declaration.erase()


def convert_function(function: FuncOp, declared: Container[str] = ()) -> FuncOp:
    """The function on arrays, where `declared` are functions without a body.

    Raises `UnsupportedError` at the first op that has no form there.
    """
    types = function.function_type
    expected = [language_type(t, function) for t in (*types.inputs.data, *types.outputs.data)]
    calls = any(isinstance(op, CallOp) and op.callee.string_value() in declared for op in function.walk())
    kept = expected == [*types.inputs.data, *types.outputs.data]
    if kept and not calls and not is_upstream(function):
        return function
    if len(function.body.blocks) != 1:
        raise refusal(function, "has several blocks", "write control flow with scf")
    source = function.body.block
    inputs = expected[: len(types.inputs)]

    def body(b: ArrayBuilder, *arguments: Value) -> list[Value]:
        return Conversion(b, HANDLERS, declared).inlined(source, arguments)

    visibility = None if function.sym_visibility is None else function.sym_visibility.data
    hints = [a.name_hint for a in source.args]
    made = new_function(function.sym_name.data, inputs, body, visibility, hints, CheckedBuilder)
    made.location = function.location
    return eliminate_dead_code(raise_contractions(made))
