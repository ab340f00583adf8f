"""Structurally nonzero components of an image, given those of the argument.

    project {index = 1}              component 1 of the argument reaches the image
    vcat (project 0), (project 1)    component 1 reaches component 1
    compose %scale, %project         what reaches the projection reaches the image

Structural zeros take no code, and no loop carries them. The analysis looks at the components of
tuples along the spine; of a local map every component of the image depends on every one of the argument.
It is one relation, read from the argument to the image, or from a cotangent to its transposed image.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from xdsl.ir import Attribute

from mlirad.dialects import linear
from mlirad.dialects.shapes import Value, components_of
from mlirad.ir.maps import codomain_of, domain_of
from mlirad.lazy_dataclass import dataclass
from mlirad.linear_maps.elements import Element, ElementOf, assembled, components, filled, sum_of
from mlirad.linear_maps.fold import Fold

Nonzero: TypeAlias = "frozenset[int]"
"""The nonzero components of an element; of one that is not of a tuple space, 0 stands for all of it."""


def nonzero(elements: Sequence[Element]) -> Nonzero:
    """The places of the elements that are not structural zeros."""
    return frozenset(k for k, e in enumerate(elements) if e is not None)


@dataclass(frozen=True)
class Reach:
    """For each component of a map's codomain the set of components of its domain that reach it, as bits."""

    sources: tuple[int, ...]

    def image(self, x: Nonzero) -> Nonzero:
        """The nonzero components of the image, from those of the argument."""
        given = sum(1 << k for k in x)
        return frozenset(k for k, bits in enumerate(self.sources) if bits & given)

    def transposed(self, ct: Nonzero) -> Nonzero:
        """The nonzero components of the transposed image, from those of the cotangent."""
        found = 0
        for k in ct:
            found |= self.sources[k]
        return frozenset(k for k in range(found.bit_length()) if found >> k & 1)


def reach_of(map_: Value) -> Reach:
    """Return which components of its domain reach which of its codomain, for a map expression."""
    domain, codomain = domain_of(map_), codomain_of(map_)
    own = [filled(space, lambda _, k=k: 1 << k) for k, space in enumerate(components_of(domain))]
    image = _Sources().image(map_, assembled(own, domain))
    return Reach(tuple(map(_bits, components(image, codomain))))


def _bits(x: ElementOf[int]) -> int:
    if isinstance(x, list):
        found = 0
        for part in x:
            found |= _bits(part)
        return found
    return x or 0


class _Sources(Fold[int]):
    """Leaves are sets of components of the domain, as bits."""

    def plus(self, x: ElementOf[int], y: ElementOf[int]) -> ElementOf[int]:
        return sum_of(x, y, lambda p, q: p | q)

    def local(self, op: linear.MapOp, x: ElementOf[int]) -> ElementOf[int]:
        return self._all_of(op.codomain, x)

    def composite(self, map_: Value, x: ElementOf[int]) -> ElementOf[int]:
        return self._all_of(codomain_of(map_), x)

    def transposed(self, map_: Value, x: ElementOf[int]) -> ElementOf[int]:
        return self._all_of(domain_of(map_), x)

    def _all_of(self, space: Attribute, x: ElementOf[int]) -> ElementOf[int]:
        bits = _bits(x)
        return filled(space, lambda _: bits) if bits else None
