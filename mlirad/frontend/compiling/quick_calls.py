"""Quick calls: what takes the calls of a signature from its second call on.

Where all arguments are passed by position, and are arrays or scalars, that is machine code, which compares
them with what the program reads (`jit/entry.py`). Where arguments or results have structure, or are passed by
name, it stands behind Python code made for the structure. So f({"w": w, "b": b}, 2.0), which returns
{"w": u, "b": v}, is called by

    def call(*given):
        if not (len(given) == 2): return otherwise(*given)
        v0, v1, = given
        if not (type(v0) is k0 and len(v0) == 2): return otherwise(*given)        k0 is dict
        v2 = v0.get('b', MISSED)
        v3 = v0.get('w', MISSED)
        r = entry(v2, v3, v1)
        if not (r is not MISSED): return otherwise(*given)
        return {'w': r[1], 'b': r[0]}

It takes a microsecond where flattening, looking up and unflattening take a hundred. Signatures that take
turns have a quick call each, and each asks the next one.

Pytrees are taken apart by code made for them. A library such as optree flattens in C, but its result is then
looked up, compared and, for results, put together again. Code for one pytree, which reads its leaves by name,
takes a microsecond for all of it, also for a registered class: a dependency would gain nothing.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final, TypeAlias, cast

import numpy as np

from mlirad.frontend.compiling.arguments import OUT, is_plain
from mlirad.frontend.compiling.programs import Program
from mlirad.frontend.tracing.captured_objects import slots_of
from mlirad.frontend.tracing.captures import Captures, classes_guards, values_guards
from mlirad.frontend.tracing.containers import Attributes, ByFunctions, Container, Fields, Opened
from mlirad.frontend.tracing.pytree import LEAF, Tree
from mlirad.frontend.tracing.statics import Static, is_static
from mlirad.frontend.tracing.value_keys import value_key
from mlirad.jit.entry import Call, Given
from mlirad.jit.guards import Guards
from mlirad.lazy_dataclass import dataclass

Quick: TypeAlias = Callable[..., object]

MOST_SIGNATURES: Final = 8
"""The number of signatures of a function that have a quick call; each is asked before the dispatch is."""

_MISSED: Final = object()
"""The result of machine code for arguments that it was not made for."""

_SIMPLE: Final = (str, int, bool, type(None))
"""Types of static values that can be compared by `==`."""


@dataclass(frozen=True)
class Form:
    """The form of a call: its arguments by position, then those by name.

    `moving` says of each argument of the program, and `static` of each static one, its position or name.
    """

    positions: int
    names: int
    moving: tuple[int | str, ...]
    static: tuple[tuple[int | str, object], ...] = ()
    has_out: bool = False


def form_of(
    function: Callable[..., Any],
    static: Sequence[str],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    *,
    has_out: bool = False,
) -> Form | None:
    """Return how a call passes its arguments, besides `out`.

    None where several go to one parameter together, and where a static one cannot be compared by `==`: NaN is
    not equal to itself, and 0.0 is to -0.0.
    """
    positions, names = len(args), len(kwargs) + has_out
    if not kwargs and not static:
        return Form(positions, names, tuple(range(positions)), has_out=has_out)
    signature = inspect.signature(function)
    bound = signature.bind(*args, **kwargs).arguments
    kinds = [signature.parameters[name].kind for name in bound]
    if any(kind in (kind.VAR_POSITIONAL, kind.VAR_KEYWORD) for kind in kinds):
        return None
    sources = [name if name in kwargs else k for k, name in enumerate(bound)]
    passed = list(zip(bound.items(), sources, strict=True))
    moving = tuple(source for (name, _), source in passed if name not in static)
    fixed = tuple((source, value) for (name, value), source in passed if name in static)
    if any(type(value) not in _SIMPLE for _, value in fixed):
        return None
    return Form(positions, names, moving, fixed, has_out)


@dataclass(frozen=True)
class _Entered:
    """Calls that are taken quickly while the function reads the same from outside, and what takes them."""

    captures: Captures
    places: frozenset[Hashable] = frozenset()
    call: Quick | None = None


class QuickCalls:
    """The quick calls of one function, the latest first. `dispatch` takes what none of them does.

    Threads share it without a lock: each replaces the whole by one assignment. If two enter calls together,
    one may be lost, and is entered again by a later call.
    """

    def __init__(self, dispatch: Callable[..., object]):
        self._dispatch = dispatch
        self.call: Quick | None = None
        self._entered: _Entered | None = None

    def enter(
        self, key: Hashable, program: Program, form: Form, leaves: Sequence[Any], captures: Captures
    ) -> None:
        """Have a quick call of the program take calls like one with these leaves, for as long as the function
        reads the same from outside.
        """
        given = [_given(leaf) for leaf in leaves]
        place = (key, form, tuple(given))
        entered = self._entered
        if entered is None or entered.captures is not captures or entered.call is not self.call:
            entered = _Entered(captures)
        if place in entered.places or len(entered.places) >= MOST_SIGNATURES:
            return
        call = entered.call
        if None not in given:
            otherwise = call or self._dispatch
            made = _quick_call(program, form, cast("list[Given]", given), Call(otherwise, captures.guards))
            call = made or call
        self._entered = _Entered(captures, entered.places | {place}, call)
        self.call = call


def _given(leaf: Any) -> Given | None:
    """Return what a leaf is to the machine code; None for what it does not know."""
    if not is_plain(leaf):
        return None
    if isinstance(leaf, np.ndarray | np.generic):
        return Given(cast("np.dtype[Any]", leaf.dtype))
    return Given(np.dtype(cast("type[Any]", type(leaf))), weak=True)


def _quick_call(program: Program, form: Form, given: Sequence[Given], call: Call) -> Quick | None:
    """Return how calls of a form are made quickly; None where a part could not be told from one of another
    signature in a few instructions, or where results replace what they are made of.
    """
    native, result = program.native, program.result
    if native is None or (form.has_out and native.program.updates):
        return None
    by_position = form.moving == tuple(range(form.positions)) and not form.names and not form.static
    is_flat = result == LEAF or (result.kind is tuple and result.size > 1 and _is_flat(result))
    if by_position and is_flat and _is_flat(program.tree):
        return native.entry_for(replace(call, given=given))
    try:
        text = _Text(program, form)
    except _NotQuickError:
        return None
    guards = Guards.together([call.guards, *classes_guards(text.kinds), *values_guards(text.functions)])
    return text.call(call.otherwise, native.entry_for(Call(_missed, guards, given, form.has_out)))


def _is_flat(tree: Tree) -> bool:
    return all(child == LEAF for child in tree.children)


class _NotQuickError(Exception):
    """A structure for which no code is made."""


class _Text:
    """The code for one signature, and the objects that it names."""

    def __init__(self, program: Program, form: Form):
        self.kinds = list(program.tree.kinds())
        self.functions: list[object] = []
        self._names: dict[str, object] = {
            "MISSED": _MISSED, "Opened": Opened, "new": object.__new__, "put": object.__setattr__,
        }  # fmt: skip
        self._given = "*given, **named" if form.names else "*given"
        self._lines = [f"def call({self._given}):"]
        self._values = 0
        self._leaves: list[str] = []
        by_name = f" and len(named) == {form.names}" if form.names else ""
        self._require(f"len(given) == {form.positions}{by_name}")
        arguments = [self._value() for _ in range(form.positions)]
        if arguments:
            self._lines.append(f" {', '.join(arguments)}, = given")
        for source, value in form.static:
            self._fixed(self._passed(source, arguments), value)
        for child, source in zip(program.tree.children, form.moving, strict=True):
            self._open(child, self._passed(source, arguments))
        out = None
        if form.has_out:
            out = self._passed(OUT, arguments)
            self._open(program.result, out)
        self._lines.append(f" r = entry({', '.join(self._leaves)})")
        self._require("r is not MISSED")
        size = program.result.size
        parts = ["r"] if size == 1 else [f"r[{k}]" for k in range(size)]
        made = out or self._made(program.result, iter(parts))
        self._lines.append(f" return {made}")

    def call(self, otherwise: Callable[..., object], entry: Callable[..., object]) -> Quick:
        """The call, given what it calls."""
        code = compile("\n".join(self._lines), f"{__file__}<call>", "exec")
        names: dict[str, Any] = {**self._names, "entry": entry, "otherwise": otherwise}
        exec(code, names)
        return names["call"]

    def _passed(self, source: int | str, arguments: Sequence[str]) -> str:
        """The variable of an argument that is passed by position or by name."""
        if isinstance(source, int):
            return arguments[source]
        return self._value(f"named.get({source!r}, MISSED)")

    def _fixed(self, name: str, value: object) -> None:
        """Check that a variable has a static value."""
        if type(value) in _SIMPLE:
            self._require(f"type({name}) is {self._name(type(value))} and {name} == {value!r}")
        elif is_static(value):
            if value_key(value) is None:
                self.functions.append(value)
            self._require(f"{name} is {self._name(value)}")
        else:
            raise _NotQuickError

    def _require(self, condition: str) -> None:
        self._lines.append(f" if not ({condition}): return otherwise({self._given})")

    def _value(self, text: str | None = None) -> str:
        """A new variable, with a value where there is one."""
        name = f"v{self._values}"
        self._values += 1
        if text is not None:
            self._lines.append(f" {name} = {text}")
        return name

    def _name(self, value: object) -> str:
        """The name of an object in the code."""
        name = f"k{len(self._names)}"
        self._names[name] = value
        return name

    # Arguments -----------------------------------------------------------------------------------

    def _open(self, tree: Tree, name: str) -> None:
        """Check that the value of a variable has a structure, and put its leaves into variables."""
        if tree.kind is None:
            self._leaves.append(name)
        elif tree.kind is type(None):
            self._require(f"{name} is None")
        elif tree.kind is Static:
            self._fixed(name, tree.static[0])
        else:
            self._require(f"type({name}) is {self._name(tree.kind)}")
            for child, part in zip(tree.children, self._parts(tree, name), strict=True):
                self._open(child, part)

    def _parts(self, tree: Tree, name: str) -> list[str]:
        """Variables for the parts of a container that a variable holds; checks what is static in it."""
        container, count = tree.container, len(tree.children)
        if isinstance(container, ByFunctions):
            opened = self._value(f"{self._name(container.open)}({name})")
            self._require(f"len({opened}.parts) == {count}")
            self._fixed(self._value(f"{opened}.static[0]"), tree.static[0])
            return [self._value(f"{opened}.parts[{k}]") for k in range(count)]
        if isinstance(container, Attributes):
            if hasattr(tree.kind, "__dict__") and getattr(tree.kind, "__dictoffset__", 0):
                listed = set(tree.names) | set(container.static_names)
                slots = len(listed & slots_of(cast("type[Any]", tree.kind)))
                self._require(f"len({name}.__dict__) == {len(listed) - slots}")
            static = [self._value(f"getattr({name}, {n!r}, MISSED)") for n in container.static_names]
            parts = [self._value(f"getattr({name}, {n!r}, MISSED)") for n in tree.names]
        elif isinstance(container, Fields):
            static = [self._value(f"{name}.{n}") for n in container.static_names]
            parts = [self._value(f"{name}.{n}") for n in tree.names]
        else:
            self._require(f"len({name}) == {count}")
            static = [self._value(f"{name}.default_factory") for _ in tree.static]
            parts = [self._value(f"{name}.get({_key(n)}, MISSED)") for n in tree.names if tree.is_dict]
            parts = parts or [self._value(f"{name}[{k}]") for k in range(count)]
        for variable, value in zip(static, tree.static, strict=True):
            self._fixed(variable, value)
        return parts

    # Results -------------------------------------------------------------------------------------

    def _made(self, tree: Tree, leaves: Iterator[str]) -> str:
        """An expression for a structure of leaves."""
        if tree.kind is None:
            return next(leaves)
        if tree.kind is type(None):
            return "None"
        if tree.kind is Static:
            return self._name(tree.static[0])
        parts = [self._made(child, leaves) for child in tree.children]
        values = ", ".join(parts)
        if tree.kind is dict:
            by_name = dict(zip(tree.names, parts, strict=True))
            return f"{{{', '.join(f'{_key(name)}: {by_name[name]}' for name in tree.order)}}}"
        if tree.kind is tuple:
            return f"({values},)" if parts else "()"
        if tree.kind is list:
            return f"[{values}]"
        container = cast("Container", tree.container)
        kind = self._name(tree.kind)
        if isinstance(container, Fields):
            made = self._value(f"new({kind})")
            held = [*zip(tree.names, parts, strict=True)]
            held += [(n, self._name(v)) for n, v in zip(container.static_names, tree.static, strict=True)]
            self._lines += [f" put({made}, {name!r}, {part})" for name, part in held]
            return made
        names, static, order = map(self._name, (tree.names, tree.static, tree.order))
        return f"{self._name(container.make)}({kind}, Opened({names}, [{values}], {static}, {order}))"


def _key(name: Hashable) -> str:
    if type(name) is not str:
        raise _NotQuickError
    return repr(name)


def _missed(*_: object) -> object:
    """Return what the machine code calls for arguments that it was not made for."""
    return _MISSED
