"""The differentiable curry: programs as combinators that carry their derivatives, the pass `curry`.

`translation.py` turns code into combinators, which the interpreter differentiates
(`interpreter/combinators.py`) and `staging.py` turns into closures, with the rep-functions of `closures.py`
and `loops.py`; `environments.py` has the tangents of closures by their captures.

The tangent of a closure's environment has a type of its own for every closure, which no type of the closure
tells: where a branch chooses between closures, a map from it has no type. So a rep-function is a value that
only the interpreter and `maps-to-closures` inspect. The latter knows all contexts of the program, and makes
one inductive type of them for each type of closures. An opaque type would need a kind of its own in every
pass that follows; alternatives cost a tag.
"""

from mlirad.passes.curry.curry import CurryPass

__all__ = ["CurryPass"]
