"""The signatures of NumPy's functions, those of its functions in C too, which had none before NumPy 2.4.

numpy_signature(np.lexsort)      (keys, axis=-1)
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any, Final, cast

_OF_C_FUNCTIONS: Final = {
    "bincount": "x, /, weights=None, minlength=0",
    "can_cast": "from_, to, casting='safe'",
    "concatenate": "arrays, /, axis=0, out=None, *, dtype=None, casting='same_kind'",
    "copyto": "dst, src, casting='same_kind', where=True",
    "dot": "a, b, out=None",
    "empty_like": "prototype, /, dtype=None, order='K', subok=True, shape=None, *, device=None",
    "inner": "a, b, /",
    "lexsort": "keys, axis=-1",
    "may_share_memory": "a, b, /, max_work=0",
    "putmask": "a, /, mask, values",
    "ravel_multi_index": "multi_index, dims, mode='raise', order='C'",
    "result_type": "*arrays_and_dtypes",
    "shares_memory": "a, b, /, max_work=-1",
    "unravel_index": "indices, shape, order='C'",
    "vdot": "a, b, /",
    "where": "condition, x=None, y=None, /",
}
"""The signatures by name, as NumPy 2.4 has them."""


@cache
def numpy_signature(function: Callable[..., Any]) -> inspect.Signature:
    """The signature of a function of NumPy's. Raises ValueError for one in C that is not known."""
    try:
        return inspect.signature(function)
    except ValueError:
        parameters = _OF_C_FUNCTIONS.get(function.__name__)
        if parameters is None:
            raise
        return inspect.signature(cast("Callable[..., None]", eval(f"lambda {parameters}: None")))
