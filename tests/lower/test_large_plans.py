"""Memory plans of programs with sizes: what lies in the arena lies apart at every size."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.func import FuncOp

from mlirad.compiler import transform
from mlirad.dialects.extents import evaluate, size, sizes_within
from mlirad.dialects.kernel import NestOp
from mlirad.dialects.shapes import integer, ints, values_of
from mlirad.errors import VerifyError
from mlirad.ir.parsing import parse_module
from mlirad.lower.kernels.arena_offsets import ends_before, is_place
from mlirad.lower.kernels.plan_memory import ARENA_ATTRIBUTE
from mlirad.lower.kernels.plan_memory.arena import SizedArena
from mlirad.lower.kernels.plan_verification import verify_plan
from mlirad.lower.large_sizes import LARGE
from mlirad.lower.native_program import BUFFER_ALIGNMENT
from mlirad.pipeline_options import Options
from tests.lower.sized_programs import array, function


def moved(offset: int) -> int:
    """The first address of a piece that is placed there."""
    return -(-offset // BUFFER_ALIGNMENT) * BUFFER_ALIGNMENT


@pytest.mark.parametrize("seed", range(20))
def test_pieces_of_an_arena_lie_apart(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, m = size("n"), size("m")
    arena = SizedArena()
    live: list[tuple[int, int]] = []
    pairs: set[tuple[int, int, int, int]] = set()

    def fill() -> None:
        for _ in range(40):
            if live and rng.random() < 0.5:
                arena.release(*live.pop(int(rng.integers(len(live)))))
                continue
            a, b, c = (int(k) for k in rng.integers(0, 9, 3))
            bytes_ = [8 * a * n + b, 8 * a * n * m + 4 * c, 40 * c + 1, 8 * (n // (a + 1)) + b][
                rng.integers(4)
            ]
            start = arena.take(bytes_)
            assert is_place(start)
            assert ends_before(start, bytes_, arena.size)
            for other, extent in live:
                assert ends_before(start, bytes_, other) or ends_before(other, extent, start)
                pairs.add((start, bytes_, other, extent))
            live.append((start, bytes_))

    sizes_within(LARGE)(fill)()
    for sizes in ({"n": 256, "m": 256}, {"n": 263, "m": 1001}, {"n": 4099, "m": 257}):
        for piece in pairs:
            start, bytes_, other, extent = (evaluate(e, sizes) for e in piece)
            assert moved(start) + bytes_ <= moved(other) or moved(other) + extent <= moved(start)
            assert moved(start) + bytes_ <= evaluate(arena.size, sizes)


def planned() -> FuncOp:
    """Two intermediate results that are needed at once."""
    x, rows = array("n", 8), array("n")
    text = function(
        {"x": x},
        [
            f"%0 = array.sum %x {{dims = [1]}} : {x} -> {rows}",
            f"%1 = array.reduce max %x {{dims = [1]}} : {x} -> {rows}",
            f"%2 = array.sum %1 {{dims = [0]}} : {rows} -> f64",
            f"%3 = array.broadcast %2 {{dims = []}} : f64 -> {rows}",
            f"%4 = array.mul %0, %3 : {rows}",
            f"%5 = array.reduce max %4 {{dims = [0]}} : {rows} -> f64",
            f"%6 = array.broadcast %5 {{dims = []}} : f64 -> {rows}",
            f"%7 = array.div %1, %6 : {rows}",
            f"%8 = array.add %4, %7 : {rows}",
        ],
        {"8": rows},
    )
    module = parse_module(text)
    transform(module, Options(start="arrays", large=True))
    (made,) = module.body.block.ops
    assert isinstance(made, FuncOp)
    return made


def verified(made: FuncOp) -> None:
    sizes_within(LARGE)(verify_plan)(made)


def test_plans_that_do_not_hold_for_all_sizes() -> None:
    made = planned()
    verified(made)
    arena = made.attributes[ARENA_ATTRIBUTE]
    made.attributes[ARENA_ATTRIBUTE] = integer(8 * size("n"))
    with pytest.raises(VerifyError, match="does not fit"):
        verified(made)
    made.attributes[ARENA_ATTRIBUTE] = arena
    stored = [op for op in made.walk() if isinstance(op, NestOp) and op.places is not None]
    first, second = [
        (op, k) for op in stored for k, place in enumerate(values_of(op.places or ints(()))) if place != -1
    ][:2]
    places = {op: list(values_of(op.places or ints(()))) for op in stored}
    for wrong in (places[first[0]][first[1]], places[first[0]][first[1]] + 4 * size("n"), 8):
        op, k = second
        changed = [wrong if j == k else place for j, place in enumerate(places[op])]
        op.properties["places"] = ints(tuple(changed))
        with pytest.raises(VerifyError):
            verified(made)
        op.properties["places"] = ints(tuple(places[op]))
    verified(made)
