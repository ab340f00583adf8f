"""The writer of LLVM IR text: what it writes parses, verifies, and computes what it says."""

from __future__ import annotations

import ctypes
import math
import re

import llvmlite.binding as llvm
import numpy as np
import pytest

from mlirad.jit.engine import optimised_llvm
from mlirad.lower.llvm.instructions import Instructions
from mlirad.lower.llvm.text import (
    BYTES,
    IRBuilder,
    Kind,
    ModuleText,
    Parameter,
    Value,
    constant,
    lanes,
    vector,
)
from mlirad.lower.llvm.text.call_sites import MOST_INLINED, SHORT
from mlirad.lower.llvm.text.globals import LONG_TABLE

llvm.initialize_native_target()
llvm.initialize_native_asmprinter()


def compiled(module: ModuleText) -> llvm.ExecutionEngine:
    parsed = llvm.parse_assembly(module.text())
    parsed.verify()
    features = llvm.get_host_cpu_features().flatten()
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=features, opt=1
    )
    engine = llvm.create_mcjit_compiler(parsed, machine)
    engine.finalize_object()
    return engine


def run(module: ModuleText, name: str, *buffers: np.ndarray) -> None:
    engine = compiled(module)
    signature = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * len(buffers))
    signature(engine.get_function_address(name))(*[b.ctypes.data for b in buffers])


def begin(*names: str) -> tuple[ModuleText, IRBuilder]:
    module = ModuleText()
    parameters = [Parameter(n, "ptr") for n in names]
    return module, module.function("f", parameters, linkage="")


@pytest.mark.parametrize("number", [0.0, -0.0, 1.0, math.pi, math.inf, -math.inf, 5e-324, 1e308])
def test_float_literals_are_exact(number: float) -> None:
    module, f = begin("out")
    f.store(constant("double", number), f.arguments[0])
    f.store(constant("float", number), f.gep(f.arguments[0], 2, "float"))
    f.ret()
    out = np.zeros(2)
    run(module, "f", out)
    assert out[:1].tobytes() == np.array([number]).tobytes()
    with np.errstate(over="ignore", under="ignore"):
        assert out.view(np.float32)[2] == np.float32(number)


def test_integer_literals_wrap() -> None:
    assert constant("i32", 2**31).text == str(-(2**31))
    assert constant("i1", 1).text == "true"
    assert constant("i1", -1).text == "true"


def test_address_arithmetic_folds() -> None:
    _, f = begin("p")
    i = Value("%i", "i64")
    assert f.add(i, 0) is i
    assert f.mul(1, i) is i
    assert f.mul(i, 0).literal == 0
    assert f.add(f.mul(3, f.value(4, "i64")), 5).literal == 17
    assert f.gep(f.arguments[0], 0, "double") is f.arguments[0]
    assert f.icmp("slt", constant("i64", 1), 2).literal == 1


def test_equal_instructions_are_written_once_per_scope() -> None:
    _, f = begin("p")
    x = f.load(f.arguments[0], "double")
    assert f.fadd(x, 1.0) is f.fadd(x, 1.0)
    assert f.widen(x, 8) is f.widen(x, 8)
    with f.loop(0, 10) as loop:
        inner = f.add(loop.index, 7)
        outer = f.fadd(x, 1.0)
    assert outer is f.fadd(x, 1.0)
    assert inner is not f.add(loop.index, 7)


@pytest.mark.parametrize("count", [0, 1, 7, 16])
@pytest.mark.parametrize("dynamic", [False, True])
def test_loop_sums(count: int, dynamic: bool) -> None:
    module, f = begin("x", "n", "out")
    x, n, out = f.arguments
    upper = f.load(n, "i64") if dynamic else constant("i64", count)
    with f.loop(0, upper, carries=[constant("double", 0.0)]) as loop:
        loop.carry(f.fadd(loop.carries[0], f.load(f.gep(x, loop.index, "double"), "double")))
    f.store(loop.results[0], out)
    f.ret()
    data, result = np.arange(16.0), np.full(1, np.nan)
    run(module, "f", data, np.array([count]), result)
    assert result[0] == data[:count].sum()


def test_nested_loops_with_blocks_inside() -> None:
    module, f = begin("out")
    zero = constant("i64", 0)
    with f.loop(0, 5, carries=[zero], name="i") as rows:
        with f.loop(0, rows.index, 2, carries=rows.carries, name="j") as columns:
            odd = f.icmp("eq", f.and_(columns.index, 2), 2)
            with f.conditional(odd, columns.carries, unlikely=True) as branch:
                branch.give(f.add(columns.carries[0], 100))
            columns.carry(f.add(branch.results[0], 1))
        rows.carry(*columns.results)
    f.store(rows.results[0], f.arguments[0])
    f.ret()
    out = np.zeros(1, np.int64)
    run(module, "f", out)
    assert out[0] == sum(1 + 100 * (j & 2 == 2) for i in range(5) for j in range(0, i, 2))


@pytest.mark.parametrize("width", [1, 4])
@pytest.mark.parametrize("kind", ["double", "float", "i64", "i32", "i1"])
def test_masked_and_indexed_memory(kind: str, width: int) -> None:
    dtype = {"double": "f8", "float": "f4", "i64": "i8", "i32": "i4", "i1": "?"}[kind]
    module, f = begin("x", "bits", "out")
    x, bits, out = f.arguments
    mask = f.load(bits, "i1", width)
    reverse = f.sub(width - 1, lanes(width))
    f.store(f.masked_load(x, mask, kind), out)
    f.masked_store(f.load(x, kind, width), f.gep(out, width, kind), mask)
    f.store(f.gather(f.gep(x, reverse, kind), kind, mask, 1), f.gep(out, 2 * width, kind))
    f.scatter(f.load(x, kind, width), f.gep(f.gep(out, 3 * width, kind), reverse, kind), mask)
    f.ret()
    data = np.array([3, 1, 2, 5][:width]).astype(dtype)
    for pattern in ([True, False, True, False], [False, True, True, True]):
        selected = np.array(pattern[:width])
        result = np.zeros((4, width), dtype)
        run(module, "f", data, selected, result)
        assert (result[0] == np.where(selected, data, 0)).all()
        assert (result[1] == np.where(selected, data, 0)).all()
        assert (result[2] == np.where(selected, data[::-1], 1)).all()
        assert (result[3] == np.where(selected, data, 0)[::-1]).all()


def test_conversions_selects_and_reductions() -> None:
    module, f = begin("x", "out")
    x, out = f.arguments
    v = f.load(x, "double", 4)
    whole = f.fptosi_sat(v, "i32")
    f.store(f.sitofp(whole, "double"), out)
    positive = f.fcmp("ogt", v, 0.0)
    f.store(f.select(positive, v, -1.0), f.gep(out, 4, "double"))
    scalar = f.extract(positive, 1)
    f.store(f.select(scalar, v, f.intrinsic("fabs", v)), f.gep(out, 8, "double"))
    f.store(f.reduce("fmaximum", f.intrinsic("maximum", v, -5.0)), f.gep(out, 12, "double"))
    f.store(f.reduce("fadd", vector("double", [1, 2, 3, 4])), f.gep(out, 13, "double"))
    f.store(
        f.select(f.any_lane(positive), constant("double", 1), constant("double", 0)), f.gep(out, 14, "double")
    )
    f.store(f.fpext(f.fptrunc(f.extract(v, 0))), f.gep(out, 15, "double"))
    f.ret()
    data, result = np.array([2.5, -1e30, np.nan, -0.5]), np.zeros(16)
    run(module, "f", data, result)
    assert result[:4].tolist() == [2.0, -(2.0**31), 0.0, 0.0]
    assert result[4:8].tolist() == [2.5, -1.0, -1.0, -1.0]
    assert np.array_equal(result[8:12], np.abs(data), equal_nan=True)
    assert np.isnan(result[12])
    assert result[13:].tolist() == [10.0, 1.0, 2.5]


@pytest.mark.parametrize("low_first", [True, False])
@pytest.mark.parametrize("kind, dtype", [("double", np.float64), ("float", np.float32)])
def test_long_tables_hold_what_short_ones_do(kind: Kind, dtype: type, low_first: bool) -> None:
    numbers = [*np.random.default_rng(0).normal(size=LONG_TABLE - 3).tolist(), -0.0, np.inf, 1e-310]
    module = ModuleText(instructions=Instructions(low_first=low_first))
    f = module.function("f", [Parameter("out", "ptr", attributes="noalias align 16")], linkage="")
    table = module.table(kind, numbers)
    assert table == module.table(kind, list(numbers)) != module.table(kind, numbers[::-1])
    f.memcpy(f.arguments[0], table, len(numbers) * BYTES[kind])
    f.ret()
    assert ('c"' in module.text()) == low_first
    result = np.ones(len(numbers), dtype)
    run(module, "f", result)
    np.testing.assert_array_equal(result.view(np.uint8), np.asarray(numbers, dtype).view(np.uint8))


def test_block_memory_tables_and_calls() -> None:
    module = ModuleText()

    def define() -> IRBuilder:
        square = module.function("square", [Parameter("x", "double", 2)], "double", 2)
        square.ret(square.fmul(square.arguments[0], square.arguments[0]))
        return square

    module.shared_function("square", define)
    module.shared_function("square", define)
    f = module.function("f", [Parameter("out", "ptr", attributes="noalias align 16")], linkage="")
    (out,) = f.arguments
    table = module.table("double", [3.0, 4.0])
    assert table == module.table("double", [3.0, 4.0])
    slot = f.alloca("double", 2)
    f.memcpy(slot, table, 16)
    squares = f.call("square", [f.load(slot, "double", 2)], "double", 2)
    assert squares is not None
    f.memset(out, 0, 32)
    f.store(squares, out, 16)
    f.memcpy(f.gep(out, 2, "double"), out, 8)
    f.ret()
    result = np.ones(4)
    run(module, "f", result)
    assert result.tolist() == [9.0, 16.0, 9.0, 0.0]


def _cube(module: ModuleText, name: str) -> IRBuilder:
    cube = module.function(name, [Parameter("x", "double")], "double")
    (x,) = cube.arguments
    cube.ret(cube.fmul(cube.fmul(x, x), x))
    return cube


def test_equal_functions_are_merged() -> None:
    module = ModuleText()
    for name in ("first", "second"):
        _cube(module, name)
    other = module.function("other", [Parameter("x", "double")], "double")
    other.ret(other.fmul(*2 * other.arguments))
    assert [module.merged(name) for name in ("first", "second", "other")] == ["first", "first", "other"]
    f = module.function("f", [Parameter("out", "ptr")], linkage="")
    (out,) = f.arguments
    results = [f.call(name, [constant("double", 3)], "double") for name in ("first", "other")]
    for k, result in enumerate(results):
        assert result is not None
        f.store(result, f.gep(out, k, "double"))
    f.ret()
    assert module.text().count("define internal") == 2
    result = np.zeros(2)
    run(module, "f", result)
    assert result.tolist() == [27.0, 9.0]


@pytest.mark.parametrize("iterations", [1, 1000])
def test_shared_functions_are_inlined_where_their_uses_are_few(iterations: int) -> None:
    most = MOST_INLINED[iterations > 1]
    for uses in (most, most + 1):
        module = ModuleText()
        f = module.function("f", [Parameter("x", "ptr"), Parameter("n", "i64")], linkage="")
        x, n = f.arguments
        with f.loop(0, n, at_most=iterations):
            y = f.load(x, "double")
            for _ in range(uses):
                y = f.call_shared("cube", [y], "double", 1, lambda: _cube(module, "cube"))  # noqa: B023
            f.store(y, x)
        f.ret()
        calls = re.search(r"call .*@cube", optimised_llvm(module.text()))
        assert (calls is not None) == (uses > most)


@pytest.mark.parametrize(("calls", "lines", "stays"), [(1, SHORT, False), (2, 1, True), (1, SHORT + 1, True)])
def test_short_functions_that_are_called_once_are_inlined(calls: int, lines: int, stays: bool) -> None:
    module = ModuleText()
    kernel = module.function("kernel", [Parameter("x", "ptr")])
    kernel.is_inlined_if_short = True
    while kernel.length < lines - 1:
        kernel.store(constant("double", kernel.length), kernel.arguments[0])
    kernel.ret()
    assert kernel.length == lines
    f = module.function("f", [Parameter("x", "ptr")], linkage="")
    for _ in range(calls):
        f.call("kernel", f.arguments)
    f.ret()
    assert ("define internal void @kernel" in optimised_llvm(module.text())) == stays


def test_sites_that_are_unlikely_to_run_are_inlined_as_those_that_run_once() -> None:
    """They leave what may be inlined to the others."""
    module = ModuleText()
    f = module.function("f", [Parameter("x", "ptr"), Parameter("n", "i64")], linkage="")
    x, n = f.arguments
    with f.loop(0, n, at_most=1000) as loop:
        for k in range(2 * MOST_INLINED[True]):
            unlikely = k % 2 == 1
            with f.conditional(f.icmp("eq", loop.index, k), unlikely=unlikely):
                y = f.call_shared("cube", [f.load(x, "double")], "double", 1, lambda: _cube(module, "cube"))
                f.store(f.fadd(y, float(k)), x)
    f.ret()
    calls = re.findall(r"call .*@cube", optimised_llvm(module.text()))
    assert len(calls) == MOST_INLINED[True]


def test_a_shared_function_of_the_same_operands_is_called_once() -> None:
    module = ModuleText()
    f = module.function("f", [Parameter("x", "double")], "double", linkage="")
    (x,) = f.arguments
    first, second = (f.call_shared("cube", [x], "double", 1, lambda: _cube(module, "cube")) for _ in range(2))
    assert first == second
    f.ret(first)
    assert module.text().count("call") == 1


def test_text_is_deterministic() -> None:
    def build() -> str:
        module, f = begin("p")
        with f.loop(0, 100, 4) as loop:
            p = f.gep(f.arguments[0], loop.index, "double")
            f.store(f.fma(f.load(p, "double", 4), 2.0, 1.0), p)
        f.ret()
        return module.text()

    assert build() == build()


def test_misuse_is_reported() -> None:
    _, f = begin("p")
    with pytest.raises(ValueError, match="cannot widen"):
        f.fadd(Value("%a", "double", 4), Value("%b", "double", 2))
    with (
        pytest.raises(ValueError, match="never called carry"),
        f.loop(0, 9, carries=[constant("i64", 0)]),
    ):
        pass
    with pytest.raises(ValueError, match="defined twice"):
        f.module.function("f", [])
