"""A program as a function of C: its name, its parameters in order, and where it gets scratch memory.

    int loss(const double *w, double x, double *result);

Inputs come first, then results. An input of rank 0 is passed by its value, everything else by a pointer to
its elements. A result that overwrites an input has no parameter of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Final

from mlirad.errors import UnsupportedError
from mlirad.jit.target import Target
from mlirad.lazy_dataclass import dataclass
from mlirad.lower.native_program import BUFFER_ALIGNMENT, ArraySpec, NativeProgram
from mlirad.object_files.c_names import c_names, require_c_name
from mlirad.object_files.routines import require_routines

LARGEST_STATIC: Final = 2**30
"""Bytes of static scratch memory at most: the usual code model reaches 2 GiB of data."""


class Scratch(Enum):
    """The kind of scratch memory: `static`, in the object file, so that one call runs at a time; or the
    `caller`'s, who passes a pointer to it.
    """

    STATIC = "static"
    CALLER = "caller"


@dataclass(frozen=True)
class Parameter:
    """A parameter: an array, or a scalar `by_value`; `is_result` for what the function writes.

    `place` is its number among the inputs, or among the outputs, of the program.
    """

    name: str
    spec: ArraySpec
    place: int
    is_result: bool
    by_value: bool
    overwritten_by: int | None = None
    """The output that the function leaves in an input."""


@dataclass(frozen=True)
class CFunction:
    """A function of C that runs a program."""

    name: str
    program: NativeProgram
    parameters: tuple[Parameter, ...]
    scratch: Scratch
    target: Target
    is_checked: bool = False
    """True if the last constant of the program says if an access was outside of its buffer."""
    source: str | None = None
    """The function's source, for the reader of the header."""

    @property
    def scratch_bytes(self) -> int:
        """The bytes that the caller passes; they need no alignment."""
        return self.program.arena_bytes + BUFFER_ALIGNMENT if self.program.arena_bytes else 0


def exported_function(
    program: NativeProgram,
    name: str,
    inputs: Sequence[str],
    outputs: Sequence[str],
    scratch: Scratch,
    target: Target,
    *,
    is_checked: bool = False,
    source: str | None = None,
    hint: str = "give the function another name",
) -> CFunction:
    """A program as the function `name` of C; `inputs` and `outputs` say how each is reached in the source.

    Raises `ArgumentError` for a name that C does not take, `UnsupportedError` for programs that print or call
    what exists in Python alone, and for static memory that is too large.
    """
    require_c_name(name, hint)
    require_routines(program, target)
    if scratch is Scratch.STATIC and program.arena_bytes > LARGEST_STATIC:
        raise UnsupportedError(
            f"{name} needs {program.arena_bytes} bytes of scratch memory, too many for static memory",
            hint='let the caller pass it: write scratch="caller"',
        )
    names = c_names([*inputs, *outputs])
    overwritten = {j: k for k, j in program.updates if program.inputs[j].shape}
    parameters = [
        Parameter(n, spec, j, False, not spec.shape, overwritten.get(j))
        for j, (n, spec) in enumerate(zip(names, program.inputs, strict=False))
    ]
    parameters += [
        Parameter(n, spec, k, True, False)
        for k, (n, spec) in enumerate(zip(names[len(inputs) :], program.outputs, strict=True))
        if k not in overwritten.values()
    ]
    return CFunction(name, program, tuple(parameters), scratch, target, is_checked, source)
