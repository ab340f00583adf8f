"""Reference semantics of every op on NumPy arrays: slow, obvious, the arbiter of what a program means.

    run_function(module, [np.arange(3.0)])                     the results of @main, or of the only function
    run_function(module, [x, y], function="f", counter=c)      and what it executed, by the cost law, in c

Nothing here shares code with the passes or with code generation, except for the scalar meaning of elementwise
ops, which stands in `mlirad.dialects.array.scalars`.

To add an op, write its meaning in `array_ops.py` (elementwise ops follow from their scalar meaning), that of
a primitive map and its transpose in `primitive_maps.py`, of a map with regions in `control_maps.py`, and the
derivative on scalar dual numbers in `deltas/`. Use textbook formulas: the value of the interpreter is its
independence. Tests compare it with NumPy (`tests/interpreter/`).
"""

from mlirad.interpreter.counting import OperationCounter
from mlirad.interpreter.running import run_function

__all__ = ["OperationCounter", "run_function"]
