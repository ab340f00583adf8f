"""The code and results of programs, for `test_same_bits.py`: as a program it prints a line for each one.

PYTHONHASHSEED=1 python -m tests.acceptance.same_bits 5      name, digest of LLVM text, digest of results
"""

from __future__ import annotations

import hashlib
import random
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from xdsl.dialects.func import FuncOp

import mlirad as ad
from mlirad.frontend.tracing.pytree import flatten
from mlirad.jit.call import NativeFunction
from mlirad.lower.native_program import NativeProgram
from mlirad.pipelines import pipeline_passes, run_passes
from tests.generators import arguments_for, random_program
from tests.generators.python_programs import N, random_function, scalar_of
from tests.lower.native import compiled_program

rng = np.random.default_rng(3)
MATRIX, TALL, LONG = rng.normal(size=(37, 37)), rng.normal(size=(61, 5)), rng.normal(size=1003)
NAMES = {"weights": rng.normal(size=(5, 7)), "bias": rng.normal(size=7), "scale": np.float32(0.5)}


@ad.function
def series(x: Any, n: Any) -> Any:
    return ad.cond(n < 1, lambda: x, lambda: np.sin(series(x * 1.1, n - 1)) + x)


def network(p: Any) -> Any:
    return np.sum(np.tanh(TALL @ p["weights"] + p["bias"]) ** 2) * p["scale"]


def mixed(x: Any) -> Any:
    """Sums, scans, sorting, positions and matrices of one vector."""
    y = np.cumsum(np.sort(x)[:37]) @ MATRIX
    last, ys = ad.scan(lambda c, e: (np.cos(c) * e, c + e), x[0], x)
    return np.sum(np.exp(-(y**2))) + np.mean(ys * x[np.argsort(ys)]) + last


def banded(x: Any) -> Any:
    return np.sum(np.sin(x[1:] * x[:-1]) + x[:-1] ** 3)


CALLS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "mixed": (ad.jit(mixed), (LONG,)),
    "gradient": (ad.grad(mixed), (LONG,)),
    "network": (ad.value_and_grad(network), (NAMES,)),
    "hessian": (ad.hessian(lambda x: mixed(x[:40])), (LONG[:40],)),
    "matrices": (ad.grad(lambda a: np.sum(np.tanh(a @ a.T @ a))), (MATRIX,)),
    "recursion": (ad.grad(lambda x: series(x, 20)), (0.7,)),
}


def digest(*values: Any) -> str:
    """A digest of all bits of arrays and texts."""
    total = hashlib.sha256()
    for value in values:
        total.update(value.encode() if isinstance(value, str) else np.ascontiguousarray(value).tobytes())
    return total.hexdigest()[:16]


def leaves(result: Any) -> Iterator[Any]:
    """The arrays of a result, in order."""
    if isinstance(result, dict):
        for key in sorted(result):
            yield from leaves(result[key])
    elif isinstance(result, tuple | list):
        for each in result:
            yield from leaves(each)
    else:
        yield result


def lines(count: int) -> Iterator[str]:
    """Each program by name, with its digests; `count` random ones of two kinds are among them."""
    for name, (function, arguments) in CALLS.items():
        yield f"{name} {digests(function, arguments)}"
    matrix = ad.hessian(banded, sparse=True)(LONG[:50])
    yield f"sparse {digest(matrix.indices, matrix.indptr)} {digest(matrix.data)}"
    for seed in range(count):
        function = ad.grad(scalar_of(random_function(seed, 3), (0.3, 0.7)), argnums=(0, 1))
        arguments = 0.4, np.linspace(-0.5, 0.8, N)
        yield f"python{seed} {digests(function, arguments)}"
    for seed in range(count):
        program, given = native_program(seed)
        yield f"text{seed} {digest(program.llvm)} {digest(*NativeFunction(program)(*given))}"


def digests(function: Any, arguments: tuple[Any, ...]) -> str:
    """The digests of the text that a call is compiled to, and of its results."""
    program = function.lower(*arguments).program
    return f"{digest(program.llvm)} {digest(*NativeFunction(program)(*flatten(arguments)[0]))}"


def native_program(seed: int, *, checked: bool = False) -> tuple[NativeProgram, list[Any]]:
    """A random program, with or without checks of its addresses, and arguments for it."""
    module = random_program(seed, 12)
    (name, *_) = [op.sym_name.data for op in module.body.ops if isinstance(op, FuncOp)]
    given = arguments_for(module, random.Random(seed), function=name)
    run_passes(module, pipeline_passes("expand"))
    return compiled_program(module, name, checks=checked), given


if __name__ == "__main__":
    for line in lines(int(sys.argv[1])):
        sys.stdout.write(line + "\n")
