"""The known ranges of sizes while a program is compiled, and the number for costs.

sizes_within(SizeRange(256, 2**24, 4096))(at_most)(8, size("n"))
                                      True, which it is not for sizes from 2 on
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import ContextVar, copy_context
from types import MappingProxyType
from typing import Final, ParamSpec, TypeVar

from mlirad.lazy_dataclass import dataclass

P = ParamSpec("P")
T = TypeVar("T")

LEAST_SIZE: Final = 2
"""Programs with a size of 0 or 1 are compiled for it, so sizes are known to be neither."""

MOST_SIZE: Final = 2**62
"""No array has as many elements."""

NOMINAL_SIZE: Final = 4096
"""The size for which costs are estimated if its range is not known."""


@dataclass(frozen=True)
class SizeRange:
    """A size is `least` at least and `most` at most; costs are estimated for the size `nominal`."""

    least: int
    most: int
    nominal: int


ANY_SIZE: Final = SizeRange(LEAST_SIZE, MOST_SIZE, NOMINAL_SIZE)
"""The range of sizes without bounds of their own."""

_others: ContextVar[SizeRange] = ContextVar("others", default=ANY_SIZE)
_named: ContextVar[Mapping[str, SizeRange]] = ContextVar("named", default=MappingProxyType({}))


def sizes_within(
    range_: SizeRange, named: Mapping[str, SizeRange] | None = None
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Makes functions during which sizes are known to be in this range, and those of some names in others;
    without `named`, in those that are known already.

    They have context variables of their own, which are gone behind them, whatever ends them.
    """

    def within(function: Callable[P, T]) -> Callable[P, T]:
        def run(*args: P.args, **kwargs: P.kwargs) -> T:
            context = copy_context()
            context.run(_others.set, range_)
            if named is not None:
                context.run(_named.set, named)
            return context.run(function, *args, **kwargs)

        return run

    return within


def range_of(name: str) -> SizeRange:
    """Return what is known of the size of that name."""
    return _named.get().get(name, _others.get())
