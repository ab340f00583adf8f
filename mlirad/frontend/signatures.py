"""The types of the transformations, for editors and type checkers, and their help.

    def loss(w: Array, x: Array) -> float
    ad.value_and_grad(loss)          a function of (w: Array, x: Array) that gives a pair of a float and `Any`

A function keeps its parameters, and `jit` and `vmap` its result. The type of a gradient is not known: that of
its argument could be said, but not for lambdas, whose parameters checkers would then take for objects.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import (
    TYPE_CHECKING,
    Any,
    Concatenate,
    Generic,
    Literal,
    ParamSpec,
    Protocol,
    Self,
    TypeAlias,
    TypeVar,
    Unpack,
    cast,
    overload,
)

from mlirad.frontend.compiling.arguments import Chosen, Names, Positions, listed, static_names
from mlirad.frontend.compiling.dynamic import Dynamic
from mlirad.frontend.compiling.options import OPTIONS, CompileOptions, Options
from mlirad.frontend.compiling.pickling import remembering
from mlirad.frontend.compiling.transformed import Transformed
from mlirad.frontend.differentiation.argnums import Argnums
from mlirad.frontend.tracing.decorating import decorating

if TYPE_CHECKING:
    from mlirad.frontend.compiling.lowered import Lowered
    from mlirad.frontend.compiling.profile import Profile
    from mlirad.frontend.compiling.stats import Stats

P = ParamSpec("P")
Q = ParamSpec("Q")
S = TypeVar("S")
R = TypeVar("R")
V = TypeVar("V")
X = TypeVar("X")
F = TypeVar("F", bound=Callable[..., Any])
R_co = TypeVar("R_co", covariant=True)


class _Inspected(Protocol):
    """The methods of all transformed functions besides their call; see `Transformed`."""

    def lower(self, *args: Any, **kwargs: Any) -> Lowered: ...
    def ir(self, *args: Any, after: str | None = None, **kwargs: Any) -> str: ...
    def stats(self, *args: Any, **kwargs: Any) -> Stats: ...
    def profile(self, *args: Any, **kwargs: Any) -> Profile: ...
    def llvm(self, *args: Any, **kwargs: Any) -> str: ...
    def asm(self, *args: Any, **kwargs: Any) -> str: ...
    def structure(self, *args: Any, **kwargs: Any) -> Any: ...


class Function(_Inspected, Protocol, Generic[P, R_co]):
    """A transformed function with the parameters P, which gives an R."""

    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co: ...
    @overload
    def __call__(self, *args: Any, out: Any, **kwargs: Any) -> R_co: ...
    @overload
    def __get__(self, instance: None, owner: type[Any], /) -> Self: ...
    @overload
    def __get__(
        self: Function[Concatenate[S, Q], R_co], instance: S, owner: type[Any] | None = None, /
    ) -> Function[Q, R_co]: ...


class Jit(Protocol):
    """The type of `jit`."""

    @overload
    def __call__(
        self, function: Callable[P, R], /, *, static_argnames: Names = (), static_argnums: Positions = (),
        donate: Chosen = (), dynamic: Dynamic = (), **options: Unpack[CompileOptions],
    ) -> Function[P, R]: ...  # fmt: skip
    @overload
    def __call__(
        self, *, static_argnames: Names = (), static_argnums: Positions = (), donate: Chosen = (),
        dynamic: Dynamic = (), **options: Unpack[CompileOptions],
    ) -> Callable[[Callable[P, R]], Function[P, R]]: ...  # fmt: skip


class Batching(Protocol):
    """The type of `vmap`."""

    @overload
    def __call__(
        self, function: Callable[P, R], /, in_axes: Any = 0, out_axes: Any = 0, *,
        static_argnames: Names = (), static_argnums: Positions = (), **options: Unpack[CompileOptions],
    ) -> Function[P, R]: ...  # fmt: skip
    @overload
    def __call__(
        self, *, in_axes: Any = 0, out_axes: Any = 0, static_argnames: Names = (),
        static_argnums: Positions = (), **options: Unpack[CompileOptions],
    ) -> Callable[[Callable[P, R]], Function[P, R]]: ...  # fmt: skip


class Gradient(Protocol):
    """The type of `grad`."""

    @overload
    def __call__(
        self, function: Callable[P, tuple[Any, X]], /, argnums: Argnums = 0, *, has_aux: Literal[True],
        holomorphic: bool = False, static_argnames: Names = (), static_argnums: Positions = (),
        donate: Chosen = (), **options: Unpack[CompileOptions],
    ) -> Function[P, tuple[Any, X]]: ...  # fmt: skip
    @overload
    def __call__(
        self, function: Callable[P, Any], /, argnums: Argnums = 0, *, has_aux: bool = False,
        holomorphic: bool = False, static_argnames: Names = (), static_argnums: Positions = (),
        donate: Chosen = (), **options: Unpack[CompileOptions],
    ) -> Function[P, Any]: ...  # fmt: skip
    @overload
    def __call__(
        self, *, argnums: Argnums = 0, has_aux: bool = False, holomorphic: bool = False,
        static_argnames: Names = (), static_argnums: Positions = (), donate: Chosen = (),
        **options: Unpack[CompileOptions],
    ) -> Callable[[Callable[P, Any]], Function[P, Any]]: ...  # fmt: skip


class ValueAndGradient(Protocol):
    """The type of `value_and_grad`."""

    @overload
    def __call__(
        self, function: Callable[P, V], /, argnums: Argnums = 0, *, has_aux: bool = False,
        holomorphic: bool = False, static_argnames: Names = (), static_argnums: Positions = (),
        donate: Chosen = (), **options: Unpack[CompileOptions],
    ) -> Function[P, tuple[V, Any]]: ...  # fmt: skip
    @overload
    def __call__(
        self, *, argnums: Argnums = 0, has_aux: bool = False, holomorphic: bool = False,
        static_argnames: Names = (), static_argnums: Positions = (), donate: Chosen = (),
        **options: Unpack[CompileOptions],
    ) -> Callable[[Callable[P, V]], Function[P, tuple[V, Any]]]: ...  # fmt: skip


class Jacobian(Protocol):
    """The type of `jacobian`."""

    @overload
    def __call__(
        self, function: Callable[P, Any], /, argnums: Argnums = 0, *, sparse: bool = False,
        has_aux: bool = False, holomorphic: bool = False, static_argnames: Names = (),
        static_argnums: Positions = (), **options: Unpack[CompileOptions],
    ) -> Function[P, Any]: ...  # fmt: skip
    @overload
    def __call__(
        self, *, argnums: Argnums = 0, sparse: bool = False, has_aux: bool = False,
        holomorphic: bool = False, static_argnames: Names = (), static_argnums: Positions = (),
        **options: Unpack[CompileOptions],
    ) -> Callable[[Callable[P, Any]], Function[P, Any]]: ...  # fmt: skip


class DenseJacobian(Protocol):
    """The type of `jacfwd` and `jacrev`."""

    @overload
    def __call__(
        self, function: Callable[P, Any], /, argnums: Argnums = 0, *, has_aux: bool = False,
        holomorphic: bool = False, static_argnames: Names = (), static_argnums: Positions = (),
        **options: Unpack[CompileOptions],
    ) -> Function[P, Any]: ...  # fmt: skip
    @overload
    def __call__(
        self, *, argnums: Argnums = 0, has_aux: bool = False, holomorphic: bool = False,
        static_argnames: Names = (), static_argnums: Positions = (), **options: Unpack[CompileOptions],
    ) -> Callable[[Callable[P, Any]], Function[P, Any]]: ...  # fmt: skip


class Hessian(Protocol):
    """The type of `hessian`."""

    @overload
    def __call__(
        self, function: Callable[P, Any], /, argnums: Argnums = 0, *, sparse: bool = False,
        static_argnames: Names = (), static_argnums: Positions = (), **options: Unpack[CompileOptions],
    ) -> Function[P, Any]: ...  # fmt: skip
    @overload
    def __call__(
        self, *, argnums: Argnums = 0, sparse: bool = False, static_argnames: Names = (),
        static_argnums: Positions = (), **options: Unpack[CompileOptions],
    ) -> Callable[[Callable[P, Any]], Function[P, Any]]: ...  # fmt: skip


Made: TypeAlias = Callable[..., Transformed]


def as_jit(transformation: Made) -> Jit:
    """A public transformation that has the type of `jit`."""
    return cast("Jit", _public(transformation))


def as_batching(transformation: Made) -> Batching:
    """A public transformation that has the type of `vmap`."""
    return cast("Batching", _public(transformation))


def as_gradient(transformation: Made) -> Gradient:
    """A public transformation that has the type of `grad`."""
    return cast("Gradient", _public(transformation))


def as_value_and_gradient(transformation: Made) -> ValueAndGradient:
    """A public transformation that has the type of `value_and_grad`."""
    return cast("ValueAndGradient", _public(transformation))


def as_jacobian(transformation: Made) -> Jacobian:
    """A public transformation that has the type of `jacobian`."""
    return cast("Jacobian", _public(transformation))


def as_dense_jacobian(transformation: Made) -> DenseJacobian:
    """A public transformation that has the type of `jacfwd`."""
    return cast("DenseJacobian", _public(transformation))


def as_hessian(transformation: Made) -> Hessian:
    """A public transformation that has the type of `hessian`."""
    return cast("Hessian", _public(transformation))


def _public(transformation: Made) -> Any:
    """Return a transformation that remembers how it was called, can be a decorator, and shows its options."""
    return with_options(cast(Any, decorating(with_positions(remembering(transformation)))))


def with_positions(transformation: Made) -> Made:
    """Return a transformation that takes `static_argnums` besides `static_argnames`."""

    @functools.wraps(transformation)
    def transform(
        function: Callable[..., Any], *args: Any, static_argnums: Positions = (), **kwargs: Any
    ) -> Any:
        if callable(function) and listed(static_argnums):
            kwargs["static_argnames"] = static_names(
                function, kwargs.get("static_argnames", ()), static_argnums
            )
        return transformation(function, *args, **kwargs)

    signature = inspect.signature(transformation)
    given: list[inspect.Parameter] = []
    for parameter in signature.parameters.values():
        given.append(parameter)
        if parameter.name == "static_argnames":
            given.append(parameter.replace(name="static_argnums", annotation="Positions"))
    cast(Any, transform).__signature__ = signature.replace(parameters=given)
    return transform


def with_options(function: F) -> F:
    """A function whose help and signature list the options of compilation."""
    signature = inspect.signature(function)
    given = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
    by_name = inspect.Parameter.KEYWORD_ONLY
    given += [inspect.Parameter(name, by_name, default=getattr(Options(), name)) for name in OPTIONS]
    cast(Any, function).__signature__ = signature.replace(parameters=given)
    listed = "\n".join(f"    {name}: {says}" for name, says in OPTIONS.items())
    function.__doc__ = f"{inspect.cleandoc(function.__doc__ or '')}\n\nOptions:\n\n{listed}\n"
    return function
