"""Makers of random Fourier transforms, which make a number at most as large as their row is long."""

from __future__ import annotations

from mlirad.dialects.array.transforms import FftOp, spectrum_shape
from mlirad.dialects.shapes import FLOATS, Value, array_type, keyword
from tests.generators.builder import ProgramBuilder
from tests.generators.elementwise import Maker


def fft(g: ProgramBuilder) -> Value | None:
    element, kind = g.element(FLOATS), g.rng.choice(["forward", "backward", "real", "half"])
    batch, row = ((g.extent(),) if g.rng.random() < 0.3 else ()), g.extent()
    signal = (*batch, row) if kind in ("real", "half") else (*batch, row, 2)
    spectrum = spectrum_shape(signal) if kind in ("real", "half") else signal
    if not row or not g.fits(spectrum):
        return None
    source, target = (spectrum, signal) if kind == "half" else (signal, spectrum)
    x = g.like(array_type(source, element))
    result = array_type(target, element)
    return g.emit(FftOp, [x], result, {"kind": keyword(kind)}, bound=2 * row * g.bound(x))


TRANSFORM_MAKERS: dict[type[FftOp], Maker] = {FftOp: fft}
