"""`scipy.special.lambertw`: the w with w e^w = x, of real numbers on the two branches that are real there.

scipy.special.lambertw(x)              complex, as SciPy's result, with imaginary part 0 from -1/e on
scipy.special.lambertw(x, -1).real     the lower branch, between -1/e and 0

`lambertw` is complex, and real inside. SciPy's function returns complex numbers even where they are real, and
programs say `.real`; they go on to work: the result has the imaginary part 0 on the real branches. Beside
these it is NaN, as a complex iteration would serve few, and would cost all others their accuracy near -1/e.
"""

from __future__ import annotations

import numpy as np

from mlirad.frontend.numpy_functions.calls.parameters import Int, OperandLike
from mlirad.frontend.numpy_functions.meanings.special import special
from mlirad.frontend.tracing.array import made
from mlirad.frontend.tracing.complex_array import ComplexArray
from mlirad.frontend.tracing.dtypes import F64
from mlirad.frontend.tracing.frames import emitting
from mlirad.frontend.tracing.operations import as_array, converted, xp
from mlirad.frontend.tracing.raising import unsupported_error


def lambertw(z: OperandLike, k: Int = 0) -> ComplexArray:
    """`lambertw` of real numbers, NaN where it is not real; raises for other branches than 0 and -1."""
    if k not in (0, -1):
        raise unsupported_error(
            f"branch {k} of lambertw cannot be traced",
            "k=0 is real from -1/e on, k=-1 between -1/e and 0",
        )
    x = converted(as_array(z), F64)
    real = made(special(emitting(), "lambert_w" if k == 0 else "lambert_w_lower", x.value))
    return ComplexArray(real, xp.where(xp.isnan(real), np.nan, 0.0))
