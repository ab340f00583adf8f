"""Quick calls of programs whose arguments or results have structure: Python code made for one structure.

f({"w": w, "b": b}, 2.0), which returns {"w": u, "b": v}, is called by

    def call(*given):
        if not (len(given) == 2): return otherwise(*given)
        v0, v1, = given
        if not (type(v0) is k0 and len(v0) == 2): return otherwise(*given)        k0 is dict
        v2 = v0.get('b', MISSED)
        v3 = v0.get('w', MISSED)
        if not (type(v1) is float): return otherwise(*given)
        r = entry(v2, v3, v1)
        if not (r is not MISSED): return otherwise(*given)
        return {'w': r[1], 'b': r[0]}

where `entry` is the machine code that compares arrays with what the program reads. It takes a microsecond
where flattening, looking up and unflattening take a hundred.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, Final, cast

from mlirad.frontend.compiling.programs import QuickCall
from mlirad.frontend.tracing.captures import classes_guards
from mlirad.frontend.tracing.pytree import LEAF, Tree, make_dataclass
from mlirad.frontend.tracing.values import LeafType
from mlirad.jit.call import NativeFunction
from mlirad.jit.guards import Guards

_MISSED: Final = object()
"""What the machine code gives for arguments that it was not made for."""

_WEAK: Final = {"float64": "float", "int64": "int"}
"""The Python scalar of each dtype that the machine code takes."""

_SIMPLE: Final = (str, int, bool, type(None))
"""Types of static fields whose values can be compared by `==`."""


def quick_call(
    native: NativeFunction, tree: Tree, types: Sequence[LeafType], result: Tree
) -> QuickCall | None:
    """How calls with arguments of a structure, with leaves of these types, are made quickly.

    None where a part could not be told from one of another signature in a few instructions.
    """
    are_arrays = _is_flat(tree) and all(t.shape for t in types)
    if are_arrays and (result == LEAF or (result.kind is tuple and result.size > 1 and _is_flat(result))):
        return native.entry_or
    try:
        return _Text(tree, types, result).quick_call(native)
    except _NotQuickError:
        return None


def _is_flat(tree: Tree) -> bool:
    return all(child == LEAF for child in tree.children)


class _NotQuickError(Exception):
    """A structure for which no code is made."""


class _Text:
    """The code for one signature, and the objects that it names."""

    def __init__(self, tree: Tree, types: Sequence[LeafType], result: Tree):
        self._types = types
        self._kinds = list(tree.kinds())
        self._names: dict[str, object] = {"MISSED": _MISSED, "made": make_dataclass}
        self._lines = ["def call(*given):"]
        self._values = 0
        self._leaves: list[str] = []
        self._require(f"len(given) == {len(tree.children)}")
        arguments = [self._value() for _ in tree.children]
        if arguments:
            self._lines.append(f" {', '.join(arguments)}, = given")
        for child, name in zip(tree.children, arguments, strict=True):
            self._open(child, name)
        self._lines.append(f" r = entry({', '.join(self._leaves)})")
        self._require("r is not MISSED")
        parts = ["r"] if result.size == 1 else [f"r[{k}]" for k in range(result.size)]
        self._lines.append(f" return {self._made(result, iter(parts))}")

    def quick_call(self, native: NativeFunction) -> QuickCall:
        """The call, to be made for what takes other arguments and for guards."""
        code = compile("\n".join(self._lines), "<call>", "exec")

        def make(otherwise: Callable[..., object], guards: Guards) -> Callable[..., object]:
            entry = native.entry_or(_missed, Guards.together([guards, *classes_guards(self._kinds)]))
            names: dict[str, Any] = {**self._names, "entry": entry, "otherwise": otherwise}
            exec(code, names)
            return names["call"]

        return make

    def _require(self, condition: str) -> None:
        self._lines.append(f" if not ({condition}): return otherwise(*given)")

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
        kind = tree.kind
        if kind is None:
            self._leaf(name)
        elif kind is type(None):
            self._require(f"{name} is None")
        elif is_dataclass(cast(object, kind)):
            self._open_dataclass(tree, name)
        else:
            self._require(f"type({name}) is {self._name(kind)} and len({name}) == {len(tree.children)}")
            steps = [f"[{k}]" for k in range(len(tree.children))]
            if tree.is_dict:
                steps = [f".get({_key(key)}, MISSED)" for key in tree.names]
            for child, step in zip(tree.children, steps, strict=True):
                self._open(child, self._value(name + step))

    def _leaf(self, name: str) -> None:
        leaf = self._types[len(self._leaves)]
        if leaf.weak:
            if leaf.dtype.name not in _WEAK:
                raise _NotQuickError
            self._require(f"type({name}) is {_WEAK[leaf.dtype.name]}")
        elif not leaf.shape:
            self._require(f"type({name}) is not float and type({name}) is not int")
        self._leaves.append(name)

    def _open_dataclass(self, tree: Tree, name: str) -> None:
        kind = cast("type[Any]", tree.kind)
        self._require(f"type({name}) is {self._name(kind)}")
        static = [field.name for field in fields(kind) if field.metadata.get("static")]
        for field, value in zip(static, tree.static, strict=True):
            if type(value) not in _SIMPLE:
                raise _NotQuickError
            part = self._value(f"{name}.{field}")
            self._require(f"type({part}) is {self._name(type(value))} and {part} == {value!r}")
        for field, child in zip(tree.names, tree.children, strict=True):
            self._open(child, self._value(f"{name}.{field}"))

    # Results -------------------------------------------------------------------------------------

    def _made(self, tree: Tree, leaves: Iterator[str]) -> str:
        """An expression for a structure of leaves."""
        kind = tree.kind
        if kind is None:
            return next(leaves)
        if kind is type(None):
            return "None"
        parts = [self._made(child, leaves) for child in tree.children]
        if tree.is_dict:
            by_name = dict(zip(tree.names, parts, strict=True))
            return f"{{{', '.join(f'{_key(name)}: {by_name[name]}' for name in tree.order)}}}"
        if is_dataclass(cast(object, kind)):
            named = ", ".join(f"{name!r}: {part}" for name, part in zip(tree.names, parts, strict=True))
            return f"made({self._name(kind)}, {{{named}}}, {self._name(tree.static)})"
        values = ", ".join(parts)
        if kind is tuple:
            return f"({values},)" if parts else "()"
        if kind is list:
            return f"[{values}]"
        return f"{self._name(kind)}({values if tree.names else f'[{values}]'})"


def _key(name: Hashable) -> str:
    if type(name) is not str:
        raise _NotQuickError
    return repr(name)


def _missed(*_: object) -> object:
    """What the machine code calls for arguments that it was not made for."""
    return _MISSED
