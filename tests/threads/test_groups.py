"""Groups of strips: what they hand over adds up to the totals, however many strips there are."""

from __future__ import annotations

from collections.abc import Sequence
from unittest.mock import patch

import numpy as np
import numpy.typing as npt
import pytest
from xdsl.dialects.builtin import ModuleOp, f64
from xdsl.dialects.func import FuncOp
from xdsl.utils.test_value import create_ssa_value

from mlirad.dialects.array.control import ScanOp
from mlirad.dialects.array.custom import CUSTOM_OPS
from mlirad.dialects.array.indexing import BuildOp
from mlirad.dialects.kernel import NestOp
from mlirad.dialects.kernel.strips import StripsOp
from mlirad.dialects.shapes import array_type
from mlirad.interpreter import run_function
from mlirad.ir.builder import function_block, yields
from mlirad.ir.verification import verify_module
from mlirad.jit.call import NativeFunction
from mlirad.jit.target import find_target
from mlirad.lower.cpu.schedule_kernels import parallel, schedule_function
from mlirad.lower.cpu.split_reductions import split_reductions
from mlirad.lower.cpu.split_reductions.totals import MOST_BYTES, TOTALS_SHARE, bytes_of, most_parts
from mlirad.lower.kernels.plan_memory import plan_function
from mlirad.lower.kernels.plan_verification import verify_plan
from mlirad.lower.machine import parts_cycles
from tests.generators.programs import random_program
from tests.lower.loops import function
from tests.lower.native import compiled_program
from tests.lower.test_kernel_passes import arguments
from tests.lower.test_strip_mine import ROWS_AND_TOTALS, SCATTERS, SUMS, in_strips
from tests.threads.sharing import digests, everything_shared


def check(f: FuncOp, args: Sequence[npt.ArrayLike], rows: int) -> list[StripsOp]:
    """Require of strips of `rows` rows that threads share that they keep the results; gives the groups."""
    want = run_function(f, list(args))
    vector_bytes = find_target().vector_bytes
    with everything_shared():
        formed = in_strips(f, rows)
        split_reductions(function_block(formed), vector_bytes=vector_bytes)
        verify_module(ModuleOp([formed.clone()]))
        groups = [op for op in formed.body.block.ops if isinstance(op, StripsOp) and op.part_count]
        planned = plan_function(schedule_function(formed, vector_bytes=vector_bytes))
    verify_plan(planned)
    runs = [run_function(planned, list(args))]
    for checks in (False, True):
        program = compiled_program(ModuleOp([planned.clone()]), planned.sym_name.data, checks=checks)
        assert len(set(digests(program, list(args)).values())) == 1
        runs.append(NativeFunction(program, debug=checks, threads=2)(*args))
    for results in runs:
        for one, other in zip(results, want, strict=True):
            np.testing.assert_allclose(np.asarray(one), other, rtol=1e-12, atol=1e-12)
    return groups


@pytest.mark.parametrize(
    ("rows", "tasks"), [(1, 128), (5, 128), (8, 128), (16, 128), (5, 2), (8, 2), (16, 2)]
)
def test_rows_and_totals(rows: int, tasks: int) -> None:
    """With 37 rows, some strips overlap, and so do groups of them; where there are tasks enough, each strip
    is a group.
    """
    generator = np.random.default_rng(rows)
    args = [generator.normal(size=(37, 3)), generator.normal(size=3)]
    with patch.object(parallel, "MOST_TASKS", tasks):
        (groups,) = check(function(ROWS_AND_TOTALS), args, rows)
    assert (groups.carry_count, groups.part_count, len(groups.joined)) == (0, 5, 1)
    is_single = not any(isinstance(op, StripsOp) for op in groups.body.walk())
    assert is_single == (tasks > 2) and (not is_single or groups.strip_rows == rows)
    if is_single:  # what it hands over is not added to a total of nothing before
        parts = [made.owner for made in yields(groups.body)[len(groups.joined) :]]
        assert all(isinstance(nest, NestOp) and nest.combiners is not None for nest in parts)


def test_large_totals_cost_a_share() -> None:
    """The number of groups is bounded by what their totals cost, and grows with the work."""
    value = create_ssa_value(array_type((100, 8), f64))
    counts = [most_parts(cycles, [value], 1000) for cycles in (1e4, 1e6, 1e8)]
    assert counts == sorted(set(counts)) and counts[0] == 1
    for cycles, count in zip((1e6, 1e8), counts[1:], strict=True):
        assert count * bytes_of([value]) <= MOST_BYTES
        assert parts_cycles(count, bytes_of([value])) <= TOTALS_SHARE * cycles


def test_totals_of_scatters() -> None:
    """A group begins at 0 whatever the base is, to which the sum of all is added."""
    generator = np.random.default_rng(5)
    args = [generator.normal(size=(40, 3)), generator.integers(0, 7, 40), generator.normal(size=(7, 3))]
    for rows in (5, 16):
        (groups,) = check(function(SCATTERS.replace("update set", "update add")), args, rows)
        assert groups.part_count == 2
    assert not check(function(SCATTERS), args, 5)


def test_totals_of_loops() -> None:
    """The iterations of a loop in a strip add to sums that go from strip to strip."""
    generator = np.random.default_rng(6)
    args: list[npt.ArrayLike] = [generator.normal(size=3), generator.normal(size=(50, 3))]
    args += [generator.integers(0, 4, 50), generator.normal(size=3), generator.normal(size=4)]
    for rows in (10, 16):
        (groups,) = check(function(SUMS), args, rows)
        assert groups.part_count == 3
        assert any(isinstance(op, ScanOp) for op in groups.walk())


@pytest.mark.parametrize("seed", range(20))
def test_random_programs(seed: int) -> None:
    program = random_program(
        seed, 14, allow=lambda op_class: op_class not in (BuildOp, *CUSTOM_OPS), straight=True
    )
    main = next(op for op in program.body.block.ops if isinstance(op, FuncOp))
    check(main, arguments(main, seed), 1 + seed % 3)
