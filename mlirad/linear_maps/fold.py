"""One traversal of map expressions, over an algebra: a subclass decides what the leaves of images are.

    Fold.image(%map, x)         the image of x, one per node, from the inputs on

    evaluation     leaves are values: images are array code        `mlirad.linear_maps.apply.evaluator`
    zeros          leaves are sets of components of the domain     `mlirad.linear_maps.nonzeros`
    sparsity       leaves are patterns of coordinates              `mlirad.linear_maps.sparsity.images`

A node's image is complete when the node is reached, because the nodes are taken in topological order: what is
shared is computed once. A composite left operand of a composition is a function, folded again wherever it is
applied. The reverse sweep goes through the same nodes in reverse order
(`mlirad.linear_maps.apply.reverse_sweep`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Container, Mapping, Sequence
from typing import Generic

from xdsl.ir import Block

from mlirad.dialects import linear
from mlirad.dialects.shapes import Value
from mlirad.errors import UnsupportedError
from mlirad.ir.free_values import own_operands
from mlirad.ir.maps import is_local
from mlirad.linear_maps.elements import ElementOf, T, injected, is_zero, part


def operands_over(node: Value) -> list[Value]:
    """The operands of a node that are maps from the same space."""
    match node.owner:
        case linear.ComposeOp() as op:
            return [own_operands(op)[1]]
        case linear.AddOp() | linear.VcatOp() as op:
            return list(own_operands(op))
        case _:
            return []


def topological(
    root: Value,
    cuts: Container[Value] = (),
    location: str | None = None,
    before: Mapping[Value, Sequence[Value]] | None = None,
) -> list[Value]:
    """The nodes that share the root's domain, operands before users; those in `cuts` are not looked behind.

    `before` says which further nodes come before a node. Raises `UnsupportedError`, at the location, for a
    map that no op here makes.
    """
    order: dict[Value, None] = {}
    pending = [root]
    while pending:
        node = pending[-1]
        op = node.owner
        if not isinstance(op, linear.MapOp):
            what = "an argument" if isinstance(op, Block) else f"a result of {op.name}"
            raise UnsupportedError(
                f"the map is {what} and not known here",
                location=location,
                hint="maps can be applied where they are made; run mlirad-inline and linearize before",
            )
        behind = [] if node in cuts else [*operands_over(node), *(before or {}).get(node, ())]
        waiting = [m for m in behind if m not in order]
        if waiting and node not in order:
            pending += reversed(waiting)
        else:
            order[node] = None
            pending.pop()
    return list(order)


class Fold(ABC, Generic[T]):
    """The images of elements, with leaves of type T, under map expressions."""

    @abstractmethod
    def plus(self, x: ElementOf[T], y: ElementOf[T]) -> ElementOf[T]:
        """The sum of two elements."""

    @abstractmethod
    def local(self, op: linear.MapOp, x: ElementOf[T]) -> ElementOf[T]:
        """The image of an element that is not zero under a map that is not made of maps, or has regions."""

    @abstractmethod
    def transposed(self, map_: Value, x: ElementOf[T]) -> ElementOf[T]:
        """The image under the transposed map."""

    def order(self, root: Value) -> list[Value]:
        """The nodes of an expression, operands before users."""
        return topological(root)

    def start(self, op: linear.MapOp) -> None:
        """Called as each node is reached."""

    def is_zero(self, x: ElementOf[T]) -> bool:
        """Return whether an element is a structural zero."""
        return is_zero(x)

    def composite(self, map_: Value, x: ElementOf[T]) -> ElementOf[T]:
        """The image under a composite map that is applied as a function."""
        return self.image(map_, x)

    def image(self, root: Value, x: ElementOf[T]) -> ElementOf[T]:
        """The image of an element."""
        return self.images(root, x)[root]

    def images(
        self,
        root: Value,
        x: ElementOf[T],
        given: Mapping[Value, ElementOf[T]] | None = None,
        passed: Container[Value] = (),
    ) -> dict[Value, ElementOf[T]]:
        """The image under every node, except for those that are given, and those that are passed over."""
        images: dict[Value, ElementOf[T]] = dict(given or {})
        for node in self.order(root):
            if node in images or node in passed:
                continue
            op = node.owner
            assert isinstance(op, linear.MapOp)
            self.start(op)
            match op:
                case linear.ComposeOp():
                    image = self.composed(op, images)
                case linear.AddOp():
                    image = self.added(op, images)
                case linear.VcatOp():
                    image = [images[m] for m in own_operands(op)]
                case _:
                    image = self.through(node, x)
            images[node] = None if self.is_zero(image) else image
        return images

    def composed(self, op: linear.ComposeOp, images: Mapping[Value, ElementOf[T]]) -> ElementOf[T]:
        """The image under a composition, given those of the nodes before."""
        outer, inner = own_operands(op)
        return self.through(outer, images[inner])

    def added(self, op: linear.AddOp, images: Mapping[Value, ElementOf[T]]) -> ElementOf[T]:
        """The image under a sum, given those of the nodes before."""
        left, right = own_operands(op)
        return self.plus(images[left], images[right])

    def through(self, map_: Value, x: ElementOf[T]) -> ElementOf[T]:
        """The image under a map that something is put into."""
        op = map_.owner
        if x is None or isinstance(op, linear.ZeroOp):
            return None
        match op:
            case linear.IdentityOp():
                return x
            case linear.ProjectOp():
                return part(x, op.index.value.data)
            case linear.InjectOp():
                return injected(x, op.codomain, op.index.value.data)
            case linear.HcatOp():
                image: ElementOf[T] = None
                for k, m in enumerate(op.maps):
                    image = self.plus(image, self.composite(m, part(x, k)))
                return image
            case linear.TransposeOp():
                return self.transposed(op.operand, x)
            case linear.MapOp() if is_local(op):
                return self.local(op, x)
            case _:
                return self.composite(map_, x)
