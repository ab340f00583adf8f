"""Small programs in LLVM IR for the tests of code generation and calling."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mlirad.lower.native_program import ITEM_BYTES, ArraySpec, NativeProgram

LLVM_TYPES = {"float64": "double", "float32": "float", "int64": "i64", "int32": "i32", "bool": "i8"}


def pointers(*names: str) -> str:
    """IR that loads the data pointers of the buffers, in order."""
    lines = [
        f"  %at.{name} = getelementptr ptr, ptr %buffers, i64 {i}\n  %{name} = load ptr, ptr %at.{name}"
        for i, name in enumerate(names)
    ]
    return "\n".join(lines)


def elementwise_program(
    body: str, dtype: str, shape: tuple[int, ...], inputs: int = 1, operations: int = 0
) -> NativeProgram:
    """`%r = body(%a0, %a1, ...)` on each element; `{t}` in the body is the LLVM type."""
    spec = ArraySpec(dtype, shape)
    t, align = LLVM_TYPES[dtype], ITEM_BYTES[dtype]
    names = [f"x{i}" for i in range(inputs)]
    loads = "\n".join(
        f"  %p{i} = getelementptr {t}, ptr %x{i}, i64 %i\n  %a{i} = load {t}, ptr %p{i}, align {align}"
        for i in range(inputs)
    )
    text = f"""
define void @mlirad_main(ptr %buffers, ptr %arena, ptr %context) {{
entry:
{pointers(*names, "y")}
  br label %next
next:
  %i = phi i64 [0, %entry], [%more, %element]
  %left = icmp ult i64 %i, {spec.size}
  br i1 %left, label %element, label %done
element:
{loads}
  {body.format(t=t)}
  %q = getelementptr {t}, ptr %y, i64 %i
  store {t} %r, ptr %q, align {align}
  %more = add i64 %i, 1
  br label %next
done:
  ret void
}}"""
    return NativeProgram((spec,) * inputs, (spec,), operations=operations, llvm=text)


def through_arena_program(size: int, operations: int = 0) -> NativeProgram:
    """Copies `size` doubles into the arena, then out again, times the one constant, a double 2."""
    import numpy as np

    spec = ArraySpec("float64", (size,))
    text = f"""
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define void @mlirad_main(ptr %buffers, ptr %arena, ptr %context) {{
entry:
{pointers("x", "y", "c")}
  %factor = load double, ptr %c
  call void @llvm.memcpy.p0.p0.i64(ptr %arena, ptr %x, i64 {spec.nbytes}, i1 false)
  br label %next
next:
  %i = phi i64 [0, %entry], [%more, %next]
  %from = getelementptr double, ptr %arena, i64 %i
  %value = load double, ptr %from
  %scaled = fmul double %value, %factor
  %to = getelementptr double, ptr %y, i64 %i
  store double %scaled, ptr %to
  %more = add i64 %i, 1
  %left = icmp ult i64 %more, {size}
  br i1 %left, label %next, label %done
done:
  ret void
}}"""
    constants = (np.array(2.0),)
    return NativeProgram((spec,), (spec,), constants, spec.nbytes, operations=operations, llvm=text)


def sum_and_double_program() -> NativeProgram:
    """The program that takes three doubles and returns their sum (rank 0) and their doubles."""
    text = f"""
define void @mlirad_main(ptr %buffers, ptr %arena, ptr %context) {{
{pointers("x", "s", "y")}
  %v = load <3 x double>, ptr %x, align 8
  %sum = call double @llvm.vector.reduce.fadd.v3f64(double 0.0, <3 x double> %v)
  store double %sum, ptr %s
  %twice = fadd <3 x double> %v, %v
  store <3 x double> %twice, ptr %y, align 8
  ret void
}}
declare double @llvm.vector.reduce.fadd.v3f64(double, <3 x double>)"""
    three = ArraySpec("float64", (3,))
    return NativeProgram((three,), (ArraySpec("float64", ()), three), llvm=text)


@pytest.fixture
def elementwise() -> Callable[..., NativeProgram]:
    return elementwise_program


@pytest.fixture
def through_arena() -> Callable[..., NativeProgram]:
    return through_arena_program


@pytest.fixture
def sum_and_double() -> NativeProgram:
    return sum_and_double_program()
