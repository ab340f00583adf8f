"""Loops and branches in native code: carries, slices, stacks, captures, records, nesting, memory."""

from __future__ import annotations

import ctypes
import random

import numpy as np
import pytest
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from mlirad.dialects.array import control
from mlirad.dialects.array.custom import CUSTOM_OPS
from mlirad.dialects.array.factorisations import SolveOp
from mlirad.dialects.array.indexing import BuildOp
from mlirad.dialects.array.literals import numpy_dtype
from mlirad.dialects.kernel import NestOp, ScatterOp
from mlirad.dialects.kernel.plans import ARENA_ATTRIBUTE, COPIED, IN_PLACE, stated_carries
from mlirad.dialects.shapes import shape_of
from mlirad.interpreter import run_function
from mlirad.ir.parsing import parse_module
from mlirad.jit.call import NativeFunction
from mlirad.lower.cpu.emit import emit_program
from tests.generators.programs import random_program
from tests.lower.loops import check, function, lowered
from tests.lower.native import compiled_program


def ops_of(f: FuncOp, kind: type[Operation]) -> list[Operation]:
    return [op for op in f.walk() if isinstance(op, kind)]


def carries(f: FuncOp) -> list[tuple[int, ...]]:
    return [stated_carries(op) or () for op in f.walk() if isinstance(op, control.ScanOp | control.WhileOp)]


# Scan --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("length", [2, 3, 10])
@pytest.mark.parametrize("reverse", ["", ", reverse"])
def test_a_scalar_loop_is_one_kernel_per_iteration(length: int, reverse: str) -> None:
    planned = check(
        f"""
        func.func @f(%a: f64, %b: f64) -> (f64, f64, tensor<{length}xf64>) {{
          %x, %y, %s = array.scan %a, %b (%i, %p: f64, %q: f64) {{carries = 2, length = {length}{reverse}}}
              : f64, f64 -> (f64, f64, tensor<{length}xf64>) {{
            %n = array.add %p, %q : f64
            %k = array.convert %i : i64 -> f64
            %m = array.mul %n, %k : f64
            array.yield %q, %m, %p : f64, f64, f64
          }}
          func.return %x, %y, %s : f64, f64, tensor<{length}xf64>
        }}""",
        1.5,
        -0.5,
    )
    assert len(ops_of(planned, NestOp)) == 1
    assert carries(planned) == [(COPIED, COPIED)]


@pytest.mark.parametrize("length", [2, 5, 6])
def test_carries_that_cannot_be_updated_in_place_take_turns(length: int) -> None:
    planned = check(
        f"""
        func.func @f(%a: tensor<9xf64>, %x: tensor<{length}x9xf64>)
            -> (tensor<9xf64>, tensor<{length}x9xf64>) {{
          %c, %s = array.scan %a, %x (%i, %p: tensor<9xf64>, %q: tensor<9xf64>)
              {{carries = 1, length = {length}, reverse}}
              : tensor<9xf64>, tensor<{length}x9xf64> -> (tensor<9xf64>, tensor<{length}x9xf64>) {{
            %n = array.mul %p, %q : tensor<9xf64>
            %r = array.reverse %n {{dims = [0]}} : tensor<9xf64> -> tensor<9xf64>
            %m = array.add %n, %r : tensor<9xf64>
            array.yield %m, %p : tensor<9xf64>, tensor<9xf64>
          }}
          func.return %c, %s : tensor<9xf64>, tensor<{length}x9xf64>
        }}""",
        np.arange(9.0) + 1,
        np.linspace(-1, 2, length * 9).reshape(length, 9),
    )
    ((mode,),) = carries(planned)
    assert mode >= 0
    assert not any(isinstance(op, ScatterOp) for op in planned.walk())


def test_elementwise_updates_of_a_carry_are_in_place() -> None:
    planned = check(
        """
        func.func @f(%a: tensor<19xf32>, %x: tensor<4x19xf32>) -> (tensor<19xf32>, tensor<4xf32>) {
          %c, %t = array.scan %a, %x (%i, %p: tensor<19xf32>, %q: tensor<19xf32>) {carries = 1, length = 4}
              : tensor<19xf32>, tensor<4x19xf32> -> (tensor<19xf32>, tensor<4xf32>) {
            %n = array.mul %p, %q : tensor<19xf32>
            %m = array.add %n, %q : tensor<19xf32>
            %s = array.sum %m {dims = [0]} : tensor<19xf32> -> f32
            array.yield %m, %s : tensor<19xf32>, f32
          }
          func.return %c, %t : tensor<19xf32>, tensor<4xf32>
        }""",
        np.arange(19, dtype=np.float32),
        np.linspace(0, 1, 76, dtype=np.float32).reshape(4, 19),
        rtol=1e-5,
    )
    assert carries(planned) == [(IN_PLACE,)]
    assert planned.attributes[ARENA_ATTRIBUTE].value.data == 0  # type: ignore[attr-defined]


ACCUMULATE = """
    func.func @f(%a: tensor<5x3xf64>, %ix: tensor<40xi64>, %x: tensor<7x3xf64>) -> tensor<5x3xf64> {
      %c = array.scan %a, %ix (%i, %p: tensor<5x3xf64>, %k) {carries = 1, length = 40}
          : tensor<5x3xf64>, tensor<40xi64> -> tensor<5x3xf64> {
        %v = array.index %x[%k] : tensor<7x3xf64> -> tensor<3xf64>
        %n = array.update KIND %p, %v () : tensor<5x3xf64>, tensor<3xf64> -> tensor<5x3xf64> {
          array.yield %k : i64
        }
        %w = array.exp %v : tensor<3xf64>
        %m = array.update add %n, %w () : tensor<5x3xf64>, tensor<3xf64> -> tensor<5x3xf64> {
          array.yield %i : i64
        }
        array.yield %m : tensor<5x3xf64>
      }
      func.return %c : tensor<5x3xf64>
    }"""


@pytest.mark.parametrize("kind", ["add", "set"])
def test_updates_of_a_carry_work_in_its_memory(kind: str) -> None:
    rng = np.random.default_rng(0)
    planned = check(
        ACCUMULATE.replace("KIND", kind), rng.random((5, 3)), rng.integers(-2, 9, 40), rng.random((7, 3))
    )
    assert carries(planned) == [(IN_PLACE,)]
    assert all(op.in_place is not None for op in planned.walk() if isinstance(op, ScatterOp))


def test_nested_loops_update_one_accumulator_without_copies() -> None:
    planned = check(
        """
        func.func @f(%x: tensor<6xf64>) -> tensor<6xf64> {
          %z = array.constant 0.0 : f64
          %a = array.broadcast %z {dims = []} : f64 -> tensor<6xf64>
          %c = array.scan %a (%i, %p: tensor<6xf64>) {carries = 1, length = 3}
              : tensor<6xf64> -> tensor<6xf64> {
            %d = array.scan %p (%j, %q: tensor<6xf64>) {carries = 1, length = 4}
                : tensor<6xf64> -> tensor<6xf64> {
              %k = array.add %i, %j : i64
              %v = array.index %x[%k] : tensor<6xf64> -> f64
              %n = array.update add %q, %v () : tensor<6xf64>, f64 -> tensor<6xf64> {
                array.yield %j : i64
              }
              array.yield %n : tensor<6xf64>
            }
            array.yield %d : tensor<6xf64>
          }
          func.return %c : tensor<6xf64>
        }""",
        np.arange(6.0),
    )
    assert carries(planned) == [(IN_PLACE,), (IN_PLACE,)]
    assert planned.attributes[ARENA_ATTRIBUTE].value.data == 0  # type: ignore[attr-defined]


def test_invariant_code_runs_once_before_the_loop() -> None:
    planned = check(
        """
        func.func @f(%a: tensor<4xf64>, %x: tensor<4xf64>) -> tensor<4xf64> {
          %c = array.scan %a (%i, %p: tensor<4xf64>) {carries = 1, length = 5}
              : tensor<4xf64> -> tensor<4xf64> {
            %e = array.exp %x : tensor<4xf64>
            %s = array.sum %e {dims = [0]} : tensor<4xf64> -> f64
            %t = array.broadcast %s {dims = []} : f64 -> tensor<4xf64>
            %r = array.reverse %p {dims = [0]} : tensor<4xf64> -> tensor<4xf64>
            %m = array.div %r, %t : tensor<4xf64>
            array.yield %m : tensor<4xf64>
          }
          func.return %c : tensor<4xf64>
        }""",
        np.arange(4.0),
        np.linspace(-1, 1, 4),
    )
    (scan,) = ops_of(planned, control.ScanOp)
    assert len([op for op in scan.walk() if isinstance(op, NestOp)]) == 1
    assert not any(op.name == "array.exp" for op in scan.walk())


def test_loops_over_arrays_without_elements() -> None:
    check(
        """
        func.func @f(%a: tensor<0xf64>, %b: f64, %x: tensor<3x0xf64>)
            -> (tensor<0xf64>, f64, tensor<3x0xf64>) {
          %c, %d, %s = array.scan %a, %b, %x (%i, %p: tensor<0xf64>, %q: f64, %y: tensor<0xf64>)
              {carries = 2, length = 3}
              : tensor<0xf64>, f64, tensor<3x0xf64> -> (tensor<0xf64>, f64, tensor<3x0xf64>) {
            %n = array.add %p, %y : tensor<0xf64>
            %t = array.sum %n {dims = [0]} : tensor<0xf64> -> f64
            %m = array.add %q, %t : f64
            array.yield %n, %m, %y : tensor<0xf64>, f64, tensor<0xf64>
          }
          func.return %c, %d, %s : tensor<0xf64>, f64, tensor<3x0xf64>
        }""",
        np.zeros(0),
        2.0,
        np.zeros((3, 0)),
    )


def test_no_iterations_and_stacks_alone() -> None:
    check(
        """
        func.func @f(%a: tensor<3xf64>, %x: tensor<0x3xf64>, %y: tensor<2x3xf64>)
            -> (tensor<3xf64>, tensor<2xf64>, tensor<2x3xf64>) {
          %c = array.scan %a, %x (%i, %p: tensor<3xf64>, %q: tensor<3xf64>) {carries = 1, length = 0}
              : tensor<3xf64>, tensor<0x3xf64> -> tensor<3xf64> {
            %r = array.reverse %q {dims = [0]} : tensor<3xf64> -> tensor<3xf64>
            array.yield %r : tensor<3xf64>
          }
          %s, %t = array.scan %y (%i, %q: tensor<3xf64>) {carries = 0, length = 2}
              : tensor<2x3xf64> -> (tensor<2xf64>, tensor<2x3xf64>) {
            %u = array.sum %q {dims = [0]} : tensor<3xf64> -> f64
            %v = array.exp %q : tensor<3xf64>
            array.yield %u, %v : f64, tensor<3xf64>
          }
          func.return %c, %s, %t : tensor<3xf64>, tensor<2xf64>, tensor<2x3xf64>
        }""",
        np.arange(3.0),
        np.zeros((0, 3)),
        np.arange(6.0).reshape(2, 3),
    )


# While -------------------------------------------------------------------------------------------

RECORD = """
    func.func @f(%a: tensor<3xf64>, %l: f64) -> (tensor<3xf64>, f64, tensor<3xf64>, f64) {
      %o = array.constant 1.0 : f64
      %c, %t, %tape = array.while %a, %l (%p: tensor<3xf64>, %q: f64) {record = 2}
          : tensor<3xf64>, f64 -> (tensor<3xf64>, f64, !array.tape<f64, tensor<3xf64>>) {
        %z = array.constant 0.0 : f64
        %more = array.compare gt %q, %z : f64, f64 -> i1
        array.yield %more : i1
      } do (%p: tensor<3xf64>, %q: f64) {
        %m = array.sin %p : tensor<3xf64>
        %t = array.sub %q, %o : f64
        array.yield %m, %t, %q, %p : tensor<3xf64>, f64, f64, tensor<3xf64>
      }
      %u, %v = array.replay %tape, %c, %l (%q: f64, %p: tensor<3xf64>, %d: tensor<3xf64>, %e: f64) DIRECTION
          : !array.tape<f64, tensor<3xf64>>, tensor<3xf64>, f64 -> (tensor<3xf64>, f64) {
        %r = array.reverse %d {dims = [0]} : tensor<3xf64> -> tensor<3xf64>
        %1 = array.cos %r : tensor<3xf64>
        %2 = array.sub %p, %1 : tensor<3xf64>
        %3 = array.div %e, %q : f64
        %4 = array.sub %q, %3 : f64
        array.yield %2, %4 : tensor<3xf64>, f64
      }
      func.return %c, %t, %u, %v : tensor<3xf64>, f64, tensor<3xf64>, f64
    }"""


@pytest.mark.parametrize("iterations", [0, 1, 2, 128, 129, 700])
@pytest.mark.parametrize("direction", ["", "{reverse}"])
def test_records_of_any_length_are_replayed(iterations: int, direction: str) -> None:
    check(RECORD.replace("DIRECTION", direction), np.arange(3.0), float(iterations))


class Allocations:
    """Memory functions that count what is in use and refuse after `most` calls."""

    def __init__(self, most: int):
        libc = ctypes.CDLL(None)
        malloc, free = libc.malloc, libc.free
        malloc.restype, malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
        free.restype, free.argtypes = None, [ctypes.c_void_p]
        self.used = 0
        self.calls = 0
        self.sizes: list[int] = []

        def allocate(size: int) -> int:
            self.calls += 1
            self.sizes.append(size)
            if self.calls > most:
                return 0
            self.used += 1
            return int(malloc(size))

        def give_back(pointer: int | None) -> None:
            if pointer:
                self.used -= 1
            free(pointer)

        self._kept = (
            ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t)(allocate),
            ctypes.CFUNCTYPE(None, ctypes.c_void_p)(give_back),
        )
        addresses = [ctypes.cast(f, ctypes.c_void_p).value or 0 for f in self._kept]
        self.externals = dict(zip(("mlirad_rt_malloc", "mlirad_rt_free"), addresses, strict=True))


def test_the_memory_of_records_is_given_back() -> None:
    allocations = Allocations(1000)
    _, program = lowered(function(RECORD.replace("DIRECTION", "{reverse}")))
    native = NativeFunction(program, externals=allocations.externals)
    native(np.arange(3.0), 10_000.0)
    assert 3 < allocations.calls < 12
    assert allocations.used == 0


@pytest.mark.parametrize("most", [0, 1, 3])
def test_without_memory_a_call_raises_and_gives_back_what_it_took(most: int) -> None:
    allocations = Allocations(most)
    _, program = lowered(function(RECORD.replace("DIRECTION", "")))
    native = NativeFunction(program, externals=allocations.externals)
    with pytest.raises(MemoryError):
        native(np.arange(3.0), 10_000.0)
    assert allocations.used == 0
    np.testing.assert_array_equal(native(np.arange(3.0), 0.0)[0], np.arange(3.0))


@pytest.mark.fuzz
def test_a_record_inside_a_loop_uses_its_memory_again() -> None:
    text = """
    func.func @f(%x: tensor<9xf64>) -> f64 {
      %zero = array.constant 0.0 : f64
      %s = array.scan %zero, %x (%i, %a: f64, %l: f64) {carries = 1, length = 9}
          : f64, tensor<9xf64> -> f64 {
        %t, %tape = array.while %l (%q: f64) {record = 1} : f64 -> (f64, !array.tape<f64>) {
          %more = array.compare gt %q, %zero : f64, f64 -> i1
          array.yield %more : i1
        } do (%q: f64) {
          %o = array.constant 1.0 : f64
          %t = array.sub %q, %o : f64
          array.yield %t, %q : f64, f64
        }
        %u = array.replay %tape, %a (%q: f64, %e: f64) : !array.tape<f64>, f64 -> f64 {
          %4 = array.add %q, %e : f64
          array.yield %4 : f64
        }
        array.yield %u : f64
      }
      func.return %s : f64
    }"""
    x = np.random.default_rng(1).integers(0, 700, 9).astype(float)
    check(text, x)
    allocations = Allocations(1000)
    native = NativeFunction(lowered(function(text))[1], externals=allocations.externals)
    assert native(x)[0] == (x * (x + 1) / 2).sum()
    assert allocations.calls <= 2
    assert allocations.used == 0


# Branches ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("index", [-7, 0, 1, 2, 9])
def test_switch_clamps_its_index(index: int) -> None:
    check(
        """
        func.func @f(%k: i64, %x: tensor<11xf64>) -> (tensor<11xf64>, f64) {
          %y, %s = array.switch %k : i64 -> (tensor<11xf64>, f64) {
            %s = array.sum %x {dims = [0]} : tensor<11xf64> -> f64
            array.yield %x, %s : tensor<11xf64>, f64
          } case {
            %e = array.exp %x : tensor<11xf64>
            %c = array.constant 3.0 : f64
            array.yield %e, %c : tensor<11xf64>, f64
          } case {
            %r = array.reverse %x {dims = [0]} : tensor<11xf64> -> tensor<11xf64>
            %z = array.convert %k : i64 -> f64
            array.yield %r, %z : tensor<11xf64>, f64
          }
          func.return %y, %s : tensor<11xf64>, f64
        }""",
        index,
        np.linspace(-1, 1, 11),
    )


@pytest.mark.parametrize("start", [0.0, 30.0, 1000.0])
def test_branches_in_a_loop_on_data(start: float) -> None:
    check(
        """
        func.func @f(%a: tensor<9xf64>, %l: f64) -> (tensor<9xf64>, f64) {
          %c, %t = array.while %a, %l (%p: tensor<9xf64>, %q: f64)
              : tensor<9xf64>, f64 -> (tensor<9xf64>, f64) {
            %z = array.constant 100.0 : f64
            %more = array.compare lt %q, %z : f64, f64 -> i1
            array.yield %more : i1
          } do (%p: tensor<9xf64>, %q: f64) {
            %r = array.reverse %p {dims = [0]} : tensor<9xf64> -> tensor<9xf64>
            %m = array.add %p, %r : tensor<9xf64>
            %t = array.sum %m {dims = [0]} : tensor<9xf64> -> f64
            %b = array.compare lt %t, %q : f64, f64 -> i1
            %w = array.if %b : i1 -> tensor<9xf64> {
               %e = array.exp %m : tensor<9xf64>
               array.yield %e : tensor<9xf64>
            } else {
               array.yield %m : tensor<9xf64>
            }
            array.yield %w, %t : tensor<9xf64>, f64
          }
          func.return %c, %t : tensor<9xf64>, f64
        }""",
        np.linspace(0.1, 1, 9),
        start,
    )


def test_an_update_in_one_branch_copies_nothing() -> None:
    planned = check(
        """
        func.func @f(%a: tensor<50xf64>, %x: tensor<9xf64>) -> tensor<50xf64> {
          %c = array.scan %a, %x (%i, %p: tensor<50xf64>, %v: f64) {carries = 1, length = 9}
              : tensor<50xf64>, tensor<9xf64> -> tensor<50xf64> {
            %z = array.constant 0.5 : f64
            %b = array.compare lt %v, %z : f64, f64 -> i1
            %n = array.if %b : i1 -> tensor<50xf64> {
              %u = array.update add %p, %v () : tensor<50xf64>, f64 -> tensor<50xf64> {
                array.yield %i : i64
              }
              array.yield %u : tensor<50xf64>
            } else {
              array.yield %p : tensor<50xf64>
            }
            array.yield %n : tensor<50xf64>
          }
          func.return %c : tensor<50xf64>
        }""",
        np.arange(50.0),
        np.random.default_rng(0).random(9),
    )
    assert carries(planned) == [(IN_PLACE,)]
    program = emit_program(planned)
    assert program.llvm.count("call void @k") == 2


# Calls -------------------------------------------------------------------------------------------

RECURSIVE = """
    func.func @g(%x: tensor<3xf64>, %n: i64) -> (tensor<3xf64>, f64) {
      %z = array.constant 1 : i64
      %b = array.compare le %n, %z : i64, i64 -> i1
      %r, %t = array.if %b : i1 -> (tensor<3xf64>, f64) {
        %s = array.sum %x {dims = [0]} : tensor<3xf64> -> f64
        array.yield %x, %s : tensor<3xf64>, f64
      } else {
        %two = array.constant 2 : i64
        %m = array.sub %n, %z : i64
        %k = array.sub %n, %two : i64
        %p, %u = func.call @g(%x, %m) : (tensor<3xf64>, i64) -> (tensor<3xf64>, f64)
        %s = array.sin %p : tensor<3xf64>
        %q, %v = func.call @g(%s, %k) : (tensor<3xf64>, i64) -> (tensor<3xf64>, f64)
        %a = array.add %p, %q : tensor<3xf64>
        %c = array.sub %u, %v : f64
        array.yield %a, %c : tensor<3xf64>, f64
      }
      func.return %r, %t : tensor<3xf64>, f64
    }
    func.func @f(%y: tensor<3xf64>, %n: i64) -> (tensor<3xf64>, f64) {
      %q, %r = func.call @g(%y, %n) : (tensor<3xf64>, i64) -> (tensor<3xf64>, f64)
      func.return %q, %r : tensor<3xf64>, f64
    }"""
ENDLESS = """
    func.func @f(%x: f64) -> f64 {
      %y = func.call @f(%x) : (f64) -> f64
      %z = array.add %y, %x : f64
      func.return %z : f64
    }"""


@pytest.mark.parametrize("checks", [False, True])
@pytest.mark.parametrize("n", [0, 1, 2, 9])
def test_functions_call_themselves(n: int, checks: bool) -> None:
    module = parse_module(RECURSIVE)
    program = compiled_program(module, "f", checks=checks)
    x = np.linspace(-1, 2, 3)
    allocations = Allocations(100_000)
    native = NativeFunction(program, debug=True, externals=allocations.externals)
    for one, other in zip(native(x, n), run_function(module, [x, n], function="f"), strict=True):
        np.testing.assert_allclose(np.asarray(one), other, rtol=1e-12)
    assert allocations.used == 0


def test_endless_recursion_is_an_error() -> None:
    program = compiled_program(parse_module(ENDLESS), "f")
    with pytest.raises(RecursionError):
        NativeFunction(program)(1.0)


# Random programs ---------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(30))
def test_random_programs_with_loops(seed: int) -> None:
    allowed = (*control.CONTROL_OPS,)
    rng = random.Random(seed)

    def allow(op_class: type[Operation]) -> bool:
        return op_class not in (BuildOp, SolveOp, *CUSTOM_OPS) and (op_class in allowed or rng.random() < 0.7)

    program = random_program(seed, 8, allow=allow)
    main = next(op for op in program.body.block.ops if isinstance(op, FuncOp))
    values = np.random.default_rng(seed)
    args = [
        np.asarray(values.uniform(-3, 3, shape_of(t))).astype(numpy_dtype(t))[()]
        for t in main.function_type.inputs
    ]
    want = run_function(main, args)
    _, native = lowered(main, checks=seed % 2 == 1)
    for one, other in zip(NativeFunction(native, debug=True)(*args), want, strict=True):
        assert one.dtype == np.asarray(other).dtype
        rtol = 2e-3 if one.dtype == np.float32 else 1e-6
        np.testing.assert_allclose(np.asarray(one), other, rtol=rtol, atol=1e-6)
