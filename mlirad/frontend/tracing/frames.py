"""Functions under construction, and which traced value may be used where.

While a Python function is traced, a `Frame` holds the builder of its `func.func`. Frames nest: a function
that is differentiated inside another is traced in a frame of its own, and every value of an outer frame that
it uses becomes one more parameter (closure conversion, at any depth). So each derivative is taken of a closed
function, and derivatives of derivatives cannot be confused.

    def f(x):                                   @f(%x):   %g = call @g(%x, %x)
        return ad.grad(lambda y: x * y)(x)      @g(%y, %x'):  the captured x is an ordinary parameter

A frame is a stack of scopes: the body of the function and the regions open in it. A value belongs to the
scope it was made in, and using it after that scope has closed is a leak, reported as a `TracingError`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field
from threading import get_ident
from types import CodeType
from typing import Any, TypeVar

from xdsl.dialects.builtin import FunctionType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Region

from mlirad.dialects.array.structural import BroadcastOp, ConstantOp
from mlirad.dialects.shapes import Value, shape_of, values_of
from mlirad.errors import TracingError
from mlirad.frontend.splicing.questions import ANSWERS
from mlirad.frontend.splicing.tracing_threads import TRACING
from mlirad.frontend.tracing.control import Control
from mlirad.frontend.tracing.lessons import Lessons, Place
from mlirad.frontend.tracing.op_locations import location_at
from mlirad.frontend.tracing.open_traces import open_traces
from mlirad.frontend.tracing.raising import tracing_error, unsupported_error
from mlirad.frontend.tracing.silent_questions import heed_running
from mlirad.frontend.tracing.source import codes_on_stack, user_frame
from mlirad.frontend.tracing.unrolling import LineCounts
from mlirad.ir.arrays import ArrayBuilder
from mlirad.lazy_dataclass import dataclass

T = TypeVar("T")

MAX_OPERATIONS = 300_000
"""The number of operations that one program may be written out to; it would be compiled for hours."""


class FrameBuilder(ArrayBuilder):
    """A builder that knows the frame it builds.

    It makes choices in branches by the condition of these, too: the result of a choice is another array than
    what is chosen, which the program may write to.
    """

    knows_branches = False
    frame: Frame


class Scope:
    """The body of a function, or of a region in it, while it is open."""

    __slots__ = ("frame", "is_open")

    def __init__(self, frame: Frame):
        self.frame = frame
        self.is_open = True


class Frame:
    """One function under construction."""

    def __init__(self, module: Functions, argument_types: Sequence[Attribute], parent: Frame | None):
        self.functions = module
        self.parent = parent
        self.block = Block(arg_types=argument_types)
        self.builder = module.builder_class(self.block)
        self.builder.frame = self
        self.scopes = [Scope(self)]
        self.captured: dict[Value, Value] = {}
        self.token: Any = None
        """The last token of the program's reports, a traced value; see `reports`."""
        self.token_block = self.block
        """The block that the token can be used in."""
        self.requirements: list[Callable[[], None]] = []
        """Calls that raise if objects of the program are not as they have to be, after the trace."""
        self.bodies: list[Any] = []
        """The originals of copies in the bodies of rewritten statements that are being traced."""
        self.doubted: list[Any] = []
        """The traced arrays that other ones may be which have been written here, or in functions inside."""

    def around(self) -> Iterator[Frame]:
        """This function and those that it stands in, from the inside out."""
        frame: Frame | None = self
        while frame is not None:
            yield frame
            frame = frame.parent

    @property
    def scope(self) -> Scope:
        """The innermost open scope."""
        return self.scopes[-1]

    def add_argument(self, type_: Attribute) -> Value:
        """One more parameter of the function."""
        return self.block.insert_arg(type_, len(self.block.args))

    def value(self, value: Value, scope: Scope) -> Value:
        """`value`, made in `scope`, as a value that can be used here; an outer one is captured."""
        if not scope.is_open:
            raise leaked_error()
        if scope.frame is self:
            return value
        if self.parent is None:
            raise leaked_error()
        return self._capture(self.parent.value(value, scope))

    def _capture(self, outer: Value) -> Value:
        constant = self._constant(outer)
        if constant is not None:
            return constant
        known = self.captured.get(outer)
        if known is None:
            assert self.parent is not None
            known = self.captured[outer] = self.add_argument(outer.type)
            known.name_hint = outer.name_hint
            interval = self.parent.builder.ranges.interval(outer)
            if interval is not None:
                self.builder.ranges.set(known, *interval)
        return known

    def _constant(self, outer: Value) -> Value | None:
        """A literal is rewritten instead of captured."""
        owner, b = outer.owner, self.builder
        if isinstance(owner, BroadcastOp):
            inner = self._constant(owner.operand)
            return None if inner is None else b.broadcast(inner, shape_of(outer), values_of(owner.dims))
        if isinstance(owner, ConstantOp):
            return b.emit(ConstantOp, (), outer.type, owner.properties)
        return None

    def region(self, extents: Sequence[int], body: Callable[..., Iterable[Value]]) -> Region:
        """A region over i64 indices of the given extents, in a scope of its own."""

        def scoped(*indices: Value) -> Iterable[Value]:
            with self.open_scope():
                return list(body(*indices))

        return self.builder.index_region(extents, scoped)

    @contextmanager
    def open_scope(self) -> Generator[Scope]:
        """A scope that is open during the `with` block."""
        scope = Scope(self)
        self.scopes.append(scope)
        try:
            yield scope
        finally:
            scope.is_open = False
            self.scopes.pop()

    def finish(self, name: str, results: Sequence[Value], *, visibility: str | None) -> FuncOp:
        """Close the function: it returns `results`."""
        self.block.add_op(ReturnOp.create(operands=list(results), location=self.builder.location))
        types = FunctionType.from_lists(self.block.arg_types, [r.type for r in results])
        return FuncOp(name, types, Region(self.block), visibility)


@dataclass
class Repeats:
    """The number of calls of functions that may be shared: in all, and of each for each types of
    arguments.
    """

    total: int = 0
    calls: dict[Hashable, tuple[int, Any]] = field(default_factory=dict[Hashable, "tuple[int, Any]"])


class Functions:
    """The functions of a module under construction, with names for more.

    `kept` holds those that calls share, by what they are made of. `has_reports` says that tokens go through
    them, and `checks` what is checked when they run. `lessons` are those of earlier traces, and `request` is
    what asks for another one. `made_arrays` has by their identity arrays of NumPy that this trace came by,
    weakly, and where; see `adopted_arrays`. `control` says what becomes of
    Python's control flow.
    """

    def __init__(
        self,
        *,
        has_reports: bool = False,
        checks: frozenset[str] = frozenset(),
        builder_class: type[FrameBuilder] = FrameBuilder,
        lessons: Lessons | None = None,
        control: Control | None = None,
    ) -> None:
        self.control = Control() if control is None else control
        self.lessons = Lessons() if lessons is None else lessons
        self.made_arrays: dict[int, tuple[Any, Place]] = {}
        self.request: BaseException | None = None
        self.has_reports = has_reports
        self.checks = checks
        self.builder_class = builder_class
        self.finished: list[FuncOp] = []
        self.kept: dict[Hashable, list[Any]] = {}
        self.repeats = Repeats()
        self.lines = LineCounts()
        self.tries: list[Callable[[], tuple[Any, ...]]] = []
        """The kinds of exceptions that each `try` around the code being traced catches."""
        self.later: list[Exception] = []
        """The exceptions that the program raises under conditions, in order."""
        self.attributes: dict[CodeType, set[tuple[int, str]]] = {}
        """The attributes that statements were found to change, by the code that assigns their variables."""
        self.options: dict[tuple[CodeType, str], list[Any]] = {}
        """The objects that variables of statements were found to be, as traced conditions decide."""
        self.grown: dict[tuple[CodeType, str], Any] = {}
        """The elements that branches were found to add to lists in variables of statements."""
        self.is_early = False
        """True while code is traced that Python might not run."""
        self.facts: dict[int, tuple[Any, Any, dict[int, bool]]] = {}
        """The facts about conditions by their identity: the number that a condition tests, and the values for
        which it holds.
        """
        self._names: dict[str, int] = {}

    def fresh_name(self, base: str) -> str:
        """A symbol that no other function has."""
        base = "".join(c if c.isalnum() or c == "_" else "_" for c in base).strip("_") or "function"
        count = self._names.get(base, 0)
        self._names[base] = count + 1
        return f"{base}_{count}" if count else base


def current_frame() -> Frame:
    """The function being traced; a use of traced values outside of any is a leak."""
    if not open_traces.frames:
        raise leaked_error()
    return open_traces.frames[-1]


def emitting() -> ArrayBuilder:
    """The builder of the function being traced, located at the user's line."""
    frame = current_frame()
    asking = user_frame()
    place = None if asking is None else (asking.f_code.co_filename, asking.f_lineno)
    if asking is not None and asking.f_code not in open_traces.callers:
        if id(asking.f_code) not in frame.functions.lessons.read:
            heed_running(asking)
        open_traces.codes.add(asking.f_code)
    frame.functions.lines.add(place)
    if frame.functions.lines.total > MAX_OPERATIONS:
        raise unsupported_error(
            f"the program has more than {MAX_OPERATIONS} operations",
            "use ad.fori_loop and ad.scan for loops, @ad.function for functions that are called often",
        )
    builder = frame.builder
    builder.location = location_at(place)
    return builder


def in_trace(work: Callable[[], T]) -> T:
    """Return what `work` gives, which traces. Whatever ends it, the thread traces no more, or what it did
    before.

    The functions under construction are in a list of this trace, so what is left of one that an interrupt has
    ended changes no other. As in `recursion.deep_recursion` nothing comes between the statements at the end.
    """
    before, thread = open_traces.frames, get_ident()
    if not before:
        open_traces.callers = frozenset(codes_on_stack())
    try:
        open_traces.frames = [*before]
        TRACING.add(thread)
        return work()
    finally:
        open_traces.frames = before
        if not before:
            ANSWERS.found = []
            TRACING.discard(thread)


@contextmanager
def tracing(frame: Frame) -> Generator[Frame]:
    """Trace into `frame` during the `with` block, then close all its scopes. It is in a trace."""
    frames = open_traces.frames
    depth = len(frames)
    frames.append(frame)
    try:
        yield frame
    finally:
        del frames[depth:]
        for scope in frame.scopes:
            scope.is_open = False


def leaked_error() -> TracingError:
    """The error of a traced value used after its trace, or its region, has ended."""
    return tracing_error(
        "a traced value is used after the function, or the body of `build`, that made it has ended",
        "return it as a result instead of storing it in a variable from outside",
    )
