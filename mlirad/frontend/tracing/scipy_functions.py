"""Functions of SciPy that are not ufuncs: they need elements, which traced values do not have.

special.logsumexp(x, axis=0)     -->  a TracingError that says: write np.logaddexp.reduce(a, axis)
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType

from mlirad.packages import folder_of

_FOLDER = str(Path(folder_of("scipy"))) + "/"

WRITTEN_OUT = {
    "logsumexp": "np.logaddexp.reduce(a, axis=axis); np.logaddexp.reduce(np.ravel(a)) for all elements",
    "softmax": "s = np.expand_dims(np.logaddexp.reduce(x, axis=axis), axis); np.exp(x - s)",
    "log_softmax": "s = np.expand_dims(np.logaddexp.reduce(x, axis=axis), axis); x - s",
    "multigammaln": "the sum of special.gammaln(a - j / 2) over j in range(d), "
    "plus d * (d - 1) / 4 * np.log(np.pi)",
}
"""How to write such a function with what can be traced."""


def scipy_function() -> str | None:
    """The name of the outermost function of SciPy around the innermost call, `None` outside of SciPy."""
    found = None
    frame: FrameType | None = sys._getframe(2)  # pyright: ignore[reportPrivateUsage]
    while frame is not None:
        code = frame.f_code
        if code.co_filename.startswith(_FOLDER):
            found = code.co_name
        elif found is not None:
            return found if found.isidentifier() else None
        frame = frame.f_back
    return None
