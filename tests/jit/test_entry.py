"""The fast entry: when it is taken, what it owns, what it leaves behind."""

import gc
import os
import sys
import threading
from collections.abc import Callable

import numpy as np
import pytest

from mlirad.errors import DtypeError
from mlirad.jit import engine, entry, object_layout
from mlirad.jit.call import NativeFunction
from mlirad.jit.general_path import GeneralPath
from mlirad.lower.native_program import ArraySpec, NativeProgram

pytestmark = pytest.mark.skipif(not object_layout.is_layout_known(), reason="layout unknown")

NOTHING = "define void @mlirad_main(ptr %b, ptr %a, ptr %c) {\n  ret void\n}"


@pytest.fixture
def general_calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[object, ...]]:
    """The arguments of every call that reached a general path."""
    calls: list[tuple[object, ...]] = []
    original = GeneralPath.__call__

    def spy(self: GeneralPath, *arguments: object) -> object:
        calls.append(arguments)
        return original(self, *arguments)

    monkeypatch.setattr(GeneralPath, "__call__", spy)
    return calls


@pytest.mark.parametrize(
    ("dtype", "value", "is_fast"),
    [
        ("float64", 1.5, True),
        ("float64", np.float64(1.5), True),
        ("float64", np.array(1.5), True),
        ("float64", 1, False),
        ("float64", True, False),
        ("float64", np.float32(1.5), False),
        ("float64", np.array([1.5])[0:1].reshape(()), True),
        ("float32", np.float32(1.5), True),
        ("float32", 1.5, False),
        ("int64", 3, True),
        ("int64", -1, True),
        ("int64", 2**63 - 1, True),
        ("int64", -(2**63), True),
        ("int64", np.int64(-1), True),
        ("int64", np.int32(-1), False),
        ("int64", True, False),
        ("int32", np.int32(7), True),
        ("int32", 7, False),
        ("bool", np.True_, True),
        ("bool", True, True),
        ("bool", False, True),
    ],
)
def test_scalars(elementwise, general_calls, dtype: str, value: object, is_fast: bool) -> None:
    body = "%r = fadd {t} %a0, 0.0" if dtype.startswith("float") else "%r = or {t} %a0, 0"
    function = NativeFunction(elementwise(body, dtype, ()))
    result = function.entry(value)
    assert result == value
    assert type(result) is np.dtype(dtype).type
    assert (not general_calls) == is_fast


def test_an_int_too_large_leaves_no_other_error_behind(elementwise, general_calls) -> None:
    function = NativeFunction(elementwise("%r = or {t} %a0, 0", "int64", ()))
    with pytest.raises(DtypeError, match="int64 does not hold"):
        function.entry(2**63)
    assert len(general_calls) == 1


def test_arrays_of_the_dtype_and_shape_are_fast(elementwise, general_calls) -> None:
    function = NativeFunction(elementwise("%r = fadd {t} %a0, %a0", "float64", (2, 3)))
    x = np.arange(6.0).reshape(2, 3)
    read_only = x.copy()
    read_only.flags.writeable = False
    unaligned = np.frombuffer(b"\0" + x.tobytes(), np.uint8)[1:].view(np.float64).reshape(2, 3)
    part = np.arange(12.0).reshape(4, 3)[1:3]
    for fast in (x, read_only, x.T.copy().T.copy(), part, np.asfortranarray(x), unaligned, x[::-1]):
        np.testing.assert_array_equal(function.entry(fast), 2 * fast)
    assert not general_calls
    slow = (x.astype(">f8"), x.astype(np.float32), x.tolist())
    for number, other in enumerate(slow, 1):
        np.testing.assert_array_equal(function.entry(other), 2 * np.asarray(other))
        assert len(general_calls) == number


def test_an_arena_in_use_sends_the_call_to_the_general_path(through_arena, general_calls) -> None:
    function = NativeFunction(through_arena(10))
    arena = function.entry.__module__._general.arena
    arena.words[0] = 1
    np.testing.assert_array_equal(function.entry(np.ones(10)), 2.0)
    assert len(general_calls) == 1
    arena.words[0] = 0
    np.testing.assert_array_equal(function.entry(np.ones(10)), 2.0)
    assert len(general_calls) == 1 and arena.words[0] == 0


def test_a_result_that_cannot_be_allocated_is_a_memory_error_and_nothing_leaks() -> None:
    specs = (ArraySpec("float64", (3,)), ArraySpec("float64", (2**50,)), ArraySpec("float64", ()))
    function = NativeFunction(NativeProgram((), specs, arena_bytes=64, llvm=NOTHING), name="large")
    for _ in range(3):
        with pytest.raises(MemoryError):
            function.entry()
    assert function.entry.__module__._general.arena.words[0] == 0


def references(objects: list[object]) -> list[int]:
    return [sys.getrefcount(thing) for thing in objects]


def test_reference_counts_do_not_change(sum_and_double, elementwise) -> None:
    x = np.array([1.0, 2.0, 4.0])
    scalar = np.float64(300.5)
    integer = 10**15
    double = NativeFunction(sum_and_double).entry
    negate = NativeFunction(elementwise("%r = fneg {t} %a0", "float64", ())).entry
    keep = NativeFunction(elementwise("%r = or {t} %a0, 0", "int64", ())).entry
    watched: list[object] = [x, scalar, integer, np.ndarray, np.float64, double, negate, keep, ()]
    watched += [np.dtype("float64"), np.dtype("int64"), float, None]
    for _ in range(3):
        before = references(watched)
        for _ in range(1000):
            double(x)
            negate(scalar)
            keep(integer)
            double(x.tolist())
            for wrong in (lambda: double(), lambda: negate("x"), lambda: keep(2**70)):
                with pytest.raises(TypeError):
                    wrong()
        after = references(watched)
        del wrong
    assert all(abs(a - b) < 10 for a, b in zip(after, before, strict=True)), (before, after)
    total, twice = double(x)
    assert sys.getrefcount(total) == 2 and sys.getrefcount(twice) == 2


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="reads Linux's /proc")
def test_calls_and_functions_leave_no_memory_behind(sum_and_double, elementwise, through_arena) -> None:
    def resident_kilobytes() -> int:
        gc.collect()
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4

    def growth(work: Callable[[], object], times: int) -> int:
        for _ in range(times // 4):
            work()
        before = resident_kilobytes()
        for _ in range(times):
            work()
        return resident_kilobytes() - before

    double = NativeFunction(sum_and_double).entry
    x, large = np.ones(3), np.ones(50_000)
    arena = NativeFunction(through_arena(50_000)).entry
    wrong = np.ones(4)

    def fail() -> None:
        with pytest.raises(ValueError, match="shape"):
            double(wrong)

    program = elementwise("%r = fneg {t} %a0", "float64", (3,))
    assert growth(lambda: double(x), 100_000) < 500
    assert growth(lambda: arena(large), 200) < 1000
    assert growth(lambda: double([1, 2, 3]), 2000) < 500
    assert growth(fail, 2000) < 500
    assert growth(lambda: NativeFunction(program).entry(x), 60) < 1000


def test_the_lock_is_released_by_big_programs() -> None:
    # A program that waits for a byte which only another Python thread can set.
    text = """
define void @mlirad_main(ptr %buffers, ptr %arena, ptr %context) {
entry:
  %x = load ptr, ptr %buffers
  br label %wait
wait:
  %v = load atomic volatile i64, ptr %x monotonic, align 8
  %ready = icmp ne i64 %v, 0
  br i1 %ready, label %done, label %wait
done:
  ret void
}"""
    program = NativeProgram((ArraySpec("int64", (1,)),), (), operations=10**9, llvm=text)
    for function in (NativeFunction(program).entry, GeneralPath(
        program, engine.load(program.llvm), "wait", releases_lock=True)):  # fmt: skip
        flag = np.zeros(1, np.int64)
        thread = threading.Thread(target=function, args=(flag,))
        thread.start()
        flag[0] = 1
        thread.join(20)
        assert not thread.is_alive()


def test_without_a_known_layout_the_general_path_is_the_entry(monkeypatch, elementwise) -> None:
    monkeypatch.setattr(entry.layout, "is_layout_known", lambda: False)
    function = NativeFunction(elementwise("%r = fneg {t} %a0", "float64", (3,)))
    assert type(function.entry) is GeneralPath
    np.testing.assert_array_equal(function(np.ones(3))[0], -1.0)


def test_keywords_are_refused(elementwise) -> None:
    function = NativeFunction(elementwise("%r = fneg {t} %a0", "float64", ()), name="negate")
    with pytest.raises(TypeError, match="takes no keyword arguments"):
        function.entry(x=1.0)
    assert function.entry.__name__ == "negate"
