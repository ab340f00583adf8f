"""Compiled programs on NumPy arrays: right results, fresh memory, several threads, both ways in."""

import gc
import threading
import time
import weakref

import numpy as np
import pytest

from mlirad.errors import CompileError, DtypeError, ShapeError
from mlirad.jit import engine
from mlirad.jit.call import NativeFunction, resolve
from mlirad.jit.general_path import GeneralPath
from mlirad.jit.memory import aligned_copy
from mlirad.lower.native_program import ITEM_BYTES, ArraySpec, NativeProgram


def ways_in(program: NativeProgram):
    """The fast entry, the general path, and the guarded run of a program."""
    function = NativeFunction(program)
    general = GeneralPath(program, engine.load(program.llvm), "general", releases_lock=False)
    return [function.entry, general, NativeFunction(program, debug=True).entry]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("shape", [(), (0,), (1,), (7,), (2, 3), (2, 0, 3), (2, 1, 3, 1)])
def test_floats(elementwise, dtype: str, shape: tuple[int, ...]) -> None:
    program = elementwise("%r = fsub {t} %a0, %a1", dtype, shape, inputs=2)
    r = np.random.default_rng(0)
    x, y = r.random(shape).astype(dtype), r.random(shape).astype(dtype)
    for function in ways_in(program):
        result = function(x, y)
        np.testing.assert_array_equal(result, x - y)
        assert result.dtype == np.dtype(dtype)
        assert type(result) is (np.ndarray if shape else np.dtype(dtype).type)
        if shape:
            assert result.flags.writeable


@pytest.mark.parametrize("dtype", ["int64", "int32", "bool"])
@pytest.mark.parametrize("shape", [(), (5,)])
def test_integers_and_booleans(elementwise, dtype: str, shape: tuple[int, ...]) -> None:
    program = elementwise("%r = xor {t} %a0, 1", dtype, shape)
    for value in [0, 1] if dtype == "bool" else [0, 1, -1, np.iinfo(dtype).max, np.iinfo(dtype).min]:
        x = np.full(shape, value, dtype)
        for function in ways_in(program):
            for argument in (x, x[()], *([x.item()] if not shape else [])):
                result = function(argument)
                np.testing.assert_array_equal(result, x ^ np.array(1, dtype))
                assert result.dtype == np.dtype(dtype)


def test_special_values_pass_unchanged(elementwise) -> None:
    program = elementwise("%r = fneg {t} %a0", "float64", (6,))
    x = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 5e-324])
    for function in ways_in(program):
        assert function(x).tobytes() == (-x).tobytes()


def test_several_results_come_as_a_tuple(sum_and_double: NativeProgram) -> None:
    x = np.array([1.0, 2.0, 4.0])
    for function in ways_in(sum_and_double):
        total, twice = function(x)
        assert type(total) is np.float64 and total == 7.0
        np.testing.assert_array_equal(twice, 2 * x)
    assert NativeFunction(sum_and_double)(x)[0] == 7.0


def test_no_results() -> None:
    program = NativeProgram((), (), llvm="define void @mlirad_main(ptr %b, ptr %a, ptr %c) {\n  ret void\n}")
    for function in ways_in(program):
        assert function() == ()
    assert NativeFunction(program)() == ()


def test_arena_and_constants(through_arena) -> None:
    x = np.arange(100.0)
    for function in ways_in(through_arena(100)):
        for _ in range(3):
            np.testing.assert_array_equal(function(x), 2 * x)


def test_constants_are_copied_and_aligned(through_arena) -> None:
    program = through_arena(3)
    constant = program.constants[0]
    function = NativeFunction(program)
    constant[...] = 5.0
    np.testing.assert_array_equal(function.entry(np.ones(3)), 2.0)
    assert aligned_copy(constant).ctypes.data % 64 == 0


def test_results_are_fresh_and_arguments_unchanged(elementwise) -> None:
    program = elementwise("%r = fadd {t} %a0, %a0", "float64", (4,))
    x = np.arange(4.0)
    for function in ways_in(program):
        first, second = function(x), function(x)
        assert first.flags.writeable
        assert not np.shares_memory(first, x) and not np.shares_memory(first, second)
        np.testing.assert_array_equal(x, np.arange(4.0))


def test_results_are_written_to_given_arrays(elementwise) -> None:
    function = NativeFunction(elementwise("%r = fneg {t} %a0", "float64", (3,)))
    whole = np.zeros(8)
    function.into([whole[2:5]], np.array([1.0, 2.0, 3.0]))
    np.testing.assert_array_equal(whole, [0, 0, -1, -2, -3, 0, 0, 0])
    read_only = np.zeros(3)
    read_only.flags.writeable = False
    for wrong in (np.zeros(4), np.zeros(3, np.float32), whole[:6:2], read_only):
        with pytest.raises(ValueError, match="results"):
            function.into([wrong], np.ones(3))
    with pytest.raises(ValueError, match="results"):
        function.into([], np.ones(3))


def test_odd_arguments_take_the_general_path(elementwise) -> None:
    function = NativeFunction(elementwise("%r = fadd {t} %a0, %a1", "float64", (2, 3), inputs=2))
    x = np.arange(6.0).reshape(2, 3)
    for other in (
        np.asfortranarray(x),
        x.astype(">f8"),
        x.astype(np.float32),
        x.astype(int),
        x.tolist(),
        np.arange(24.0).reshape(4, 6)[::2, ::2] * 0 + x,
    ):
        np.testing.assert_array_equal(function.entry(x, other), 2 * x)
        np.testing.assert_array_equal(function.entry(other, x), 2 * x)


def test_errors_are_those_of_the_general_path(elementwise) -> None:
    function = NativeFunction(elementwise("%r = fadd {t} %a0, %a1", "float32", (3,), inputs=2), name="f")
    x = np.ones(3, np.float32)
    with pytest.raises(TypeError, match="f takes 2 arguments, 1 given"):
        function.entry(x)
    with pytest.raises(DtypeError, match="argument 1 has dtype float64, and float32"):
        function.entry(x, x.astype(np.float64))
    with pytest.raises(ShapeError, match=r"argument 0 has shape \(4,\), and \(3,\)"):
        function(np.ones(4, np.float32), x)
    np.testing.assert_array_equal(function.entry(x, x), 2.0)


def test_big_programs_release_the_lock_and_small_ones_keep_it(elementwise, through_arena) -> None:
    assert not NativeFunction(elementwise("%r = fneg {t} %a0", "float64", (100,))).releases_lock
    assert NativeFunction(elementwise("%r = fneg {t} %a0", "float64", (10**5,))).releases_lock
    assert NativeFunction(through_arena(3, operations=10**6)).releases_lock


@pytest.mark.parametrize("debug", [False, True])
def test_concurrent_calls_do_not_share_an_arena(through_arena, debug: bool) -> None:
    function = NativeFunction(through_arena(100_000), debug=debug)
    wrong, deadline = [], time.monotonic() + 1.0

    def work(seed: int) -> None:
        x = np.full(100_000, float(seed))
        while time.monotonic() < deadline:
            if not (function.entry(x) == 2.0 * seed).all():
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_code_lives_as_long_as_the_entry_and_no_longer(through_arena) -> None:
    function = NativeFunction(through_arena(10))
    alive = weakref.ref(function)
    entry = function.entry
    gc.disable()
    try:
        del function
        assert alive() is None
        np.testing.assert_array_equal(entry(np.ones(10)), 2.0)
        unloaded = []
        code = entry.__module__._general._code
        weakref.finalize(code, unloaded.append, True)
        del code, entry
        assert unloaded
    finally:
        gc.enable()


def test_externals_are_resolved() -> None:
    assert resolve(("mlirad_c_mine",), {"mlirad_c_mine": 42}) == {"mlirad_c_mine": 42}
    assert resolve(("mlirad_blas_dgemm",), {})["mlirad_blas_dgemm"] != 0
    with pytest.raises(CompileError, match="no routine mlirad_blas_dfoo"):
        resolve(("mlirad_blas_dfoo",), {})


def test_a_program_calls_blas() -> None:
    n = 4
    text = f"""
declare void @mlirad_blas_dgemm(ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr)
@n = internal constant i32 {n}
@no = internal constant i8 78
@one = internal constant double 1.0
@zero = internal constant double 0.0
define void @mlirad_main(ptr %b, ptr %arena, ptr %context) {{
  %x = load ptr, ptr %b
  %g = getelementptr ptr, ptr %b, i64 1
  %y = load ptr, ptr %g
  call void @mlirad_blas_dgemm(ptr @no, ptr @no, ptr @n, ptr @n, ptr @n, ptr @one, ptr %x, ptr @n,
                               ptr %x, ptr @n, ptr @zero, ptr %y, ptr @n)
  ret void
}}"""
    spec = ArraySpec("float64", (n, n))
    program = NativeProgram((spec,), (spec,), externals=("mlirad_blas_dgemm",), llvm=text)
    x = np.random.default_rng(0).random((n, n))
    for debug in (False, True):
        np.testing.assert_allclose(NativeFunction(program, debug=debug).entry(x), x @ x, 1e-13)


def test_specs() -> None:
    assert set(ITEM_BYTES) == {"float64", "float32", "int64", "int32", "bool"}
    spec = ArraySpec("float32", (2, 3))
    assert (spec.size, spec.nbytes) == (6, 24)
    with pytest.raises(ValueError, match="no element type 'float16'"):
        ArraySpec("float16", ())
