"""Conditional expressions, `and`, `or`, `not`, comparisons: Python's, or ops for traced values.

and_(False, a, lambda: b)                b if a holds; of traced values an `ad.cond`
choose(x > 0, lambda: a, lambda: b)      a or b; of a traced condition an `ad.cond`
compare(a, "Lt", lambda: b, "Lt", lambda: c)      a < b < c
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from numbers import Number
from typing import Any, Final, cast

from mlirad.dialects.extents import is_static
from mlirad.errors import is_from_signal
from mlirad.frontend.constructs.alternatives import OneOf, negated_fact, place_where
from mlirad.frontend.constructs.branches import either
from mlirad.frontend.constructs.loops import flag_of
from mlirad.frontend.constructs.raising_later import Conditional, computed_early
from mlirad.frontend.control_flow.aliases import mark_outside, outside_in
from mlirad.frontend.control_flow.branches import is_complex
from mlirad.frontend.control_flow.choices import require_unwritten_value
from mlirad.frontend.control_flow.kept import KeptList
from mlirad.frontend.control_flow.originals import Originals
from mlirad.frontend.control_flow.outside import standing
from mlirad.frontend.control_flow.raised import (
    RaisingSide,
    also_raising,
    is_pythons,
    raise_later,
    raising_as,
)
from mlirad.frontend.control_flow.reached import without_changes
from mlirad.frontend.control_flow.state import is_traced, settled, truth_of
from mlirad.frontend.control_flow.unions import Unions, Widened
from mlirad.frontend.numpy_functions.protocols.asked_calls import truth_by_identity
from mlirad.frontend.tracing.array import Array, base_of, pythons_truth, twins_of
from mlirad.frontend.tracing.complex_array import ComplexArray
from mlirad.frontend.tracing.complex_pairs import as_complex
from mlirad.frontend.tracing.control import hand_copies
from mlirad.frontend.tracing.dtypes import BOOL
from mlirad.frontend.tracing.frames import current_frame
from mlirad.frontend.tracing.open_traces import open_traces
from mlirad.frontend.tracing.operations import xp
from mlirad.frontend.tracing.pytree import flatten
from mlirad.frontend.tracing.raising import tracing_error
from mlirad.frontend.tracing.tokens import last_token, resume
from mlirad.frontend.tracing.unfinished_texts import is_within

Thunk = Callable[[], Any]


def choose(test: Any, one: Thunk, other: Thunk) -> Any:
    """`one() if test else other()`."""
    test = settled(test)
    known = truth_of(test, "`if` ... `else`")
    if known is not None:
        return one() if known else other()
    return _either(test, one, other, "`if` ... `else`")


def _either(test: Any, one: Thunk, other: Thunk, what: str) -> Any:
    """A value of one branch or the other, which must not be written if it may be an object from outside."""
    hand_copies()
    found: list[list[Array | None]] = []
    values: list[Any] = []
    unified: list[Callable[[Any], Any]] = []
    originals = Originals({}, {})
    unions = Unions("", {})

    def noting(k: int, side: Thunk) -> Thunk:
        def noted() -> Any:
            with standing(originals), raising_as(k):
                value = without_changes((side,), frozenset(), what, originals)
                place = place_where(value, test, holds=k == 0)
                value = value if place is None else dict(value.answers())[place]
                value = unified[0](value) if unified else value
                ends.append(unions.encoded(k, {"": value}))
            if len(ends) == 2:
                unions.widen(("",), *ends)
                differs = is_complex(flatten(ends[0][""])[1]) is not is_complex(flatten(ends[1][""])[1])
                if differs and all(isinstance(end[""], Array | ComplexArray | Number) for end in ends):
                    unified.append(as_complex)
                    raise Widened
            values.append(value)
            found.append(outside_in(value))
            return ends[-1][""]

        return noted

    token = last_token()
    while True:
        ends: list[dict[str, Any]] = []
        try:
            result = either(test, noting(0, one), noting(1, other), what)
            break
        except Widened:
            resume(token)
            found.clear()
            values.clear()
        except RaisingSide as raising:
            resume(token)
            raise_later(test, raising)
            with also_raising(raising.error):
                return (other, one)[raising.side]()
    mark_outside(result, found)
    require_unwritten_value(result, values, originals.outside)
    return result


def and_(is_cheap: bool, first: Any, *rest: Thunk) -> Any:
    """`first and ...`; cheap operands are computed whether they are needed or not."""
    found = settled(first)
    for operand in rest:
        known = truth_of(found, "`and`")
        if known is False:
            return found
        found = operand() if known else _joined(found, operand, is_cheap, is_and=True)
    return found


def or_(is_cheap: bool, first: Any, *rest: Thunk) -> Any:
    """`first or ...`; cheap operands are computed whether they are needed or not."""
    found = settled(first)
    for operand in rest:
        known = truth_of(found, "`or`")
        if known:
            return found
        found = operand() if known is False else _joined(found, operand, is_cheap, is_and=False)
    return found


def _joined(one: Any, operand: Thunk, is_cheap: bool, *, is_and: bool) -> Any:
    """`one and operand()`, or `or`, of a value that is traced."""
    ways = _ways(one, operand, is_and=is_and)
    if is_cheap:
        try:
            other = computed_early(operand)
        except Exception as error:
            if is_from_signal(error) or not (isinstance(error, Conditional) or is_pythons(error)):
                raise
            return _either(one, *ways, "`and`" if is_and else "`or`")
        if _is_flag(one) and _is_flag(other):
            return _both(xp.logical_and if is_and else xp.logical_or, one, other, "an operand")
        return _either(one, *_ways(one, lambda: other, is_and=is_and), "`and`" if is_and else "`or`")
    return _either(one, *ways, "`and`" if is_and else "`or`")


def _ways(one: Any, operand: Thunk, *, is_and: bool) -> tuple[Thunk, Thunk]:
    return (operand, lambda: one) if is_and else (lambda: one, operand)


def _is_flag(found: Any) -> bool:
    return isinstance(found, bool) or (isinstance(found, Array) and found.dtype == BOOL and not found.shape)


def _both(function: Callable[..., Any], one: Any, other: Any, what: str) -> Any:
    """`one and other`, or `or`: a truth value of Python's or of NumPy's, as the one that it is."""
    found = function(flag_of(one, what), flag_of(other, what))
    kinds = {isinstance(operand, bool) or operand.weak for operand in (one, other)}
    if len(kinds) > 1:
        hand_copies()
    return pythons_truth(found) if kinds == {True} else found


def flag(operand: Any) -> Any:
    """The truth of an operand that is read as a condition only."""
    operand = settled(operand)
    return flag_of(operand, "a condition") if is_traced(operand) else bool(operand)


def not_(operand: Any) -> Any:
    """`not operand`."""
    operand = settled(operand)
    if not is_traced(operand):
        return not operand
    found = pythons_truth(xp.logical_not(flag_of(operand, "`not`")))
    negated_fact(operand, found)
    return found


_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "Eq": operator.eq, "NotEq": operator.ne, "Lt": operator.lt, "LtE": operator.le, "Gt": operator.gt,
    "GtE": operator.ge,
}  # fmt: skip


def given(operand: Any) -> Thunk:
    """An operand that is computed in any case, as those that are needed only by some are written."""
    return lambda: operand


def compare(first: Any, *rest: Any) -> Any:
    """A chain of comparisons: each operand is computed once, and no further than needed."""
    result: Any = True
    left = first
    for name, operand in zip(rest[::2], rest[1::2], strict=True):
        if not is_traced(result) and not result:
            return result
        right = operand()
        found = _compared(name, left, right)
        if not is_traced(result):
            result = found
        elif not is_traced(found):
            result = result if found else found
        else:
            result = _both(xp.logical_and, result, found, "a comparison")
        left = right
    return result


def _compared(name: str, left: Any, right: Any) -> Any:
    if type(left) is OneOf:
        return left.asked(lambda found: _compared(name, found, right))
    if type(right) is OneOf:
        return right.asked(lambda found: _compared(name, left, found))
    if name in _OPERATORS:
        return _OPERATORS[name](left, right)
    if name in ("Is", "IsNot"):
        truth = truth_by_identity(left, right)
        if truth is not None:
            return truth if name == "Is" else not_(truth)
        return _is_one(left, right) is (name == "Is")
    found = _contains(right, left)
    return found if name == "In" else not_(found)


def _is_one(left: Any, right: Any) -> bool:
    """`left is right`, which is unknown where branches and loops work on copies of what may be one object."""
    if isinstance(left, _COPIED) and isinstance(right, _COPIED) and _may_be_one(left, right):
        frames = open_traces.frames
        if frames and frames[-1].functions.control.hands_copies and not _is_told_apart(left, right):
            raise tracing_error(
                "`is` asks whether two values are one object, which is not known in or after control flow on "
                "traced conditions",
                "compare before it what they are made of, or keep a number that says which one it is",
            )
    return left is right


def _is_told_apart(left: Any, right: Any) -> bool:
    """Tell whether two values are known to be one object or two: outside of bodies, and without twins."""
    if any(frame.bodies for frame in current_frame().around()):
        return False
    if left is right:
        return True
    if not isinstance(left, Array) or not isinstance(right, Array) or not left.ndim:
        return False
    one, other = base_of(left), base_of(right)
    return all(twin is not other for twin in twins_of(one)) and all(
        twin is not one for twin in twins_of(other)
    )


def _may_be_one(left: Any, right: Any) -> bool:
    """Tell if values may stand for one object: arrays of one shape do, as branches may differ in dtype."""
    if not isinstance(left, Array) or not isinstance(right, Array):
        return type(left) is type(right)
    return left.ndim == right.ndim and not any(
        is_static(m) and is_static(n) and m != n for m, n in zip(left.shape, right.shape, strict=True)
    )


_COPIED: Final = (Array, list, dict, tuple)
"""The types of values that branches and loops of the program copy."""


def _contains(container: Any, element: Any) -> Any:
    """`element in container`, where that is traced or holds what is."""
    if isinstance(container, KeptList):
        return container.__contains__(element)
    if isinstance(container, Array):
        return xp.any(xp.equal(container, element))
    if isinstance(container, tuple | list):
        parts = cast("tuple[Any, ...] | list[Any]", container)
        if is_traced(element) or any(map(is_traced, parts)):
            flags = [part is element or part == element for part in parts]
            found = [flag for flag in flags if is_traced(flag)]
            if any(bool(flag) for flag in flags if not is_traced(flag)):
                return True
            return xp.any(xp.stack(found)) if found else False
    return is_within((element, cast("Any", container)))
