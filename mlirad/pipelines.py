"""The pipelines: which passes run, in which order. Nothing else decides that.

    grad      differentiate | expand
    compile   expand | lower

A pipeline is a tuple of passes as `mlirad-opt -p` reads them. `run_passes` runs them on a module, checking
the module after each, and tells an observer what happened.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import ArgSpec
from xdsl.utils.exceptions import DiagnosticException

from mlirad.errors import CompileError, MliradError, UnsupportedError
from mlirad.ir.parsing import make_context
from mlirad.ir.verification import verify_module
from mlirad.passes.registry import make_pass, parse_specs
from mlirad.recursion import deep_recursion

SIMPLIFY = ("mlirad-inline", "mlirad-canonicalize", "mlirad-cse", "mlirad-dce")
"""The same program, smaller: calls resolved, constants folded, equal ops shared, unused ones dropped."""

EXPAND = (
    "mlirad-canonicalize",
    "eliminate-functions",
    "mlirad-inline",
    "bulk-operations",
    "raise-contractions",
    "linearize{method=dual-arrays}",
    "apply-linear-maps",
    "bulk-operations",
    "outline-derivatives",
    "lower-custom-derivatives",
    "mlirad-canonicalize",
    "sink-scatter-adds",
    "lower-checkpoints",
)
"""Every derivative in the program as array code: no linear map and no build remains.

Builds whose bodies hold derivatives become bulk only once these are expanded, hence the second time.
"""

EXPAND_JACOBIAN = (
    "mlirad-canonicalize",
    "eliminate-functions",
    "keep-calls",
    "linearize{method=jacobian}",
    "simplify-maps",
    "defunctionalise-maps",
    "apply-linear-maps",
    "mlirad-inline{builds=true}",
    "bulk-operations",
    "raise-contractions",
    "outline-derivatives",
    "lower-custom-derivatives",
    "mlirad-canonicalize",
    "sink-scatter-adds",
    "lower-checkpoints",
)
"""The same by the method `jacobian`: calls stay, and builds become bulk after they are differentiated."""

EXPANSIONS: dict[str, tuple[str, ...]] = {"dual-arrays": EXPAND, "jacobian": EXPAND_JACOBIAN}
"""What expands the derivatives in a program, by method."""

GRAD = ("differentiate", *EXPAND)
"""The derivative of a function; its options are those of `differentiate`."""

LOWER = ("form-kernels", "fuse-kernels", "strip-mine", "schedule-kernels", "plan-memory")
"""Array code as scheduled kernels with a memory plan, ready to be printed as LLVM IR."""

COMPILE = (*EXPAND, *LOWER)
"""A program, with derivatives in it or without, to kernels."""

PIPELINES: dict[str, tuple[str, ...]] = {
    "simplify": SIMPLIFY,
    "expand": EXPAND,
    "expand-jacobian": EXPAND_JACOBIAN,
    "grad": GRAD,
    "lower": LOWER,
    "compile": COMPILE,
}
"""Every pipeline by name."""


@dataclass(frozen=True)
class Step:
    """A pass that ran: which, and how many seconds it and the check after it took."""

    name: str
    seconds: float
    verify_seconds: float


Before = Callable[[ModulePass, ModuleOp], None]
After = Callable[[ModulePass, ModuleOp, Step], None]


def pipeline_passes(text: str) -> tuple[ModulePass, ...]:
    """The passes of the pipelines that `text` names.

    Options, as in `grad{function=f wrt=0,1}`, go to the pipeline's first pass. Raises `UnsupportedError` for
    a name that is not of a pipeline.
    """
    passes: list[ModulePass] = []
    for spec in parse_specs(text):
        if spec.name not in PIPELINES:
            raise UnsupportedError(
                f"there is no pipeline {spec.name!r}", hint=f"there are {', '.join(PIPELINES)}"
            )
        first, *rest = (inner for listed in PIPELINES[spec.name] for inner in parse_specs(listed))
        passes.append(make_pass(ArgSpec(first.name, {**first.parameters, **spec.parameters})))
        passes += [make_pass(inner) for inner in rest]
    return tuple(passes)


def run_passes(
    module: ModuleOp,
    passes: Sequence[ModulePass],
    *,
    context: Context | None = None,
    verify: bool = True,
    before: Before | None = None,
    after: After | None = None,
) -> None:
    """Run the passes on `module`, in place, and check after each that it is a program of the language.

    `before` and `after` are called around each pass. Raises the error of the pass, or `VerifyError` if what
    it leaves is no program; a pass that fails in any other way is a defect of mlirad, and a `CompileError`.
    """
    context = make_context() if context is None else context
    for pass_ in passes:
        if before is not None:
            before(pass_, module)
        start = time.perf_counter()
        _run(pass_, context, module)
        ran = time.perf_counter()
        if verify:
            _verify_after(pass_, context, module)
        if after is not None:
            after(pass_, module, Step(pass_.name, ran - start, time.perf_counter() - ran))


def _run(pass_: ModulePass, context: Context, module: ModuleOp) -> None:
    try:
        with deep_recursion():
            pass_.apply(context, module)
    except MliradError:
        raise
    except RecursionError as error:
        raise UnsupportedError(
            f"the program is nested too deeply for pass {pass_.name!r}",
            hint="make shorter chains of ops that depend on each other, or loops of them",
        ) from error
    except DiagnosticException as error:
        raise CompileError(f"pass {pass_.name!r} failed: {error}") from error
    except Exception as error:
        raise CompileError(
            f"pass {pass_.name!r} failed with {type(error).__name__}: {error}",
            hint="this is a defect of mlirad",
        ) from error


def _verify_after(pass_: ModulePass, context: Context, module: ModuleOp) -> None:
    try:
        verify_module(module, allow_unregistered=context.allow_unregistered)
    except MliradError as error:
        raise type(error)(
            f"after pass {pass_.name!r}: {error.message}", location=error.location, hint=error.hint
        ) from error
