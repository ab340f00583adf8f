"""CHAD in its efficient form: functions stay functions, and reverse sweeps are emitted as code.

`functions.py` makes `@g_fwd`, `@g_bwd` and `@g_jvp` of a function. `sweep.py` emits the forward code of a
block and notes a step per op; `backward.py` takes the steps in reverse; `traces.py` does both for a region
and plans what is kept. Ops with regions and calls have a construct each: `scan.py`, `branches.py`,
`calls.py`.

The functions are made once per called function and per set of parameters that matter. A `Sweep` emits forward
code and notes a `Step` per op; `Backward` takes the steps, with a cotangent accumulator per source value.
Chains of scalings are merged as in the maps of dual arrays. A region is traced once, forward code followed by
reverse code, on scratch blocks; both are emitted again where they belong. An accumulator that has not begun
is `None`, not a zero, and takes no code (`structural_zeros.py`). An op without a construct gets the map that
dual arrays make of it alone (`Sweep.by_map`).
"""
