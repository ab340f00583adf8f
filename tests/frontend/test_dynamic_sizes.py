"""`jit(dynamic=)`: one trace and one expansion for all sizes, the values of static programs, and errors."""

from __future__ import annotations

import math
import warnings
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad.compiler import transform
from mlirad.dialects.concrete_sizes import stated_sizes
from mlirad.errors import ArgumentError, MliradError, ShapeError, TracingError
from mlirad.frontend.compiling import all_sizes
from mlirad.frontend.tracing.sizes import MAKERS
from mlirad.interpreter import run_function
from mlirad.ir.call_graph import functions_by_name
from mlirad.ir.parsing import parse_module
from mlirad.passes.instantiate_sizes import InstantiateSizesPass
from mlirad.pipeline_options import Options
from mlirad.pipelines import always
from tests.generators.numpy_calls import random_call

np_: Any = np
"""NumPy, as functions of traced arrays."""


def softmax(x: Any, y: Any, w: Any) -> Any:
    z = np.exp(x @ w - np.max(x @ w, axis=1, keepdims=True))
    return -np.mean(np.log(z[:, 0] / np.sum(z, axis=1)) * y)


def mixture(x: Any, y: Any, w: Any) -> Any:
    q = -0.5 * np.sum((x[:, None, :] - w[None, :, :]) ** 2, axis=2)
    m = np.max(q, axis=1)
    return np.sum(m + np.log(np.sum(np.exp(q - m[:, None]), axis=1))) + np.std(y)


def scan(x: Any, y: Any, w: Any) -> Any:
    def step(c: Any, row: Any) -> Any:
        c = np.tanh(c @ w + row[0] * row[1])
        return c, c * row[1]

    last, made = ad.scan(step, w[0], (x, y))
    return np.sum(last) + np.sum(made**2)


def blocks(x: Any, y: Any, w: Any) -> Any:
    return ad.scan(lambda c, r: (np.sin(c + r.sum()), c), w[0, 0], x, checkpoint="sqrt")[0] + y[0]


def counted(x: Any, y: Any, w: Any) -> Any:
    return ad.fori_loop(0, x.shape[0], lambda i, c: c * 0.9 + np.sum(x[i] * y[i]), w[0, 0])


def batched(x: Any, y: Any, w: Any) -> Any:
    return np.sum(ad.vmap(lambda row, s: np.tanh(row @ w) * s)(x, y))


def built(x: Any, y: Any, w: Any) -> Any:
    return np.sum(ad.build((x.shape[0], 4), lambda i, j: x[i, j] * y[i] ** 2 * w[j, 0]))


def parts(x: Any, y: Any, w: Any) -> Any:
    n = x.shape[0]
    joined = np.concatenate([x[1:], x[::2], w])
    return (
        np.sum((y[1:] - y[:-1]) ** 2) + np.sum(joined**2) + np.sum(x[: n // 2] * y[-1]) + np.sum(x[::-1] * x)
    )


def shapes(x: Any, y: Any, w: Any) -> Any:
    n = x.shape[0]
    rolled = np.roll(y, 1) * np.repeat(y, 2).reshape(n, 2)[:, 0] + np.pad(y, (1, 0))[:-1]
    return np.sum(x.reshape(2 * n, -1)[:, 0] * np.tile(y, 2)) + np.sum(rolled) / n + np.sqrt(n) * w[0, 0]


def positions(x: Any, y: Any, w: Any) -> Any:
    k = (np.abs(y) * 3).astype(int) % 4
    table = ad.numpy.zeros((x.shape[0], 4))
    table[0] = w[0]
    table[1:] += x[1:]
    return np.sum(w[k] * x) + np.sum(table**2) + x[np.argsort(y)][0, 0] + x[np.array([0, -1])].sum()


def nested(x: Any, y: Any, w: Any) -> Any:
    def inner(v: Any) -> Any:
        return np.mean(np.tanh(x @ v) ** 2 * y)

    hessian_product = ad.jvp(ad.grad(inner), (w[0],), (w[1],))[1]
    return np.sum(hessian_product) + np.sum(ad.jacobian(lambda v: np.tanh(x @ v))(w[0]) ** 2)


def ordered(x: Any, y: Any, w: Any) -> Any:
    return (
        np.sum(np.sort(x, axis=0) * w[0]) + np.sum(np.cumsum(y) ** 2) + np.max(x) + np.prod(np.tanh(y) + 1.1)
    )


def chosen(x: Any, y: Any, w: Any) -> Any:
    big = ad.cond(np.greater(x.shape[0], 4), lambda: np.sum(x * w[0]), lambda: np.sum(np.sin(x)))
    return big + np.sum(np.where(ad.numpy.arange(x.shape[0]) < 2, y, 0.5 * y))


def halves(x: Any, y: Any, w: Any) -> Any:
    n = x.shape[0]
    return np.sum(np.minimum(x[: n // 2] @ w, x[n // 2 : n // 2 * 2] @ w)) + np.sum(x[-1] * y[-1])


def widened(x: Any, y: Any, w: Any) -> Any:
    return np.sum(np.sum((x @ np.outer(w[0], np.ones(130))) ** 2, axis=0)) + np.sum(y)


PROGRAMS = (
    softmax, mixture, scan, blocks, counted, batched, built, parts, shapes, positions, nested, ordered,
    chosen, halves, widened,
)  # fmt: skip


def arguments(n: int, seed: int = 0) -> tuple[Any, ...]:
    rng = np.random.default_rng(seed + n)
    return rng.normal(size=(n, 4)), rng.normal(size=n), rng.normal(size=(4, 4))


def agree(found: Any, wanted: Any) -> None:
    for a, b in zip(ad.tree.leaves(found), ad.tree.leaves(wanted), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-8, atol=1e-10)


@pytest.fixture
def traces(monkeypatch: pytest.MonkeyPatch) -> list[all_sizes.AllSizes]:
    """The traces made for all sizes."""
    made: list[all_sizes.AllSizes] = []
    make = all_sizes.for_all_sizes

    def noting(*args: Any) -> all_sizes.AllSizes:
        made.append(make(*args))
        return made[-1]

    monkeypatch.setattr(all_sizes, "for_all_sizes", noting)
    return made


@pytest.mark.parametrize("method", ["dual-arrays", "chad", "jacobian"])
@pytest.mark.parametrize("case", PROGRAMS, ids=lambda f: f.__name__)
def test_differentiating_commutes_with_instantiating(case: Callable[..., Any], method: str):
    """The gradient expanded for all sizes, at a size, is the gradient of the program at this size."""
    gradient = ad.value_and_grad(case, argnums=(0, 1, 2))
    module = parse_module(ad.jit(gradient, dynamic="x:0 y:0").ir(*arguments(5)))
    open_ = module.clone()
    transform(open_, Options(end="arrays", method=method), verify=always)
    assert stated_sizes(functions_by_name(open_)["main"]) == ("n",)
    for n in (2, 3, 6):
        put_in = (InstantiateSizesPass((("n", n),)),)
        static, late = module.clone(), open_.clone()
        transform(static, Options(first=put_in, end="arrays", method=method))
        transform(late, Options(first=put_in, end="program"), verify=always)
        wanted = run_function(static, arguments(n))
        agree(list(run_function(open_, arguments(n))), list(wanted))
        agree(list(run_function(late, arguments(n))), list(wanted))


@pytest.mark.parametrize("case", PROGRAMS, ids=lambda f: f.__name__)
def test_compiled_for_several_sizes(case: Callable[..., Any], traces: list[all_sizes.AllSizes]):
    """One trace and one expansion serve all sizes, and the values are those of static programs."""
    gradient = ad.grad(case, argnums=(0, 2))
    found = ad.jit(gradient, dynamic="x:0 y:0")
    for n in (2, 3, 9):
        agree(found(*arguments(n)), ad.jit(gradient, interpret=True)(*arguments(n)))
    assert [made.needed for made in traces] == [None]


@pytest.mark.parametrize("seed", range(40))
def test_random_calls(seed: int):
    """NumPy's functions on arrays whose leading dimensions are dynamic: static values, or an error."""
    call = random_call(7000 + seed)
    paths: dict[int, list[str]] = defaultdict(list)
    for k, leaf in enumerate(call.leaves):
        if isinstance(leaf, np.ndarray) and leaf.ndim and leaf.shape[0] >= 2:
            paths[leaf.shape[0]].append(f"argument{k}:0")
    if not paths:
        return
    found = ad.jit(
        lambda *leaves: call.apply(leaves),
        dynamic=tuple(" ".join(group) for group in paths.values()),
        interpret=True,
        flush_subnormals=False,
    )
    fixed = ad.jit(lambda *leaves: call.apply(leaves), interpret=True, flush_subnormals=False)
    for grown in (0, 3):
        leaves = [
            np.resize(leaf, (leaf.shape[0] + grown, *leaf.shape[1:]))
            if isinstance(leaf, np.ndarray) and leaf.ndim and leaf.shape[0] >= 2
            else leaf
            for leaf in call.leaves
        ]
        try:
            static = fixed(*leaves)
        except Exception:
            return  # NumPy's own errors among them
        try:
            result = found(*leaves)
        except MliradError:
            return
        for a, b in zip(ad.tree.leaves(result), ad.tree.leaves(static), strict=True):
            assert np.shape(a) == np.shape(b), call
            np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6, err_msg=str(call))


# Around it ---------------------------------------------------------------------------------------


def test_sizes_0_and_1_have_programs_of_their_own(traces: list[all_sizes.AllSizes]):
    f = ad.jit(lambda x: (np.sum(x, axis=0), x.shape[0]), dynamic="x:0")
    for n in (0, 1, 2, 5):
        total, count = f(np.ones((n, 3)))
        np.testing.assert_array_equal(total, [n, n, n])
        assert count == n
    assert len(traces) == 1


def test_many_sizes_give_no_warning():
    f = ad.jit(np_.sum, dynamic="a:0")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert [f(np.ones(n)) for n in range(2, 10)] == list(range(2, 10))


def test_two_sizes():
    f = ad.jit(lambda x, y: x[:, None] * y, dynamic=("x:0", "y:0"))
    for n, m in ((2, 3), (3, 3), (4, 2)):
        x, y = np.arange(float(n)), np.arange(float(m))
        np.testing.assert_array_equal(f(x, y), x[:, None] * y)


def test_leaves_of_structures_and_other_dimensions():
    f = ad.jit(lambda p: p["a"] @ p["b"], dynamic="p['a']:-1 p['b']:0")
    np.testing.assert_array_equal(f({"a": np.ones((2, 3)), "b": np.ones(3)}), [3.0, 3.0])
    np.testing.assert_array_equal(f({"a": np.ones((2, 4)), "b": np.ones(4)}), [4.0, 4.0])


def test_complex_arrays_are_one_dimension():
    f = ad.jit(lambda z: np.abs(z) ** 2, dynamic="z:0")
    z = np.array([1 + 1j, 2.0, 3j])
    np.testing.assert_allclose(f(z), np.abs(z) ** 2)
    np.testing.assert_allclose(f(z[:2]), np.abs(z[:2]) ** 2)


def test_inside_of_the_compiler():
    f = ad.jit(lambda x: np.sum(x**2), dynamic="x:0")
    assert '{array.sizes = ["n"]}' in f.ir(np.ones(5))
    assert "tensor<?xf64, #array.extents<[n]>>" in f.ir(np.ones(5), after="linearize")
    assert "tensor<5xf64>" in f.ir(np.ones(5), after="form-kernels")
    assert f.lower(np.ones(5)).compile()(np.ones(5)) == 5.0
    assert f.stats(np.ones(5)).kernels == 1


def test_a_loop_over_rows_is_rewritten():
    def f(x: Any) -> Any:
        total = 0.0
        for i in range(x.shape[0]):
            total = total + x[i] * i
        for row in x:
            total = total * 0.5 + row
        return total

    found = ad.jit(ad.grad(ad.rewritten(f)), dynamic="x:0")
    for n in (2, 5):
        np.testing.assert_allclose(found(np.arange(float(n))), ad.grad(f)(np.arange(float(n))))


POSSIBLY_EMPTY = (
    lambda x: np.sum(x[2:]), lambda x: np.prod(x[2:]), lambda x: np.mean(x[2:]),
    lambda x: np.sort(x[2:]), lambda x: np.max(x[2:], initial=0.0), lambda x: np.pad(x[2:], 1),
    lambda x: x[2:, None] * x[2:], lambda x: ad.scan(lambda c, r: (c + r, c), 0.1, x[2:]),
    lambda x: ad.build(x.shape[0] - 2, lambda i: x[i] * x[i + 2]), lambda x: np.median(x[1:]),
    lambda x: x[1:] * x[:1], lambda x: np.sum(x[: x.shape[0] // 4]), lambda x: np.cov(x),
)  # fmt: skip


@pytest.mark.parametrize("case", range(len(POSSIBLY_EMPTY)))
def test_parts_that_may_be_empty_or_single(case: int):
    """Extents such as n - 2 and n // 4, which are 0 or 1 for small sizes."""
    found = ad.jit(POSSIBLY_EMPTY[case], dynamic="x:0", interpret=True)
    for n in (2, 3, 4, 7):
        x = np.arange(float(n)) + 1
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            agree(found(x), ad.jit(POSSIBLY_EMPTY[case], interpret=True)(x))


@pytest.mark.parametrize("function", [np.max, np.argmin, lambda x: x[0], lambda x: np.fft.irfft(x)])
def test_what_parts_that_may_be_empty_do_not_have(function: Any):
    with pytest.raises(TracingError, match=r"depends on the size|needed as a number"):
        ad.jit(lambda x: function(x[2:]), dynamic="x:0")(np.ones(5))


# Errors ------------------------------------------------------------------------------------------


def length(x: Any) -> Any:
    return np.sum(x) / len(x)


def length_hinted(x: Any) -> Any:
    return np.sum(x) / x.shape[0]


def loop(x: Any) -> Any:
    total = 0.0
    for i in range(x.shape[0]):
        total = total + x[i]
    return total


def rows(x: Any) -> Any:
    return sum(row for row in x)


def loop_hinted(x: Any) -> Any:
    return ad.fori_loop(0, x.shape[0], lambda i, total: total + x[i], 0.0)


def zeros(x: Any) -> Any:
    return x + np.zeros(x.shape[0])


def zeros_hinted(x: Any) -> Any:
    return x + ad.numpy.zeros(x.shape[0])


def arange(x: Any) -> Any:
    return x * np.arange(x.shape[0])


def arange_hinted(x: Any) -> Any:
    return x * ad.numpy.arange(x.shape[0])


def eye(x: Any) -> Any:
    return np.eye(x.shape[0]) @ x


def eye_hinted(x: Any) -> Any:
    return ad.numpy.eye(x.shape[0]) @ x


def branch(x: Any) -> Any:
    return x if x.shape[0] > 100 else 2 * x


def branch_hinted(x: Any) -> Any:
    return ad.cond(np.greater(x.shape[0], 100), lambda: x, lambda: 2 * x)


def split(x: Any) -> Any:
    return np.split(x, 2)[0]


def split_hinted(x: Any) -> Any:
    n = x.shape[0]
    return np.split(x[: n // 2 * 2], 2)[0]


def reshape(x: Any) -> Any:
    return x.reshape(x.shape[0] // 2, 2)


def reshape_hinted(x: Any) -> Any:
    n = x.shape[0]
    return x[: n // 2 * 2].reshape(n // 2, 2)


def key(x: Any) -> Any:
    return {5: 1.0}.get(x.shape[0], 2.0) * x


def root(x: Any) -> Any:
    return x * math.sqrt(x.shape[0])


def root_hinted(x: Any) -> Any:
    return x * np.sqrt(x.shape[0])


def first_ten(x: Any) -> Any:
    return x[:10]


def listed(x: Any) -> Any:
    return x.tolist()


MISTAKES: tuple[tuple[Callable[..., Any], str, Callable[..., Any] | None], ...] = (
    (length, r"x\.shape\[0\]", length_hinted),
    (loop, r"ad\.fori_loop", loop_hinted),
    (rows, r"ad\.fori_loop", loop_hinted),
    (zeros, r"ad\.numpy\.zeros\(n\)", zeros_hinted),
    (arange, r"ad\.numpy\.arange\(n\)", arange_hinted),
    (eye, r"ad\.numpy\.eye\(n\)", eye_hinted),
    (branch, r"ad\.cond\(np\.greater\(n, 100\), f, g\)", branch_hinted),
    (split, r"np\.split\(x\[: n // 3 \* 3\], 3\)", split_hinted),
    (reshape, r"x\[: n // 8 \* 8\]\.reshape\(n // 8, 8\)", reshape_hinted),
    (key, "leave the dimension out of dynamic", None),
    (root, r"np\.sqrt\(n\)", root_hinted),
    (first_ten, "leave the dimension out of dynamic", None),
    (listed, r"ad\.fori_loop", None),
)


@pytest.mark.parametrize(("mistake", "hint", "hinted"), MISTAKES, ids=[m[0].__name__ for m in MISTAKES])
def test_mistakes(mistake: Callable[..., Any], hint: str, hinted: Callable[..., Any] | None):
    """Code that needs a number says so at its line, and the code of the hint works."""
    x = np.arange(6.0) + 1
    with pytest.raises((TracingError, ShapeError), match=hint) as raised:
        ad.jit(mistake, dynamic="x:0", control="plain")(x)
    assert raised.value.location is not None
    assert raised.value.location.startswith(__file__)
    first = mistake.__code__.co_firstlineno
    assert first < int(raised.value.location.rpartition(":")[2]) <= first + 3
    if hinted is not None:
        np.testing.assert_allclose(ad.jit(hinted, dynamic="x:0")(x), mistake(x))


@pytest.mark.filterwarnings("ignore::mlirad.ControlFlowWarning")
@pytest.mark.parametrize("name", MAKERS)
def test_functions_that_make_arrays_take_sizes(name: str) -> None:
    """They are called with numbers in the function as it stands, and rewritten where they meet a size."""
    make = getattr(np, name)

    def scaled(x: Any) -> Any:
        made = make(x.shape[0], 2.0) if name == "full" else make(x.shape[0])
        return (made * 0.0 + 1.0) @ x if name == "empty" else made @ x

    def of_fewer(x: Any) -> Any:
        return np.arange(x.shape[0] - 1)[:, None] * x[1:, None]

    for function in (scaled, of_fewer):
        compiled = ad.jit(function, dynamic="x:0")
        for n in (2, 5, 6):
            np.testing.assert_allclose(compiled(np.arange(1.0, n + 1)), function(np.arange(1.0, n + 1)))


def test_sizes_that_meet():
    def f(x: Any, y: Any) -> Any:
        return x + y

    x = np.ones(3)
    with pytest.raises(ShapeError, match=r"\(n,\), \(m,\) do not broadcast(.|\n)*in one string"):
        ad.jit(f, dynamic=("x:0", "y:0"))(x, x)
    with pytest.raises(ShapeError, match=r"x has 3 elements in dimension 0 and y 4 in dimension 0"):
        ad.jit(f, dynamic="x:0 y:0")(x, np.ones(4))
    np.testing.assert_array_equal(ad.jit(f, dynamic="x:0 y:0")(x, x), 2 * x)


@pytest.mark.parametrize(
    ("dynamic", "message"),
    [
        ("z:0", "dynamic names z, and lambda takes no array of this name"),
        ("x:1", "dynamic names x:1, and x is of rank 1"),
        ("x", "names no dimensions of arguments"),
        ("", "an empty string"),
        (3, "names dimensions by strings, got 3"),
        (("x:0", "x:0"), "dynamic names x:0 twice"),
    ],
)
def test_dimensions_that_there_are_not(dynamic: Any, message: str):
    with pytest.raises(ArgumentError, match=message):
        ad.jit(lambda x: x, dynamic=dynamic)(np.ones(3))
