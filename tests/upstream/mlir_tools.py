"""MLIR's own tools, where they are: programs on tensors are lowered by mlir-opt and run by its runner.

    run(text, [("f", [x, y], [tensor<3xf64>])])     -->  [[array([...])]]

All calls stand in one module and run in one process. Results leave it as bytes, so no digit is lost.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import IndexType, TensorType, i1
from xdsl.ir import Attribute

from mlirad.dialects.array.literals import NUMPY_DTYPES
from mlirad.dialects.shapes import element_of, shape_of

VERSIONS = ("-19", "-20", "-18", "")

BUFFERIZE = (
    "--one-shot-bufferize=bufferize-function-boundaries=true "
    "function-boundary-type-conversion=identity-layout-map allow-return-allocs-from-loops=true",
    "--canonicalize",
)
LOWER = (
    "--convert-linalg-to-loops",
    "--convert-math-to-funcs=convert-ctlz",
    "--arith-expand",
    "--expand-strided-metadata",
    "--lower-affine",
    "--convert-scf-to-cf",
    "--convert-math-to-llvm",
    "--convert-math-to-libm",
    "--convert-arith-to-llvm",
    "--finalize-memref-to-llvm",
    "--convert-func-to-llvm",
    "--convert-cf-to-llvm",
    "--convert-index-to-llvm",
    "--reconcile-unrealized-casts",
)
"""From tensors to buffers, and from buffers to LLVM's dialect."""

Call = tuple[str, Sequence[Any], Sequence[Attribute]]
"""A function, arguments, and the types of its results."""

_COPY = re.compile(r"memref\.copy (%[\w#]+), (%[\w#]+) : (memref<.*>) to (memref<.*>)$", re.MULTILINE)
"""A copy of memory: the runner's library has it as a function, which Debian does not install."""


def tool(name: str) -> str:
    """The path of one of MLIR's tools; the test is skipped where it is not."""
    for version in VERSIONS:
        path = shutil.which(name + version)
        if path is not None:
            return path
    pytest.skip(f"{name} is not installed")


def mlir_opt(text: str, *options: str) -> str:
    """The output of mlir-opt."""
    return _output([tool("mlir-opt"), *options], text.encode()).decode()


def run(text: str, calls: Sequence[Call]) -> list[list[np.ndarray]]:
    """The results of calls of functions that a module of ops at top level defines."""
    runner = tool("mlir-cpu-runner")
    buffers = mlir_opt(f"{text}\n{_main(calls)}", *BUFFERIZE)
    copies = _COPY.sub(r"linalg.copy ins(\1 : \3) outs(\2 : \4)", buffers)
    lowered = mlir_opt(copies, *LOWER)
    data = _output([runner, "-e", "main", "-entry-point-result=void", "-O1"], lowered.encode())
    results: list[list[np.ndarray]] = []
    start = 0
    for _, _, types in calls:
        results.append([])
        for type_ in types:
            dtype = _dtype(type_)
            count = int(np.prod(shape_of(type_)))
            found = np.frombuffer(data, dtype, count, start)
            results[-1].append(found.reshape(shape_of(type_)))
            start += found.nbytes
    assert start == len(data)
    return results


def _output(command: Sequence[str], data: bytes) -> bytes:
    done = subprocess.run(command, input=data, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()[:3000]
    return done.stdout


def _dtype(type_: Attribute) -> np.dtype[Any]:
    element = element_of(type_)
    return np.dtype(np.int64) if isinstance(element, IndexType) else NUMPY_DTYPES[element]


def _main(calls: Sequence[Call]) -> str:
    """A function that makes all calls and writes their results to standard output."""
    lines = ["func.func private @write(i32, i64, i64) -> i64", "func.func @main() {"]
    lines.append("  %out = arith.constant 1 : i32")
    for n, (name, values, types) in enumerate(calls):
        names = [f"%a{n}_{k}" for k in range(len(values))]
        for argument, (value, type_) in zip(names, values, strict=True):
            lines.append(f"  {argument} = arith.constant {_literal(np.asarray(value), type_)} : {type_}")
        signature = f"({', '.join(str(t) for _, t in values)}) -> ({', '.join(map(str, types))})"
        lines.append(f"  %r{n}:{len(types)} = func.call @{name}({', '.join(names)}) : {signature}")
        for k, type_ in enumerate(types):
            lines += _written(f"%r{n}#{k}", f"{n}_{k}", type_)
    return "\n".join([*lines, "  return", "}"])


def _written(value: str, name: str, type_: Attribute) -> Iterable[str]:
    if not isinstance(type_, TensorType):
        yield f"  %t{name} = tensor.from_elements {value} : tensor<{type_}>"
        value, type_ = f"%t{name}", TensorType(type_, ())
    memory = str(type_).replace("tensor", "memref", 1)
    count = int(np.prod(type_.get_shape())) * (1 if type_.element_type == i1 else _dtype(type_).itemsize)
    yield f"  %m{name} = bufferization.to_memref {value} : {memory}"
    yield f"  %p{name} = memref.extract_aligned_pointer_as_index %m{name} : {memory} -> index"
    yield f"  %i{name} = arith.index_cast %p{name} : index to i64"
    yield f"  %n{name} = arith.constant {count} : i64"
    yield f"  %w{name} = func.call @write(%out, %i{name}, %n{name}) : (i32, i64, i64) -> i64"


def _literal(value: np.ndarray, type_: Attribute) -> str:
    dtype = _dtype(type_)
    if dtype.kind == "f":
        bits = np.asarray(value, dtype).reshape(-1).view(f"u{dtype.itemsize}")
        texts = [f"0x{int(b):0{2 * dtype.itemsize}X}" for b in bits]
    elif dtype.kind == "b":
        texts = ["true" if v else "false" for v in np.asarray(value).reshape(-1)]
    else:
        texts = [str(int(v)) for v in np.asarray(value).reshape(-1)]
    if not isinstance(type_, TensorType):
        return texts[0]
    if not texts:
        return "dense<>"
    return f"dense<{_nested(texts, shape_of(type_))}>"


def _nested(texts: Sequence[str], shape: Sequence[int]) -> str:
    if not shape:
        return texts[0]
    size = len(texts) // shape[0]
    return "[" + ", ".join(_nested(texts[k * size :][:size], shape[1:]) for k in range(shape[0])) + "]"
