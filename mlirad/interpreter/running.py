"""Running a function of a program on NumPy values."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Operation

from mlirad.dialects import linear
from mlirad.dialects.array.literals import NUMPY_DTYPES, numpy_dtype
from mlirad.dialects.concrete_sizes import function_at, sizes_at, stated_sizes
from mlirad.dialects.shapes import ELEMENTS, is_array, shape_of
from mlirad.errors import DtypeError, ShapeError, UnsupportedError
from mlirad.float_modes import silent, standard_floats
from mlirad.interpreter.array_ops import ARRAY_ELEMENT_MEANINGS, ARRAY_MEANINGS
from mlirad.interpreter.arrays import Array
from mlirad.interpreter.combinators import COMBINATOR_MEANINGS
from mlirad.interpreter.control import CONTROL_MEANINGS
from mlirad.interpreter.control_maps import CONTROL_MAP_MEANINGS
from mlirad.interpreter.counting import OperationCounter
from mlirad.interpreter.factorisations import FACTORISATION_MEANINGS
from mlirad.interpreter.functions import FUNCTION_MEANINGS
from mlirad.interpreter.kernels import KERNEL_ELEMENT_MEANINGS, KERNEL_MEANINGS
from mlirad.interpreter.linear_maps import STRUCTURE_MEANINGS
from mlirad.interpreter.machine import Frame, Machine, Meaning
from mlirad.interpreter.primitive_maps import PRIMITIVE_MEANINGS
from mlirad.interpreter.transforms import TRANSFORM_MEANINGS
from mlirad.recursion import deep_recursion


def _call(op: CallOp, operands: Sequence[Any], frame: Frame) -> Any:
    results = frame.machine.call(op.callee.root_reference.data, operands)
    return results[0] if len(results) == 1 else results


def _call_map(op: linear.CallOp, operands: Sequence[Any], frame: Frame) -> Any:
    return frame.machine.call(op.callee_name, operands)[0]


MEANINGS: dict[type[Operation], Meaning] = {
    **ARRAY_MEANINGS,
    **FACTORISATION_MEANINGS,
    **TRANSFORM_MEANINGS,
    **CONTROL_MEANINGS,
    **FUNCTION_MEANINGS,
    **COMBINATOR_MEANINGS,
    **STRUCTURE_MEANINGS,
    **PRIMITIVE_MEANINGS,
    **CONTROL_MAP_MEANINGS,
    **KERNEL_MEANINGS,
    CallOp: _call,
    linear.CallOp: _call_map,
    ReturnOp: lambda op, operands, frame: (),
}
"""Every op the interpreter runs."""

ELEMENT_MEANINGS: dict[type[Operation], Callable[[Any, Sequence[Array]], Array]] = {
    **ARRAY_ELEMENT_MEANINGS,
    **KERNEL_ELEMENT_MEANINGS,
}
"""Those that it runs on arrays of positions."""


def run_function(
    program: ModuleOp | FuncOp,
    args: Sequence[npt.ArrayLike],
    *,
    function: str | None = None,
    counter: OperationCounter | None = None,
    timeout: float | None = None,
) -> tuple[Any, ...]:
    """The results of a function on NumPy arrays and scalars, as fresh arrays and NumPy scalars.

    `function` names it; without a name it is the given function, `@main`, or the only one of the module.
    Arguments must have the shape and dtype of the parameters; Python numbers are converted. Executed
    operations are added to `counter`. After `timeout` seconds it raises TimeLimitError.

    Raises ShapeError and DtypeError for arguments that do not fit, UnsupportedError for ops that have no
    value (a derivative that no pass has expanded), InterpreterError for IR that breaks its own promises.
    """
    functions, main, values = prepared(program, args, function)
    machine = Machine(MEANINGS, ELEMENT_MEANINGS, functions, counter)
    if timeout is not None:
        machine.deadline = time.monotonic() + timeout
    results = silent(deep_recursion(standard_floats(machine.call)))(main.sym_name.data, values)
    return tuple(cast(Any, r).copy() if isinstance(r, np.ndarray) else r for r in results)


def prepared(
    program: ModuleOp | FuncOp,
    args: Sequence[npt.ArrayLike],
    function: str | None = None,
) -> tuple[dict[str, FuncOp], FuncOp, list[Any]]:
    """The functions of a program, the one to run and its arguments, checked as `run_function` says."""
    functions = _functions(program)
    main = _chosen(program, functions, function)
    types = main.function_type.inputs.data
    if len(args) != len(types):
        raise ShapeError(f"@{main.sym_name.data} takes {len(types)} arguments, got {len(args)}")
    sizes = sizes_at(types, [np.shape(a) for a in args]) if stated_sizes(main) else {}
    if sizes:
        functions = {name: function_at(function, sizes) for name, function in functions.items()}
        main = functions[main.sym_name.data]
        types = main.function_type.inputs.data
    values = [_argument(k, a, t) for k, (a, t) in enumerate(zip(args, types, strict=True))]
    return functions, main, values


def _functions(program: ModuleOp | FuncOp) -> dict[str, FuncOp]:
    if isinstance(program, ModuleOp):
        ops: Sequence[Operation] = list(program.body.block.ops)
    else:
        around = program.parent
        ops = [program] if around is None else list(around.ops)
    return {op.sym_name.data: op for op in ops if isinstance(op, FuncOp)}


def _chosen(program: ModuleOp | FuncOp, functions: dict[str, FuncOp], name: str | None) -> FuncOp:
    if name is None:
        if isinstance(program, FuncOp):
            return program
        name = next(iter(functions)) if len(functions) == 1 else "main"
    if name not in functions:
        known = ", ".join("@" + f for f in functions) or "none"
        raise UnsupportedError(f"the program has no function @{name}; it has: {known}")
    return functions[name]


def _argument(k: int, value: npt.ArrayLike, type_: Any) -> Any:
    if not is_array(type_, ELEMENTS):
        raise UnsupportedError(f"argument {k} has type {type_}: functions run on arrays and scalars only")
    dtype = numpy_dtype(type_)
    array = np.asarray(value, dtype) if isinstance(value, bool | int | float) else np.asarray(value)
    if array.shape != shape_of(type_):
        raise ShapeError(f"argument {k} has shape {array.shape}, the function takes {shape_of(type_)}")
    if array.dtype != dtype:
        known = ", ".join(str(d) for d in NUMPY_DTYPES.values())
        raise DtypeError(
            f"argument {k} has dtype {array.dtype}, the function takes {dtype}",
            hint=f"convert it with .astype; the language has {known}",
        )
    return array[()]
