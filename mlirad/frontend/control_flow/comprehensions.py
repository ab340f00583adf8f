"""Comprehensions and generator expressions, whose conditions may be traced.

    [e(v) for v in x if v > 0]        ad__.listed(ad__.element((k, c.flag), False, lambda: e(v))
                                                  for k, v in ad__.flagged(x)
                                                  for c in (ad__.Condition(),) if c.may_hold(v > 0))

An element under a traced condition is computed where the condition holds, as in a branch of `if`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from mlirad.errors import is_from_signal
from mlirad.frontend.constructs.alternatives import VALUES, OneOf
from mlirad.frontend.constructs.loops import flag_of
from mlirad.frontend.constructs.raising_later import Conditional, computed_early
from mlirad.frontend.control_flow.expressions import choose
from mlirad.frontend.control_flow.kept import KeptGenerator, Pair, collected, flagged
from mlirad.frontend.control_flow.originals import Originals
from mlirad.frontend.control_flow.picks import all_of
from mlirad.frontend.control_flow.raised import is_pythons
from mlirad.frontend.control_flow.reached import without_changes
from mlirad.frontend.control_flow.state import settled, truth_of
from mlirad.frontend.tracing.pytree import Tree, flatten
from mlirad.frontend.tracing.raising import tracing_error

_CONDITION: Final = "the condition of a comprehension"


def met(condition: Any) -> Any:
    """A condition of a comprehension: `True`, `False`, or a traced flag."""
    condition = settled(condition)
    known = truth_of(condition, _CONDITION)
    return flag_of(condition, _CONDITION) if known is None else known


def is_kept(condition: Any, what: str) -> bool:
    """The condition of a comprehension of a dictionary or set, which must be known."""
    found = met(condition)
    if isinstance(found, bool):
        return found
    raise tracing_error(
        f"a traced condition decides what {what} has",
        "make a list, [value for ... if condition], or [(key, value) for ... if condition]; or keep all, and "
        "choose the values by np.where(condition, a, b)",
    )


class Condition:
    """A condition of one iteration of a comprehension."""

    __slots__ = ("flag",)

    def may_hold(self, condition: Any) -> bool:
        """Tell whether the condition may hold, and keep it."""
        self.flag = met(condition)
        return self.flag is not False


def flagged_where(flags: tuple[Any, ...], iterable: Callable[[], Any]) -> Iterator[Pair]:
    """The elements of an iterable, each with a flag; where conditions are traced, it may change nothing."""
    if all_of(flags) is True:
        return flagged(iterable())
    return flagged(without_changes((iterable,), frozenset(), "a comprehension", Originals({}, {})))


def element(flags: tuple[Any, ...], is_cheap: bool, compute: Callable[[], Any]) -> Pair:
    """An element of a comprehension, with the flag whether it counts."""
    flag = all_of(flags)
    return (True, compute()) if flag is True else (flag, element_where(flag, is_cheap, compute))


def element_where(flag: Any, is_cheap: bool, compute: Callable[[], Any]) -> Any:
    """An element under a traced condition; a cheap one is computed whether it counts or not."""
    if is_cheap:
        try:
            return computed_early(compute)
        except Exception as error:
            if is_from_signal(error) or not (isinstance(error, Conditional) or is_pythons(error)):
                raise
    opened = _Opened()
    # A function, in which what `compute` reaches, and may change, is found.
    found = choose(flag, lambda: opened.leaves(compute()), _nothing)
    if type(found) is not OneOf:
        return found
    others = [option for option in found.options.objects if option is not None]
    if len(others) == 1 and others[0] is VALUES:
        return found.value if opened.tree is None else opened.tree.unflatten(found.value)
    if len(others) == 1 and opened.tree is None:
        return others[0]
    raise tracing_error(
        "traced conditions decide which objects a comprehension keeps, and which ones these are",
        "keep them all, and choose by where the condition holds: np.where(condition, a, b)",
    )


class _Opened:
    """An element that a branch computes; of a list or a dictionary, which it cannot make, the leaves."""

    def __init__(self) -> None:
        self.tree: Tree | None = None

    def leaves(self, value: Any) -> Any:
        """The element, or its leaves."""
        if type(value) not in (list, dict):
            return value
        leaves, self.tree = flatten(value)
        return tuple(leaves)


def _nothing() -> None:
    """The value of an element that does not count."""


def listed(pairs: Iterable[Pair]) -> Any:
    """A list comprehension, or a list with the elements of others."""
    return collected(iter(pairs), "a list comprehension")


def kept(pairs: Iterator[Pair]) -> KeptGenerator:
    """A generator expression."""
    return KeptGenerator(pairs)
