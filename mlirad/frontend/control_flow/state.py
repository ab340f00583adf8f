"""The variables that a statement changes, and the values that they have around it.

    state.get()      {"y": 1.0, "k": UNSET}      state.put({"y": 2.0, "k": 3})

A variable that has no value in one way through the program, or different ones which are not arrays, has an
`Unknown` after it: using that is an error at the line of the use, which says why.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from types import FunctionType
from typing import Any, Final, NoReturn, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from mlirad.errors import UnsupportedError
from mlirad.frontend.constructs.alternatives import OneOf
from mlirad.frontend.constructs.loops import flag_of
from mlirad.frontend.control_flow.kept import KeptList
from mlirad.frontend.control_flow.places import Attribute
from mlirad.frontend.tracing import array
from mlirad.frontend.tracing.array import Array, copied, known_number
from mlirad.frontend.tracing.operations import as_array, xp
from mlirad.frontend.tracing.pytree import LEAF, LEAF_CLASSES, Tree, flatten
from mlirad.frontend.tracing.raising import tracing_error
from mlirad.frontend.tracing.source import user_place
from mlirad.frontend.tracing.unfinished_texts import characters_of
from mlirad.frontend.tracing.values import Higher
from mlirad.jit.guards import MISSING


class Mark:
    """A mark for the lack of a value."""

    def __init__(self, name: str):
        self._name = name

    def __repr__(self) -> str:
        return self._name


UNSET: Final = Mark("UNSET")
"""A variable that has not been assigned."""

NOTHING: Final = Mark("NOTHING")
"""The result of a function that has not returned yet."""


class Unknown(Mark):
    """The value of a variable that depends on which way the program went; any use of it is an error."""

    __array_priority__ = 2000
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, name: str, reason: str, hint: str):
        super().__init__(f"<{name} has no value>")
        self.message = f"{name} has no value here: {reason}"
        self.hint = hint

    def _used(self, *args: object, **options: object) -> NoReturn:
        raise tracing_error(self.message, self.hint)

    def __getattr__(self, name: str) -> NoReturn:
        self._used()

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _used
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = __matmul__ = _used
    __rmatmul__ = __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = __neg__ = __pos__ = _used
    __abs__ = __invert__ = __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = __bool__ = _used  # type: ignore[assignment]
    __len__ = __iter__ = __getitem__ = __setitem__ = __contains__ = __call__ = _used
    __float__ = __int__ = __index__ = __array__ = __array_ufunc__ = __array_function__ = _used


def value(read: Callable[[], Any]) -> Any:
    """The value of a variable, `UNSET` if it has none."""
    try:
        return read()
    except NameError:
        return UNSET


def bound(found: Any) -> Any:
    """The value of a variable; the program raises where it has none."""
    return found.bound() if type(found) is OneOf else found


def nothing() -> Mark:
    """Return what a function returns before it has returned."""
    return NOTHING


def checked(result: Any) -> Any:
    """Return what a `return` statement returns; raises at its line for a variable that has no value there."""
    for leaf in flatten(result)[0]:
        if isinstance(leaf, Unknown):
            raise tracing_error(leaf.message, leaf.hint)
    return result


def returned(result: Any) -> Any:
    """Return what a function returns at its end."""
    return None if result is NOTHING else result


def is_traced(condition: object) -> bool:
    """Return whether the truth of a value is known only when the program runs."""
    return isinstance(condition, Array)


def settled(condition: Any) -> Any:
    """A condition; of one of several objects its truth, of a list of kept elements whether it has any."""
    if type(condition) is KeptList:
        number = condition.number()
        return number > 0 if isinstance(number, int) else xp.any(condition.mask)
    return condition.asked(_truth) if type(condition) is OneOf else condition


def _truth(found: Any) -> Any:
    return flag_of(found, "a condition") if is_traced(found) else bool(found)


def truth_of(condition: Any, what: str) -> bool | None:
    """The truth of a condition, `None` if it is known only when the program runs."""
    if not is_traced(condition):
        return bool(condition)
    known = known_number(flag_of(condition, what))
    return None if known is None else bool(known)


class State:
    """The variables that a statement changes: `names`; those in `live` may be read after it.

    Those that it only writes elements of, `written`, are live, too, if they hold arrays or containers: these
    may have other names.
    Of the variables that it only reads, `reads`, it has those that hold an array or a container together with
    one that changes; of a statement that writes elements of what it assigns, `is_renaming`, all that hold
    one, as these may get another name in it. Both are known after `include`. It `carry`s `attributes`, too,
    by names as code has them, and `hold`s arrays without a name.
    """

    def __init__(
        self,
        names: tuple[str, ...],
        live: tuple[str, ...],
        written: tuple[str, ...],
        reads: tuple[str, ...],
        get: Callable[[], tuple[Any, ...]],
        put: FunctionType,
        refusals: tuple[tuple[int, str, str], ...],
        writes_attributes: bool,
        is_renaming: bool,
    ):
        self.names: tuple[str, ...] = names
        self.live: tuple[str, ...] = live
        self._written: tuple[str, ...] = written
        self._reads: tuple[str, ...] = reads
        self._included: dict[str, Any] = {}
        self._get, self._put = get, put
        self._cells = dict(zip(put.__code__.co_freevars, put.__closure__ or (), strict=True))
        self._refusals, self._writes_attributes = refusals, writes_attributes
        self.code = put.__code__
        """The code that identifies the statement."""
        self.attributes: dict[str, Attribute] = {}
        self._is_renaming = is_renaming

    @property
    def cells(self) -> frozenset[int]:
        """Return where the variables are, by identity."""
        return frozenset(id(cell) for name, cell in self._cells.items() if name in self.names)

    def get(self) -> dict[str, Any]:
        """The values."""
        return dict(zip(self.names, self._get(), strict=False))

    def put(self, values: Mapping[str, Any]) -> None:
        """Assign values; variables without one are unset, except for attributes and those only read."""
        now = self._get()
        reads = now[len(self.names) :]
        kept = {name: held for name, held in zip(self.names, now, strict=False) if name in self.attributes}
        kept |= self._included
        changed = (values.get(name, kept.get(name, UNSET)) for name in self.names)
        self._put((*changed, *(values.get(n, v) for n, v in zip(self._reads, reads, strict=True))))

    def include(self, objects_of: Callable[[Mapping[str, Any]], Set[int]]) -> None:
        """Find out which of the variables besides the live ones matter, from what they hold."""
        found = self._get()
        values = dict(zip((*self.names, *self._reads), found, strict=True))
        held = {name: objects_of({name: value}) for name, value in values.items()}
        self.live = (*self.live, *(name for name in self._written if held[name]))
        self._written = ()
        changing = frozenset[int]().union(*(held[name] for name in self.names))
        is_changing = {name: self._is_renaming or held[name] & changing for name in self._reads}
        shared = tuple(name for name in self._reads if held[name] and is_changing[name])
        if not shared:
            return
        self._included |= {name: values[name] for name in shared}
        get, put, before = self._get, self._put, (*self.names, *self._reads)
        self.names, self.live = (*self.names, *shared), (*self.live, *shared)
        self._reads = tuple(name for name in self._reads if name not in shared)
        now = (*self.names, *self._reads)

        def get_again() -> tuple[Any, ...]:
            values = dict(zip(before, get(), strict=True))
            return tuple(values[name] for name in now)

        def put_again(given: tuple[Any, ...]) -> None:
            values = dict(zip(now, given, strict=True))
            put(tuple(values[name] for name in before))

        self._get, self._put = get_again, put_again

    def carry(self, attributes: Sequence[Attribute]) -> None:
        """Have attributes of objects among the variables, read and written where they are."""
        known = {attribute.key for attribute in self.attributes.values()}
        found: dict[str, Attribute] = {}
        for attribute in attributes:
            if attribute.key not in known:
                name, k = attribute.shown, 1
                while name in found or name in self.names:
                    k += 1
                    name = f"{attribute.shown} ({k})"
                found[name] = attribute
        get, put, places = self._get, self._put, tuple(found.values())

        def get_all() -> tuple[Any, ...]:
            held = (place.read() for place in places)
            return *(UNSET if found is MISSING else found for found in held), *get()

        def put_all(values: tuple[Any, ...]) -> None:
            for place, value in zip(places, values, strict=False):
                place.write(MISSING if value is UNSET else value)
            put(values[len(places) :])

        self._get, self._put = get_all, put_all
        self.names, self.live = (*found, *self.names), (*found, *self.live)
        self.attributes |= found

    def hold(self, arrays: Mapping[str, Array]) -> None:
        """Have arrays among the variables that have parts here, and that no variable names."""
        held: dict[str, Any] = dict(arrays)
        get, put, names = self._get, self._put, tuple(held)

        def get_all() -> tuple[Any, ...]:
            return *held.values(), *get()

        def put_all(values: tuple[Any, ...]) -> None:
            held.update(zip(names, values, strict=False))
            put(values[len(names) :])

        self._get, self._put = get_all, put_all
        self.names, self.live = (*names, *self.names), (*names, *self.live)

    @property
    def refuses(self) -> bool:
        """Tell if a loop with a known number of iterations must be written out."""
        return bool(self._refusals) or self._writes_attributes

    def require_rewritable(self, what: str) -> None:
        """Raise if the statement does what cannot be done when its condition is traced."""
        if not self._refusals:
            return
        line, reason, hint = self._refusals[0]
        place = user_place()
        raise UnsupportedError(
            f"{what} with a traced condition cannot be rewritten: {reason}",
            location=None if place is None else f"{place[0]}:{line}",
            hint=hint,
        )


# Values ------------------------------------------------------------------------------------------


def is_missing(found: object) -> bool:
    """Return whether a variable has no value."""
    return isinstance(found, Mark)


def is_opaque(found: object) -> bool:
    """Return whether a value is not one of the program: a string, a function, a module, some object."""
    if type(found) in LEAF_CLASSES:
        return False
    leaves = flatten(found)[0]
    may_be_empty = found is None or isinstance(found, tuple | list | dict) or type(found) is KeptList
    return not (leaves or may_be_empty) or not (
        LEAF_CLASSES.issuperset(map(type, leaves)) or all(map(_is_leaf, leaves))
    )


def _is_leaf(leaf: object) -> bool:
    if isinstance(leaf, Array | Higher | bool | int | float | np.generic):
        return True
    return type(leaf) is np.ndarray and leaf.dtype.kind in "biuf"


def given_leaf(leaf: Any) -> Any:
    """A leaf as the body of a branch or loop gets it: of an array a copy, traced."""
    if isinstance(leaf, Array):
        return leaf if array.is_scalar(leaf) else copied(leaf)
    return as_array(cast("npt.NDArray[Any]", leaf)) if isinstance(leaf, np.ndarray) else leaf


Contents: TypeAlias = tuple[Tree, list[Any]]
"""The structure of a value, and what its leaves hold: of traced arrays their values in the program."""


def contents(found: Any) -> Contents:
    """Return what a value holds now, to be compared with what it holds later."""
    if is_missing(found) or is_opaque(found):
        return LEAF, [found]
    leaves, tree = flatten(found)
    return tree, [leaf.value if isinstance(leaf, Array) else leaf for leaf in leaves]


def is_written(held: Contents, after: Any) -> bool:
    """Return whether a value holds something else than it held."""
    tree, leaves = contents(after)
    return tree != held[0] or not all(map(is_same, held[1], leaves))


def is_scalar(found: object) -> bool:
    """Return whether a value is a number of Python or NumPy, known while tracing."""
    return isinstance(found, bool | int | float | np.generic)


def is_same(one: Any, other: Any) -> bool:
    """Return whether two values that are not traced are the same."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, str | bytes):
        return characters_of(one) == characters_of(other)
    return is_scalar(one) and bool(one == other)
