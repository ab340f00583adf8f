"""Transposes are pushed inwards (linear-map notes, Figure 5).

Measure: the sum, over all `transpose` ops, of the sizes of the maps that they transpose. The parts of a map
are together smaller than the map.

Each map is transposed once, as equal ops are shared. Parts shared by two maps stay shared in their transposes
only where a sum of compositions with one outer map becomes one composition (`m a + m b = m (a + b)`), so
transposing is better left to application, which walks the expression backwards.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mlirad.dialects import linear
from mlirad.dialects.shapes import FLAG, Value
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.free_values import own_operands
from mlirad.linear_maps.laws.law import Law, changed
from mlirad.linear_maps.transposes import transpose_primitive


def _transpose_of(
    name: str, statement: str, *classes: type[linear.MapOp]
) -> Callable[[Callable[[ArrayBuilder, Any], Value]], Law]:
    """The law of the transpose of maps of some classes, which the function below makes of such a map."""

    def law(transposed: Callable[[ArrayBuilder, Any], Value]) -> Law:
        def rewrite(b: ArrayBuilder, op: linear.TransposeOp) -> Value | None:
            m = op.operand.owner
            return transposed(b, m) if isinstance(m, classes) else None

        return Law(name, statement, (linear.TransposeOp,), rewrite)

    return law


@_transpose_of("transpose of a composition", "(m ∘ n)ᵀ = nᵀ ∘ mᵀ", linear.ComposeOp)
def _compose(b: ArrayBuilder, m: linear.ComposeOp) -> Value:
    outer, inner = own_operands(m)
    return b.compose(b.transpose_map(inner), b.transpose_map(outer))


@_transpose_of("transpose of a sum", "(m + n)ᵀ = mᵀ + nᵀ", linear.AddOp)
def _sum(b: ArrayBuilder, m: linear.AddOp) -> Value:
    left, right = own_operands(m)
    return b.add_maps(b.transpose_map(left), b.transpose_map(right))


@_transpose_of(
    "transpose of pairs and joins", "(m × n)ᵀ = mᵀ ⋈ nᵀ, (m ⋈ n)ᵀ = mᵀ × nᵀ", linear.VcatOp, linear.HcatOp
)
def _pair(b: ArrayBuilder, m: linear.VcatOp | linear.HcatOp) -> Value:
    parts = [b.transpose_map(part) for part in m.maps]
    if isinstance(m, linear.VcatOp):
        return b.hcat(linear.dual(m.domain), parts)
    return b.vcat(linear.dual(m.codomain), parts)


@_transpose_of(
    "transpose of a primitive map", "a primitive map's transpose is one, by its table", linear.PrimitiveMapOp
)
def _primitive(b: ArrayBuilder, m: linear.PrimitiveMapOp) -> Value:
    return transpose_primitive(b, m, {})


@_transpose_of("transpose of a rule", "the code of one direction becomes that of the other", linear.RuleOp)
def _rule(b: ArrayBuilder, m: linear.RuleOp) -> Value:
    given = [r for r in (m.transposed_code, m.forward_code) if r is not None]
    flag = {"transposed": FLAG} if m.transposed_code is None else {}
    regions = [b.clone_region(r, {}, ()) for r in given]
    return b.map_of(linear.RuleOp, linear.dual(m.codomain), linear.dual(m.domain), (), flag, regions)


_EXCHANGED: dict[type[linear.MapOp], type[linear.MapOp]] = {
    linear.BuildOp: linear.BuildTransposeOp,
    linear.BuildTransposeOp: linear.BuildOp,
    linear.FunctionOp: linear.EliminateOp,
    linear.EliminateOp: linear.FunctionOp,
    linear.IfOp: linear.IfOp,
    linear.SwitchOp: linear.SwitchOp,
    linear.CheckpointOp: linear.CheckpointOp,
}


@_transpose_of(
    "transpose under regions",
    "𝓑(i. m)ᵀ = 𝓑′(i. mᵀ), 𝓛(a. m)ᵀ = eliminate(a. mᵀ) and back; (if p m n)ᵀ = if p mᵀ nᵀ",
    *_EXCHANGED,
)
def _regions(b: ArrayBuilder, m: linear.MapOp) -> Value:
    regions = [changed(b, m, region, b.transpose_map) for region in m.regions]
    domain, codomain = linear.dual(m.codomain), linear.dual(m.domain)
    return b.map_of(_EXCHANGED[type(m)], domain, codomain, own_operands(m), m.properties, regions)


TRANSPOSITION_LAWS = (_compose, _sum, _pair, _primitive, _rule, _regions)
