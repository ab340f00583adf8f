"""The laws of linear maps: each is used on its instance, and keeps the map and its transpose."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

from mlirad.ir.verification import verify_module
from mlirad.linear_maps.laws import LAWS, PAIR_LAWS
from mlirad.passes.function_pass import transform_functions
from mlirad.passes.simplify_maps import simplify_maps
from tests.generators import random_map
from tests.linear_maps.law_instances import INSTANCES, module_of
from tests.linear_maps.test_primitive_maps import assert_same_images


def simplified(module: ModuleOp) -> tuple[ModuleOp, Counter[str]]:
    """The module after all laws, and how often each was used."""
    applied: Counter[str] = Counter()
    result = module.clone()
    transform_functions(result, lambda function: simplify_maps(function, applied))
    verify_module(result)
    return result, applied


def map_ops(module: ModuleOp) -> int:
    return sum(1 for op in module.walk() if op.name.startswith("linear."))


def test_every_law_has_an_instance() -> None:
    names = [law.name for law in (*LAWS, *PAIR_LAWS)]
    assert len(set(names)) == len(names)
    assert set(INSTANCES) == set(names)


@pytest.mark.parametrize("name", INSTANCES)
def test_both_sides_of_a_law_apply_equally(name) -> None:
    module = module_of(INSTANCES[name])
    verify_module(module)
    result, applied = simplified(module)
    assert applied[name], dict(applied)
    for seed in range(8):
        assert_same_images(module, result, seed)
    again, _ = simplified(result)
    assert str(again) == str(result)


@given(st.integers(0, 2**32 - 1), st.integers(1, 10))
def test_random_maps_keep_their_meaning_and_come_to_rest(seed, size) -> None:
    module = random_map(seed, size, random.Random(seed).choice(("spine", "general")), functions=True)
    result, applied = simplified(module)
    assert_same_images(module, result, seed)
    assert sum(applied.values()) <= 40 * map_ops(module)


def test_no_space_of_functions_is_left_where_functions_are_evaluated() -> None:
    for name, instance in INSTANCES.items():
        if "P" in instance.body or "C" in instance.body:
            result, _ = simplified(module_of(instance))
            assert "power" not in str(result), name
