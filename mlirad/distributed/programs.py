"""Programs of plans as machine code: made where the plan is made, shipped by key, loaded once in a process.

    shipped = shipped_program(stage.program, "n", {1000, 700}, options)     code for 1000 rows and for 700
    function_for(shipped, 700)(*arguments)                                  in any process of that processor

Where chunks have few sizes there is code for each; else one code for all large sizes and one for all small
ones. One lock is held while a program is found or made, as threads of a worker ask for the same ones.
"""

from __future__ import annotations

import hashlib
import pickle
from collections import OrderedDict
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from mlirad.distributed.plan import Program
from mlirad.errors import UnsupportedError
from mlirad.frontend.compiling.options import Options
from mlirad.frontend.tracing.source import user_line
from mlirad.jit.forking import CompileLock
from mlirad.jit.machine_program import MachineProgram
from mlirad.lazy_dataclass import dataclass
from mlirad.packages import load

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from mlirad.jit.call import NativeFunction
    from mlirad.lower.native_program import ArraySpec

MOST_SIZES: Final = 4
"""The number of sizes of chunks that have code of their own."""

KEPT_FUNCTIONS: Final = 512
"""The number of functions that a process keeps loaded, each for one number of rows; the least recently loaded
go first."""

Variant: TypeAlias = int | str
"""The rows that code is for: a number, or "small" or "large"; -1 for a program without rows."""


@dataclass(frozen=True)
class ShippedProgram:
    """A program as code that any worker can load: for some numbers of rows, or for ranges of them."""

    key: str
    size: str
    codes: Mapping[Variant, MachineProgram]
    timeout: float | None = None
    threads: int = 0

    @property
    def nbytes(self) -> int:
        """The bytes of its message."""
        return len(pickle.dumps(self))

    def working_bytes(self, rows: int) -> int:
        """The bytes of working memory and results of a call with this many rows."""
        bound = self._bound(rows)
        return bound.arena_bytes + sum(spec.nbytes for spec in bound.outputs)

    def result(self, rows: int, number: int) -> ArraySpec:
        """The dtype and shape of a result of a call with this many rows."""
        return self._bound(rows).outputs[number]

    def _bound(self, rows: int) -> MachineProgram:
        exact = self.codes.get(rows)
        return self.codes[_range_of(rows)].bound({self.size: rows}) if exact is None else exact


class _Process:
    """The programs that this process has loaded."""

    lock: Final = CompileLock()
    functions: Final[OrderedDict[tuple[str, int], NativeFunction]] = OrderedDict()
    ranges: Final[dict[tuple[str, Variant], Any]] = {}
    shipped: Final[OrderedDict[tuple[str, str, frozenset[int], Options], ShippedProgram]] = OrderedDict()


def shipped_program(
    program: Program, size: str, rows: Collection[int], options: Options, name: str
) -> ShippedProgram:
    """The code of a program for chunks of these numbers of rows, of the disk or made.

    Without `rows` it is a program of whole arrays. Raises `UnsupportedError` where the interpreter is asked
    for.
    """
    if options.interpret:
        raise UnsupportedError(
            "the interpreter does not run programs on chunks of rows",
            location=user_line(),
            hint="leave out interpret=True, or pass arrays of NumPy: x.compute()",
        )
    place = (program.text, size, frozenset(rows), options)
    with _Process.lock:
        found = _Process.shipped.get(place)
        if found is None:
            found = _Process.shipped[place] = _made(program.text, size, frozenset(rows), options, name)
            while len(_Process.shipped) > KEPT_FUNCTIONS:
                _Process.shipped.popitem(last=False)
        return found


def function_for(shipped: ShippedProgram, rows: int = -1) -> NativeFunction:
    """The function of a program for chunks of this many rows, loaded if it is not yet."""
    place = (shipped.key, rows)
    function = _Process.functions.get(place)
    if function is None:
        with _Process.lock:
            function = _Process.functions.get(place)
            if function is None:
                function = _Process.functions[place] = _loaded(shipped, rows)
                while len(_Process.functions) > KEPT_FUNCTIONS:
                    _Process.functions.popitem(last=False)
    return function


def _loaded(shipped: ShippedProgram, rows: int) -> NativeFunction:
    from mlirad.jit.call import NativeFunction
    from mlirad.jit.sized import SizedCode

    exact = shipped.codes.get(rows)
    if exact is not None:
        return NativeFunction(exact, name="main", timeout=shipped.timeout, threads=shipped.threads)
    variant = _range_of(rows)
    place = (shipped.key, variant)
    code = _Process.ranges.get(place)
    if code is None:
        program = shipped.codes[variant]
        code = _Process.ranges[place] = SizedCode(
            program, name="main", timeout=shipped.timeout, threads=shipped.threads
        )
    return code.at({shipped.size: rows})


def _made(text: str, size: str, rows: frozenset[int], options: Options, name: str) -> ShippedProgram:
    load("mlirad.frontend.compiling.run_compiler")
    from mlirad.frontend.compiling.compilation import compiling
    from mlirad.ir.parsing import parse_module

    module = compiling(parse_module)(text, name)
    codes = compiling(_codes)(module, size, rows, options, name)
    digest = hashlib.blake2b(digest_size=16)
    for variant, code in sorted(codes.items(), key=lambda item: str(item[0])):
        digest.update(f"{variant}:{options.timeout}:{options.thread_count}:".encode())
        digest.update(pickle.dumps(replace(code, times=type(code.times)())))
    return ShippedProgram(digest.hexdigest(), size, codes, options.timeout, options.thread_count)


def _codes(
    module: ModuleOp, size: str, rows: frozenset[int], options: Options, name: str
) -> dict[Variant, MachineProgram]:
    from mlirad.dialects.concrete_sizes import function_at
    from mlirad.dialects.extents import LEAST_SIZE
    from mlirad.frontend.compiling import run_compiler
    from mlirad.frontend.compiling.sized_programs import NO_PROGRAM
    from mlirad.frontend.compiling.stored_programs import kept_or_made, place_of
    from mlirad.ir.call_graph import functions_of
    from mlirad.lower.large_sizes import MOST_LARGE
    from mlirad.passes.function_pass import replace_function

    def exact(number: int) -> MachineProgram:
        copy = module.clone()
        if 0 <= number < LEAST_SIZE:  # the pipeline takes no such size
            for function in functions_of(copy):
                replace_function(function, function_at(function, {size: number}))
        sizes = ((size, number),) if number >= LEAST_SIZE else ()
        pipeline = options.pipeline("kernels", "main", (), "arrays", sizes, ())
        place = place_of(copy, pipeline, options, name)
        return kept_or_made(
            place,
            lambda program: program,
            lambda: run_compiler.machine_code(
                copy, options, None, "main", (), name, start="arrays", sizes=sizes
            ),
        )

    def ranged(variant: str) -> MachineProgram | None:
        small = (size,) if variant == "small" else ()
        pipeline = replace(options.pipeline("kernels", start="arrays"), large=True, small=small)
        place, copy = place_of(module, pipeline, options, name), module.clone()
        found = kept_or_made(
            place,
            lambda program: program,
            lambda: run_compiler.sized_code(copy, options, pipeline, name) or NO_PROGRAM,
        )
        return found if found.object_code else None

    if not rows:
        return {-1: exact(-1)}
    apart = {number for number in rows if number < LEAST_SIZE or number > MOST_LARGE}
    if len(rows) <= MOST_SIZES:
        apart = set(rows)
    codes: dict[Variant, MachineProgram] = {}
    for variant in sorted({_range_of(number) for number in rows - apart}):
        made = ranged(variant)
        if made is None:
            apart |= {number for number in rows if _range_of(number) == variant}
        else:
            codes[variant] = made
    return codes | {number: exact(number) for number in sorted(apart)}


def _range_of(rows: int) -> str:
    from mlirad.lower.large_sizes import SMALL

    return "small" if rows <= SMALL.most else "large"
