"""Patterns: for each element of an array, the set of input coordinates that it can depend on.

A pattern is a union of *terms*. A term is a product over groups of the array's axes:

    element (i, j, k) depends on column  c + a + b   for every  a related to i  and  b related to (j, k)

so a term holds one relation per group of axes, and a set of constants c. An axis in no group is free: the
element does not depend on its position. The identity on an n x m array takes n + m numbers, rows gathered
from it as many as there are positions, and its sum along an axis no more; what is independent along an axis,
such as the positions of a batch axis, costs nothing there.

    identity on a 2 x 3 array      axis 0: {0: 0, 1: 3}    axis 1: {0: 0, 1: 1, 2: 2}    constant 0
    its sum over axis 1            axis 0: {0: 0, 1: 3}                                  constants 0, 1, 2

`moved` does what linear primitives do to the elements of an array: keep, drop and add axes, and relate some
old axes to some new ones. Where a relation joins several groups these become one. In the worst case a term is
one relation over all axes: the sparse matrix itself. So no step costs more than the nonzeros of what it reads
and makes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from math import prod
from typing import TypeAlias

import numpy as np

from mlirad.dialects.shapes import Shape
from mlirad.lazy_dataclass import dataclass
from mlirad.linear_maps.sparsity.relations import (
    NO_INTS,
    Ints,
    Relation,
    concatenated,
    distinct,
    matches,
    product,
    rearranged,
    relation,
)

SMALL = 64
"""A relation over at most this number of positions may be joined with others, where that unites terms."""

JOINED_PAIRS = 1 << 14
"""The number of pairs that a relation that is joined in order to unite terms may have."""

MAX_TERMS = 48
"""A pattern of more terms is written out as one relation."""

Axes: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Factor:
    """A relation from positions along some axes, in increasing order and row-major, to offsets."""

    axes: Axes
    relation: Relation

    @property
    def key(self) -> tuple[Axes, bytes]:
        """Equal factors have equal keys."""
        return self.axes, self.relation.digest


@dataclass(frozen=True, eq=False)
class Term:
    """A product of factors, the smallest offset of each 0, with a set of constants."""

    factors: tuple[Factor, ...]
    constants: Ints

    @cached_property
    def key(self) -> tuple[tuple[Axes, bytes], ...]:
        """Equal for terms that differ in their constants at most."""
        return tuple(f.key for f in self.factors)


@dataclass(frozen=True, eq=False)
class Block:
    """The dependence of new axes on old ones: element `new[k]` of the former reads element `old[k]` of
    these.
    """

    old_axes: Axes
    new_axes: Axes
    old: Ints
    new: Ints


@dataclass(frozen=True, eq=False)
class Pattern:
    """The inputs that each element of an array of the given shape can depend on. Without terms: none."""

    shape: Shape
    terms: tuple[Term, ...]

    @property
    def is_zero(self) -> bool:
        """Return whether no element depends on anything."""
        return not self.terms

    def pairs(self) -> Relation:
        """All pairs (position of the element, column)."""
        parts = [_written_out(t, self.shape) for t in self.terms]
        return relation(*concatenated(parts)) if parts else _EMPTY

    def raw_pairs(self) -> list[Relation]:
        """The pairs of each term, out of order and with repetitions."""
        return [_written_out(t, self.shape) for t in self.terms]

    def covers(self, axis: int) -> bool:
        """Return whether the pattern differs along an axis."""
        return any(axis in f.axes for t in self.terms for f in t.factors)


_EMPTY = Relation(NO_INTS, NO_INTS)


def identity(shape: Shape, first: int = 0) -> Pattern:
    """Each element depends on its own coordinate; the first one has number `first`."""
    if 0 in shape:
        return Pattern(shape, ())
    factors = [
        Factor((d,), Relation(np.arange(e), np.arange(e) * prod(shape[d + 1 :])))
        for d, e in enumerate(shape)
        if e > 1
    ]
    return Pattern(shape, (Term(tuple(factors), np.array([first], np.int64)),))


def union(shape: Shape, patterns: Iterable[Pattern]) -> Pattern:
    """Return what depends on something by any of the patterns."""
    some = [p for p in patterns if p.terms]
    if len(some) < 2:
        return some[0] if some else Pattern(shape, ())
    return Pattern(shape, _united([t for p in some for t in p.terms], shape))


def moved(x: Pattern, shape: Shape, kept: Mapping[int, int], blocks: Sequence[Block] = ()) -> Pattern:
    """The pattern of an array of the given shape whose elements are sums of elements of x.

    `kept` maps axes of x to axes of the result of the same extent, `blocks` relate others. Other axes of x
    are summed over, other axes of the result are new: each position along them reads the same.
    """
    if not x.terms or 0 in shape:
        return Pattern(shape, ())
    terms = [t for term in x.terms for t in _moved(term, x.shape, shape, kept, blocks)]
    return Pattern(shape, tuple(terms) if len(terms) < 2 else _united(terms, shape))


def prefixed(x: Pattern, axis: int, backwards: bool) -> Pattern:
    """The pattern of prefix sums along an axis, from its end if `backwards`."""
    n = x.shape[axis]

    def spread(f: Factor) -> Factor:
        if axis not in f.axes:
            return f
        extents = [x.shape[a] for a in f.axes]
        at = f.axes.index(axis)
        below = prod(extents[at + 1 :])
        position = f.relation.rows // below % n
        if backwards:
            position = n - 1 - position
        base = f.relation.rows - f.relation.rows // below % n * below
        order = np.lexsort((position, f.relation.offsets, base))
        base, offsets, position = base[order], f.relation.offsets[order], position[order]
        is_first = np.ones(len(base), bool)
        is_first[1:] = (base[1:] != base[:-1]) | (offsets[1:] != offsets[:-1])
        base, offsets, position = base[is_first], offsets[is_first], position[is_first]
        count = n - position
        which = np.repeat(np.arange(len(base)), count)
        reached = np.arange(len(which)) - np.repeat(np.cumsum(count) - count - position, count)
        if backwards:
            reached = n - 1 - reached
        return Factor(f.axes, relation(base[which] + reached * below, offsets[which]))

    terms = [Term(tuple(spread(f) for f in t.factors), t.constants) for t in x.terms]
    return Pattern(x.shape, _united(terms, x.shape) if len(terms) > 1 else tuple(terms))


# Terms -------------------------------------------------------------------------------------------


def _single(term: Term | None) -> tuple[Term, ...]:
    return () if term is None else (term,)


def _term(factors: Iterable[tuple[Axes, Relation]], constants: Ints) -> Term | None:
    """The term in its normal form; `None` where it relates nothing."""
    normal: list[Factor] = []
    for axes, given in factors:
        if not len(given):
            return None
        constants = constants + given.lowest
        if not axes:
            if len(given) > 1:
                offsets = given.offsets - given.lowest
                constants = distinct((constants[:, None] + offsets).ravel())
            continue
        normal.append(Factor(axes, given.shifted(-given.lowest)))
    normal.sort(key=lambda f: f.axes)
    return Term(tuple(normal), constants)


def _moved(
    term: Term, shape: Shape, new_shape: Shape, kept: Mapping[int, int], blocks: Sequence[Block]
) -> tuple[Term, ...]:
    """`moved` of a term. Meanwhile the new axis k has the label k, the old one the label -1 - k."""
    factors: list[tuple[Axes, Relation]] = [(tuple(-1 - a for a in f.axes), f.relation) for f in term.factors]

    def extent(label: int) -> int:
        return new_shape[label] if label >= 0 else shape[-1 - label]

    for block in blocks:
        labels = tuple(-1 - a for a in block.old_axes)
        touched = [f for f in factors if any(label in labels for label in f[0])]
        factors = [f for f in factors if f not in touched]
        made = _related(block, labels, touched, extent)
        if made is not None:
            factors.append(made)
    result: list[tuple[Axes, Relation]] = []
    for axes, given in factors:
        left = [a for a in axes if a >= 0 or -1 - a in kept]
        renamed = [a if a >= 0 else kept[-1 - a] for a in left]
        ordered = [left[k] for k in sorted(range(len(left)), key=renamed.__getitem__)]
        if ordered != list(axes):
            positions = rearranged(given.rows, [extent(a) for a in axes], [axes.index(a) for a in ordered])
            given = relation(positions, given.offsets)
        result.append((tuple(sorted(renamed)), given))
    made_term = _term(result, term.constants)
    return () if made_term is None else _separated(made_term, new_shape)


def _related(
    block: Block, labels: Axes, touched: Sequence[tuple[Axes, Relation]], extent: Callable[[int], int]
) -> tuple[Axes, Relation] | None:
    """The factor over the new axes of a block, and over the other axes of the factors that it touches."""
    new_size = prod(extent(a) for a in block.new_axes)
    if not touched:
        rows = distinct(block.new)
        if len(rows) == new_size:
            return None
        return block.new_axes, Relation(rows, np.zeros(len(rows), np.int64))
    axes, joint = _joined(touched, extent)
    covered = [a for a in labels if a in axes]
    others = tuple(a for a in axes if a not in labels)
    old, new = block.old, block.new
    if len(covered) < len(labels):
        old = rearranged(old, [extent(a) for a in labels], [labels.index(a) for a in covered])
    order = [*covered, *others]
    positions = rearranged(joint.rows, [extent(a) for a in axes], [axes.index(a) for a in order])
    beside = prod(extent(a) for a in others)
    is_total = joint.is_function_on(prod(extent(a) for a in axes))
    if is_total and not others and list(covered) == list(axes):
        return block.new_axes, relation(new, joint.offsets[old])
    keys, rest = (positions, None) if beside == 1 else np.divmod(positions, beside)
    offsets = joint.offsets
    if not _is_sorted(keys):
        by_key = np.argsort(keys, kind="stable")
        keys, offsets = keys[by_key], offsets[by_key]
        rest = None if rest is None else rest[by_key]
    which, found = matches(keys, old)
    rows = new[which] if rest is None else new[which] * beside + rest[found]
    return (*block.new_axes, *others), relation(rows, offsets[found])


def _is_sorted(keys: Ints) -> bool:
    return bool((keys[1:] >= keys[:-1]).all())


def _joined(factors: Sequence[tuple[Axes, Relation]], extent: Callable[[int], int]) -> tuple[Axes, Relation]:
    axes, joint = factors[0]
    for more, given in factors[1:]:
        joint = product(joint, given, prod(extent(a) for a in more))
        axes = (*axes, *more)
    return axes, joint


def _separated(term: Term, shape: Shape) -> tuple[Term, ...]:
    """The term with a factor that is a sum of functions of its axes as a factor for each axis."""
    if all(len(f.axes) < 2 for f in term.factors):
        return (term,)
    factors: list[tuple[Axes, Relation]] = []
    for f in term.factors:
        extents = [shape[a] for a in f.axes]
        if len(f.axes) < 2 or not f.relation.is_function_on(prod(extents)):
            factors.append((f.axes, f.relation))
            continue
        table = f.relation.offsets.reshape(extents)
        corner = table[(0,) * len(extents)]
        rank = range(len(extents))
        lines = [table[tuple(slice(None) if d == k else 0 for d in rank)] - corner for k in rank]
        total = corner
        for k, line in enumerate(lines):
            total = total + line.reshape([-1 if d == k else 1 for d in rank])
        if not np.array_equal(total, table) or any((line < 0).any() for line in lines):
            factors.append((f.axes, f.relation))
            continue
        factors.append(((), Relation(np.zeros(1, np.int64), np.array([corner], np.int64))))
        factors += [
            ((a,), Relation(np.arange(len(line)), line))
            for a, line in zip(f.axes, lines, strict=True)
            if line.any()
        ]
    return _single(_term(factors, term.constants))


def _written_out(term: Term, shape: Shape) -> Relation:
    """A term as pairs of a position in the array and a column, out of order and repeated."""
    return over_axes(term, tuple(range(len(shape))), shape)


def over_axes(term: Term, axes: Axes, shape: Shape) -> Relation:
    """The factors of a term as one relation over all given axes, out of order and repeated."""
    parts = [(f.axes, f.relation) for f in term.factors]
    covered = {a for f in term.factors for a in f.axes}
    parts += [
        ((a,), Relation(np.arange(shape[a]), np.zeros(shape[a], np.int64))) for a in axes if a not in covered
    ]
    parts.sort(key=lambda part: part[0])
    parts.append(((), Relation(np.zeros(len(term.constants), np.int64), term.constants)))
    order, joint = _joined(parts, shape.__getitem__)
    positions = rearranged(joint.rows, [shape[a] for a in order], [order.index(a) for a in axes])
    return Relation(positions, joint.offsets)


# Union -------------------------------------------------------------------------------------------


def _united(terms: Sequence[Term], shape: Shape) -> tuple[Term, ...]:
    """Fewer terms with the same pairs: those that differ in one small factor only are merged."""
    same: dict[object, list[Term]] = {}
    for term in terms:
        same.setdefault(term.key, []).append(term)
    merged = [_with_all_constants(group) for group in same.values()]
    if len(merged) > 1:
        alike: dict[object, list[Term]] = {}
        for term in merged:
            key = tuple(f.key for f in term.factors if not _is_small(f, shape))
            alike.setdefault(key, []).append(term)
        merged = [t for group in alike.values() for t in _merged(group, shape)]
    if len(merged) > MAX_TERMS:
        pairs = relation(*concatenated([_written_out(t, shape) for t in merged]))
        return _single(_term([(tuple(range(len(shape))), pairs)], np.zeros(1, np.int64)))
    return tuple(merged)


def _is_small(f: Factor, shape: Shape) -> bool:
    return prod(shape[a] for a in f.axes) <= SMALL and len(f.relation) <= JOINED_PAIRS


def _with_all_constants(group: Sequence[Term]) -> Term:
    if len(group) == 1:
        return group[0]
    return Term(group[0].factors, distinct(np.concatenate([t.constants for t in group])))


def _merged(group: Sequence[Term], shape: Shape) -> Sequence[Term]:
    """Terms that agree in their large factors as one, if what they differ in is small when joined."""
    if len(group) == 1:
        return group
    axes = tuple(sorted({a for t in group for f in t.factors if _is_small(f, shape) for a in f.axes}))
    if prod(shape[a] for a in axes) > JOINED_PAIRS:
        return group
    small = [Term(tuple(f for f in t.factors if _is_small(f, shape)), t.constants) for t in group]
    sizes = [
        prod(len(f.relation) for f in t.factors)
        * prod(shape[a] for a in axes if not any(a in f.axes for f in t.factors))
        * len(t.constants)
        for t in small
    ]
    if sum(sizes) > JOINED_PAIRS:
        return group
    joint = relation(*concatenated([over_axes(t, axes, shape) for t in small]))
    large = [(f.axes, f.relation) for f in group[0].factors if not _is_small(f, shape)]
    return _single(_term([*large, (axes, joint)], np.zeros(1, np.int64)))
