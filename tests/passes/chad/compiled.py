"""Derivatives by specifications as machine code, beside what the interpreter finds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from mlirad.dialects.shapes import is_float, shape_of
from mlirad.interpreter import run_function
from mlirad.jit.call import NativeFunction
from mlirad.jit.target import find_target
from mlirad.pipelines import array_code, expansion
from tests.lower.native import compiled_program
from tests.passes.chad.programs import HEAD, gradients, program
from tests.passes.derivatives import drawn, float_arguments, function_of, run_passes

NAMES = {"reverse": "main_grad", "forward": "main_jvp"}


def native(module: ModuleOp, name: str, arguments: list[Any]) -> list[Any]:
    """The results of a function in machine code."""
    program = compiled_program(module, name, checks=True)
    return list(NativeFunction(program, target=find_target(), debug=True)(*arguments))


def expanded(module: ModuleOp, mode: str, method: str = "chad-copower") -> ModuleOp:
    """The derivative as array code, without what it does not need."""
    code = gradients(module, ",".join(array_code(method)), mode)
    return run_passes(code, f"mlirad-symbol-dce{{entry={NAMES[mode]}}}")


def check(
    module: ModuleOp, arguments: list[Any], mode: str = "reverse", method: str = "chad-copower"
) -> None:
    """Machine code computes what the interpreter makes of the specification."""
    name = NAMES[mode]
    source = gradients(module, ",".join(expansion(method)), mode)
    expected = run_function(source, arguments, function=name)
    code = expanded(module, mode, method)
    for a, b in zip(expected, native(code, name, arguments), strict=True):
        np.testing.assert_allclose(b, a, rtol=1e-9, atol=1e-12)


def with_cotangents(module: ModuleOp, arguments: list[Any], seed: int) -> list[Any]:
    """The arguments, and cotangents of all floats that @main returns, unless it returns one number alone."""
    types = function_of(module, "main").function_type.outputs.data
    floats = [t for t in types if is_float(t)]
    given = [] if len(types) == 1 and not shape_of(floats[0]) else drawn(floats, np.random.default_rng(seed))
    return [*arguments, *given]


def with_tangents(module: ModuleOp, arguments: list[Any], seed: int) -> list[Any]:
    """The arguments, and tangents of all floats among them."""
    types = function_of(module, "main").function_type.inputs.data
    wrt = float_arguments(module, "main")
    return [*arguments, *drawn([types[k] for k in wrt], np.random.default_rng(seed))]


# Families ----------------------------------------------------------------------------------------


def branches(n: int) -> str:
    """n closures, each chosen from two by a branch."""
    code = "  %z0 = array.mul %x, %x : f64\n"
    for k in range(n):
        code += f"""
  %p{k} = array.compare lt %z{k}, %x : f64, f64 -> i1
  %g{k} = array.if %p{k} : i1 -> CLOSURE {{
    %a = function.lambda (%z: f64) : -> CLOSURE {{
      %m = array.mul %z, %x : f64
      array.yield %m : f64
    }}
    array.yield %a : CLOSURE
  }} else {{
    %b = function.lambda (%z: f64) : -> CLOSURE {{
      %m = array.sin %z : f64
      %q = array.mul %m, %z{k} : f64
      array.yield %q : f64
    }}
    array.yield %b : CLOSURE
  }}
  %z{k + 1} = function.apply %g{k}, %z{k} : CLOSURE, f64 -> f64
"""
    return code + f"  func.return %z{n} : f64\n}}"


def chain(n: int, *, calls: int) -> str:
    """n closures; each of them calls the one before `calls` times."""
    code = """  %f0 = function.lambda (%z: f64) : -> CLOSURE {
    %m = array.mul %z, %x : f64
    array.yield %m : f64
  }
"""
    for k in range(n):
        inner = "\n".join(
            f"    %q{j + 1} = function.apply %f{k}, %q{j} : CLOSURE, f64 -> f64" for j in range(calls)
        )
        code += f"""  %f{k + 1} = function.lambda (%z: f64) : -> CLOSURE {{
    %q0 = array.sin %z : f64
{inner}
    %r = array.mul %q{calls}, %x : f64
    array.yield %r : f64
  }}
"""
    return code + f"  %y = function.apply %f{n}, %x : CLOSURE, f64 -> f64\n  func.return %y : f64\n}}"


FAMILIES: dict[str, Callable[[int], str]] = {
    "branches": branches,
    "closures": lambda n: chain(n, calls=1),
    "closures called twice": lambda n: chain(n, calls=2),
}


def sizes(family: str, method: str) -> list[int]:
    """Ops with their operands after elimination, for 1, 2, 4, 8 and 16 branches or closures."""
    found: list[int] = []
    passes = array_code(method)
    until = passes.index("eliminate-functions{growth=1}") + 1
    for n in (1, 2, 4, 8, 16):
        code = gradients(program(HEAD + FAMILIES[family](n)), ",".join(passes[:until]))
        left = run_passes(code, "mlirad-symbol-dce{entry=main_grad}")
        found.append(sum(1 + len(op.operands) for op in left.walk()))
    return found
