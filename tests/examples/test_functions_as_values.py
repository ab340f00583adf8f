"""The examples of functions as values: gradients by all methods, and a network beside the one by hand."""

from __future__ import annotations

import numpy as np
import pytest

import mlirad as ad
from examples.functions_as_values import EXAMPLES, cell, main
from mlirad.pipeline_options import METHODS


@pytest.mark.parametrize("name", EXAMPLES)
def test_gradients_agree_between_methods_and_with_differences(name):
    function, arguments = EXAMPLES[name]
    ad.check_derivatives(lambda first: function(first, *arguments[1:]), arguments[0], step=1e-4)
    expected = leaves(ad.grad(function, interpret=True)(*arguments))
    for method in METHODS:
        compiled = leaves(ad.grad(function, method=method)(*arguments))
        for found, wanted in zip(compiled, expected, strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-12)


def test_a_partially_applied_cell_costs_what_a_plain_fold_costs():
    function, arguments = EXAMPLES["partially applied cell"]

    def by_hand(parameters, xs, wanted):
        state = ad.fold(lambda state, x: cell(parameters, state, x), np.zeros(len(wanted)), xs)
        return np.sum((state - wanted) ** 2)

    with_closure, without = (ad.grad(f).stats(*arguments) for f in (function, by_hand))
    assert (with_closure.kernels, with_closure.work) == (without.kernels, without.work)


def test_all_are_printed(capsys):
    main()
    lines = capsys.readouterr().out.splitlines()
    assert [line[:24].strip() for line in lines] == list(EXAMPLES)


def leaves(tree):
    """The arrays of a dictionary, or one array."""
    return list(tree.values()) if isinstance(tree, dict) else [tree]
