"""Tracing a Python function into a `func.func`: of a whole module, or inside another traced function.

    trace(f, x, y)      -->  a module with @main, of the shapes and dtypes of x and y

`trace_inner` traces a function that is differentiated where it is called. It becomes a private function whose
parameters are the leaves that are differentiated, followed by the outer values it captures.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, Final, TypeVar, cast

from xdsl.dialects.builtin import ModuleOp, i64
from xdsl.ir import Attribute

from mlirad.dialects.concrete_sizes import state_sizes
from mlirad.dialects.shapes import Value
from mlirad.errors import ArgumentError, MliradError, SizeNeeded, TracingError, UnsupportedError, of_class
from mlirad.frontend.tracing import sizes
from mlirad.frontend.tracing.adopted_arrays import Adopted
from mlirad.frontend.tracing.argument_types import is_unknown, leaf_types
from mlirad.frontend.tracing.array import Array, checked_rank, copied_leaves, made
from mlirad.frontend.tracing.captures import Watch
from mlirad.frontend.tracing.control import Control, as_traced
from mlirad.frontend.tracing.control_warnings import (
    explain_blocked,
    note_changed,
    note_foreign,
    warn_of_control,
)
from mlirad.frontend.tracing.frames import (
    Frame,
    FrameBuilder,
    Functions,
    current_frame,
    emitting,
    in_trace,
    tracing,
)
from mlirad.frontend.tracing.function_names import argument_hints, definition_of, function_name
from mlirad.frontend.tracing.leaf_types import LeafType
from mlirad.frontend.tracing.learning import MOST_TRACES, Learned
from mlirad.frontend.tracing.lessons import Lessons
from mlirad.frontend.tracing.library_calls import listen
from mlirad.frontend.tracing.open_traces import Raised, complete, open_traces
from mlirad.frontend.tracing.operations import as_array
from mlirad.frontend.tracing.outside_reads import noting_calls
from mlirad.frontend.tracing.pytree import Tree, flatten
from mlirad.frontend.tracing.raising import argument_error, noted
from mlirad.frontend.tracing.run_time_checks import NanCheckingBuilder
from mlirad.frontend.tracing.scipy_frames import refusal
from mlirad.frontend.tracing.silent_questions import heed
from mlirad.frontend.tracing.source import traceback_line
from mlirad.frontend.tracing.statics import is_function
from mlirad.frontend.tracing.swallowed import warn_of_swallowed
from mlirad.frontend.tracing.tokens import ReportsNeeded, sealed, token
from mlirad.frontend.tracing.told_functions import Unasked, handing_traced, tell_running
from mlirad.frontend.tracing.tracebacks import plain_errors
from mlirad.frontend.tracing.undoing import State
from mlirad.frontend.tracing.values import Higher, StructureType, ValueType, type_of
from mlirad.lazy_dataclass import dataclass

T = TypeVar("T")


@dataclass(frozen=True)
class Traced:
    """A finished inner function: its symbol, what it captured (as values of the frame around it), and what it
    returns.
    """

    name: str
    captured: tuple[Value, ...]
    results: StructureType
    has_token: bool = False
    """True if a token is one more result."""

    @property
    def result_types(self) -> list[Attribute]:
        """The types of the results, without that of a token."""
        return self.results.types

    @property
    def tree(self) -> Tree:
        """The structure of the results."""
        return self.results.tree


@contextmanager
def function_of(
    functions: Functions,
    types: Sequence[ValueType],
    hints: Sequence[str | None] = (),
    outer: Frame | None = None,
) -> Generator[tuple[Frame, list[Any]]]:
    """A new function of parameters of these types, into which is traced in the `with` block.

    It stands in the frame `outer`, or is the function @main of its module.
    """
    frame = Frame(functions, [t.type for t in types], outer)
    if outer is None:
        functions.fresh_name("main")
    else:
        frame.builder.location = outer.builder.location
    parameters = list(frame.block.args)
    for parameter, hint in zip(parameters, hints, strict=False):
        parameter.name_hint = hint
    with tracing(frame):
        yield frame, [t.made(v) for v, t in zip(parameters, types, strict=True)]
        for require in frame.requirements:
            require()


def settled_trace(
    trace: Callable[[Functions], T],
    watch: Watch,
    checks: frozenset[str] = frozenset(),
    control: Control | None = None,
) -> T:
    """The result of `trace`, repeated if it meets a report, learns a signature or needs rewriting.

    Changes by a repeated trace to values that its function reads from outside, as `watch` sees them, are
    undone. `checks` are reports themselves. A result behind which an error is hidden, of code that asks for
    elements of traced values, warns.
    """
    complete()
    before = open_traces.raised
    try:
        return _repeated(trace, State(watch), checks, Control() if control is None else control)
    finally:
        open_traces.raised = before


def _repeated(trace: Callable[[Functions], T], state: State, checks: frozenset[str], control: Control) -> T:
    has_reports = bool(checks)
    builder_class = NanCheckingBuilder if "nans" in checks else FrameBuilder
    lessons = Lessons()
    place: str | None = None
    learned = 0
    while learned < MOST_TRACES:
        functions = Functions(
            has_reports=has_reports,
            checks=checks,
            builder_class=builder_class,
            lessons=lessons,
            control=control,
        )
        control.begin()
        listen()
        raised: list[Raised] = []
        open_traces.raised = raised
        try:
            found = noting_calls(in_trace)(partial(trace, functions))
            if functions.request is None:
                if control.may_fall_back() and not state.put_back():
                    control.fall_back()
                    continue
                warn_of_swallowed(raised)
                warn_of_control(control)
                return found
            request = functions.request
        except BaseException as error:
            request = functions.request
            running = handing_traced(error, lessons) if request is None else {}
            if running:
                tell_running(running, lessons)
                state.put_back()
                continue
            if request is None:
                note_foreign(error, control)
                if isinstance(error, Exception) and control.may_fall_back():
                    changed = state.put_back()
                    if not changed:
                        control.fall_back()
                        continue
                    note_changed(error, changed)
                refused = refusal(error, raised)
                if refused is not None:
                    raise refused from error
                explain_blocked(error, control)
                raise
        if isinstance(request, Learned):
            place = request.place
            learned += 1
        elif isinstance(request, Unasked):
            tell_running(request.running, lessons)
            lessons.tells_all |= request.tells_all
        elif isinstance(request, Adopted):
            lessons.adopted.add(request.place)
            if state.has_array(request.array):
                continue  # where it was put it stays, so that the next trace comes by it, and refuses
        elif isinstance(request, ReportsNeeded):
            has_reports = True
        state.put_back()
    raise TracingError(
        f"a function of unknown signature is called here, as others were in {MOST_TRACES - 1} traces before",
        location=place,
        hint="give examples of their arguments where they are made: ad.lambda_(f, np.zeros(3))",
    )


@plain_errors
def trace(function: Callable[..., Any], *args: Any) -> ModuleOp:
    """The module that `function` is on arguments like `args`: arrays, scalars, or structures of them.

    >>> print(ad.trace(lambda x: 2.0 * np.exp(x), 1.0))
    builtin.module {
      func.func @main(%x: f64) -> f64 {
        %0 = array.exp %x : f64
        %1 = array.constant 2.000000e+00 : f64
        %2 = array.mul %1, %0 : f64
        func.return %2 : f64
      }
    }
    """
    from mlirad.frontend.tracing.traced_program import TracedProgram  # which calls do without

    leaves, tree = flatten(args)
    module = trace_module(function, tree, leaf_types(function, leaves, tree))[0]
    return TracedProgram.of(module, function_name(function))


def trace_module(
    function: Callable[..., Any],
    tree: Tree,
    types: Sequence[LeafType],
    checks: frozenset[str] = frozenset(),
    control: Control | None = None,
    watch: Watch | None = None,
) -> tuple[ModuleOp, Tree, tuple[bool, ...]]:
    """The module of a function of positional arguments with structure `tree`; the structure of its result."""
    return settled_trace(
        lambda functions: _trace_module(functions, function, tree, types),
        Watch(function) if watch is None else watch,
        checks,
        control,
    )


def _trace_module(
    functions: Functions, function: Callable[..., Any], tree: Tree, types: Sequence[LeafType]
) -> tuple[ModuleOp, Tree, tuple[bool, ...]]:
    with function_of(functions, types, argument_hints(function, tree)) as (frame, arguments):
        results, result_tree = call(function, tree.unflatten(arguments))
        if any(getattr(value, "is_traced", False) for value in result_tree.statics()):
            raise TracingError(
                f"{function_name(function)} returns a LinearMap that is made in it; programs return arrays",
                location=definition_of(function),
                hint="return what is made with the map, or call ad.linearize outside of the function",
            )
        for value in results:
            checked_rank(value.shape)
        main = frame.finish("main", sealed([r.value for r in results]), visibility=None)
        state_sizes(main)
    return ModuleOp([*functions.finished, main]), result_tree, tuple(r.weak for r in results)


def trace_inner(
    function: Callable[..., Any],
    rebuild: Callable[[list[Any]], tuple[Any, ...]],
    types: Sequence[ValueType],
    hints: Sequence[str | None],
    name: str | None = None,
    *,
    is_sealed: bool = False,
) -> Traced:
    """`function` on the arguments that `rebuild` makes of fresh parameters, as a function of its own.

    It is called `name`, a symbol from `Functions.fresh_name`, or after the function. Its reports follow those
    before it, and make one more result; if it is sealed they are its own, and it may return functions and
    sums.
    """
    outer = current_frame()
    functions = outer.functions
    if name is None:
        name = functions.fresh_name(function_name(function))
    with function_of(functions, types, hints, outer) as (frame, arguments):
        if is_sealed:
            frame.token = made(frame.builder.constant(0, i64))
        results, tree = (call_for_values if is_sealed else call)(function, rebuild(arguments))
        made_types = StructureType(tree, tuple(map(type_of, results)))
        values = [r.value for r in results]
        has_token = functions.has_reports and not is_sealed
        values = [*values, token().value] if has_token else sealed(values, kinds=made_types.leaves)
        finished = frame.finish(name, values, visibility="private")
    functions.finished.append(finished)
    return Traced(name, tuple(frame.captured), made_types, has_token)


def require_function(function: object, what: str) -> None:
    """Require something that can be called; `what` says what calls it."""
    if not callable(function):
        takes = "a function is needed" if what == THE_CALL else f"{what} needs a function"
        raise argument_error(f"{takes}, got {of_class(function)}", "pass a function: lambda x: x, or by def")


def require_arguments(function: Callable[..., Any], count: int, what: str) -> None:
    """Require something that can be called with a given number of arguments; `what` says what calls it with
    which.
    """
    require_function(function, what)
    try:
        signature = inspect.signature(function, follow_wrapped=False)
    except (TypeError, ValueError):
        return
    try:
        signature.bind(*(None,) * count)
    except TypeError as error:
        name, given = function_name(function), f"{count} argument{'' if count == 1 else 's'}"
        from mlirad.frontend.tracing.wrong_calls import shown_parameters

        shown = f"{name}{shown_parameters(function)}"
        if what == THE_CALL:
            raise argument_error(
                f"{name} is called with {given}: {error}", f"it is called as {shown}"
            ) from error
        raise argument_error(f"{what} calls {shown} with {given}: {error}", f"give it {given}") from error


THE_CALL: Final = "the transformed call"
"""The code that calls the user's transformed function."""

_RETURNS: Final = "and compiled functions return arrays, numbers and structures of them"


def call(function: Callable[..., Any], args: tuple[Any, ...]) -> tuple[list[Array], Tree]:
    """The leaves of what a function returns for copies of the arguments, as arrays, and their structure."""
    values, tree = call_for_values(function, args)
    arrays: list[Array] = []
    for value in values:
        if isinstance(value, Higher):
            raise UnsupportedError(
                f"{function_name(function)} returns {value.noun}, {_RETURNS}",
                location=definition_of(function),
                hint="return arrays: what a function gives when it is called, what ad.case makes of a sum",
            )
        arrays.append(value)
    return arrays, tree


def call_for_values(function: Callable[..., Any], args: tuple[Any, ...]) -> tuple[list[Array | Higher], Tree]:
    """The same of functions that may return functions and sums, too."""
    require_arguments(function, len(args), THE_CALL)
    heed(function)
    try:
        result = as_traced(function)(*copied_leaves(args))
    except RecursionError as error:
        raise TracingError(
            "the traced function calls itself without end, or too deeply",
            location=definition_of(function),
            hint="recursion is unrolled while tracing; it must end by a static condition",
        ) from error
    except SizeNeeded as error:
        raise sizes.explained(error) from error
    except (TypeError, ValueError) as error:
        explained = _explained(error)
        if explained is None:
            raise
        raise noted(explained) from error
    leaves, tree = flatten(result)
    unsettled = next((kind for kind in tree.kinds() if hasattr(kind, "settled_result")), None)
    if unsettled is not None:
        leaves, tree = flatten(cast("Any", unsettled).settled_result(result, function_name(function)))
    _require_passed(function, args, tree)
    emitting()
    values: list[Array | Higher] = []
    for leaf in leaves:
        if isinstance(leaf, Higher):
            values.append(leaf)
            continue
        if is_unknown(leaf):
            raise _no_array(function, leaf)
        values.append(as_array(leaf))
    return values, tree


def _require_passed(function: Callable[..., Any], args: tuple[Any, ...], results: Tree) -> None:
    """Require that functions in the results are those that were passed: others may read traced values."""
    made = {id(value): value for value in results.statics() if is_function(value)}
    for value in flatten(args)[1].statics() if made else ():
        made.pop(id(value), None)
    for value in made.values():
        raise _no_array(function, value)


def _no_array(function: Callable[..., Any], value: object) -> UnsupportedError:
    return UnsupportedError(
        f"{function_name(function)} returns {of_class(value)}, {_RETURNS}",
        location=definition_of(function),
        hint="return arrays, scalars, and tuples, lists, dictionaries or dataclasses of them",
    )


def _explained(error: TypeError | ValueError) -> MliradError | None:
    """Return what an error of NumPy's about an array means, `None` for errors that are not about one."""
    if str(error).endswith(_READ_ONLY) and not isinstance(error, MliradError):
        return ArgumentError(
            "an array that is read-only is written to",
            location=traceback_line(error),
            hint="write to a copy that the function makes: a = a.copy()",
        )
    if isinstance(error, MliradError) or (
        not any(known in str(error) for known in _ABOUT_TRACED)
        and not isinstance(error.__cause__, MliradError)
    ):
        return None
    location = traceback_line(error)
    if str(error).startswith("dispatcher for __array_function__"):
        return TracingError(
            "this function of NumPy looks at each element of its argument, whose number is not known",
            location=location,
            hint=sizes.LEAVE_OUT,
        )
    if str(error).startswith("Iterator operand"):
        return TracingError(
            "np.nditer hands out memory, which traced values do not have",
            location=location,
            hint="go over x.flat, or over np.ndenumerate(x) for positions and elements",
        )
    if str(error).startswith("setting an array element"):
        return TracingError(
            "a traced value is assigned to an element of a NumPy array, which holds numbers",
            location=location,
            hint="write to a copy that the function makes: a = a.copy() or a = ad.asarray(a) before a[i] = v",
        )
    if isinstance(error.__cause__, SizeNeeded):
        return sizes.explained(error.__cause__.with_traceback(error.__traceback__))
    if isinstance(error.__cause__, MliradError):
        cause = error.__cause__
        return cause.restated(cause.message, location)
    return TracingError(
        str(error),
        location=location,
        hint="a traced value has no elements while the function is traced; shapes and sizes must be static "
        "(list the argument in static_argnames if it is one)",
    )


_READ_ONLY = ("assignment destination is read-only", "array is read-only")
"""NumPy's messages about a write to an array whose flag `writeable` is not set."""

_ABOUT_TRACED = ("Array(", "dispatcher for __array_function__", "Iterator operand is flagged as writeable")
"""The texts by which NumPy's errors are about traced values."""
