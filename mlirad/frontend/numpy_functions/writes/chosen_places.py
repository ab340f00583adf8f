"""`x[np.where(mask)] = values`: places to write to whose number is not known while tracing.

    x[i] = y[i] * 2         the values at all positions i; those that do not count lie outside of x

A write outside of an array changes nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from mlirad.frontend.indexing.chosen_positions import chosen_of, key_at
from mlirad.frontend.indexing.keys import Selection, select_key
from mlirad.frontend.indexing.masks import MaskedElements, is_same_mask, known_number, other_mask
from mlirad.frontend.indexing.reads import check_terms
from mlirad.frontend.tracing.array import Array


def placed(x: Array, key: Any, values: Any) -> tuple[Any, Any]:
    """A key for all positions, and what is written there. Positions that count are checked to be inside."""
    selection = select_key(x.shape, key_at(key, 0))
    check_terms(zip(selection.terms, x.shape, strict=True))
    return key_at(key, max(x.shape)), _values_at(selection, chosen_of(key), values)


def _values_at(selection: Selection, chosen: MaskedElements, values: Any) -> Any:
    """Values selected by the mask of the positions, or the same at all of them."""
    shape = selection.result_shape
    place = len(shape) - selection.view.index(...) - chosen.dim
    if isinstance(values, MaskedElements):
        if values.ndim - values.dim != place or not is_same_mask(values.mask, chosen.mask):
            raise other_mask(values)
        return values.elements
    given = np.shape(values)
    if len(given) >= place and given[len(given) - place] != 1:
        raise known_number(given, "x[np.where(mask)]")
    return values
