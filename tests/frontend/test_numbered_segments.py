"""`ad.segment_sum` and its relatives, against loops of NumPy, for known and traced numbers of segments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mlirad as ad

pytestmark = pytest.mark.filterwarnings("ignore::mlirad.CaptureWarning")

NAMES = {"segment_sum": np.sum, "segment_prod": np.prod, "segment_max": np.max, "segment_min": np.min}
DTYPES = [np.float64, np.float32, np.int64, np.int32, bool, np.complex128]
N, COUNT = 12, 5
IDS = np.array([0, 3, 3, -1, 1, 0, 5, 3, 99, 1, 0, -5])
"""Nothing is in segments 2 and 4; numbers outside, negative ones included, count nowhere."""

METHODS: list[dict[str, Any]] = [{}, {"interpret": True}, {"method": "jacobian"}, {"method": "chad"}]


def expected(name: str, data: Any, ids: Any, count: int = COUNT) -> Any:
    """Segment by segment; empty ones by what leaves every number as it is."""
    reduction, result = NAMES[name], []
    limits = np.iinfo if data.dtype.kind == "i" else lambda _: None
    for k in range(count):
        rows = data[np.asarray(ids) == k]
        if len(rows) or name in ("segment_sum", "segment_prod"):
            result.append(reduction(rows, axis=0))
        else:
            ends = {"f": (-np.inf, np.inf), "b": (False, True)}.get(data.dtype.kind) or (
                limits(data.dtype).min,
                limits(data.dtype).max,
            )
            result.append(np.full(data.shape[1:], ends[name == "segment_min"], data.dtype))
    whole = reduction(data, axis=0).dtype if len(data) else reduction(np.zeros(1, data.dtype)).dtype
    return np.array(result, whole).reshape(count, *data.shape[1:])


def agree(found: Any, wanted: Any, what: str) -> None:
    assert (np.shape(found), found.dtype) == (wanted.shape, wanted.dtype), what
    np.testing.assert_allclose(found, wanted, 2e-5 if wanted.dtype == np.float32 else 1e-12, err_msg=what)


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda d: d.__name__)
@pytest.mark.parametrize("name", NAMES)
def test_values(name: str, dtype: Any) -> None:
    function, rng = getattr(ad, name), np.random.default_rng(0)
    shapes = {"vector": (N,), "rows": (N, 3), "of nothing": (N, 0), "one": (1,), "empty": (0, 2)}
    for what, shape in shapes.items():
        data = (3 * rng.normal(size=shape)).astype(dtype)
        if dtype is np.complex128:
            if name in ("segment_max", "segment_min"):
                with pytest.raises(ad.DtypeError, match="orders real numbers"):
                    function(data, IDS[: len(data)], COUNT)
                return
            data = data + 1j * data[::-1] ** 2
        ids = IDS[: len(data)]
        wanted = expected(name, data, ids)
        agree(function(data, ids, COUNT), wanted, f"{what}, NumPy")
        for interpret in (False, True):
            known = ad.jit(lambda x, ids=ids: function(x, ids, COUNT), interpret=interpret)
            traced = ad.jit(lambda x, i: function(x, i, num_segments=COUNT), interpret=interpret)
            agree(known(data), wanted, f"{what}, known")
            agree(traced(data, ids), wanted, f"{what}, traced")


@pytest.mark.parametrize("name", NAMES)
def test_special_elements_and_numbers(name: str) -> None:
    function = getattr(ad, name)
    data = np.array([np.nan, 1, np.inf, -np.inf, np.inf, np.inf, 0, 2.0, 1, np.nan, 2, 3])
    with np.errstate(invalid="ignore"):
        wanted = expected(name, data, IDS)
    agree(ad.jit(lambda x, i: function(x, i, COUNT))(data, IDS), wanted, "traced")
    for dtype in (np.int32, np.uint8):
        ids = np.array([0, 250 if dtype is np.uint8 else -3, 1], dtype)
        agree(
            ad.jit(lambda x, i: function(x, i, 2))(data[1:4], ids), expected(name, data[1:4], ids, 2), "ids"
        )
    assert ad.jit(lambda x: function(x, IDS, 0))(data).shape == (0,)
    assert ad.jit(lambda x, i: function(x, i, 0))(data, IDS).shape == (0,)


@pytest.mark.parametrize("options", METHODS, ids=lambda o: "".join(map(str, o.values())) or "default")
@pytest.mark.parametrize("name", NAMES)
def test_derivatives(name: str, options: dict[str, Any]) -> None:
    """Derivatives of orders 1 and 2, known numbers against traced ones and against differences."""
    function, there = getattr(ad, name), np.array([0, 1, 3])
    x = np.random.default_rng(1).normal(size=(N, 2))

    def known(x: Any) -> Any:
        return np.sum(np.sin(function(x, IDS, COUNT)[there]))

    def traced(x: Any, ids: Any) -> Any:
        return np.sum(np.sin(function(x, ids, COUNT)[there]))

    gradient = ad.grad(known, **options)
    steps = 1e-6 * np.eye(x.size).reshape(-1, *x.shape)
    slopes = [(known(x + h) - known(x - h)) / 2e-6 for h in steps]
    np.testing.assert_allclose(gradient(x).ravel(), slopes, atol=1e-7)
    np.testing.assert_allclose(ad.grad(traced, **options)(x, IDS), gradient(x), atol=1e-13)
    hessian = ad.hessian(known, **options)(x).reshape(x.size, -1)
    slopes = [(gradient(x + h) - gradient(x - h)).ravel() / 2e-6 for h in steps]
    np.testing.assert_allclose(hessian, slopes, atol=1e-6)
    np.testing.assert_allclose(ad.hessian(traced, **options)(x, IDS).reshape(x.size, -1), hessian, atol=1e-12)
    ad.check_derivatives(lambda x: function(x, IDS, COUNT)[there], x, interpret=bool(options))


@pytest.mark.parametrize("how", ["known", "traced"])
def test_elements_that_attain_an_extremum_share_its_derivative(how: str) -> None:
    """As those of `np.max` do; of infinite and of no elements, too."""
    x = np.array([2.0, 2.0, 2.0, 1.0, np.inf, np.inf, np.nan, 1.0])
    ids = np.array([0, 0, 0, 0, 1, 1, 3, 3])

    def function(name: str) -> Any:
        at = getattr(ad, name)
        return ad.jacrev(lambda x, i: at(x, ids if how == "known" else i, 4))(x, ids)

    wanted = np.zeros((4, 8))
    wanted[0, :3], wanted[1, 4:6] = 1 / 3, 1 / 2
    np.testing.assert_allclose(function("segment_max"), wanted)
    wanted = np.zeros((4, 8))
    wanted[0, 3], wanted[1, 4:6] = 1, 1 / 2
    np.testing.assert_allclose(function("segment_min"), wanted)


def test_products_with_zeros() -> None:
    x, ids = np.array([0.0, 2.0, 3.0, 0.0, 0.0, 5.0]), np.array([0, 0, 0, 1, 1, 1])
    gradient = ad.grad(lambda x, i: np.sum(ad.segment_prod(x, i, 2)))(x, ids)
    np.testing.assert_array_equal(gradient, [6, 0, 0, 0, 0, 0])
    hessian = ad.hessian(lambda x, i: np.sum(ad.segment_prod(x, i, 2)))(x, ids)
    wanted = np.zeros((6, 6))
    wanted[0, 1] = wanted[1, 0] = 3
    wanted[0, 2] = wanted[2, 0] = 2
    wanted[3, 4] = wanted[4, 3] = 5
    np.testing.assert_array_equal(hessian, wanted)


@pytest.mark.parametrize("name", NAMES)
def test_batches(name: str) -> None:
    function, rng = getattr(ad, name), np.random.default_rng(2)
    x, ids = rng.normal(size=(3, N)), np.stack([IDS, np.roll(IDS, 1), IDS[::-1]])
    one = [function(x[k], ids[k], COUNT) for k in range(3)]
    np.testing.assert_allclose(ad.vmap(lambda x, i: function(x, i, COUNT))(x, ids), one)
    one = [function(x[k], IDS, COUNT) for k in range(3)]
    np.testing.assert_allclose(ad.vmap(lambda x: function(x, IDS, COUNT))(x), one)


def test_programs_do_not_grow_with_the_number_of_segments() -> None:
    for name in NAMES:
        function, sizes = getattr(ad, name), []
        for count in (3, 300, 30000):
            ids = np.arange(2 * count) % count
            gradient = ad.grad(lambda x, i, f=function, n=count: np.sum(f(x, i, n) ** 2))
            sizes.append(gradient.ir(np.ones(2 * count), ids, after="lower-checkpoints").count(" = "))
        assert max(sizes) == min(sizes), name


MISTAKES = {
    "floats": (lambda x: ad.segment_sum(x, x, 2), ad.DtypeError, "integers, got float64"),
    "too few": (lambda x: ad.segment_max(x, np.array([0, 1]), 2), ad.ShapeError, r"\[2\] numbers .* 3 rows"),
    "a matrix": (lambda x: ad.segment_sum(x, np.zeros((3, 3), int), 2), ad.ShapeError, "one number for each"),
    "a scalar": (lambda x: ad.segment_sum(x[0], 0, 2), ad.ShapeError, "data is a scalar"),
    "count": (lambda x: ad.segment_prod(x, [0, 1, 1], -1), ad.ArgumentError, "num_segments is -1"),
    "traced count": (lambda x: ad.segment_prod(x, [0, 1, 1], x[0]), ad.ArgumentError, "num_segments"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name: str) -> None:
    call, kind, message = MISTAKES[name]
    with pytest.raises(kind, match=message) as caught:
        ad.jit(call)(np.ones(3))
    assert caught.value.hint
    assert __file__ in str(caught.value.location)
