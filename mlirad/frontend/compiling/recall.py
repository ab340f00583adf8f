"""Programs that another process made of the same trace: found and loaded without tracing, and without xDSL.

    place = trace_place(f, names, ("grad", 0), options, signature)      where its trace is kept, or None
    recalled_or_made(place, load, make)                                 load(...) what is there, else make()

The key of a trace is all that decides it: what the function reads from outside, the transformation with its
options, the signature of the arguments, the compiler, the target, and settings of NumPy. A trace is kept only
if it did nothing but trace, as far as anybody can tell: it has a key, which is the same after it, and nothing
warned. A trace without a key is made in every process.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np

from mlirad.disk_cache import store
from mlirad.disk_cache.encoding import begun, encoded
from mlirad.disk_cache.folder import Folder, find_folder
from mlirad.disk_cache.sources import runs_what_was_read
from mlirad.disk_cache.traces import Trace
from mlirad.errors import CompileError
from mlirad.frontend.compiling.heard_warnings import hearing
from mlirad.frontend.compiling.options import Options
from mlirad.frontend.compiling.structure_data import data_of, tree_of
from mlirad.frontend.tracing.leaf_types import LeafType
from mlirad.frontend.tracing.library_functions import NotPortable
from mlirad.frontend.tracing.portable_keys import portable, portable_captures
from mlirad.frontend.tracing.pytree import Tree
from mlirad.frontend.tracing.value_keys import value_key
from mlirad.jit.machine_program import MachineProgram
from mlirad.jit.target import find_target
from mlirad.lazy_dataclass import dataclass
from mlirad.lower.native_program import PYTHON

if TYPE_CHECKING:
    from mlirad.frontend.compiling.programs import Program


_TRANSFORMATIONS: Final = frozenset((
    "grad", "hessian", "hvp", "jacobian", "jit", "jvp", "value_and_grad", "vmap",
))  # fmt: skip
"""The keys of transformations, or their first entries."""


@dataclass(frozen=True)
class Call:
    """The transformation and the arguments of a call, which decide a trace besides the function."""

    transformation: Hashable
    donated: tuple[str, ...]
    options: Options
    tree: Tree
    types: Sequence[LeafType]
    by_name: tuple[str, ...]
    """The names of arguments that are passed by name."""
    static: tuple[tuple[str, object], ...]
    """The static arguments."""


@dataclass(frozen=True)
class TracePlace:
    """The place at which a trace is kept."""

    folder: Folder
    key: str

    def find(self) -> tuple[MachineProgram, Tree] | None:
        """The program of the trace and the structure of its results; None where either is not kept."""
        trace = store.read_trace(self.folder, self.key)
        if trace is None:
            return None
        try:
            result = tree_of(trace.result)
        except (KeyError, TypeError, ValueError):
            return None
        record = store.read(self.folder, trace.program)
        return None if record is None else (record.program, result)

    def keep(self, program: Program, name: str) -> None:
        """Keep which program the trace came to, if that is kept."""
        native = program.native
        kept_as = None if native is None else native.kept_as
        if native is None or kept_as is None or not runs_what_was_read():
            return
        # A trace names the Python functions that the program calls.
        if PYTHON in native.program.externals:
            return
        with suppress(NotPortable):
            data = data_of(program.result)
            store.write_trace(self.folder, Trace(self.key, kept_as, data, name, int(time.time())))


def trace_place(function: Callable[..., Any], names: frozenset[str], call: Call) -> TracePlace | None:
    """Return where the trace of a function for a call is kept; None where nothing is, or it has no key.

    `names` are those of the attributes that its code reads. Raises `ArgumentError` for an environment
    variable that is not a size.
    """
    options = call.options
    if options.interpret or options.control == "rewrite" or np.geterrcall() is not None:
        return None
    if not _is_public(call.transformation):
        return None
    folder = find_folder()
    digest = None if folder is None else begun()
    if folder is None or digest is None:
        return None
    try:
        digest.update(portable_captures(function, names))
        digest.update(_of_call(call))
    except NotPortable:
        return None
    digest.update(encoded((find_target(), sorted(np.geterr().items()), sys.flags.optimize)))
    return TracePlace(folder, digest.hexdigest())


def _is_public(transformation: Hashable) -> bool:
    """Return whether a transformation is public, so that its key says all about it."""
    stated = cast("tuple[object, ...]", transformation) if isinstance(transformation, tuple) else ()
    return (stated[0] if stated else transformation) in _TRANSFORMATIONS


def recalled_or_made(
    place: Callable[[], TracePlace | None],
    load: Callable[[MachineProgram, Tree], Program],
    make: Callable[[], Program],
    name: str,
) -> Program:
    """Return what `load` makes of the program that is kept for a trace, or what `make` makes, by tracing.

    That is kept under `name`. Kept code that cannot be loaded is made again.
    """
    before = place()
    if before is None:
        return make()
    found = before.find()
    if found is not None:
        with suppress(CompileError):
            return load(*found)
    made, was_warned = hearing(make)()
    if not was_warned and place() == before:
        before.keep(made, name)
    return made


def _of_call(call: Call) -> bytes:
    """Return what decides a trace besides the function, as bytes."""
    static = [(name, value_key(value)) for name, value in call.static]
    if any(key is None for _, key in static):
        raise NotPortable
    types = [(t.shape, t.dtype.str, t.weak) for t in call.types]
    # Of options, these three leave the program as it is.
    deciding = replace(call.options, timeout=None, threads=None, control="auto")
    return portable(
        (
            call.transformation,
            call.donated,
            encoded(deciding),
            data_of(call.tree),
            types,
            call.by_name,
            static,
        )
    )
