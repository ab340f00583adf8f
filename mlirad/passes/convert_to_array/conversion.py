"""The conversion of one function: the table of what ops become, and the walk through blocks.

    HANDLERS["arith.addf"](conversion, op)   -->   [the value of the language for its result]

A handler emits through the folding builder. Inside the body of a linalg op, scalars stand either for one
position of the iteration space or, where the body is elementwise, for arrays over all of it: handlers of
elementwise ops do not see the difference, as scalars that they meet among arrays are broadcast (`aligned`).
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from typing import TypeAlias

from xdsl.dialects.func import CallOp, ReturnOp
from xdsl.ir import Block, Operation
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.shapes import Value, shape_of
from mlirad.dialects.upstream import C_FUNCTIONS
from mlirad.errors import MliradError
from mlirad.ir.arrays import ArrayBuilder, Environment
from mlirad.ir.foreign import UPSTREAM, dialect_of, name_of_op
from mlirad.ir.free_values import own_operands
from mlirad.passes.convert_to_array.source_ops import language_type, refusal

Handler: TypeAlias = Callable[["Conversion", Operation], Sequence[Value]]

TERMINATORS = frozenset(
    ("linalg.yield", "tensor.yield", "scf.yield", "scf.condition", "scf.forall.in_parallel", "func.return")
)


class Conversion:
    """The state of the conversion of a function."""

    def __init__(self, b: ArrayBuilder, handlers: Mapping[str, Handler], declared: Container[str]):
        self.b = b
        self.declared = declared
        """The names of functions without a body."""
        self.handlers = handlers
        self.env: Environment = {}
        self.positions: Sequence[Value] = ()
        """The values that `linalg.index` reads: the position in every iteration dimension, or in all of them.
        """

    def value(self, value: Value) -> Value:
        """The value of the language for one of the source."""
        return self.env[value]

    def values(self, values: Sequence[Value]) -> list[Value]:
        """The values of the language for those of the source."""
        return [self.env[value] for value in values]

    def aligned(self, values: Sequence[Value]) -> list[Value]:
        """The values of the language, scalars broadcast to the shape of the arrays among them."""
        found = self.values(values)
        shape = max((shape_of(v) for v in found), key=len, default=())
        return [self.b.broadcast(v, shape, ()) if not shape_of(v) else v for v in found]

    def known_integer(self, value: Value) -> int | None:
        """The integer that a scalar is known to be."""
        known = self.b.scalar_of(self.env[value])
        return None if known is None else int(known)

    def inline(self, block: Block, arguments: Sequence[Value], leave: Operation | None = None) -> Operation:
        """Emit the ops of a block for the arguments, all but `leave`; returns its terminator."""
        self.env.update(zip(block.args, arguments, strict=True))
        for op in block.ops:
            if op is block.last_op:
                return op
            if op is not leave:
                self.convert(op)
        raise AssertionError("a block without a terminator")

    def inlined(self, block: Block, arguments: Sequence[Value]) -> list[Value]:
        """Emit the ops of a block for the arguments; returns what its terminator yields."""
        return self.values(own_operands(self.inline(block, arguments)))

    def convert(self, op: Operation) -> None:
        """Emit what stands for an op, and enter its results."""
        b = self.b
        b.location = op.location
        b.name_hint = op.results[0].name_hint if len(op.results) == 1 else None
        name = name_of_op(op)
        if isinstance(op, CallOp):
            made: Sequence[Value] = self._called(op)
        elif name in self.handlers:
            made = self._made(op)
        elif name in TERMINATORS or isinstance(op, ReturnOp):
            raise refusal(op, "must be the last op of its block")
        elif dialect_of(op) in UPSTREAM:
            raise refusal(op, "has no form in the array dialect", _GENERALISE if "linalg." in name else None)
        else:
            # Ops of the language already.
            b.rebuild(op, self.env)
            return
        for k, (result, value) in enumerate(zip(op.results, made, strict=True)):
            self.env[result] = value
            expected = language_type(result.type, op)
            within = not shape_of(expected) and bool(self.positions)
            if value.type != expected and not within:
                raise refusal(op, f"result {k} has type {value.type}, the text says {result.type}")
            if value.name_hint is None:
                value.name_hint = result.name_hint

    def _called(self, op: CallOp) -> Sequence[Value]:
        """A call, or the op that a function of the C library is."""
        name, values = op.callee.string_value(), self.values(own_operands(op))
        if name in self.declared:
            op_class = C_FUNCTIONS.get(name.removesuffix("f"))
            if op_class is None:
                known = ", ".join(f"@{known}" for known in C_FUNCTIONS)
                raise refusal(op, f"@{name} has no body", f"define it; of the C library there are {known}")
            return [self.b.apply_elementwise(op_class, values)]
        return self.b.call(name, values, [language_type(r.type, op) for r in op.results])

    def _made(self, op: Operation) -> Sequence[Value]:
        try:
            return self.handlers[name_of_op(op)](self, op)
        except (VerifyException, ValueError, IndexError) as error:
            if isinstance(error, MliradError):
                raise
            message = " ".join(str(error).split()) or type(error).__name__
            raise refusal(op, f"is malformed: {message}") from error


_GENERALISE = "run mlir-opt --linalg-generalize-named-ops before"
