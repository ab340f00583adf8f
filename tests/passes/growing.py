"""Programs in which closures and sums hold values of their own kind, with what they compute by NumPy alone.

    COMPOSED.module(n)                  @main(x: f64, w: tensor<nxf64>) -> f64
    COMPOSED.expected(x, w)             the same by functions of Python

Each makes n closures, cells of a list or nodes of a tree, one within the other, and uses the last.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from mlirad.ir.parsing import parse_module
from mlirad.ir.verification import verify_module

C = "!function.closure<(f64) -> f64>"

SCALED = """%f = function.lambda (%z: f64) : -> CLOSURE {
    %a = array.mul %z, %x : f64
    array.yield %a : f64
  }"""
"""The closure that most programs begin with."""

Function = Callable[[Any], Any]


@dataclass(frozen=True)
class Growing:
    """A program of any size, and what it computes."""

    name: str
    text: str
    expected: Callable[[Any, Any], Any]

    def module(self, n: int) -> ModuleOp:
        """The program for n closures."""
        words = {
            "SCALED": SCALED,
            "CLOSURE": C,
            "BINARY": "!function.closure<(f64, f64) -> f64>",
            "VECTOR": f"tensor<{n}xf64>",
            "ITERATIONS": f"{{carries = 1, length = {n}}}",
            "COUNT": str(n),
            "CELL": "!function.sum<f64, tuple<f64, !function.inductive<list>>>",
            "LIST": "!function.inductive<list>",
            "NODE": "!function.sum<i64, tuple<f64, !function.inductive<tree>, !function.inductive<tree>>>",
            "TREE": "!function.inductive<tree>",
        }
        text = self.text
        for word, meaning in words.items():
            text = text.replace(word, meaning)
        module = parse_module(text)
        verify_module(module)
        return module


def _composed(x: Any, w: Any) -> Any:
    def wrapped(f: Function, e: Any) -> Function:
        return lambda z: f(np.sin(z) * e)

    f: Function = lambda z: z * x  # noqa: E731
    for e in w:
        f = wrapped(f, e)
    return f(1.0)


COMPOSED = Growing(
    "composed in a loop",
    """
func.func @main(%x: f64, %w: VECTOR) -> f64 {
  SCALED
  %g = array.scan %f, %w (%i, %h: CLOSURE, %e: f64) ITERATIONS : CLOSURE, VECTOR -> CLOSURE {
    %k = function.lambda (%z: f64) : -> CLOSURE {
      %a = array.sin %z : f64
      %b = array.mul %a, %e : f64
      %c = function.apply %h, %b : CLOSURE, f64 -> f64
      array.yield %c : f64
    }
    array.yield %k : CLOSURE
  }
  %one = array.constant 1.0 : f64
  %y = function.apply %g, %one : CLOSURE, f64 -> f64
  func.return %y : f64
}""",
    _composed,
)


def _continued(x: Any, w: Any) -> Any:
    def go(i: int, k: Function) -> Any:
        if i == len(w):
            return k(x)
        return go(i + 1, lambda r: k(np.sin(r) * w[i]))

    return go(0, lambda r: r)


CONTINUED = Growing(
    "continuations over an array",
    """
func.func private @go(%i: i64, %x: f64, %w: VECTOR, %k: CLOSURE) -> f64 {
  %one = array.constant 1 : i64
  %n = array.constant COUNT : i64
  %done = array.compare ge %i, %n : i64, i64 -> i1
  %y = array.if %done : i1 -> f64 {
    %r = function.apply %k, %x : CLOSURE, f64 -> f64
    array.yield %r : f64
  } else {
    %j = array.add %i, %one : i64
    %k2 = function.lambda (%r: f64) : -> CLOSURE {
      %a = array.sin %r : f64
      %e = array.index %w[%i] : VECTOR -> f64
      %b = array.mul %a, %e : f64
      %c = function.apply %k, %b : CLOSURE, f64 -> f64
      array.yield %c : f64
    }
    %r = func.call @go(%j, %x, %w, %k2) : (i64, f64, VECTOR, CLOSURE) -> f64
    array.yield %r : f64
  }
  func.return %y : f64
}
func.func @main(%x: f64, %w: VECTOR) -> f64 {
  %zero = array.constant 0 : i64
  %id = function.lambda (%r: f64) : -> CLOSURE {
    array.yield %r : f64
  }
  %y = func.call @go(%zero, %x, %w, %id) : (i64, f64, VECTOR, CLOSURE) -> f64
  func.return %y : f64
}""",
    _continued,
)


def _alternating(x: Any, w: Any) -> Any:
    def even(f: Function, i: int) -> Function:
        return lambda z: f(z * w[i] + w[i])

    def odd(f: Function, i: int) -> Function:
        return lambda z: np.sin(f(z)) * w[i]

    f: Function = lambda z: z * x  # noqa: E731
    for i in range(len(w)):
        f = odd(f, i) if i % 2 else even(f, i)
    return f(1.0)


ALTERNATING = Growing(
    "two codes by turns, one of them with a captured array",
    """
func.func @main(%x: f64, %w: VECTOR) -> f64 {
  SCALED
  %g = array.scan %f, %w (%i, %c: CLOSURE, %e: f64) ITERATIONS : CLOSURE, VECTOR -> CLOSURE {
    %two = array.constant 2 : i64
    %r = array.rem %i, %two : i64
    %h = array.switch %r : i64 -> CLOSURE {
      %d = function.lambda (%z: f64) : -> CLOSURE {
        %m = array.mul %z, %e : f64
        %v = array.index %w[%i] : VECTOR -> f64
        %q = array.add %m, %v : f64
        %o = function.apply %c, %q : CLOSURE, f64 -> f64
        array.yield %o : f64
      }
      array.yield %d : CLOSURE
    } case {
      %d = function.lambda (%z: f64) : -> CLOSURE {
        %m = function.apply %c, %z : CLOSURE, f64 -> f64
        %n = array.sin %m : f64
        %q = array.mul %n, %e : f64
        array.yield %q : f64
      }
      array.yield %d : CLOSURE
    }
    array.yield %h : CLOSURE
  }
  %one = array.constant 1.0 : f64
  %y = function.apply %g, %one : CLOSURE, f64 -> f64
  func.return %y : f64
}""",
    _alternating,
)


def _returned(x: Any, w: Any) -> Any:
    def power(i: int) -> Function:
        if i == 0:
            return lambda z: z
        f = power(i - 1)
        return lambda z: f(np.cos(z) + w[i - 1] * x)

    return power(len(w))(x) + power(len(w) // 2)(1.0)


RETURNED = Growing(
    "returned by recursion, and partial applications among them",
    """
func.func private @shifted(%z: f64, %s: f64, %f: CLOSURE) -> f64 {
  %c = array.cos %z : f64
  %a = array.add %c, %s : f64
  %y = function.apply %f, %a : CLOSURE, f64 -> f64
  func.return %y : f64
}
func.func private @power(%i: i64, %x: f64, %w: VECTOR) -> CLOSURE {
  %zero = array.constant 0 : i64
  %one = array.constant 1 : i64
  %p = array.compare gt %i, %zero : i64, i64 -> i1
  %g = array.if %p : i1 -> CLOSURE {
    %j = array.sub %i, %one : i64
    %f = func.call @power(%j, %x, %w) : (i64, f64, VECTOR) -> CLOSURE
    %e = array.index %w[%j] : VECTOR -> f64
    %s = array.mul %e, %x : f64
    %h = function.partial %s, %f {callee = @shifted} : f64, CLOSURE -> CLOSURE
    array.yield %h : CLOSURE
  } else {
    %h = function.lambda (%z: f64) : -> CLOSURE {
      array.yield %z : f64
    }
    array.yield %h : CLOSURE
  }
  func.return %g : CLOSURE
}
func.func @main(%x: f64, %w: VECTOR) -> f64 {
  %n = array.constant COUNT : i64
  %two = array.constant 2 : i64
  %m = array.floor_div %n, %two : i64
  %one = array.constant 1.0 : f64
  %f = func.call @power(%n, %x, %w) : (i64, f64, VECTOR) -> CLOSURE
  %g = func.call @power(%m, %x, %w) : (i64, f64, VECTOR) -> CLOSURE
  %a = function.apply %f, %x : CLOSURE, f64 -> f64
  %b = function.apply %g, %one : CLOSURE, f64 -> f64
  %y = array.add %a, %b : f64
  func.return %y : f64
}""",
    _returned,
)


def _many_times(x: Any, w: Any) -> Any:
    return sum(_composed(x * e, w[:3]) for e in w)


MANY_TIMES = Growing(
    "a loop of loops that compose, whose iterations leave no closure",
    """
func.func private @composed(%x: f64, %w: VECTOR) -> f64 {
  SCALED
  %g = array.scan %f (%i, %h: CLOSURE) {carries = 1, length = 3} : CLOSURE -> CLOSURE {
    %k = function.lambda (%z: f64) : -> CLOSURE {
      %e = array.index %w[%i] : VECTOR -> f64
      %a = array.sin %z : f64
      %b = array.mul %a, %e : f64
      %c = function.apply %h, %b : CLOSURE, f64 -> f64
      array.yield %c : f64
    }
    array.yield %k : CLOSURE
  }
  %one = array.constant 1.0 : f64
  %y = function.apply %g, %one : CLOSURE, f64 -> f64
  func.return %y : f64
}
func.func @main(%x: f64, %w: VECTOR) -> f64 {
  %zero = array.constant 0.0 : f64
  %s = array.scan %zero, %w (%i, %t: f64, %e: f64) ITERATIONS : f64, VECTOR -> f64 {
    %a = array.mul %x, %e : f64
    %b = func.call @composed(%a, %w) : (f64, VECTOR) -> f64
    %c = array.add %t, %b : f64
    array.yield %c : f64
  }
  func.return %s : f64
}""",
    _many_times,
)


def _in_a_build(x: Any, w: Any) -> Any:
    return sum(_composed(x, w * e) for e in w)


IN_A_BUILD = Growing(
    "applied at every position of a build",
    """
func.func @main(%x: f64, %w: VECTOR) -> f64 {
  %f = function.lambda (%z: f64, %e: f64) : -> BINARY {
    %a = array.mul %z, %x : f64
    array.yield %a : f64
  }
  %g = array.scan %f, %w (%i, %h: BINARY, %u: f64) ITERATIONS : BINARY, VECTOR -> BINARY {
    %k = function.lambda (%z: f64, %e: f64) : -> BINARY {
      %a = array.sin %z : f64
      %b = array.mul %a, %u : f64
      %d = array.mul %b, %e : f64
      %c = function.apply %h, %d, %e : BINARY, f64, f64 -> f64
      array.yield %c : f64
    }
    array.yield %k : BINARY
  }
  %one = array.constant 1.0 : f64
  %ys = array.build (%i) : -> VECTOR {
    %e = array.index %w[%i] : VECTOR -> f64
    %y = function.apply %g, %one, %e : BINARY, f64, f64 -> f64
    array.yield %y : f64
  }
  %s = array.sum %ys {dims = [0]} : VECTOR -> f64
  func.return %s : f64
}""",
    _in_a_build,
)


def _folded(x: Any, w: Any) -> Any:
    total = x
    for e in w:
        total = np.sin(total) * e
    return total


FOLDED = Growing(
    "a list from a loop, folded by recursion",
    """
func.func private @fold(%l: LIST) -> f64 {
  %c = function.unroll %l : LIST -> CELL
  %y = function.case %c (%e: f64) : CELL -> f64 {
    array.yield %e : f64
  } case (%p: tuple<f64, LIST>) {
    %e = function.get %p {index = 0} : tuple<f64, LIST> -> f64
    %t = function.get %p {index = 1} : tuple<f64, LIST> -> LIST
    %r = func.call @fold(%t) : (LIST) -> f64
    %s = array.sin %r : f64
    %y = array.mul %s, %e : f64
    array.yield %y : f64
  }
  func.return %y : f64
}
func.func @main(%x: f64, %w: VECTOR) -> f64 {
  %c = function.inject %x {index = 0} : f64 -> CELL
  %l = function.roll %c : CELL -> LIST
  %m = array.scan %l, %w (%i, %k: LIST, %e: f64) ITERATIONS : LIST, VECTOR -> LIST {
    %p = function.tuple %e, %k : f64, LIST -> tuple<f64, LIST>
    %d = function.inject %p {index = 1} : tuple<f64, LIST> -> CELL
    %h = function.roll %d : CELL -> LIST
    array.yield %h : LIST
  }
  %y = func.call @fold(%m) : (LIST) -> f64
  func.return %y : f64
}""",
    _folded,
)


def _of_a_tree(x: Any, w: Any) -> Any:
    n = len(w)

    def fold(low: int, high: int, scale: Any) -> Any:
        if high <= low:
            return 1.0
        middle = (low + high) // 2
        left, right = fold(low, middle, scale * x), fold(middle + 1, high, scale * x)
        return np.sin(w[middle] * scale) + left * right

    return fold(0, n, x)


OF_A_TREE = Growing(
    "a tree built and folded by recursion",
    """
func.func private @grow(%low: i64, %high: i64, %scale: f64, %x: f64, %w: VECTOR) -> TREE {
  %none = array.compare le %high, %low : i64, i64 -> i1
  %t = array.if %none : i1 -> TREE {
    %s = function.inject %low {index = 0} : i64 -> NODE
    %t = function.roll %s : NODE -> TREE
    array.yield %t : TREE
  } else {
    %one = array.constant 1 : i64
    %two = array.constant 2 : i64
    %sum = array.add %low, %high : i64
    %middle = array.floor_div %sum, %two : i64
    %next = array.add %middle, %one : i64
    %e = array.index %w[%middle] : VECTOR -> f64
    %v = array.mul %e, %scale : f64
    %deeper = array.mul %scale, %x : f64
    %l = func.call @grow(%low, %middle, %deeper, %x, %w) : (i64, i64, f64, f64, VECTOR) -> TREE
    %r = func.call @grow(%next, %high, %deeper, %x, %w) : (i64, i64, f64, f64, VECTOR) -> TREE
    %p = function.tuple %v, %l, %r : f64, TREE, TREE -> tuple<f64, TREE, TREE>
    %s = function.inject %p {index = 1} : tuple<f64, TREE, TREE> -> NODE
    %t = function.roll %s : NODE -> TREE
    array.yield %t : TREE
  }
  func.return %t : TREE
}
func.func private @fold(%t: TREE) -> f64 {
  %n = function.unroll %t : TREE -> NODE
  %y = function.case %n (%e: i64) : NODE -> f64 {
    %one = array.constant 1.0 : f64
    array.yield %one : f64
  } case (%p: tuple<f64, TREE, TREE>) {
    %v = function.get %p {index = 0} : tuple<f64, TREE, TREE> -> f64
    %l = function.get %p {index = 1} : tuple<f64, TREE, TREE> -> TREE
    %r = function.get %p {index = 2} : tuple<f64, TREE, TREE> -> TREE
    %a = func.call @fold(%l) : (TREE) -> f64
    %b = func.call @fold(%r) : (TREE) -> f64
    %s = array.sin %v : f64
    %m = array.mul %a, %b : f64
    %y = array.add %s, %m : f64
    array.yield %y : f64
  }
  func.return %y : f64
}
func.func @main(%x: f64, %w: VECTOR) -> f64 {
  %zero = array.constant 0 : i64
  %n = array.constant COUNT : i64
  %t = func.call @grow(%zero, %n, %x, %x, %w) : (i64, i64, f64, f64, VECTOR) -> TREE
  %y = func.call @fold(%t) : (TREE) -> f64
  func.return %y : f64
}""",
    _of_a_tree,
)

PROGRAMS = (COMPOSED, CONTINUED, ALTERNATING, RETURNED, FOLDED, OF_A_TREE, MANY_TIMES, IN_A_BUILD)
"""All of them."""

LINEAR = PROGRAMS[:-1]
"""Those that apply or fold a number of values in proportion to n."""
