"""Every example and reference case, value and gradient, as machine code under guard.

The programs check each address they touch, run with work memory full of NaN and then full of zeros between
guard bytes, and must agree with the interpreter.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad.frontend.tracing.dtypes import plain_array
from mlirad.frontend.tracing.pytree import flatten
from mlirad.interpreter import run_function
from mlirad.pipelines import EXPAND
from tests.acceptance.stages import assert_same, native, value_and_cotangents
from tests.acceptance.test_cost import EXAMPLES
from tests.cases.test_cases import CASES
from tests.passes.derivatives import run_passes


def check(function: Any, arguments: tuple[Any, ...], moving: tuple[int, ...]) -> None:
    """Compare what is compiled with what is interpreted."""
    module = run_passes(ad.trace(value_and_cotangents(function, moving), *arguments), ",".join(EXPAND))
    values = [plain_array(leaf) for leaf in flatten(arguments)[0]]
    expected = run_function(module, values, function="main")
    assert_same(native(module, "main")(*values), expected, "native")


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples(name):
    check(*EXAMPLES[name])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_cases(case):
    with np.errstate(all="ignore"):
        check(case.function, case.arguments, tuple(range(len(case.arguments))))
