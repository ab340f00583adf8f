"""Running a function on dual numbers: floats with their Delta terms, all else as it is.

The values are computed by the reference interpreter, op by op, in the order of the program (`frames`); beside
them every float that depends on an input gets the terms of its elements from `rules`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from math import prod
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from mlirad.dialects.shapes import is_float, shape_of
from mlirad.errors import DifferentiationError
from mlirad.float_modes import silent, standard_floats
from mlirad.interpreter.deltas.delta_terms import Delta, Input
from mlirad.interpreter.deltas.duals import Dual, plain, terms_of
from mlirad.interpreter.deltas.frames import DUAL_MEANINGS, DualMachine
from mlirad.interpreter.running import ELEMENT_MEANINGS, prepared
from mlirad.lazy_dataclass import dataclass
from mlirad.recursion import deep_recursion


@dataclass(frozen=True)
class DualResults:
    """The results of a function, and the terms of their elements in row-major order.

    `deltas` has None for discrete results: they have no derivative. `points` are the arguments that are
    differentiated; the inputs are numbered through their elements.
    """

    values: tuple[Any, ...]
    deltas: tuple[list[Delta] | None, ...]
    points: tuple[Any, ...]


def run_duals(
    program: ModuleOp | FuncOp,
    args: Sequence[npt.ArrayLike],
    wrt: Sequence[int],
    *,
    function: str | None = None,
) -> DualResults:
    """The results of a function whose arguments `wrt` are inputs; the others are constants.

    Arguments and `function` are those of `run_function`, and so are the errors. Also raises
    DifferentiationError for inputs that are not floats, and UnsupportedError for ops on inputs that are no
    scalar operations (factorisations, Fourier transforms, callbacks) or no array code (linear maps).
    """
    functions, main, values = prepared(program, args, function)
    types = main.function_type.inputs.data
    inputs = count()
    given = list(values)
    for k in wrt:
        if not 0 <= k < len(types) or isinstance(given[k], Dual):
            raise DifferentiationError(
                f"wrt {list(wrt)} must be distinct positions among the {len(types)} arguments of "
                f"@{main.sym_name.data}"
            )
        if not is_float(types[k]):
            raise DifferentiationError(
                f"argument {k} of @{main.sym_name.data} is {types[k]}: only floats have a derivative",
                hint="leave it out of wrt",
            )
        given[k] = Dual(values[k], [Input(next(inputs)) for _ in range(prod(shape_of(types[k])))])
    machine = DualMachine(DUAL_MEANINGS, ELEMENT_MEANINGS, functions)
    duals = silent(deep_recursion(standard_floats(machine.call)))(main.sym_name.data, given)
    outputs = main.function_type.outputs.data
    deltas = [list(terms_of(d)) if is_float(t) else None for d, t in zip(duals, outputs, strict=True)]
    copies = tuple(cast(Any, v).copy() if isinstance(v, np.ndarray) else v for v in map(plain, duals))
    return DualResults(copies, tuple(deltas), tuple(values[k] for k in wrt))
