"""Which components of an image can differ from zero, given which components of the argument can.

    project {index = 1}, argument alive in component 1     alive
    vcat (project 0), (project 1)                          alive in component 1
    compose %scale, %project                               alive

What is dead is a structural zero: no code is emitted for it and no loop carries it. The analysis looks at the
components of tuples along the spine; a local map with an argument that is alive anywhere is alive everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from mlirad.dialects import linear
from mlirad.dialects.shapes import Value, components_of
from mlirad.ir.free_values import own_operands
from mlirad.ir.maps import codomain_of

Alive: TypeAlias = "frozenset[int]"
"""The living components of an element; of an element that is not of a tuple space, 0 stands for all of it."""

DEAD: Alive = frozenset()


def alive_image(order: Sequence[Value], argument: Alive) -> Alive:
    """The living components of the image under the last map of a spine, from those of the argument."""
    images: dict[Value, Alive] = {}
    for node in order:
        op = node.owner
        match op:
            case linear.ComposeOp():
                outer, inner = own_operands(op)
                images[node] = _through(outer, images[inner])
            case linear.AddOp():
                left, right = own_operands(op)
                images[node] = images[left] | images[right]
            case linear.VcatOp():
                images[node] = frozenset(k for k, m in enumerate(own_operands(op)) if images[m])
            case _:
                images[node] = _through(node, argument)
    return images[order[-1]]


def _through(m: Value, argument: Alive) -> Alive:
    match m.owner:
        case linear.IdentityOp():
            return argument
        case linear.ProjectOp() as op:
            return _all_of(m) if op.index.value.data in argument else DEAD
        case linear.InjectOp() as op:
            return frozenset((op.index.value.data,)) if argument else DEAD
        case linear.ZeroOp():
            return DEAD
        case _:
            return _all_of(m) if argument else DEAD


def _all_of(m: Value) -> Alive:
    return frozenset(range(len(components_of(codomain_of(m)))))


def alive_cotangent(order: Sequence[Value], cotangent: Alive, components: int) -> Alive:
    """The living components of the transposed image, of so many, from those of the cotangent."""
    sums: dict[Value, Alive] = {order[-1]: cotangent}
    total = DEAD
    everything = frozenset(range(components))

    def add(m: Value, alive: Iterable[int]) -> None:
        sums[m] = sums.get(m, DEAD).union(alive)

    for node in reversed(order):
        alive = sums.get(node, DEAD)
        op = node.owner
        if not alive:
            continue
        match op:
            case linear.ComposeOp():
                outer, inner = own_operands(op)
                match outer.owner:
                    case linear.ProjectOp() as projection:
                        add(inner, (projection.index.value.data,))
                    case linear.IdentityOp():
                        add(inner, alive)
                    case linear.ZeroOp():
                        pass
                    case _:
                        add(inner, _all_of(inner))
            case linear.AddOp():
                for m in own_operands(op):
                    add(m, alive)
            case linear.VcatOp():
                for k, m in enumerate(own_operands(op)):
                    if k in alive:
                        add(m, _all_of(m))
            case linear.ProjectOp():
                total |= {op.index.value.data}
            case linear.IdentityOp():
                total |= alive
            case linear.ZeroOp():
                pass
            case _:
                total = everything
    return total
