"""Functions as values: `lambda_`.

    f = ad.cond(p, lambda: ad.lambda_(lambda z: w * z), lambda: ad.lambda_(np.sin))
    f(x)                                              %y = function.apply %f, %x

A closure without examples of its arguments is traced where it is called, once for each types of arguments.
Where it is passed on before it is called, by a branch, a loop, a function of the program or a sum, it has no
code yet: a placeholder stands for it, and a call of that says what the arguments are (`tracing.learning`).

A Python scalar stays one through a known function: called directly, a closure of Python scalars may return
one, which adapts to 32 bits as without the closure. Once it may be one of several, its results have dtypes of
their own: otherwise functions would differ in type by something that no program shows.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import field, replace
from functools import cached_property
from typing import Any, ClassVar, Generic, ParamSpec, TypeVar, cast

from xdsl.dialects.builtin import LocationAttr, i64
from xdsl.ir import Attribute

from mlirad.dialects.function import closure_type
from mlirad.dialects.shapes import Value
from mlirad.errors import MliradError, TracingError
from mlirad.frontend.constructs import eager
from mlirad.frontend.constructs.carries import in_trace
from mlirad.frontend.constructs.recursion import Function
from mlirad.frontend.tracing.array import copied_leaves, made
from mlirad.frontend.tracing.dtypes import result_type
from mlirad.frontend.tracing.frames import Scope, current_frame, emitting
from mlirad.frontend.tracing.function_names import (
    argument_hints,
    argument_paths,
    function_name,
    hint_of,
    takes_nothing,
)
from mlirad.frontend.tracing.functions import call_for_values, require_arguments
from mlirad.frontend.tracing.leaf_types import LeafType
from mlirad.frontend.tracing.learning import Key, call_stack, known_parameters, learn
from mlirad.frontend.tracing.op_locations import user_location
from mlirad.frontend.tracing.open_traces import Known, is_tracing
from mlirad.frontend.tracing.operations import as_array, kind_of, value_of
from mlirad.frontend.tracing.pytree import flatten
from mlirad.frontend.tracing.raising import argument_error, dtype_error, shape_error, tracing_error
from mlirad.frontend.tracing.source import user_line
from mlirad.frontend.tracing.structure_types import structure_type
from mlirad.frontend.tracing.tokens import last_token, resume, sealed
from mlirad.frontend.tracing.tracebacks import plain_errors
from mlirad.frontend.tracing.values import (
    Higher,
    HigherType,
    StructureType,
    ValueType,
    blank_of,
    type_of,
)
from mlirad.lazy_dataclass import dataclass

P = ParamSpec("P")
R = TypeVar("R")


# Knowledge of closures ----------------------------------------------------------------------------


@dataclass(frozen=True)
class ClosureKind(HigherType):
    """Closures of a signature. `place` is where one of them is made; `keys` are of those that learned it."""

    parameters: StructureType
    results: StructureType
    place: str | None = field(default=None, compare=False)
    keys: frozenset[Key] = field(default=frozenset(), compare=False)

    @property
    def type(self) -> Attribute:
        """As a type of the language."""
        return closure_type(self.parameters.types, self.results.types)

    def made(self, value: Value) -> Closure[..., Any]:
        """The closure of a value just emitted."""
        return Closure(value, current_frame().scope, self)

    def blank(self) -> Value:
        """A function of this signature that returns zeros."""
        return emitting().lambda_(self.parameters.types, lambda *_: list(map(blank_of, self.results.leaves)))

    def joined(self, other: HigherType) -> HigherType | None:
        """The common type: this signature if the other one is the same or unknown."""
        if isinstance(other, UnknownKind):
            return self
        if not isinstance(other, ClosureKind):
            return None
        parameters, results = (
            self.parameters.joined(other.parameters),
            self.results.joined(other.results),
        )
        if parameters is None or results is None:
            return None
        return ClosureKind(parameters, results, self.place, self.keys | other.keys)

    def fitted(self, leaf: object) -> Closure[..., Any] | None:
        """A closure of this signature, for which one without a signature is traced."""
        if not isinstance(leaf, Closure):
            return None
        closure = cast("Closure[..., Any]", leaf)
        if isinstance(closure, Untyped | KnownFunction):
            closure = closure.at(self.parameters)
        return self.exactly(closure)

    def learn_from(self, wanted: HigherType) -> None:
        """Raise `Learned` if functions that these take or return are called as the wanted one says."""
        if isinstance(wanted, ClosureKind) and self.joined(wanted) is not None:
            self.parameters.learn_from(wanted.parameters)
            self.results.learn_from(wanted.results)

    def unknown(self) -> Iterator[Hashable]:
        """The keys of functions that these take or return and whose signatures are unknown."""
        yield from self.parameters.unknown()
        yield from self.results.unknown()

    def __str__(self) -> str:
        results = str(self.results) if self.results.leaves else "None"
        return f"a function {self.parameters} -> {results}{_made_at(self.place)}"


@dataclass(frozen=True)
class UnknownKind(HigherType):
    """Closures that were not called yet, by the keys of the calls of `ad.lambda_` that make them."""

    keys: frozenset[Key] = field(compare=False)
    place: str | None = field(default=None, compare=False)

    @property
    def type(self) -> Attribute:
        """That of the placeholder."""
        return i64

    def made(self, value: Value) -> Closure[..., Any]:
        """The closure that a placeholder stands for."""
        return Closure(value, current_frame().scope, self)

    def blank(self) -> Value:
        """The placeholder."""
        return _placeholder()

    def joined(self, other: HigherType) -> HigherType | None:
        """Return what is known of the other."""
        if isinstance(other, UnknownKind):
            return replace(self, keys=self.keys | other.keys)
        return other.joined(self)

    def fitted(self, leaf: object) -> Closure[..., Any] | None:
        """The placeholder; that of a closure whose signature is known shows the signature."""
        if not isinstance(leaf, Closure):
            return None
        closure = cast("Closure[..., Any]", leaf)
        self.learn_from(closure.kind)
        return closure if isinstance(closure.kind, UnknownKind) else None

    def learn_from(self, wanted: HigherType) -> None:
        """Raise `Learned` if that is new."""
        if isinstance(wanted, ClosureKind):
            learn(self.keys, wanted.parameters)

    def unknown(self) -> Iterator[Hashable]:
        """All keys."""
        yield from self.keys

    def __str__(self) -> str:
        return f"a function of unknown signature{_made_at(self.place)}"


def _made_at(place: str | None) -> str:
    return "" if place is None else f" made at {place}"


# Closures ----------------------------------------------------------------------------------------


class Closure(Higher, Generic[P, R]):
    """A function that is a value of the program: called, captured, returned, carried, chosen by branches.

    >>> @ad.jit
    ... def either(x):
    ...     f = ad.cond(x > 0, lambda: ad.lambda_(np.sqrt, 0.0), lambda: ad.lambda_(np.square, 0.0))
    ...     return f(x)
    >>> either(4.0), either(-3.0)
    (np.float64(2.0), np.float64(9.0))
    """

    noun: ClassVar[str] = "a function made by ad.lambda_"
    use: ClassVar[str] = "call it, f(x), and go on with what it gives"

    def __init__(
        self, value: Value | None, scope: Scope, kind: HigherType, weak: tuple[bool, ...] | None = None
    ):
        super().__init__(value, scope)
        self._kind = kind
        self._weak = weak
        """The flags of results that promote as Python scalars, if it is known which function it is."""

    @property
    def kind(self) -> HigherType:
        """Its signature, or that this is unknown."""
        return self._kind

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        if not is_tracing():
            raise tracing_error(
                "a function made by ad.lambda_ is called outside of the traced function that made it",
                "return what it gives, or make it a plain Python function",
            )
        if kwargs:
            raise argument_error(
                f"{self.kind} is called with arguments by name: {', '.join(kwargs)}",
                "pass arguments by position",
            )
        return cast(R, self._applied(cast("tuple[Any, ...]", args)))

    def _applied(self, args: tuple[Any, ...]) -> Any:
        leaves, tree = flatten(args)
        kind = self.kind
        if isinstance(kind, UnknownKind):
            found = structure_type(leaves, tree, tree.paths("args"))
            learn(kind.keys, found)
            raise _not_learned(kind, found)
        assert isinstance(kind, ClosureKind)
        wanted = kind.parameters
        if tree != wanted.tree:
            raise self._misfit(leaves, args)
        operands = [value_as(leaf, type_) for leaf, type_ in zip(leaves, wanted.leaves, strict=True)]
        if None in operands:
            raise self._misfit(leaves, args)
        values = emitting().apply(self.value, cast("list[Value]", operands))
        results = kind.results
        weak = self._weak or (False,) * len(values)
        return results.tree.unflatten(
            [
                made(v, weak=w) if isinstance(t, LeafType) else t.made(v)
                for v, t, w in zip(values, results.leaves, weak, strict=True)
            ]
        )

    def _misfit(self, leaves: list[Any], args: tuple[Any, ...]) -> Exception:
        """The error of a call with other arguments; raises `Learned` if these can be had."""
        kind = cast(ClosureKind, self.kind)
        tree, wanted = flatten(args)[1], kind.parameters
        found = structure_type(leaves, tree, tree.paths("args"))
        learn(kind.keys, found)
        message = f"{kind} is called with {found}"
        if kind.keys:
            message += "; its signature was learned from another call"
        given, taken = len(tree.children), len(wanted.tree.children)
        if given != taken:
            return argument_error(f"{message}: {given} arguments for {taken}", "pass as many as it takes")
        if tree != wanted.tree:
            return tracing_error(
                message, "pass the tuples, keys and fields that it takes, or make two functions"
            )
        hint = "make a function for each, or convert the arguments"
        pairs = list(zip(wanted.leaves, found.leaves, strict=True))
        arrays = [(w, f) for w, f in pairs if isinstance(w, LeafType) and isinstance(f, LeafType)]
        if any(w.shape != f.shape for w, f in arrays):
            return shape_error(message, f"{hint}; examples say what it takes: ad.lambda_(f, np.zeros(3))")
        if len(arrays) == len(pairs):
            return dtype_error(message, f"{hint} with .astype")
        return tracing_error(message, hint)


class Untyped(Closure[P, R]):
    """A closure without examples of its arguments, that is traced for the arguments of each call."""

    def __init__(self, function: Callable[P, R], key: Key):
        place, scope = user_line(), current_frame().scope
        super().__init__(None, scope, UnknownKind(frozenset((key,)), place))
        self._function = function
        self._key = key
        self._location = user_location()
        self._traced: dict[StructureType, Closure[..., Any]] = {}
        self._entered: set[StructureType] = set()

    @property
    def kind(self) -> HigherType:
        """The signature that was learned in an earlier trace, if one was."""
        parameters = known_parameters(self._key)
        return self._kind if parameters is None else self.at(parameters).kind

    @property
    def value(self) -> Value:
        """The closure of that signature, else a placeholder."""
        parameters = known_parameters(self._key)
        return _placeholder() if parameters is None else self.at(parameters).value

    def at(self, parameters: StructureType) -> Closure[..., Any]:
        """The closure for arguments of these types."""
        if not self._scope.is_open:
            raise _ended(self._kind)
        known = self._traced.get(parameters)
        if known is None or not known._scope.is_open:
            if parameters in self._entered:
                raise tracing_error(
                    f"{self._kind} calls itself", "make a function that calls itself by @ad.function"
                )
            self._entered.add(parameters)
            try:
                known = _closure(
                    self._function, parameters, self._location, cast(UnknownKind, self._kind).place, self._key
                )
            finally:
                self._entered.discard(parameters)
            self._traced[parameters] = known
        return known

    def _applied(self, args: tuple[Any, ...]) -> Any:
        leaves, tree = flatten(args)
        require_arguments(self._function, len(args), "this call")
        found = structure_type(leaves, tree, argument_paths(self._function, tree) if leaves else [])
        return self.at(found)._applied(args)


class KnownFunction(Closure[P, R], Known):
    """A function made a value outside of a trace: a call runs it, and each trace makes a closure of it."""

    CAPTURED: ClassVar = ("_function",)

    def __init__(self, function: Callable[P, R], like: tuple[Any, ...]):
        self._key = call_stack()
        self._place = user_line()
        super().__init__(None, cast(Any, None), UnknownKind(frozenset((self._key,)), self._place))
        self._function = function
        self._like = like
        self._location = user_location()

    @property
    def kind(self) -> HigherType:
        """The signature by the examples of its arguments; without these, the one that a trace has learned, if
        there is one.
        """
        if self._like or takes_nothing(self._function):
            return self._stated
        parameters = known_parameters(self._key) if is_tracing() else None
        return self._kind if parameters is None else self.at(parameters).kind

    @cached_property
    def _stated(self) -> HigherType:
        from mlirad.frontend.constructs.result_shapes import eval_shape

        leaves, tree = flatten(self._like)
        parameters = structure_type(leaves, tree, argument_paths(self._function, tree) if leaves else [])
        try:
            found, results = flatten(eval_shape(self._function, *self._like))
        except MliradError:  # a call of it shows the error, and it may return functions in a trace
            return self._kind
        types = tuple(LeafType(leaf.shape, leaf.dtype, False) for leaf in found)
        return ClosureKind(parameters.strong(), StructureType(results, types), self._place)

    @property
    def value(self) -> Value:
        """A closure in the function being traced, or a placeholder."""
        kind = self.kind
        return self.at(kind.parameters).value if isinstance(kind, ClosureKind) else _placeholder()

    def at(self, parameters: StructureType) -> Closure[..., Any]:
        """The closure in the function being traced, for arguments of these types."""
        return _closure(self._function, parameters, self._location, self._place, self._key)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        if kwargs:
            raise argument_error(
                f"{self.kind} is called with arguments by name: {', '.join(kwargs)}",
                "pass arguments by position",
            )
        given = cast("tuple[Any, ...]", args)
        if is_tracing():
            return copied_leaves(cast(Any, self._function)(*copied_leaves(given)))
        return eager.called(self._function, given, "ad.lambda_")


@plain_errors
def lambda_(function: Callable[P, R], *like: Any) -> Closure[P, R]:
    """`function` as a value of the program, of arguments like the examples `like`.

    Such a closure is a leaf of structures, as an array is: it is carried by loops, returned by branches and
    functions, given to functions, and captured. Without examples it is traced for the arguments that it is
    called with, which may be of several types as long as it is only called. If it is passed on before, the
    program is traced once more when a call shows what its arguments are.

        >>> def damped(x, w):
        ...     f = ad.cond(w > 0, lambda: ad.lambda_(lambda z: z * w), lambda: ad.lambda_(lambda z: z + w))
        ...     return ad.fold(lambda carry, t: f(carry) + t, x, np.ones(3))
        >>> ad.grad(damped)(2.0, 0.5), ad.grad(damped)(2.0, -0.5)
        (np.float64(0.125), np.float64(1.0))
    """

    def closure() -> Closure[P, R]:
        if not callable(function):
            raise argument_error(
                f"ad.lambda_ needs a function, not {type(cast(object, function)).__name__}",
                "write ad.lambda_(f)",
            )
        if isinstance(function, Closure):
            return cast("Closure[P, R]", function)
        if not like and not takes_nothing(function):
            return Untyped(function, call_stack())
        require_arguments(function, len(like), "ad.lambda_")
        leaves, tree = flatten(like)
        parameters = structure_type(leaves, tree, argument_paths(function, tree) if leaves else [])
        return _closure(function, parameters, user_location(), user_line(), None)

    def run() -> Closure[P, R]:
        if not callable(function):
            raise argument_error(
                f"ad.lambda_ needs a function, not {type(cast(object, function)).__name__}",
                "write ad.lambda_(f)",
            )
        if isinstance(function, Closure):
            return cast("Closure[P, R]", function)
        if like or takes_nothing(function):
            require_arguments(function, len(like), "ad.lambda_")
        return KnownFunction(function, like)

    return in_trace(closure, run)


def _placeholder() -> Value:
    """A stand-in for a closure of unknown signature; the program is traced again once that is known."""
    return emitting().constant(0, i64)


def _closure(
    function: Callable[..., Any],
    parameters: StructureType,
    location: LocationAttr,
    place: str | None,
    key: Key | None,
) -> Closure[..., Any]:
    """The closure of a function for arguments of these types."""
    keys = frozenset[Key]() if key is None else frozenset((key,))
    if isinstance(function, Function):
        value, results = function.partial(parameters)
    else:
        value, results = _lambda(function, parameters, location)
    if value.name_hint is None:
        value.name_hint = hint_of(function_name(function))
    kind = ClosureKind(parameters.strong(), results.strong(), place, keys)
    return Closure(value, current_frame().scope, kind, tuple(t.weak for t in results.leaves))


def _lambda(
    function: Callable[..., Any], parameters: StructureType, location: LocationAttr
) -> tuple[Value, StructureType]:
    """A function of the program in a region of its own, and what it returns. Its reports are its own."""
    frame, b, before = current_frame(), emitting(), last_token()
    hints = argument_hints(function, parameters.tree) if parameters.leaves else []
    found: list[StructureType] = []

    def body(*values: Value) -> list[Value]:
        with frame.open_scope():
            if before is not None:
                resume(made(b.constant(0, i64)))
            for value, hint in zip(values, hints, strict=True):
                value.name_hint = hint
            results, tree = call_for_values(function, parameters.made(values))
            found[:] = [StructureType(tree, tuple(map(type_of, results)))]
            return sealed([r.value for r in results], kinds=found[0].leaves)

    b.location = location
    value = b.lambda_(parameters.types, body)
    if before is not None:
        resume(before)
    return value, found[0]


def value_as(leaf: Any, type_: ValueType) -> Value | None:
    """A leaf as a value of a type, which a Python scalar is converted to; `None` if it does not fit."""
    if isinstance(type_, HigherType):
        fitted = type_.fitted(leaf)
        return None if fitted is None else fitted.value
    if isinstance(leaf, Higher):
        return None
    array = as_array(leaf)
    if array.shape != type_.shape:
        return None
    if array.dtype == type_.dtype:
        return array.value
    is_convertible = array.weak and result_type([kind_of(array), type_.dtype]) == type_.dtype
    return value_of(array, type_.dtype) if is_convertible else None


def _not_learned(kind: UnknownKind, found: StructureType) -> TracingError:
    return tracing_error(
        f"{kind} is called with {found}, and its signature cannot be learned from that",
        "give examples of its arguments where it is made: ad.lambda_(f, np.zeros(3))",
    )


def _ended(kind: HigherType) -> TracingError:
    """The error of a closure that is used after its region has ended."""
    return tracing_error(
        f"{kind} is used after the function, or the body of a loop or branch, that made it has ended",
        "return it as a result instead of storing it in a variable from outside",
    )
