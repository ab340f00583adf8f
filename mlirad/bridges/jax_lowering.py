"""The text of functions that JAX has traced, for a CPU.

stopped = stop_gradient(x)        --->        %stopped = stablehlo.custom_call @mlirad.stop_gradient(%x)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, TypeAlias, cast

from mlirad.bridges.packages import framework
from mlirad.passes.convert_stablehlo.factorisations import STOP_GRADIENT

LoweringRule: TypeAlias = tuple[Any, Callable[..., Any]]
"""A primitive of JAX, and the function that emits it."""

LINEAR_SOLVE: Final = "custom_linear_solve"


def stablehlo(traced: Any, rules: Sequence[LoweringRule]) -> str:
    """The text of a traced function, in which these primitives are emitted in these ways."""
    mlir = framework("jax._src.interpreters.mlir", "from_jax")
    parameters = mlir.LoweringParameters(override_lowering_rules=tuple(rules) or None)
    # The text of a deep stack of calls would nest more locations than are read.
    with framework("jax._src.config", "from_jax").traceback_in_locations_limit(_FRAMES):
        lowered = traced.lower(lowering_platforms=("cpu",), _private_parameters=parameters)
    return lowered.as_text(debug_info=True)


_FRAMES: Final = 8
"""The number of calls that the location of an operation names."""


def stopping() -> LoweringRule:
    """Emit `stop_gradient`, which is nothing in StableHLO, as a call that says so."""
    mlir = framework("jax._src.interpreters.mlir", "from_jax")
    internal = framework("jax._src.ad_util", "from_jax")

    def stopped(_: Any, x: Any) -> Any:
        return mlir.custom_call(STOP_GRADIENT, result_types=[x.type], operands=[x]).results

    return internal.stop_gradient_p, stopped


def has_loop(jaxpr: Any) -> bool:
    """Return whether a program of JAX iterates."""
    return any(name in ("while", "scan") for name, _ in equations(jaxpr))


def stops_by_hand(jaxpr: Any) -> bool:
    """Return whether a program stops gradients elsewhere than in front of the factorisations of its linear
    solves.

    A linear solve by a factorisation stops the gradient of the matrix, and has a rule instead.
    """
    counts = Counter(
        name
        for name, params in equations(jaxpr)
        if name != LINEAR_SOLVE or not has_loop(params["jaxprs"].solve)
    )
    return counts["stop_gradient"] > counts[LINEAR_SOLVE]


def equations(jaxpr: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """The names and parameters of the operations of a program of JAX, those of inner programs among them.

    Those of linear solves are left out.
    """
    for equation in getattr(jaxpr, "jaxpr", jaxpr).eqns:
        yield equation.primitive.name, equation.params
        if equation.primitive.name == LINEAR_SOLVE:
            continue
        for value in equation.params.values():
            for part in cast("Sequence[Any]", value if isinstance(value, tuple | list) else (value,)):
                if hasattr(getattr(part, "jaxpr", part), "eqns"):
                    yield from equations(part)
