"""The walk over a StableHLO program that emits array code, op by op, by the table of what each op means.

    Converter(b, functions).block(block, arguments)      the values that the block returns, as emitted through
    b

A meaning is a function `(converter, op, operands) -> results`, entered in `MEANINGS` by the op's name. It
emits through the folding builder; what it makes must have the types that the op declares.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.dialects.func import ReturnOp as FunctionReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.shapes import Shape, Value, array_type, element_of, shape_of
from mlirad.dialects.stablehlo import HloOp
from mlirad.dialects.stablehlo.control import ReturnOp
from mlirad.errors import UnsupportedError, VerifyError
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.builder import function_block
from mlirad.ir.free_values import own_operands
from mlirad.ir.locations import location_of
from mlirad.passes.convert_stablehlo.types import UnsupportedType, language_type

Meaning: TypeAlias = "Callable[[Converter, HloOp, list[Value]], Value | Sequence[Value]]"

MEANINGS: dict[str, Meaning] = {}
"""The meaning of each op, by its name. The modules beside this one enter theirs."""


def meaning(*names: str) -> Callable[[Meaning], Meaning]:
    """Enter a function as the meaning of ops of these names."""

    def enter(function: Meaning) -> Meaning:
        for name in names:
            MEANINGS[name] = function
        return function

    return enter


class Converter:
    """Emits the array code of blocks. `kept` are functions whose calls stay calls; others are written out."""

    def __init__(self, b: ArrayBuilder, functions: Mapping[str, FuncOp], kept: frozenset[str] = frozenset()):
        self.b = b
        self.functions = functions
        self.kept = kept
        self.values: dict[Value, Value] = {}
        self.over: Shape | None = None
        """In a region on scalars that is applied to arrays, their shape."""

    def block(self, block: Block, arguments: Sequence[Value]) -> list[Value]:
        """Emit the ops of a block on these arguments; returns what it hands over."""
        self.values.update(zip(block.args, arguments, strict=True))
        for op in block.ops:
            if isinstance(op, ReturnOp | FunctionReturnOp):
                return [self._value(o) for o in own_operands(op)]
            self._convert(op)
        raise VerifyError("a block ends without a return", location=_place(block))

    def region(self, region: Region, arguments: Sequence[Value]) -> list[Value]:
        """Emit a region of an op here."""
        return self.block(region.block, arguments)

    def elementwise(self, region: Region, arguments: Sequence[Value], shape: Shape) -> list[Value]:
        """Apply a region on scalars to arrays of one shape."""
        around, self.over = self.over, shape
        try:
            return self.region(region, arguments)
        finally:
            self.over = around

    def refuse(self, op: Operation, what: str, hint: str | None = None) -> UnsupportedError:
        """The error that the language has no word for part of an op."""
        return UnsupportedError(f"{op.name}: {what}", location=location_of(op), hint=hint)

    def position(self, value: Value) -> Value:
        """An integer as a position, i64."""
        return self.b.convert(value, i64)

    def _convert(self, op: Operation) -> None:
        b = self.b
        b.location = op.location
        b.name_hint = None
        try:
            operands = [self._value(o) for o in own_operands(op)]
            if isinstance(op, CallOp):
                results = self._call(op, operands)
            else:
                found = MEANINGS.get(op.name)
                if found is None or not isinstance(op, HloOp):
                    raise self.refuse(op, "is not an op that convert-stablehlo-to-array knows")
                made = found(self, op, operands)
                results = [made] if isinstance(made, SSAValue) else list(made)
            self._check(op, results)
        except UnsupportedType as error:
            raise self.refuse(op, f"the language has no {error}") from error
        except (VerifyException, IndexError, KeyError, ValueError) as error:
            if isinstance(error, VerifyError | UnsupportedError):
                raise
            reason = str(error).strip() or type(error).__name__
            raise VerifyError(f"{op.name}: {reason}", location=location_of(op)) from error
        self.values.update(zip(op.results, results, strict=True))

    def _check(self, op: Operation, results: Sequence[Value]) -> None:
        """The op must declare the types of what it means."""
        if len(results) != len(op.results):
            raise VerifyError(
                f"{op.name}: has {len(results)} results, not {len(op.results)}", location=location_of(op)
            )
        for declared, value in zip(op.results, results, strict=True):
            expected = self._type(language_type(declared.type))
            if value.type != expected:
                raise VerifyError(
                    f"{op.name}: a result of type {value.type} is declared as {declared.type}",
                    location=location_of(op),
                )

    def _value(self, value: Value) -> Value:
        """Return what stands for a value here: of a scalar from outside of a region on scalars, an array of
        it.
        """
        found = self.values[value]
        if self.over is None:
            return found
        own = language_type(value.type)
        expected = self._type(own)
        if found.type == expected or found.type != own:
            return found
        return self.b.broadcast(found, shape_of(expected), range(len(self.over), len(shape_of(expected))))

    def _type(self, type_: Attribute) -> Attribute:
        """The type of what a value of this type is here: an array, of a scalar of a region on scalars."""
        return type_ if self.over is None else array_type((*self.over, *shape_of(type_)), element_of(type_))

    def _call(self, op: CallOp, operands: list[Value]) -> list[Value]:
        name = op.callee.root_reference.data
        callee = self.functions.get(name)
        if callee is None:
            raise VerifyError(f"there is no function @{name} with a body", location=location_of(op))
        if name in self.kept and self.over is None:
            types = [language_type(r.type) for r in op.results]
            return list(self.b.insert(CallOp, operands, types, {"callee": op.callee}).results)
        location = self.b.location
        results = self.block(function_block(callee), operands)
        self.b.location = location
        return results


def _place(block: Block) -> str | None:
    parent = block.parent_op()
    return None if parent is None else location_of(parent)


def number(op: HloOp, name: str, default: int = 0) -> int:
    """The property that is an integer."""
    value = op.properties.get(name)
    return value.value.data if isinstance(value, IntegerAttr) else default  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]


def flag(op: HloOp, name: str) -> bool:
    """Return whether the property that is a boolean is true."""
    return bool(number(op, name))


def integers(op: HloOp, name: str, default: Sequence[int]) -> tuple[int, ...]:
    """The property that is a list of integers."""
    found = op.integers(name)
    return tuple(default) if found is None else found


def pairs(op: HloOp, name: str, count: int) -> list[tuple[int, int]]:
    """The property that is a literal of `count` pairs, by default zeros."""
    value = op.properties.get(name)
    if value is None:
        return [(0, 0)] * count
    numbers = [int(v) for v in value.get_values()]  # pyright: ignore
    if len(numbers) == 1:
        numbers *= 2 * count
    return list(zip(numbers[::2], numbers[1::2], strict=True))
