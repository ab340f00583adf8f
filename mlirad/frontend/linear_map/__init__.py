"""`ad.LinearMap`: expressions of linear maps, their arrays, and what is done with them.

An `ad.LinearMap` is a `MapExpression` (`expressions.py`: hashable, without arrays), whose nodes are
`MapNode`s (`nodes.py`), and the arrays that it captures. Its algebra combines expressions (`map_algebra.py`).
A use of a map is a function of expression, arrays and vectors that emits ops: a trace calls it directly, and
at the top level `programs.py` compiles it, once per expression. A map is a pytree, so it can be an argument
of transformed functions. A map made in a trace has `linear.linearize` as its leaf, and stays in that trace.

A map from differentiation is split: `passes/split_map.py` makes one function for values and residuals and one
for the map of the residuals. `J.function()` is the code, `J.arrays` are the residuals; `linearized`
(`frontend/differentiation/linearization.py`) gives the code alone, without a point.

So a map can be applied both ways, composed and analysed, and nothing of the function is recomputed. Residuals
that are arguments are not copied: changing such an array in place changes the map.
"""
