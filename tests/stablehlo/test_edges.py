"""Programs at the edges of what StableHLO allows: windows without elements, shifts by any amount."""

from __future__ import annotations

import numpy as np
import pytest

import mlirad as ad

CONVOLUTION = """func.func public @main(%a: tensor<{a}xf64>, %k: tensor<{k}xf64>) -> tensor<{out}xf64> {{
  %0 = stablehlo.convolution(%a, %k) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0],
    window = {{stride = [{stride}], pad = [{pad}], lhs_dilate = [{base}], rhs_dilate = [{window}],
      reverse = [false]}}
    {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}}
    : (tensor<{a}xf64>, tensor<{k}xf64>) -> tensor<{out}xf64>
  return %0 : tensor<{out}xf64>
}}
"""

ADD = """({
  ^bb0(%p: tensor<f64>, %q: tensor<f64>):
    %s = stablehlo.add %p, %q : tensor<f64>
    stablehlo.return %s : tensor<f64>
  })"""


def convolved(
    a: np.ndarray, k: np.ndarray, stride: int, pad: list[int], base: int, window: int
) -> np.ndarray:
    """The convolution by its definition."""
    wide = np.zeros((*a.shape[:2], max((a.shape[2] - 1) * base + 1, 0) + max(pad[0], 0) + max(pad[1], 0)))
    wide[..., max(pad[0], 0) :: base][..., : a.shape[2]] = a
    wide = wide[..., max(-pad[0], 0) : wide.shape[2] - max(-pad[1], 0)]
    covered = (k.shape[2] - 1) * window + 1 if k.shape[2] else 0
    count = 0 if not wide.shape[2] or covered > wide.shape[2] else (wide.shape[2] - covered) // stride + 1
    out = np.zeros((a.shape[0], k.shape[0], count))
    for t in range(count):
        taps = wide[..., t * stride : t * stride + covered : window]
        out[..., t] = np.einsum("bfs,ofs->bo", taps, k)
    return out


CASES = [
    ((1, 1, 7), (1, 1, 3), 1, [0, 0], 1, 1),
    ((1, 1, 7), (1, 1, 3), 2, [1, 2], 1, 2),
    ((2, 3, 5), (4, 3, 2), 1, [-1, 3], 2, 1),
    ((1, 1, 2), (1, 1, 3), 1, [0, 0], 1, 1),
    ((1, 1, 0), (1, 1, 3), 1, [0, 0], 1, 1),
    ((1, 1, 0), (1, 1, 3), 1, [2, 2], 1, 1),
    ((0, 1, 7), (2, 1, 3), 1, [0, 0], 1, 1),
    ((1, 0, 7), (2, 0, 3), 1, [0, 0], 1, 1),
    ((1, 1, 7), (0, 1, 3), 1, [0, 0], 1, 1),
    ((1, 1, 7), (2, 1, 0), 1, [0, 0], 1, 1),
    ((1, 1, 40), (1, 1, 20), 1, [0, -39], 1, 1),
    ((1, 1, 40), (1, 1, 20), 3, [5, 5], 1, 2),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_convolutions_have_the_extents_that_are_computed(case) -> None:
    shape, kernel, stride, pad, base, window = case
    rng = np.random.default_rng(0)
    a, k = rng.normal(size=shape), rng.normal(size=kernel)
    expected = convolved(a, k, stride, pad, base, window)
    names = {"stride": stride, "pad": pad, "base": base, "window": window}

    def text(out: tuple[int, ...]) -> str:
        a, k, o = ("x".join(map(str, s)) for s in (shape, kernel, out))
        return CONVOLUTION.format(a=a, k=k, out=o, **names)

    (found,) = ad.from_stablehlo(text(expected.shape))(a, k)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    for d in range(3):
        wrong = tuple(n + (e == d) for e, n in enumerate(expected.shape))
        with pytest.raises(ad.VerifyError, match=r":2:\d+: stablehlo.convolution: the result is tensor<"):
            ad.from_stablehlo(text(wrong))


@pytest.mark.parametrize(("extent", "size"), [(0, 2), (1, 2), (3, 20), (5, 3), (40, 20)])
def test_windows_that_do_not_fit_are_none(extent: int, size: int) -> None:
    count = max(extent - size + 1, 0)
    text = (
        f"func.func @main(%a: tensor<{extent}xf64>, %v: tensor<f64>) -> tensor<{count}xf64> {{\n"
        f'  %0 = "stablehlo.reduce_window"(%a, %v) <{{window_dimensions = array<i64: {size}>}}> {ADD}\n'
        f"    : (tensor<{extent}xf64>, tensor<f64>) -> tensor<{count}xf64>\n"
        f"  func.return %0 : tensor<{count}xf64>\n}}\n"
    )
    a = np.arange(float(extent))
    (found,) = ad.from_stablehlo(text)(a, 1.0)
    np.testing.assert_allclose(found, [1.0 + a[t : t + size].sum() for t in range(count)])


SHIFTS = {
    "shift_left": lambda x, by, width: (x << by) & (2**width - 1) if 0 <= by < width else 0,
    "shift_right_logical": lambda x, by, width: (x % 2**width) >> by if 0 <= by < width else 0,
    "shift_right_arithmetic": lambda x, by, width: x >> by if 0 <= by < width else -(x < 0),
}


@pytest.mark.parametrize("name", SHIFTS)
@pytest.mark.parametrize("width", [32, 64])
def test_shifts_by_any_amount(name: str, width: int) -> None:
    dtype = np.dtype(f"i{width // 8}")
    values = [0, 1, -1, 4, -4, 2 ** (width - 1) - 1, -(2 ** (width - 1))]
    amounts = [
        0,
        1,
        width - 1,
        width,
        width + 1,
        1000,
        -1,
        -2,
        -width,
        2 ** (width - 1) - 1,
        -(2 ** (width - 1)),
    ]
    x, by = (
        np.array(v, dtype).ravel() for v in np.meshgrid(np.array(values, object), np.array(amounts, object))
    )
    type_ = f"tensor<{x.size}xi{width}>"
    text = (
        f"func.func @main(%x: {type_}, %y: {type_}) -> {type_} {{\n"
        f"  %0 = stablehlo.{name} %x, %y : {type_}\n  return %0 : {type_}\n}}\n"
    )
    expected = [SHIFTS[name](int(a), int(b), width) for a, b in zip(x, by, strict=True)]
    bits = np.array([e % 2**width for e in expected], object).astype(np.dtype(f"u{width // 8}")).view(dtype)
    np.testing.assert_array_equal(ad.from_stablehlo(text)(x, by)[0], bits)
