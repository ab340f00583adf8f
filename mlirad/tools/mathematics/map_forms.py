"""Forms of linear maps: the symbols of the linear-map notes, or the names of functions.

f ∘ g     f ⊕ g     f × g     f ⋈ g     S(k)     1     0     π_0     ι_0     fᵀ     f ⊙ dx     𝓑(4, i. m)
lmCompose lmAdd     lmVcat    lmHcat    lmScale  lmOne lmZero  ...     lmApply(f, dx)
"""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.ir import Operation

from mlirad.dialects import linear
from mlirad.dialects.shapes import Value, shape_of, values_of
from mlirad.ir.builder import yields
from mlirad.ir.free_values import own_operands
from mlirad.tools.mathematics.array_forms import branches, infix, named
from mlirad.tools.mathematics.form import Form, Texts
from mlirad.tools.mathematics.notation import ATOM, JOIN, LOOSE, PREFIX, PRODUCT, SUM, Text
from mlirad.tools.mathematics.values import properties_of, shape


def _joined(symbol: str, empty: str) -> Form:
    """`f symbol g symbol h`; of one map `(f symbol)`, of none a name."""

    def form(w: Texts, op: Operation) -> Text:
        maps = own_operands(op)
        if not maps:
            return Text(empty)
        if len(maps) == 1:
            return Text(f"({w.of(maps[0], JOIN + 1)} {symbol})")
        return Text(f" {symbol} ".join(w.of(m, JOIN + 1) for m in maps), JOIN)

    return form


def _literal(text: str) -> Form:
    return lambda w, op: Text(text)


def _gather(w: Texts, op: linear.GatherOp) -> Text:
    extents = shape_of(op.codomain)[: len(op.body.block.args)]
    return Text(f"gather({shape(extents, w.notation)}, {w.function(op.body)})")


def _scatter(w: Texts, op: linear.ScatterOp) -> Text:
    extents = shape_of(op.codomain)[: len(yields(op.body))]
    return Text(f"scatter({shape(extents, w.notation)}, {w.function(op.body)})")


def _dot(w: Texts, op: linear.DotMapOp) -> Text:
    left = isinstance(op, linear.DotLeftOp)
    inside = f"·, {w.of(op.fixed)}" if left else f"{w.of(op.fixed)}, ·"
    return Text(f"dot({', '.join([inside, *properties_of(op)])})")


def _scan(w: Texts, op: linear.ScanOp) -> Text:
    parts = [str(op.iterations), *(f"in {w.of(r)}" for r in op.residuals)]
    parts += properties_of(op, ("carries", "inputs", "captured", "length"))
    return Text(f"scan({', '.join([*parts, w.function(op.body)])})")


def _over(symbol: str, name: str) -> Form:
    """`symbol(a. m)` over the points of a space of functions, `symbol(extents, i. m)` over positions."""

    def form(w: Texts, op: linear.MapOp) -> Text:
        extents = [shape(op.space, w.notation)] if isinstance(op, linear.IndexedMapOp) else []
        title = name if w.notation.is_ascii else symbol
        return Text(f"{title}({', '.join([*extents, *(w.function(r) for r in op.regions)])})")

    return form


def _transposed(w: Texts, text: str) -> str:
    return f"lmTranspose({text})" if w.notation.is_ascii else f"{text}ᵀ"


def _derivative(w: Texts, op: linear.DerivativeOp) -> Text:
    name = f"{w.notation.derivative}{w.title(op.callee_name)}({w.list_of(own_operands(op))})"
    return Text(name if op.transposed is None else _transposed(w, name))


def _apply_transpose(w: Texts, op: linear.ApplyTransposeOp) -> Text:
    return Text(f"{w.of(op.map, ATOM)}ᵀ ⊙ {w.tuple_of(op.arguments)}", LOOSE + 1)


def _with_derivative(w: Texts, op: linear.LinearizeOp | linear.PullbackOp) -> Text:
    value = f"{w.title(op.callee_name)}({w.list_of(op.arguments)})"
    derivative = w.notation.derivative + value
    is_map = isinstance(op, linear.LinearizeOp)
    return Text(f"({value}, {derivative if is_map else _transposed(w, derivative)})")


def _jet(w: Texts, op: linear.JetOp) -> Text:
    series = (w.list_of([value, *own]) for value, own in zip(_moving(op), op.coefficients, strict=True))
    name = f"T{op.degree}" if w.notation.is_ascii else f"𝒯{op.degree}"
    return Text(f"{name}{w.title(op.callee_name)}({', '.join(series)})")


def _moving(op: linear.JetOp) -> list[Value]:
    return [op.given[k] for k in values_of(op.wrt)]


MAP_FORMS: Mapping[type[Operation], Form] = {
    linear.ZeroOp: _literal("0"),
    linear.IdentityOp: _literal("1"),
    linear.ComposeOp: infix("∘", PRODUCT, is_associative=True),
    linear.AddOp: infix("⊕", SUM, is_associative=True),
    linear.VcatOp: _joined("×", "()"),
    linear.HcatOp: _joined("⋈", "()"),
    linear.ProjectOp: lambda w, op: Text(f"π_{op.index.value.data}"),
    linear.InjectOp: lambda w, op: Text(f"ι_{op.index.value.data}"),
    linear.TransposeOp: lambda w, op: Text(f"{w.of(op.operand, ATOM)}ᵀ"),
    linear.ScaleOp: lambda w, op: Text(f"S({w.of(op.coefficient)})"),
    linear.MaskOp: lambda w, op: Text(f"mask({w.of(op.condition)})"),
    linear.GatherOp: _gather,
    linear.ScatterOp: _scatter,
    linear.DotLeftOp: _dot,
    linear.DotRightOp: _dot,
    linear.ScanOp: _scan,
    linear.BuildOp: _over("𝓑", "lmBuild"),
    linear.BuildTransposeOp: _over("𝓑′", "lmBuildTranspose"),
    linear.LambdaOp: _over("λ", "lmLambda"),
    linear.RuleOp: _over("rule", "lmRule"),
    linear.FunctionOp: _over("𝓛", "lmFunction"),
    linear.EliminateOp: _over("𝓛′", "lmEliminate"),
    linear.IfOp: lambda w, op: branches(w, w.of(op.condition), op.then, op.otherwise),
    linear.CallOp: lambda w, op: Text(f"{w.title(op.callee_name)}({w.list_of(op.arguments)})"),
    linear.DerivativeOp: _derivative,
    linear.ApplyOp: lambda w, op: Text(f"{w.of(op.map, PREFIX)} ⊙ {w.tuple_of(op.arguments)}", LOOSE + 1),
    linear.ApplyTransposeOp: _apply_transpose,
    linear.LinearizeOp: _with_derivative,
    linear.PullbackOp: _with_derivative,
    linear.JetOp: _jet,
}
"""The ops of the linear dialect that have a form of their own, in symbols."""


def _prefixed(op_class: type[linear.MapOp]) -> Form:
    """The form in symbols of a map whose text is a call, with the name of the function in ASCII."""

    def form(w: Texts, op: Operation) -> Text:
        text = MAP_FORMS[op_class](w, op).text
        return Text(f"lm{text[0].upper()}{text[1:]}")

    return form


def _apply_transpose_named(w: Texts, op: linear.ApplyTransposeOp) -> Text:
    return Text(f"lmApply(lmTranspose({w.of(op.map)}), {w.tuple_of(op.arguments)})")


def _dot_named(w: Texts, op: linear.DotMapOp) -> Text:
    name = "lmDotLeft" if isinstance(op, linear.DotLeftOp) else "lmDotRight"
    return Text(f"{name}({', '.join([w.of(op.fixed), *properties_of(op)])})")


ASCII_FORMS: Mapping[type[Operation], Form] = {
    linear.IdentityOp: _literal("lmOne()"),
    linear.ZeroOp: _literal("lmZero()"),
    **{
        op: named("lm" + op.name.partition(".")[2].capitalize())
        for op in (
            linear.ComposeOp,
            linear.AddOp,
            linear.VcatOp,
            linear.HcatOp,
            linear.TransposeOp,
            linear.ScaleOp,
            linear.MaskOp,
        )
    },
    linear.ProjectOp: lambda w, op: Text(f"lmProject({op.index.value.data})"),
    linear.InjectOp: lambda w, op: Text(f"lmInject({op.index.value.data})"),
    linear.DotLeftOp: _dot_named,
    linear.DotRightOp: _dot_named,
    linear.GatherOp: _prefixed(linear.GatherOp),
    linear.ScatterOp: _prefixed(linear.ScatterOp),
    linear.ScanOp: _prefixed(linear.ScanOp),
    linear.ApplyOp: lambda w, op: Text(f"lmApply({w.of(op.map)}, {w.tuple_of(op.arguments)})"),
    linear.ApplyTransposeOp: _apply_transpose_named,
}
"""The ops of the linear dialect whose names in ASCII are not those of the general form."""
