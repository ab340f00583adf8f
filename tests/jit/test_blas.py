"""BLAS through its symbols: right results, one thread, settings restored."""

import ctypes
import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import scipy.linalg.cython_blas

from mlirad.jit import blas
from mlirad.lower.native_program import LIBRARY_PREFIXES
from tests.forked import fork

FORTRAN = {8: ctypes.c_double, 4: ctypes.c_float}
KINDS = [("d", np.float64, 1e-12), ("s", np.float32, 1e-4)]


def routine(name: str, result=None):
    library = next(
        library
        for (library, kinds), names in blas._ARGUMENTS.items()
        if name[0] in kinds and name[1:] in names
    )
    arguments = blas._arguments(library, name[0], name[1:])
    prototype = ctypes.CFUNCTYPE(result, *[ctypes.c_void_p] * len(arguments))
    return prototype(blas.blas_address(LIBRARY_PREFIXES[library] + name))


def passed(value, dtype):
    """A pointer to the value as Fortran wants it."""
    if isinstance(value, np.ndarray):
        return value.ctypes.data
    if isinstance(value, str):
        return ctypes.cast(ctypes.c_char_p(value.encode()), ctypes.c_void_p)
    boxed = ctypes.c_int32(value) if isinstance(value, int) else FORTRAN[dtype().itemsize](value)
    return ctypes.cast(ctypes.pointer(boxed), ctypes.c_void_p)


def call(name, dtype, *values, result=None):
    return routine(name, result)(*[passed(value, dtype) for value in values])


@pytest.mark.parametrize(("kind", "dtype", "tolerance"), KINDS)
def test_products_agree_with_numpy_and_do_not_read_what_they_overwrite(kind, dtype, tolerance) -> None:
    r = np.random.default_rng(0)
    # Row-major a (m k) times b (k n) is, column-major, transposed b times transposed a.
    m, n, k = 5, 7, 3
    a, b = r.random((m, k)).astype(dtype), r.random((k, n)).astype(dtype)
    c = np.full((m, n), np.nan, dtype)
    call(kind + "gemm", dtype, "N", "N", n, m, k, 1.0, b, n, a, k, 0.0, c, n)
    np.testing.assert_allclose(c, a @ b, tolerance)

    x, y = r.random(k).astype(dtype), np.full(m, np.nan, dtype)
    call(kind + "gemv", dtype, "T", k, m, 1.0, a, k, x, 1, 0.0, y, 1)
    np.testing.assert_allclose(y, a @ x, tolerance)

    s = np.full((m, m), np.nan, dtype)
    call(kind + "syrk", dtype, "U", "T", m, k, 1.0, a, k, 0.0, s, m)
    np.testing.assert_allclose(np.tril(s), np.tril(a @ a.T), tolerance)

    triangle, right = r.random((k, k)).astype(dtype), b.copy()
    call(kind + "trmm", dtype, "R", "U", "N", "N", n, k, 1.0, triangle, k, right, n)
    np.testing.assert_allclose(right, np.tril(triangle) @ b, tolerance)

    dot = call(kind + "dot", dtype, k, x, 1, x, 1, result=FORTRAN[dtype().itemsize])
    assert dot == pytest.approx(float(x @ x), rel=tolerance)


def test_addresses_found_by_name_are_those_scipy_exports() -> None:
    # SciPy's exports are small functions around the routines, so compare what they compute, on bits.
    r = np.random.default_rng(1)
    x, y = r.random(100), r.random(100)
    prototype = ctypes.CFUNCTYPE(ctypes.c_double, *[ctypes.c_void_p] * 5)
    exported = prototype(blas.exported_address("blas", "d", "dot"))
    values = [passed(value, np.float64) for value in (100, x, 1, y, 1)]
    assert exported(*values) == routine("ddot", ctypes.c_double)(*values)


def test_every_signature_is_the_one_expected() -> None:
    for (library, kinds), names in blas._ARGUMENTS.items():
        for kind in kinds:
            for name in names:
                assert blas.exported_address(library, kind, name) != 0


def threads_getter():
    library = ctypes.CDLL(scipy.linalg.cython_blas.__file__)
    return getattr(library, "scipy_openblas_get_num_threads", None)


@pytest.mark.skipif(blas.thread_control() != "process", reason="not OpenBLAS with its own threads")
def test_one_thread_during_calls_and_the_setting_restored_after_the_last() -> None:
    getter = threads_getter()
    if getter is None or getter() < 2:
        pytest.skip("BLAS has one thread anyway")
    before, seen = getter(), set()
    n = 600
    a, results = np.ones((n, n)), [np.empty((n, n)) for _ in range(3)]

    def work(c: np.ndarray) -> None:
        for _ in range(5):
            call("dgemm", np.float64, "N", "N", n, n, n, 1.0, a, n, a, n, 0.0, c, n)

    threads = [threading.Thread(target=work, args=(c,)) for c in results]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        seen.add(getter())
    assert 1 in seen
    assert getter() == before
    assert all((c == n).all() for c in results)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.skipif(blas.thread_control() != "process", reason="not OpenBLAS with its own threads")
def test_a_child_forked_during_a_call_has_the_setting_from_before_and_can_call() -> None:
    getter = threads_getter()
    if getter is None or getter() < 2:
        pytest.skip("BLAS has one thread anyway")
    before, stop = getter(), threading.Event()
    n = 1200
    a, c = np.ones((n, n)), np.empty((n, n))

    def work(c: np.ndarray) -> None:
        call("dgemm", np.float64, "N", "N", n, n, n, 1.0, a, n, a, n, 0.0, c, n)

    def works() -> None:
        while not stop.is_set():
            work(c)

    thread = threading.Thread(target=works)
    thread.start()
    try:
        while getter() != 1:
            pass
        # At the start of a call OpenBLAS takes memory under a lock of its own: a child would find it taken.
        time.sleep(2e-3)
        child = fork()
        if child == 0:
            is_restored, own = getter() == before, np.empty((n, n))
            work(own)
            os._exit(not (is_restored and (own == n).all() and getter() == before))
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    finally:
        stop.set()
        thread.join()
    assert status == 0


def test_same_bits_every_time() -> None:
    r = np.random.default_rng(2)
    n = 300
    a, b = r.random((n, n)), r.random((n, n))
    results = []
    for _ in range(3):
        c = np.empty((n, n))
        call("dgemm", np.float64, "N", "N", n, n, n, 1.0, a, n, b, n, 0.0, c, n)
        results.append(c.tobytes())
    assert len(set(results)) == 1


RESIDENT = """
import ctypes, sys
from mlirad.jit import blas
from mlirad.jit.threads import usual_threads
blas.blas_address("mlirad_blas_sgemm")
take, give = (
    next(filter(None, (blas._symbol(x, f"blas_memory_{name}") for x in blas._libraries())), None)
    for name in ("alloc", "free")
)
if not (take and give):
    sys.exit(77)
libc = ctypes.CDLL(None)
buffers = [blas._buffer(take) for _ in range(usual_threads())]
for buffer in buffers:
    pages = (ctypes.c_ubyte * (blas.TOUCHED_BYTES // 4096))()
    assert libc.mincore(ctypes.c_void_p(buffer), ctypes.c_size_t(blas.TOUCHED_BYTES), pages) == 0
    assert all(page & 1 for page in pages), sum(pages)
for buffer in buffers:
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(give)(buffer)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux which pages are there")
def test_buffers_are_touched_before_they_are_used() -> None:
    """OpenBLAS's kernels prefetch beyond what is packed, at length where no page is there."""
    ran = subprocess.run([sys.executable, "-c", RESIDENT], capture_output=True, text=True, check=False)
    if ran.returncode == 77:
        pytest.skip("the library does not export its buffers")
    assert ran.returncode == 0, ran.stderr
