"""A function of arrays as other frameworks need it: flat, compiled, and with its derivatives as such
functions.

    program = FlatProgram(lambda x, y: (x * y,))
    program.pushed((True, False))       (x, y, dx) -> derivatives of the float results
    program.pulled((True, False))       (x, y, and a cotangent per float result) -> the gradient by x

Derivatives are programs themselves, so they have derivatives. Each is made once and compiled per signature.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from mlirad.frontend.interface import jit, jvp, vjp, vmap
from mlirad.frontend.tracing.pytree import Tree, flatten
from mlirad.lower.native_program import ArraySpec

Flat = Callable[..., tuple[Any, ...]]


class FlatProgram:
    """A function from leaves to a tuple of leaves. Programs are told apart by identity."""

    def __init__(self, function: Flat):
        self.function = function
        self.compiled = jit(function)
        self._derived: dict[tuple[object, ...], FlatProgram] = {}
        self._outputs: dict[tuple[tuple[tuple[int, ...], str], ...], tuple[ArraySpec, ...]] = {}

    def __call__(self, *leaves: Any) -> tuple[Any, ...]:
        return self.compiled(*leaves)

    def outputs(self, arguments: Sequence[tuple[tuple[int, ...], np.dtype[Any]]]) -> tuple[ArraySpec, ...]:
        """Shapes and dtypes of the results for arguments of these."""
        key = tuple((shape, dtype.str) for shape, dtype in arguments)
        known = self._outputs.get(key)
        if known is None:
            examples = [np.broadcast_to(np.zeros((), dtype), shape) for shape, dtype in arguments]
            known = self._outputs[key] = self.compiled.lower(*examples).outputs
        return known

    def pushed(self, moving: tuple[bool, ...]) -> FlatProgram:
        """The derivative by the `moving` arguments: of all arguments, then a tangent for each of these."""

        def push(*leaves: Any) -> tuple[Any, ...]:
            primals = leaves[: len(moving)]
            chosen = [p for p, moves in zip(primals, moving, strict=True) if moves]
            _, tangents = jvp(self._of_moving(primals, moving), chosen, leaves[len(moving) :])
            return tuple(t for t in tangents if t is not None)

        return self._derive(("pushed", moving), push)

    def pulled(self, moving: tuple[bool, ...]) -> FlatProgram:
        """The gradient by the `moving` arguments: of all arguments, then a cotangent for each float
        result."""

        def pull(*leaves: Any) -> tuple[Any, ...]:
            primals = leaves[: len(moving)]
            given = iter(leaves[len(moving) :])
            chosen = [p for p, moves in zip(primals, moving, strict=True) if moves]
            values, pullback = vjp(self._of_moving(primals, moving), *chosen)
            cotangents = tuple(next(given) if np.dtype(v.dtype).kind == "f" else None for v in values)
            return pullback(cotangents)

        return self._derive(("pulled", moving), pull)

    def mapped(self, axes: tuple[int | None, ...]) -> FlatProgram:
        """The function of batches: along which axis each argument is one; results are along axis 0."""

        def over(*leaves: Any) -> tuple[Any, ...]:
            return vmap(self.function, in_axes=axes)(*leaves)

        return self._derive(("mapped", axes), over)

    def _of_moving(self, primals: Sequence[Any], moving: tuple[bool, ...]) -> Flat:
        """The function of the moving arguments alone."""

        def of(*chosen: Any) -> tuple[Any, ...]:
            given = iter(chosen)
            return self.function(*(next(given) if m else p for p, m in zip(primals, moving, strict=True)))

        return of

    def _derive(self, key: tuple[object, ...], function: Flat) -> FlatProgram:
        known = self._derived.get(key)
        if known is None:
            known = self._derived[key] = FlatProgram(function)
        return known


class Programs:
    """The flat programs of a function of structured arguments, one for each structure."""

    def __init__(self, function: Callable[..., Any]):
        self._function = function
        self._flat: dict[Tree, _FlatFunction] = {}
        self._programs: dict[Tree, FlatProgram] = {}

    def of(self, args: tuple[Any, ...]) -> tuple[FlatProgram, list[Any], Callable[[Sequence[Any]], Any]]:
        """The program for these arguments, their leaves, and what gives results their structure."""
        leaves, tree = flatten(args)
        if tree not in self._programs:
            self._flat[tree] = _FlatFunction(self._function, tree)
            self._programs[tree] = FlatProgram(self._flat[tree])
        return self._programs[tree], leaves, self._flat[tree].structured


class _FlatFunction:
    """A function from leaves to leaves, which learns the structure of its results when it is traced."""

    CAPTURED: ClassVar = ("_function",)
    CAPTURED_FIXED: ClassVar = ("_tree",)

    def __init__(self, function: Callable[..., Any], tree: Tree):
        functools.update_wrapper(self, function, updated=())
        self._function = function
        self._tree = tree
        self._results: Tree | None = None

    def __call__(self, *leaves: Any) -> tuple[Any, ...]:
        results, self._results = flatten(self._function(*self._tree.unflatten(leaves)))
        return tuple(results)

    def structured(self, results: Sequence[Any]) -> Any:
        """The results of a call as the function returns them."""
        assert self._results is not None
        return self._results.unflatten(list(results))
