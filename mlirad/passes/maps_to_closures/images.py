"""Images of elements under maps, emitted where these are applied.

compose, add, vcat, hcat, project, inject, transpose, zero, identity     by their definitions
function, eliminate                  a closure of the point; a fold of a collection
evaluate, single                     an application; a pair
build, build_transpose               a loop over the positions, which stacks images or adds them
linear.lambda, and maps that are not known        an application of the closure
maps of the array dialect            their array code (`mlirad.linear_maps.apply`)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute, Block, Region

from mlirad.dialects import linear
from mlirad.dialects.shapes import Value, array_type, components_of, element_of, shape_of, tuple_type
from mlirad.errors import UnsupportedError
from mlirad.ir.arrays import ArrayBuilder, Environment, extents_of
from mlirad.ir.first_order import higher_order_op
from mlirad.ir.free_values import own_operands
from mlirad.ir.locations import location_of
from mlirad.linear_maps.apply.evaluator import MapEvaluator
from mlirad.linear_maps.apply.rules import one_way
from mlirad.linear_maps.elements import (
    Element,
    as_value,
    assembled,
    components,
    from_leaves,
    injected,
    is_zero,
    part,
)
from mlirad.passes.expand_lambdas import expanded_lambda
from mlirad.passes.maps_to_closures.elements import Elements

EmitBlock = Callable[[ArrayBuilder, Block, Environment], list[Value]]
"""Emits the ops of a block and enters their results; the source values that it hands over."""


class Images:
    """Emits images under maps that are known, and closures of these where they are values."""

    def __init__(self, elements: Elements, block: EmitBlock):
        self.elements, self.types = elements, elements.types
        self._block = block

    def value(self, b: ArrayBuilder, source: Value, env: Environment) -> Value:
        """Return what stands for a source value, a known map as a closure."""
        if source in env or not isinstance(source.type, linear.MapType):
            return env.get(source, source)
        type_ = source.type

        def body(*leaves: Value) -> list[Value]:
            image = self.image(b, source, from_leaves(type_.domain, leaves), env)
            return self.elements.written(b, image, type_.codomain)

        env[source] = b.lambda_(self.types.leaves(type_.domain), body)
        return env[source]

    def image(
        self, b: ArrayBuilder, map_: Value, x: Element, env: Environment, *, transposed: bool = False
    ) -> Element:
        """The image of an element, 0 for what is 0 by structure."""
        if is_zero(x):
            return None
        op = map_.owner
        of = partial(self.image, b, env=env, transposed=transposed)
        match op:
            case linear.TransposeOp():
                return self.image(b, op.operand, x, env, transposed=not transposed)
            case linear.ZeroOp():
                return None
            case linear.IdentityOp():
                return x
            case linear.ComposeOp():
                first, second = (op.outer, op.inner) if transposed else (op.inner, op.outer)
                return of(second, of(first, x))
            case linear.AddOp():
                return self._total(b, [of(m, x) for m in own_operands(op)])
            case linear.VcatOp() | linear.HcatOp():
                if isinstance(op, linear.VcatOp) is not transposed:
                    return [of(m, x) for m in op.maps]
                return self._total(b, [of(m, part(x, k)) for k, m in enumerate(op.maps)])
            case linear.ProjectOp() | linear.InjectOp():
                index = op.index.value.data
                if isinstance(op, linear.ProjectOp) is not transposed:
                    return part(x, index)
                return injected(x, linear.dual(op.domain) if transposed else op.codomain, index)
            case linear.PointMapOp():
                point = [self.value(b, v, env) for v in op.point]
                return self._at_a_point(b, op, point, x, transposed)
            case linear.PointwiseMapOp():
                return self._at_all_points(b, op, x, env, transposed)
            case linear.IndexedMapOp():
                return self._at_positions(b, op, x, env, transposed)
            case linear.RuleOp():
                return self._by_rule(b, op, x, env, transposed)
            case linear.LambdaOp() if transposed:
                return self._transposed_code(b, op, x, env)
            case linear.MapOp() if not isinstance(op, linear.LambdaOp):
                return self._local(b, op, x, env, transposed)
            case _:
                return self._applied(b, map_, x, env, transposed)

    def _total(self, b: ArrayBuilder, elements: Sequence[Element]) -> Element:
        total: Element = None
        for element in elements:
            total = self.elements.plus(b, total, element)
        return total

    # Closures ------------------------------------------------------------------------------------

    def _applied(
        self, b: ArrayBuilder, map_: Value, x: Element, env: Environment, transposed: bool
    ) -> Element:
        """The image under a map that is a closure."""
        type_ = linear.map_type(map_.type, "map")
        closure = env[map_]
        if transposed:
            return self._by_basis(b, map_, lambda leaves: b.apply(closure, leaves), x)
        leaves = self.elements.written(b, x, type_.domain)
        return from_leaves(type_.codomain, b.apply(closure, leaves))

    def _transposed_code(
        self, b: ArrayBuilder, op: linear.LambdaOp, ct: Element, env: Environment
    ) -> Element:
        """The image under the transpose of linear code: of array code by its map, of other by a basis."""
        if higher_order_op(op) is not None:
            return self._applied(b, op.result, ct, env, transposed=True)
        return MapEvaluator(b, op, {}).run(True, expanded_lambda(b, op, env), ct)

    def _by_basis(
        self, b: ArrayBuilder, map_: Value, apply: Callable[[Sequence[Value]], list[Value]], ct: Element
    ) -> Element:
        """The transposed image by the images of a basis, each times the cotangent."""
        type_ = linear.map_type(map_.type, "map")
        if not linear.is_plain(type_.domain) or not linear.is_plain(type_.codomain):
            raise UnsupportedError(
                f"the transpose of a map from {type_.domain} to {type_.codomain} that is a value is applied",
                location=location_of(map_.owner) if not isinstance(map_.owner, Block) else None,
                hint="apply it where the map is made, or differentiate in the other mode",
            )
        spaces = linear.carried(type_.domain)
        given = self.elements.written(b, ct, type_.codomain)

        def coordinate(k: int, position: Sequence[Value]) -> Value:
            vectors = [b.zeros(space) for space in spaces]
            one = b.constant(1.0, element_of(spaces[k]))
            vectors[k] = b.update("set", vectors[k], one, 0, lambda: position) if position else one
            total = b.zeros(element_of(spaces[k]))
            for image, cotangent in zip(apply(vectors), given, strict=True):
                product = b.absorbing_mul(image, cotangent)
                product = b.sum(product, range(len(shape_of(product))))
                total = b.add(total, b.convert(product, element_of(spaces[k])))
            return total

        def gathered(k: int) -> Value:
            extents = shape_of(spaces[k])
            if not extents:
                return coordinate(k, [])

            def element(at: Sequence[Value], _: list[Value]) -> tuple[list[Value], list[Value]]:
                return [], [coordinate(k, at)]

            return b.scan_over(extents, [], element)[1][0]

        return from_leaves(type_.domain, [gathered(k) for k in range(len(spaces))])

    # Spaces of functions -------------------------------------------------------------------------

    def _at_a_point(
        self, b: ArrayBuilder, op: linear.PointMapOp, point: Sequence[Value], x: Element, transposed: bool
    ) -> Element:
        """An application for `evaluate`, and for `single` transposed; a pair for the others."""
        if isinstance(op, linear.EvaluateOp) is not transposed:
            space = op.domain if isinstance(op, linear.EvaluateOp) else linear.dual(op.codomain)
            assert isinstance(space, linear.PowerType)
            return from_leaves(space.space, b.apply(as_value(x), point))
        space = op.codomain if isinstance(op, linear.SingleOp) else linear.dual(op.domain)
        assert isinstance(space, linear.CopowerType)
        return self.elements.single(b, space, point, self.elements.written(b, x, space.space))

    def _at_all_points(
        self, b: ArrayBuilder, op: linear.PointwiseMapOp, x: Element, env: Environment, transposed: bool
    ) -> Element:
        """A closure of the point for `function`, and for `eliminate` transposed; a fold for the others."""
        source, target = op.domain, op.codomain
        if transposed:
            source, target = linear.dual(target), linear.dual(source)
        if isinstance(op, linear.FunctionOp) is not transposed:
            assert isinstance(target, linear.PowerType)
            space = target.space

            def body(*point: Value) -> list[Value]:
                image = self._through(b, op.body, point, x, env, transposed)
                return self.elements.written(b, image, space)

            return b.lambda_(self.types.point(target), body)
        assert isinstance(source, linear.CopowerType)
        copower = source

        def at(point: Sequence[Value], leaves: Sequence[Value]) -> list[Value]:
            element = from_leaves(copower.space, leaves)
            return self.elements.written(
                b, self._through(b, op.body, point, element, env, transposed), target
            )

        return from_leaves(target, self.elements.folded(b, copower, as_value(x), target, at))

    def _through(
        self,
        b: ArrayBuilder,
        region: Region,
        arguments: Sequence[Value],
        x: Element,
        env: Environment,
        transposed: bool,
    ) -> Element:
        """The image under the map that a region makes of arguments."""
        inner = {**env, **dict(zip(region.block.args, arguments, strict=True))}
        (map_,) = self._block(b, region.block, inner)
        return self.image(b, map_, x, inner, transposed=transposed)

    # Positions, rules and array code -------------------------------------------------------------

    def _at_positions(
        self, b: ArrayBuilder, op: linear.IndexedMapOp, x: Element, env: Environment, transposed: bool
    ) -> Element:
        """A loop that stacks for `build`, and for `build_transpose` transposed; else one that adds."""
        through = partial(self._through, b, op.body, env=env, transposed=transposed)
        source, target = (op.domain, op.codomain)
        if transposed:
            source, target = linear.dual(target), linear.dual(source)
        if isinstance(op, linear.BuildOp) is not transposed:
            space = _slice_of(target, len(op.space))

            def stacking(at: Sequence[Value], _: list[Value]) -> tuple[list[Value], list[Value]]:
                return [], self.elements.written(b, through(at, x), space)

            return from_leaves(target, b.scan_over(op.space, [], stacking)[1])
        given = self.elements.written(b, x, source)
        start = [self.elements.zero(b, t) for t in self.types.leaves(target)]
        slice_ = _slice_of(source, len(op.space))

        def adding(at: Sequence[Value], sums: list[Value]) -> tuple[list[Value], list[Value]]:
            image = through(at, from_leaves(slice_, [b.index(v, at) for v in given]))
            return self.elements.written(
                b, self.elements.plus(b, from_leaves(target, sums), image), target
            ), []

        return from_leaves(target, b.scan_over(op.space, start, adding)[0])

    def _by_rule(
        self, b: ArrayBuilder, op: linear.RuleOp, x: Element, env: Environment, transposed: bool
    ) -> Element:
        code = op.transposed_code if transposed else op.forward_code
        if code is None:
            raise one_way(op.code, op.code.block.args, op.transposed is not None, location_of(op))
        source, target = (op.codomain, op.domain) if transposed else (op.domain, op.codomain)
        given = self.elements.written(b, x, source)
        inner = {**env, **dict(zip(code.block.args, given, strict=True))}
        made = self._block(b, code.block, inner)
        return from_leaves(target, [self.value(b, v, inner) for v in made])

    def _local(
        self, b: ArrayBuilder, op: linear.MapOp, x: Element, env: Environment, transposed: bool
    ) -> Element:
        """The image under a map of arrays, whose regions stand here on what stands for their values."""

        def emitted(region: Region, *arguments: Value) -> list[Value]:
            inner = {**env, **dict(zip(region.block.args, arguments, strict=True))}
            return [self.value(b, v, inner) for v in self._block(b, region.block, inner)]

        regions = [b.region_over(extents_of(op), r.block.arg_types, partial(emitted, r)) for r in op.regions]
        operands = [self.value(b, v, env) for v in own_operands(op)]
        own = b.insert(type(op), operands, op.result_types, op.properties, regions)
        source, target = (op.codomain, op.domain) if transposed else (op.domain, op.codomain)
        given = assembled(components(x, source), source)
        image = MapEvaluator(b, own, {}).run(transposed, own.results[0], given)
        return assembled(components(image, target), target)


def _slice_of(space: Attribute, count: int) -> Attribute:
    """The space of the elements at positions of a given number of indices."""
    if isinstance(space, TupleType):
        return tuple_type([_slice_of(s, count) for s in components_of(space)])
    return array_type(shape_of(space)[count:], element_of(space))
