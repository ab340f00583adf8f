"""What the operations on traced arrays mean, filled in by the modules that define it.

`Array` knows only how to ask: `handlers.read(x, key)` is `x[key]`. So `tracer` imports none of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from mlirad.dialects.shapes import Value
    from mlirad.frontend.tracing.array import Array


class Handlers:
    """What the operations on arrays mean; assigned once, when the package is imported."""

    ufunc: Callable[[np.ufunc, str, tuple[Any, ...], dict[str, Any]], Any]
    operator: Callable[..., Any]
    operator_in_place: Callable[[np.ufunc, Array, Any], Any]
    function: Callable[[Callable[..., Any], tuple[Any, ...], dict[str, Any]], Any]
    read: Callable[[Array, Any], Array]
    write: Callable[[Array, Any, Any], None]
    updated: Callable[[Array, Any, Any, str], Array]
    convert: Callable[[Array, npt.DTypeLike], Array]
    copy: Callable[[Array], Array]
    flat: Callable[[Array], Array]
    check_fits: Callable[[Value, np.dtype[Any]], None]


handlers = Handlers()
