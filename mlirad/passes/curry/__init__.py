"""The differentiable curry: programs as combinators that carry their derivatives, the pass `curry`."""

from mlirad.passes.curry.curry import CurryPass

__all__ = ["CurryPass"]
