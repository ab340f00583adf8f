"""Every reference case: value, reverse and forward mode, compiled, interpreted, and compiled by `chad`."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import mlirad as ad

from . import (
    adbench,
    chad,
    horde_ad,
    horde_ad_builds,
    horde_ad_convolutions,
    horde_ad_gathers,
    knossos,
    libraries,
    loops,
)
from .case import Case, assert_agree, drawn_like, inner, magnitude, ones_like

CASES: list[Case] = [
    *adbench.CASES,
    *chad.CASES,
    *horde_ad.CASES,
    *horde_ad_builds.CASES,
    *horde_ad_convolutions.CASES,
    *horde_ad_gathers.CASES,
    *knossos.CASES,
    *libraries.CASES,
    *loops.CASES,
]

every_case = pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
every_evaluator = pytest.mark.parametrize(
    "evaluator", [{}, {"interpret": True}, {"method": "chad"}], ids=["compiled", "interpreted", "chad"]
)
both_evaluators = pytest.mark.parametrize("interpret", [False, True], ids=["compiled", "interpreted"])


def test_identifiers_are_unique():
    identifiers = [case.id for case in CASES]
    assert len(identifiers) == len(set(identifiers))


def test_every_program_of_the_list_is_tested():
    folder = Path(__file__).parent
    listed = re.findall(r"^\| `([\w-]+)` \|.*\| (.*) \|$", (folder / "README.md").read_text(), re.MULTILINE)
    programs = tuple(program for program, _ in listed)
    assert not [case.id for case in CASES if not case.id.startswith(programs)]
    for program, files in listed:
        for name in re.findall(r"`(\w+\.py)`", files):
            assert program in (folder / name).read_text(), f"{program} is not in {name}"
        is_case = any(case.id.startswith(program) for case in CASES)
        assert is_case or "`test_higher_order.py`" in files, program


@both_evaluators
@pytest.mark.parametrize("case", [case for case in CASES if case.value is not None], ids=lambda case: case.id)
def test_value(case, interpret):
    value = ad.jit(case.function, interpret=interpret)(*case.arguments)
    assert_agree(value, case.value, case.tolerance)


@every_evaluator
@every_case
def test_reverse_mode(case, evaluator):
    value, pullback = ad.vjp(case.function, *case.arguments, **evaluator)
    if case.value is not None:
        assert_agree(value, case.value, case.tolerance)
    if case.gradient is not None:
        cotangent = ones_like(value) if case.cotangent is None else case.cotangent
        gradient = pullback(cotangent)
        assert_agree(gradient, case.gradient, case.tolerance)
        for part, argument in zip(gradient, case.arguments, strict=True):
            assert np.shape(part) == np.shape(argument)
    else:
        cotangent = drawn_like(value, np.random.default_rng(0))
        tangents = ones_like(case.arguments) if case.tangents is None else case.tangents
        assert inner(pullback(cotangent), tangents) == pytest.approx(
            inner(cotangent, case.derivative),
            rel=case.tolerance,
            abs=case.tolerance * magnitude(cotangent, case.derivative),
        )


@every_evaluator
@every_case
def test_forward_mode(case, evaluator):
    if case.gradient is not None:
        tangents = drawn_like(case.arguments, np.random.default_rng(0))
    else:
        tangents = ones_like(case.arguments) if case.tangents is None else case.tangents
    value, dvalue = ad.jvp(case.function, case.arguments, tangents, **evaluator)
    if case.value is not None:
        assert_agree(value, case.value, case.tolerance)
    if case.gradient is not None:
        cotangent = ones_like(value) if case.cotangent is None else case.cotangent
        assert inner(cotangent, dvalue) == pytest.approx(
            inner(tangents, case.gradient),
            rel=case.tolerance,
            abs=case.tolerance * magnitude(tangents, case.gradient),
            nan_ok=True,
        )
    else:
        assert_agree(dvalue, case.derivative, case.tolerance)
