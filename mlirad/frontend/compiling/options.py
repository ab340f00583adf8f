"""The compile options that every transformation takes.

ad.grad(f, chunk=1, check_bounds=True)
"""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar, Final, TypedDict, cast

from mlirad.errors import UnknownOptionError, UnsupportedError
from mlirad.frontend.compiling.configuration import checked_threads
from mlirad.frontend.tracing.argument_kinds import (
    checked_choice,
    checked_flag,
    checked_integer,
    checked_number,
)
from mlirad.frontend.tracing.control import MODES, as_traced, rewritten
from mlirad.frontend.tracing.open_traces import complete
from mlirad.frontend.tracing.source import user_line
from mlirad.jit.threads import ALL, Threads, machine_threads, usual_threads
from mlirad.lazy_dataclass import dataclass
from mlirad.pipeline_options import (
    ALL_METHODS,
    METHODS,
    SPECIFICATIONS,
    Chunk,
    Sizes,
    Stage,
    method_named,
)
from mlirad.pipeline_options import Options as PipelineOptions

MOST_SECONDS = 1e9
"""Time limits are below this: 30 years."""


class CompileOptions(TypedDict, total=False):
    """The options that every transformation takes by name: the fields of `Options`."""

    interpret: bool
    method: str
    chunk: Chunk
    check_bounds: bool
    check_nans: bool
    check_absorbed: bool
    flush_subnormals: bool
    timeout: float | None
    threads: Threads | None
    control: str


OPTIONS: Final = {
    "interpret": "whether the reference interpreter runs the program",
    "method": 'how derivatives are expanded: "dual-arrays", "jacobian" or "chad", or by a specification',
    "chunk": "how many positions of a build or vmap are computed at a time: 1, one after another; n, in "
    'chunks of n; "all", by operations on whole arrays; None is "all" within a limit of memory',
    "check_bounds": "whether a position outside its array raises a PositionError when the program runs",
    "check_nans": "whether an operation that makes NaN raises a NotANumberError",
    "check_absorbed": "whether a zero that absorbs an infinite derivative raises an AbsorbedPoleError",
    "flush_subnormals": "whether native code takes subnormal numbers for zeros",
    "timeout": "how many seconds a call may take once it is compiled, before it raises a TimeLimitError",
    "threads": 'how many threads work on a call, "all" for as many as the process may use; None is what '
    "ad.config.threads says",
    "control": '"rewrite" turns `if`, `while` and `for` of the function, and of those that it calls, into '
    'branches and loops wherever they depend on traced values; "auto" does so where the function cannot be '
    'traced as it stands; "plain" never does',
}
"""The explanation of each option."""


@dataclass(frozen=True)
class Options:
    """The options with which a function is compiled; `OPTIONS` explains each field."""

    IS_PORTABLE: ClassVar = True

    interpret: bool = False
    method: str = "dual-arrays"
    chunk: Chunk = None
    check_bounds: bool = False
    check_nans: bool = False
    check_absorbed: bool = False
    flush_subnormals: bool = True
    timeout: float | None = None
    threads: Threads | None = None
    control: str = "auto"

    @property
    def at_a_time(self) -> int | None:
        """Return how many columns, rows or elements the transformation itself computes at a time; None for
        all.
        """
        return None if self.chunk is None or isinstance(self.chunk, str) else int(self.chunk)

    @property
    def thread_count(self) -> int:
        """Return how many threads work on a call, 0 where the process decides.

        Raises `ArgumentError` where that is by an environment variable which is not a number.
        """
        if self.threads is None:
            usual_threads()
            return 0
        return machine_threads() if self.threads == ALL else int(self.threads)

    @property
    def checks(self) -> frozenset[str]:
        """Return what the program checks when it runs."""
        asked = {"bounds": self.check_bounds, "nans": self.check_nans, "absorbed": self.check_absorbed}
        return frozenset(name for name, is_asked in asked.items() if is_asked)

    def pipeline(
        self,
        end: Stage | None = None,
        entry: str = "main",
        donated: tuple[int, ...] = (),
        start: Stage = "program",
        sizes: Sizes = (),
        rooms: tuple[int, ...] = (),
    ) -> PipelineOptions:
        """Return what decides the pipeline, from a stage to another, or to where a call of the function needs
        it.

        Interpreted programs stay array code, of builds on whole arrays. Lowering puts the numbers `sizes` in
        place of the sizes of these names. There are
        `rooms` rows for records of each type.
        """
        chunk = "all" if self.interpret and self.chunk is None else self.chunk
        wanted = end or ("expanded" if self.interpret else "kernels")
        return PipelineOptions(
            method=self.method,
            chunk=chunk,
            start=start,
            end=wanted,
            entry=entry,
            donated=donated,
            sizes=sizes,
            check_absorbed=self.check_absorbed,
            rooms=rooms,
        )

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
    """The options with the names and values given; raises `ArgumentError` for others."""
    for name in given:
        if name not in CompileOptions.__annotations__:
            raise _unknown(name)
    found = Options(**cast("dict[str, Any]", given))
    for name in ("interpret", "check_bounds", "check_nans", "check_absorbed", "flush_subnormals"):
        checked_flag(getattr(found, name), name)
    method = checked_choice(found.method, "method", ALL_METHODS)
    if found.timeout is not None:
        hint = "write timeout=10.0 to let calls take ten seconds, or leave it out"
        checked_number(found.timeout, "timeout", MOST_SECONDS, hint)
    if found.threads is not None:
        checked_threads(found.threads)
    if found.chunk is not None and not (isinstance(found.chunk, str) and found.chunk == "all"):
        hint = 'write chunk=1 to compute one position after another, or chunk="all"'
        checked_integer(found.chunk, "chunk", 1, hint)
    checked_choice(found.control, "control", MODES)
    return replace(found, method=method_named(method))


def _unknown(name: str) -> UnknownOptionError:
    """Return the error at the user's line that there is no such option."""
    from mlirad.neighbours import keyword_example, keyword_said

    message, example = f"there is no option {name!r}", keyword_example(name)
    hint = f"there are {', '.join(CompileOptions.__annotations__)}"
    if example is not None:
        message, hint = f"{message} of this function", f"write {example}"
    elif (said := keyword_said(name)) is not None:
        message, hint = f"{message}: {said[0]}", said[1]
    return UnknownOptionError(message, location=user_line(), hint=hint)


def controlled(function: Callable[..., Any], options: Options) -> Callable[..., Any]:
    """The function to be traced: itself, or what it is rewritten to whenever it is called.

    In a trace with rewriting it is rewritten, if it can be. Raises `UnsupportedError` if it cannot be, and
    has to.
    """
    if options.control != "rewrite":
        return as_traced(function)
    complete()
    rewritten(function)

    @functools.wraps(function, updated=())
    def called(*args: Any, **kwargs: Any) -> Any:
        return rewritten(function)(*args, **kwargs)

    with contextlib.suppress(TypeError, ValueError):
        called.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    return called
