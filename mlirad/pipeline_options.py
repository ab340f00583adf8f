"""Everything that decides a pipeline, besides the target: options, stages, and the methods of
differentiation.

    Options(method="jacobian", end="arrays")

`mlirad/pipelines.py` makes the passes of it. This file is apart so that a program which is found on the disk
needs none of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from mlirad.errors import UnsupportedError
from mlirad.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from xdsl.passes import ModulePass

Chunk: TypeAlias = int | Literal["all"] | None
"""The number of positions of a build that are computed at a time; None where what decides is memory."""

Sizes: TypeAlias = tuple[tuple[str, int], ...]
"""Sizes of a program by name, with the number that each one has."""

MEMORY_LIMIT: Final = 2**31
"""Bytes of scratch memory beyond which builds are cut into blocks of positions."""

Stage: TypeAlias = Literal["program", "maps", "plain-maps", "expanded", "arrays", "kernels"]
"""The stages of a module: anything; array code with maps that are not applied; the same without maps given by
code; a program without derivatives, as the interpreter runs it; array code; scheduled kernels with a memory
plan.
"""


@dataclass(frozen=True)
class Options:
    """The options that decide a pipeline, besides the target.

    `method` is how derivatives are expanded. Builds compute `chunk` positions at a time, or `block_bytes`
    bytes. The module is at the stage `start`: kernels need not have a plan, and stay as they are except for
    what they lack. It is brought to the stage `end`, after the passes `first`; kernels are made of the
    function `entry` and of those that it calls; its results may take the memory of its arguments `donated`.
    Lowering puts the numbers `sizes` in place of the sizes of these names; with `large` it leaves them, and
    makes kernels for all that are large, or small where a size has a name that is among `small`. With
    `check_absorbed` the program reports where a zero absorbs an infinite derivative. Where a program is
    differentiated, there are `rooms` rows for records of each type, or as many as usual. Nothing runs after
    the last pass of the name `until`.
    """

    method: str = "dual-arrays"
    chunk: Chunk = None
    block_bytes: int | None = None
    start: Stage = "program"
    end: Stage = "kernels"
    entry: str = "main"
    donated: tuple[int, ...] = ()
    first: tuple[ModulePass, ...] = ()
    until: str | None = None
    sizes: Sizes = ()
    large: bool = False
    small: tuple[str, ...] = ()
    check_absorbed: bool = False
    rooms: tuple[int, ...] = ()


METHODS: Final = ("dual-arrays", "jacobian", "chad")
"""The methods of any order, whose maps can be kept."""

SPECIFICATIONS: Final = ("chad-copower", "curry-calls", "curry-environment")
"""Methods that say what derivatives are; maps are values then."""

SYNONYMS: Final[Mapping[str, str]] = {"curry": "curry-environment"}
"""Other names of methods."""

ALL_METHODS: Final = (*METHODS, *SYNONYMS, *SPECIFICATIONS)
"""Every name of a method, for messages and the tools."""


def method_named(name: str) -> str:
    """Return the method of a name, which may be a synonym; raises `UnsupportedError` for an unknown name."""
    if name not in ALL_METHODS:
        raise UnsupportedError(f"there is no method {name!r}", hint=f"there are {', '.join(ALL_METHODS)}")
    return SYNONYMS.get(name, name)
