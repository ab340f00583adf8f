"""Dialects of others: passes turn programs of theirs into programs of the language, and back.

    convert-to-array      reads  arith, math, tensor, linalg, scf, affine
    convert-stablehlo-to-array   reads  stablehlo, chlo
    convert-from-array    leaves them

A pass says so by being a `ConversionPass`. Between such passes a module holds ops of the language alone;
before and after them it is checked only that ops have the parts that they declare, and that values are
defined where they are used. Other requirements of ops are for the tools of their dialects to check, except
those of StableHLO, whose ops are verified as its specification says. Where no pass runs they are printed as
they are.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import ClassVar, Final, cast

from xdsl.context import Context
from xdsl.dialects.builtin import FunctionType, IndexType, TensorType, UnregisteredOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Dialect, Operation
from xdsl.irdl import IRDLOperation
from xdsl.passes import ModulePass


def _imported(module: str, name: str) -> Callable[[], Dialect]:
    return lambda: cast(Dialect, getattr(import_module(module), name))


UPSTREAM: Final[Mapping[str, Callable[[], Dialect]]] = {
    "affine": _imported("xdsl.dialects.affine", "Affine"),
    "arith": _imported("mlirad.dialects.upstream", "Arith"),
    "linalg": _imported("mlirad.dialects.upstream", "Linalg"),
    "math": _imported("xdsl.dialects.math", "Math"),
    "scf": _imported("mlirad.dialects.upstream", "Scf"),
    "tensor": _imported("mlirad.dialects.upstream", "Tensor"),
}
"""The dialects of MLIR itself that programs on tensors are written in, imported when text names one."""

STABLEHLO: Final[Mapping[str, Callable[[], Dialect]]] = {
    "stablehlo": _imported("mlirad.dialects.stablehlo", "StableHlo"),
    "chlo": _imported("mlirad.dialects.stablehlo", "Chlo"),
    "sdy": _imported("mlirad.dialects.stablehlo", "Sharding"),
}
"""The dialects that JAX prints programs in."""


class ForeignContext(Context):
    """A context that reads every op of the dialects above, declared or not."""

    def get_optional_op(self, name: str, *, dialect_stack: Sequence[str] = ()) -> type[Operation] | None:
        """The class of an op, of upstream dialects always some class."""
        known = super().get_optional_op(name, dialect_stack=dialect_stack)
        if known is not None or name.partition(".")[0] not in UPSTREAM:
            return known
        from mlirad.dialects.upstream import op_of

        self._loaded_ops[name] = op_of(name)
        return self._loaded_ops[name]

    def get_optional_attr(self, name: str) -> type[Attribute] | None:
        """The class of an attribute, of upstream dialects always some class."""
        known = super().get_optional_attr(name)
        if known is not None or self.allow_unregistered or name.partition(".")[0] not in UPSTREAM:
            return known
        self.allow_unregistered = True
        try:
            return super().get_optional_attr(name)
        finally:
            self.allow_unregistered = False


class ConversionPass(ModulePass, ABC):
    """A pass from or to other dialects, whose names it states."""

    READS: ClassVar[frozenset[str]] = frozenset()
    """The dialects that may stand in the module before it."""
    LEAVES: ClassVar[frozenset[str]] = frozenset()
    """The dialects that may stand in the module after it."""


def reads(passes: Sequence[ModulePass]) -> frozenset[str]:
    """The dialects of others that may stand in a module before these passes."""
    return passes[0].READS if passes and isinstance(passes[0], ConversionPass) else frozenset()


def leaves(pass_: ModulePass) -> frozenset[str]:
    """The dialects of others that may stand in a module after a pass."""
    return pass_.LEAVES if isinstance(pass_, ConversionPass) else frozenset()


def name_of_op(op: Operation) -> str:
    """The name of an op, of one that no dialect declares too."""
    return op.op_name.data if isinstance(op, UnregisteredOp) else op.name


def dialect_of(op: Operation) -> str:
    """The name of the dialect of an op."""
    return name_of_op(op).partition(".")[0]


def check_declared(op: Operation) -> None:
    """Check operands, results, properties and regions of an op of another dialect, if a class declares them.

    Raises `VerifyException`. Of ops that are declared here the rules are checked too; those of others are for
    their own tools.
    """
    if dialect_of(op) in STABLEHLO:
        op.verify_()
    elif not isinstance(op, UnregisteredOp):
        cast(IRDLOperation, op).get_irdl_definition().verify(op)


def foreign_dialects(program: Operation) -> frozenset[str]:
    """The dialects of others whose ops stand anywhere in a program."""
    names = {dialect_of(op) for op in program.walk()}
    return frozenset(name for name in names if name in UPSTREAM or name in STABLEHLO)


def is_stablehlo(program: Operation) -> bool:
    """Return whether an op of StableHLO stands anywhere in a program."""
    return any(name in STABLEHLO for name in foreign_dialects(program))


def is_upstream(program: Operation) -> bool:
    """Return whether an op of an upstream dialect stands anywhere in a program, or a function takes or
    returns what the language writes in another way: an `index`, or a tensor of rank 0.
    """
    return any(name in UPSTREAM for name in foreign_dialects(program)) or any(
        isinstance(type_, IndexType) or (isinstance(type_, TensorType) and not type_.get_shape())
        for op in program.walk()
        if isinstance(op, FuncOp) and isinstance(stated := op.properties.get("function_type"), FunctionType)
        for type_ in (*stated.inputs.data, *stated.outputs.data)
    )
