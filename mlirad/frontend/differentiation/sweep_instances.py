"""`Instance`: what a sweep accumulates, written with NumPy; its laws are checked on samples when it is made.

ad.Instance("xor", {bool: bool}, zero=False, one=True, plus=np.logical_xor, scale=np.logical_and,
            partials={np.logical_xor: lambda x, y: (True, True), np.logical_and: lambda x, y: (y, x)})
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Operation

from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.literals import ELEMENT_TYPES
from mlirad.dialects.array.structural import ConstantOp
from mlirad.dialects.shapes import Value, array_type, element_of, shape_of
from mlirad.errors import ArgumentError, MliradError
from mlirad.frontend.tracing.dtypes import Dtype
from mlirad.frontend.tracing.functions import trace
from mlirad.frontend.tracing.raising import argument_error
from mlirad.frontend.tracing.tracebacks import plain_errors
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.builder import function_block, returned
from mlirad.ir.free_values import own_operands
from mlirad.passes.sweep.instance import Instance as Table
from mlirad.passes.sweep.instance import Partials

MOST_SAMPLES = 6
"""The number of data of each type that are tried in the laws."""


class Instance:
    """The data that `ad.sweep` accumulates for the values of a program: elements of a commutative monoid.

    Every element of an array with a dtype that `carries` names carries an element of another dtype. `plus`
    adds data, with the neutral element `zero`; `scale` lets a coefficient act on data; `one` is what a sweep
    starts with where nothing else is said. `partials` has for NumPy's elementwise functions a function of
    their operands that returns a coefficient for each, so that forward
    `data(z) = plus(scale(a, data(x)), scale(b, data(y)))`. Choices, moves of elements, reductions, loops,
    branches and functions follow from these. All of them are functions of arrays, elementwise. (CHAD paper,
    section 11.3.)

        >>> xor = ad.Instance(
        ...     "xor", {bool: bool}, zero=False, one=True, plus=np.logical_xor, scale=np.logical_and,
        ...     partials={
        ...         np.logical_xor: lambda x, y: (True, True),
        ...         np.logical_and: lambda x, y: (y, x),
        ...     },
        ... )
        >>> ad.sweep(lambda p, q: p & (q ^ p), instance=xor)(True, False)
        (np.True_, (np.False_, np.True_))

    With `reads_control=True` data also flow from conditions and positions, and through operations that have
    no line. Raises `ArgumentError` where a part is missing or is not an elementwise function, and where a law
    fails on samples: `plus` is associative and commutative with `zero`, and scaling respects both.
    """

    @plain_errors
    def __init__(
        self,
        name: str,
        carries: Mapping[Any, Any] | None = None,
        *,
        zero: float | None = None,
        one: float | None = None,
        plus: Callable[..., Any] | None = None,
        scale: Callable[..., Any] | None = None,
        partials: Mapping[Callable[..., Any], Callable[..., Any]] | None = None,
        reads_control: bool = False,
    ) -> None:
        given = {"carries": carries, "zero": zero, "one": one, "plus": plus, "scale": scale}
        if not reads_control:
            given["partials"] = partials
        for part, value in given.items():
            if value is None:
                parts = ", ".join(given)
                raise argument_error(f"the instance {name!r} has no {part}", f"give all of {parts}")
        self.name = name
        dtypes = {np.dtype(k): np.dtype(v) for k, v in cast("Mapping[Any, Any]", carries).items()}
        for dtype in (*dtypes, *dtypes.values()):
            if dtype not in ELEMENT_TYPES:
                raise argument_error(
                    f"the instance {name!r} has data of dtype {dtype}, which programs have not",
                    f"choose among {', '.join(map(str, ELEMENT_TYPES))}",
                )
        plus, scale = cast("Callable[..., Any]", plus), cast("Callable[..., Any]", scale)
        zero, one = cast(float, zero), cast(float, one)
        for dtype in dict.fromkeys(dtypes.values()):
            _check_laws(name, dtype, zero, one, plus, scale)
        self.table = Table(
            name,
            {ELEMENT_TYPES[k]: ELEMENT_TYPES[v] for k, v in dtypes.items()},
            zero,
            one,
            _lifted(name, "plus", plus),
            _lifted(name, "scale", scale),
            _lines(name, dtypes, partials or {}),
            reads_control,
        )


# Laws ------------------------------------------------------------------------------------------------


def _check_laws(
    name: str, dtype: Dtype, zero: float, one: float, plus: Callable[..., Any], scale: Callable[..., Any]
) -> None:
    """Raise for a law that samples break: what the zero and the one make, added again and again."""
    samples = [dtype.type(zero), dtype.type(one)]
    for _ in range(MOST_SAMPLES):
        samples.append(dtype.type(plus(samples[-1], dtype.type(one))))
    data = list(dict.fromkeys(samples))[:MOST_SAMPLES]
    nothing = dtype.type(zero)

    def require(law: str, left: Any, right: Any, *operands: Any) -> None:
        if not np.allclose(np.asarray(left, float), np.asarray(right, float), equal_nan=True):
            shown = ", ".join(map(str, operands))
            raise argument_error(
                f"the instance {name!r} breaks a law: {law}, and at {shown} these are {left} and {right}",
                "a sweep in reverse adds in another order than one forward: only laws make both agree",
            )

    for x in data:
        require("plus(zero, x) = x", plus(nothing, x), x, x)
        require("scale(x, zero) = zero", scale(x, nothing), nothing, x)
    for x, y in product(data, data):
        require("plus(x, y) = plus(y, x)", plus(x, y), plus(y, x), x, y)
    for x, y, z in product(data, data, data):
        require(
            "plus(x, plus(y, z)) = plus(plus(x, y), z)", plus(x, plus(y, z)), plus(plus(x, y), z), x, y, z
        )
        require(
            "scale(x, plus(y, z)) = plus(scale(x, y), scale(x, z))",
            scale(x, plus(y, z)), plus(scale(x, y), scale(x, z)), x, y, z,
        )  # fmt: skip


# Functions as code -----------------------------------------------------------------------------------


def _lifted(name: str, part: str, function: Callable[..., Any]) -> Callable[..., Value]:
    """A function as code on arrays, traced once for each list of types of elements."""
    codes: dict[tuple[Attribute, ...], FuncOp] = {}

    def emit(b: ArrayBuilder, *operands: Value) -> Value:
        elements = tuple(element_of(v) for v in operands)
        if elements not in codes:
            codes[elements] = _traced(name, part, function, elements)
        (result,) = _emitted(b, codes[elements], operands, shape_of(operands[0]))
        return result

    return emit


_NUMBERS = {attribute: dtype.type(1) for dtype, attribute in ELEMENT_TYPES.items()}
"""A number of each type of elements, as an example to trace with."""


def _traced(name: str, part: str, function: Callable[..., Any], elements: Sequence[Attribute]) -> FuncOp:
    """The function on scalars, which is to be elementwise operations and constants."""
    module: ModuleOp = trace(function, *(_NUMBERS[e] for e in elements))
    functions = [op for op in module.body.block.ops if isinstance(op, FuncOp)]
    for op in function_block(functions[-1]).ops:
        if not isinstance(op, ew.ElementwiseOp | ConstantOp | ReturnOp) or len(functions) > 1:
            raise argument_error(
                f"{part} of the instance {name!r} has {op.name} in it, and is to be elementwise",
                "write it with NumPy's elementwise functions, and np.where for choices",
            )
    return functions[-1]


def _emitted(
    b: ArrayBuilder, function: FuncOp, operands: Sequence[Value], shape: Sequence[int]
) -> list[Value]:
    """The results of code on scalars, on arrays of a shape."""
    block = function_block(function)
    env: dict[Value, Value] = dict(zip(block.args, operands, strict=True))
    for op in block.ops:
        if isinstance(op, ReturnOp):
            break
        (result,) = op.results
        if isinstance(op, ConstantOp):
            env[result] = b.broadcast(
                b.insert(ConstantOp, (), op.result_types, op.properties).results[0], shape, ()
            )
        else:
            type_ = array_type(tuple(shape), element_of(result))
            given = [env[v] for v in own_operands(op)]
            env[result] = b.insert(type(op), given, [type_], op.properties).results[0]
    return [env[v] for v in returned(function)]


def _lines(
    name: str, dtypes: Mapping[Dtype, Dtype], partials: Mapping[Callable[..., Any], Callable[..., Any]]
) -> dict[type[Operation], Partials]:
    """The line of each op that one of NumPy's functions is."""
    found: dict[type[Operation], Partials] = {}
    for ufunc, coefficients in partials.items():
        title = getattr(ufunc, "__name__", str(ufunc))
        count = cast(int, getattr(ufunc, "nin", 0))
        if not count:
            raise argument_error(
                f"the instance {name!r} has a line for {title}, which is not an elementwise function",
                "write lines for ufuncs, such as np.add and np.multiply",
            )
        known = False
        for dtype in dtypes:
            try:
                block = function_block(_traced(name, title, ufunc, [ELEMENT_TYPES[dtype]] * count))
            except MliradError as error:
                if isinstance(error, ArgumentError):
                    raise
                continue
            ops = [op for op in block.ops if not isinstance(op, ReturnOp)]
            if len(ops) != 1:
                raise argument_error(
                    f"np.{title} of {dtype} is {len(ops)} operations of a program, so it has no line",
                    "give lines for what it is made of, such as np.add and np.multiply",
                )
            found[type(ops[0])] = _line(name, title, coefficients, count)
            known = True
        if not known:
            raise argument_error(
                f"np.{title} takes none of the dtypes that the instance {name!r} has data for",
                f"these are {', '.join(map(str, dtypes))}",
            )
    return found


def _line(name: str, title: str, coefficients: Callable[..., Any], count: int) -> Partials:
    """The coefficients of an op as code on its operands."""
    codes: dict[tuple[Attribute, ...], FuncOp] = {}

    def as_tuple(*operands: Any) -> tuple[Any, ...]:
        made = coefficients(*operands)
        listed = cast("tuple[Any, ...]", made if isinstance(made, tuple) else (made,))
        if len(listed) != count:
            raise argument_error(
                f"the line for np.{title} of the instance {name!r} gives {len(listed)} coefficients",
                f"return {count}, one for each operand",
            )
        return listed

    def partials(b: ArrayBuilder, op: Operation, operands: Sequence[Value]) -> list[Value]:
        elements = tuple(element_of(v) for v in operands)
        if elements not in codes:
            codes[elements] = _traced(name, f"the line for np.{title}", as_tuple, elements)
        made = _emitted(b, codes[elements], operands, shape_of(op.results[0]))
        wanted = element_of(op.results[0])
        return [v if element_of(v) == wanted else b.convert(v, wanted) for v in made]

    return partials
