"""Segments cover every iteration, stay inside the loop, and repeat only what they say."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import pytest
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects.extents import SizeRange, evaluate, size, sizes_within
from mlirad.dialects.kernel.schedules import CutLoops, Segment
from mlirad.lower.bodies.segments import pieced_lanes
from mlirad.lower.cpu.complete_schedules import cut
from mlirad.lower.large_sizes import LARGE, SMALL


def iterations(segments: Sequence[Segment]) -> Counter[int]:
    """The number of times that each iteration is done by lanes that count."""
    done: Counter[int] = Counter()
    for segment in segments:
        for start in range(segment.lower, segment.upper, segment.step):
            first = min(start, segment.last_start) if segment.clamped else start
            for k in range(segment.repeated, segment.width * segment.copies):
                if not segment.masked or first + k < segment.upper:
                    done[first + k] += 1
    return done


def is_sound(segments: Sequence[Segment], extent: int, *, may_repeat: bool) -> bool:
    """Return whether the verifier takes the segments of a loop of lanes or of copies."""
    width = max(s.width for s in segments) if segments else 1
    loops = CutLoops.of([(0, segments)], 1, lane=0 if width > 1 else None, tile=0, width=width)
    try:
        loops.check_segments((extent,), (0,), (0,) if may_repeat else ())
    except VerifyException:
        return False
    return True


@pytest.mark.parametrize("extent", [*range(1, 40), 100, 127])
@pytest.mark.parametrize("asked", [1, 2, 8, 10, 32])
def test_lanes(extent: int, asked: int) -> None:
    for masks in (False, True):
        width = cut.fitting_width(extent, asked, 8, masks=masks)
        assert width & (width - 1) == 0
        for compact in (False, True):
            once = cut.output_lanes(extent, width, 8, may_repeat=False, compact=compact)
            assert is_sound(once, extent, may_repeat=False)
            assert iterations(once) == Counter(range(extent))
            repeated = cut.output_lanes(extent, width, 8, may_repeat=True, compact=compact)
            assert is_sound(repeated, extent, may_repeat=True)
            assert set(iterations(repeated)) == set(range(extent))
        for block in (width, 2 * width):
            pieces = cut.in_pieces(extent, width, paired=block > width)
            assert iterations(pieces) == Counter(range(extent)) and is_sound(pieces, extent, may_repeat=False)
            *whole, last = pieces
            assert all(s.width == block and not s.masked for s in whole) and last.width in (width, block)
            assert pieced_lanes(last) == extent % block
        for copies in (1, 2, 3, 4):
            once = cut.reduced_lanes(extent, width, copies, may_repeat=False)
            assert iterations(once) == Counter(range(extent))
            assert {s.width for s in once} == {width} and is_sound(once, extent, may_repeat=False)
            repeated = cut.reduced_lanes(extent, width, copies, may_repeat=True)
            assert set(iterations(repeated)) == set(range(extent))


@pytest.mark.parametrize("extent", [2, 3, 7, 10, 41])
def test_unrolled_copies(extent: int) -> None:
    for copies in range(1, 12):
        assert iterations(cut.unrolled(extent, copies)) == Counter(range(extent))
        assert set(iterations(cut.unrolled(extent, copies, may_repeat=True))) == set(range(extent))


def at(segments: Sequence[Segment], n: int) -> list[Segment]:
    """Segments of an extent with sizes in it, at a size."""
    numbers = {"n": n}
    return [
        segment._replace(
            lower=evaluate(segment.lower, numbers),
            upper=evaluate(segment.upper, numbers),
            repeated=evaluate(segment.repeated, numbers),
        )
        for segment in segments
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
                        cut.output_lanes(
                            extent, width, native, may_repeat=may_repeat, compact=compact, masks=masks
                        )
                        for may_repeat in (False, True)
                    )
                    assert is_sound(once, extent, may_repeat=False)
                    assert is_sound(repeated, extent, may_repeat=True)
                    for n in sizes:
                        wanted = range(evaluate(extent, {"n": n}))
                        assert iterations(at(once, n)) == Counter(wanted)
                        assert set(iterations(at(repeated, n))) == set(wanted)
            for copies in (1, 4):
                once = cut.reduced_lanes(extent, width, copies, may_repeat=False)
                tiles = [cut.unrolled(extent, copies + 1, may_repeat=r) for r in (False, True)]
                assert is_sound(once, extent, may_repeat=False)
                assert [is_sound(tile, extent, may_repeat=True) for tile in tiles] == [True, True]
                for n in sizes:
                    wanted = range(evaluate(extent, {"n": n}))
                    assert iterations(at(once, n)) == Counter(wanted)
                    assert [set(iterations(at(tile, n))) for tile in tiles] == [set(wanted), set(wanted)]

    sizes_within(range_)(check)()


def random_segment(draw: random.Random, lower: int, extent: int) -> Segment:
    """A segment that may begin where another ends, or beside it, with any marks."""
    width, copies = draw.choice([1, 2, 4]), draw.choice([1, 1, 2, 3])
    upper = draw.choice([extent, lower + width * copies, draw.randrange(extent + 2)])
    marks = [draw.random() < 0.2 for _ in range(3)]
    start = draw.choice([lower, lower, lower - 1, extent - width * copies, upper - width * copies])
    return Segment(start, upper, copies, width, draw.choice([0, 0, 1, 2, 3]), *marks)


def test_the_verifier_takes_what_runs_each_iteration() -> None:
    draw = random.Random(5)
    taken = 0
    for _ in range(3000):
        extent = draw.randrange(1, 12)
        segments = [random_segment(draw, 0, extent)]
        while draw.random() < 0.6:
            segments.append(random_segment(draw, segments[-1].upper, extent))
        for may_repeat in (False, True):
            if is_sound(segments, extent, may_repeat=may_repeat):
                done = iterations(segments)
                assert set(done) == set(range(extent)), segments
                assert may_repeat or set(done.values()) <= {1}, segments
                taken += 1
    assert taken > 40
