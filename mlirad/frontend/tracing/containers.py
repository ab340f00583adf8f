"""The container classes of pytrees: how they are taken apart and put together.

    container_of(dict).open({"b": 1.0, "a": 2.0})       names ('a', 'b'), parts [2.0, 1.0]
    enter(Layer, Attributes(static=("n",)))            attributes of `Layer` are parts, except `n`

Dictionaries, tuples, lists, dataclasses, classes made by attrs, and what `ad.register` entered. Values are
made of parts without `__init__`, and without `__new__` of a tuple or list, as these would compute with the
parts, or take others. So the attributes of values of derived classes are parts as well, or static.
"""

from __future__ import annotations

import weakref
from abc import ABC, abstractmethod
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, Final, NamedTuple, cast

from mlirad.errors import of_class
from mlirad.frontend.tracing.captured_objects import slots_of
from mlirad.frontend.tracing.raising import argument_error
from mlirad.lazy_dataclass import dataclass


@dataclass(frozen=True)
class Opened:
    """A container taken apart: the names of its parts if they have any, the parts, and what is static.

    `order` is the order of the keys of a dictionary, whose names are sorted.
    """

    names: tuple[Hashable, ...]
    parts: Sequence[object]
    static: tuple[object, ...] = ()
    order: tuple[Hashable, ...] = ()


class Attribute(NamedTuple):
    """The name of an attribute of a dictionary, tuple or list of a derived class."""

    attribute: str

    def __str__(self) -> str:
        return self.attribute

    def __repr__(self) -> str:
        return f".{self.attribute}"


_ITSELF: Final = Attribute("__dict__")
"""The name of what says that the attributes of a dictionary are its entries: `self.__dict__ = self`."""


class Container(ABC):
    """A class whose values are taken apart into leaves, and made of them."""

    static_names: tuple[str, ...] = ()
    """The names of static values, for messages."""

    @abstractmethod
    def open(self, value: Any) -> Opened:
        """The parts of a value."""

    @abstractmethod
    def make(self, kind: type[Any], opened: Opened) -> Any:
        """A value of parts. They may be anything."""

    def step(self, name: Hashable) -> str:
        """Return how code reaches a part that has a name."""
        return f".{name}"

    def differences(self, found: tuple[object, ...], expected: tuple[object, ...]) -> str:
        """Return what is said of a value that has other static values than expected."""
        return f"has static fields {found}, and {expected} are expected"


class Entries(Container):
    """Those of dictionaries, and of classes derived from `dict`."""

    def open(self, value: Any) -> Opened:
        keys = tuple(_sorted(list(value)))
        static = (value.default_factory,) if issubclass(type(value), defaultdict) else ()
        return _with_attributes(value, Opened(keys, [value[key] for key in keys], static, tuple(value)))

    def make(self, kind: type[Any], opened: Opened) -> Any:
        by_name = dict(zip(opened.names, opened.parts, strict=True))
        entries = {name: by_name[name] for name in opened.order}
        if kind is dict:
            return entries
        new: Callable[..., Any] = cast(Any, kind).__new__
        made = new(kind)
        if issubclass(kind, defaultdict):
            made.default_factory = opened.static[0]
        base: Any = OrderedDict if issubclass(kind, OrderedDict) else dict
        put: Callable[[Any, Hashable, object], None] = base.__setitem__
        for name, part in entries.items():
            put(made, name, part)
        return _attributed(made, opened)

    def step(self, name: Hashable) -> str:
        return repr(name) if type(name) is Attribute else f"[{name!r}]"


class Items(Container):
    """Those of tuples and lists, and of named tuples."""

    def open(self, value: Any) -> Opened:
        if type(value) in (tuple, list):
            return Opened((), list(value))
        return _with_attributes(value, Opened(tuple(getattr(value, "_fields", ())), list(value)))

    def make(self, kind: type[Any], opened: Opened) -> Any:
        if kind is tuple:
            return tuple(opened.parts)
        if kind is list:
            return list(opened.parts)
        count = sum(type(name) is not Attribute for name in opened.names) or len(opened.parts)
        items = opened.parts[:count] if opened.names else opened.parts
        if issubclass(kind, tuple):
            of_tuple: Callable[..., Any] = cast(Any, tuple).__new__
            made = of_tuple(kind, items)
        else:
            of_list: Callable[..., Any] = list.__new__
            made = of_list(kind)
            cast(Any, list).extend(made, items)
        return _attributed(made, opened)

    def step(self, name: Hashable) -> str:
        if isinstance(name, int):
            return f"[{name}]"
        return f".{name}"


def _with_attributes(value: Any, opened: Opened) -> Opened:
    """A container taken apart, with the attributes that its object has."""
    held = cast("dict[str, Any]", getattr(value, "__dict__", None))
    if not held:
        return opened
    names: list[Hashable] = [*(opened.names or range(len(opened.parts)))]
    parts, static = [*opened.parts], [*opened.static]
    if held is value:
        static += [_ITSELF, None]
    else:
        for name, part in sorted(held.items()):
            if _can_be_part(part):
                names.append(Attribute(name))
                parts.append(part)
            else:
                static += [Attribute(name), part]
    return Opened(tuple(names), parts, tuple(static), opened.order)


def _attributed(made: Any, opened: Opened) -> Any:
    """A container with its attributes."""
    held = {
        name.attribute: value
        for name, value in (*zip(opened.names, opened.parts), *zip(opened.static, opened.static[1:]))  # noqa: B905
        if type(name) is Attribute
    }
    if held.pop(_ITSELF.attribute, held) is None:
        made.__dict__ = made
    if held:
        made.__dict__.update(held)
    return made


def _can_be_part(value: object) -> bool:
    """Return whether an attribute is a number, an array or a container, and not an object of another kind."""
    kind = cast("type[Any]", type(value))
    return (
        value is None
        or isinstance(value, int | float | complex)
        or container_of(kind) is not None
        or (hasattr(kind, "dtype") and hasattr(kind, "shape"))
    )


def _attribute(value: Any, name: str) -> Any:
    try:
        return getattr(value, name)
    except AttributeError as error:
        raise argument_error(
            f"{of_class(value)} has no attribute {name!r}, which its class has as a field",
            "name the fields that its objects have, and set each in __init__",
        ) from error


class Fields(Container):
    """Attributes that the class has a list of, as a dataclass does."""

    def __init__(self, names: Sequence[str], static: Sequence[str]):
        self.names = tuple(names)
        self.static_names = tuple(static)

    def open(self, value: Any) -> Opened:
        parts = [_attribute(value, name) for name in self.names]
        return Opened(self.names, parts, tuple(_attribute(value, name) for name in self.static_names))

    def make(self, kind: type[Any], opened: Opened) -> Any:
        made = object.__new__(kind)
        for name, part in zip(opened.names, opened.parts, strict=True):
            object.__setattr__(made, cast(str, name), part)
        for name, value in zip(self.static_names, opened.static, strict=True):
            object.__setattr__(made, name, value)
        return made


class Attributes(Fields):
    """The attributes that a value has, in the order of their names."""

    def __init__(self, static: Sequence[str]):
        super().__init__((), static)

    def open(self, value: Any) -> Opened:
        names = {*getattr(value, "__dict__", ()), *slots_of(cast(Any, type(value)))} - {*self.static_names}
        parts = {name: getattr(value, name) for name in sorted(names) if hasattr(value, name)}
        missing = [name for name in self.static_names if not hasattr(value, name)]
        if missing:
            raise argument_error(
                f"{of_class(value)} has no attribute {missing[0]!r}, which is registered as static",
                "name attributes that every value has in ad.register(static=['name'])",
            )
        return Opened(tuple(parts), list(parts.values()), tuple(getattr(value, n) for n in self.static_names))


class ByFunctions(Container):
    """A container by two functions of the user's."""

    static_names = ("what flatten gives",)

    def __init__(
        self,
        flatten: Callable[[Any], tuple[Sequence[Any], Any]],
        unflatten: Callable[[Any, Sequence[Any]], Any],
    ):
        self._flatten = flatten
        self._unflatten = unflatten

    def open(self, value: Any) -> Opened:
        found = cast(object, self._flatten(value))
        pair = cast("tuple[Any, ...]", found) if isinstance(found, tuple) else ()
        if len(pair) != 2 or not isinstance(pair[0], tuple | list):
            raise argument_error(
                f"flatten of {type(value).__name__} must return the parts and what is static",
                "return ((self.w, self.b), None)",
            )
        return Opened((), list(cast("Sequence[Any]", pair[0])), (pair[1],))

    def make(self, kind: type[Any], opened: Opened) -> Any:
        return self._unflatten(opened.static[0], tuple(opened.parts))


def container_of(kind: type[Any]) -> Container | None:
    """Return how values of a class are taken apart; `None` where they are not structures."""
    if kind in _containers:
        return _containers[kind]
    found = _container_of(kind)
    _containers[kind] = found
    return found


def _container_of(kind: type[Any]) -> Container | None:
    for base in kind.__mro__[1:]:
        inherited = _registered.get(base)
        if type(inherited) is Attributes:  # whose parts are those of the derived class, too
            return inherited
    for package, of_package in OF_PACKAGES.items():
        if kind.__module__.startswith(package):
            return of_package(kind)
    if issubclass(kind, dict):
        return _ENTRIES
    if issubclass(kind, tuple | list):
        return _ITEMS
    given: Any = kind
    if is_dataclass(given):
        known = {field.name: field.metadata for field in fields(given)}
    elif "__attrs_attrs__" in vars(kind):
        known = {field.name: field.metadata for field in given.__attrs_attrs__}
    else:
        return None
    static = [name for name, metadata in known.items() if metadata.get("static")]
    return Fields([name for name in known if name not in static], static)


OF_PACKAGES: Final[dict[str, Callable[[type[Any]], Container | None]]] = {}
"""The functions that take values of a package's classes apart, by the beginning of the module's name."""


class _Matrices:
    traced: Callable[[Any, Any], Any]
    """Makes a sparse matrix with traced values, of a matrix and these."""


_matrices = _Matrices()


def bind_matrices(traced: Callable[[Any, Any], Any]) -> None:
    """Say what makes sparse matrices with traced values; called once, when the package is imported."""
    _matrices.traced = traced


def traced_matrix(matrix: Any, values: Any) -> Any:
    """Make a sparse matrix with traced values at the positions of `matrix`."""
    return _matrices.traced(matrix, values)


_ENTRIES: Final = Entries()
_ITEMS: Final = Items()

_registered: weakref.WeakKeyDictionary[type[Any], Container] = weakref.WeakKeyDictionary()
_containers: weakref.WeakKeyDictionary[type[Any], Container | None] = weakref.WeakKeyDictionary()


def enter(kind: type[Any], container: Container) -> None:
    """Have values of a class be structure."""
    _registered[kind] = container
    _containers.clear()
    _containers.update(_registered)


def _sorted(keys: list[Hashable]) -> list[Hashable]:
    try:
        return sorted(keys)  # pyright: ignore[reportArgumentType, reportUnknownVariableType]
    except TypeError:
        return sorted(keys, key=lambda key: (type(key).__name__, repr(key)))
