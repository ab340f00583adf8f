"""Maps through spaces of functions that need none (CHAD paper, Figure 8, and its equations of copowers).

    evaluate a ∘ 𝓛(a. m a) = m[a]          eliminate(a. m a) ∘ single a = m[a]

Measure: the nesting of function spaces in the middle of compositions; where it stays the same, the number of
`function` and `eliminate` ops outside of the regions of others.
"""

from __future__ import annotations

from xdsl.ir import Operation

from mlirad.dialects import linear
from mlirad.dialects.shapes import Value
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.free_values import own_operands
from mlirad.linear_maps.laws.law import PairLaw, changed, law, made, pair_law, part_domain

_ANY = (
    *linear.PRIMITIVE_OPS,
    *(op for op in linear.CONTROL_OPS if op is not linear.RuleOp),
    linear.ProjectOp,
    linear.InjectOp,
)
"""Every local map that is linear for sure."""


def _at(b: ArrayBuilder, op: linear.PointwiseMapOp, at: linear.PointMapOp) -> Value:
    """m[a]: the map of a region at a point."""
    return b.inline_region(op.body, tuple(at.point), {})[0]


@pair_law("evaluation of a function", "evaluate a ∘ 𝓛(a. m a) = m[a]", linear.EvaluateOp, linear.FunctionOp)
def _evaluated(b: ArrayBuilder, f: linear.EvaluateOp, g: linear.FunctionOp) -> Value | None:
    return _at(b, g, f)


@pair_law("elimination of a pair", "eliminate(a. m a) ∘ single a = m[a]", linear.EliminateOp, linear.SingleOp)
def _eliminated(b: ArrayBuilder, f: linear.EliminateOp, g: linear.SingleOp) -> Value | None:
    return _at(b, f, g)


@law(
    "function of evaluations",
    "𝓛(a. evaluate a) = 1, eliminate(a. single a) = 1",
    linear.FunctionOp,
    linear.EliminateOp,
)
def _eta(b: ArrayBuilder, op: linear.PointwiseMapOp) -> Value | None:
    m = made(op).owner
    wanted = linear.EvaluateOp if isinstance(op, linear.FunctionOp) else linear.SingleOp
    if isinstance(m, wanted) and tuple(m.point) == tuple(op.body.block.args):
        return b.identity_map(op.domain)
    return None


@law("functions and zero", "𝓛(a. 0) = 0, eliminate(a. 0) = 0", linear.FunctionOp, linear.EliminateOp)
def _zero(b: ArrayBuilder, op: linear.PointwiseMapOp) -> Value | None:
    if isinstance(made(op).owner, linear.ZeroOp):
        return b.zero_map(op.domain, op.codomain)
    return None


@pair_law(
    "map after an elimination", "h ∘ eliminate(a. m a) = eliminate(a. h ∘ m a)", _ANY, linear.EliminateOp
)
def _after_eliminate(b: ArrayBuilder, f: linear.MapOp, g: linear.EliminateOp) -> Value | None:
    region = changed(b, g, g.body, lambda m: b.compose(f.result, m))
    return b.map_of(linear.EliminateOp, g.domain, f.codomain, (), None, (region,))


@pair_law("function after a map", "𝓛(a. m a) ∘ h = 𝓛(a. m a ∘ h)", linear.FunctionOp, _ANY)
def _before_function(b: ArrayBuilder, f: linear.FunctionOp, g: linear.MapOp) -> Value | None:
    region = changed(b, f, f.body, lambda m: b.compose(m, g.result))
    return b.map_of(linear.FunctionOp, g.domain, f.codomain, (), None, (region,))


def _over_sum(b: ArrayBuilder, f: linear.MapOp, g: linear.AddOp) -> Value | None:
    """Return where every term of the sum ends in a map with which a law removes f."""
    if not _ends(g, (linear.SingleOp, linear.BuildTransposeOp)) and not _ends(g, (linear.FunctionOp,)):
        return None
    left, right = own_operands(g)
    return b.add_maps(b.compose(f.result, left), b.compose(f.result, right))


def _ends(op: Operation, classes: tuple[type[linear.MapOp], ...]) -> bool:
    """Return whether every term of a sum ends in a map of one of the classes."""
    pending = [*own_operands(op)]
    while pending:
        owner = pending.pop().owner
        match owner:
            case linear.AddOp():
                pending += own_operands(owner)
            case linear.ComposeOp():
                pending.append(own_operands(owner)[0])
            case _:
                if not isinstance(owner, classes):
                    return False
    return True


@pair_law(
    "elimination at every position",
    "eliminate m ∘ 𝓑′(i. nᵢ) = 𝓑′(i. eliminate m ∘ nᵢ)",
    linear.EliminateOp,
    linear.BuildTransposeOp,
)
def _into_sum(b: ArrayBuilder, f: linear.EliminateOp, g: linear.BuildTransposeOp) -> Value | None:
    region = changed(b, g, g.body, lambda m: b.compose(f.result, m))
    return b.map_of(linear.BuildTransposeOp, g.domain, f.codomain, (), g.properties, (region,))


@pair_law(
    "functions at every position",
    "𝓑(i. mᵢ) ∘ 𝓛(a. n a) = 𝓑(i. mᵢ ∘ 𝓛(a. n a))",
    linear.BuildOp,
    linear.FunctionOp,
)
def _into_build(b: ArrayBuilder, f: linear.BuildOp, g: linear.FunctionOp) -> Value | None:
    if not isinstance(part_domain(f), linear.PowerType):
        return None
    region = changed(b, f, f.body, lambda m: b.compose(m, g.result))
    return b.map_of(linear.BuildOp, g.domain, f.codomain, (), f.properties, (region,))


FUNCTION_LAWS = (_eta, _zero)

FUNCTION_PAIRS = (
    _evaluated,
    _eliminated,
    PairLaw(
        "elimination of a sum",
        "eliminate m ∘ (c + c′) = eliminate m ∘ c + eliminate m ∘ c′",
        (linear.EliminateOp,),
        (linear.AddOp,),
        _over_sum,
    ),
    PairLaw(
        "evaluation of a sum",
        "evaluate a ∘ (f + g) = evaluate a ∘ f + evaluate a ∘ g",
        (linear.EvaluateOp,),
        (linear.AddOp,),
        _over_sum,
    ),
    _into_sum,
    _into_build,
    _after_eliminate,
    _before_function,
)
