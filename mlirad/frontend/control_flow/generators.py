"""Generators in which a traced condition decides what they yield: they run to their end at the first element.

    def above(x):
        for v in x:
            if v > 0:             The trace is blocked here, and begins again. Then a call of `above` gives
                yield v           a `Kept`, of all elements and which of them count.

Python's generators run in turns with the code that takes their elements, and these run before it. So a change
of objects from outside is an error in them, and so is a change by that code of what they read.
"""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from types import FunctionType
from typing import Any, Final, NoReturn

from mlirad.errors import UnsupportedError
from mlirad.frontend.control_flow.kept import KeptGenerator, Pair, flagged, use_up
from mlirad.frontend.control_flow.objects import are_same, is_mutable, opened
from mlirad.frontend.control_flow.reached import Reached
from mlirad.frontend.rewriting.functions import collected
from mlirad.frontend.tracing.array import Array, base_of
from mlirad.frontend.tracing.open_traces import open_traces
from mlirad.frontend.tracing.pytree import flatten
from mlirad.frontend.tracing.raising import tracing_error
from mlirad.jit.guards import cell_content

DEEPEST: Final = 400
"""The number of calls of a generator in each other."""


def is_collected(function: FunctionType) -> bool:
    """Tell whether a generator function has met a traced condition, in an earlier trace of this function."""
    return open_traces.frames[-1].functions.control.collects(function)


def generated(function: FunctionType) -> Callable[..., Any]:
    """A generator function as one that gives a `KeptGenerator`; itself if it cannot become one."""
    try:
        collect = collected(function)
    except UnsupportedError:
        return function

    def called(*args: Any, **options: Any) -> KeptGenerator:
        name = f"the generator {function.__name__}"
        return KeptGenerator(_pairs(function, collect, args, options, name), name)

    return called


def _pairs(
    function: FunctionType,
    collect: Callable[..., Any],
    args: Sequence[Any],
    options: dict[str, Any],
    name: str,
) -> Iterator[Pair]:
    given = [*args, *options.values()]
    known = _Known(function, given)
    control = open_traces.frames[-1].functions.control
    running = control.takers[-1]
    if sum(taker.what == name for taker in control.takers) > DEEPEST:
        raise tracing_error(
            f"{name} calls itself more than {DEEPEST} times, and a trace makes all calls: a traced condition "
            "decides what it yields",
            "let it end by itself, at a depth that is known",
        )
    yielded = collect(*args, **options)
    for source in running.sources.values():
        use_up(source)
    if known.is_changed():
        _refuse(name, "changes what others can see, which would happen before its elements are taken")
    pairs = list(flagged(yielded))
    values = _Known(None, [value for _, value in pairs])
    for pair in pairs:
        yield pair
        if known.is_changed() or values.is_changed():
            _refuse(name, "reads, or has yielded, what is changed while its elements are taken")


def _refuse(name: str, reason: str) -> NoReturn:
    raise tracing_error(
        f"a traced condition decides what {name} yields, so it runs before its elements are used, and it "
        f"{reason}",
        "let it be a function that returns a list, and copies of what it changes",
    )


class _Known:
    """The objects that a generator function and values reach, and what they hold."""

    def __init__(self, function: FunctionType | None, values: Sequence[Any]):
        self._reached = Reached([] if function is None else [function, *values])
        cells = () if function is None else function.__closure__ or ()
        held = [*values, *map(cell_content, cells)]
        self._arrays = [base_of(x) for value in held for x in flatten(value)[0] if isinstance(x, Array)]
        self._versions = [x._version for x in self._arrays]
        self._parts = [(x, _parts(x)) for x in values if is_mutable(x)]

    def is_changed(self) -> bool:
        """Tell whether they hold something else now."""
        return (
            bool(self._reached.changed())
            or any(x._version != k for x, k in zip(self._arrays, self._versions, strict=True))
            or not all(are_same(_parts(x), parts) for x, parts in self._parts)
        )


def _parts(found: Any) -> Sequence[Any]:
    taken = opened(found)
    return () if taken is None else list(taken.parts)
