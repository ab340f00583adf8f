"""Sweeps over code that accumulate data in a commutative monoid: derivatives are one of many.

An `Instance` says what values carry, how it is added and scaled, and how an op acts (CHAD paper, section
11.3). `swept` makes the forward or the reverse sweep of a function; the pass `sweep` adds it to a module.

`instance.py` declares the table of an instance, `shipped.py` has the tables, `forward.py` and `backward.py`
the two directions, `transposed_moves.py` the transposes of moves for any sum, `reductions.py` reductions as
loops.
"""

from mlirad.passes.sweep.instance import Instance
from mlirad.passes.sweep.shipped import INSTANCES
from mlirad.passes.sweep.sweep import SweepPass, sweep_function

__all__ = ["INSTANCES", "Instance", "SweepPass", "sweep_function"]
