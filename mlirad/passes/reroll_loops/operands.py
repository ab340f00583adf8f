"""One operand of a repeated op, over all repetitions: where it comes from, and how it varies.

    repetition 4       5             6
    %x[4]              %x[5]         %x[6]          a part of an array: Outer(%x), with the numbers 4, 5, 6
    0.4                0.5           0.6            a Constant
    op 33's            op 43's       op 53's        made before: Made(op 3, lag 1), if ten ops are repeated
    op 7's             op 9's        %y             Listed: another one each time, made before all repetitions

A rule that holds between two repetitions in the middle is followed in both directions as far as it holds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from xdsl.dialects.builtin import i64
from xdsl.ir import Operation, OpResult

from mlirad.dialects.array.literals import literal_array
from mlirad.dialects.array.structural import ConstantOp, SliceOp
from mlirad.dialects.extents import is_static, nominal
from mlirad.dialects.shapes import Value, is_array, size_of
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.reroll_loops.parts import Part, step_numbers

MOSTLY = 0.75
"""The share of repetitions in which positions have to grow evenly for the others to be left out."""


@dataclass(frozen=True)
class Outer:
    """The same array in all repetitions."""

    base: Value


@dataclass(frozen=True)
class Constant:
    """A constant, each time another one perhaps."""


@dataclass(frozen=True)
class Made:
    """A result of the op with this number in the repetition `lag` before."""

    op: int
    result: int
    lag: int


@dataclass(frozen=True)
class Listed:
    """Another value in each repetition, made before the first one."""


Ruled: TypeAlias = Outer | Constant | Made
Origin: TypeAlias = Ruled | Listed

MAX_LISTED: Final = 16
"""Values of more elements are not put together, as that copies them."""


@dataclass
class Operand:
    """An operand: its origin, and the parts that it is in the repetitions `first .. stop - 1`.

    In these the rule of its origin holds. `parts` has those of all repetitions.
    """

    origin: Origin
    parts: Sequence[Part]
    values: Sequence[Value]
    first: int
    stop: int
    template: Part

    def numbers(self, k: int, first: int, stop: int) -> list[int]:
        """Number `k` of the parts, by repetition."""
        return [part.numbers[k] for part in self.parts[first:stop]]

    @property
    def earliest(self) -> int:
        """The first repetition of a loop: what is read before its rule holds can be an initial carry."""
        if isinstance(self.origin, Made) and not self.template.steps:
            return max(0, self.first - self.origin.lag)
        return self.first


def find_operand(
    values: Sequence[Value],
    parts: Sequence[Part],
    place: Callable[[Value], int | None],
    start: int,
    period: int,
    *,
    may_list: bool,
) -> Operand | None:
    """The operand with these values, if a rule says how they go on; op `place(v)` of the block makes v.

    With `may_list` they may follow no rule but that they are there before the first repetition.
    """
    middle = (len(values) - 1) // 2
    a, b = parts[middle], parts[middle + 1]

    def is_made_before(k: int) -> bool:
        at = place(parts[k].base)
        return at is None or at < start

    origin = _origin(a, b, place, start + middle * period, period)
    is_early = isinstance(origin, Made) and is_made_before(len(values) - 1)
    if origin is None or a.form != b.form or is_early:
        return _find_listed(values, middle, is_made_before) if may_list else None

    def holds(k: int) -> bool:
        part = parts[k]
        if part.form != a.form:
            return False
        match origin:
            case Outer():
                return part.base is origin.base
            case Constant():
                return part.is_constant
            case Made():
                expected = start + (k - origin.lag) * period + origin.op
                return place(part.base) == expected and _result(part.base) == origin.result

    first, stop = _around(middle, len(values), holds)
    found = Operand(origin, parts, values, first, stop, a)
    for k, must_be_even in enumerate(_numbered(a)):
        _keep_even(found, [p.numbers[k] if p.form == a.form else None for p in parts], middle, must_be_even)
    if isinstance(origin, Constant) and a.form == ("constant", i64):
        _keep_even(found, [_literal(p) if p.form == a.form else None for p in parts], middle, False)
    return found if found.first <= middle and middle + 1 < found.stop else None


def _find_listed(
    values: Sequence[Value], middle: int, is_made_before: Callable[[int], bool]
) -> Operand | None:
    type_ = values[middle].type
    if not is_array(type_) or not is_static(size_of(type_)) or nominal(size_of(type_)) > MAX_LISTED:
        return None
    parts = [Part(value, (), (), (value.type,)) for value in values]

    def holds(k: int) -> bool:
        return values[k].type == type_ and is_made_before(k)

    if not holds(middle) or not holds(middle + 1):
        return None
    first, stop = _around(middle, len(values), holds)
    return Operand(Listed(), parts, values, first, stop, parts[middle])


def _origin(a: Part, b: Part, place: Callable[[Value], int | None], start: int, period: int) -> Ruled | None:
    if a.is_constant and b.is_constant:
        return Constant()
    if a.base is b.base:
        return Outer(a.base)
    at, after = place(a.base), place(b.base)
    if at is None or after is None or after - at != period or _result(a.base) != _result(b.base):
        return None
    op = (at - start) % period
    return Made(op, _result(a.base), (start + op - at) // period)


def _result(value: Value) -> int:
    return value.index if isinstance(value, OpResult) else 0


def _numbered(part: Part) -> list[bool]:
    """For each number whether it has to grow evenly: starts of slices do, positions can be looked up."""
    return [isinstance(op, SliceOp) for op in part.steps for _ in step_numbers(op)]


def _keep_even(operand: Operand, numbers: Sequence[int | None], middle: int, must: bool) -> None:
    """Leave out repetitions in which a number does not grow as it does in the middle."""
    origin, after = numbers[middle], numbers[middle + 1]
    assert origin is not None and after is not None
    step = after - origin
    first, stop = _around(middle, len(numbers), lambda k: numbers[k] == origin + (k - middle) * step)
    first, stop = max(first, operand.first), min(stop, operand.stop)
    if must or stop - first >= MOSTLY * (operand.stop - operand.first):
        operand.first, operand.stop = first, stop


def _around(middle: int, count: int, holds: Callable[[int], bool]) -> tuple[int, int]:
    """The largest range around `middle` and the next one in which something holds."""
    first = middle
    while first > 0 and holds(first - 1):
        first -= 1
    stop = middle + 2
    while stop < count and holds(stop):
        stop += 1
    return first, stop


def _literal(part: Part) -> int:
    return int(literal_array(constant_of(part)))


def constant_of(part: Part) -> ConstantOp:
    """The constant that a part is of."""
    op = part.base.owner
    assert isinstance(op, Operation) and isinstance(op, ConstantOp)
    return op
