"""Reference semantics of every op on NumPy arrays: slow, obvious, the arbiter of what a program means.

    run_function(module, [np.arange(3.0)])                     the results of @main, or of the only function
    run_function(module, [x, y], function="f", counter=c)      and what it executed, by the cost law, in c

Nothing here shares code with the passes or with code generation, except for the scalar meaning of elementwise
ops, which stands in `mlirad.dialects.array.scalars`.
"""

from mlirad.interpreter.counting import OperationCounter
from mlirad.interpreter.running import run_function

__all__ = ["OperationCounter", "run_function"]
