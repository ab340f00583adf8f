"""`from_jax`: a function written for JAX as one of mlirad, by way of StableHLO.

    f = ad.from_jax(layer, params, x)
    ad.grad(lambda p: np.sum(f(p, x) ** 2))(params)

JAX traces the function for shapes and dtypes as a call has them, and what it prints becomes array code that
is emitted where the function is called. So it can be differentiated, batched and compiled with what is around
it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Sequence
from typing import Any, ClassVar

from mlirad.bridges.jax_rules import RuleReader
from mlirad.bridges.packages import framework
from mlirad.bridges.stablehlo_functions import StableHloFunction, converted, plain
from mlirad.errors import ShapeError
from mlirad.frontend.compiling.transformed import run_compiled
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.function_names import function_name
from mlirad.frontend.tracing.naming import Named
from mlirad.frontend.tracing.open_traces import is_tracing
from mlirad.frontend.tracing.operations import as_array
from mlirad.frontend.tracing.pytree import Tree, flatten
from mlirad.frontend.tracing.source import user_line
from mlirad.frontend.tracing.tracebacks import plain_errors
from mlirad.lazy_dataclass import dataclass


@dataclass(frozen=True)
class _Lowered:
    """The code that JAX makes of a function for one signature, and the structure of its results."""

    function: StableHloFunction
    structure: Any


class JaxFunction(Named):
    """A function that JAX traces. Called outside of a trace of mlirad, it is compiled by mlirad and run."""

    CAPTURED: ClassVar = ("_function",)

    def __init__(self, function: Callable[..., Any]):
        functools.update_wrapper(self, function, updated=())
        self._function = function
        self._name = function_name(function)
        self._lowered: dict[Hashable, _Lowered] = {}

    def __call__(self, *args: Any) -> Any:
        leaves, tree = flatten(args)
        if not is_tracing():
            return run_compiled(self, tree.unflatten([plain(leaf) for leaf in leaves]), {})
        arrays = [as_array(leaf) for leaf in leaves]
        lowered = self.lowered(arrays, tree)
        jax = framework("jax", "from_jax")
        return jax.tree_util.tree_unflatten(lowered.structure, lowered.function(*arrays))

    def lowered(self, leaves: Sequence[Array], tree: Tree) -> _Lowered:
        """The function for leaves of these shapes and dtypes, traced by JAX once."""
        key = (tree, tuple((leaf.shape, leaf.dtype.str) for leaf in leaves))
        known = self._lowered.get(key)
        if known is None:
            known = self._lowered[key] = self._lower(leaves, tree)
        return known

    def _lower(self, leaves: Sequence[Array], tree: Tree) -> _Lowered:
        jax = framework("jax", "from_jax")
        # Dtypes are the caller's, whether or not JAX's own default is 32 bits.
        with jax.enable_x64(any(leaf.dtype.itemsize == 8 and leaf.dtype.kind == "f" for leaf in leaves)):
            shapes = [jax.ShapeDtypeStruct(leaf.shape, leaf.dtype) for leaf in leaves]

            def flat(*given: Any) -> Any:
                return self._function(*tree.unflatten(given))

            functools.update_wrapper(flat, self._function, updated=())
            traced = jax.jit(flat, keep_unused=True).trace(*shapes)
            results, file = traced.out_info, f"<StableHLO of {self._name}>"
            module = RuleReader(jax, file).module(traced)
        structure = jax.tree_util.tree_structure(results)
        main = converted(module, file, "main")
        return _Lowered(StableHloFunction(main), structure)


@plain_errors
def from_jax(function: Callable[..., Any], *example_args: Any) -> JaxFunction:
    """A function of JAX as a function of mlirad, for `ad.grad`, `ad.vmap`, `ad.jit` and in traced functions.

    Arguments and results are structures of arrays. With `example_args` the function is traced at once, so
    that what mlirad cannot express is an error here; calls with other shapes trace it again. Dtypes are those
    of the arguments, 64 bits included. Derivatives are those of the operations that JAX prints; functions
    with rules (`jax.custom_jvp`, `jax.custom_vjp`, `jax.lax.custom_root`, `jax.lax.custom_linear_solve`)
    have these, and where a rule cannot be taken over, there is a `DroppedRuleWarning`.
    `jax.lax.stop_gradient` is kept. Raises `UnsupportedError` where JAX is not installed, and for operations
    and types that the language lacks.

        >>> import jax
        >>> softmax = ad.from_jax(jax.nn.softmax)
        >>> ad.jacobian(softmax)(np.zeros(2)).round(6)
        array([[ 0.25, -0.25],
               [-0.25,  0.25]])
    """
    framework("jax", "from_jax")
    made_function = JaxFunction(function)
    if example_args:
        _check_examples(made_function, example_args)
    return made_function


def _check_examples(function: JaxFunction, example_args: tuple[Any, ...]) -> None:
    from mlirad.frontend.interface import jit

    leaves, tree = flatten(example_args)
    try:
        jit(function).ir(*tree.unflatten([plain(leaf) for leaf in leaves]))
    except ShapeError as error:
        raise error.restated(error.message, user_line()) from None
