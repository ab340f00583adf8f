"""Arguments of NumPy's functions, bound to NumPy's own signature and read by the kinds of their parameters.

    np.roll(x, shift=n, axes=0)     np.roll: there is no parameter 'axes'; it is np.roll(a, shift, axis=None)

A function that traces one of NumPy's sees only arguments of the kinds that its annotations name
(`parameters`). An option of NumPy's that it has no parameter for is refused by name, unless it makes no
difference here, or has the value that it has by default. So no option is ever ignored, and nothing strange
reaches the code of a function.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, cast, get_args, get_origin, get_type_hints

import numpy as np
from xdsl.utils.exceptions import VerifyException

from mlirad.errors import ArgumentError, CompileError, MliradError, is_from_signal
from mlirad.frontend.numpy_functions.calls.alternatives import for_traced
from mlirad.frontend.numpy_functions.calls.numpy_signatures import numpy_signature
from mlirad.frontend.numpy_functions.calls.parameters import (
    UNSET,
    Casting,
    Flag,
    Kind,
    Path,
    TracedOptionError,
    WrongKindError,
    static,
)
from mlirad.frontend.numpy_functions.calls.results import (
    all_ordered,
    as_copies,
    reduction_dtype,
    require_traced_out,
    written_out,
)
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.open_traces import Traced
from mlirad.frontend.tracing.operations import as_array
from mlirad.frontend.tracing.raising import argument_error, shape_error, tracing_error, unsupported_error
from mlirad.frontend.tracing.source import user_line

MAKES_NO_DIFFERENCE: dict[str, Any] = {
    "subok": Literal[True, False],
    "overwrite_input": Flag,
    "overwrite_a": Flag,
    "overwrite_b": Flag,
    "check_finite": Flag,
    "optimize": Path,
    "device": Literal["cpu", None],
    "copy": Literal[True, False, None],
    "kind": Literal["quicksort", "heapsort", "mergesort", "stable", "introselect", "quick", "heap", None],
    "casting": Casting,
}
"""Options that say how NumPy goes about it, by what they take. Traced arrays have no layout."""

WRITTEN_OTHERWISE: dict[str, str] = {
    "where": "write np.where(condition, result, other)",
    "weights": "write the sum with weights out",
}
"""The code to write instead of an option that is not supported."""


OLDER_NAMES = {"newshape": "shape"}
"""The names of parameters in NumPy 2.0, and their names in later versions, which handlers use."""

LIKE_UFUNCS = ("np.clip", "np.fix", "np.isposinf", "np.isneginf")
"""Functions whose results are repeated to the shape of `out`, as those of ufuncs are."""

IN_DTYPE_OF_OUT = ("np.amax", "np.amin", "np.cumprod", "np.cumsum", "np.max", "np.min", "np.prod", "np.sum")
"""Reductions that are computed in the dtype of `out`, if no other is asked for."""

FLOATS_IN_DTYPE_OF_OUT = ("np.mean",)
"""Those that are so of floats."""


class Parameter:
    """The reading of one parameter."""

    def __init__(self, name: str, annotation: Any):
        self.name = name
        self.allows_none = False
        origin = get_origin(annotation)
        if origin in (Union, UnionType):
            parts = [part for part in get_args(annotation) if part is not NoneType]
            self.allows_none = len(parts) < len(get_args(annotation))
            (annotation,) = parts
            origin = get_origin(annotation)
        self.choices = get_args(annotation) if origin is Literal else None
        self.kind: Kind | None = None
        if origin is Annotated:
            self.kind = next(k for k in get_args(annotation) if isinstance(k, Kind))
        assert self.kind is not None or self.choices is not None, f"{name} has no kind"

    def read(self, value: Any) -> Any:
        """The argument as the function takes it; raises `WrongKindError` or `TracedOptionError`."""
        if value is None and self.allows_none:
            return None
        if self.kind is not None:
            return self.kind.read(value)
        assert self.choices is not None
        static(value)
        if not (value is None or isinstance(value, str | int)) or value not in self.choices:
            raise WrongKindError
        return value

    @property
    def wanted(self) -> str:
        """Return what it takes, in words."""
        if self.kind is not None:
            return self.kind.wanted + (" or None" if self.allows_none else "")
        assert self.choices is not None
        *first, last = [repr(c) for c in self.choices]
        return f"{', '.join(first)} or {last}" if first else last


class Binding:
    """NumPy's signature of a function, and how each of its parameters is read for `handler`."""

    def __init__(self, name: str, signature: inspect.Signature | None, handler: Callable[..., Any]):
        self.name = name
        self.handler = handler
        own = inspect.signature(handler)
        annotated = handler.func if isinstance(handler, functools.partial) else handler
        hints: Mapping[str, Any] = get_type_hints(annotated, include_extras=True)
        self.readers = {p: Parameter(p, hints[p]) for p in own.parameters}
        self.neutral = {p: Parameter(p, a) for p, a in MAKES_NO_DIFFERENCE.items() if p not in self.readers}
        names = list(own.parameters)
        several = [p for p, k in own.parameters.items() if k.kind is k.VAR_POSITIONAL]
        self.is_positional = set(names[: names.index(several[0])]) if several else set[str]()
        self.signature = own if signature is None else _merged(signature, own)
        first = next(iter(self.signature.parameters.values()), None)
        self._several = first.name if first is not None and first.kind is first.VAR_POSITIONAL else None
        """The parameter that takes all positional arguments, if there is one: binding these is slow."""

    def bound(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> inspect.BoundArguments:
        """The arguments by the parameters of NumPy's; raises `ArgumentError` if they are not its."""
        try:
            return self.signature.bind(*args, **kwargs)
        except TypeError as error:
            raise argument_error(
                f"{self.name}: {error}", f"it is called as {self.name}{self._shown()}"
            ) from None

    def wrong_kind(self, name: str, wanted: str, value: Any) -> ArgumentError:
        """The error of an argument that is of another kind than its parameter."""
        return argument_error(
            f"{self.name}: `{name}` must be {wanted}, got {shown(value)}",
            f"it is called as {self.name}{self._shown()}",
        )

    def call(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[Any, bool]:
        """The handler's result, or the array `out` that it was written into; and whether it is that."""
        if self._several is not None and not kwargs:
            return self._handled([self._read(self._several, value) for value in args], {}), False
        bound = self.bound(args, kwargs)
        positional: list[Any] = []
        named: dict[str, Any] = {}
        out = self._out(bound.arguments.get("out"))
        for name, value in bound.arguments.items():
            if name == "out":
                continue
            parameter = self.signature.parameters[name]
            if parameter.kind is parameter.VAR_POSITIONAL:
                positional += [self._read(name, v) for v in value]
            elif parameter.kind is parameter.VAR_KEYWORD:
                named |= value
            elif value is UNSET:
                continue
            elif (own := self._own_name(name)) in self.readers:
                given = self._read(own, value)
                if own in self.is_positional:
                    positional.append(given)
                else:
                    named[own] = given
            else:
                self._refuse(name, value, parameter.default)
        if out is not None:
            self._reduce_in_dtype_of(out, named)
        if out is None:
            return self._handled(positional, named), False
        is_exact = self.name not in LIKE_UFUNCS
        casting = bound.arguments.get("casting", "same_kind")
        return self._handled(
            positional,
            named,
            lambda result: written_out(self.name, result, out, is_exact=is_exact, casting=casting),
        ), True

    def _handled(
        self, positional: list[Any], named: Mapping[str, Any], then: Callable[[Any], Any] | None = None
    ) -> Any:
        """The handler's result, after `then` if it is given."""
        try:
            result = self.handler(*positional, **named)
            return result if then is None else then(result)
        except MliradError:
            raise
        except VerifyException as error:
            raise shape_error(
                f"{self.name}: {error}", "compare the shapes and dtypes of its arguments"
            ) from error

    def applied(self, args: tuple[Any, ...], kwargs: Mapping[str, Any], *, calls_back: bool = False) -> Any:
        """The handler's result, with no array that is a view.

        An exception of Python's in it is a defect of mlirad, unless it calls a function of the user back.
        """
        try:
            result, _ = self.call(args, kwargs)
        except (MliradError, RecursionError):
            raise
        except Exception as error:
            if calls_back or is_from_signal(error):
                raise
            raise internal_error(self.name, error) from error
        return as_copies(result, all_ordered((*args, *kwargs.values())))

    def _out(self, out: Any) -> Any:
        """The traced array that is to be written, if there is one."""
        outs = cast("tuple[Any, ...]", out if isinstance(out, tuple) else (out,))
        only: Any = outs[0] if len(outs) == 1 else outs
        if only is not None and only is not UNSET:
            require_traced_out(self.name, only)
            return only
        return None

    def _reduce_in_dtype_of(self, out: Array, named: dict[str, Any]) -> None:
        """Let a reduction be computed in the dtype of `out` where NumPy does so."""
        is_known = self.name in (*IN_DTYPE_OF_OUT, *FLOATS_IN_DTYPE_OF_OUT)
        if not is_known or named.get("dtype") is not None:
            return
        x = as_array(named["a"])
        if self.name in IN_DTYPE_OF_OUT or x.dtype.kind == "f":
            dtype = reduction_dtype(x.dtype, out)
            named["a"] = x if dtype is None else x.astype(dtype)

    def given(self, name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """Return what a call that can be bound gives for a parameter of NumPy's, `None` if nothing."""
        if name not in self.signature.parameters:
            return None
        return self.signature.bind(*args, **kwargs).arguments.get(name)

    def _shown(self) -> str:
        text = ", ".join(str(p).split(":")[0] for p in self.signature.parameters.values())
        return f"({text.replace('<no value>', 'none')})"

    def _own_name(self, name: str) -> str:
        """Return what the handler calls a parameter of NumPy's."""
        older = OLDER_NAMES.get(name, name)
        return older if older in self.readers and older not in self.signature.parameters else name

    def _read(self, name: str, value: Any) -> Any:
        return self._checked(self.readers[name], value)

    def _checked(self, parameter: Parameter, value: Any) -> Any:
        try:
            return parameter.read(value)
        except TracedOptionError:
            known = _known(value)
            if known is not None:
                return self._checked(parameter, known)
            raise tracing_error(
                f"{self.name}: `{parameter.name}` must be static, got the traced {shown(value)}",
                for_traced(self.name, parameter.name),
            ) from None
        except WrongKindError:
            raise self.wrong_kind(parameter.name, parameter.wanted, value) from None
        except MliradError as error:
            message = f"{self.name}: `{parameter.name}`: {error.message}"
            raise error.restated(message, user_line()) from None

    def _refuse(self, name: str, value: Any, default: Any) -> None:
        """Raise for an option that the handler does not implement, unless it changes nothing."""
        if name in self.neutral:
            self._checked(self.neutral[name], value)
        elif not _is_default(value, default):
            raise unsupported_error(
                f"{self.name} is traced without `{name}`",
                WRITTEN_OTHERWISE.get(name, f"leave {name}= out, and write what it does after the call"),
            )


def _is_default(value: Any, default: Any) -> bool:
    return value is default or (isinstance(value, bool | int | str) and value == default)


def shown(value: Any) -> str:
    """An argument in a message, by its type where its representation is long or says nothing."""
    text = repr(value)
    is_plain = isinstance(value, str | bytes | int | float | complex | tuple | list | NoneType | np.generic)
    if len(text) <= 60 and (is_plain or "Array(" in text):
        return text
    kind_name = cast("type[Any]", type(value)).__name__
    return f"{'an' if kind_name[0] in 'aeiou' else 'a'} {kind_name}"


def _merged(numpys: inspect.Signature, own: inspect.Signature) -> inspect.Signature:
    """NumPy's signature, with the options that the handler declares in the place of `**kwargs`."""
    parameters = list(numpys.parameters.values())
    if any(p.kind is p.VAR_KEYWORD for p in own.parameters.values()):
        return numpys
    if not any(p.kind is p.VAR_KEYWORD for p in parameters):
        return numpys
    kept = [p for p in parameters if p.kind is not p.VAR_KEYWORD]
    known = {p.name for p in kept}
    kept += [p for p in own.parameters.values() if p.name not in known and p.kind is p.KEYWORD_ONLY]
    return inspect.Signature(kept)


def qualified_name(function: Callable[..., Any]) -> str:
    """A function of NumPy's as users write it."""
    return f"{function.__module__.replace('numpy', 'np', 1)}.{function.__name__}"


@cache
def binding_of(function: Callable[..., Any], handler: Callable[..., Any]) -> Binding:
    """The binding of NumPy's function to what traces it."""
    return Binding(qualified_name(function), numpy_signature(function), handler)


def internal_error(name: str, error: Exception) -> CompileError:
    """Return what Python raised inside of mlirad, as a defect of mlirad's."""
    return CompileError(
        f"{name} failed inside of mlirad, {type(error).__name__}: {error}",
        location=user_line(),
        hint="this is a defect of mlirad: report it, and write the call in other words",
    )


def _known(value: Any) -> Any:
    """Return what holds traced values as lists and numbers that are known while tracing; `None` if some are
    not.
    """
    if isinstance(value, list | tuple):
        parts = [_known(part) for part in cast("Sequence[Any]", value)]
        return None if any(part is None for part in parts) else tuple(parts)
    if not isinstance(value, Array):
        return None if isinstance(value, Traced) else value
    from mlirad.frontend.tracing.known_values import known_value  # which most programs do without

    found = known_value(value)
    return None if found is None else found.tolist()
