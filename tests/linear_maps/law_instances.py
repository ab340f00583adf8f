"""An instance of every law: a map `%m` that the law rewrites, over captured values.

`⟨S⊸T⟩` stands for `!linear.map<S, T>`, `v3` for `tensor<3xf64>`, `m23` for `tensor<2x3xf64>` and so on.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from xdsl.dialects.builtin import ModuleOp

from mlirad.ir.parsing import parse_module


class Instance(NamedTuple):
    """The captured values, the space the map starts from, the one it ends in, and the ops that make it."""

    captured: str
    domain: str
    codomain: str
    body: str


def instance(captured: str, space: str, body: str) -> Instance:
    """An instance, its spaces as `S⊸T`."""
    domain, codomain = space.split("⊸")
    return Instance(captured, domain, codomain, body)


def mlir(text: str) -> str:
    """The text with abbreviations written out."""
    text = re.sub(r"⟨(.*?)⊸(.*?)⟩", r"!linear.map<\1, \2>", text)
    text = re.sub(r"(?<!%)\bP\b", "!linear.power<i64, f64>", text)
    text = re.sub(r"(?<!%)\bC\b", "!linear.copower<i64, f64>", text)
    text = re.sub(r"\bm(\d)(\d)\b", r"tensor<\1x\2xf64>", text)
    return re.sub(r"(?<!%)\bv(\d)\b", r"tensor<\1xf64>", text)


def module_of(given: Instance) -> ModuleOp:
    """The map applied, and applied transposed, to the last parameter of a function each."""
    s, t = given.domain, given.codomain
    comma = ", " if given.captured else ""
    functions = [
        f"""func.func @{apply}({given.captured}{comma}%x: {x}) -> {y} {{{given.body}
  %y = linear.{apply} %m, %x : ⟨{s}⊸{t}⟩, {x} -> {y}
  func.return %y : {y}
}}
"""
        for apply, x, y in (("apply", s, t), ("apply_transpose", t, s))
    ]
    return parse_module(mlir("".join(functions)))


_SCALES = """
  %s = linear.scale %a : v3 -> ⟨v3⊸v3⟩
  %r = linear.sum {dims = [0]} : -> ⟨v3⊸f64⟩"""

_READ = """
    %j = array.index %k[%i] : tensor<3xi64> -> i64
    %e = linear.index [%j] : -> ⟨v5⊸f64⟩"""

INSTANCES: dict[str, Instance] = {
    "transpose of a composition": instance(
        "%a: v3",
        "f64⊸v3",
        _SCALES
        + """
  %n = linear.compose %r, %s : ⟨v3⊸f64⟩, ⟨v3⊸v3⟩ -> ⟨v3⊸f64⟩
  %m = linear.transpose %n : ⟨v3⊸f64⟩ -> ⟨f64⊸v3⟩""",
    ),
    "transpose of a sum": instance(
        "%a: v3",
        "v3⊸v3",
        """
  %s = linear.scale %a : v3 -> ⟨v3⊸v3⟩
  %r = linear.cumulative_sum {dim = 0} : -> ⟨v3⊸v3⟩
  %n = linear.add %s, %r : ⟨v3⊸v3⟩
  %m = linear.transpose %n : ⟨v3⊸v3⟩ -> ⟨v3⊸v3⟩""",
    ),
    "transpose of pairs and joins": instance(
        "%a: v3",
        "v3⊸f64",
        _SCALES
        + """
  %q = linear.transpose %r : ⟨v3⊸f64⟩ -> ⟨f64⊸v3⟩
  %v = linear.vcat %s, %r : ⟨v3⊸v3⟩, ⟨v3⊸f64⟩ -> ⟨v3⊸tuple<v3, f64>⟩
  %t = linear.transpose %v : ⟨v3⊸tuple<v3, f64>⟩ -> ⟨tuple<v3, f64>⊸v3⟩
  %i = linear.inject {index = 1} : -> ⟨f64⊸tuple<v3, f64>⟩
  %n = linear.compose %t, %i : ⟨tuple<v3, f64>⊸v3⟩, ⟨f64⊸tuple<v3, f64>⟩ -> ⟨f64⊸v3⟩
  %m = linear.transpose %n : ⟨f64⊸v3⟩ -> ⟨v3⊸f64⟩""",
    ),
    "transpose of a primitive map": instance(
        "",
        "v2⊸v6",
        """
  %n = linear.slice {starts = [1], limits = [4], strides = [2]} : -> ⟨v6⊸v2⟩
  %m = linear.transpose %n : ⟨v6⊸v2⟩ -> ⟨v2⊸v6⟩""",
    ),
    "transpose of a rule": instance(
        "%a: v3",
        "v3⊸v3",
        """
  %r = linear.rule (%dx: v3) : -> ⟨tuple<v3>⊸tuple<v3>⟩ {
    %image = array.mul %a, %dx : v3
    array.yield %image : v3
  } transposed (%ct: v3) {
    %back = array.mul %ct, %a : v3
    array.yield %back : v3
  }
  %t = linear.transpose %r : ⟨tuple<v3>⊸tuple<v3>⟩ -> ⟨tuple<v3>⊸tuple<v3>⟩
  %i = linear.inject {index = 0} : -> ⟨v3⊸tuple<v3>⟩
  %p = linear.project {index = 0} : -> ⟨tuple<v3>⊸v3⟩
  %n = linear.compose %t, %i : ⟨tuple<v3>⊸tuple<v3>⟩, ⟨v3⊸tuple<v3>⟩ -> ⟨v3⊸tuple<v3>⟩
  %m = linear.compose %p, %n : ⟨tuple<v3>⊸v3⟩, ⟨v3⊸tuple<v3>⟩ -> ⟨v3⊸v3⟩""",
    ),
    "transpose under regions": instance(
        "%a: v3, %p: i1",
        "v3⊸f64",
        """
  %n = linear.build (%i) {extents = [3]} : -> ⟨f64⊸v3⟩ {
    %c = array.index %a[%i] : v3 -> f64
    %s = linear.scale %c : f64 -> ⟨f64⊸f64⟩
    %r = linear.reshape : -> ⟨f64⊸f64⟩
    %t = linear.compose %r, %s : ⟨f64⊸f64⟩, ⟨f64⊸f64⟩ -> ⟨f64⊸f64⟩
    array.yield %t : ⟨f64⊸f64⟩
  }
  %m = linear.transpose %n : ⟨f64⊸v3⟩ -> ⟨v3⊸f64⟩""",
    ),
    "function of evaluations": instance(
        "%k: i64, %a: v5",
        "v5⊸f64",
        """
  %f = linear.function (%i) : -> ⟨v5⊸P⟩ {
    %e = linear.index [%i] : -> ⟨v5⊸f64⟩
    array.yield %e : ⟨v5⊸f64⟩
  }
  %g = linear.function (%i) : -> ⟨P⊸P⟩ {
    %e = linear.evaluate %i : i64 -> ⟨P⊸f64⟩
    array.yield %e : ⟨P⊸f64⟩
  }
  %e = linear.evaluate %k : i64 -> ⟨P⊸f64⟩
  %h = linear.compose %g, %f : ⟨P⊸P⟩, ⟨v5⊸P⟩ -> ⟨v5⊸P⟩
  %m = linear.compose %e, %h : ⟨P⊸f64⟩, ⟨v5⊸P⟩ -> ⟨v5⊸f64⟩""",
    ),
    "functions and zero": instance(
        "%k: i64",
        "f64⊸f64",
        """
  %f = linear.function (%i) : -> ⟨f64⊸P⟩ {
    %z = linear.zero : -> ⟨f64⊸f64⟩
    array.yield %z : ⟨f64⊸f64⟩
  }
  %e = linear.evaluate %k : i64 -> ⟨P⊸f64⟩
  %m = linear.compose %e, %f : ⟨P⊸f64⟩, ⟨f64⊸P⟩ -> ⟨f64⊸f64⟩""",
    ),
    "zero at every position": instance(
        "",
        "f64⊸v3",
        """
  %m = linear.build (%i) {extents = [3]} : -> ⟨f64⊸v3⟩ {
    %z = linear.zero : -> ⟨f64⊸f64⟩
    array.yield %z : ⟨f64⊸f64⟩
  }""",
    ),
    "the same map at every position": instance(
        "%a: v3",
        "v3⊸m23",
        """
  %s = linear.scale %a : v3 -> ⟨v3⊸v3⟩
  %m = linear.build (%i) {extents = [2]} : -> ⟨v3⊸m23⟩ {
    array.yield %s : ⟨v3⊸v3⟩
  }""",
    ),
    "the sum of one map": instance(
        "%a: v3",
        "m23⊸v3",
        """
  %s = linear.scale %a : v3 -> ⟨v3⊸v3⟩
  %m = linear.build_transpose (%i) {extents = [2]} : -> ⟨m23⊸v3⟩ {
    array.yield %s : ⟨v3⊸v3⟩
  }""",
    ),
    "build after a map": instance(
        "%a: v5, %k: tensor<3xi64>",
        "v5⊸v3",
        """
  %s = linear.scale %a : v5 -> ⟨v5⊸v5⟩
  %m = linear.build (%i) {extents = [3]} : -> ⟨v5⊸v3⟩ {"""
        + _READ
        + """
    %c = linear.compose %e, %s : ⟨v5⊸f64⟩, ⟨v5⊸v5⟩ -> ⟨v5⊸f64⟩
    array.yield %c : ⟨v5⊸f64⟩
  }""",
    ),
    "map after a sum": instance(
        "%a: v5, %k: tensor<3xi64>",
        "v3⊸v5",
        """
  %s = linear.scale %a : v5 -> ⟨v5⊸v5⟩
  %m = linear.build_transpose (%i) {extents = [3]} : -> ⟨v3⊸v5⟩ {
    %j = array.index %k[%i] : tensor<3xi64> -> i64
    %e = linear.one_hot [%j] : -> ⟨f64⊸v5⟩
    %c = linear.compose %s, %e : ⟨v5⊸v5⟩, ⟨f64⊸v5⟩ -> ⟨f64⊸v5⟩
    array.yield %c : ⟨f64⊸v5⟩
  }""",
    ),
    "build of reads": instance(
        "%k: tensor<3xi64>",
        "v5⊸v3",
        """
  %m = linear.build (%i) {extents = [3]} : -> ⟨v5⊸v3⟩ {"""
        + _READ
        + """
    array.yield %e : ⟨v5⊸f64⟩
  }""",
    ),
    "sum of one-hots": instance(
        "%k: tensor<3xi64>",
        "v3⊸v5",
        """
  %m = linear.build_transpose (%i) {extents = [3]} : -> ⟨v3⊸v5⟩ {
    %j = array.index %k[%i] : tensor<3xi64> -> i64
    %e = linear.one_hot [%j] : -> ⟨f64⊸v5⟩
    array.yield %e : ⟨f64⊸v5⟩
  }""",
    ),
    "one position of a build": instance(
        "%e: i64",
        "v2⊸tensor<3x2xf64>",
        """
  %m = linear.build (%i) {extents = [3]} : -> ⟨v2⊸tensor<3x2xf64>⟩ {
    %p = array.compare eq %i, %e : i64, i64 -> i1
    %c = linear.mask %p : i1 -> ⟨v2⊸v2⟩
    array.yield %c : ⟨v2⊸v2⟩
  }""",
    ),
    "one position of a sum": instance(
        "%e: i64",
        "v3⊸f64",
        """
  %m = linear.build_transpose (%i) {extents = [3]} : -> ⟨v3⊸f64⟩ {
    %p = array.compare eq %e, %i : i64, i64 -> i1
    %c = linear.mask %p : i1 -> ⟨f64⊸f64⟩
    array.yield %c : ⟨f64⊸f64⟩
  }""",
    ),
    "build of scales": instance(
        "%a: v3, %k: tensor<3xi64>",
        "v5⊸v3",
        """
  %m = linear.build (%i) {extents = [3]} : -> ⟨v5⊸v3⟩ {"""
        + _READ
        + """
    %b = array.index %a[%i] : v3 -> f64
    %s = linear.scale %b : f64 -> ⟨f64⊸f64⟩
    %c = linear.compose %s, %e : ⟨f64⊸f64⟩, ⟨v5⊸f64⟩ -> ⟨v5⊸f64⟩
    array.yield %c : ⟨v5⊸f64⟩
  }""",
    ),
    "sum of scales at positions": instance(
        "%a: v3, %k: tensor<3xi64>",
        "v3⊸v5",
        """
  %m = linear.build_transpose (%i) {extents = [3]} : -> ⟨v3⊸v5⟩ {
    %j = array.index %k[%i] : tensor<3xi64> -> i64
    %e = linear.one_hot [%j] : -> ⟨f64⊸v5⟩
    %b = array.index %a[%i] : v3 -> f64
    %s = linear.scale %b : f64 -> ⟨f64⊸f64⟩
    %c = linear.compose %e, %s : ⟨f64⊸v5⟩, ⟨f64⊸f64⟩ -> ⟨f64⊸v5⟩
    array.yield %c : ⟨f64⊸v5⟩
  }""",
    ),
    "build of pairs": instance(
        "%k: tensor<3xi64>",
        "v5⊸m23",
        """
  %n = linear.build (%i) {extents = [3]} : -> ⟨v5⊸tuple<v3, v3>⟩ {"""
        + _READ
        + """
    %h = linear.index [%i] : -> ⟨v5⊸f64⟩
    %c = linear.vcat %e, %h : ⟨v5⊸f64⟩, ⟨v5⊸f64⟩ -> ⟨v5⊸tuple<f64, f64>⟩
    array.yield %c : ⟨v5⊸tuple<f64, f64>⟩
  }
  %s = linear.stack {dim = 0} : -> ⟨tuple<v3, v3>⊸m23⟩
  %m = linear.compose %s, %n : ⟨tuple<v3, v3>⊸m23⟩, ⟨v5⊸tuple<v3, v3>⟩ -> ⟨v5⊸m23⟩""",
    ),
    "sum of joins": instance(
        "%k: tensor<3xi64>",
        "m23⊸v5",
        """
  %n = linear.build_transpose (%i) {extents = [3]} : -> ⟨tuple<v3, v3>⊸v5⟩ {
    %j = array.index %k[%i] : tensor<3xi64> -> i64
    %e = linear.one_hot [%j] : -> ⟨f64⊸v5⟩
    %h = linear.one_hot [%i] : -> ⟨f64⊸v5⟩
    %c = linear.hcat %e, %h : ⟨f64⊸v5⟩, ⟨f64⊸v5⟩ -> ⟨tuple<f64, f64>⊸v5⟩
    array.yield %c : ⟨tuple<f64, f64>⊸v5⟩
  }
  %s = linear.unstack {dim = 0} : -> ⟨m23⊸tuple<v3, v3>⟩
  %m = linear.compose %n, %s : ⟨tuple<v3, v3>⊸v5⟩, ⟨m23⊸tuple<v3, v3>⟩ -> ⟨m23⊸v5⟩""",
    ),
    "build of sums": instance(
        "%k: tensor<3xi64>",
        "v5⊸v3",
        """
  %m = linear.build (%i) {extents = [3]} : -> ⟨v5⊸v3⟩ {"""
        + _READ
        + """
    %h = linear.index [%i] : -> ⟨v5⊸f64⟩
    %c = linear.add %e, %h : ⟨v5⊸f64⟩
    array.yield %c : ⟨v5⊸f64⟩
  }""",
    ),
    "sum of scaled maps": instance(
        "%b: v3",
        "v3⊸v3",
        """
  %d = linear.cumulative_sum {dim = 0} : -> ⟨v3⊸v3⟩
  %s = linear.scale %b : v3 -> ⟨v3⊸v3⟩
  %f = linear.compose %s, %d : ⟨v3⊸v3⟩, ⟨v3⊸v3⟩ -> ⟨v3⊸v3⟩
  %m = linear.add %d, %f : ⟨v3⊸v3⟩""",
    ),
    "common outer map": instance(
        "%a: v3",
        "v3⊸v3",
        """
  %d = linear.cumulative_sum {dim = 0} : -> ⟨v3⊸v3⟩
  %s = linear.scale %a : v3 -> ⟨v3⊸v3⟩
  %r = linear.reverse {dims = [0]} : -> ⟨v3⊸v3⟩
  %f = linear.compose %d, %s : ⟨v3⊸v3⟩, ⟨v3⊸v3⟩ -> ⟨v3⊸v3⟩
  %g = linear.compose %d, %r : ⟨v3⊸v3⟩, ⟨v3⊸v3⟩ -> ⟨v3⊸v3⟩
  %m = linear.add %f, %g : ⟨v3⊸v3⟩""",
    ),
    "known branch": instance(
        "%a: v3",
        "v3⊸f64",
        _SCALES
        + """
  %p = array.constant 1 : i1
  %v = linear.unstack {dim = 0} : -> ⟨v3⊸tuple<f64, f64, f64>⟩
  %n = linear.if %p : i1 -> ⟨tuple<f64, f64, f64>⊸tuple<f64>⟩ {
    %q = linear.project {index = 1} : -> ⟨tuple<f64, f64, f64>⊸f64⟩
    %t = linear.vcat %q : ⟨tuple<f64, f64, f64>⊸f64⟩ -> ⟨tuple<f64, f64, f64>⊸tuple<f64>⟩
    array.yield %t : ⟨tuple<f64, f64, f64>⊸tuple<f64>⟩
  } else {
    %q = linear.project {index = 0} : -> ⟨tuple<f64, f64, f64>⊸f64⟩
    %t = linear.vcat %q : ⟨tuple<f64, f64, f64>⊸f64⟩ -> ⟨tuple<f64, f64, f64>⊸tuple<f64>⟩
    array.yield %t : ⟨tuple<f64, f64, f64>⊸tuple<f64>⟩
  }
  %o = linear.project {index = 0} : -> ⟨tuple<f64>⊸f64⟩
  %w = linear.compose %n, %v : ⟨tuple<f64, f64, f64>⊸tuple<f64>⟩, ⟨v3⊸tuple<f64, f64, f64>⟩ -> ⟨v3⊸tuple<f64>⟩
  %m = linear.compose %o, %w : ⟨tuple<f64>⊸f64⟩, ⟨v3⊸tuple<f64>⟩ -> ⟨v3⊸f64⟩""",
    ),
    "same branches": instance(
        "%a: v2, %p: i1",
        "v2⊸f64",
        """
  %v = linear.unstack {dim = 0} : -> ⟨v2⊸tuple<f64, f64>⟩
  %o = linear.project {index = 1} : -> ⟨tuple<f64, f64>⊸f64⟩
  %t = linear.vcat %o : ⟨tuple<f64, f64>⊸f64⟩ -> ⟨tuple<f64, f64>⊸tuple<f64>⟩
  %n = linear.if %p : i1 -> ⟨tuple<f64, f64>⊸tuple<f64>⟩ {
    array.yield %t : ⟨tuple<f64, f64>⊸tuple<f64>⟩
  } else {
    array.yield %t : ⟨tuple<f64, f64>⊸tuple<f64>⟩
  }
  %q = linear.project {index = 0} : -> ⟨tuple<f64>⊸f64⟩
  %w = linear.compose %n, %v : ⟨tuple<f64, f64>⊸tuple<f64>⟩, ⟨v2⊸tuple<f64, f64>⟩ -> ⟨v2⊸tuple<f64>⟩
  %m = linear.compose %q, %w : ⟨tuple<f64>⊸f64⟩, ⟨v2⊸tuple<f64>⟩ -> ⟨v2⊸f64⟩""",
    ),
}


def _pair(captured: str, outer: str, f: str, middle: str, inner: str, before: str = "") -> Instance:
    """A composition: `f` is the outer op's text and `inner` the inner one's; `middle` is `S⊸M⊸T`."""
    s, m, t = middle.split("⊸")
    return instance(
        captured,
        f"{s}⊸{t}",
        f"""{before}
  %g = {inner} -> ⟨{s}⊸{m}⟩
  %f = {f} -> ⟨{m}⊸{t}⟩
  %m = linear.compose %f, %g : ⟨{m}⊸{t}⟩, ⟨{s}⊸{m}⟩ -> ⟨{s}⊸{t}⟩""",
    )


_FUNCTION = """
  %F = linear.function (%i) : -> ⟨v5⊸P⟩ {
    %c = array.index %a[%i] : v5 -> f64
    %s = linear.scale %c : f64 -> ⟨f64⊸f64⟩
    %e = linear.index [%i] : -> ⟨v5⊸f64⟩
    %t = linear.compose %s, %e : ⟨f64⊸f64⟩, ⟨v5⊸f64⟩ -> ⟨v5⊸f64⟩
    array.yield %t : ⟨v5⊸f64⟩
  }"""

_ELIMINATE = """
  %E = linear.eliminate (%i) : -> ⟨C⊸v5⟩ {
    %c = array.index %a[%i] : v5 -> f64
    %s = linear.scale %c : f64 -> ⟨f64⊸f64⟩
    %e = linear.one_hot [%i] : -> ⟨f64⊸v5⟩
    %t = linear.compose %e, %s : ⟨f64⊸v5⟩, ⟨f64⊸f64⟩ -> ⟨f64⊸v5⟩
    array.yield %t : ⟨f64⊸v5⟩
  }"""

PAIRS: dict[str, Instance] = {
    "evaluation of a function": instance(
        "%a: v5, %k: i64",
        "v5⊸f64",
        _FUNCTION
        + """
  %v = linear.evaluate %k : i64 -> ⟨P⊸f64⟩
  %m = linear.compose %v, %F : ⟨P⊸f64⟩, ⟨v5⊸P⟩ -> ⟨v5⊸f64⟩""",
    ),
    "elimination of a pair": instance(
        "%a: v5, %k: i64",
        "f64⊸v5",
        _ELIMINATE
        + """
  %v = linear.single %k : i64 -> ⟨f64⊸C⟩
  %m = linear.compose %E, %v : ⟨C⊸v5⟩, ⟨f64⊸C⟩ -> ⟨f64⊸v5⟩""",
    ),
    "elimination of a sum": instance(
        "%a: v5, %k: i64, %l: i64",
        "f64⊸v5",
        _ELIMINATE
        + """
  %v = linear.single %k : i64 -> ⟨f64⊸C⟩
  %w = linear.single %l : i64 -> ⟨f64⊸C⟩
  %u = linear.add %v, %w : ⟨f64⊸C⟩
  %m = linear.compose %E, %u : ⟨C⊸v5⟩, ⟨f64⊸C⟩ -> ⟨f64⊸v5⟩""",
    ),
    "evaluation of a sum": instance(
        "%a: v5, %k: i64",
        "v5⊸f64",
        _FUNCTION
        + """
  %G = linear.function (%i) : -> ⟨v5⊸P⟩ {
    %e = linear.index [%i] : -> ⟨v5⊸f64⟩
    array.yield %e : ⟨v5⊸f64⟩
  }
  %u = linear.add %F, %G : ⟨v5⊸P⟩
  %v = linear.evaluate %k : i64 -> ⟨P⊸f64⟩
  %m = linear.compose %v, %u : ⟨P⊸f64⟩, ⟨v5⊸P⟩ -> ⟨v5⊸f64⟩""",
    ),
    "elimination at every position": instance(
        "%a: v5, %k: tensor<3xi64>",
        "v3⊸v5",
        _ELIMINATE
        + """
  %u = linear.build_transpose (%i) {extents = [3]} : -> ⟨v3⊸C⟩ {
    %j = array.index %k[%i] : tensor<3xi64> -> i64
    %v = linear.single %j : i64 -> ⟨f64⊸C⟩
    array.yield %v : ⟨f64⊸C⟩
  }
  %m = linear.compose %E, %u : ⟨C⊸v5⟩, ⟨v3⊸C⟩ -> ⟨v3⊸v5⟩""",
    ),
    "functions at every position": instance(
        "%a: v5, %k: tensor<3xi64>",
        "v5⊸v3",
        _FUNCTION
        + """
  %u = linear.build (%i) {extents = [3]} : -> ⟨P⊸v3⟩ {
    %j = array.index %k[%i] : tensor<3xi64> -> i64
    %v = linear.evaluate %j : i64 -> ⟨P⊸f64⟩
    array.yield %v : ⟨P⊸f64⟩
  }
  %m = linear.compose %u, %F : ⟨P⊸v3⟩, ⟨v5⊸P⟩ -> ⟨v5⊸v3⟩""",
    ),
    "map after an elimination": instance(
        "%a: v5, %k: i64",
        "f64⊸f64",
        _ELIMINATE
        + """
  %h = linear.sum {dims = [0]} : -> ⟨v5⊸f64⟩
  %n = linear.compose %h, %E : ⟨v5⊸f64⟩, ⟨C⊸v5⟩ -> ⟨C⊸f64⟩
  %v = linear.single %k : i64 -> ⟨f64⊸C⟩
  %m = linear.compose %n, %v : ⟨C⊸f64⟩, ⟨f64⊸C⟩ -> ⟨f64⊸f64⟩""",
    ),
    "function after a map": instance(
        "%a: v5, %k: i64",
        "f64⊸f64",
        _FUNCTION
        + """
  %h = linear.broadcast {dims = []} : -> ⟨f64⊸v5⟩
  %n = linear.compose %F, %h : ⟨v5⊸P⟩, ⟨f64⊸v5⟩ -> ⟨f64⊸P⟩
  %v = linear.evaluate %k : i64 -> ⟨P⊸f64⟩
  %m = linear.compose %v, %n : ⟨P⊸f64⟩, ⟨f64⊸P⟩ -> ⟨f64⊸f64⟩""",
    ),
    "sum of compositions": instance(
        "%a: v3, %w: tensor<3x4xf64>",
        "f64⊸f64",
        """
  %g = linear.build (%i) {extents = [3]} : -> ⟨f64⊸tensor<3x4xf64>⟩ {
    %r = array.index %w[%i] : tensor<3x4xf64> -> v4
    %b = linear.broadcast {dims = []} : -> ⟨f64⊸v4⟩
    %p = linear.pad {low = [0], high = [0], interior = [0]} : -> ⟨v4⊸v4⟩
    %d = linear.recurrence %r {dim = 0} : v4 -> ⟨v4⊸v4⟩
    %c = linear.compose %d, %b : ⟨v4⊸v4⟩, ⟨f64⊸v4⟩ -> ⟨f64⊸v4⟩
    array.yield %c : ⟨f64⊸v4⟩
  }
  %f = linear.build_transpose (%i) {extents = [3]} : -> ⟨tensor<3x4xf64>⊸f64⟩ {
    %e = linear.index [%i] : -> ⟨v4⊸f64⟩
    array.yield %e : ⟨v4⊸f64⟩
  }
  %m = linear.compose %f, %g : ⟨tensor<3x4xf64>⊸f64⟩, ⟨f64⊸tensor<3x4xf64>⟩ -> ⟨f64⊸f64⟩""",
    ),
    "join of a pair": instance(
        "%a: v3",
        "v3⊸v3",
        """
  %s = linear.scale %a : v3 -> ⟨v3⊸v3⟩
  %r = linear.reverse {dims = [0]} : -> ⟨v3⊸v3⟩
  %u = linear.cumulative_sum {dim = 0} : -> ⟨v3⊸v3⟩
  %g = linear.vcat %s, %r : ⟨v3⊸v3⟩, ⟨v3⊸v3⟩ -> ⟨v3⊸tuple<v3, v3>⟩
  %f = linear.hcat %u, %s : ⟨v3⊸v3⟩, ⟨v3⊸v3⟩ -> ⟨tuple<v3, v3>⊸v3⟩
  %m = linear.compose %f, %g : ⟨tuple<v3, v3>⊸v3⟩, ⟨v3⊸tuple<v3, v3>⟩ -> ⟨v3⊸v3⟩""",
    ),
    "distribution over a join": instance(
        "%i: i64, %k: i64",
        "v2⊸f64",
        """
  %v = linear.unstack {dim = 0} : -> ⟨v2⊸tuple<f64, f64>⟩
  %h = linear.one_hot [%i] : -> ⟨f64⊸v5⟩
  %l = linear.one_hot [%k] : -> ⟨f64⊸v5⟩
  %g = linear.hcat %h, %h : ⟨f64⊸v5⟩, ⟨f64⊸v5⟩ -> ⟨tuple<f64, f64>⊸v5⟩
  %f = linear.index [%i] : -> ⟨v5⊸f64⟩
  %n = linear.compose %f, %g : ⟨v5⊸f64⟩, ⟨tuple<f64, f64>⊸v5⟩ -> ⟨tuple<f64, f64>⊸f64⟩
  %m = linear.compose %n, %v : ⟨tuple<f64, f64>⊸f64⟩, ⟨v2⊸tuple<f64, f64>⟩ -> ⟨v2⊸f64⟩""",
    ),
    "broadcasts compose": _pair(
        "",
        "",
        "linear.broadcast {dims = [1, 0]} :",
        "v3⊸m23⊸tensor<3x2xf64>",
        "linear.broadcast {dims = [1]} :",
    ),
    "sums compose": _pair(
        "",
        "",
        "linear.sum {dims = [0]} :",
        "tensor<2x3x4xf64>⊸tensor<2x4xf64>⊸v4",
        "linear.sum {dims = [1]} :",
    ),
    "sum of a broadcast": _pair(
        "", "", "linear.sum {dims = [0]} :", "v3⊸m43⊸v3", "linear.broadcast {dims = [1]} :"
    ),
    "reshapes compose": _pair("", "", "linear.reshape :", "m23⊸v6⊸tensor<3x2xf64>", "linear.reshape :"),
    "reverses compose": _pair(
        "", "", "linear.reverse {dims = [0, 1]} :", "m23⊸m23⊸m23", "linear.reverse {dims = [1]} :"
    ),
    "masks compose": _pair(
        "%p: tensor<3xi1>, %q: tensor<3xi1>",
        "",
        "linear.mask %p : tensor<3xi1>",
        "v3⊸v3⊸v3",
        "linear.mask %q : tensor<3xi1>",
    ),
    "pieces put together": _pair(
        "", "", "linear.concatenate {dim = 0} :", "v5⊸tuple<v2, v3>⊸v5", "linear.split {dim = 0} :"
    ),
    "what was put together, cut": instance(
        "%a: v5",
        "v5⊸v5",
        """
  %s = linear.scale %a : v5 -> ⟨v5⊸v5⟩
  %v = linear.split {dim = 0} : -> ⟨v5⊸tuple<v2, v3>⟩
  %f = linear.concatenate {dim = 0} : -> ⟨tuple<v2, v3>⊸v5⟩
  %p = linear.project {index = 0} : -> ⟨tuple<v2, v3>⊸v2⟩
  %q = linear.project {index = 1} : -> ⟨tuple<v2, v3>⊸v3⟩
  %b = linear.reverse {dims = [0]} : -> ⟨v2⊸v2⟩
  %pv = linear.compose %p, %v : ⟨tuple<v2, v3>⊸v2⟩, ⟨v5⊸tuple<v2, v3>⟩ -> ⟨v5⊸v2⟩
  %bp = linear.compose %b, %pv : ⟨v2⊸v2⟩, ⟨v5⊸v2⟩ -> ⟨v5⊸v2⟩
  %qv = linear.compose %q, %v : ⟨tuple<v2, v3>⊸v3⟩, ⟨v5⊸tuple<v2, v3>⟩ -> ⟨v5⊸v3⟩
  %w = linear.vcat %bp, %qv : ⟨v5⊸v2⟩, ⟨v5⊸v3⟩ -> ⟨v5⊸tuple<v2, v3>⟩
  %c = linear.compose %f, %w : ⟨tuple<v2, v3>⊸v5⟩, ⟨v5⊸tuple<v2, v3>⟩ -> ⟨v5⊸v5⟩
  %d = linear.compose %v, %c : ⟨v5⊸tuple<v2, v3>⟩, ⟨v5⊸v5⟩ -> ⟨v5⊸tuple<v2, v3>⟩
  %m = linear.compose %f, %d : ⟨tuple<v2, v3>⊸v5⟩, ⟨v5⊸tuple<v2, v3>⟩ -> ⟨v5⊸v5⟩""",
    ),
    "slice of a pad": _pair(
        "",
        "",
        "linear.slice {starts = [2], limits = [7], strides = [2]} :",
        "v3⊸v8⊸v3",
        "linear.pad {low = [2], high = [1], interior = [1]} :",
    ),
    "index of a one-hot": _pair("%i: i64", "", "linear.index [%i] :", "f64⊸v5⊸f64", "linear.one_hot [%i] :"),
    "gathers compose": instance(
        "%k: tensor<4xi64>, %l: tensor<2xi64>",
        "v5⊸v2",
        """
  %g = linear.gather (%i) : -> ⟨v5⊸v4⟩ {
    %j = array.index %k[%i] : tensor<4xi64> -> i64
    array.yield %j : i64
  }
  %f = linear.gather (%i) : -> ⟨v4⊸v2⟩ {
    %j = array.index %l[%i] : tensor<2xi64> -> i64
    array.yield %j : i64
  }
  %m = linear.compose %f, %g : ⟨v4⊸v2⟩, ⟨v5⊸v4⟩ -> ⟨v5⊸v2⟩""",
    ),
    "scatters compose": instance(
        "%k: tensor<4xi64>, %l: tensor<2xi64>",
        "v2⊸v5",
        """
  %g = linear.scatter (%i) : -> ⟨v2⊸v4⟩ {
    %j = array.index %l[%i] : tensor<2xi64> -> i64
    array.yield %j : i64
  }
  %f = linear.scatter (%i) : -> ⟨v4⊸v5⟩ {
    %j = array.index %k[%i] : tensor<4xi64> -> i64
    array.yield %j : i64
  }
  %m = linear.compose %f, %g : ⟨v4⊸v5⟩, ⟨v2⊸v4⟩ -> ⟨v2⊸v5⟩""",
    ),
}
INSTANCES.update(PAIRS)
