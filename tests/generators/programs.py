"""Random well-typed array programs."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Mapping, Sequence

from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp, f32, f64, i1, i32, i64
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region

from mlirad.dialects.shapes import array_type, is_float
from tests.generators.builder import ProgramBuilder
from tests.generators.makers import add_random_op

ELEMENT_WEIGHTS: Mapping[Attribute, int] = {f64: 12, f32: 2, i64: 3, i32: 1, i1: 1}
SMOOTH_WEIGHTS: Mapping[Attribute, int] = {f64: 12, i64: 2, i1: 1}
RANKS = (0, 1, 1, 1, 2, 2, 3)
MAX_RESULTS = 6


def random_program(
    seed: int,
    size: int,
    smooth: bool = False,
    *,
    elements: Mapping[Attribute, int] | None = None,
    ranks: Sequence[int] = RANKS,
    allow: Collection[type[Operation]] | Callable[[type[Operation]], bool] | None = None,
    straight: bool = False,
) -> ModuleOp:
    """A module with one function @main of about `size` ops chosen from the whole array dialect.

    `elements` weighs element types, `ranks` is what ranks are drawn from, `allow` restricts the op classes
    that are chosen (operands may still need constants, broadcasts and sums), `straight` leaves out loops,
    branches, sorting, prefix reductions and products. In smooth mode floats are f64,
    bounded, differentiable almost everywhere and never decide anything, and only floats are returned.
    """
    rng = random.Random(seed)
    weights = elements or (SMOOTH_WEIGHTS if smooth else ELEMENT_WEIGHTS)
    block = Block()
    g = ProgramBuilder(rng, block, elements=weights, ranks=ranks, smooth=smooth)
    g.straight = straight
    g.grow = lambda: add_random_op(g)
    if allow is not None:
        g.allows = allow if callable(allow) else lambda op_class: op_class in allow
    main = max(weights, key=lambda e: weights[e])
    types = [array_type(g.shape(least_rank=1), main)]
    types += [array_type(g.shape(), g.element(list(weights))) for _ in range(rng.randint(0, 2))]
    for type_ in types:
        g.scopes[0].append(block.insert_arg(type_, len(block.args)))
    for _ in range(size):
        g.grow()
    return _module(g, block)


def _module(g: ProgramBuilder, block: Block) -> ModuleOp:
    """A module around the block, which returns the newest values that nothing uses."""
    leaves = [v for v in g.scopes[0] if not v.uses and (is_float(v) or not g.smooth)]
    floats = [v for v in g.scopes[0] if is_float(v)]
    results = leaves[-MAX_RESULTS:] or floats[-1:] or g.scopes[0][-1:]
    block.add_op(ReturnOp.create(operands=results))
    types = [a.type for a in block.args], [r.type for r in results]
    return ModuleOp([FuncOp("main", types, Region(block))])


@st.composite
def programs(
    draw: st.DrawFn,
    max_ops: int = 12,
    elements: Mapping[Attribute, int] | None = None,
    ranks: Sequence[int] = RANKS,
    allow: Collection[type[Operation]] | Callable[[type[Operation]], bool] | None = None,
    smooth: bool = False,
) -> ModuleOp:
    """Modules of `random_program` with at most `max_ops` chosen ops; shrinks towards fewer ops."""
    size = draw(st.integers(1, max_ops))
    seed = draw(st.integers(0, 2**32 - 1))
    return random_program(seed, size, smooth, elements=elements, ranks=ranks, allow=allow)
