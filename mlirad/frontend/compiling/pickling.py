"""Pickling and copying compiled functions: by the transformation, and by the name of the function.

    pickle.dumps(ad.grad(loss))       "ad.grad of the function `loss` of module `model`"

Programs are not in it: the process that reads it compiles its own, or finds them on disk.
"""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from mlirad.errors import PicklingError
from mlirad.frontend.tracing.function_names import definition_of, function_name
from mlirad.frontend.tracing.naming import global_name
from mlirad.frontend.tracing.tracebacks import raise_if_not_entered
from mlirad.lazy_dataclass import dataclass

P = ParamSpec("P")


@dataclass(frozen=True)
class Recipe:
    """The public function by which a function was transformed, and the arguments besides it."""

    module: str
    name: str
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]

    @property
    def transformation(self) -> Callable[..., Any]:
        """The public function."""
        return getattr(importlib.import_module(self.module), self.name)


def transformed_again(recipe: Recipe, function: Callable[..., Any]) -> Any:
    """A function, transformed as the recipe says."""
    return recipe.transformation(function, *recipe.args, **recipe.kwargs)


class Made(Protocol):
    """A callable that remembers how it was made."""

    recipe: Recipe | None


M = TypeVar("M", bound=Made)


def remembering(
    transformation: Callable[Concatenate[Callable[..., Any], P], M],
) -> Callable[Concatenate[Callable[..., Any], P], M]:
    """A public transformation whose results know how they were made."""

    @functools.wraps(transformation)
    def transform(function: Callable[..., Any], *args: P.args, **kwargs: P.kwargs) -> M:
        try:
            made = transformation(function, *args, **kwargs)
        except TypeError as error:
            raise_if_not_entered(error, transformation)
            raise
        made.recipe = Recipe(transformation.__module__, transformation.__name__, args, kwargs)
        return made

    return transform


def require_name(function: Callable[..., Any]) -> None:
    """Raise `PicklingError` for a function that no other process would find.

    Picklers that take functions apart, and so need no name, get them as they are.
    """
    if not isinstance(function, FunctionType) or global_name(function) is not None:
        return
    if not _BY_VALUE.isdisjoint(sys.modules):
        return
    name = function_name(function)
    raise PicklingError(
        f"{name} cannot be pickled: its module {function.__module__} has no function of that name, by which "
        "another process would find it",
        location=definition_of(function),
        hint="define it by `def` at the top level of a module, under the name that it keeps there",
    )


_BY_VALUE = frozenset({"cloudpickle", "dill"})
"""Modules whose picklers take functions apart."""
