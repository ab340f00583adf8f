"""Derivatives of Python functions, custom ones, and checks of them.

A transformation here is a function of f and its traced arguments that emits ops;
`frontend/transformations.py` has the public ones. `derivatives.py` emits `linear.linearize` and applications
of the map; all others build on it.

- `argnums.py`: the arguments of differentiation; `linearization.py`: `linearize` and `vjp`; `jacobians.py`:
  Jacobians by columns or rows, and Hessians; `jets.py`: derivatives along a curve, by Taylor mode.
- `custom.py`: rules of the user; `checkpoints.py`: functions whose intermediate values derivatives compute
  again.
- `checks.py`: `check_derivatives`, with its measurements in `remainders.py` and `linearity_check.py`.
- `sweeps.py`, `sweep_instances.py`: sweeps that accumulate other data than derivatives.
"""
