"""Functions of `np.ma` that make masked arrays of traced ones, which these stay where nothing is masked.

    np.ma.asarray(x)                      x
    np.ma.atleast_2d(x)                   np.atleast_2d(x)
    np.any(np.ma.getmask(x))              False, as for an array of NumPy's

NumPy masks what it computes of elements outside of the domain of a function, such as x / 0; a program has NaN
or infinity there. A call with a mask is left to NumPy, which refuses traced elements.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

import numpy as np

from mlirad.frontend.numpy_functions.arrays.creation import CREATING
from mlirad.frontend.numpy_functions.calls.answers import Handing, functions_called
from mlirad.frontend.tracing.pytree import flatten

_ALIKE: Final = (
    "atleast_1d", "atleast_2d", "atleast_3d", "column_stack", "concatenate", "dstack", "hstack", "stack",
    "vstack",
)  # fmt: skip
"""Functions that NumPy has by the same name, and that come to the same."""

_WITHOUT_MEANING: Final = ("fill_value", "hard_mask", "keep_mask", "shrink", "subok")
"""Options that say what happens to masks."""


def _same(own: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], *, name: str) -> Any:
    if any(isinstance(leaf, np.ma.MaskedArray) for leaf in flatten((args, kwargs))[0]):
        return own(*args, **kwargs)
    return getattr(np, name)(*args, **kwargs)


def _made(own: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], *, name: str) -> Any:
    """An array by `np.ma.array` and its kind, whose second argument is the dtype."""
    mask: Any = kwargs.get("mask", np.ma.nomask)
    if len(args) > 2 or isinstance(mask, np.ndarray) or mask not in (None, False):
        return own(*args, **kwargs)
    known = {key: value for key, value in kwargs.items() if key not in (*_WITHOUT_MEANING, "mask")}
    return CREATING[name](*args, **known)


def _answer(make: Callable[[Any], Any]) -> Handing:
    return lambda own, args, kwargs: make([*args, *kwargs.values()][0])


_ANSWERS: Final[Mapping[str, Handing]] = {
    **{name: partial(_same, name=name) for name in _ALIKE},
    **{name: partial(_made, name=name) for name in ("array", "asarray", "asanyarray")},
    "getmask": _answer(lambda x: np.ma.nomask),
    "getmaskarray": _answer(lambda x: np.zeros(np.shape(x), np.bool_)),
    "getdata": _answer(CREATING["asarray"]),
    "filled": _answer(CREATING["asarray"]),
    "is_masked": _answer(lambda x: False),
}


FINDING: Final = functions_called(_ANSWERS)
"""The search for functions of `np.ma` that ask."""
