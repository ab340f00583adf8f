"""The passes by name. Nothing is imported until a pass is asked for.

    make_passes("mlirad-cse,linearize{method=dual-arrays}")
        -->  (CsePass(), LinearizePass(method="dual-arrays"))

A pass is written as its name and, in braces, its options separated by spaces: these are the fields of the
pass, with `-` for `_`. Names that xDSL has too begin with `mlirad-`, because both sets are visible in
`xdsl-opt`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, cast

from xdsl.passes import ModulePass
from xdsl.utils.arg_spec import ArgSpec, parse_pipeline
from xdsl.utils.exceptions import ArgSpecParseError

from mlirad.errors import UnsupportedError
from mlirad.packages import load

PASS_MODULES: dict[str, str] = {
    "mlirad-canonicalize": "mlirad.passes.canonicalize",
    "mlirad-cse": "mlirad.passes.cse",
    "mlirad-dce": "mlirad.passes.dce",
    "eliminate-functions": "mlirad.passes.eliminate_functions",
    "tail-calls-to-loops": "mlirad.passes.eliminate_functions",
    "record-walks-to-loops": "mlirad.passes.eliminate_functions",
    "records-to-rows": "mlirad.passes.eliminate_functions",
    "mlirad-inline": "mlirad.passes.inline",
    "mlirad-symbol-dce": "mlirad.passes.symbol_dce",
    "mark-no-inline": "mlirad.passes.mark_no_inline",
    "reroll-loops": "mlirad.passes.reroll_loops",
    "builds-to-loops": "mlirad.passes.builds_to_loops",
    "bulk-operations": "mlirad.passes.bulk_operations",
    "slice-gathers": "mlirad.passes.slice_gathers",
    "smooth-identities": "mlirad.passes.smooth_identities",
    "expand-ties": "mlirad.passes.expand_ties",
    "raise-contractions": "mlirad.passes.raise_contractions",
    "complex-to-real-ffts": "mlirad.passes.complex_to_real_ffts",
    "stop-shift-gradients": "mlirad.passes.stop_shift_gradients",
    "spectral-functions": "mlirad.passes.spectral_functions",
    "lower-deviations": "mlirad.passes.lower_deviations",
    "differentiate": "mlirad.passes.differentiate",
    "taylor": "mlirad.passes.taylor",
    "chad": "mlirad.passes.chad.specification",
    "curry": "mlirad.passes.curry",
    "maps-to-closures": "mlirad.passes.eliminate_functions",
    "name-ops": "mlirad.passes.check_absorbed",
    "check-absorbed": "mlirad.passes.check_absorbed",
    "linearize": "mlirad.passes.linearize",
    "sweep": "mlirad.passes.sweep",
    "split-maps": "mlirad.passes.split_map",
    "simplify-maps": "mlirad.passes.simplify_maps",
    "expand-lambdas": "mlirad.passes.expand_lambdas",
    "defunctionalise-maps": "mlirad.passes.defunctionalise_maps",
    "apply-linear-maps": "mlirad.passes.apply_linear_maps",
    "outline-derivatives": "mlirad.passes.outline_derivatives",
    "drop-unused-rules": "mlirad.passes.lower_custom_derivatives",
    "lower-custom-derivatives": "mlirad.passes.lower_custom_derivatives",
    "lower-checkpoints": "mlirad.passes.lower_checkpoints",
    "expand-solves": "mlirad.passes.expand_solves",
    "expand-formulas": "mlirad.passes.expand_formulas",
    "lower-remaining-builds": "mlirad.passes.lower_remaining_builds",
    "expand-inner-derivatives": "mlirad.passes.expand_inner_derivatives",
    "fuse-loops": "mlirad.passes.fuse_loops",
    "stacks-to-undo-logs": "mlirad.passes.stacks_to_undo_logs",
    "cse-sorts": "mlirad.passes.cse_sorts",
    "sink-scatter-adds": "mlirad.passes.sink_scatter_adds",
    "instantiate-sizes": "mlirad.passes.instantiate_sizes",
    "shard-rows": "mlirad.passes.shard_rows",
    "join-contractions": "mlirad.lower.kernels.join_contractions",
    "assign-fft-layouts": "mlirad.lower.kernels.assign_fft_layouts",
    "form-kernels": "mlirad.lower.kernels.form_kernels",
    "fuse-kernels": "mlirad.lower.kernels.fuse_kernels",
    "split-reductions": "mlirad.lower.cpu.split_reductions",
    "eliminate-dead-elements": "mlirad.lower.cpu.eliminate_dead_elements",
    "strip-mine": "mlirad.lower.kernels.strip_mine",
    "form-recurrences": "mlirad.lower.cpu.form_recurrences",
    "unroll-rows": "mlirad.lower.kernels.unroll_rows",
    "schedule-kernels": "mlirad.lower.cpu.schedule_kernels",
    "plan-memory": "mlirad.lower.kernels.plan_memory",
    "complete-schedules": "mlirad.lower.cpu.complete_schedules",
    "convert-to-array": "mlirad.passes.convert_to_array",
    "convert-from-array": "mlirad.passes.convert_from_array",
    "convert-stablehlo-to-array": "mlirad.passes.convert_stablehlo",
}
"""The module that defines each pass."""

DEPRECATED: Final[Mapping[str, str]] = {
    "provenance": "sweep{instance=provenance mode=forward}",
    "formal-derivative": "sweep{instance=z2 mode=forward}",
    "restore-carries": "stacks-to-undo-logs",
    "keep-calls": "mark-no-inline",
    "share-sorts": "cse-sorts",
    "detach-shifts": "stop-shift-gradients",
    "skip-unread": "eliminate-dead-elements",
    "halve-transforms": "complex-to-real-ffts",
    "lay-out-transforms": "assign-fft-layouts",
    "write-out-rows": "unroll-rows",
    "roll-repetitions": "reroll-loops",
    "settle-builds": "lower-remaining-builds",
}
"""Deprecated names of passes, each with the text that replaces it. They go with the next minor version."""


def load_pass(name: str) -> type[ModulePass]:
    """Import the class of the pass `name`; raises `UnsupportedError` for an unknown name."""
    path = PASS_MODULES.get(name)
    if path is None:
        raise UnsupportedError(f"there is no pass {name!r}", hint=f"there are {', '.join(PASS_MODULES)}")
    for value in cast("dict[str, object]", vars(load(path))).values():
        if isinstance(value, type) and issubclass(value, ModulePass) and getattr(value, "name", "") == name:
            return value
    raise UnsupportedError(f"{path} does not define the pass {name!r}")


def parse_specs(text: str) -> tuple[ArgSpec, ...]:
    """Parse the passes, or pipelines, that `text` names, with their options as written."""
    try:
        return tuple(parse_pipeline(text))
    # xDSL's error is not an Exception; its last line says what was expected. Where the text ends early,
    # the reader may also run out of tokens.
    except (ArgSpecParseError, StopIteration, RuntimeError, ValueError) as error:
        reason = str(error).strip().rpartition("\n")[2].strip() or "it ends too early"
        raise UnsupportedError(
            f"cannot read the list of passes {text!r}: {reason}",
            hint="write pass,pass{option=value option=value},...",
        ) from error


def current_spec(spec: ArgSpec) -> ArgSpec:
    """Replace a deprecated name by the text for it; options that were given stay."""
    if spec.name not in DEPRECATED:
        return spec
    (new,) = parse_specs(DEPRECATED[spec.name])
    return ArgSpec(new.name, {**new.parameters, **spec.parameters})


def current_name(name: str, warn: Callable[[str], None]) -> str:
    """Replace a deprecated name of a pass; `warn` is called with a sentence that tells the new one."""
    if name in DEPRECATED:
        warn(f"the pass {name!r} is deprecated: write {DEPRECATED[name]}")
    return current_spec(ArgSpec(name, {})).name


def make_pass(spec: ArgSpec) -> ModulePass:
    """Make the pass with its options, by its current name.

    Raises `UnsupportedError` for a name or an option that does not exist.
    """
    spec = current_spec(spec)
    pass_class = load_pass(spec.name)
    try:
        return pass_class.from_spec(spec)
    except (ValueError, TypeError) as error:
        raise UnsupportedError(f"pass {spec.name!r}: {error}") from error


def make_passes(text: str) -> tuple[ModulePass, ...]:
    """Make the passes that `text` lists."""
    return tuple(make_pass(spec) for spec in parse_specs(text))
