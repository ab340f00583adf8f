"""A function for one signature, at each step from its trace to machine code.

    lowered = ad.grad(loss).lower(w, x)       traced for arguments like these
    lowered.ir(after="bulk-operations")       the program after a pass
    compiled = lowered.compile()
    compiled(w, x)                            runs; other shapes and dtypes are an error, never a compile

Each step is made once, when it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any, NoReturn, Self

from xdsl.dialects.builtin import ModuleOp

from mlirad.errors import PicklingError, UnsupportedError
from mlirad.frontend.compiling.argument_reader import Signature
from mlirad.frontend.compiling.compilation import compiling
from mlirad.frontend.compiling.options import Options
from mlirad.frontend.compiling.profile import Profile, profiled
from mlirad.frontend.compiling.programs import NOTHING, Program
from mlirad.frontend.compiling.quick_calls import Form, QuickCalls
from mlirad.frontend.compiling.stats import Stats
from mlirad.frontend.tracing.pytree import Tree
from mlirad.frontend.tracing.source import user_line
from mlirad.frontend.tracing.tracebacks import plain_errors
from mlirad.jit.call import NativeFunction
from mlirad.jit.engine import assembly
from mlirad.lower.native_program import ArraySpec, NativeProgram
from mlirad.pipeline_options import Sizes

Reading = Callable[[tuple[Any, ...], dict[str, Any]], tuple[Signature, Sequence[Any]]]
"""From the arguments of a call to their signature and their leaves."""


class _OfThisProcess:
    """An object that is its own copy, and is not pickled."""

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> NoReturn:
        raise PicklingError(
            f"{self} belongs to this process and cannot be pickled",
            location=user_line(),
            hint="pickle the function that was lowered: it compiles for each signature",
        )


class Lowered(_OfThisProcess):
    """A function traced for one signature."""

    def __init__(
        self,
        name: str,
        signature: Signature,
        options: Options,
        read: Reading,
        trace: Callable[[], tuple[ModuleOp, Tree]],
        make: Callable[[Stats, bool], Program],
        sizes: Sizes = (),
    ):
        self.name = name
        self.signature = signature
        self.options = options
        self._read = read
        self.trace = trace
        self._make = make
        self.sizes = sizes
        self._stats = Stats()

    @plain_errors
    @compiling
    def ir(self, after: str | None = None) -> str:
        """The program as MLIR text: as traced, or after the (last) pass `after` of the pipeline."""
        from mlirad.frontend.compiling.run_compiler import text_after

        return text_after(self.trace()[0], after, self.options, self.sizes)

    def as_text(self, after: str | None = None) -> str:
        """The same as `ir`."""
        return self.ir(after)

    @cached_property
    @compiling
    def program(self) -> NativeProgram:
        """The program as LLVM IR text and the memory that it needs."""
        from mlirad.frontend.compiling.run_compiler import native_program

        return native_program(self.trace()[0], self.options, sizes=self.sizes).program

    @plain_errors
    def profile(self, *args: Any, **kwargs: Any) -> Profile:
        """The time of each kernel and source line in calls with these arguments.

        They run on one thread, and nothing is donated. Raises `UnsupportedError` where the interpreter runs
        the program.
        """
        if self.options.interpret:
            raise UnsupportedError(
                "the interpreter runs no kernels, so there is nothing to profile",
                location=user_line(),
                hint="leave out interpret=True",
            )
        given, leaves = self._read(args, kwargs)
        self.signature.require(given, self.name)
        from mlirad.frontend.compiling.roomy import growing

        return growing(self._profiled)(leaves)

    @compiling
    def _profiled(self, rooms: tuple[int, ...]) -> tuple[Callable[..., Profile], tuple[int, ...]]:
        """A program that measures its kernels in calls with given leaves, and its rows for records."""
        from mlirad.frontend.compiling.run_compiler import native_program

        module = self.trace()[0]
        program = native_program(module, self.options, profiled=True, sizes=self.sizes, rooms=rooms).program
        native = NativeFunction(program, name=self.name, timeout=self.options.timeout, threads=1)
        return partial(profiled, native, program.kernels), program.rooms

    def llvm(self) -> str:
        """The LLVM IR, before LLVM optimises it."""
        return self.program.llvm

    def asm(self) -> str:
        """The assembly."""
        return assembly(self.llvm())

    @property
    def arena_bytes(self) -> int:
        """The bytes of scratch memory that the program needs."""
        return self.program.arena_bytes

    @property
    def outputs(self) -> tuple[ArraySpec, ...]:
        """Element type and shape of each result."""
        return self.program.outputs

    @cached_property
    def _compiled(self) -> Program:
        return self._make(self._stats, False)

    def stats(self) -> Stats:
        """Return what compiling takes, stage by stage, and what the program needs.

        A program that was found on the disk is compiled to know it.
        """
        if "_compiled" not in self.__dict__ or self._stats.is_loaded:
            self._stats = Stats()
            self._compiled = self._make(self._stats, True)
        return self._stats

    @plain_errors
    def compile(self) -> Compiled:
        """The program, ready to be called with arguments of this signature."""
        return Compiled(self, self._compiled, self._read)

    def __repr__(self) -> str:
        return f"<{self.name}, lowered for {_shown(self.signature)}>"


class Compiled(_OfThisProcess):
    """A compiled function that accepts one signature. Raises `ArgumentError` for any other."""

    def __init__(self, lowered: Lowered, program: Program, read: Reading):
        self.lowered = lowered
        self._program = program
        self._read = read
        self._quick = QuickCalls(self._checked)

    @plain_errors
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        quick = self._quick.call
        return self._checked(*args, **kwargs) if quick is None or kwargs else quick(*args)

    def _checked(self, *args: Any, **kwargs: Any) -> Any:
        """The call, once its arguments are known to have the signature."""
        given, leaves = self._read(args, kwargs)
        self.lowered.signature.require(given, self.lowered.name)
        if not kwargs and not given.static:
            form = Form(positions=len(args), names=0, moving=tuple(range(len(args))))
            self._quick.enter(None, self._program, form, leaves, NOTHING)
        return self._program.call(*leaves)

    def stats(self) -> Stats:
        """Return what compiling took, stage by stage, and what the program needs."""
        return self.lowered.stats()

    def __repr__(self) -> str:
        return f"<{self.lowered.name}, compiled for {_shown(self.lowered.signature)}>"


def _shown(signature: Signature) -> str:
    types = zip(signature.paths, signature.types, strict=True)
    return ", ".join(f"{path}: {t.dtype}{list(t.shape)}" for path, t in types) or "no arguments"
