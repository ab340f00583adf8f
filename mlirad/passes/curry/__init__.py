"""The differentiable curry: programs as combinators that carry their derivatives, the pass `curry`.

`translation.py` turns code into combinators, which the interpreter differentiates
(`interpreter/combinators.py`) and `staging.py` turns into closures; `environments.py` has the tangents of
closures by their captures.
"""

from mlirad.passes.curry.curry import CurryPass

__all__ = ["CurryPass"]
