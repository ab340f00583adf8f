"""The machine code of a function for all large sizes: made when the first of them is met.

programs = LargePrograms(module, options)
programs.at({"n": 1000}, (), "step")        a NativeFunction; None below 256 rows, or if there is no such code
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from xdsl.dialects.builtin import ModuleOp

from mlirad.disk_cache.programs import Place
from mlirad.errors import CompileError
from mlirad.frontend.compiling.options import Options
from mlirad.jit.call import NativeFunction
from mlirad.jit.machine_program import MachineProgram
from mlirad.jit.sized import SizedCode
from mlirad.jit.target import find_target
from mlirad.lower.large_sizes import LEAST_LARGE, MOST_LARGE

NO_PROGRAM: Final = MachineProgram((), (), (), 0, (), 0, (), object_code=b"")
"""What is kept on disk where there is no program for all large sizes, so that no process tries again."""


class LargePrograms:
    """The code of array code with sizes, by which arguments are donated."""

    def __init__(self, module: ModuleOp, options: Options):
        self._module = module
        self._options = options
        self._made: dict[tuple[int, ...], SizedCode | None] = {}

    def at(self, sizes: Mapping[str, int], donated: tuple[int, ...], name: str) -> NativeFunction | None:
        """The function for arguments of these sizes; None where it has to be compiled for them.

        That is so for small sizes and for huge ones, and for programs that cannot be lowered without numbers.
        """
        if not all(LEAST_LARGE <= size <= MOST_LARGE for size in sizes.values()):
            return None
        if donated not in self._made:
            self._made[donated] = self._code(donated, name)
        code = self._made[donated]
        return None if code is None else code.at(sizes)

    def _code(self, donated: tuple[int, ...], name: str) -> SizedCode | None:
        """The code from the disk, or made and kept there."""
        options = self._options
        deciding = replace(options, timeout=None, threads=None, control=None)
        decides = ("large", options.pipeline("kernels", donated=donated, start="arrays"), deciding)
        place = Place.of(self._module, decides, find_target(), name)

        def loaded(program: MachineProgram) -> SizedCode | None:
            if not program.object_code:
                return None
            return SizedCode(
                program,
                name="main",
                timeout=options.timeout,
                threads=options.thread_count,
                donated=donated,
            )

        kept = None if place is None else place.find()
        if kept is not None:
            try:
                return loaded(kept)
            except CompileError:
                pass
        from mlirad.frontend.compiling import making  # the compiler, which code on the disk does without

        made = making.large_code(self._module.clone(), options, donated, name) or NO_PROGRAM
        if place is not None:
            place.keep(made)
        return loaded(made)
