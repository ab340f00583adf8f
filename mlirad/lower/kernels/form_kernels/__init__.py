"""Kernel formation: a function of array ops becomes a function of kernels.

Each stored value is the result of one kernel (`kernel_builder.py`); everything else is read element by
element inside the kernels that need it (`reader.py`), so chains of whole-array ops become single loop nests.
Loops and branches stay, with kernels in their regions (`blocks.py`). `materialise.py` says what is stored.

    %0 = array.mul %x, %y : tensor<8xf64>
    %1 = array.sum %0 {dims = [0]} : tensor<8xf64> -> f64
 -->
    %1 = kernel.nest %x, %y (%i) {space = [], reduction = [8], combiners = [add]} : ... -> f64 {
      %a = kernel.load %x[%i] : tensor<8xf64> -> f64
      %b = kernel.load %y[%i] : tensor<8xf64> -> f64
      %p = array.mul %a, %b : f64
      array.yield %p : f64
    }

A `KernelBuilder` makes the kernel of one stored value; an `ElementReader` the scalar code of one element of
any other value: at indices that other values give (`positions.py`), at the slot in a scatter's operand that
its index comes from (`inverses.py`), clamped unless it lies inside (`bounds_proofs.py`). `masked_sums.py`
finds sums with few nonzero terms, `library.py` contractions that BLAS computes. An op that is not elementwise
needs its reading of one element in `reader.py` (`tests/lower/test_form_kernels.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from mlirad.dialects.array.control import TapeType
from mlirad.dialects.array.custom import CUSTOM_OPS
from mlirad.dialects.array.factorisations import SolveOp
from mlirad.dialects.array.indexing import BuildOp
from mlirad.dialects.concrete_sizes import SIZES
from mlirad.dialects.kernel import (
    KERNEL_OPS,
    KERNEL_RESULT_OPS,
    CumulativeOp,
    DotOp,
    NestOp,
    ScatterOp,
    SortOp,
)
from mlirad.dialects.kernel.plans import stated_arena
from mlirad.dialects.linear import Linear
from mlirad.dialects.shapes import STORED, Value, is_array, shape_of
from mlirad.errors import SizeNeeded, UnsupportedError
from mlirad.ir.arrays import ArrayBuilder, Environment, new_function
from mlirad.ir.builder import function_block, returned
from mlirad.ir.first_order import require_first_order
from mlirad.ir.locations import location_of
from mlirad.ir.regions import nested_ops
from mlirad.lazy_dataclass import dataclass
from mlirad.lower.kernels.form_kernels.blocks import BlockBuilder
from mlirad.lower.kernels.form_kernels.regions import Bodies
from mlirad.lower.large_sizes import are_static
from mlirad.passes.function_pass import holds, transform_functions

__all__ = ["FormKernelsPass", "form_kernels"]


def form_kernels(function: FuncOp) -> FuncOp:
    """The function as kernels. Its body must be array code: `require_array_code` raises otherwise."""
    require_array_code(function)
    source = function_block(function)
    results = returned(function)

    def body(b: ArrayBuilder, *args: Value) -> Sequence[Value]:
        bodies = Bodies(source)
        buffers: Environment = dict(zip(source.args, args, strict=True))
        BlockBuilder(b, buffers, bodies).form(bodies.main, results)
        return [buffers[v] for v in results]

    new = new_function(
        function.sym_name.data,
        list(source.arg_types),
        body,
        None if function.sym_visibility is None else function.sym_visibility.data,
        [a.name_hint for a in source.args],
    )
    new.location = function.location
    if SIZES in function.attributes:
        new.attributes[SIZES] = function.attributes[SIZES]
    require_sized_kernels(new)
    return new


def require_sized_kernels(function: FuncOp) -> None:
    """Raise `SizeNeeded` for the first kernel of extents with sizes whose code is for numbers alone."""
    for op in nested_ops(function.body):
        if isinstance(op, KERNEL_RESULT_OPS) and not isinstance(op, SIZED_KERNELS):
            for value in (*op.operands, *op.results):
                if is_array(value.type, STORED) and not are_static(shape_of(value)):
                    raise SizeNeeded(
                        f"the extents of what {op.name} computes", shape_of(value), location=location_of(op)
                    )


SIZED_KERNELS: Final = (NestOp, DotOp, ScatterOp, CumulativeOp, SortOp)
"""The kernels whose extents may have sizes in them."""


def require_array_code(function: FuncOp) -> None:
    """Raise `UnsupportedError` for the first op that lowering does not take.

    These are kernels, as lowering runs once, and what the pipeline `expand` removes: builds, linear maps,
    custom derivatives, checkpoints, and functions as values.
    """
    require_first_order(function)
    for k, argument in enumerate(function_block(function).args):
        _require_array(function, argument, f"argument {k}")
    for op in nested_ops(function.body):
        if type(op) in _KERNELS:
            raise UnsupportedError(
                f"@{function.sym_name.data} has been lowered: {op.name} is a kernel",
                location=location_of(op),
                hint="lower array code, and lower it once",
            )
        if type(op) in _EXPANDED:
            raise UnsupportedError(
                f"{op.name} cannot be lowered",
                location=location_of(op),
                hint="run the pipeline 'expand' before",
            )
        for k, result in enumerate(op.results):
            if not isinstance(result.type, TapeType):
                _require_array(op, result, f"result {k} of {op.name}")


def _require_array(op: Operation, value: Value, what: str) -> None:
    if not is_array(value.type, STORED):
        raise UnsupportedError(
            f"{what} has type {value.type}, which has no code",
            location=location_of(op),
            hint="run the pipeline 'expand' before, and return what a map is applied to",
        )


EXPANDED = (BuildOp, *CUSTOM_OPS, SolveOp)
"""Ops of the array dialect that `expand` replaces."""

_EXPANDED = frozenset[type[Operation]]((*EXPANDED, *Linear.operations))
_KERNELS = frozenset[type[Operation]](KERNEL_OPS)


@dataclass(frozen=True)
class FormKernelsPass(ModulePass):
    """Turns every function of array ops into kernels; with `keep` functions that have kernels stay."""

    name = "form-kernels"

    keep: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Replace each function."""
        transform_functions(op, lambda f: f if self.keep and _is_lowered(f) else form_kernels(f))


def _is_lowered(function: FuncOp) -> bool:
    return stated_arena(function) is not None or holds(function, KERNEL_RESULT_OPS)
