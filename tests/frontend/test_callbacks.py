"""Python functions that programs call: their arguments, how often and in which order, and what they raise."""

from __future__ import annotations

import os
import subprocess
import sys
import traceback
from pathlib import Path

import numpy as np
import pytest

import mlirad as ad
from mlirad import callbacks

X = np.array([3.0, 1.0, 2.0])


class Seen:
    """A function that notes its arguments."""

    def __init__(self, function):
        self.function = function
        self.calls = []

    def __call__(self, *args):
        self.calls.append(args)
        return self.function(*args)


def rounded(x):
    return np.array([float(f"{v:.1f}") for v in np.ravel(x)], np.asarray(x).dtype).reshape(np.shape(x))


@pytest.fixture(params=["compiled", "interpreted"])
def jit(request):
    return lambda f: ad.jit(f, interpret=request.param == "interpreted")


# Values ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "x",
    [
        np.float64(1.26),
        X,
        np.empty(0),
        np.empty((0, 3)),
        np.ones((2, 1, 3)),
        np.array([np.nan, np.inf, -np.inf]),
        X.astype(np.float32),
    ],
)
def test_results_go_on_in_the_program(jit, x):
    found = jit(lambda x: 2 * ad.callback(rounded, x, x))(x)
    np.testing.assert_array_equal(found, 2 * rounded(x))
    assert found.dtype == x.dtype


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.int32, np.bool_, np.complex128])
def test_arrays_and_scalars_of_every_dtype_come_as_numpy_has_them(jit, dtype):
    x = np.array([1, 0, 1]).astype(dtype)
    same = Seen(lambda x, y: (x, y))
    found = jit(lambda x: ad.callback(same, (x, x[0]), x, x[0]))(x)
    ((array, scalar),) = same.calls
    assert type(array) is np.ndarray and array.dtype == dtype and array.flags.writeable
    assert isinstance(scalar, np.generic) and scalar.dtype == dtype
    np.testing.assert_array_equal(found[0], x)
    np.testing.assert_array_equal(found[1], x[0])


def test_structures_go_in_and_come_out(jit):
    def f(p, *, scale=2.0):
        return {"sum": p["w"].sum() * scale + p["b"], "all": [p["w"], p["name"] == "layer"]}

    def program(w, b):
        stated = {"sum": 0.0, "all": [np.empty(3), np.bool_(False)]}
        return ad.callback(f, stated, {"w": w, "b": b, "name": "layer"})

    found = jit(program)(X, 1.0)
    assert found["sum"] == 13.0 and found["all"][1]
    np.testing.assert_array_equal(found["all"][0], X)


@pytest.mark.parametrize(
    "stated", [np.float32, np.dtype(np.float32), np.float32(0), np.empty((), np.float32)], ids=repr
)
def test_results_are_stated_by_types_or_samples(jit, stated):
    found = jit(lambda x: ad.callback(lambda x: 0.5, stated, x))(1.0)
    assert found == 0.5 and found.dtype == np.float32


def test_shapes_of_other_libraries_state_results(jit):
    class Shape:
        shape, dtype = (3,), np.float64

    np.testing.assert_array_equal(jit(lambda x: ad.callback(np.sort, Shape(), x))(X), np.sort(X))


def test_what_the_function_writes_into_stays_its_own(jit):
    def f(x):
        x[:] = 0
        return x + 1

    def program(x):
        y = x * 2
        return ad.callback(f, np.empty(3), y), y

    made, y = jit(program)(X)
    np.testing.assert_array_equal(made, np.ones(3))
    np.testing.assert_array_equal(y, 2 * X)


def test_outside_of_a_trace_it_is_called_at_once():
    np.testing.assert_array_equal(ad.callback(np.sort, np.empty(3), X), np.sort(X))
    with pytest.raises(ad.ShapeError, match=r"test_callbacks.py:\d+: numpy.sort returns a result of shape"):
        ad.callback(np.sort, np.empty(2), X)


# Number of calls ----------------------------------------------------------------------------------


def test_it_is_called_where_it_runs(jit):
    seen = Seen(lambda x: x + 1)

    def program(x):
        def step(c, e):
            return ad.cond(e > 1.5, lambda: ad.callback(seen, 0.0, c + e), lambda: c), c

        return ad.scan(step, 0.0, x)

    last, _ = jit(program)(X)
    assert last == 7.0
    assert seen.calls == [(3.0,), (6.0,)]


def test_it_is_called_in_while_loops(jit):
    seen = Seen(lambda x: x / 2)
    found = jit(lambda x: ad.while_loop(lambda c: c > 1, lambda c: ad.callback(seen, 0.0, c), x))(8.0)
    assert found == 1.0
    assert len(seen.calls) == 3


def test_results_that_nobody_reads_are_not_computed(jit):
    seen = Seen(lambda x: x)
    assert jit(lambda x: (ad.callback(seen, 0.0, x), x)[1])(2.0) == 2.0
    assert not seen.calls


def test_one_of_several_results_may_be_unread(jit):
    for k in range(3):
        found = jit(lambda x, k=k: ad.callback(lambda x: (x, x[:2], 7), (X, X[:2], 0), x)[k])(X)
        np.testing.assert_array_equal(found, [X, X[:2], 7][k])


@pytest.mark.parametrize("vectorized", [False, True])
def test_batches_are_loops_or_one_call(jit, vectorized):
    seen = Seen(lambda x, y: np.sort(x, axis=-1) * np.asarray(y)[..., None])
    xs = np.stack([X, -X])

    def program(x, y):
        return ad.callback(seen, np.empty(3), x, y, vectorized=vectorized)

    found = jit(ad.vmap(program))(xs, np.array([1.0, 2.0]))
    np.testing.assert_array_equal(found, np.sort(xs, axis=1) * [[1], [2]])
    assert [np.shape(x) for x, _ in seen.calls] == ([(2, 3)] if vectorized else [(3,), (3,)])


def test_batches_in_batches_are_one_axis(jit):
    seen = Seen(lambda x, y: x + y)
    outer = ad.vmap(lambda x: ad.vmap(lambda y: ad.callback(seen, 0.0, x, y, vectorized=True))(X))
    np.testing.assert_array_equal(jit(outer)(X[:2]), X[:2, None] + X)
    assert [x.shape for x, _ in seen.calls] == [(6,)]


def test_members_of_a_batch_call_where_they_take_the_branch(jit):
    seen = Seen(lambda x: -x)

    def program(x):
        return ad.cond(x > 1.5, lambda: ad.callback(seen, 0.0, x), lambda: x)

    np.testing.assert_array_equal(jit(ad.vmap(program))(X), [-3.0, 1.0, -2.0])
    assert seen.calls == [(3.0,), (2.0,)]
    assert np.shape(jit(ad.vmap(program))(X[:0])) == (0,)


def test_a_call_that_members_share_is_made_once_if_any_makes_it(jit):
    seen = Seen(lambda y: y + 1)

    def program(x, y):
        return ad.cond(x > 1.5, lambda: ad.callback(seen, 0.0, y), lambda: x)

    batch = jit(ad.vmap(program, in_axes=(0, None)))
    np.testing.assert_array_equal(batch(X, 5.0), [6.0, 1.0, 6.0])
    assert len(seen.calls) == 1
    np.testing.assert_array_equal(batch(X * 0, 5.0), X * 0)
    assert len(seen.calls) == 1


def test_it_may_call_compiled_functions_also_the_one_that_calls_it():
    def below(x):
        return total(x - 1) if x > 0 else 0.0

    total = ad.jit(lambda x: x + ad.callback(below, 0.0, x))
    assert total(4.0) == 10.0


def test_two_functions_of_one_name_are_told_apart(jit):
    made = [lambda x, k=k: k * x for k in range(3)]
    assert jit(lambda x: [ad.callback(f, 0.0, x) for f in made])(1.0) == [0.0, 1.0, 2.0]


def test_threads_call_back_at_the_same_time():
    from concurrent.futures import ThreadPoolExecutor

    f = ad.jit(lambda x: ad.callback(rounded, 0.0, x) + 1)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(f, np.arange(100.0))) == list(np.arange(100.0) + 1)


# Derivatives -------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["dual", "jacobian", "chad"])
def test_a_rule_gives_the_derivative(method):
    cube = ad.custom_derivative(lambda x: ad.callback(lambda x: x**3, np.empty(3), x))
    cube.rule(lambda x: lambda dx: 3 * x**2 * dx)
    loss = lambda x: np.sum(np.sin(cube(x)))  # noqa: E731
    options = {} if method == "dual" else {"method": method}
    expected = 3 * X**2 * np.cos(X**3)
    np.testing.assert_allclose(ad.grad(loss, **options)(X), expected, rtol=1e-14)
    np.testing.assert_allclose(ad.vmap(ad.grad(loss, **options))(X[None]), expected[None], rtol=1e-14)


def test_a_rule_may_call_back_itself():
    square = ad.custom_derivative(lambda x: ad.callback(lambda x: x * x, 0.0, x))
    slope = ad.custom_derivative(lambda x: ad.callback(lambda x: 2 * x, 0.0, x))
    square.rule(lambda x: lambda dx: slope(x) * dx)
    slope.rule(lambda x: lambda dx: 2.0 * dx)
    assert ad.grad(square)(3.0) == 6.0
    assert ad.grad(ad.grad(square))(3.0) == 2.0
    assert ad.jvp(square, (3.0,), (1.0,)) == (9.0, 6.0)


@pytest.mark.parametrize("mode", [ad.grad, ad.jacfwd, ad.hessian])
@pytest.mark.parametrize("results", [(0.0, 0), (0, 0.0)])
def test_without_a_rule_a_float_has_no_derivative(mode, results):
    def program(x):
        found = ad.callback(lambda x: (x, x), results, x)
        return x * found[0] * found[1]

    with pytest.raises(ad.DifferentiationError, match=r"test_callbacks.py:\d+: .*is called as Python code"):
        mode(program)(2.0)


def test_integers_and_stopped_floats_need_no_rule():
    def program(x):
        k = ad.callback(lambda x: int(x > 1), 0, x)
        return x * k + x * ad.callback(lambda x: 5.0, 0.0, ad.stop_gradient(x))

    assert ad.grad(program)(2.0) == 6.0


# Mistakes -----------------------------------------------------------------------------------------


class Broken(Exception):
    """An exception of the user's own."""


def broken(x):
    raise Broken(f"no value at {x}")


@pytest.mark.parametrize("what", ["callback", "debug_callback"])
def test_exceptions_keep_their_traceback_and_name_the_line(jit, what):
    def program(x):
        if what == "debug_callback":
            ad.debug_callback(broken, x)
            return x
        return ad.callback(broken, 0.0, x)

    f = jit(program)
    for _ in range(2):
        with pytest.raises(Broken, match=r"no value at 2.0") as caught:
            f(2.0)
        text = "".join(traceback.format_exception(caught.value))
        assert "in broken" in text
        assert f"called by a program at {__file__}:" in text


def test_a_program_goes_on_after_one_that_raised():
    def f(x):
        if x < 0:
            raise Broken
        return x

    g = ad.jit(lambda x: ad.callback(f, 0.0, x) + 1)
    with pytest.raises(Broken):
        g(-1.0)
    assert g(1.0) == 2.0


def test_an_interrupt_in_it_ends_the_call():
    def f(x):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ad.jit(lambda x: ad.fori_loop(0, 5, lambda k, c: ad.callback(f, 0.0, c), x))(1.0)


@pytest.mark.parametrize(
    ("returned", "stated", "error", "words"),
    [
        (np.ones(2), 0.0, ad.ShapeError, r"a result of shape \(2,\), and float64\[\] was stated"),
        (1.0, np.empty(2), ad.ShapeError, r"a result of shape \(\), and float64\[2\] was stated"),
        (1j, 0.0, ad.DtypeError, r"a result of complex128, and float64\[\] was stated"),
        (np.float64(1), np.float32, ad.DtypeError, r"a result of float64, and float32\[\] was stated"),
        (0.5, 0, ad.DtypeError, r"a result of float64, and int64\[\] was stated"),
        ("text", 0.0, ad.DtypeError, r"and float64\[\] was stated"),
        (None, 0.0, ad.DtypeError, r"and float64\[\] was stated"),
        ((1.0,), (0.0, 0.0), ad.ArgumentError, r"must be structured like \(\*, \*\), got"),
        ({"a": 1.0}, {"b": 0.0}, ad.ArgumentError, r"must be structured like"),
    ],
)
def test_results_of_another_type_are_errors(jit, returned, stated, error, words):
    with pytest.raises(error, match=rf"test_callbacks.py:\d+: .*{words}"):
        jit(lambda x: ad.callback(lambda x: returned, stated, x))(1.0)


def test_smaller_types_and_numbers_of_python_are_converted(jit):
    for returned, stated in ((1, 0.0), (np.int32(1), 0), (np.float32(1), 0.0), (True, 0), (1.0, np.float32)):
        found = jit(lambda x: ad.callback(lambda x: returned, stated, x))(1.0)  # noqa: B023
        assert (
            found == 1
            and found.dtype == np.empty((), stated if isinstance(stated, type) else type(stated)).dtype
        )


def test_a_shape_is_not_taken_for_integers():
    with pytest.raises(ad.ArgumentError, match=r"\(3, 2\) as result_shapes means 2 integers, not a shape"):
        ad.jit(lambda x: ad.callback(np.sort, (3, 2), x))(X)


@pytest.mark.parametrize("what", ["callback", "debug_callback"])
def test_what_is_no_function_is_said(what):
    with pytest.raises(ad.ArgumentError, match=rf"ad.{what} takes a function first, got float"):
        ad.jit(lambda x: getattr(ad, what)(3.0, x))(1.0)


def test_names_of_text_call_nothing():
    call = callbacks.Call(((np.dtype(float), ()),), False, None)
    with pytest.raises(
        ad.ArgumentError, match=r"the program calls 'os\.getcwd', and no function has this name"
    ):
        callbacks.results("os.getcwd", call, np.array(True), [])


def test_it_cannot_be_exported(tmp_path):
    with pytest.raises(
        ad.UnsupportedError, match=r"a program that calls Python cannot be exported: it calls"
    ):
        ad.export(lambda x: ad.callback(rounded, 0.0, x), 1.0, path=tmp_path / "f.o")


# Effects -----------------------------------------------------------------------------------------


def test_effects_come_in_order_among_prints(jit, capsys):
    def program(x):
        def step(k, c):
            ad.debug_callback(lambda k, c: print("step", k, c), k, c)  # noqa: T201
            ad.debug_print("then {}", c)
            return c / 2

        return ad.fori_loop(0, 2, step, x)

    assert jit(program)(8.0) == 2.0
    assert capsys.readouterr().out.splitlines() == ["step 0 8.0", "then 8.0", "step 1 4.0", "then 4.0"]


def test_effects_happen_once_with_derivatives_and_for_each_member_of_a_batch():
    seen = Seen(lambda x: None)

    def program(x):
        ad.debug_callback(seen, x)
        return x * x

    assert ad.grad(program)(3.0) == 6.0
    assert seen.calls == [(3.0,)]
    ad.vmap(program)(X)
    assert seen.calls[1:] == [(3.0,), (1.0,), (2.0,)]


def test_effects_follow_branches_and_take_structures(jit):
    seen = Seen(lambda state, name: None)

    def program(x):
        def noting():
            ad.debug_callback(seen, {"x": x, "k": 1}, "here")
            return x

        return ad.cond(x > 0, noting, lambda: -x)

    f = jit(program)
    f(-1.0)
    assert not seen.calls
    f(1.0)
    assert seen.calls == [({"x": 1.0, "k": 1}, "here")]


# Other processes ---------------------------------------------------------------------------------

SCRIPT = """
import numpy as np, mlirad as ad
def table(x): return {scale} * x
f = ad.jit(lambda x: 1 + {call})
print(f(2.0))
"""


def test_programs_are_kept_by_the_name_and_call_the_function_of_their_process(tmp_path: Path):
    def run(scale, call="ad.callback(table, 0.0, x)"):
        file = tmp_path / "program.py"
        file.write_text(SCRIPT.format(scale=scale, call=call))
        environment = {**os.environ, "MLIRAD_CACHE": str(tmp_path / "cache")}
        command = [sys.executable, str(file)]
        made = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False, timeout=120
        )
        assert not made.stderr
        kept = sorted(p.suffix for p in (tmp_path / "cache").rglob("*") if p.is_file())
        return float(made.stdout), kept

    value, plain = run(1.0, "np.sin(x)")
    assert value == pytest.approx(1 + np.sin(2.0))
    assert ".trace" in plain
    value, kept = run(1.0)
    assert value == 3.0
    assert kept.count(".program") > plain.count(".program")
    assert kept.count(".trace") == plain.count(".trace")
    assert run(1.0) == (3.0, kept)
    assert run(5.0) == (11.0, kept)
