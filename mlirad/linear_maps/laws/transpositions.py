"""Transposes are pushed inwards (004, Figure 5).

Measure: the sum, over all `transpose` ops, of the sizes of the maps that they transpose. The parts of a map
are together smaller than the map.

Each map is transposed once, as equal ops are shared. What two maps share stays shared in their transposes
only where a sum of compositions with one outer map becomes one composition (`m a + m b = m (a + b)`), so a
transpose that is applied is better left to the application, which walks the expression backwards.
"""

from __future__ import annotations

from xdsl.ir import Operation

from mlirad.dialects import linear
from mlirad.dialects.shapes import FLAG, Value
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.free_values import own_operands
from mlirad.linear_maps.laws.law import Law, changed
from mlirad.linear_maps.transposes import TRANSPOSES


def _operand(op: linear.TransposeOp) -> Operation | None:
    owner = op.operand.owner
    return owner if isinstance(owner, Operation) else None


def _compose(b: ArrayBuilder, op: linear.TransposeOp) -> Value | None:
    match _operand(op):
        case linear.ComposeOp() as m:
            outer, inner = own_operands(m)
            return b.compose(b.transpose_map(inner), b.transpose_map(outer))
        case _:
            return None


def _sum(b: ArrayBuilder, op: linear.TransposeOp) -> Value | None:
    match _operand(op):
        case linear.AddOp() as m:
            left, right = own_operands(m)
            return b.add_maps(b.transpose_map(left), b.transpose_map(right))
        case _:
            return None


def _pair(b: ArrayBuilder, op: linear.TransposeOp) -> Value | None:
    match _operand(op):
        case linear.VcatOp() as m:
            return b.hcat(linear.dual(m.domain), [b.transpose_map(part) for part in m.maps])
        case linear.HcatOp() as m:
            return b.vcat(linear.dual(m.codomain), [b.transpose_map(part) for part in m.maps])
        case _:
            return None


def _primitive(b: ArrayBuilder, op: linear.TransposeOp) -> Value | None:
    match _operand(op):
        case linear.PrimitiveMapOp() as m:
            return TRANSPOSES[type(m)](b, m, {})
        case _:
            return None


_EXCHANGED: dict[type[linear.MapOp], type[linear.MapOp]] = {
    linear.BuildOp: linear.BuildTransposeOp,
    linear.BuildTransposeOp: linear.BuildOp,
    linear.FunctionOp: linear.EliminateOp,
    linear.EliminateOp: linear.FunctionOp,
    linear.IfOp: linear.IfOp,
    linear.SwitchOp: linear.SwitchOp,
    linear.CheckpointOp: linear.CheckpointOp,
}


def _regions(b: ArrayBuilder, op: linear.TransposeOp) -> Value | None:
    m = _operand(op)
    if not isinstance(m, linear.MapOp) or type(m) not in _EXCHANGED:
        return None
    regions = [changed(b, m, region, b.transpose_map) for region in m.regions]
    domain, codomain = linear.dual(m.codomain), linear.dual(m.domain)
    return b.map_of(_EXCHANGED[type(m)], domain, codomain, own_operands(m), m.properties, regions)


def _rule(b: ArrayBuilder, op: linear.TransposeOp) -> Value | None:
    match _operand(op):
        case linear.RuleOp() as m:
            given = [r for r in (m.transposed_code, m.forward_code) if r is not None]
            flag = {"transposed": FLAG} if m.transposed_code is None else {}
            regions = [b.clone_region(r, {}, ()) for r in given]
            domain, codomain = linear.dual(m.codomain), linear.dual(m.domain)
            return b.map_of(linear.RuleOp, domain, codomain, (), flag, regions)
        case _:
            return None


_T = (linear.TransposeOp,)

TRANSPOSITION_LAWS = (
    Law("transpose of a composition", "(m ∘ n)ᵀ = nᵀ ∘ mᵀ", _T, _compose),
    Law("transpose of a sum", "(m + n)ᵀ = mᵀ + nᵀ", _T, _sum),
    Law("transpose of pairs and joins", "(m × n)ᵀ = mᵀ ⋈ nᵀ, (m ⋈ n)ᵀ = mᵀ × nᵀ", _T, _pair),
    Law("transpose of a primitive map", "a primitive map's transpose is one, by its table", _T, _primitive),
    Law("transpose of a rule", "the code of one direction becomes that of the other", _T, _rule),
    Law(
        "transpose under regions",
        "𝓑(i. m)ᵀ = 𝓑′(i. mᵀ), 𝓛(a. m)ᵀ = eliminate(a. mᵀ) and back; (if p m n)ᵀ = if p mᵀ nᵀ",
        _T,
        _regions,
    ),
)
