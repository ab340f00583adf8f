"""Calls of JAX's functions with derivative rules: what they compute, and what their rules make of tangents.

@jax.custom_jvp           call.value(x)        sin(x), by the function's code
def f(x):                 call.call(x)         f(x), which JAX differentiates by the rule
    return sin(x)         call.pushed(x, dx)   the tangent of f(x), as the rule says
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, cast

from mlirad.bridges.jax_lowering import LINEAR_SOLVE
from mlirad.bridges.packages import framework
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.convert_stablehlo.custom_rules import DERIVATIVE, TRANSPOSED

_HIGHEST_ORDER: Final = 4
"""The number of times that a rule that calls its own function, on other arguments than its own, can be
differentiated."""

_HIGHEST_ORDER_OF_SOLVES: Final = 3
"""The same of linear solves, whose rules call one solve in each direction."""


@dataclass(frozen=True)
class RuledCall:
    """A call of a function with a rule: a primitive, with parameters, for arguments and results of types."""

    primitive: Any
    params: dict[str, Any]
    operands: tuple[Any, ...]
    results: tuple[Any, ...]
    order: int
    """The number of rules that it stands in."""

    @property
    def _is_solve(self) -> bool:
        return self.primitive.name == LINEAR_SOLVE

    @property
    def _code(self) -> Any:
        return self.params["jaxprs"].solve if self._is_solve else self.params["call_jaxpr"]

    @property
    def key(self) -> tuple[str, ...]:
        """The function without its rule, and the types of its arguments."""
        return (self.primitive.name, str(self._code), *map(str, self.operands))

    @property
    def name(self) -> str:
        """The name of the function."""
        if self._is_solve:
            return LINEAR_SOLVE
        info = getattr(getattr(self._code, "jaxpr", self._code), "debug_info", None)
        return getattr(info, "func_name", "a function")

    @property
    def directions(self) -> tuple[str, ...]:
        """The directions in which the rule is read: none if it is not differentiated, or too often."""
        moves = any(map(is_float, self.operands)) and any(map(is_float, self.results))
        if not moves or self.order >= (_HIGHEST_ORDER_OF_SOLVES if self._is_solve else _HIGHEST_ORDER):
            return ()
        if self._is_solve:
            return (DERIVATIVE, TRANSPOSED) if self.params["jaxprs"].transpose_solve else (DERIVATIVE,)
        return (TRANSPOSED,) if "vjp" in self.primitive.name else (DERIVATIVE,)

    def value(self, *values: Any) -> Any:
        """The results, by the code of the function."""
        of_jaxpr = framework("jax.extend.core", "from_jax").jaxpr_as_fun(self._code)
        if not self._is_solve:
            return of_jaxpr(*values)
        lengths = self.params["const_lengths"]
        start = lengths.matvec + lengths.vecmat
        return of_jaxpr(*values[start : start + lengths.solve], *values[sum(lengths) :])

    def call(self, *values: Any) -> list[Any]:
        """The call of the function, which JAX differentiates by its rule."""
        if self._is_solve:
            return self.primitive.bind(*values, **self.params)
        found: Any = self.primitive.get_bind_params(self.params)
        if isinstance(found, tuple):  # of JAX until 0.9
            functions, params = cast("tuple[Any, Any]", found)
            return self.primitive.bind(*functions, *values, **params)
        return self.primitive.bind(*values, **found)

    def derivative(self, jax: Any, direction: str) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """The rule in a direction as a function of the operands and what it moves, and the types of these."""
        if direction == TRANSPOSED:
            return partial(_pulled, jax, self), (*self.operands, *filter(is_float, self.results))
        return partial(_pushed, jax, self), (*self.operands, *filter(is_float, self.operands))


def is_plain(aval: Any) -> bool:
    """Tell arrays of real numbers from other values."""
    return hasattr(aval, "shape") and hasattr(aval, "dtype") and aval.dtype.kind in "fiub"


def is_float(aval: Any) -> bool:
    """Tell values that have tangents from others."""
    return aval.dtype.kind == "f"


def _of_floats(call: RuledCall, values: Sequence[Any]) -> tuple[Callable[..., Any], list[Any]]:
    """The call as a function from floats to floats, and the floats among these values."""
    floats = [k for k, aval in enumerate(call.operands) if is_float(aval)]

    def function(*moved: Any) -> list[Any]:
        given = list(values)
        for k, value in zip(floats, moved, strict=True):
            given[k] = value
        made = call.call(*given)
        return [v for v, aval in zip(made, call.results, strict=True) if is_float(aval)]

    return function, [values[k] for k in floats]


def _pushed(jax: Any, call: RuledCall, *given: Any) -> Any:
    """The tangents of the results, from the operands and the tangents of floats."""
    count = len(call.operands)
    function, floats = _of_floats(call, given[:count])
    return jax.jvp(function, floats, list(given[count:]))[1]


def _pulled(jax: Any, call: RuledCall, *given: Any) -> Any:
    """The cotangents of the operands that are floats, from the operands and the cotangents of results."""
    count = len(call.operands)
    function, floats = _of_floats(call, given[:count])
    return jax.vjp(function, *floats)[1](list(given[count:]))
