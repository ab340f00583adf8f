"""Linear maps as values: a map is a pair of functions, its action and that of its transpose.

Maps made of maps follow the definitions of their action and of the transpose. Application recurses over the
expression, so its time is that of the expression written out as a tree: exponential in the depth of sharing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn, TypeAlias

import numpy as np
from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute, Operation

from mlirad.dialects import linear
from mlirad.dialects.array.scalars import SCALARS
from mlirad.dialects.shapes import components_of
from mlirad.errors import UnsupportedError
from mlirad.interpreter.machine import Frame, Meaning, location_of
from mlirad.interpreter.spaces import Element, Rolled, coordinates, dimension, from_coordinates, plus, zeros
from mlirad.lazy_dataclass import dataclass

Action: TypeAlias = Callable[[Element], Element]


@dataclass(frozen=True)
class LinearMap:
    """A map between two spaces, as what it and its transpose do to an element."""

    domain: Attribute
    codomain: Attribute
    apply: Action
    apply_transpose: Action


def transposed_by_basis(domain: Attribute, action: Action) -> Action:
    """The transpose of an action on a space, by the images of its basis: the columns of a matrix."""

    def transposed(ct: Element) -> Element:
        numbers, size = coordinates(ct), dimension(domain)
        products = [
            SCALARS["absorbing_mul"](coordinates(action(from_coordinates(domain, e))), numbers)
            for e in np.eye(size)
        ]
        return from_coordinates(domain, np.array([np.sum(p) for p in products]).reshape(size))

    return transposed


def counted(op: linear.MapOp, frame: Frame, action: Action, operations: int) -> Action:
    """`action`, counting a given number of operations each time."""
    counter = frame.machine.counter
    if counter is None:
        return action

    def counting(x: Element) -> Element:
        counter.count(op.name, operations)
        return action(x)

    return counting


def _sum_of(op: linear.MapOp, frame: Frame, space: Attribute, actions: Sequence[Action]) -> Action:
    """The action that adds those of several maps, all of them on their own argument."""

    def add_all(xs: Element) -> Element:
        total = None
        for action, x in zip(actions, xs, strict=True):
            image = action(x)
            total = image if total is None else plus(total, image)
        return zeros(space) if total is None else total

    return counted(op, frame, add_all, dimension(space) * max(len(actions) - 1, 0))


def _zero(op: linear.ZeroOp, operands: Sequence[LinearMap], frame: Frame) -> LinearMap:
    def forward(x: Element) -> Element:
        return zeros(op.codomain)

    def backward(ct: Element) -> Element:
        return zeros(linear.dual(op.domain))

    return LinearMap(
        op.domain,
        op.codomain,
        counted(op, frame, forward, dimension(op.codomain)),
        counted(op, frame, backward, dimension(op.domain)),
    )


def _identity(op: linear.IdentityOp, operands: Sequence[LinearMap], frame: Frame) -> LinearMap:
    def unchanged(x: Element) -> Element:
        return x

    return LinearMap(op.domain, op.codomain, unchanged, unchanged)


def _compose(op: linear.ComposeOp, operands: Sequence[LinearMap], frame: Frame) -> LinearMap:
    outer, inner = operands
    return LinearMap(
        op.domain,
        op.codomain,
        lambda x: outer.apply(inner.apply(x)),
        lambda ct: inner.apply_transpose(outer.apply_transpose(ct)),
    )


def _add(op: linear.AddOp, operands: Sequence[LinearMap], frame: Frame) -> LinearMap:
    forward = _sum_of(op, frame, op.codomain, [m.apply for m in operands])
    backward = _sum_of(op, frame, linear.dual(op.domain), [m.apply_transpose for m in operands])
    return LinearMap(op.domain, op.codomain, lambda x: forward((x, x)), lambda ct: backward((ct, ct)))


def _vcat(op: linear.VcatOp, operands: Sequence[LinearMap], frame: Frame) -> LinearMap:
    backward = _sum_of(op, frame, linear.dual(op.domain), [m.apply_transpose for m in operands])
    return LinearMap(op.domain, op.codomain, lambda x: tuple(m.apply(x) for m in operands), backward)


def _hcat(op: linear.HcatOp, operands: Sequence[LinearMap], frame: Frame) -> LinearMap:
    forward = _sum_of(op, frame, op.codomain, [m.apply for m in operands])
    return LinearMap(
        op.domain, op.codomain, forward, lambda ct: tuple(m.apply_transpose(ct) for m in operands)
    )


def _projection(op: linear.MapOp, frame: Frame, product: Attribute, k: int) -> tuple[Action, Action]:
    """Projection to component k of a product, and injection from it."""
    spaces = components_of(product)

    def inject(x: Element) -> Element:
        return tuple(x if i == k else zeros(space) for i, space in enumerate(spaces))

    zeroed = dimension(product) - dimension(spaces[k])
    return lambda xs: xs[k], counted(op, frame, inject, zeroed)


def _project(op: linear.ProjectOp, operands: Sequence[LinearMap], frame: Frame) -> LinearMap:
    project, inject = _projection(op, frame, linear.dual(op.domain), op.index.value.data)
    return LinearMap(op.domain, op.codomain, project, inject)


def _inject(op: linear.InjectOp, operands: Sequence[LinearMap], frame: Frame) -> LinearMap:
    project, inject = _projection(op, frame, op.codomain, op.index.value.data)
    return LinearMap(op.domain, op.codomain, inject, project)


def _transpose(op: linear.TransposeOp, operands: Sequence[LinearMap], frame: Frame) -> LinearMap:
    (m,) = operands
    return LinearMap(op.domain, op.codomain, m.apply_transpose, m.apply)


# Application -------------------------------------------------------------------------------------


def from_leaves(space: Attribute, leaves: Sequence[Element]) -> Element:
    """The element of a space with the given leaves."""
    return _filled(space, iter(leaves))


def _filled(space: Attribute, leaves: Iterator[Element]) -> Element:
    if isinstance(space, TupleType):
        return tuple(_filled(part, leaves) for part in space.types.data)
    return next(leaves)


def leaves_of(space: Attribute, element: Element) -> list[Element]:
    """The leaves of an element, in order."""
    if isinstance(space, TupleType):
        parts = zip(space.types.data, element, strict=True)
        return [leaf for part, e in parts for leaf in leaves_of(part, e)]
    return [element]


def _images(space: Attribute, image: Element) -> Any:
    """The leaves of an element, as the results of an op."""
    leaves = leaves_of(space, image)
    return leaves[0] if len(leaves) == 1 else tuple(leaves)


def _apply(op: linear.ApplyOp, operands: Sequence[Any], frame: Frame) -> Any:
    m, *parts = operands
    return _images(m.codomain, m.apply(from_leaves(m.domain, parts)))


def _apply_transpose(op: linear.ApplyTransposeOp, operands: Sequence[Any], frame: Frame) -> Any:
    m, *parts = operands
    return _images(m.domain, m.apply_transpose(from_leaves(m.codomain, parts)))


def _plus(op: linear.PlusOp, operands: Sequence[Element], frame: Frame) -> Element:
    return plus(*operands)


def _nothing(op: linear.NothingOp, operands: Sequence[Element], frame: Frame) -> Element:
    return zeros(op.result.type)


def _roll(op: linear.RollOp, operands: Sequence[Element], frame: Frame) -> Element:
    return Rolled(tuple(operands))


def _unroll(op: linear.UnrollOp, operands: Sequence[Element], frame: Frame) -> Any:
    (element,) = operands
    leaves = tuple(map(zeros, op.leaves.types)) if element.leaves is None else element.leaves
    return leaves[0] if len(leaves) == 1 else leaves


def _unexpanded(
    op: linear.DifferentiationOp | linear.DerivedOp, operands: Sequence[Any], frame: Frame
) -> NoReturn:
    raise UnsupportedError(
        f"{op.name} of @{op.callee_name} has no value of its own: derivatives come from rules",
        location=location_of(op.location),
        hint=f"run the pass that expands it first: {_EXPANDED_BY.get(type(op), 'linearize')}",
    )


def _recorded(op: linear.RecordedOp, operands: Sequence[Any], frame: Frame) -> LinearMap:
    """Applied by its functions; forward only if there is one for that."""
    name, count = op.callee.root_reference.data, op.primal_count

    def backward(ct: Element) -> Element:
        sums = [zeros(components_of(op.domain)[k]) for k in op.summed]
        return tuple(frame.machine.call(name, [*operands[count:], *ct, *sums]))

    def forward(x: Element) -> Element:
        if op.forward is None:
            raise UnsupportedError("the map of a recorded call is not applied forward")
        return tuple(frame.machine.call(op.forward.root_reference.data, [*operands[:count], *x]))

    return LinearMap(op.domain, op.codomain, forward, backward)


_EXPANDED_BY: dict[type[Operation], str] = dict.fromkeys(
    (linear.PushOp, linear.PullOp, linear.DerivativeOp, linear.CurvatureOp), "outline-derivatives"
)


STRUCTURE_MEANINGS: dict[type[Operation], Meaning] = {
    linear.ZeroOp: _zero,
    linear.IdentityOp: _identity,
    linear.ComposeOp: _compose,
    linear.AddOp: _add,
    linear.VcatOp: _vcat,
    linear.HcatOp: _hcat,
    linear.ProjectOp: _project,
    linear.InjectOp: _inject,
    linear.TransposeOp: _transpose,
    linear.ApplyOp: _apply,
    linear.ApplyTransposeOp: _apply_transpose,
    linear.PlusOp: _plus,
    linear.NothingOp: _nothing,
    linear.RollOp: _roll,
    linear.UnrollOp: _unroll,
    linear.LinearizeOp: _unexpanded,
    linear.PullbackOp: _unexpanded,
    linear.JetOp: _unexpanded,
    **dict.fromkeys(_EXPANDED_BY, _unexpanded),
    linear.RecordedOp: _recorded,
}
"""From the class of a structure, value or element op to its meaning."""
