"""Random programs of rows, split, against the same programs of all rows.

    outcome = tried(seed)            "agrees", "refused", or "open" where there is no program for the seed

A plan must compute what the function computes, except for rounding, for any chunks and any choice of
residuals, with the same bits for any grouping; or `SplitError` says why there is no plan.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, Literal

import numpy as np
from xdsl.dialects.builtin import ModuleOp, StringAttr

from mlirad.compiler import transform
from mlirad.dialects.concrete_sizes import function_at, state_sizes
from mlirad.dialects.shapes import is_float
from mlirad.distributed.local import at_rows, run
from mlirad.errors import DifferentiationError, SizeNeeded, SplitError
from mlirad.interpreter import run_function
from mlirad.ir.call_graph import functions_by_name
from mlirad.passes.differentiate import DifferentiatePass
from mlirad.passes.shard_rows import Residuals, plan_of_module
from mlirad.pipeline_options import Options
from tests.generators.arguments import random_value
from tests.generators.row_programs import random_row_lanes, random_row_program

Outcome = Literal["agrees", "refused", "open", "unsettled"]

TOLERANCE: Final = 1e-13
POLICIES: Final[tuple[Residuals, ...]] = ("cost", "keep", "again")


class Disagreement(AssertionError):
    """A plan computes something else."""


def tried(seed: int, size: int | None = None) -> Outcome:
    """Split one random program, and compare. Raises `Disagreement`."""
    rng = random.Random(seed)
    size = rng.randint(2, 14) if size is None else size
    kind = rng.choice(("any", "smooth", "gradient", "gradient", "lanes", "lanes gradient"))
    module = source_of(kind, seed, size)
    if module is None:
        return "open"
    total = rng.randint(2, 40)
    given = function_at(functions_by_name(module)["main"], {"n": total}).function_type.inputs.data
    arguments = [random_value(t, rng) for t in given]
    try:
        code = expanded(module, kind)
    except (SizeNeeded, DifferentiationError):
        return "open"
    main = functions_by_name(code)["main"]
    sized = function_at(main, {"n": total}).function_type.inputs.data
    arguments += [random_value(t, rng) for t in sized[len(arguments) :]]
    try:
        plans = [plan_of_module(code.clone(), "n", policy) for policy in POLICIES]
    except SplitError:
        return "refused"
    expected = [np.asarray(v) for v in run_function(code, arguments)]
    for plan in plans:
        chunks = random_chunks(rng, total)
        found = run(plan, arguments, chunks, interpreted)
        if worst(found, expected) > TOLERANCE:
            spread = worst_of_jitter(code, arguments, expected, rng)
            if spread * 100 > worst(found, expected):
                return "unsettled"
            raise Disagreement(
                f"seed {seed} size {size} {kind} n={total} chunks {chunks}: {worst(found, expected)}"
            )
    return "agrees"


def source_of(kind: str, seed: int, size: int) -> ModuleOp | None:
    """The program of a seed, before it is differentiated."""
    if kind.startswith("lanes"):
        return random_row_lanes(seed, size)
    return random_row_program(seed, size, smooth=kind != "any")


def expanded(module: ModuleOp, kind: str) -> ModuleOp:
    """The program, or its derivative, as array code with `@main`."""
    copied = module.clone()
    if not kind.endswith("gradient"):
        transform(copied, Options(end="arrays"))
        return copied
    main = functions_by_name(copied)["main"]
    floats = tuple(k for k, t in enumerate(main.function_type.inputs.data) if is_float(t))
    transform(copied, Options(first=(DifferentiatePass("main", floats),), end="arrays"))
    functions = functions_by_name(copied)
    old = functions["main"]
    old.detach()
    old.erase()
    functions["main_grad"].properties["sym_name"] = StringAttr("main")
    state_sizes(functions["main_grad"])
    return copied


def random_chunks(rng: random.Random, total: int) -> list[int]:
    """The rows of chunks; some have none or one."""
    chunks: list[int] = []
    while sum(chunks) < total:
        chunks.append(min(rng.choice((0, 1, 1, 2, 3, 5, 8, 13, 40)), total - sum(chunks)))
    rng.shuffle(chunks)
    return chunks


@lru_cache(maxsize=64)
def _parsed(text: str, rows: int) -> ModuleOp:
    return at_rows(text, rows)


def interpreted(text: str, rows: int) -> Any:
    """A program of a plan, run by the interpreter."""
    return lambda *arguments: run_function(_parsed(text, rows), arguments)


def worst(found: Sequence[Any], expected: Sequence[Any]) -> float:
    """The largest difference by the largest entry; infinite where shapes, types or NaNs differ."""
    finite = [np.abs(v[np.isfinite(v)]).astype(float) for v in expected if v.dtype.kind == "f"]
    top = max((float(np.max(v, initial=0.0)) for v in finite), default=0.0) or 1.0
    error = 0.0
    for a, b in zip(found, expected, strict=True):
        if a.shape != b.shape or a.dtype != b.dtype:
            return np.inf
        if b.dtype.kind != "f":
            if not np.array_equal(a, b):
                return np.inf
            continue
        scale = 2.0**29 if b.dtype == np.float32 else 1.0
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        with np.errstate(all="ignore"):
            difference = np.where(same, 0.0, np.abs(a.astype(float) - b.astype(float)))
        error = max(error, float(np.max(np.nan_to_num(difference, nan=np.inf), initial=0.0)) / top / scale)
    return error


def worst_of_jitter(
    code: ModuleOp, arguments: Sequence[Any], expected: Sequence[Any], rng: random.Random
) -> float:
    """Measure how much results change with the last bits of the arguments."""
    found = 0.0
    for _ in range(4):
        moved = [_moved(np.asarray(a), rng) for a in arguments]
        found = max(found, worst([np.asarray(v) for v in run_function(code, moved)], expected))
    return found


def _moved(array: Any, rng: random.Random) -> Any:
    if array.dtype.kind != "f":
        return array[()]
    steps = np.array([rng.uniform(-4, 4) for _ in range(array.size)]).reshape(array.shape)
    return (array * (1 + steps * np.finfo(array.dtype).eps)).astype(array.dtype)[()]
