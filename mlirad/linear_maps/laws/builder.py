"""The builder that applies the laws to every map as it is made, until none applies.

The rewriters have a measure each, stated in their files, which every law makes smaller. They are ordered:
the size of what is transposed, the nesting of function spaces between maps, maps in regions over index
spaces, the dimension of the spaces in the middle of compositions, maps that are applied. A law leaves the
earlier measures as they are or makes them smaller.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from xdsl.ir import Attribute, Block, Operation, Region

from mlirad.dialects import linear
from mlirad.dialects.shapes import Value
from mlirad.ir.arrays import ArrayBuilder, Environment
from mlirad.ir.free_values import own_operands
from mlirad.linear_maps.laws.compositions import COMPOSITION_LAWS, SUM_LAWS
from mlirad.linear_maps.laws.function_spaces import FUNCTION_LAWS, FUNCTION_PAIRS
from mlirad.linear_maps.laws.index_spaces import INDEX_SPACE_LAWS, INDEX_SPACE_PAIRS
from mlirad.linear_maps.laws.law import Law, PairLaw
from mlirad.linear_maps.laws.transpositions import TRANSPOSITION_LAWS

LAWS: tuple[Law, ...] = (*TRANSPOSITION_LAWS, *FUNCTION_LAWS, *INDEX_SPACE_LAWS, *SUM_LAWS)
"""Laws of one op."""

PAIR_LAWS: tuple[PairLaw, ...] = (*FUNCTION_PAIRS, *INDEX_SPACE_PAIRS, *COMPOSITION_LAWS)
"""Laws of a composition of two maps."""


def _by_op() -> dict[type[Operation], list[Law]]:
    table: dict[type[Operation], list[Law]] = defaultdict(list)
    for law in LAWS:
        for op in law.ops:
            table[op].append(law)
    return table


def _by_pair() -> dict[tuple[object, object], list[PairLaw]]:
    table: dict[tuple[object, object], list[PairLaw]] = defaultdict(list)
    for law in PAIR_LAWS:
        for outer in law.outer:
            for inner in law.inner:
                table[outer, inner].append(law)
    return table


_BY_OP = _by_op()
_BY_PAIR = _by_pair()


class LawBuilder(ArrayBuilder):
    """The folding builder with the laws of linear maps; `applied` counts how often each was used.

    Without `transposes`, maps that are transposed stay as they are.
    """

    def __init__(self, block: Block, applied: Counter[str] | None = None, transposes: bool = True):
        super().__init__(block)
        self.transposes = transposes
        self.applied: Counter[str] = Counter() if applied is None else applied
        self._settled: dict[Value, Value] = {}

    def emit(
        self,
        op_class: type[Operation],
        operands: Sequence[Value],
        result_type: Attribute,
        properties: Mapping[str, Attribute] | None = None,
        regions: Sequence[Region] = (),
    ) -> Value:
        """The single result of `insert`, or what the laws make of it."""
        value = super().emit(op_class, operands, result_type, properties, regions)
        return self.settled(value) if issubclass(op_class, linear.MapOp) else value

    def rebuild(self, op: Operation, env: Environment) -> None:
        """Rebuild `op` through the folding constructors and the laws."""
        super().rebuild(op, env)
        if isinstance(op, linear.MapOp):
            env[op.result] = self.settled(env[op.result])

    def settled(self, value: Value) -> Value:
        """The map after the laws."""
        known = self._settled.get(value)
        if known is None:
            known = self._once(value)
            known = value if known is None else self.settled(known)
            self._settled[value] = self._settled[known] = known
        return known

    def _once(self, value: Value) -> Value | None:
        """The map after one law, where one applies."""
        op = value.owner
        if not isinstance(op, linear.MapOp):
            return None
        if isinstance(op, linear.ComposeOp):
            return self._composition(op)
        if isinstance(op, linear.TransposeOp) and not self.transposes:
            return None
        for law in _BY_OP.get(type(op), ()):
            made = law.rewrite(self, op)
            if made is not None and made is not value:
                self.applied[law.name] += 1
                return made
        return None

    def _composition(self, op: linear.ComposeOp) -> Value | None:
        """f g, f (g d) as (f g) d, or (p f) g as p (f g), where a law makes something smaller of f g."""
        f, g = own_operands(op)
        made = self._pair(f, g)
        if made is not None:
            return made
        if isinstance(g.owner, linear.ComposeOp):
            first, rest = own_operands(g.owner)
            made = self._pair(f, first)
            if made is not None:
                return self.compose(made, rest)
        if isinstance(f.owner, linear.ComposeOp):
            rest, last = own_operands(f.owner)
            if self._reduces(last, g):
                return self.compose(rest, self.compose(last, g))
        return None

    def _reduces(self, f: Value, g: Value) -> bool:
        """Return whether a law makes something smaller of f g, or of f and the first factor of g."""
        made = self.compose(f, g).owner
        if not isinstance(made, linear.ComposeOp):
            return True
        outer, inner = own_operands(made)
        return outer is not f or inner is not g

    def _pair(self, f: Value, g: Value) -> Value | None:
        for law in _BY_PAIR.get((type(f.owner), type(g.owner)), ()):
            made = law.rewrite(self, f.owner, g.owner)
            if made is not None:
                self.applied[law.name] += 1
                return made
        return None
