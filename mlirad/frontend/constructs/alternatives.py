"""One of several objects, as a traced condition decides: strings, None, functions, and what holds values.

    kind = "laminar" if re < 2300 else "turbulent"      OneOf, number 0 or 1 of ("laminar", "turbulent")
    kind == "laminar"                                   a traced truth value: whether the number is 0
    best = None                                         OneOf, of None and of what holds traced values
    if x > 0:
        best = x
    if best is None: ...                                traced: a branch of the program

Each question about it is asked of each object, while the function is traced, and the number chooses among the
answers. Its values are used where the program has made sure that it is they: anything else raises there what
Python would raise.
"""

# pyright: reportPrivateUsage=false

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from types import FunctionType
from typing import Any, Final, NoReturn, TypeAlias, cast
from weakref import WeakValueDictionary

import numpy as np

from mlirad.errors import of_class
from mlirad.frontend.constructs.raising_later import raise_where
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.asked_class import asks_for_numpys
from mlirad.frontend.tracing.containers import Container, Opened, container_of, enter
from mlirad.frontend.tracing.frames import current_frame
from mlirad.frontend.tracing.open_traces import Chosen
from mlirad.frontend.tracing.operations import as_array, xp
from mlirad.frontend.tracing.pytree import flatten
from mlirad.frontend.tracing.raising import tracing_error
from mlirad.frontend.tracing.unfinished_texts import UnfinishedText, characters_of
from mlirad.jit.guards import cell_content

Question: TypeAlias = Callable[[Any], Any]


class Values:
    """The mark among the objects for values of the program."""

    def __repr__(self) -> str:
        return "an array or a number"


VALUES: Final = Values()


class Unset:
    """The mark among the objects for a variable that has not been assigned."""

    def __init__(self, name: str):
        self.name = name

    def __repr__(self) -> str:
        return f"{self.name} without a value"

    @property
    def error(self) -> UnboundLocalError:
        """The error that Python raises where the variable is read."""
        return UnboundLocalError(
            f"cannot access local variable '{self.name}' where it is not associated with a value"
        )


class Options:
    """The objects, in order, as a part of structures: equal objects are one `Options`."""

    CAPTURED = ()
    __slots__ = ("__weakref__", "objects")

    def __init__(self, objects: tuple[Any, ...]):
        self.objects = objects

    def __repr__(self) -> str:
        return " or ".join(map(repr, self.objects))

    def place_of(self, found: Any) -> int | None:
        """The number of an object; `None` if it is not among them."""
        return next((k for k, known in enumerate(self.objects) if is_same_option(known, found)), None)


def options_of(objects: Sequence[Any]) -> Options:
    """The `Options` of different objects."""
    key = tuple(map(_key, objects))
    known = _known.get(key)
    if known is None:
        known = _known[key] = Options(tuple(objects))
    return known


_known: WeakValueDictionary[tuple[Any, ...], Options] = WeakValueDictionary()


def _key(found: Any) -> Any:
    if isinstance(found, Unset):
        return Unset, found.name
    return (type(found), characters_of(found)) if isinstance(found, str | bytes) else id(found)


def is_same_option(one: Any, other: Any) -> bool:
    """Tell whether two objects are one, or hold the same and no values."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, str | bytes):
        return characters_of(one) == characters_of(other)
    if isinstance(one, Unset):
        return one.name == cast(Unset, other).name
    if isinstance(one, FunctionType):
        return _is_same_function(one, cast(FunctionType, other))
    if not isinstance(one, list | tuple | dict):
        return False
    leaves, tree = flatten(cast("object", one))
    others, other_tree = flatten(other)
    return not leaves and not others and tree == other_tree


def _is_same_function(one: FunctionType, other: FunctionType) -> bool:
    """Tell whether two functions are of one code, with the same defaults, and read the same objects."""
    (code, *parts), (other_code, *others) = map(_parts_of_function, (one, other))
    return code is other_code and all(
        len(left) == len(right) and all(map(operator.is_, left, right))
        for left, right in zip(parts, others, strict=True)
    )


def _parts_of_function(function: FunctionType) -> tuple[Any, ...]:
    held = tuple(cell_content(cell) for cell in function.__closure__ or ())
    return function.__code__, function.__defaults__ or (), held


class OneOf(Chosen):
    """One of `options`, that of the traced `number`; `value` holds the values among them, if any."""

    CAPTURED = ("number", "value")
    __slots__ = ("number", "options", "value")
    __array_priority__ = 2000

    def __init__(self, number: Any, options: Options, value: Any = None):
        self.number, self.options, self.value = number, options, value

    # Questions -----------------------------------------------------------------------------------

    def answers(self) -> Iterator[tuple[int, Any]]:
        """The numbers, each with its object or with the values."""
        for k, found in enumerate(self.options.objects):
            yield k, self.value if found is VALUES else found

    def asked(self, question: Question) -> Any:
        """Answer a question for the object that it is: with one answer, or one of the answers.

        An object that raises has no answer. If the program chooses it, the exception is raised there.
        """
        found: dict[int, Any] = {}
        errors: dict[int, Exception] = {}
        for k, option in self.answers():
            if isinstance(option, Unset):
                errors[k] = option.error
                continue
            try:
                found[k] = question(option)
            except (AttributeError, TypeError, LookupError) as error:
                errors[k] = error
        if not found:
            raise errors[0]
        for k, error in errors.items():
            raise_where(self._is(k), type(error)(*error.args))
        result = chosen(self.number, found)
        if isinstance(result, Array) and all(isinstance(x, bool) for x in found.values()):
            note_fact(result, self.number, found)
        return result

    def _is(self, k: int) -> Array:
        return cast(Array, xp.equal(self.number, k))

    def bound(self) -> Any:
        """The variable where it has a value; the program raises where it has none."""
        answers = dict(self.answers())
        unset = [k for k, found in answers.items() if isinstance(found, Unset)]
        if not unset:
            return self
        for k in unset:
            raise_where(self._is(k), cast(Unset, answers.pop(k)).error)
        places = dict(zip(answers, range(len(answers)), strict=True))
        if len(places) == 1:
            return next(iter(answers.values()))
        number = renumbered(self.number, dict.fromkeys(unset, 0) | places)
        return OneOf(number, options_of([self.options.objects[k] for k in places]), self.value)

    def only_values(self, what: str = "a number is wanted, and this is") -> Any:
        """The values. The program raises where it is something else."""
        place = self.options.place_of(VALUES)
        if place is None:
            self._refuse()
        others: list[Any] = []
        for k, found in enumerate(self.options.objects):
            if isinstance(found, Unset):
                raise_where(self._is(k), found.error)
            elif found is not VALUES:
                others.append(found)
        if not others:
            return self.value
        shown = " or ".join(of_class(found) if found is not None else "None" for found in others)
        raise_where(xp.not_equal(self.number, place), TypeError(f"{what} {shown}"))
        return self.value

    @staticmethod
    def settled_result(result: Any, name: str) -> Any:
        """The results of a compiled function, and the values of a `OneOf`; the program raises if it holds no
        values.

        Raises `TracingError` where it has none.
        """
        if type(result) is OneOf:
            if result.options.place_of(VALUES) is None:
                raise tracing_error(
                    f"{name} returns {result.options!r}, as a traced condition decides, and compiled "
                    "functions return arrays and numbers",
                    "return a number that says which one it is",
                )
            return result.only_values(f"{name} returns")
        container = container_of(cast("type[Any]", type(result)))
        if container is None:
            return result
        taken = container.open(result)
        parts = [OneOf.settled_result(part, name) for part in taken.parts]
        return container.make(cast("type[Any]", type(result)), replace(taken, parts=parts))

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise tracing_error(
            f"a traced condition decides which of {self.options!r} this is",
            "compare it, as in `kind == 'a'`, or let both branches compute arrays or numbers",
        )

    @property
    def __class__(self) -> type[Any]:  # type: ignore[override]
        """The class of all of them, for code that asks."""
        return self._class_for_others() if asks_for_numpys() else OneOf

    def _class_for_others(self) -> type[Any]:
        """The class of all of them; an error if they have several."""
        found = (found for _, found in self.answers() if not isinstance(found, Unset))
        kinds = {cast("type[Any]", x.__class__) for x in found}
        if len(kinds) != 1:
            self._refuse()
        return kinds.pop()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return self.asked(lambda found: getattr(found, name))

    def __eq__(self, other: object) -> Any:
        return self.asked(lambda found: found == other)

    def __ne__(self, other: object) -> Any:
        return self.asked(lambda found: found != other)

    def __getitem__(self, key: Any) -> Any:
        return self.asked(lambda found: found[key])

    def __setitem__(self, key: Any, value: Any) -> None:
        self.only_values()[key] = value

    def __call__(self, *args: Any, **options: Any) -> Any:
        return self.asked(lambda found: found(*args, **options))

    def __str__(self) -> str:
        return UnfinishedText(repr(self))

    def __format__(self, specification: str) -> str:
        return UnfinishedText(repr(self))

    def __repr__(self) -> str:
        return f"<{self.options!r}>"

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        return getattr(ufunc, method)(*map(values_of, inputs), **options)

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        return function(*map(values_of, args), **{name: values_of(found) for name, found in options.items()})

    __hash__ = __bool__ = __len__ = __iter__ = __contains__ = _refuse  # type: ignore[assignment]
    __float__ = __int__ = __index__ = __array__ = _refuse


def note_fact(flag: Array, number: Any, holds: dict[int, bool]) -> None:
    """Note for which numbers a condition holds."""
    current_frame().functions.facts[id(flag)] = (flag, number, holds)


def negated_fact(flag: Array, negated: Any) -> None:
    """Note the same of the opposite of a condition."""
    fact = current_frame().functions.facts.get(id(flag))
    if fact is not None and isinstance(negated, Array):
        note_fact(negated, fact[1], {k: not holds for k, holds in fact[2].items()})


def place_where(found: Any, condition: Any, *, holds: bool) -> int | None:
    """The number of a `OneOf` where a condition on it holds, or where it does not, if there is just one."""
    fact = current_frame().functions.facts.get(id(condition))
    if fact is None or type(found) is not OneOf or fact[1] is not found.number:
        return None
    places = [k for k, truth in fact[2].items() if truth is holds]
    return places[0] if len(places) == 1 else None


def _operating(function: Callable[..., Any], *, is_reflected: bool = False) -> Callable[..., Any]:
    def method(self: OneOf, *others: Any) -> Any:
        operands = (*map(values_of, others), self.only_values())
        return function(*operands) if is_reflected else function(*reversed(operands))

    return method


def _asking(function: Callable[..., Any]) -> Callable[..., Any]:
    """A comparison, which each of the objects answers."""

    def method(self: OneOf, other: Any) -> Any:
        return self.asked(lambda found: function(found, values_of(other)))

    return method


for _name in ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor"]:
    _function = getattr(operator, f"{_name}_" if _name in ("and", "or") else _name)
    setattr(OneOf, f"__{_name}__", _operating(_function))
    setattr(OneOf, f"__r{_name}__", _operating(_function, is_reflected=True))
    setattr(OneOf, f"__i{_name}__", _operating(getattr(operator, f"i{_name}")))
for _name in ["neg", "pos", "abs", "invert"]:
    setattr(OneOf, f"__{_name}__", _operating(getattr(operator, _name)))
for _name in ["lt", "le", "gt", "ge"]:
    setattr(OneOf, f"__{_name}__", _asking(getattr(operator, _name)))


def element_of(container: Sequence[Any], key: Array) -> Any:
    """An element of a list, a tuple or a text, at a traced position."""
    size = len(container)
    raise_where(
        xp.logical_or(xp.less(key, -size), xp.greater_equal(key, size)),
        IndexError(f"{type(container).__name__} index out of range"),
    )
    return chosen(xp.where(xp.less(key, 0), key + size, key), dict(enumerate(container)))


def values_of(found: Any) -> Any:
    """The holder of values, a `OneOf` for its own; lists and tuples by their parts."""
    if type(found) is OneOf:
        return found.only_values()
    if type(found) in (list, tuple):
        return type(found)(map(values_of, found))
    return found


def chosen(number: Any, answers: dict[int, Any]) -> Any:
    """One of several answers: the answer if all are the same, an array of numbers, a tuple of tuples of one
    length, else a `OneOf`.
    """
    found = list(answers.values())
    if all(is_same_answer(found[0], other) for other in found[1:]):
        return found[0]
    if all(isinstance(x, bool | np.bool_ | int | float | np.number | Array) for x in found):
        result = as_array(found[0])
        for k, answer in list(answers.items())[1:]:
            result = xp.where(xp.equal(number, k), answer, result)
        return result
    if all(type(x) is tuple for x in found) and len({len(x) for x in found}) == 1:
        parts = range(len(found[0]))
        return tuple(chosen(number, {n: answer[k] for n, answer in answers.items()}) for k in parts)
    if any(type(x) is OneOf or has_values(x) for x in found):
        raise tracing_error(
            "a traced condition decides which object this is, and what they answer differs in its structure",
            "let both branches compute arrays or numbers",
        )
    objects: list[Any] = []
    places: dict[int, int] = {}
    for k, answer in answers.items():
        place = next((j for j, known in enumerate(objects) if is_same_option(known, answer)), None)
        if place is None:
            place = len(objects)
            objects.append(answer)
        places[k] = place
    return OneOf(renumbered(number, places), options_of(objects))


def renumbered(number: Any, places: dict[int, int]) -> Any:
    """The number under which others have an object."""
    table = np.zeros(max(places) + 1, np.int64)
    for k, place in places.items():
        table[k] = place
    return xp.take(table, number)


def is_same_answer(one: Any, other: Any) -> bool:
    """Tell whether two answers are one."""
    if isinstance(one, Array) or isinstance(other, Array):
        return one is other
    if isinstance(one, bool | int | float) or np.isscalar(one):
        return type(one) is type(other) and bool(one == other)
    return is_same_option(one, other)


def has_values(found: Any) -> bool:
    """Tell whether a container holds numbers or arrays."""
    return any(isinstance(leaf, Array | int | float | np.generic | np.ndarray) for leaf in flatten(found)[0])


class _Parts(Container):
    """A `OneOf` as structure: number and values are parts."""

    static_names = ("options",)

    def open(self, value: Any) -> Opened:
        return Opened(("number", "value"), [value.number, value.value], (value.options,))

    def make(self, kind: type[Any], opened: Opened) -> Any:
        return OneOf(opened.parts[0], cast(Options, opened.static[0]), opened.parts[1])


enter(OneOf, _Parts())
