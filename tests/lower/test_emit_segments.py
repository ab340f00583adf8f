"""Segments cover every iteration, stay inside the loop, and repeat only what they say."""

from __future__ import annotations

from collections import Counter

import pytest

from mlirad.lower.emit import segments
from mlirad.lower.emit.segments import Segment


def iterations(cut: list[Segment]) -> Counter[int]:
    """How often each iteration is done by lanes that count."""
    done: Counter[int] = Counter()
    for segment in cut:
        for start in range(segment.lower, segment.upper, segment.step):
            first = min(start, segment.last_start) if segment.clamped else start
            for k in range(segment.repeated, segment.width * segment.copies):
                if segment.valid is None or k < segment.valid:
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
