"""Programs that functions of equal code share, and warnings of functions that are compiled again and again.

for x in data: ad.grad(lambda w: loss(w, x.size))(w)       one program: every lambda is equal to the first
for n in range(9): g(np.ones(n))                            a `RecompileWarning` at the fifth shape
"""

from __future__ import annotations

import functools
import warnings
import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import field
from types import CodeType, FunctionType, MethodType
from typing import Any, Final, cast

from mlirad.errors import CaptureWarning, RecompileWarning
from mlirad.frontend.tracing.captures import Captures
from mlirad.frontend.tracing.code_reads import is_program_file, own_code
from mlirad.frontend.tracing.leaf_types import LeafType
from mlirad.frontend.tracing.pytree import Tree
from mlirad.frontend.tracing.source import user_place
from mlirad.jit.forking import CompileLock
from mlirad.lazy_dataclass import dataclass

SHARED: Final = 64
"""The number of programs of functions that may be gone which are kept for functions that equal them."""

SHARED_BYTES: Final = 1 << 20
"""Functions that read more bytes of arrays from outside do not share their programs."""

REMADE: Final = 10
"""The number of compiles of functions of the same code at which there is a warning."""

SHAPES: Final = 5
"""The number of compiles for arguments of other shapes, or other static values, at which there is a warning.
"""

PADDING: Final = (
    "pad the arguments to one of a few sizes by repeating a row, pass as n how many rows count, and leave "
    "the others out of sums: np.sum(terms, where=np.arange(len(terms)) < n); a loop over the first n rows is "
    "ad.fori_loop(0, n, step, start)"
)
"""The code to write instead of a program for every size."""


def warn(
    message: str, hint: str, kind: type[Warning] = CaptureWarning, place: tuple[str, int] | None = None
) -> None:
    """A warning at a place, that of the user's call if none is given."""
    file, line = place or user_place() or ("<unknown>", 0)
    warnings.warn_explicit(f"{message}\n  hint: {hint}", kind, file, line)


def listed(names: Sequence[str]) -> str:
    """The first three of some names."""
    return ", ".join(names[:3]) + (" and more" if len(names) > 3 else "")


def code_of(function: Any) -> CodeType | None:
    """The code that a function runs: of a method, a callable object or a partial function that of its own."""
    if isinstance(function, functools.partial):
        return code_of(function.func)
    if isinstance(function, MethodType):
        return code_of(function.__func__)
    if isinstance(function, FunctionType):
        code = own_code(function)
        return code if is_program_file(code.co_filename) else None
    inner = getattr(function, "_function", None)
    if inner is not None and type(function).__module__.startswith("mlirad."):
        return code_of(inner)
    call = getattr(cast("type[Any]", type(function)), "__call__", None)  # noqa: B004
    return code_of(call) if isinstance(call, FunctionType) else None


class SharedPrograms:
    """Programs by transformation, signature, and all that a function reads: they fit every function that
    reads the same. Those used last are kept.
    """

    def __init__(self) -> None:
        self._lock = CompileLock()
        self._programs: OrderedDict[Hashable, Any] = OrderedDict()

    def forget(self) -> None:
        """Drop all programs."""
        with self._lock:
            self._programs.clear()

    def find(self, transformation: Hashable, key: Hashable, captures: Captures) -> Any:
        """The program of an equal function, or `None`."""
        if not _can_be_shared(transformation, captures):
            return None
        with self._lock:
            place = (transformation, key, captures.key)
            found = self._programs.get(place)
            if found is not None:
                self._programs.move_to_end(place)
            return found

    def keep(self, transformation: Hashable, key: Hashable, captures: Captures, program: Any) -> None:
        """Keep a program for functions that equal the one it was made of."""
        if not _can_be_shared(transformation, captures):
            return
        with self._lock:
            self._programs[transformation, key, captures.key] = program
            while len(self._programs) > SHARED:
                self._programs.popitem(last=False)


def _can_be_shared(transformation: Hashable, captures: Captures) -> bool:
    return transformation is not None and captures.is_whole and captures.nbytes <= SHARED_BYTES


shared_programs: Final = SharedPrograms()


@dataclass
class _Compiles:
    """The compiles of functions of one code by one transformation for one signature."""

    count: int = 0
    read: dict[str, int] = field(default_factory=dict[str, int])


@dataclass
class _Group:
    """The signatures of one structure and dtypes that functions of one code were compiled for."""

    shapes: list[tuple[tuple[int, ...], ...]] = field(default_factory=list[Any])
    statics: list[tuple[object, ...]] = field(default_factory=list[Any])
    is_told: bool = False


_remade: weakref.WeakKeyDictionary[CodeType, dict[int, _Compiles]] = weakref.WeakKeyDictionary()
_groups: weakref.WeakKeyDictionary[CodeType, dict[int, _Group]] = weakref.WeakKeyDictionary()


def note_remade(root: Any, name: str, what: Hashable, captures: Captures) -> None:
    """Count a compile of a function, and warn, once, of those that are re-created by the same code."""
    code = code_of(root)
    if code is None:
        return
    table = _remade.setdefault(code, {})
    compiles = table.setdefault(hash(what), _Compiles())
    compiles.count += 1
    read = captures.fingerprint()
    if compiles.count == REMADE:
        changed = [n for n, key in read.items() if compiles.read.get(n, key) != key]
        why = f", each time with another {listed(changed)}" if changed else ""
        warn(
            f"{name} is compiled for the {REMADE}th time, as it is made again on every call{why}",
            "make the function once, outside of the loop, and pass what changes as an argument",
        )
    compiles.read = read
    _limit(table)


def note_signature(
    root: Any,
    name: str,
    what: Hashable,
    tree: Tree,
    types: Sequence[LeafType],
    paths: Callable[[], Sequence[str]],
    static: tuple[tuple[str, object], ...],
) -> None:
    """Count a compile for a signature, and warn, once, of a function that is compiled for ever new ones."""
    code = code_of(root)
    if code is None:
        return
    table = _groups.setdefault(code, {})
    dtypes = tuple((t.dtype, t.weak, len(t.shape)) for t in types)
    group = table.setdefault(hash((what, _skeleton(tree), dtypes)), _Group())
    _limit(table)
    shapes = tuple(t.shape for t in types)
    values = tuple(f"{n}={v!r}"[:40] for n, v in static) + tuple(repr(v)[:40] for v in tree.statics())
    if group.is_told or (shapes, values) in zip(group.shapes, group.statics, strict=True):
        return
    group.shapes.append(shapes)
    group.statics.append(values)
    if len(group.shapes) < SHAPES:
        return
    group.is_told = True
    varying = [k for k, column in enumerate(zip(*group.shapes, strict=True)) if len(set(column)) > 1]
    if varying:
        names = paths()
        shown = "; ".join(
            f"{names[k]}: {', '.join(str(list(s[k])) for s in group.shapes)}" for k in varying[:2]
        )
        warn(
            f"{name} is compiled for the {SHAPES}th time, as the shapes of its arguments change ({shown})",
            PADDING,
            RecompileWarning,
        )
        return
    changed = [column for column in zip(*group.statics, strict=True) if len(set(column)) > 1]
    shown = "; ".join(listed([str(v) for v in column]) for column in changed[:2])
    warn(
        f"{name} is compiled for the {SHAPES}th time, as what is static in its arguments changes ({shown})",
        "pass numbers as arguments that are not static; make functions once",
        RecompileWarning,
    )


def _skeleton(tree: Tree) -> Hashable:
    return tree.kind, tree.names, tuple(map(_skeleton, tree.children))


def _limit(table: dict[int, Any]) -> None:
    while len(table) > 256:
        del table[next(iter(table))]
