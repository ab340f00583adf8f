"""Printing and parsing are inverse, in the custom and in the generic form, on random programs and maps."""

from __future__ import annotations

import io
import itertools
import random
import time

import numpy as np
import pytest
from hypothesis import given, settings
from xdsl.dialects.builtin import ModuleOp
from xdsl.printer import Printer

from mlirad.interpreter import run_function
from mlirad.ir.parsing import parse_module
from tests.generators import (
    arguments_for,
    higher_order_programs,
    maps,
    programs,
    random_map,
    random_program,
)
from tests.generators.map_primitives import PRIMITIVE_MAKERS

EVERYDAY = 3
"""Random maps of each form."""


def printed(module: ModuleOp, generic: bool) -> str:
    stream = io.StringIO()
    Printer(stream, print_generic_format=generic).print_op(module)
    return stream.getvalue()


def parsed(text: str) -> ModuleOp:
    module = parse_module(text)
    module.verify()
    return module


def assert_survives(module: ModuleOp) -> None:
    custom, generic = printed(module, False), printed(module, True)
    assert printed(parsed(custom), False) == custom
    again = parsed(generic)
    assert printed(again, True) == generic
    assert printed(again, False) == custom


@settings(max_examples=20, deadline=None)
@given(programs(max_ops=12))
def test_programs(module) -> None:
    assert_survives(module)


@settings(max_examples=8, deadline=None)
@given(higher_order_programs())
def test_higher_order_programs(module) -> None:
    assert_survives(module)


@pytest.mark.parametrize("form", ["spine", "general"])
def test_maps(form) -> None:
    for seed in range(EVERYDAY):
        assert_survives(random_map(seed, 6, form))


@pytest.mark.fuzz
@pytest.mark.parametrize("form", ["spine", "general"])
def test_many_maps(form, fuzz_seconds, judged) -> None:
    end = time.monotonic() + fuzz_seconds
    for seed in itertools.count(EVERYDAY):
        if time.monotonic() > end:
            break
        assert_survives(random_map(seed, 6, form))
        judged[form] += 1
    assert judged[form]


@settings(max_examples=8, deadline=None)
@given(maps())
def test_general_maps(module) -> None:
    assert_survives(module)


@pytest.mark.parametrize("op_class", PRIMITIVE_MAKERS)
def test_primitive_maps(op_class) -> None:
    for seed in range(2):
        assert_survives(random_map(seed, only=op_class))


def test_what_is_read_back_means_the_same() -> None:
    for seed in range(12):
        module = random_program(seed, 12)
        args = arguments_for(module, random.Random(seed), special=True)
        again = parsed(printed(module, False))
        for x, y in zip(run_function(module, args), run_function(again, args), strict=True):
            np.testing.assert_array_equal(x, y)
