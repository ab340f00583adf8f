"""Checked programs: whatever emitter wrote it, every access of a kernel is compared with bounds of arrays."""

from __future__ import annotations

import ctypes
import re
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.func import FuncOp

import mlirad as ad
from mlirad.jit import engine
from mlirad.jit.call import NativeFunction
from mlirad.lower.llvm.text import Bounds, ModuleText, Parameter, Value
from mlirad.lower.native_program import NativeProgram
from mlirad.pipelines import pipeline_passes, run_passes
from tests.acceptance.same_bits import CALLS, native_program
from tests.lower.native import compiled_program


def checked(function: Any, *args: Any) -> NativeProgram:
    """The program of a function, with its addresses checked."""
    module = ad.trace(function, *args)
    run_passes(module, pipeline_passes("expand"))
    (name, *_) = [op.sym_name.data for op in module.body.ops if isinstance(op, FuncOp)]
    return compiled_program(module, name, checks=True)


def reporting(x: Any) -> Any:
    ad.debug_print("{}", x[0])
    return x * 2.0


def lines_and_orders(x: Any) -> Any:
    """Prefixes and sorts along several dimensions, a product with a transposed operand, and a fill."""
    y = np.cumsum(np.sort(x, axis=0), axis=1) + np.maximum.accumulate(x, axis=0)
    return (y @ y.T).at[np.argsort(x[:, 0])].add(1.0) + np.prod(x[:0]), np.argsort(x, axis=1)


PROGRAMS: dict[str, Any] = {name: CALLS[name] for name in ("mixed", "gradient", "recursion")}
PROGRAMS["reporting"] = (reporting, (np.arange(3.0),))
PROGRAMS["lines"] = (lines_and_orders, (np.random.default_rng(2).normal(size=(33, 21)),))

KERNEL = re.compile(r"^define internal [^\n]* @(?:k\d|mlirad_(?:arg)?sort)[^\n]*$.*?^}", re.M | re.S)
ACCESS = re.compile(r"(?:= load [^,]+, ptr |^ +store .+, ptr )([%@][\w.]+)")
DEFINED = re.compile(r"^ +(%[\w.]+) = (alloca|getelementptr|select)\b(?:.*?ptr (%[\w.]+))?")


def unchecked(text: str) -> list[str]:
    """The accesses of kernels by an address that is neither chosen by a comparison nor the function's own."""
    found: list[str] = []
    for function in KERNEL.findall(text):
        safe = {"%fault", "%context"}
        for line in function.splitlines():
            if (definition := DEFINED.match(line)) is not None:
                name, how, base = definition.groups()
                if how in ("alloca", "select") or base in safe:
                    safe.add(name)
            elif (access := ACCESS.search(line)) is not None:
                address = access[1]
                if not (address in safe or address.startswith("@")):
                    found.append(line)
    return found


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_access_is_checked(name: str) -> None:
    function, args = PROGRAMS[name]
    program = checked(function, *args)
    assert ACCESS.search(program.llvm)
    assert unchecked(program.llvm) == []


def test_the_scan_finds_accesses_without_checks() -> None:
    module = ad.trace(*PROGRAMS["lines"][:1], *PROGRAMS["lines"][1])
    run_passes(module, pipeline_passes("expand"))
    (name, *_) = [op.sym_name.data for op in module.body.ops if isinstance(op, FuncOp)]
    assert unchecked(compiled_program(module, name).llvm)


def test_checked_programs_compute_the_same() -> None:
    function, args = PROGRAMS["lines"]
    found = NativeFunction(checked(function, *args), debug=True)(*args)
    for one, other in zip(found, ad.jit(function, interpret=True)(*args), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_every_access_of_random_programs_is_checked(seed: int) -> None:
    assert unchecked(native_program(seed, checked=True)[0].llvm) == []


def written(write: Any, size: int) -> tuple[np.ndarray, int]:
    """Eight numbers after a function ran that may touch the first `size` of them; and its fault."""
    module = ModuleText()
    f = module.function("f", [Parameter("p", "ptr"), Parameter("fault", "ptr")], linkage="")
    pointer, fault = f.arguments
    f.own(fault)
    f.bounds = Bounds(fault, [(pointer, 8 * size)])
    write(f, pointer)
    f.ret()
    code = engine.load(module.text(), symbols=("f",))
    numbers, cell = np.arange(8.0), np.zeros(1, np.int64)
    ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(code.addresses["f"])(
        numbers.ctypes.data, cell.ctypes.data
    )
    return numbers, int(cell[0])


def stores(f: Any, p: Value, first: int = 0, width: int = 1) -> None:
    with f.loop(first, 8, width) as loop:
        f.store(f.widen(f.value(-1.0, "double"), width), f.gep(p, loop.index, "double"))


def test_accesses_outside_are_left_out() -> None:
    numbers, fault = written(stores, 5)
    np.testing.assert_array_equal(numbers, [-1, -1, -1, -1, -1, 5, 6, 7])
    assert fault
    numbers, fault = written(lambda f, p: stores(f, p, width=4), 6)
    np.testing.assert_array_equal(numbers, [-1, -1, -1, -1, 4, 5, 6, 7])
    assert fault
    numbers, fault = written(lambda f, p: stores(f, f.gep(p, -8, "double"), first=8), 8)
    np.testing.assert_array_equal(numbers, np.arange(8.0))
    assert not fault


@pytest.mark.parametrize("size", [3, 4])
def test_copies_outside_are_left_out(size: int) -> None:
    numbers, fault = written(lambda f, p: f.memcpy(f.gep(p, 2, "double"), p, 16), size)
    assert (numbers[2] == 0.0) == (size == 4)
    assert bool(fault) == (size == 3)
