"""The laws of linear maps as rewrites (linear-map notes, Figures 4 and 5; CHAD paper, section 9).

Distribution applies only where it shrinks: m after a pairing of n1 and n2, written as two compositions,
writes m twice. It is applied only if another law makes each composition a single map. Composition with a map
that is itself a composition is never reassociated: with m2 = m1 after m1, m3 = m2 after m2 and so on, that
would write out exponentially many maps.

A law must hold for all values, infinities and NaN included, and leave fewer maps, so that building
terminates. `compositions.py`, `transpositions.py`, `index_spaces.py` and `function_spaces.py` have the laws;
`builder.py` applies them to every map as it is made.
"""

from mlirad.linear_maps.laws.builder import LAWS, PAIR_LAWS, LawBuilder
from mlirad.linear_maps.laws.law import Law, PairLaw

__all__ = ["LAWS", "PAIR_LAWS", "Law", "LawBuilder", "PairLaw"]
