"""Forms of functions as values: closures, tuples and sums, and combinators of the differentiable curry.

λ(z. x * z)     f(z)     (a, b)     π_0(t)     ι_1(x)          programs
g ∘ f     ⟨f, g⟩     π_0     id     curry(f)     eval          combinators
"""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.ir import Operation

from mlirad.dialects import function
from mlirad.dialects.function import combinators as core
from mlirad.ir.free_values import own_operands
from mlirad.tools.mathematics.array_forms import infix
from mlirad.tools.mathematics.form import Form, Texts
from mlirad.tools.mathematics.notation import ATOM, PRODUCT, Text


def _lambda(w: Texts, op: function.LambdaOp) -> Text:
    return Text(f"{'lambda' if w.notation.is_ascii else 'λ'}({w.function(op.body)})")


def _apply(w: Texts, op: function.ApplyOp) -> Text:
    return Text(f"{w.of(op.closure, ATOM)}({w.list_of(op.arguments)})")


def _tuple(w: Texts, op: function.TupleOp) -> Text:
    return Text(f"({w.list_of(op.components)})")


def _get(w: Texts, op: function.GetOp) -> Text:
    name = "proj" if w.notation.is_ascii else "π"
    return Text(f"{name}_{op.index.value.data}({w.of(op.operand)})")


def _inject(w: Texts, op: function.InjectOp) -> Text:
    name = "inject" if w.notation.is_ascii else "ι"
    return Text(f"{name}_{op.index.value.data}({w.of(op.value)})")


def _roll(w: Texts, op: function.RollOp) -> Text:
    return Text(f"roll({w.of(op.value)})")


def _unroll(w: Texts, op: function.UnrollOp) -> Text:
    return Text(f"unroll({w.of(op.operand)})")


def _prod(w: Texts, op: Operation) -> Text:
    return Text(f"⟨{w.list_of(own_operands(op))}⟩")


def _primitive(w: Texts, op: core.PrimitiveOp) -> Text:
    return Text(f"primitive({w.function(op.body)})")


def _named(w: Texts, op: core.NamedOp) -> Text:
    return Text(w.title(op.callee.root_reference.data))


FUNCTION_FORMS: Mapping[type[Operation], Form] = {
    function.LambdaOp: _lambda,
    function.ApplyOp: _apply,
    function.TupleOp: _tuple,
    function.GetOp: _get,
    function.InjectOp: _inject,
    function.RollOp: _roll,
    function.UnrollOp: _unroll,
    core.ComposeOp: infix("∘", PRODUCT, is_associative=True),
    core.ProdOp: _prod,
    core.ProjOp: lambda w, op: Text(f"π_{op.index.value.data}"),
    core.IdentityOp: lambda w, op: Text("id"),
    core.EvalOp: lambda w, op: Text("eval"),
    core.PrimitiveOp: _primitive,
    core.NamedOp: _named,
}
"""The ops of the function dialect that have a form of their own, in symbols."""

ASCII_FUNCTION_FORMS: Mapping[type[Operation], Form] = {
    core.ComposeOp: infix("o", PRODUCT, is_associative=True),
    core.ProdOp: lambda w, op: Text(f"<{w.list_of(own_operands(op))}>"),
    core.ProjOp: lambda w, op: Text(f"proj_{op.index.value.data}"),
}
"""Those whose form in ASCII is another one."""
