"""Random Python functions of rows, transformed and split, against themselves on all rows."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad.frontend.compiling.transformed import Transformed
from mlirad.frontend.tracing.pytree import flatten
from tests.distributed.programs import Case
from tests.distributed.random_programs import POLICIES, TOLERANCE, Disagreement, Outcome, random_chunks
from tests.distributed.witness import planned, worst_error
from tests.generators.row_functions import random_row_function


def tried_function(seed: int) -> Outcome:
    """Split one random function, and compare. Raises `Disagreement`."""
    rng = random.Random(seed)
    function = random_row_function(rng, rng.randint(1, 4))
    total = rng.choice((rng.randint(1, 3), rng.randint(4, 40), rng.randint(4, 40)))
    numbers = np.random.default_rng(seed)
    args = (
        numbers.normal(size=4),
        numbers.normal(size=total),
        numbers.normal(size=(total, 4)),
        numbers.normal(size=(5, 4)),
        numbers.integers(0, 5, size=total),
    )
    case = Case(_transformed(rng, function), args, (None, 0, 0, None, 0))
    try:
        plan = planned(case, rng.choice(POLICIES)).plan
    except ad.SplitError:
        return "refused"
    except IndexError as error:
        with pytest.raises(type(error)) as caught:
            case.function(*args)
        assert str(caught.value) == str(error)
        return "agrees"
    chunks = random_chunks(rng, total)
    error = worst_error(case, plan, chunks)
    if error > TOLERANCE:
        moved = Case(case.function, tuple(map(_moved, args)), case.split)
        if 30 * _difference(case, moved) > error:
            return "unsettled"
        raise Disagreement(f"seed {seed}: {function.__name__} of {total} rows in {chunks}: {error}")
    return "agrees"


def _moved(array: Any) -> Any:
    """The array with other last bits."""
    if array.dtype.kind != "f":
        return array
    return array * (1 + np.finfo(float).eps * np.where(np.arange(array.size) % 2, 1, -1).reshape(array.shape))


def _difference(case: Case, moved: Case) -> float:
    """The change of results by the last bits of arguments, by the largest entry."""
    found, other = (flatten(c.function(*c.args))[0] for c in (case, moved))
    top = max(float(np.max(np.abs(v))) for v in found) or 1.0
    return max(float(np.max(np.abs(np.asarray(a) - b))) for a, b in zip(found, other, strict=True)) / top


def _transformed(rng: random.Random, function: Any) -> Transformed:
    return rng.choice(
        (
            ad.jit(function),
            ad.value_and_grad(function, argnums=(0, 3)),
            ad.value_and_grad(function, argnums=(0, 3)),
            ad.grad(function, argnums=(1, 2)),
            ad.hessian(function),
        )
    )
