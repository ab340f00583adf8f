"""The machine code of a function for all large sizes, and for all small ones: made when the first is met.

programs = SizedPrograms(module, options)
programs.at({"n": 1000}, (), "step")            a NativeFunction of the code for 256 rows and more
programs.at({"n": 100}, (), "step")             one of the code for fewer; None if there is no such code
programs.at({"n": 1000, "m": 7}, (), "step")    of two sizes, each is small or large: that is one code of four
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from xdsl.dialects.builtin import ModuleOp

from mlirad.frontend.compiling.options import Options
from mlirad.frontend.compiling.stored_programs import kept_or_made, place_of
from mlirad.jit.call import NativeFunction
from mlirad.jit.machine_program import MachineProgram
from mlirad.jit.sized import SizedCode
from mlirad.lower.large_sizes import MOST_LARGE, SMALL

NO_PROGRAM: Final = MachineProgram((), (), (), 0, (), 0, (), object_code=b"")
"""The entry on disk that says there is no program for all sizes of a range, so that no process tries again.
"""


class SizedPrograms:
    """The code of array code with sizes, by which of them are small and which arguments are donated."""

    def __init__(self, module: ModuleOp, options: Options):
        self._module = module
        self._options = options
        self._made: dict[tuple[tuple[str, ...], tuple[int, ...]], SizedCode | None] = {}

    def at(self, sizes: Mapping[str, int], donated: tuple[int, ...], name: str) -> NativeFunction | None:
        """The function for arguments of these sizes; None where it has to be compiled for them.

        That is so for huge sizes, and for programs that cannot be lowered without numbers.
        """
        if any(number > MOST_LARGE for number in sizes.values()):
            return None
        small = tuple(sorted(name for name, number in sizes.items() if number <= SMALL.most))
        wanted = small, donated
        if wanted not in self._made:
            self._made[wanted] = self._code(small, donated, name)
        code = self._made[wanted]
        return None if code is None else code.at(sizes)

    def _code(self, small: tuple[str, ...], donated: tuple[int, ...], name: str) -> SizedCode | None:
        """The code from the disk, or made and kept there."""
        options = self._options
        pipeline = options.pipeline("kernels", donated=donated, start="arrays")
        wanted = replace(pipeline, large=True, small=small)
        place = place_of(self._module, wanted, options, name)

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

        def made() -> MachineProgram:
            from mlirad.frontend.compiling import (
                run_compiler,  # the compiler, which code on the disk does without
            )

            return run_compiler.sized_code(self._module.clone(), options, wanted, name) or NO_PROGRAM

        return kept_or_made(place, loaded, made)
