"""CHAD: differentiation of programs with functions as values, type by type and construct by construct.

- `sweeps/`: the method `chad`: functions get forward and backward functions, whose sweeps are emitted as
  code.
- `types.py`, `specification/`: the specification of derivatives at every type, and the pass `chad`.

Sweeps that accumulate other data than derivatives are instances of the pass `sweep` (`passes/sweep/`).
"""
