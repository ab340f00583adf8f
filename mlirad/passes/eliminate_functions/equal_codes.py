"""Which lambdas are equal but for the values that they capture.

    λz. z * w   and   λz. z * v        the number of both is that of λz. z * captured 0

A captured closure that is itself a lambda counts as its code, with what that captures in its place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.ir import Attribute, Block, Operation, Region

from mlirad.dialects.function import LambdaOp, PartialOp
from mlirad.dialects.shapes import Value
from mlirad.ir.free_values import own_operands


@dataclass
class _Measure:
    """A code: its number, what it captures with the place of each, and the known closures among it."""

    number: int = 0
    captured: dict[Value, int] = field(default_factory=dict[Value, int])
    known: list[Value] = field(default_factory=list[Value])

    def place(self, value: Value) -> int:
        """The place of a captured value."""
        return self.captured.setdefault(value, len(self.captured))


class CodeNumbers:
    """Numbers of codes, the same exactly for equal ones."""

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {}
        self._measures: dict[Operation, _Measure] = {}

    def number(self, op: LambdaOp | PartialOp) -> int:
        """The number of a code."""
        return self._measured(op).number

    def captured(self, op: LambdaOp | PartialOp) -> tuple[Value, ...]:
        """The values that a code captures, each once; of captured closures that are known, what these do."""
        return tuple(self._measured(op).captured)

    def known(self, op: LambdaOp | PartialOp) -> Sequence[Value]:
        """The captured closures that are known, in the order in which the code reads them."""
        return self._measured(op).known

    def _measured(self, op: LambdaOp | PartialOp) -> _Measure:
        if op not in self._measures:
            made = _Measure()
            if isinstance(op, PartialOp):
                fixed = tuple(self._outer(v, made) for v in op.fixed)
                key: object = (op.callee_name, op.closure.type, fixed)
            else:
                key = (op.closure.type, self._region(op.body, {}, made))
            made.number = self._numbers.setdefault(key, len(self._numbers))
            self._measures[op] = made
        return self._measures[op]

    def _outer(self, value: Value, made: _Measure) -> object:
        """A captured value: its place among those captured, or a known code with the places of its own."""
        owner = value.owner
        if isinstance(owner, LambdaOp | PartialOp):
            made.known.append(value)
            inner = self._measured(owner)
            return ("code", inner.number, *map(made.place, inner.captured))
        return ("captured", made.place(value))

    def _region(self, region: Region, local: dict[Value, int], made: _Measure) -> object:
        parts: list[object] = []

        def defined(values: Iterator[Value]) -> tuple[Attribute, ...]:
            types: list[Attribute] = []
            for value in values:
                local[value] = len(local)
                types.append(value.type)
            return tuple(types)

        parts.append(defined(iter(region.block.args)))
        for op in region.block.ops:
            operands = tuple(local[o] if o in local else self._outer(o, made) for o in own_operands(op))
            inner = tuple(self._region(r, local, made) for r in op.regions)
            properties = tuple(sorted(op.properties.items(), key=lambda item: item[0]))
            parts.append((type(op), operands, properties, inner, defined(iter(op.results))))
        return tuple(parts)


def corresponding(first: LambdaOp | PartialOp, second: LambdaOp | PartialOp) -> Iterator[tuple[Value, Value]]:
    """The values at the same places inside of two equal codes."""
    pending = list(zip(first.regions, second.regions, strict=True))
    while pending:
        a, b = pending.pop()
        yield from zip(a.block.args, b.block.args, strict=True)
        for x, y in _ops(a.block, b.block):
            yield from zip(x.results, y.results, strict=True)
            pending += zip(x.regions, y.regions, strict=True)


def _ops(first: Block, second: Block) -> Iterator[tuple[Operation, Operation]]:
    return zip(first.ops, second.ops, strict=True)
