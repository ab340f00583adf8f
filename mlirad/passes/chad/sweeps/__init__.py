"""CHAD in its efficient form: functions stay functions, and reverse sweeps are emitted as code.

`functions.py` makes `@g_fwd`, `@g_bwd` and `@g_jvp` of a function. `sweep.py` emits the forward code of a
block and notes a step per op; `backward.py` takes the steps in reverse; `traces.py` does both for a region
and plans what is kept. Ops with regions and calls have a construct each: `scan.py`, `branches.py`,
`calls.py`.
"""
