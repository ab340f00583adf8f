"""Segments cover every iteration, stay inside the loop, and repeat only what they say."""

from __future__ import annotations

from collections import Counter

import pytest

from mlirad.dialects.extents import SizeRange, evaluate, size, sizes_within
from mlirad.lower.bodies import segments
from mlirad.lower.bodies.segments import Segment
from mlirad.lower.large_sizes import LARGE, SMALL


def iterations(cut: list[Segment]) -> Counter[int]:
    """How often each iteration is done by lanes that count."""
    done: Counter[int] = Counter()
    for segment in cut:
        for start in range(segment.lower, segment.upper, segment.step):
            first = min(start, segment.last_start) if segment.clamped else start
            for k in range(segment.repeated, segment.width * segment.copies):
                if segment.valid is None or first + k < segment.valid:
                    done[first + k] += 1
    return done


@pytest.mark.parametrize("extent", [*range(1, 40), 100, 127])
@pytest.mark.parametrize("asked", [1, 2, 8, 10, 32])
def test_lanes(extent: int, asked: int) -> None:
    for masks in (False, True):
        width = segments.fitting_width(extent, asked, 8, masks=masks)
        assert width & (width - 1) == 0
        for compact in (False, True):
            once = segments.output_lanes(extent, width, 8, may_repeat=False, compact=compact)
            assert iterations(once) == Counter(range(extent))
            repeated = segments.output_lanes(extent, width, 8, may_repeat=True, compact=compact)
            assert set(iterations(repeated)) == set(range(extent))
        pieces = segments.in_pieces(extent, width)
        assert iterations(pieces) == Counter(range(extent))
        assert pieces[-1].pieced_lanes == extent - extent // width * width
        for copies in (1, 2, 3, 4):
            once = segments.reduced_lanes(extent, width, copies, may_repeat=False)
            assert iterations(once) == Counter(range(extent))
            assert {s.width for s in once} == {width}
            repeated = segments.reduced_lanes(extent, width, copies, may_repeat=True)
            assert set(iterations(repeated)) == set(range(extent))


@pytest.mark.parametrize("extent", [2, 3, 7, 10, 41])
def test_unrolled_copies(extent: int) -> None:
    for copies in range(1, 12):
        assert iterations(segments.unrolled(extent, copies)) == Counter(range(extent))
        assert set(iterations(segments.unrolled(extent, copies, may_repeat=True))) == set(range(extent))


def at(cut: list[Segment], n: int) -> list[Segment]:
    """Segments of an extent with sizes in it, at a size."""
    numbers = {"n": n}
    return [
        segment._replace(
            lower=evaluate(segment.lower, numbers),
            upper=evaluate(segment.upper, numbers),
            repeated=evaluate(segment.repeated, numbers),
            valid=None if segment.valid is None else evaluate(segment.valid, numbers),
        )
        for segment in cut
    ]


N = size("n")


@pytest.mark.parametrize("extent", [N, N - 1, N - 2, 4 * N, N // 2, (N + 1) // 3])
@pytest.mark.parametrize("range_", [SMALL, LARGE])
def test_extents_with_sizes(extent: int, range_: SizeRange) -> None:
    sizes = [range_.least + k for k in (0, 1, 2, 5, 7, 14)]

    def check() -> None:
        for width, native in ((1, 4), (4, 4), (8, 4), (16, 8)):
            for masks in (False, True):
                for compact in (False, True):
                    once, repeated = (
                        segments.output_lanes(
                            extent, width, native, may_repeat=may_repeat, compact=compact, masks=masks
                        )
                        for may_repeat in (False, True)
                    )
                    for n in sizes:
                        wanted = range(evaluate(extent, {"n": n}))
                        assert iterations(at(once, n)) == Counter(wanted)
                        assert set(iterations(at(repeated, n))) == set(wanted)
            for copies in (1, 4):
                once = segments.reduced_lanes(extent, width, copies, may_repeat=False)
                tiles = [segments.unrolled(extent, copies + 1, may_repeat=r) for r in (False, True)]
                for n in sizes:
                    wanted = range(evaluate(extent, {"n": n}))
                    assert iterations(at(once, n)) == Counter(wanted)
                    assert [set(iterations(at(tile, n))) for tile in tiles] == [set(wanted), set(wanted)]

    sizes_within(range_)(check)()
