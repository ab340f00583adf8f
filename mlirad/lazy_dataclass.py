"""Dataclasses whose methods are made when they are first used.

    @dataclass(frozen=True)                  as of the standard library, with the same meaning
    class Point:
        x: float
        y: float = 0.0

The standard library writes the text of up to six methods and compiles each, which takes 0.2 to 0.4 ms per
class at import. A program uses a third of our classes, and of most of these nothing but `__init__`. Here a
method is compiled when it is first called, and those that are called seldom are not made of text. The fields
are those of the standard library, so `field`, `fields`, `replace` and `asdict` work.

At 291 classes the standard library's methods take a fifth of a first call that compiles.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Sequence
from dataclasses import MISSING, FrozenInstanceError
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast, dataclass_transform, overload

T = TypeVar("T")

if TYPE_CHECKING:
    Fields: TypeAlias = Sequence[dataclasses.Field[Any]]
    Method: TypeAlias = Callable[..., Any]


@overload
@dataclass_transform(field_specifiers=(dataclasses.field, dataclasses.Field))
def dataclass(class_: type[T], /) -> type[T]: ...


@overload
@dataclass_transform(field_specifiers=(dataclasses.field, dataclasses.Field))
def dataclass(
    *, frozen: bool = False, eq: bool = True, repr: bool = True, slots: bool = False
) -> Callable[[type[T]], type[T]]: ...


def dataclass(
    class_: type[Any] | None = None,
    /,
    *,
    frozen: bool = False,
    eq: bool = True,
    repr: bool = True,
    slots: bool = False,
) -> Any:
    """Make a class a dataclass, as `dataclasses.dataclass` does with these options.

    Equality is that of the tuples of fields, so an object equals itself though a field is NaN.
    """

    def made(class_: type[Any]) -> type[Any]:
        return _made(class_, frozen=frozen, eq=eq, has_repr=repr, slots=slots)

    return made if class_ is None else made(class_)


def _made(class_: type[Any], *, frozen: bool, eq: bool, has_repr: bool, slots: bool) -> type[Any]:
    """The class with its fields, by the standard library, and methods that are made when they are used."""
    if not class_.__doc__:
        class_.__doc__ = f"The dataclass {class_.__name__}."  # else the library inspects a signature
    # Frozen slots need methods for pickling, and a base that the library froze wants frozen classes.
    is_library_frozen = frozen and (slots or any(_is_library_frozen(base) for base in class_.__mro__))
    class_ = dataclasses.dataclass(
        init=False, repr=False, eq=False, frozen=is_library_frozen, slots=slots
    )(class_)  # fmt: skip
    fields = dataclasses.fields(class_)
    own = class_.__dict__
    if "__init__" not in own:
        _defer(class_, "__init__", lambda: _init(class_, fields, frozen=frozen))
    if has_repr and "__repr__" not in own:
        _defer(class_, "__repr__", lambda: _repr([f.name for f in fields if f.repr]))
    if eq:
        compared = [f.name for f in fields if f.compare]
        has_hash = own.get("__hash__") is not None
        if "__eq__" not in own:
            _defer(class_, "__eq__", lambda: _eq(class_, compared))
        if not has_hash and not frozen:
            cast("Any", class_).__hash__ = None
        elif not has_hash:
            hashed = [f.name for f in fields if (f.compare if f.hash is None else f.hash)]
            _defer(class_, "__hash__", lambda: _hash(class_, hashed))
    if frozen and not is_library_frozen:
        _freeze(class_, frozenset(f.name for f in fields))
    return class_


def _is_library_frozen(class_: type[Any]) -> bool:
    """Tell whether a class was frozen by the standard library, which its subclasses have to say they are."""
    parameters = class_.__dict__.get("__dataclass_params__")
    return parameters is not None and parameters.frozen


class _Deferred:
    """A method that is made, and put in the place of this, when it is looked up."""

    def __init__(self, class_: type[Any], name: str, make: Callable[[], Method]):
        self.class_ = class_
        self.name = name
        self.make = make

    def __get__(self, instance: object, owner: type[Any]) -> Any:
        class_, name = self.class_, self.name
        method = self.make()
        method.__module__ = class_.__module__
        method.__name__, method.__qualname__ = name, f"{class_.__qualname__}.{name}"
        if class_.__dict__.get(name) is self:
            setattr(class_, name, method)
        return method.__get__(instance, owner)


def _defer(class_: type[Any], name: str, make: Callable[[], Method]) -> None:
    setattr(class_, name, _Deferred(class_, name, make))


def _init(class_: type[Any], fields: Fields, *, frozen: bool) -> Method:
    """`__init__`, from its text: the one method that needs a signature of its own."""
    known: dict[str, Any] = {"_missing": MISSING, "_set": object.__setattr__}
    positional, by_name, body = ["self"], list[str](), list[str]()
    for f in fields:
        value, parameter = f.name, f.name
        if f.default_factory is not MISSING:
            known[f"_make_{f.name}"] = f.default_factory
            parameter = f"{f.name}=_missing"
            value = (
                f"_make_{f.name}() if {f.name} is _missing else {f.name}" if f.init else f"_make_{f.name}()"
            )
        elif f.default is not MISSING:
            known[f"_default_{f.name}"] = f.default
            parameter = f"{f.name}=_default_{f.name}"
            if not f.init:
                value = f"_default_{f.name}"
        elif not f.init:
            continue
        if f.init:
            (by_name if f.kw_only else positional).append(parameter)
        body.append(f"_set(self, {f.name!r}, {value})" if frozen else f"self.{f.name} = {value}")
    if hasattr(class_, "__post_init__"):
        body.append("self.__post_init__()")
    parameters = ", ".join([*positional, *(["*", *by_name] if by_name else [])])
    init = _compiled(class_, [f"def method({parameters}):", *(body or ["pass"])], **known)
    init.__annotations__ = {f.name: f.type for f in fields if f.init} | {"return": None}
    return init


def _compiled(class_: type[Any], lines: Sequence[str], **known: object) -> Method:
    """The method of these lines, in which the names of `known` mean what they do there.

    Its globals are those of the module of the class, by which frames tell whose code runs.
    """
    made: dict[str, Any] = {}
    text = "\n  ".join([f"def make({', '.join(known)}):\n {lines[0]}", *lines[1:]])
    exec(f"{text}\n return method", sys.modules[class_.__module__].__dict__, made)
    return made["make"](**known)


def _tuple_of(one: str, names: Sequence[str]) -> str:
    """The text of the tuple of some fields of an object."""
    return f"({''.join(f'{one}.{name}, ' for name in names)})"


def _repr(names: Sequence[str]) -> Method:
    def __repr__(self: Any) -> str:
        stated = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__qualname__}({stated})"

    return recursive_repr()(__repr__)


def _eq(class_: type[Any], names: Sequence[str]) -> Method:
    return _compiled(
        class_,
        [
            "def method(self, other):",
            "if other.__class__ is self.__class__:",
            f"  return {_tuple_of('self', names)} == {_tuple_of('other', names)}",
            "return NotImplemented",
        ],
    )


def _hash(class_: type[Any], names: Sequence[str]) -> Method:
    return _compiled(class_, ["def method(self):", f"return hash({_tuple_of('self', names)})"])


def _freeze(class_: type[Any], names: frozenset[str]) -> None:
    """Refuse to set and to delete the fields of a class, and any attribute of what is not a subclass."""

    def __setattr__(self: Any, name: str, value: object) -> None:
        if type(self) is class_ or name in names:
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        super(class_, self).__setattr__(name, value)

    def __delattr__(self: Any, name: str) -> None:
        if type(self) is class_ or name in names:
            raise FrozenInstanceError(f"cannot delete field {name!r}")
        super(class_, self).__delattr__(name)

    for method in (__setattr__, __delattr__):
        if method.__name__ in class_.__dict__:
            raise TypeError(f"the frozen class {class_.__name__} has its own {method.__name__}")
        setattr(class_, method.__name__, method)
