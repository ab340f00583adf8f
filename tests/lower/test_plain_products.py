"""Sums of absorbing products by plain ones: the same sums, whatever is 0, infinite or NaN."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from mlirad.lower.emit import plain_products
from tests.lower.emission import TYPES, check, compiled, run, tensor
from tests.lower.test_emit_nest import SCHEDULES

NAN_TEST = "fcmp uno"


def sums(n: int, m: int, k: int, schedule: str = "", dtype: str = "float64", last: str = "array.neg") -> str:
    """Two sums of absorbing products over r, of which one goes through an op on its way, and a maximum."""
    x, y, z, t = tensor((n, k), dtype), tensor((k, m), dtype), tensor((n, m), dtype), TYPES[dtype]
    return f"""
func.func @main(%x: {x}, %y: {y}) -> ({z}, {z}, {z}) {{
  %z:3 = kernel.nest %x, %y (%i, %j, %r) {{space = [{n}, {m}], reduction = [{k}],
    combiners = [add, add, max]{schedule}}} : {x}, {y} -> ({z}, {z}, {z}) {{
    %a = kernel.load %x[%i, %r] : {x} -> {t}
    %b = kernel.load %y[%r, %j] : {y} -> {t}
    %p = array.absorbing_mul %a, %b : {t}
    %q = array.absorbing_mul %p, %b : {t}
    %s = {last} %q : {t}
    array.yield %p, %s, %a : {t}, {t}, {t}
  }}
  func.return %z#0, %z#1, %z#2 : {z}, {z}, {z}
}}"""


def sprinkled(random: np.random.Generator, shape: tuple[int, ...], share: float) -> npt.NDArray[np.float64]:
    """Normal numbers, of which a share are 0, infinite or NaN."""
    special = random.choice([0.0, 0.0, -0.0, np.inf, -np.inf, np.nan], size=shape)
    return np.where(random.uniform(size=shape) < share, special, random.normal(size=shape))


@pytest.mark.parametrize("schedule", [s for s in SCHEDULES[::2] if "layouts" not in s])
def test_what_is_0_absorbs_in_every_schedule(schedule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_products, "LEAST_GAIN", 0.0)
    monkeypatch.setattr(plain_products, "LEAST_TERMS", 2)
    random = np.random.default_rng(0)
    for dtype, share, rtol, (n, m, k) in (
        ("float64", 0.02, 1e-12, (17, 3, 33)),
        ("float32", 0.1, 1e-5, (3, 10, 7)),
    ):
        x, y = (sprinkled(random, shape, share).astype(dtype) for shape in ((n, k), (k, m)))
        program = check(sums(n, m, k, schedule, dtype), x, y, rtol=rtol)
        # Where each term is added in memory, sums have one term.
        adds_in_memory = "reduction_outer" in schedule or "order = [1, 2, 0]" in schedule
        assert (NAN_TEST in program.llvm) != adds_in_memory


def test_a_sum_of_absorbed_terms_is_0_and_not_minus_0() -> None:
    x, y = -np.ones((40, 50)), np.zeros((50, 60))
    zeros, _, _ = run(sums(40, 60, 50, ", lane = 1"), x, y)
    assert not np.signbit(zeros).any()


def test_nan_that_may_get_lost_is_not_relied_on() -> None:
    """The first product stands in the first sum and, as a factor, in the second, which takes magnitudes."""
    random = np.random.default_rng(1)
    x, y = sprinkled(random, (40, 50), 0.05), sprinkled(random, (50, 60), 0.05)
    text = sums(40, 60, 50, ", lane = 1")
    assert NAN_TEST in check(text, x, y).llvm
    lost = sums(40, 60, 50, ", lane = 1", last="array.abs")
    assert NAN_TEST not in check(lost, x, y).llvm


def test_short_sums_are_left_alone() -> None:
    _, program, _ = compiled(sums(400, 60, 4, ", lane = 1"))
    assert NAN_TEST not in program.llvm
