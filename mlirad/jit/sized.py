"""Machine code of a program with sizes: loaded once, called at each of them.

code = SizedCode(program, name="step")
code.at({"n": 1000})(x)                     a NativeFunction of 1000 rows
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlirad.jit.call import NativeFunction, load_code
from mlirad.jit.machine_program import MachineProgram


class SizedCode:
    """A program for which extents are numbers once its sizes are known, by the same code for all of them.

    The other parameters are as for `NativeFunction`.
    """

    def __init__(
        self,
        program: MachineProgram,
        *,
        name: str = "compiled",
        timeout: float | None = None,
        threads: int = 0,
        donated: Sequence[int] = (),
    ):
        self._program = program
        self._name = name
        self._timeout = timeout
        self._threads = threads
        self._donated = donated
        self._code = load_code(program)

    def at(self, sizes: Mapping[str, int]) -> NativeFunction:
        """The function for arguments of these sizes, which the program must be for."""
        return NativeFunction(
            self._program.bound(sizes),
            name=self._name,
            timeout=self._timeout,
            threads=self._threads,
            donated=self._donated,
            code=self._code,
        )
