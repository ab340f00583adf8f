"""The pipelines: which passes run, in which order. Nothing else decides that.

    pipeline(Options(method="jacobian"), target)        a program to scheduled kernels with a memory plan
    pipeline(Options(end="maps"), target)               to array code and linear maps, not yet applied
    pipeline_passes("grad{function=f method=chad}")     a pipeline by name, as `mlirad-opt --pipeline` has it

A pipeline is a tuple of passes. `run_passes` runs them on a module, perhaps checking the module after each,
and tells observers what happened.

A pass that prepares something for itself calls function-level transformations; no other code strings passes
together. Native compiles verify nothing between passes; the tools do, up to array code.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Final, TypeAlias

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import ArgSpec
from xdsl.utils.exceptions import DiagnosticException

from mlirad.errors import (
    ArraySizeError,
    CompileError,
    MliradError,
    OutOfMemoryError,
    SizeNeeded,
    UnsupportedError,
    is_from_signal,
)
from mlirad.float_modes import standard_floats
from mlirad.ir.foreign import ConversionPass, is_stablehlo, is_upstream, leaves, reads
from mlirad.ir.inner_pipelines import INNER, PREPARATIONS, Preparation
from mlirad.ir.parsing import make_context
from mlirad.ir.verification import verify_module
from mlirad.jit.target import Target, find_target
from mlirad.lazy_dataclass import dataclass
from mlirad.lower.kernels.moves import Move, watched
from mlirad.pipeline_options import (
    ALL_METHODS,
    METHODS,
    SPECIFICATIONS,
    Options,
    Sizes,
    method_named,
)
from mlirad.recursion import deep_recursion
from mlirad.registry import make_pass, make_passes, parse_specs
from mlirad.stages import require_stage

SIMPLIFY: Final = ("mlirad-inline", "mlirad-canonicalize", "mlirad-cse", "mlirad-dce")
"""The same program, smaller: calls resolved, constants folded, equal ops shared, unused ones dropped."""

APPLY: Final = ("apply-linear-maps", "bulk-operations", "mlirad-canonicalize", "outline-derivatives")
"""Maps on vectors as array code: what `mlirad-demo` shows."""

FIRST_ORDER: Final = (
    "drop-unused-rules",
    "mlirad-canonicalize",
    "complex-to-real-ffts",
    "maps-to-closures",
    "eliminate-functions",
    "tail-calls-to-loops",
    "records-to-rows",
    "record-walks-to-loops",
)
"""Programs to be differentiated to ones without functions as values, and with loops for recursion."""

BULK: Final = ("mlirad-inline", "bulk-operations")
"""Programs without functions as values to operations on whole arrays."""

BY_SPECIFICATION: Final[Mapping[str, tuple[str, ...]]] = {
    "chad-copower": ("chad",),
    "curry-calls": ("curry{tangents=calls}",),
    "curry-environment": ("curry{tangents=environment}",),
}
"""By specification, derivatives as functions and maps that are values."""

AS_CLOSURES: Final = ("maps-to-closures", "eliminate-functions{growth=1}")
"""Functions and maps as values, made by specifications, to functions that are compiled."""

CHAD_AS_ARRAYS: Final = (
    "chad",
    "maps-to-closures",
    "eliminate-functions",
    *("mlirad-inline", "apply-linear-maps", "bulk-operations", "mlirad-canonicalize"),
)
"""Derivatives by the specification of CHAD as array code: what `mlirad-demo` shows."""

CHAD_SWEEPS: Final = ("linearize{method=chad}", "apply-linear-maps", "mlirad-dce")
"""Derivatives as forward and backward functions: what `mlirad-demo` shows."""


def linearization(method: str = "dual-arrays", blocks: Sequence[str] = ()) -> tuple[str, ...]:
    """List the passes to derivatives as linear maps; `blocks` are passes that keep builds as loops.

    By the method `dual-arrays` no build is left, by `jacobian` calls and builds are, as their derivatives are
    maps of their own, and by `chad` calls, whose derivatives are functions.
    """
    method = _with_expressions(method)
    if method == "jacobian":
        return (
            *FIRST_ORDER,
            "mlirad-inline{maps=true}",
            "mark-no-inline",
            "reroll-loops",
            "smooth-identities",
            "expand-ties",
            "stop-shift-gradients",
            "spectral-functions",
            "linearize{method=jacobian}",
            "simplify-maps",
        )
    return (
        *FIRST_ORDER,
        "mlirad-inline{builds=true maps=true}" if method == "chad" else "mlirad-inline",
        "reroll-loops",
        *blocks,
        "bulk-operations",
        "slice-gathers",
        "smooth-identities",
        "expand-ties",
        "raise-contractions",
        "stop-shift-gradients",
        "spectral-functions",
        f"linearize{{method={method}}}",
    )


def expansion(method: str = "dual-arrays", blocks: Sequence[str] = ()) -> tuple[str, ...]:
    """List the passes to derivatives as array code: no linear map and no build remains.

    By a specification functions, maps and builds remain, as the interpreter runs them.
    Builds whose bodies hold derivatives become bulk only once these are expanded, hence the second time.
    Those that come about when results of loops go, as nothing reads them, are settled at the end.
    """
    method = method_named(method)
    if method in SPECIFICATIONS:
        first = (
            "drop-unused-rules",
            "mlirad-canonicalize",
            "smooth-identities",
            "expand-ties",
            "expand-inner-derivatives",
        )
        return (*first, *BY_SPECIFICATION[method])
    applied = ("apply-linear-maps", "bulk-operations")
    if method == "chad":
        applied = ("apply-linear-maps", "mlirad-inline", "bulk-operations")
    if method == "jacobian":
        applied = (
            "defunctionalise-maps",
            "apply-linear-maps",
            "mlirad-inline{builds=true}",
            *blocks,
            "bulk-operations",
            "slice-gathers",
            "raise-contractions",
        )
    return (
        *linearization(method, blocks),
        *applied,
        "outline-derivatives",
        "lower-custom-derivatives",
        "lower-deviations",
        "mlirad-canonicalize",
        "lower-remaining-builds",
        "fuse-loops",
        "stacks-to-undo-logs",
        "expand-solves",
        "expand-formulas",
        "cse-sorts",
        "sink-scatter-adds",
        "lower-checkpoints",
    )


def _with_expressions(method: str) -> str:
    """Return a method with map expressions; raises for a specification, whose maps are values."""
    method = method_named(method)
    if method in METHODS:
        return method
    raise UnsupportedError(
        f"the method {method!r} is a specification, which has no map expressions",
        hint=f"take gradients by it, or choose one of {', '.join(METHODS)}",
    )


def gradient(method: str = "dual-arrays") -> tuple[str, ...]:
    """List the passes that add the derivative of a function to the program, and expand it."""
    return ("differentiate", *expansion(method))


def array_code(method: str = "dual-arrays", blocks: Sequence[str] = ()) -> tuple[str, ...]:
    """List the passes of `expansion`, and those that eliminate functions and maps as values after them."""
    if method_named(method) not in SPECIFICATIONS:
        return expansion(method, blocks)
    return (*expansion(method), *AS_CLOSURES, *expansion(blocks=blocks))


def compilation(method: str = "dual-arrays") -> tuple[str, ...]:
    """List the passes from a program to scheduled kernels with a memory plan."""
    return (*array_code(method), *lowering())


def instantiation(sizes: Sizes) -> tuple[str, ...]:
    """List the passes that put these sizes into a program and decide what depends on them."""
    if not sizes:
        return ()
    numbers = " ".join(f"{name}={number}" for name, number in sizes)
    return (f"instantiate-sizes{{{numbers}}}", "mlirad-canonicalize", "lower-remaining-builds")


def lowering(
    target: Target | None = None, entry: str = "main", donated: Sequence[int] = ()
) -> tuple[str, ...]:
    """List the passes from array code to scheduled kernels with a memory plan."""
    target = target or find_target()
    split = f"split-reductions{{vector-bytes={target.vector_bytes}}}"
    return (*FORMATION, "unroll-rows", *_cut(target), split, *_planning(target, entry, donated))


def lowering_of_sizes(target: Target, entry: str = "main", donated: Sequence[int] = ()) -> tuple[str, ...]:
    """List the same for all sizes of a range: no rows are unrolled, and no reductions split."""
    return (*FORMATION, *_cut(target), *_planning(target, entry, donated))


FORMATION: Final = ("join-contractions", "assign-fft-layouts", "form-kernels", "fuse-kernels")
"""Array code as kernels."""


def _cut(target: Target) -> tuple[str, ...]:
    """List the passes that cut loops of kernels into loops around strips, or around elements."""
    return ("strip-mine", f"form-recurrences{{vector-bytes={target.vector_bytes}}}")


def _planning(target: Target, entry: str, donated: Sequence[int]) -> tuple[str, ...]:
    """List the passes that decide how kernels run, and where their results lie."""
    plan = "plan-memory"
    if donated:
        plan += f"{{entry={entry} donate={','.join(map(str, donated))}}}"
    vectors = f"{{vector-bytes={target.vector_bytes}}}"
    last = f"complete-schedules{vectors}"
    return (f"schedule-kernels{vectors}", f"eliminate-dead-elements{vectors}", plan, last)


def completion(target: Target) -> tuple[str, ...]:
    """List the passes that complete kernels given as text: these are neither fused nor cut; plans stay."""
    given = f"{{vector-bytes={target.vector_bytes} keep=true}}"
    formed = ("assign-fft-layouts", "form-kernels{keep=true}")
    return (*formed, f"schedule-kernels{given}", "plan-memory{keep=true}", f"complete-schedules{given}")


def sweep_preparation() -> tuple[ModulePass, ...]:
    """Make the passes before a sweep, which eliminate functions as values, and builds."""
    return _made(("eliminate-functions", *BULK))


def pipeline(options: Options, target: Target | None = None) -> tuple[ModulePass, ...]:
    """Make the passes that bring a module from one stage to another.

    The target, by default the one that the environment asks for, counts for kernels alone.
    """
    if options.end == "kernels":
        target = target or find_target()
    passes = (*options.first, *_passes(replace(options, first=(), until=None), target))
    names = [p.name for p in reversed(passes)]
    return passes[: len(passes) - names.index(options.until)] if options.until in names else passes


@lru_cache(maxsize=256)
def _passes(options: Options, target: Target | None) -> tuple[ModulePass, ...]:
    blocks: tuple[str, ...] = ()
    if options.block_bytes is not None:
        blocks = (f"builds-to-loops{{limit={options.block_bytes}}}",)
    elif isinstance(options.chunk, int):
        blocks = (f"builds-to-loops{{chunk={options.chunk}}}",)
    match options.end:
        case "program":
            return ()
        case "maps":
            return _made((*_mapped(options, blocks), "mlirad-inline"))
        case "plain-maps":
            return _made((*_mapped(options, blocks), "mlirad-inline", "expand-lambdas"))
        case "expanded":
            return _made(_expansion(options, expansion(options.method, blocks)))
        case "arrays":
            return _made(_expansion(options, array_code(options.method, blocks)))
        case "kernels":
            assert target is not None
            expanded: tuple[str, ...] = ()
            if options.start == "program":
                expanded = _expansion(options, array_code(options.method, blocks))
            if options.start == "kernels":
                lowered = completion(target)
            elif options.large:
                lowered = lowering_of_sizes(target, options.entry, options.donated)
            else:
                lowered = (
                    *instantiation(options.sizes),
                    *lowering(target, options.entry, options.donated),
                )
            entry = ArgSpec("mlirad-symbol-dce", {"entry": (options.entry,)})
            return (*_made(expanded), make_pass(entry), *_made(lowered))


def _mapped(options: Options, blocks: Sequence[str]) -> tuple[str, ...]:
    """List the passes to derivatives as linear maps, with the options' method and rows for records."""
    return _roomy(linearization(options.method, blocks), options.rooms)


def _roomy(passes: tuple[str, ...], rooms: Sequence[int]) -> tuple[str, ...]:
    """Set the numbers of rows for records, if any are given."""
    if not rooms:
        return passes
    told = f"{{rooms={','.join(map(str, rooms))}}}"
    return tuple(text + told if text in _ROOMY else text for text in passes)


_ROOMY: Final = ("records-to-rows", "expand-inner-derivatives")
"""The passes that make rows for records."""


def _expansion(options: Options, passes: tuple[str, ...]) -> tuple[str, ...]:
    """Set the rows for records; with `check_absorbed`, name ops before the passes and check after them."""
    expanded = _roomy(passes, options.rooms)
    return ("name-ops", *expanded, "check-absorbed") if options.check_absorbed else expanded


def _made(texts: Sequence[str]) -> tuple[ModulePass, ...]:
    return make_passes(",".join(texts)) if texts else ()


BY_METHOD: Final[Mapping[str, Callable[[str], tuple[str, ...]]]] = {
    "expand": expansion,
    "grad": gradient,
    "compile": compilation,
}
"""The pipelines with a name that take the option `method`."""

PIPELINES: Final[Mapping[str, Callable[[], tuple[str, ...]]]] = {
    "simplify": lambda: SIMPLIFY,
    "expand": expansion,
    **{f"expand-{method}": partial(expansion, method) for method in ALL_METHODS},
    "apply": lambda: APPLY,
    "grad": gradient,
    "lower": lowering,
    "compile": compilation,
}
"""Every pipeline with a name, for the target that the environment asks for."""


def pipeline_passes(text: str) -> tuple[ModulePass, ...]:
    """Make the passes of the pipelines that `text` names.

    Options go to the pipeline's first pass, as in `grad{function=f wrt=0,1}`, except for `method`, which says
    how derivatives are expanded. Raises `UnsupportedError` for a name that is not of a pipeline.
    """
    passes: list[ModulePass] = []
    for spec in parse_specs(text):
        if spec.name not in PIPELINES:
            raise UnsupportedError(
                f"there is no pipeline {spec.name!r}", hint=f"there are {', '.join(PIPELINES)}"
            )
        given = dict(spec.parameters)
        if spec.name in BY_METHOD and "method" in given:
            method = ",".join(map(str, given.pop("method")))
            texts = BY_METHOD[spec.name](method)
        else:
            texts = PIPELINES[spec.name]()
        first, *rest = (inner for listed in texts for inner in parse_specs(listed))
        passes.append(make_pass(ArgSpec(first.name, {**first.parameters, **given})))
        passes += [make_pass(inner) for inner in rest]
    return tuple(passes)


def with_conversions(passes: Sequence[ModulePass], module: ModuleOp, *, back: bool) -> tuple[ModulePass, ...]:
    """The passes, of a program over upstream dialects between the conversions from these and `back` to these,
    and of one in StableHLO after the conversion from it.

    Where the passes begin with a conversion, or there are none to run in between, they stay as they are.
    """
    starts = bool(passes) and isinstance(passes[0], ConversionPass)
    if not starts and is_stablehlo(module) and (passes or not back):
        return (*_made(("convert-stablehlo-to-array",)), *passes)
    if starts or not is_upstream(module) or (back and not passes):
        return tuple(passes)
    last = ("convert-from-array",) if back and not isinstance(passes[-1], ConversionPass) else ()
    return (*_made(("convert-to-array",)), *passes, *_made(last))


# Running them ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PassRun:
    """A pass, or `emit`, that ran and left `module`, with the seconds that it and the check after it took."""

    name: str
    module: ModuleOp
    seconds: float
    verify_seconds: float = 0.0
    run: ModulePass | None = None
    """The pass with its options."""
    moves: Sequence[Move] = ()
    """Changes that a pass of lowering considered."""


Before: TypeAlias = Callable[[ModulePass, ModuleOp], None]
After: TypeAlias = Callable[[PassRun], None]
Verify: TypeAlias = Callable[[ModulePass], bool]


def always(_: ModulePass) -> bool:
    """Verify after every pass."""
    return True


def never(_: ModulePass) -> bool:
    """Verify after no pass."""
    return False


def run_passes(
    module: ModuleOp,
    passes: Sequence[ModulePass],
    *,
    context: Context | None = None,
    verify: Verify = always,
    before: Before | None = None,
    after: After | None = None,
) -> None:
    """Run the passes on `module`, in place, and check after those that `verify` names that it is a program.

    `before` and `after` are called around each pass. Raises the error of the pass, or `VerifyError` if what
    it leaves is not a program; a pass that fails in any other way is a defect of mlirad, and a
    `CompileError`.
    """
    context = make_context() if context is None else context
    foreign = frozenset[str]()
    done: list[str] = []
    for pass_ in passes:
        if foreign and not foreign <= reads((pass_,)):
            verify_module(module, allow_unregistered=context.allow_unregistered, foreign=reads((pass_,)))
        foreign = leaves(pass_)
        if before is not None:
            before(pass_, module)
        start = time.perf_counter()
        moves: Sequence[Move] = ()
        if after is None:
            _run(pass_, context, module)
        else:
            moves = watched(_run)(pass_, context, module)
        done.append(pass_.name)
        require_stage(done, module)
        ran = time.perf_counter()
        if verify(pass_):
            _verify_after(pass_, context, module)
        if after is not None:
            after(PassRun(pass_.name, module, ran - start, time.perf_counter() - ran, pass_, tuple(moves)))


def _run(pass_: ModulePass, context: Context, module: ModuleOp) -> None:
    try:
        deep_recursion(standard_floats(pass_.apply))(context, module)
    except SizeNeeded as error:
        raise SizeNeeded(
            f"pass {pass_.name!r} needs a number: {error.message}",
            error.extent,
            hint="put numbers in place of sizes first: instantiate-sizes{n=1000}",
        ) from error
    except MliradError:
        raise
    except RecursionError as error:
        raise UnsupportedError(
            f"the program is nested too deeply for pass {pass_.name!r}",
            hint="make shorter chains of ops that depend on each other, or loops of them",
        ) from error
    except MemoryError as error:
        raise OutOfMemoryError(
            f"there is no memory for pass {pass_.name!r}",
            hint="raise the limit of the process, or free memory",
        ) from error
    except DiagnosticException as error:
        raise CompileError(f"pass {pass_.name!r} failed: {error}") from error
    except Exception as error:
        if is_from_signal(error):
            raise
        raise CompileError(
            f"pass {pass_.name!r} failed with {type(error).__name__}: {error}",
            hint="this is a defect of mlirad",
        ) from error


def _verify_after(pass_: ModulePass, context: Context, module: ModuleOp) -> None:
    try:
        unregistered = context.allow_unregistered
        verify_module(module, allow_unregistered=unregistered, foreign=leaves(pass_))
    except ArraySizeError as error:
        raise UnsupportedError(
            f"pass {pass_.name!r} makes an array that is too large: {error.message}",
            location=error.location,
            hint="a loop keeps values of all its iterations for its reverse sweep, a build all its positions",
        ) from error
    except MliradError as error:
        raise error.restated(f"after pass {pass_.name!r}: {error.message}", error.location) from error


# Inside of passes -------------------------------------------------------------------------------------


def _inner_expansion(method: str) -> tuple[str, ...]:
    """List the passes that expand inner derivatives; ties were expanded while all orders were visible."""
    return tuple(name for name in expansion(method) if name != "expand-ties")


def _inner_expansion_but_calls(method: str) -> tuple[str, ...]:
    """List the same passes for what is differentiated again: derivatives of functions remain ops."""
    again = {f"linearize{{method={method}}}": f"linearize{{method={method} again=true}}"}
    passes = _inner_expansion(method)
    return tuple(again.get(name, name) for name in passes if name != "outline-derivatives")


def _run_inner(
    passes: Callable[[], tuple[str, ...]], context: Context, module: ModuleOp, rooms: Sequence[int] = ()
) -> None:
    run_passes(module, _made(_roomy(passes(), rooms)), context=context)


_IN_MODULES: Final[Mapping[str, Callable[[], tuple[str, ...]]]] = {
    **{f"expand-{method}": partial(_inner_expansion, method) for method in METHODS},
    **{f"expand-but-calls-{method}": partial(_inner_expansion_but_calls, method) for method in METHODS},
    **{method: partial(tuple[str, ...], passes) for method, passes in BY_SPECIFICATION.items()},
    "lower-remaining-builds": lambda: ("bulk-operations", "builds-to-loops"),
    "outline-derivatives": lambda: ("bulk-operations",),
}
INNER.update((name, partial(_run_inner, passes)) for name, passes in _IN_MODULES.items())

_CLEAN: Final = ("mlirad-dce", "spectral-functions")
_EXPAND: Final = ("linearize", "apply-linear-maps")
_EXPAND_SIMPLY: Final = ("linearize", "simplify-maps", "apply-linear-maps")
_BUILDS: Final = "mlirad-inline{builds=true}"

PREPARATIONS.update(
    {
        "dual-arrays": Preparation(
            ("mlirad-inline", *_EXPAND, "bulk-operations", *_CLEAN), (*_EXPAND, "mlirad-dce")
        ),
        "jacobian": Preparation((*_EXPAND_SIMPLY, _BUILDS, *_CLEAN), (*_EXPAND_SIMPLY, "mlirad-dce")),
        "chad": Preparation((*_EXPAND, _BUILDS, "bulk-operations", *_CLEAN), (*_EXPAND, "mlirad-dce")),
    }
)
