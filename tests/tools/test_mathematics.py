"""Programs as mathematics: the form of every op, precedence, sharing, names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from xdsl.dialects.func import FuncOp

from mlirad.dialects.array import ARRAY_OPS
from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.linear import Linear
from mlirad.ir.parsing import parse_module
from mlirad.tools.mathematics import ASCII, UNICODE, Notation, Sharing, written
from mlirad.tools.mathematics.op_notation import form_of
from mlirad.tools.mathematics.writer import Writer

LIT = Path(__file__).parents[2] / "lit" / "dialects"


def text_of(body: str, sharing: Sharing = Sharing.ALL, notation: Notation = UNICODE) -> str:
    """The text of the function @f of a program, without its title."""
    module = parse_module(body)
    (function,) = (op for op in module.body.block.ops if isinstance(op, FuncOp) and op.sym_name.data == "f")
    return written(function, notation, sharing).partition("\n")[2].strip()


def test_every_op_of_both_dialects_is_written() -> None:
    """All functions of the round-trip tests of the dialects, op by op, in both notations."""
    seen: set[str] = set()
    for path in sorted(LIT.glob("*.mlir")):
        if path.stem.endswith("_invalid") or path.stem.startswith("kernel"):
            continue
        for part in path.read_text().split("// -----"):
            module = parse_module(part)
            for function in module.body.block.ops:
                assert isinstance(function, FuncOp)
                for notation in (ASCII, UNICODE):
                    writer = Writer(notation, Sharing.EACH)
                    for argument in function.body.block.args:
                        writer.named(argument)
                    for op in function.body.block.ops:
                        if op is function.body.block.last_op:
                            continue
                        text = form_of(writer, op)
                        assert text.text and (text.text.isascii() or notation is UNICODE), op.name
                        seen |= {op.name, *(inner.name for inner in op.walk())}
                        for result in op.results:
                            writer.named(result)
    wanted = {op.name for op in (*ARRAY_OPS, *Linear.operations) if op is not YieldOp}
    assert wanted <= seen, f"in no round-trip test: {sorted(wanted - seen)}"


@pytest.mark.parametrize(
    ("ops", "text"),
    [
        ("%a = array.add %x, %y : f64 \n %r = array.mul %a, %x : f64", "(x + y) * x"),
        ("%a = array.mul %x, %y : f64 \n %r = array.add %a, %x : f64", "x * y + x"),
        ("%a = array.sub %x, %y : f64 \n %r = array.sub %x, %a : f64", "x - (x - y)"),
        ("%a = array.sub %x, %y : f64 \n %r = array.sub %a, %x : f64", "x - y - x"),
        ("%a = array.neg %x : f64 \n %r = array.pow %a, %y : f64", "(-x) ** y"),
        ("%a = array.pow %x, %y : f64 \n %r = array.neg %a : f64", "-x ** y"),
        ("%a = array.neg %x : f64 \n %r = array.mul %a, %y : f64", "-x * y"),
        ("%a = array.sin %x : f64 \n %r = array.exp %a : f64", "exp(sin(x))"),
        ("%a = array.compare lt %x, %y : f64, f64 -> i1 \n"
         "%r = array.select %a, %x, %y : i1, f64, f64 -> f64", "where(x < y, x, y)"),
        ("%a = array.constant -2.0 : f64 \n %r = array.pow %a, %x : f64", "(-2) ** x"),
        ("%a = array.constant 0.5 : f64 \n %r = array.mul %a, %x : f64", "0.5 * x"),
        ("%a = array.max %x, %y : f64 \n %r = array.div %x, %a : f64", "x / max(x, y)"),
    ],
)  # fmt: skip
def test_precedence(ops: str, text: str) -> None:
    body = f"func.func @f(%x: f64, %y: f64) -> f64 {{\n{ops}\nfunc.return %r : f64\n}}"
    assert text_of(body) == text


MAPS = """!A = !linear.map<f64, f64>
!P = tuple<f64, f64>
func.func @f(%k: f64, %dx: f64) -> f64 {
  %0 = linear.scale %k : f64 -> !A
  %1 = linear.identity : -> !A
  %2 = linear.zero : -> !A
  %a = linear.add %0, %1 : !A
  %c = linear.compose %a, %0 : !A, !A -> !A
  %v = linear.vcat %c, %2 : !A, !A -> !linear.map<f64, !P>
  %h = linear.hcat %0, %1 : !A, !A -> !linear.map<!P, f64>
  %m = linear.compose %h, %v : !linear.map<!P, f64>, !linear.map<f64, !P> -> !A
  %t = linear.transpose %m : !A -> !A
  %r = linear.apply %t, %dx : !A, f64 -> f64
  func.return %r : f64
}"""


def test_maps_in_symbols_and_in_ascii() -> None:
    assert text_of(MAPS, Sharing.LONG) == "((S(k) ⋈ 1) ∘ ((S(k) ⊕ 1) ∘ S(k) × 0))ᵀ ⊙ dx"
    assert text_of(MAPS, Sharing.LONG, ASCII) == (
        "lmApply(lmTranspose(lmCompose(lmHcat(lmScale(k), lmOne()), "
        "lmVcat(lmCompose(lmAdd(lmScale(k), lmOne()), lmScale(k)), lmZero()))), dx)"
    )


SHARED = """func.func @f(%x: f64) -> (f64, f64) {
  %y = array.mul %x, %x : f64
  %0 = array.add %x, %x : f64
  %1 = array.sin %y : f64
  %z = array.add %0, %1 : f64
  %2 = array.mul %0, %z : f64
  %dead = array.exp %x : f64
  func.return %2, %1 : f64, f64
}"""


@pytest.mark.parametrize(
    ("sharing", "text"),
    [
        (Sharing.EACH,
         "let y = x * x\n  let t = x + x\n  let t1 = sin(y)\n  let z = t + t1\n  let t2 = t * z\n  (t2, t1)"),
        (Sharing.NAMED, "let y = x * x\n  let z = x + x + sin(y)\n  ((x + x) * z, sin(y))"),
        (Sharing.LONG, "((x + x) * (x + x + sin(x * x)), sin(x * x))"),
        (Sharing.ALL, "let t = x + x\n  let t1 = sin(x * x)\n  (t * (t + t1), t1)"),
    ],
)  # fmt: skip
def test_what_has_a_let(sharing: Sharing, text: str) -> None:
    assert text_of(SHARED, sharing) == text


def test_loops_builds_and_branches() -> None:
    text = text_of("""func.func @f(%a: tensor<4xf64>, %p: i1) -> f64 {
      %b = array.build (%i, %j) : -> tensor<4x2xf64> {
        %e = array.index %a[%i] : tensor<4xf64> -> f64
        array.yield %e : f64
      }
      %s = array.sum %b {dims = [0, 1]} : tensor<4x2xf64> -> f64
      %c, %ys = array.scan %s, %a (%i, %c : f64, %x : f64) {carries = 1, length = 4, reverse}
          : f64, tensor<4xf64> -> (f64, tensor<4xf64>) {
        %n = array.mul %c, %x : f64
        array.yield %n, %n : f64, f64
      }
      %r = array.if %p : i1 -> f64 {
        array.yield %c : f64
      } else {
        array.yield %s : f64
      }
      func.return %r : f64
    }""")
    assert text.splitlines() == [
        "let s = sum(build(4×2, i, j. a[i]))",
        "  let (c_1, ys) = scan(4, from s, in a, reverse, i_1, c, x.",
        "    let n = c * x",
        "    (n, n))",
        "  if p then c_1 else s",
    ]


def test_names_are_not_given_twice() -> None:
    text = text_of(
        """func.func @f(%x: f64) -> f64 {
          %y = array.scan %x (%i, %x_1 : f64) {carries = 1, length = 3} : f64 -> f64 {
            %x_2 = array.mul %x_1, %x : f64
            array.yield %x_2 : f64
          }
          func.return %y : f64
        }""",
        Sharing.EACH,
    )
    names = re.findall(r"\b(x\w*)\b(?=\.|,| =)", text)
    assert len(names) == len(set(names))
