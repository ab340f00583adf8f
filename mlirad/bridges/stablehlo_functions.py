"""`from_stablehlo`: the text of a StableHLO module as a function of mlirad.

f = ad.from_stablehlo(jax.jit(g).lower(x).as_text())
ad.grad(lambda x: f(x)[0])(x)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from mlirad.dialects.array.literals import numpy_dtype
from mlirad.dialects.shapes import Value, shape_of
from mlirad.errors import ArgumentError
from mlirad.frontend.compiling.transformed import run_compiled
from mlirad.frontend.tracing.array import Array, made
from mlirad.frontend.tracing.frames import emitting
from mlirad.frontend.tracing.open_traces import is_tracing
from mlirad.frontend.tracing.operations import as_array
from mlirad.frontend.tracing.raising import argument_error
from mlirad.frontend.tracing.source import user_line
from mlirad.frontend.tracing.tracebacks import plain_errors
from mlirad.ir.builder import function_block
from mlirad.ir.call_graph import functions_by_name
from mlirad.ir.foreign import STABLEHLO
from mlirad.ir.parsing import parse_module
from mlirad.ir.verification import verify_module
from mlirad.passes.convert_stablehlo import convert_stablehlo


class StableHloFunction:
    """A function of a module of StableHLO, which takes arrays and gives a tuple of arrays."""

    CAPTURED: ClassVar = ("main",)

    def __init__(self, main: FuncOp):
        self.main = main
        self.__name__ = main.sym_name.data
        self.__qualname__ = self.__name__

    def __call__(self, *arrays: Any) -> tuple[Any, ...]:
        if not is_tracing():
            return run_compiled(self, tuple(plain(array) for array in arrays), {})
        block = function_block(self.main)
        if len(arrays) != len(block.args):
            raise ArgumentError(
                f"@{self.__name__} takes {len(block.args)} arrays, got {len(arrays)}",
                location=user_line(),
                hint="pass the arrays of its signature, one by one",
            )
        values = [
            _fitting(array, arg, k) for k, (array, arg) in enumerate(zip(arrays, block.args, strict=True))
        ]
        return tuple(made(r) for r in emitting().inline_block(block, values, {}))


def _fitting(array: Any, argument: Value, k: int) -> Value:
    """The value of an argument, which must have the type of its parameter; Python numbers take it on."""
    dtype = numpy_dtype(argument.type)
    traced = as_array(array, dtype) if type(array) in (bool, int, float) else as_array(array)
    if traced.weak:
        traced = as_array(traced, dtype)
    if (traced.shape, traced.dtype) != (shape_of(argument), dtype):
        raise argument_error(
            f"argument {k} is {traced.dtype}{list(traced.shape)}, and the program is written for "
            f"{dtype}{list(shape_of(argument))}",
            "lower the program for arguments of this shape and dtype",
        )
    return traced.value


def plain(leaf: Any) -> Any:
    """A leaf as mlirad takes it: arrays of other packages as arrays of NumPy, unsigned ones by their bits."""
    if type(leaf) in (bool, int, float) or isinstance(leaf, Array):
        return leaf
    array = np.asarray(leaf)
    return array.view(np.dtype(f"i{array.dtype.itemsize}")) if array.dtype.kind == "u" else array


def converted_function(text: str, file: str, name: str | None = None) -> FuncOp:
    """The function `name` of a module of StableHLO as array code, by default the only public one, all calls
    written out."""
    return converted(parse_module(text, file), file, name)


def converted(module: ModuleOp, file: str, name: str | None = None) -> FuncOp:
    """The same of a module that is parsed."""
    verify_module(module, foreign=STABLEHLO)
    convert_stablehlo(module, write_out=True)
    verify_module(module)
    functions = functions_by_name(module)
    chosen = name if name is not None else "main" if len(functions) != 1 else next(iter(functions))
    if chosen not in functions:
        raise ArgumentError(f"{file}: there is no function @{chosen}", hint=_names(list(functions)))
    return functions[chosen]


def _names(names: Sequence[str]) -> str:
    return f"there are {', '.join(f'@{name}' for name in names)}" if names else "the module has none"


@plain_errors
def from_stablehlo(text: str, file: str = "<StableHLO>", *, function: str | None = None) -> StableHloFunction:
    """A function of mlirad from the text of a StableHLO module, as JAX prints it: `main`, or the one named.

    It takes arrays of the shapes and dtypes that the text states, unsigned ones as signed ones of the same
    bits, and gives a tuple of the results. `file` is what errors name. Raises `ParseError`, `VerifyError` or
    `UnsupportedError`, with file, line and op, for text that is malformed or that the language has no word
    for.

        >>> text = '''
        ... func.func @main(%x: tensor<f64>) -> tensor<f64> {
        ...   %0 = stablehlo.sine %x : tensor<f64>
        ...   return %0 : tensor<f64>
        ... }
        ... '''
        >>> sine = ad.from_stablehlo(text)
        >>> ad.grad(lambda x: sine(x)[0])(0.0)
        np.float64(1.0)
    """
    return StableHloFunction(converted_function(text, file, function))
