"""The laws of linear maps as rewrites (linear-map notes, Figures 4 and 5; CHAD paper, section 9)."""

from mlirad.linear_maps.laws.builder import LAWS, PAIR_LAWS, LawBuilder
from mlirad.linear_maps.laws.law import Law, PairLaw

__all__ = ["LAWS", "PAIR_LAWS", "Law", "LawBuilder", "PairLaw"]
