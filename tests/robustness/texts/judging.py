"""One text through every stage of mlirad, and what came of it.

    judge(text, random.Random(7), Depth())  -->  Verdict(["parsed", "verified", ...], failure=None)

The stages are those of `mlirad-opt` and `mlirad-run`: parse, verify, convert from the dialects of others,
print and read back, passes with a check after each, run by the interpreter and as checked machine code. Each
has a limit of processor time.
"""

from __future__ import annotations

import random
import signal
import traceback
from collections.abc import Callable, Collection, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from mlirad.compiler import holds_kernels
from mlirad.dialects.extents import is_static
from mlirad.dialects.shapes import ELEMENTS, is_array, size_of
from mlirad.errors import (
    CallDepthError,
    CompileError,
    InterpreterError,
    MliradError,
    OutOfMemoryError,
    UnsupportedError,
    VerifyError,
)
from mlirad.interpreter import run_function
from mlirad.ir.foreign import reads
from mlirad.ir.parsing import parse_module
from mlirad.ir.verification import verify_module
from mlirad.jit.call import NativeFunction
from mlirad.pipelines import pipeline_passes, run_passes, with_conversions
from mlirad.registry import PASS_MODULES, make_passes
from mlirad.tools.instrumentation import module_text
from mlirad.tools.limits import (
    MAX_INTERPRETED_WORK,
    MAX_WORK,
    check_kept_maps,
    check_memory,
    check_work,
    memory_limit,
)
from mlirad.tools.native import native_program
from mlirad.tools.process import keep_entry
from tests.acceptance.stages import NUDGE, assert_same, kept
from tests.generators.arguments import random_value

T = TypeVar("T")

PACKAGE = Path(run_passes.__code__.co_filename).parent
LARGEST_ARGUMENT = 10**5
OPTIONED = ("differentiate", "pass differentiate", "pass sweep")
RUNNING = (CallDepthError, OutOfMemoryError)
TARGETED = ("expand", "expand", "expand-jacobian", "simplify", "lower", "compile")

KEPT_MAPS = 2**30
"""Bytes of lists of maps that there is room for in a child that runs programs."""


@dataclass(frozen=True)
class Depth:
    """The shares of texts that verify and go further, and the seconds of processor time that each stage may
    take.
    """

    reading: float = 0.5
    passes: float = 0.25
    interpreter: float = 0.3
    native: float = 0.05
    seconds: float = 4.0
    running_seconds: float = 1.0


@dataclass(frozen=True)
class Failure:
    """A failure: its kind, the stage, where in mlirad, and the details for whoever mends it."""

    kind: str
    stage: str
    place: str
    detail: str = field(default="", compare=False)

    @property
    def signature(self) -> str:
        """The common part of failures with one cause."""
        return f"{self.kind} | {self.stage} | {self.place}"


@dataclass
class Verdict:
    """The classes that a text is counted in, in order of the stages, and its failure if it has one."""

    classes: list[str] = field(default_factory=list[str])
    failure: Failure | None = None


class _Refused(Exception):
    """The text ended at a stage with an error of mlirad, as it should."""


class _Failed(Exception):
    """The text ended in a failure."""

    def __init__(self, failure: Failure):
        super().__init__(failure.signature)
        self.failure = failure


class _TooLong(BaseException):
    """A stage took too much processor time. Not an `Exception`, which stages may catch."""


def judge(
    text: str, rng: random.Random, depth: Depth, announce: Callable[[str], None] = lambda stage: None
) -> Verdict:
    """Take a text through the stages; `announce` is told each before it begins."""
    judging = _Judging(rng, depth, announce, Verdict())
    try:
        judging.run(text)
    except _Refused:
        pass
    except _Failed as failed:
        judging.verdict.failure = failed.failure
        judging.verdict.classes.append(f"FAILED: {failed.failure.kind}")
    return judging.verdict


@dataclass
class _Judging:
    rng: random.Random
    depth: Depth
    announce: Callable[[str], None]
    verdict: Verdict

    def run(self, text: str) -> None:
        module = self.stage("parse", lambda: parse_module(text, "mutant.mlir"))
        passes = with_conversions((), module, back=False)
        if passes:
            self.convert(module, passes)
        else:
            self.stage("verify", lambda: verify_module(module))
        rng = self.rng
        if rng.random() < self.depth.reading:
            self.check_reading(module, "print")
        if rng.random() < self.depth.interpreter:
            self.check_running(module.clone(), native=False)
        if rng.random() < self.depth.passes:
            self.check_passes(module.clone())
        if rng.random() < self.depth.native:
            self.check_running(module, native=True)

    # Stages ----------------------------------------------------------------------------------------------

    def stage(self, name: str, action: Callable[[], T], *, seconds: float | None = None) -> T:
        """The result of the action, within its time."""
        self.announce(name)
        try:
            with limited(self.depth.seconds if seconds is None else seconds):
                result = action()
        except MliradError as error:
            self.judge_error(name, error)
            self.verdict.classes.append(f"{name}: {type(error).__name__}")
            raise _Refused from error
        except _TooLong as error:
            raise _Failed(Failure("slow", name, _innermost(error), _trace(error))) from error
        except Exception as error:
            kind = f"exception {type(error).__name__}"
            raise _Failed(Failure(kind, name, _innermost(error), _trace(error))) from error
        self.verdict.classes.append(f"{name}: done")
        return result

    def judge_error(self, name: str, error: MliradError) -> None:
        """Fail for errors that say that mlirad has a defect, or that do not say where."""
        if isinstance(error, CompileError | InterpreterError):
            cause = error.__cause__ or error
            kind = f"defect {type(error).__name__}" + ("" if cause is error else f" {type(cause).__name__}")
            raise _Failed(Failure(kind, name, _innermost(cause), _trace(error))) from error
        if isinstance(error, VerifyError) and error.message.startswith("after pass"):
            place = (
                error.message[:60]
                if error.__cause__ is None
                else error.__cause__.args[0].partition(": ")[2][:60]
            )
            raise _Failed(Failure("invalid IR", name, place, _trace(error))) from error
        # Options and not the text ask for the function that is differentiated, and the method; that calls
        # are nested too deeply is known when they run.
        if error.location is None and name not in OPTIONED and not isinstance(error, RUNNING):
            raise _Failed(
                Failure(f"no place {type(error).__name__}", name, _innermost(error), _trace(error))
            ) from error

    def convert(self, module: ModuleOp, passes: Sequence[ModulePass]) -> None:
        """Make a program of other dialects one of the language."""
        self.stage("verify", lambda: verify_module(module, foreign=reads(passes)))
        if self.rng.random() < self.depth.reading:
            self.check_reading(module, "print foreign", reads(passes))
        self.stage("convert", lambda: run_passes(module, passes))
        try:
            verify_module(module)
        except MliradError as error:
            raise _Failed(Failure("invalid IR", "convert", error.message[:60], _trace(error))) from error

    def check_reading(self, module: ModuleOp, stage: str, foreign: Collection[str] = ()) -> None:
        """The printed text is read back as the same, in both syntaxes."""
        text = self.stage(stage, lambda: module_text(module))
        generic = self.rng.random() < 0.2
        written = self.stage("print generic", lambda: module_text(module, generic=True)) if generic else text
        self.announce("read back")
        try:
            with limited(2 * self.depth.seconds):
                again = parse_module(written, "printed.mlir")
                verify_module(again, foreign=foreign)
                second = module_text(again)
        except _TooLong as error:
            raise _Failed(Failure("slow", "read back", _innermost(error), _trace(error))) from error
        except Exception as error:
            place = error.message[:50] if isinstance(error, MliradError) else _innermost(error)
            raise _Failed(
                Failure(f"not read back {stage}", "read back", place, f"{written}\n{_trace(error)}")
            ) from error
        if second != text:
            raise _Failed(
                Failure(f"read back as another {stage}", "read back", "", f"{text}\n// read back\n{second}")
            )

    def check_passes(self, module: ModuleOp) -> None:
        """One pass, or a pipeline."""
        rng = self.rng
        if rng.random() < 0.5:
            stages = [rng.choice(list(PASS_MODULES)) for _ in range(rng.choice((1, 1, 2)))]
            passes = make_passes(",".join(stages))
        else:
            stages = [rng.choice(TARGETED)]
            if rng.random() < 0.4:
                functions = [op.sym_name.data for op in module.body.ops if isinstance(op, FuncOp)]
                name = rng.choice(functions or ["none"])
                mode = rng.choice(("forward", "reverse"))
                spec = f"differentiate{{function={name} mode={mode}}}"
                try:
                    differentiate = make_passes(spec)
                except MliradError:
                    differentiate = ()
                self.stage("differentiate", lambda: run_passes(module, differentiate))
            passes = [p for stage in stages for p in pipeline_passes(stage)]
        for pass_ in passes:
            self.stage(f"pass {pass_.name}", lambda p=pass_: run_passes(module, [p]))
        if rng.random() < 0.5:
            self.check_reading(module, "print after passes")

    # Running ---------------------------------------------------------------------------------------------

    def check_running(self, module: ModuleOp, *, native: bool) -> None:
        """A function on small inputs, by the interpreter and perhaps as machine code, which must agree."""
        rng = self.rng
        functions = [op for op in module.body.ops if isinstance(op, FuncOp)]
        runnable = [f for f in functions if all(map(_is_small, f.function_type.inputs.data))]
        if not runnable:
            self.verdict.classes.append("run: no arguments")
            return
        function = rng.choice(runnable)
        name = function.sym_name.data
        most = MAX_WORK if native else MAX_INTERPRETED_WORK
        self.stage("check limits", lambda: check_memory(module, memory_limit()))
        self.stage("check limits", lambda: check_work(module, function, most))
        special = rng.random() < 0.3
        arguments = [random_value(t, rng, special=special) for t in function.function_type.inputs.data]
        untrusted = holds_kernels(module)
        expected: Any
        try:
            expected = self.interpret(module, arguments, name)
        except _Refused as refused:
            if not native:
                raise
            expected = refused.__cause__
        except _Failed as failed:
            if untrusted and failed.failure.kind.startswith("defect InterpreterError"):
                self.verdict.classes.append("interpret: InterpreterError for kernels")
                expected = failed.__cause__
            elif failed.failure.kind == "slow":
                self.verdict.classes.append("interpret: too long")
                return
            else:
                raise
        if not native:
            return
        try:
            got = self.run_natively(module.clone(), function, arguments, untrusted)
        except _Failed as failed:
            if untrusted and failed.failure.kind.startswith("defect CompileError"):
                self.verdict.classes.append("native: CompileError for kernels")
                return
            raise
        if isinstance(expected, BaseException):
            self.verdict.classes.append("native: done, interpreter: refused")
            # A derivative has a value only once passes have expanded it: refused by its kind.
            if not untrusted and not isinstance(expected, UnsupportedError):
                message = expected.message if isinstance(expected, MliradError) else str(expected)
                raise _Failed(Failure("native only", "interpret", message[:60], _trace(expected)))
            return
        self.compare(got, expected, module, arguments, name)

    def interpret(self, module: ModuleOp, arguments: list[Any], name: str) -> tuple[Any, ...]:
        self.stage("check limits", lambda: check_kept_maps(module, KEPT_MAPS))
        return self.stage(
            "interpret",
            lambda: run_function(module, arguments, function=name),
            seconds=self.depth.running_seconds,
        )

    def run_natively(
        self, module: ModuleOp, function: FuncOp, arguments: list[Any], untrusted: bool
    ) -> tuple[Any, ...]:
        target = next(
            op for op in module.body.ops if isinstance(op, FuncOp) and op.sym_name == function.sym_name
        )
        keep_entry(module, function.sym_name.data)
        program = self.stage("lower", lambda: native_program(module, target, checked=True))
        compiled = self.stage("compile", lambda: NativeFunction(program, name="mutant", debug=True))
        try:
            return self.stage("run", lambda: compiled(*arguments))
        except _Failed as failed:
            if failed.failure.kind in ("exception MemoryError", "exception RecursionError", "slow"):
                self.verdict.classes.append(f"run: {failed.failure.kind.removeprefix('exception ')}")
                raise _Refused from failed
            raise

    def compare(
        self,
        got: tuple[Any, ...],
        expected: tuple[Any, ...],
        module: ModuleOp,
        arguments: list[Any],
        name: str,
    ) -> None:
        """Equal results, except for elements that rounding decides."""
        self.announce("compare")
        try:
            assert_same(got, expected, "native")
        except AssertionError:
            nudged = [a * a.dtype.type(1 + NUDGE[a.dtype]) if a.dtype in NUDGE else a for a in arguments]
            moved = self.interpret(module, nudged, name)
            try:
                assert_same(kept(got, expected, moved), expected, "native")
            except AssertionError as error:
                place = " ".join(sorted({op.name for op in module.walk() if "." in op.name}))[:80]
                raise _Failed(Failure("differs", "run", place, f"{arguments}\n{error}")) from error
        self.verdict.classes.append("compare: agrees")


def _is_small(type_: Any) -> bool:
    return is_array(type_, ELEMENTS) and is_static(size_of(type_)) and size_of(type_) <= LARGEST_ARGUMENT


@contextmanager
def limited(seconds: float) -> Generator[None]:
    """Raise `_TooLong` when the block has taken so much processor time."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise _TooLong(f"more than {seconds} s")

    previous = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds, 0.2)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, previous)


def _innermost(error: BaseException) -> str:
    """The innermost line of mlirad that an exception went through, as `file:function`."""
    place = "?"
    for frame, _ in traceback.walk_tb(error.__traceback__):
        file = Path(frame.f_code.co_filename)
        if PACKAGE in file.parents:
            place = f"{file.relative_to(PACKAGE)}:{frame.f_code.co_qualname}"
    return place


def _trace(error: BaseException) -> str:
    lines = traceback.format_exception(error, limit=-12)
    return "".join(line for line in lines)[-3000:]
