"""Makers of random Fourier transforms, which make a number at most as large as their row is long."""

from __future__ import annotations

from mlirad.dialects.array.transforms import Axes, FftOp
from mlirad.dialects.shapes import FLOATS, Value, array_type, keyword
from tests.generators.builder import ProgramBuilder
from tests.generators.elementwise import Maker


def fft(g: ProgramBuilder) -> Value | None:
    element, kind = g.element(FLOATS), g.rng.choice(["forward", "backward", "real", "half"])
    numbers = tuple(g.extent() for _ in range(g.rng.choice([1, 1, 1, 2, 3])))
    axes = Axes(g.rng.randrange(len(numbers)), g.rng.randint(0, len(numbers)))
    row = numbers[axes.dim]
    is_real = kind in ("real", "half")
    spectrum = axes.spectrum_shape(numbers) if is_real else axes.pair_shape(numbers)
    if not row or not g.fits(spectrum):
        return None
    signal = numbers if is_real else spectrum
    source, target = (spectrum, signal) if kind == "half" else (signal, spectrum)
    x = g.like(array_type(source, element))
    properties = {"kind": keyword(kind), **axes.properties(len(numbers))}
    return g.emit(FftOp, [x], array_type(target, element), properties, bound=2 * row * g.bound(x))


TRANSFORM_MAKERS: dict[type[FftOp], Maker] = {FftOp: fft}
