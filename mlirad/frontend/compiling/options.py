"""How a function is compiled: the options that every transformation takes.

ad.grad(f, chunk=1, check_bounds=True)
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from numbers import Integral, Number, Real
from typing import Any, TypedDict, cast

from mlirad import pipelines
from mlirad.errors import UnsupportedError
from mlirad.frontend.tracing.source import user_line
from mlirad.pipelines import COMPILED_AS, METHODS, SPECIFICATIONS, Chunk

MOST_SECONDS = 1e9
"""Time limits are below this: 30 years."""


class CompileOptions(TypedDict, total=False):
    """What every transformation takes by name: the fields of `Options`."""

    interpret: bool
    method: str
    chunk: Chunk
    check_bounds: bool
    check_nans: bool
    timeout: float | None


@dataclass(frozen=True)
class Options:
    """How a function is compiled.

    `interpret` runs it by the reference interpreter. `method` is how derivatives are expanded. `chunk` is how
    many positions of a `build` or `vmap` are computed at a time: "all", by operations on whole arrays; 1, one
    after another; n, by operations on chunks of n. `None` is "all" where the memory of the program stays
    within `MEMORY_LIMIT`. `check_bounds` raises a `PositionError` for a position that is found outside its
    array when the program runs, `check_nans` a `NotANumberError` where the function makes NaN. `timeout` is
    how many seconds a call may take once it is compiled; one that takes longer raises a `TimeLimitError`.
    """

    interpret: bool = False
    method: str = "dual-arrays"
    chunk: Chunk = None
    check_bounds: bool = False
    check_nans: bool = False
    timeout: float | None = None

    @property
    def checks(self) -> frozenset[str]:
        """What the program checks when it runs."""
        return frozenset(("bounds",) * self.check_bounds + ("nans",) * self.check_nans)

    def pipeline(self, end: pipelines.Stage | None = None, entry: str = "main") -> pipelines.Options:
        """What decides the pipeline, to a stage or to where a call of the function needs it.

        Interpreted programs stay array code, of builds on whole arrays.
        """
        chunk = "all" if self.interpret and self.chunk is None else self.chunk
        wanted = end or ("arrays" if self.interpret else "kernels")
        return pipelines.Options(method=self.method, chunk=chunk, end=wanted, entry=entry)

    def require_maps(self) -> None:
        """Raise at the user's line for a specification, which has no derivative to be kept as a map."""
        if self.method in SPECIFICATIONS:
            raise UnsupportedError(
                f"the method {self.method!r} is a specification, which gives no linear maps",
                location=user_line(),
                hint=f"ask for gradients by it, or choose one of {', '.join(METHODS)}",
            )

    def require_expressions(self) -> None:
        """Raise at the user's line for a method of whose maps no entries can be read off."""
        self.require_maps()
        if self.method == "chad":
            raise UnsupportedError(
                "the method 'chad' makes functions that apply a derivative, and sparse matrices are read off "
                "expressions of maps",
                location=user_line(),
                hint='write method="dual-arrays", or leave it out',
            )


def options_of(given: CompileOptions) -> Options:
    """The options with the names and values given; raises `UnsupportedError` for those that there are not."""
    names = tuple(CompileOptions.__annotations__)
    for name in given:
        _require(name in names, f"there is no option {name!r}", f"there are {', '.join(names)}")
    found = Options(**cast("dict[str, Any]", given))
    if found.method in tuple(COMPILED_AS):
        found = replace(found, method=COMPILED_AS[found.method])
    for name in ("interpret", "check_bounds", "check_nans"):
        value = getattr(found, name)
        _require(
            isinstance(value, bool),
            f"{name} is {value!r}, which is neither True nor False",
            f"write {name}=True, or leave it out",
        )
    _require(
        found.method in (*METHODS, *SPECIFICATIONS),
        f"there is no method {found.method!r}",
        f"there are {', '.join((*METHODS, *COMPILED_AS, *SPECIFICATIONS))}",
    )
    _require(
        found.method not in SPECIFICATIONS or found.interpret,
        f"the method {found.method!r} is a specification, which cannot be compiled",
        f"write interpret=True, or choose one of {', '.join(METHODS)}",
    )
    _require(
        found.timeout is None or _is_within(found.timeout, Real, 0, MOST_SECONDS),
        f"timeout is {found.timeout!r}, which is no number of seconds to wait",
        "write timeout=10.0 to let calls take ten seconds, or leave it out",
    )
    all_at_once = isinstance(found.chunk, str) and found.chunk == "all"
    _require(
        found.chunk is None or all_at_once or _is_within(found.chunk, Integral, 0, math.inf),
        f"chunk is {found.chunk!r}, which is no number of positions",
        'write chunk=1 to compute them one after another, or chunk="all"',
    )
    return found


def _require(holds: bool, message: str, hint: str) -> None:
    """Raise at the user's line for an option with a value that it cannot have."""
    if not holds:
        raise UnsupportedError(message, location=user_line(), hint=hint)


def _is_within(value: Any, kind: type[Number], low: float, high: float) -> bool:
    """Whether an option has a number of a kind between two others; truth values are none."""
    return not isinstance(value, bool) and isinstance(value, kind) and low < cast("float", value) < high
