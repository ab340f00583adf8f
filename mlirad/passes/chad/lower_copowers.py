"""Maps through powers and copowers as maps between arrays, where the functions are known.

    linear.apply %e, (linear.plus %c, (linear.apply (linear.single %a), %w))      e = eliminate(a. m a)
    -->  e c + m[a] w

Three steps, after calls are inlined: applications of known lambdas are written out; the code of maps, with
its elements of function spaces, becomes map expressions in spine form; and the laws of these remove what
meets: eliminate(a. m a) ∘ single a = m[a], eliminate m ∘ 𝓑′(i. nᵢ) = 𝓑′(i. eliminate m ∘ nᵢ), and so on (CHAD
paper, Table 1, where lets and pairs are what a block of ops has none of). Maps that branches and loops hand
on, and functions that are not known, stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import ModuleOp, TupleType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from mlirad.dialects import linear
from mlirad.dialects.function import LambdaOp
from mlirad.dialects.shapes import Value, components_of
from mlirad.ir.arrays import ArrayBuilder, Environment, rebuild_function
from mlirad.ir.builder import yields
from mlirad.ir.control import Values
from mlirad.ir.regions import discard
from mlirad.lazy_dataclass import dataclass
from mlirad.linear_maps.laws.law import changed
from mlirad.passes.dce import eliminate_dead_code
from mlirad.passes.dual_arrays.constructs import CONSTRUCTS
from mlirad.passes.dual_arrays.duals import Construct, DualArrays
from mlirad.passes.expand_lambdas import leaf_maps, paired
from mlirad.passes.function_pass import FunctionPass, visit_region, visit_regions
from mlirad.passes.simplify_maps import simplify_maps


@dataclass(frozen=True)
class LowerCopowersPass(FunctionPass):
    """Makes maps between arrays of maps through spaces of functions, where the functions are known."""

    name = "lower-copowers"

    def transform(self, function: FuncOp, module: ModuleOp) -> FuncOp:
        """The function without what the laws remove."""
        return lower_copowers(function)


def lower_copowers(function: FuncOp) -> FuncOp:
    """The function with its known lambdas written out and the code of its maps as map expressions."""
    written_out = eliminate_dead_code(rebuild_function(function, builder_class=_WritingOut))
    return simplify_maps(eliminate_dead_code(rebuild_function(written_out, _visit)))


class _WritingOut(ArrayBuilder):
    """Writes out every application of a known lambda, while there is room."""

    def apply(self, closure: Value, arguments: Values) -> list[Value]:
        """The results of a closure at the arguments."""
        owner = closure.owner
        if isinstance(owner, LambdaOp) and self.room.take(owner):
            return self.inline_region(owner.body, arguments, {})
        return super().apply(closure, arguments)


def _visit(b: ArrayBuilder, op: Operation, env: Environment) -> None:
    if isinstance(op, linear.LambdaOp):
        env[op.result] = _expression(b, op, env)
        return
    visit_regions(b, op, env, _visit)
    made = env[op.results[0]].owner if op.results else op
    if isinstance(made, linear.BuildTransposeOp) and not linear.is_plain(made.codomain):
        env[op.results[0]] = _split(b, made)


def _split(b: ArrayBuilder, op: linear.BuildTransposeOp) -> Value:
    """𝓑′(i. mᵢ) = 𝓑′(i. π₁ ∘ mᵢ) × ... × 𝓑′(i. πₙ ∘ mᵢ), where the maps end in tuples."""

    def component(k: int) -> Value:
        region = changed(b, op, op.body, lambda m: b.compose(b.project(op.codomain, k), m))
        space = components_of(op.codomain)[k]
        return b.map_of(linear.BuildTransposeOp, op.domain, space, (), op.properties, (region,))

    if not isinstance(op.codomain, TupleType):
        return op.result
    return b.vcat(op.domain, [component(k) for k in range(len(op.codomain.types.data))])


def _expression(b: ArrayBuilder, op: linear.LambdaOp, env: Environment) -> Value:
    """The map that code is, in spine form: the code is linear, so it is D of itself."""
    region = visit_region(b, op.body, env, _visit, ())
    d = DualArrays(b, op.domain, _CONSTRUCTS)
    b.location, b.name_hint = op.location, None
    maps = leaf_maps(b, op.domain, b.identity_map(op.domain))
    _enter(d, region.block.args, iter(maps))
    d.transform(region.block.ops)
    made = iter([_leaf_map(d, v) for v in yields(region)])
    discard(region)
    return paired(b, op.domain, op.codomain, made)


def _enter(d: DualArrays, sources: Sequence[Value], maps: Iterator[Value]) -> None:
    """Give values that depend on the argument their maps, and zeros for values, which nothing reads."""
    for source, map_ in zip(sources, maps, strict=True):
        is_element = isinstance(source.type, linear.FunctionSpace)
        zero = d.b.emit(linear.NothingOp, (), source.type) if is_element else d.b.zeros(source.type)
        d.env[source] = zero
        if not isinstance(map_.owner, linear.ZeroOp):
            d.enter(source, map_)


def _leaf_map(d: DualArrays, source: Value) -> Value:
    """The map from the argument to a value, also to one of a function space."""
    known = d.maps.get(source)
    return d.b.zero_map(d.space, source.type) if known is None else known


def _applied(d: DualArrays, op: linear.ApplicationOp) -> None:
    b, map_ = d.b, d.value(op.map)
    if isinstance(op, linear.ApplyTransposeOp):
        map_ = b.transpose_map(map_)
    type_ = linear.map_type(map_.type, "map")
    inner = paired(b, d.space, type_.domain, iter([_leaf_map(d, v) for v in op.arguments]))
    _enter(d, op.images, iter(leaf_maps(b, type_.codomain, d.after(map_, inner))))


def _plus(d: DualArrays, op: linear.PlusOp) -> None:
    _enter(d, [op.result], iter([d.b.add_maps(_leaf_map(d, op.lhs), _leaf_map(d, op.rhs))]))


_CONSTRUCTS: dict[type[Operation], Construct] = {
    **CONSTRUCTS,
    linear.ApplyOp: _applied,
    linear.ApplyTransposeOp: _applied,
    linear.PlusOp: _plus,
}
"""The ops of the code of a map that the derivative table does not have."""
