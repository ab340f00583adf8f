"""Kernel programs with one attribute changed, as no pass would ever write them, and what becomes of them.

    python -m tests.acceptance.hostile_kernels 0 1        every mutant, a line each: what became of it

Every attribute of every op of a few valid programs, which have all that the dialect has, is taken away, and
replaced by values that are negative, huge, of another length or of another type; missing ones are added. A
mutant may be refused, or run and give what the interpreter gives. It runs in a process of its own, since one
that is neither refused nor sound may end the process.
"""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import count
from math import prod
from typing import Any, NamedTuple, cast

import numpy as np
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    FloatAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    f64,
    i64,
)
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, Operation
from xdsl.irdl import IRDLOperation

from mlirad import callbacks
from mlirad.dialects.array.frames import FRAME_OPS, SaveOp
from mlirad.dialects.kernel import KERNEL_OPS
from mlirad.dialects.kernel.nests import FAST_PATHS, MAX_POINTS
from mlirad.dialects.kernel.plans import (
    ARENA_ATTRIBUTE,
    CARRIES_ATTRIBUTE,
    PLACES_ATTRIBUTE,
    STRIDES_ATTRIBUTE,
    UPDATES_ATTRIBUTE,
)
from mlirad.dialects.kernel.schedules import LoopAttr, ProductAttr, Segment
from mlirad.dialects.kernel.strips import LOWERED_CONTROL
from mlirad.dialects.shapes import FLAG, ints, values_of
from mlirad.errors import CompileError, MliradError
from mlirad.interpreter import run_function
from mlirad.ir.parsing import parse_module
from mlirad.ir.verification import verify_module
from mlirad.jit.call import NativeFunction
from mlirad.pipelines import pipeline_passes, run_passes
from mlirad.registry import make_passes
from mlirad.tools.native import native_program

X = np.linspace(0.1, 1.0, 12).reshape(3, 4)
V = np.linspace(-0.5, 0.7, 10)
A = np.sin(np.arange(162.0)).reshape(2, 9, 9) + 5.0 * np.eye(9)
"""Matrices whose factors have no triangle that is nearly singular, so that solutions differ by rounding."""

NESTS = """
func.func @f(%x: tensor<3x4xf64>) -> (tensor<3xf64>, tensor<4x3xf64>, i64, tensor<3x4xi1>) {
  %a, %b = kernel.nest %x (%i, %j) {space = [3, 4], reduction = [], lane = 1, width = 4, tile_dim = 0,
      tile = 2, order = [0, 1], layouts = [[1, 0], [0, 1]]}
      : tensor<3x4xf64> -> (tensor<3x4xf64>, tensor<3x4xi1>) {
    %u = kernel.load %x[%i, %j] : tensor<3x4xf64> -> f64
    %n = array.is_nan %u : f64 -> i1
    array.yield %u, %n : f64, i1
  }
  %s = kernel.nest %a (%i, %r)
      {space = [3], reduction = [4], combiners = [add], lane = 0, width = 2, reduction_outer}
      : tensor<3x4xf64> -> tensor<3xf64> {
    %u = kernel.load %a[%i, %r] : tensor<3x4xf64> -> f64
    array.yield %u : f64
  }
  %t = kernel.nest %a (%i, %j) {space = [4, 3], reduction = []} : tensor<3x4xf64> -> tensor<4x3xf64> {
    %u = kernel.load %a[%j, %i] : tensor<3x4xf64> -> f64
    array.yield %u : f64
  }
  %k = kernel.nest %s (%r) {space = [], reduction = [3], combiners = [argmax]} : tensor<3xf64> -> i64 {
    %u = kernel.load %s[%r] : tensor<3xf64> -> f64
    array.yield %u : f64
  }
  func.return %s, %t, %k, %b : tensor<3xf64>, tensor<4x3xf64>, i64, tensor<3x4xi1>
}"""

LIBRARY = """
func.func @f(%x: tensor<3x4xf64>) -> (tensor<3x3xf64>, tensor<3x4xf64>, tensor<3x4xf64>, tensor<3x4xi64>) {
  %c = kernel.cumulative sum %x {dim = 1, reverse} : tensor<3x4xf64> -> tensor<3x4xf64>
  %d = kernel.dot %c, %x {lhs_batch = [], rhs_batch = [], lhs_contract = [1], rhs_contract = [1],
      layouts = [[0, 1]]} : tensor<3x4xf64>, tensor<3x4xf64> -> tensor<3x3xf64>
  %s, %w0, %w1 = kernel.sort %x {dim = 0} : tensor<3x4xf64> -> (tensor<3x4xf64>, tensor<3xf64>, tensor<3xf64>)
  %p, %v0, %v1 = kernel.sort %x {dim = 1, positions}
      : tensor<3x4xf64> -> (tensor<3x4xi64>, tensor<4xf64>, tensor<4xf64>)
  func.return %d, %c, %s, %p : tensor<3x3xf64>, tensor<3x4xf64>, tensor<3x4xf64>, tensor<3x4xi64>
}"""

SCATTERS = """
func.func @f(%v: tensor<10xf64>) -> (tensor<10xf64>, tensor<4xf64>, tensor<9xf64>) {
  %a = kernel.scatter add %v (%i) {space = [10], from_zero, lane = 0, width = 4, layouts = [[0]]}
      : tensor<10xf64> -> tensor<10xf64> {
    %u = kernel.load %v[%i] : tensor<10xf64> -> f64
    array.yield %u, %i : f64, i64
  }
  %b = kernel.scatter set %a (%i) {space = [5]} : tensor<10xf64> -> tensor<10xf64> {
    %two = array.constant 2 : i64
    %j = array.mul %i, %two : i64
    %u = array.constant 1.5 : f64
    array.yield %u, %j : f64, i64
  }
  %c = kernel.scatter add %v (%i) {space = [10], from_zero, masked} : tensor<10xf64> -> tensor<4xf64> {
    %u = kernel.load %v[%i] : tensor<10xf64> -> f64
    %n = array.constant 4 : i64
    %g = array.compare lt %i, %n : i64, i64 -> i1
    array.yield %u, %i, %g : f64, i64, i1
  }
  %d = kernel.nest %b (%i) {space = [9], reduction = []} : tensor<10xf64> -> tensor<9xf64> {
    %one = array.constant 1 : i64
    %j = array.sub %i, %one : i64
    %zero = array.constant 0 : i64
    %g = array.compare ge %j, %zero : i64, i64 -> i1
    %u = kernel.load_if %g, %b[%j] : i1, tensor<10xf64> -> f64
    array.yield %u : f64
  }
  func.return %b, %c, %d : tensor<10xf64>, tensor<4xf64>, tensor<9xf64>
}"""

REPORTS = """
func.func @f(%v: tensor<10xf64>) -> i64 {
  %zero = array.constant 0 : i64
  %p = kernel.nest %v (%i) {space = [10], reduction = []} : tensor<10xf64> -> tensor<10xi1> {
    %u = kernel.load %v[%i] : tensor<10xf64> -> f64
    %n = array.is_nan %u : f64 -> i1
    array.yield %n : i1
  }
  %t = kernel.report print %zero, %p, %v {message = "x = {}", source = "x.py:3", batch_rank = 1}
      : i64, tensor<10xi1>, tensor<10xf64> -> i64
  func.return %t : i64
}"""

DOUBLED = callbacks.named("tests.acceptance", "doubled", lambda values: [2 * values[0], values[0] > 0])
"""The name of a function that gives twice an array, and where it is positive."""

CALLBACKS = """
func.func @f(%v: tensor<10xf64>) -> (tensor<10xf64>, tensor<10xi1>) {
  %p = kernel.nest %v (%i) {space = [10], reduction = []} : tensor<10xf64> -> tensor<10xi1> {
    %u = kernel.load %v[%i] : tensor<10xf64> -> f64
    %n = array.is_finite %u : f64 -> i1
    array.yield %n : i1
  }
  %x, %y = kernel.callback %p, %v {function = "doubled", vectorized, source = "x.py:3", batch_rank = 1}
      : tensor<10xi1>, tensor<10xf64> -> (tensor<10xf64>, tensor<10xi1>)
  func.return %x, %y : tensor<10xf64>, tensor<10xi1>
}"""

STRIPS = """
func.func @f(%v: tensor<10xf64>, %a: f64) -> (f64, tensor<10xf64>) {
  %s, %y = kernel.strips %a (%start, %fresh, %t : f64) {carries = 1, extent = 10, block = 4}
      : f64 -> (f64, tensor<10xf64>) {
    %n = kernel.nest %t () {space = [], reduction = []} : f64 -> f64 {
      %u = kernel.load %t : f64 -> f64
      array.yield %u : f64
    }
    %e = kernel.nest %v, %start (%i) {space = [4], reduction = []} : tensor<10xf64>, i64 -> tensor<4xf64> {
      %s = kernel.load %start : i64 -> i64
      %j = array.add %i, %s : i64
      %u = kernel.load %v[%j] : tensor<10xf64> -> f64
      array.yield %u : f64
    }
    array.yield %n, %e : f64, tensor<4xf64>
  }
  func.return %s, %y : f64, tensor<10xf64>
}"""

RECURRENCE = """
func.func @f(%v: tensor<10xf64>, %a: f64) -> (tensor<10xf64>, tensor<10xf64>, tensor<3x10xf64>) {
  %p, %q, %s = kernel.recurrence %v, %a (%i, %k, %x: f64, %y: f64)
      {carries = 2, space = [10], length = 3, reverse, lane = 0, width = 4, parallel = 8}
      : tensor<10xf64>, f64 -> (tensor<10xf64>, tensor<10xf64>, tensor<3x10xf64>) {
    %u = kernel.load %v[%k] : tensor<10xf64> -> f64
    %z = array.mul %x, %u : f64
    %w = array.add %y, %z : f64
    array.yield %z, %w, %x : f64, f64, f64
  }
  func.return %p, %q, %s : tensor<10xf64>, tensor<10xf64>, tensor<3x10xf64>
}"""

RECORDS = """
func.func @f(%v: tensor<10xf64>) -> tensor<10xf64> attributes {kernel.arena_bytes = 512 : i64} {
  %l, %a, %b = array.scan %v (%i, %u: tensor<10xf64>) {carries = 1, length = 3}
      : tensor<10xf64> -> (tensor<10xf64>, tensor<3x10xf64>, tensor<3xi64>)
      attributes {kernel.places = array<i64: -1, 0, 80>, kernel.strides = array<i64: 0, 88, 88>,
      kernel.carries = array<i64: 320>} {
    %q = array.next_row %i {record = 0, room = 64} : i64 -> i64 attributes {kernel.places = array<i64: 448>}
    %n = kernel.nest %q () {space = [], reduction = [], places = [-3]} : i64 -> i64 {
      %j = kernel.load %q : i64 -> i64
      array.yield %j : i64
    }
    %r = kernel.nest %u (%k) {space = [10], reduction = [], places = [-1]}
        : tensor<10xf64> -> tensor<10xf64> {
      %c = array.constant 9 : i64
      %j = array.sub %c, %k : i64
      %x = kernel.load %u[%j] : tensor<10xf64> -> f64
      array.yield %x : f64
    }
    %t = kernel.nest %u (%k) {space = [10], reduction = [], places = [-2]}
        : tensor<10xf64> -> tensor<10xf64> {
      %x = kernel.load %u[%k] : tensor<10xf64> -> f64
      %y = array.sin %x : f64
      array.yield %y : f64
    }
    array.yield %r, %t, %n : tensor<10xf64>, tensor<10xf64>, i64
  }
  %k = array.scan %l, %a, %b (%i, %g: tensor<10xf64>, %e: tensor<10xf64>, %t)
      {carries = 1, length = 3, reverse} : tensor<10xf64>, tensor<3x10xf64>, tensor<3xi64> -> tensor<10xf64>
      attributes {kernel.places = array<i64: -1>, kernel.carries = array<i64: -1>} {
    %w = kernel.nest %g, %e, %t (%p) {space = [10], reduction = [], places = [-1]}
        : tensor<10xf64>, tensor<10xf64>, i64 -> tensor<10xf64> {
      %x = kernel.load %g[%p] : tensor<10xf64> -> f64
      %y = kernel.load %e[%p] : tensor<10xf64> -> f64
      %n = kernel.load %t : i64 -> i64
      %o = array.convert %n : i64 -> f64
      %m = array.mul %y, %o : f64
      %z = array.add %x, %m : f64
      array.yield %z : f64
    }
    array.yield %w : tensor<10xf64>
  }
  func.return %k : tensor<10xf64>
}"""

LOOPS = """
func.func @f(%a: tensor<4xf64>, %x: tensor<6xf64>, %b: i1)
    -> (tensor<4xf64>, tensor<6x4xf64>, tensor<4xf64>, f64) {
  %c, %s = array.scan %a, %x (%i, %p: tensor<4xf64>, %v: f64) {carries = 1, length = 6}
      : tensor<4xf64>, tensor<6xf64> -> (tensor<4xf64>, tensor<6x4xf64>) {
    %n = array.update add %p, %v () : tensor<4xf64>, f64 -> tensor<4xf64> {
      array.yield %i : i64
    }
    %e = array.sin %n : tensor<4xf64>
    array.yield %n, %e : tensor<4xf64>, tensor<4xf64>
  }
  %d = array.while %a (%p: tensor<4xf64>) : tensor<4xf64> -> tensor<4xf64> {
    %z = array.constant 0 : i64
    %v = array.index %p[%z] : tensor<4xf64> -> f64
    %h = array.constant 9.0 : f64
    %m = array.compare lt %v, %h : f64, f64 -> i1
    array.yield %m : i1
  } do (%p: tensor<4xf64>) {
    %w = array.if %b : i1 -> tensor<4xf64> {
      %r = array.reverse %p {dims = [0]} : tensor<4xf64> -> tensor<4xf64>
      %u = array.add %p, %r : tensor<4xf64>
      array.yield %u : tensor<4xf64>
    } else {
      %e = array.exp %p : tensor<4xf64>
      array.yield %e : tensor<4xf64>
    }
    array.yield %w : tensor<4xf64>
  }
  %f, %tape = array.while %h0 (%q : f64) {record = 1} : f64 -> (f64, !array.tape<f64>) {
    %g = array.constant 1.0 : f64
    %m = array.compare gt %q, %g : f64, f64 -> i1
    array.yield %m : i1
  } do (%q : f64) {
    %g = array.constant 0.5 : f64
    %r = array.mul %q, %g : f64
    array.yield %r, %q : f64, f64
  }
  %y = array.replay %tape, %f (%entry : f64, %q : f64) {reverse} : !array.tape<f64>, f64 -> f64 {
    %r = array.mul %q, %entry : f64
    array.yield %r : f64
  }
  func.return %c, %s, %d, %y : tensor<4xf64>, tensor<6x4xf64>, tensor<4xf64>, f64
}""".replace("  %f, %tape", "  %h0 = array.constant 9.0 : f64\n  %f, %tape")

CALLS = """
func.func private @power(%x: f64, %n: i64) -> f64 {
  %one = array.constant 1 : i64
  %ends = array.compare lt %n, %one : i64, i64 -> i1
  %y = array.if %ends : i1 -> f64 {
    %u = array.constant 1.0 : f64
    array.yield %u : f64
  } else {
    %m = array.sub %n, %one : i64
    %z = func.call @power(%x, %m) : (f64, i64) -> f64
    %r = array.mul %x, %z : f64
    array.yield %r : f64
  }
  func.return %y : f64
}
func.func private @pick(%n: i64, %w: tensor<4xf64>) -> tensor<4xf64> {
  %zero = array.constant 0 : i64
  %ends = array.compare le %n, %zero : i64, i64 -> i1
  %y = array.if %ends : i1 -> tensor<4xf64> {
    array.yield %w : tensor<4xf64>
  } else {
    %one = array.constant 1 : i64
    %m = array.sub %n, %one : i64
    %v = array.constant 2.5 : f64
    %u = array.update add %w, %v () : tensor<4xf64>, f64 -> tensor<4xf64> {
      array.yield %m : i64
    }
    %z = func.call @pick(%m, %u) : (i64, tensor<4xf64>) -> tensor<4xf64>
    array.yield %z : tensor<4xf64>
  }
  func.return %y : tensor<4xf64>
}
func.func @f(%x: f64, %n: i64, %w: tensor<4xf64>) -> (f64, f64, tensor<4xf64>) {
  %one = array.constant 1.0 : f64
  %zero = array.constant 0.0 : f64
  %y = func.call @power(%x, %n) : (f64, i64) -> f64
  %d = linear.pull %x, %n, %one, %zero {callee = @power, wrt = [0], results = [0]} : f64, i64, f64, f64 -> f64
  %p = func.call @pick(%n, %w) : (i64, tensor<4xf64>) -> tensor<4xf64>
  func.return %y, %d, %p : f64, f64, tensor<4xf64>
}"""


MATRICES = """
func.func @f(%a: tensor<2x9x9xf64>, %b: tensor<2x9x3xf64>)
    -> (tensor<2x9xi64>, tensor<2x9xf64>, tensor<2x9x9xf64>, tensor<2x9x3xf64>) {
  %f = array.lu factors %a : tensor<2x9x9xf64>
  %p = array.lu pivots %a : tensor<2x9x9xf64> -> tensor<2x9xi64>
  %w = array.eigh values %a : tensor<2x9x9xf64> -> tensor<2x9xf64>
  %q = array.qr orthogonal %a : tensor<2x9x9xf64>
  %x = array.triangular_solve %f, %b {upper} : tensor<2x9x9xf64>, tensor<2x9x3xf64> -> tensor<2x9x3xf64>
  func.return %p, %w, %q, %x : tensor<2x9xi64>, tensor<2x9xf64>, tensor<2x9x9xf64>, tensor<2x9x3xf64>
}"""

TRANSFORMS = """
func.func @f(%x: tensor<3x4xf64>) -> (tensor<3x4xf64>, tensor<3x3x2xf64>) {
  %s = kernel.fft real %x : tensor<3x4xf64> -> tensor<3x3x2xf64>
  %t = kernel.fft forward %s : tensor<3x3x2xf64> -> tensor<3x3x2xf64>
  %u = kernel.fft backward %t : tensor<3x3x2xf64> -> tensor<3x3x2xf64>
  %y = kernel.fft half %u : tensor<3x3x2xf64> -> tensor<3x4xf64>
  func.return %y, %t : tensor<3x4xf64>, tensor<3x3x2xf64>
}"""


P = np.cos(np.arange(18.0 * 20)).reshape(18, 20)

PRODUCT = """
func.func @f(%x: tensor<18x20xf64>) -> tensor<20x20xf64> {
  %d = kernel.dot %x, %x {lhs_batch = [], rhs_batch = [], lhs_contract = [0], rhs_contract = [0],
      parallel = 12, columns = 12} : tensor<18x20xf64>, tensor<18x20xf64> -> tensor<20x20xf64>
  func.return %d : tensor<20x20xf64>
}"""
"""A product whose blocks are computed by tiles: the contracted extent is longer than a vector."""


class Program(NamedTuple):
    """A program, the pipeline that makes planned kernels of it, and arguments."""

    text: str
    pipeline: str
    arguments: tuple[Any, ...]


SCHEDULED = "plan-memory,complete-schedules"

PROGRAMS: tuple[Program, ...] = (
    Program(NESTS, SCHEDULED, (X,)),
    Program(LIBRARY, SCHEDULED, (X,)),
    Program(SCATTERS, SCHEDULED, (V,)),
    Program(REPORTS, SCHEDULED, (V,)),
    Program(CALLBACKS, SCHEDULED, (V,)),
    Program(STRIPS, SCHEDULED, (V, np.float64(2.0))),
    Program(RECURRENCE, SCHEDULED, (V, np.float64(2.0))),
    Program(RECORDS, "plan-memory{keep=true},complete-schedules{keep=true}", (V,)),
    Program(PRODUCT, SCHEDULED, (P,)),
    Program(LOOPS, "compile", (V[6:], V[:6], np.True_)),
    Program(CALLS, "compile", (np.float64(1.3), np.int64(3), V[:4])),
    Program(MATRICES, "compile", (A, A[..., :3])),
    Program(TRANSFORMS, SCHEDULED, (X,)),
)

PLANNED = (*KERNEL_OPS, *LOWERED_CONTROL, *FRAME_OPS, CallOp, FuncOp)
"""The ops whose attributes are changed."""


WORDS = ("add", "set", "and", "max", "argmin", "sum", "nan", "zzz", "{0.__class__} {9}", "{:>3000000000}")

NUMBERS = (-(2**63), -640, -2, -1, 0, 1, 2, 3, 5, 8, 63, 64, 65, 6400000, 2**62, 2**63 - 1)
"""Numbers to replace others by."""

FEW = (-(2**63), -64, -2, -1, 0, 1, 64, 6400000, 2**62)
"""Numbers to replace those of lists by, one at a time."""


_PRODUCT_NUMBERS = {
    "rows": (0, 1, 8, 18, 20, 2**62),
    "columns": (0, 1, 8, 18, 20, 2**62),
    "tile_rows": (1, 2, 5, 18, 32),
    "tile_vectors": (1, 2, 3, 4),
}
"""Numbers to replace those of tiles by: others cannot be stated."""

MOST_ITERATIONS = 10**6

MOST_SECONDS = 60


class Mutant(NamedTuple):
    """A program, which op of it (counted in a walk) gets which attribute; None takes it away."""

    program: int
    op: int
    name: str
    value: Attribute | None


@cache
def planned(program: int) -> ModuleOp:
    """A program as it is before anything is changed."""
    text, pipeline, _ = PROGRAMS[program]
    module = parse_module(text)
    verify_module(module)
    run_passes(module, pipeline_passes(pipeline) if pipeline == "compile" else make_passes(pipeline))
    return module


def mutants(number: int) -> Iterator[Mutant]:
    """Every mutant of a program."""
    for k, op in enumerate(planned(number).walk()):
        if not isinstance(op, PLANNED):
            continue
        for name in (*_property_names(op), *_plan_attributes(op)):
            found = op.properties.get(name, op.attributes.get(name))
            for value in (*replacements(found), *([] if found is None else [None])):
                yield Mutant(number, k, name, value)


def _property_names(op: Operation) -> list[str]:
    if isinstance(op, FuncOp | CallOp) or not isinstance(op, IRDLOperation):
        return []
    return list(op.get_irdl_definition().properties)


def _plan_attributes(op: Operation) -> list[str]:
    match op:
        case FuncOp():
            return [ARENA_ATTRIBUTE, UPDATES_ATTRIBUTE]
        case CallOp():
            return [PLACES_ATTRIBUTE, UPDATES_ATTRIBUTE]
        case _ if isinstance(op, LOWERED_CONTROL):
            return [PLACES_ATTRIBUTE, STRIDES_ATTRIBUTE, CARRIES_ATTRIBUTE]
        case SaveOp():
            return [PLACES_ATTRIBUTE]
        case _:
            return []


def replacements(found: Attribute | None) -> Iterator[Attribute]:
    """The replacements of an attribute: all kinds of values, most of the kind that it has."""
    yield from (FLAG, StringAttr("zzz"), FloatAttr(0.5, f64), ints((0, 1)), ints((7,)), ArrayAttr([FLAG]))
    match found:
        case IntegerAttr():
            number = cast("IntegerAttr[Any]", found).value.data
            yield from (IntegerAttr(n, i64) for n in (*NUMBERS, number - 1, number + 1, 2 * number))
        case DenseArrayBase():
            numbers = values_of(cast("DenseArrayBase[Any]", found))
            yield from _lists(numbers)
        case StringAttr():
            yield from map(StringAttr, (*WORDS, *FAST_PATHS))
        case LoopAttr():
            number, segments = found.data
            yield from (LoopAttr((n, segments)) for n in (0, 1, 2, 2**62))
            yield from (LoopAttr((number, cut)) for cut in _other_cuts(segments))
        case ProductAttr():
            yield from (
                ProductAttr(found.data._replace(**{field: n}))
                for field, numbers in _PRODUCT_NUMBERS.items()
                for n in numbers
            )
            yield ProductAttr(found.data._replace(turned=not found.data.turned))
        case ArrayAttr():
            parts = list(cast("ArrayAttr[Attribute]", found).data)
            yield ArrayAttr([])
            yield ArrayAttr(parts + parts)
            yield ArrayAttr([StringAttr(word) for word in WORDS[: len(parts)]])
            for k, part in enumerate(parts):
                for other in replacements(part):
                    yield ArrayAttr([*parts[:k], other, *parts[k + 1 :]])
        case _:
            yield from (IntegerAttr(n, i64) for n in (-1, 0, 1, 2**62))


def _other_cuts(segments: Sequence[Segment]) -> Iterator[tuple[Segment, ...]]:
    """Segments with one taken away, doubled or changed."""
    yield ()
    for k, segment in enumerate(segments):
        before, after = tuple(segments[:k]), tuple(segments[k + 1 :])
        yield (*before, *after)
        yield (*before, segment, segment, *after)
        for name, number in segment._asdict().items():
            others = [not number] if isinstance(number, bool) else [*FEW, 3, 4, 8, number - 1, number + 1]
            for other in others:
                yield (*before, segment._replace(**{name: other}), *after)


def _lists(numbers: Sequence[int]) -> Iterator[Attribute]:
    yield ints(())
    yield ints((*numbers, 0))
    yield ints(tuple(numbers)[::-1])
    yield ints(tuple(numbers)[1:])
    for k in range(len(numbers)):
        for n in (*FEW, numbers[k] + 1, numbers[k] - 1, numbers[k] + 64):
            yield ints((*numbers[:k], n, *numbers[k + 1 :]))


def never_ends(mutant: Mutant) -> bool:
    """Return whether a mutant may be sound and take hours: a very long loop."""
    match mutant.value:
        case IntegerAttr() if mutant.name in ("length", "extent", "block"):
            return cast("IntegerAttr[Any]", mutant.value).value.data > MOST_ITERATIONS
        case DenseArrayBase() if mutant.name in ("space", "reduction"):
            extents = values_of(cast("DenseArrayBase[Any]", mutant.value))
            return MOST_ITERATIONS < prod(extents) <= MAX_POINTS
        case _:
            return False


def outcome(mutant: Mutant) -> str:
    """The outcome of a mutant: `refused`, `same`, or what is wrong."""
    program = PROGRAMS[mutant.program]
    module = planned(mutant.program).clone()
    op = list(module.walk())[mutant.op]
    into = op.attributes if mutant.name.startswith("kernel.") else op.properties
    into.pop(mutant.name, None)
    if mutant.value is not None:
        into[mutant.name] = mutant.value
    try:
        verify_module(module)
    except MliradError:
        return "refused"
    try:
        expected: Sequence[Any] | None = run_function(module.clone(), program.arguments, function="f")
    except MliradError:
        expected = None
    function = next(f for f in module.body.ops if isinstance(f, FuncOp) and f.sym_name.data == "f")
    try:
        native = native_program(module, function, checked=True)
        found = NativeFunction(native, debug=True)(*program.arguments)
    except CompileError as error:
        told = "touch" in error.message or "memory" in error.message or "writes to constant" in error.message
        return "refused" if told or error.location is not None else f"CompileError: {error.message}"
    except MliradError:
        return "refused"
    if expected is None:
        # Compiled code does not make a load whose value is not wanted, as where a guard does not hold.
        return "refused by the interpreter"
    same = all(np.allclose(a, b, equal_nan=True) for a, b in zip(found, expected, strict=True))
    return "same" if same else "another result"


def main() -> None:
    """Print what becomes of mutants number start, start + step, ..., once around or for some seconds."""
    start, step, seconds = int(sys.argv[1]), int(sys.argv[2]), float((*sys.argv, 0)[3])
    every = [m for k in range(len(PROGRAMS)) for m in mutants(k) if not never_ends(m)]
    end = time.monotonic() + seconds
    for number in count(start, step):
        if time.monotonic() >= end if seconds else number >= len(every):
            break
        mutant = every[number % len(every)]
        _say(f"{number} {mutant} -> ")
        # A mutant that does not end ends the process.
        signal.alarm(MOST_SECONDS)
        try:
            _say(f"{outcome(mutant)}\n")
        except Exception as error:
            _say(f"{type(error).__name__}: {error}\n")


def _say(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


if __name__ == "__main__":
    main()
