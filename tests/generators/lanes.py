"""Random programs inside builds: a program of scalars and arrays as one over lanes of them."""

from __future__ import annotations

import random
from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from mlirad.dialects.shapes import Value, array_type, element_of, shape_of
from mlirad.ir.arrays import ArrayBuilder, new_function
from mlirad.ir.builder import function_block


def over_lanes(module: ModuleOp, extents: Sequence[int], seed: int) -> ModuleOp:
    """@main of a module for every position of `extents`: each result is a build of it.

    Some arguments, chosen at random, have the extents in front and are read at the position; the first one
    always does, the others are the same for all lanes.
    """
    source = next(op for op in module.body.block.ops if isinstance(op, FuncOp))
    rng = random.Random(seed)
    types = source.function_type.inputs.data
    laned = [k == 0 or rng.random() < 0.5 for k in range(len(types))]

    def body(b: ArrayBuilder, *args: Value) -> list[Value]:
        def lane(*indices: Value) -> list[Value]:
            given = [b.index(a, indices) if own else a for a, own in zip(args, laned, strict=True)]
            return b.inline_block(function_block(source), given, {})

        count = len(source.function_type.outputs.data)
        return [b.build(extents, lambda *i, k=k: lane(*i)[k]) for k in range(count)]

    lanes = [array_type((*extents, *shape_of(t)), element_of(t)) for t in types]
    given = [wide if own else t for wide, t, own in zip(lanes, types, laned, strict=True)]
    return ModuleOp([new_function("main", given, body)])
