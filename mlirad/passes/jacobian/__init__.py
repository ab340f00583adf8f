"""The method `jacobian`: ∇, and derivatives of functions as functions that return a map.

`derivatives.py` makes `@f_jacobian(x) -> (y, map)`, once per called function and per set of parameters that
matter; `builds.py` differentiates builds as builds. `LiteralBuilder` (`nabla.py`) applies no law, for the
demonstration.
"""
