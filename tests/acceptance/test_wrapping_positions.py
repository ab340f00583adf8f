"""Positions computed by arithmetic that wraps: what is proven of them must hold of the wrapped values."""

from __future__ import annotations

import random
import time
from collections import Counter
from random import Random

import numpy as np
import pytest

from mlirad.interpreter import run_function
from mlirad.ir.parsing import parse_module
from mlirad.ir.verification import verify_module
from mlirad.jit.call import NativeFunction
from mlirad.pipelines import pipeline_passes, run_passes
from tests.lower.native import compiled_program

COUNT = 48
EXTENT = 10
READS = 16

EDGES = (0, 1, 5, 9, 10, 2**30, 2**31 - 1, 2**31, 2**32, 2**62, 2**63 - 1)
NUMBERS = {
    "i64": [s * e + d for e in EDGES for s in (1, -1) for d in (-1, 0, 1) if -(2**63) <= s * e + d < 2**63],
    "i32": [s * e + d for e in EDGES for s in (1, -1) for d in (-1, 0, 1) if -(2**31) <= s * e + d < 2**31],
}


class _Writer:
    """Writes a function that reads and adds at positions which are random expressions of its arguments."""

    def __init__(self, seed: int):
        self.rng = Random(seed)
        self.lines: list[str] = []
        self.values = {"i64": ["%k", "%m"], "i32": ["%n"]}

    def fresh(self) -> str:
        return f"%v{len(self.lines)}"

    def emit(self, text: str, type_: str, name: str) -> str:
        self.lines.append(f"  {name} = {text}")
        if type_ in self.values:
            self.values[type_].append(name)
        return name

    def constant(self, type_: str, numbers: list[int]) -> str:
        scalar = self.fresh()
        self.lines.append(f"  {scalar} = array.constant {self.rng.choice(numbers)} : {type_}")
        text = f"array.broadcast {scalar} {{dims = []}} : {type_} -> tensor<{COUNT}x{type_}>"
        return self.emit(text, "", self.fresh())

    def some(self, type_: str) -> str:
        # Mostly the last ones, so that expressions are deep.
        return self.rng.choice(self.values[type_][-4:])

    def step(self) -> None:
        type_ = self.rng.choice(["i64", "i64", "i32"])
        t = f"tensor<{COUNT}x{type_}>"
        kind = self.rng.choice(["add", "sub", "mul", "neg", "min", "max", "clamp", "convert", "rem", "add"])
        x = self.some(type_)
        if kind == "convert":
            other = "i32" if type_ == "i64" else "i64"
            self.emit(f"array.convert {x} : {t} -> tensor<{COUNT}x{other}>", other, self.fresh())
        elif kind == "neg":
            self.emit(f"array.neg {x} : {t}", type_, self.fresh())
        elif kind == "clamp":
            low = self.emit(f"array.max {x}, {self.constant(type_, [0, 0, 1])} : {t}", type_, self.fresh())
            self.emit(f"array.min {low}, {self.constant(type_, NUMBERS[type_])} : {t}", type_, self.fresh())
        else:
            y = self.constant(type_, NUMBERS[type_]) if self.rng.random() < 0.7 else self.some(type_)
            self.emit(f"array.{kind} {x}, {y} : {t}", type_, self.fresh())

    def shifted(self) -> list[str]:
        """Values that differ by constants; some may be bounded and others read at."""
        t, base = f"tensor<{COUNT}xi64>", self.rng.choice(["%k", "%m", self.some("i64")])
        found = [base]
        for _ in range(2):
            near = [1, 2, 3, 5, -1, -2]
            offset = self.constant("i64", near if self.rng.random() < 0.7 else NUMBERS["i64"])
            kind = self.rng.choice(["add", "sub"])
            found.append(self.emit(f"array.{kind} {found[-1]}, {offset} : {t}", "i64", self.fresh()))
        return found

    def bounded(self) -> str:
        """A position that intervals may be known of: small numbers, computed with and bounded again."""
        t, way = f"tensor<{COUNT}xi32>", self.rng.choice(["add", "sub", "mul"])
        number = self.emit(f"array.convert %k : tensor<{COUNT}xi64> -> {t}", "i32", self.fresh())
        if self.rng.random() < 0.5:
            zero = self.constant("i64", [0, -1])
            wide = self.emit(f"array.max %k, {zero} : tensor<{COUNT}xi64>", "i64", self.fresh())
            number = self.emit(f"array.convert {wide} : tensor<{COUNT}xi64> -> {t}", "i32", self.fresh())
        elif self.rng.random() < 0.8:
            parts: list[str] = []
            for _ in range(2):
                low = self.emit(f"array.max %n, {self.constant('i32', [0, 1])} : {t}", "i32", self.fresh())
                top = self.constant("i32", [2, 2**15, 2**16, 2**30, 2**30 + 1, 2**31 - 1])
                parts.append(self.emit(f"array.min {low}, {top} : {t}", "i32", self.fresh()))
            number = self.emit(f"array.{way} {parts[0]}, {parts[1]} : {t}", "i32", self.fresh())
        if self.rng.random() < 0.3:
            number = self.emit(f"array.neg {number} : {t}", "i32", self.fresh())
        if self.rng.random() < 0.5:
            number = self.emit(
                f"array.min {number}, {self.constant('i32', [9, 5])} : {t}", "i32", self.fresh()
            )
        else:
            number = self.emit(
                f"array.max {number}, {self.constant('i32', [0, 1])} : {t}", "i32", self.fresh()
            )
        return self.emit(f"array.convert {number} : {t} -> tensor<{COUNT}xi64>", "i64", self.fresh())

    def guard(self, related: list[str]) -> str:
        """A condition that bounds the position, or values that it is computed from, in some way."""
        t, p = f"tensor<{COUNT}xi64>", f"tensor<{COUNT}xi1>"
        found: list[str] = []
        for predicate, limits in (("ge", [0, 0, 1, 5]), ("lt", [EXTENT, EXTENT, EXTENT - 1, 3])):
            value = self.rng.choice(related) if self.rng.random() < 0.9 else self.some("i64")
            limit = self.constant("i64", limits if self.rng.random() < 0.7 else NUMBERS["i64"])
            if self.rng.random() < 0.5:
                sides, way = f"{value}, {limit}", predicate
            else:
                sides, way = f"{limit}, {value}", {"ge": "le", "lt": "gt"}[predicate]
            found.append(self.emit(f"array.compare {way} {sides} : {t}, {t} -> {p}", "", self.fresh()))
        return self.emit(f"array.and {found[0]}, {found[1]} : {p}", "", self.fresh())

    def read(self) -> str:
        related = self.shifted() if self.rng.random() < 0.6 else []
        if not related and self.rng.random() < 0.5:
            related = [self.bounded()]
        for _ in range(0 if related else self.rng.randrange(1, 5)):
            self.step()
        position = self.rng.choice(related or [self.some("i64")])
        f, p = f"tensor<{COUNT}xf64>", f"tensor<{COUNT}xi1>"
        guard = self.guard([*related, position])
        body = f"%q = array.index {position}[%i] : tensor<{COUNT}xi64> -> i64\n    array.yield %q : i64\n  }}"
        if self.rng.random() < 0.3:
            chosen = self.emit(f"array.select {guard}, %w, %zeros : {p}, {f}, {f} -> {f}", "", self.fresh())
            text = f"array.scatter {chosen} (%i) : {f} -> tensor<{EXTENT}xf64> {{\n    {body}"
            return self.emit(text, "", self.fresh())
        text = f"array.gather %x (%i) : tensor<{EXTENT}xf64> -> {f} {{\n    {body}"
        read = self.emit(text, "", self.fresh())
        return self.emit(f"array.select {guard}, {read}, %zeros : {p}, {f}, {f} -> {f}", "", self.fresh())

    def module(self) -> str:
        self.lines.append("  %zero = array.constant 0.0 : f64")
        self.lines.append(f"  %zeros = array.broadcast %zero {{dims = []}} : f64 -> tensor<{COUNT}xf64>")
        results = [self.read() for _ in range(READS)]
        types = [EXTENT if "array.scatter" in self._maker(r) else COUNT for r in results]
        returned = ", ".join(f"tensor<{n}xf64>" for n in types)
        k, n = f"tensor<{COUNT}xi64>", f"tensor<{COUNT}xi32>"
        head = f"func.func @f(%x: tensor<{EXTENT}xf64>, %w: tensor<{COUNT}xf64>, %k: {k}, %m: {k}, %n: {n})"
        body = "\n".join(self.lines)
        return f"{head} -> ({returned}) {{\n{body}\n  func.return {', '.join(results)} : {returned}\n}}"

    def _maker(self, name: str) -> str:
        return next(line for line in self.lines if line.startswith(f"  {name} = "))


@pytest.mark.parametrize("seed", range(4))
def test_random_positions(seed: int) -> None:
    check_positions(seed)


@pytest.mark.fuzz
def test_many_random_positions(fuzz_seconds: float, judged: Counter[str]) -> None:
    end = time.monotonic() + fuzz_seconds
    while time.monotonic() < end:
        seed = random.SystemRandom().randrange(2**32)
        judged["positions"] += 1
        try:
            check_positions(seed)
        except Exception as error:
            raise AssertionError(f"positions are wrong for seed {seed}") from error


def check_positions(seed: int) -> None:
    """Compiled under guard and with checks, a random program must give what the interpreter gives."""
    text = _Writer(seed).module()
    rng = np.random.default_rng(seed)
    k, m = (rng.choice(NUMBERS["i64"], COUNT) for _ in range(2))
    n = rng.choice(NUMBERS["i32"], COUNT).astype(np.int32)
    arguments = [np.arange(1.0, 1 + EXTENT), np.arange(2.0, 2 + COUNT), k, m, n]
    module = parse_module(text)
    verify_module(module)
    expected = run_function(module, arguments, function="f")
    run_passes(module, pipeline_passes("expand"))
    program = compiled_program(module, "f", checks=True)
    found = NativeFunction(program, debug=True)(*arguments)
    for j, (a, b) in enumerate(zip(found, expected, strict=True)):
        np.testing.assert_array_equal(a, b, err_msg=f"read {j}")
