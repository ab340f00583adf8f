"""`ad.register`: classes whose values are structures of arrays.

@ad.register(static=("name",))
class Layer: ...                            ad.grad(loss)(layer) is a Layer
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast, overload

from mlirad.errors import of_class, with_article
from mlirad.frontend.tracing.argument_kinds import checked_list
from mlirad.frontend.tracing.containers import (
    Attributes,
    ByFunctions,
    Container,
    Fields,
    container_of,
    enter,
)
from mlirad.frontend.tracing.raising import argument_error
from mlirad.frontend.tracing.tracebacks import plain_errors

K = TypeVar("K", bound="type[Any]")


@overload
def register(
    kind: K, *, fields: Sequence[str] | str | None = None, static: Sequence[str] | str = (),
    flatten: Callable[[Any], tuple[Sequence[Any], Any]] | None = None,
    unflatten: Callable[[Any, Sequence[Any]], Any] | None = None,
) -> K: ...  # fmt: skip


@overload
def register(
    *, fields: Sequence[str] | str | None = None, static: Sequence[str] | str = (),
    flatten: Callable[[Any], tuple[Sequence[Any], Any]] | None = None,
    unflatten: Callable[[Any, Sequence[Any]], Any] | None = None,
) -> Callable[[K], K]: ...  # fmt: skip


@plain_errors
def register(
    kind: Any = None, *, fields: Sequence[str] | str | None = None, static: Sequence[str] | str = (),
    flatten: Callable[[Any], tuple[Sequence[Any], Any]] | None = None,
    unflatten: Callable[[Any, Sequence[Any]], Any] | None = None,
) -> Any:  # fmt: skip
    """Have values of a class be structure: arguments, results and carries with parts, as dictionaries are.

    The parts are the attributes called `fields`, by default all that a value has, and of a dataclass its
    fields. Those called `static` are part of the structure: a program is compiled for each of their values,
    which must not change in place. Values are made of parts without `__init__`.

    Instead, `flatten(value)` may return a tuple of parts and a static value, from which `unflatten(static,
    parts)` makes the value again; parts can be anything then.

    Returns the class, so that it can be used as a decorator, with options or without. Classes derived from a
    registered one are structure by the same rule only if this names neither `fields` nor functions. Raises
    `ArgumentError` for what is not a class, or not a name.

        >>> @ad.register(static="power")
        ... class Curve:
        ...     def __init__(self, scale, power):
        ...         self.scale, self.power = scale, power
        ...     def __call__(self, x):
        ...         return self.scale * x**self.power
        >>> gradient = ad.grad(lambda curve, x: curve(x))(Curve(2.0, 3), 2.0)
        >>> type(gradient).__name__, gradient.scale, gradient.power
        ('Curve', np.float64(8.0), 3)
    """
    if kind is None:
        return functools.partial(register, fields=fields, static=static, flatten=flatten, unflatten=unflatten)
    if not isinstance(kind, type):
        raise argument_error(
            f"ad.register takes a class, got {of_class(kind)}",
            "write @ad.register above the class",
        )
    if issubclass(kind, int | float | complex | str | bytes):
        raise argument_error(
            f"{with_article(kind.__name__)} is a number or a string, and has no parts",
            "register a class that has the number as an attribute",
        )
    known = cast("type[Any]", kind)
    enter(known, _container(known, fields, static, flatten, unflatten))
    return known


def _container(
    kind: type[Any],
    fields: Sequence[str] | str | None,
    static: Sequence[str] | str,
    flatten: Callable[[Any], tuple[Sequence[Any], Any]] | None,
    unflatten: Callable[[Any, Sequence[Any]], Any] | None,
) -> Container:
    if flatten is not None and unflatten is not None:
        return ByFunctions(flatten, unflatten)
    if flatten is not None or unflatten is not None:
        raise argument_error(
            "flatten and unflatten of ad.register come together", "write both, or name fields and static"
        )
    fixed = _names(static, "static")
    known = container_of(kind) if fields is None else Fields(_names(fields, "fields"), fixed)
    if type(known) is not Fields:
        return Attributes(fixed)
    fixed = tuple(dict.fromkeys((*known.static_names, *fixed)))
    return Fields([name for name in known.names if name not in fixed], fixed)


def _names(given: Sequence[str] | str, what: str) -> tuple[str, ...]:
    hint = f'write {what}=("name", "other")'
    names = checked_list([given] if isinstance(given, str) else given, f"{what} of ad.register", hint)
    for name in names:
        if not isinstance(cast(object, name), str):
            raise argument_error(f"{what} of ad.register has {name!r}, which is not a name", hint)
    return tuple(names)
