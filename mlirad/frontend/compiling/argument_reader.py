"""The way of a call's arguments to a program: static ones, leaves of the others, the signature.

reader.flattened((w, x), {})          the function of (w, x); their leaves, structure and types
reader.key(...)                       the key of the program for these
signature.require(other, "loss")      loss is compiled for x: float64[3], and is given float64[4]
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Sequence
from typing import Any

from mlirad.errors import ArgumentError, of_class
from mlirad.frontend.compiling.arguments import is_plain, plain_key, prepared, with_names
from mlirad.frontend.compiling.programs import signature_key
from mlirad.frontend.tracing.argument_types import leaf_types
from mlirad.frontend.tracing.captures import static_key
from mlirad.frontend.tracing.function_names import argument_paths, function_name
from mlirad.frontend.tracing.leaf_types import LeafType
from mlirad.frontend.tracing.pytree import Tree, flatten
from mlirad.frontend.tracing.raising import argument_error
from mlirad.frontend.tracing.source import user_line
from mlirad.lazy_dataclass import dataclass


@dataclass(frozen=True)
class Signature:
    """The signature that a program is compiled for: the structure of the arguments, the type and the path of
    each leaf, and the values of static arguments.
    """

    tree: Tree
    types: tuple[LeafType, ...]
    paths: tuple[str, ...]
    static: tuple[object, ...] = ()

    def require(self, other: Signature, name: str) -> None:
        """Raise unless arguments of the other signature fit a program for this one."""
        hint = "call the function that was lowered: it compiles for each signature"
        if self.tree != other.tree:
            raise ArgumentError(
                f"{name} is compiled for arguments structured {self.tree}, and is given {other.tree}",
                location=user_line(),
                hint=hint,
            )
        if self.static != other.static:
            raise ArgumentError(
                f"{name} is compiled for other values of static arguments", location=user_line(), hint=hint
            )
        for wanted, given, path in zip(self.types, other.types, self.paths, strict=True):
            if (wanted.shape, wanted.dtype) != (given.shape, given.dtype):
                raise ArgumentError(
                    f"{name} is compiled for {path}: {wanted.dtype}{list(wanted.shape)}, and is given "
                    f"{given.dtype}{list(given.shape)}",
                    location=user_line(),
                    hint=hint,
                )


@dataclass(frozen=True, eq=False)
class ArgumentReader:
    """The arguments of one function: those named `static` reach it unchanged, all others are traced."""

    function: Callable[..., Any]
    static: tuple[str, ...]

    def bound(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """The function of the arguments that move, all by position, and these arguments."""
        if not kwargs and not self.static:
            return self.function, args
        try:
            signature = inspect.signature(self.function)
            bound = signature.bind(*args, **kwargs)
        except (TypeError, ValueError) as error:
            from mlirad.frontend.tracing.wrong_calls import wrong_call

            raise wrong_call(self.function, f"{function_name(self.function)}: {error}") from error
        fixed = {name: value for name, value in bound.arguments.items() if name in self.static}
        moving = {name: value for name, value in bound.arguments.items() if name not in self.static}
        return with_names(self.function, signature, tuple(moving), fixed), tuple(moving.values())

    def flattened(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[Callable[..., Any], list[Any], Tree, list[LeafType]]:
        """The function of the arguments that move, and their leaves, structure and types."""
        function, moving = self.bound(args, kwargs)
        leaves, tree = flatten(moving)
        return function, leaves, tree, leaf_types(function, leaves, tree)

    def key(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], tree: Tree, types: list[LeafType]
    ) -> tuple[Hashable, bool]:
        """The key of a program, and whether it is the short one: of arrays and scalars by position."""
        if not kwargs and not self.static and all(map(is_plain, args)):
            return plain_key(args), True
        return self.whole_key(args, kwargs, tree, types), False

    def whole_key(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], tree: Tree, types: Sequence[LeafType]
    ) -> Hashable:
        """The key of a program for leaves of these types, which may not be those of the arguments."""
        names = tuple(sorted(name for name in kwargs if name not in self.static))
        return signature_key(tree, types), names, self._static_keys(args, kwargs)

    def signature(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Signature, list[Any]]:
        """Return what a program for these arguments accepts, and their leaves as it takes them."""
        function, leaves, tree, types = self.flattened(args, kwargs)
        paths = argument_paths(function, tree) if leaves else ()
        found = Signature(tree, tuple(types), tuple(paths), self._static_keys(args, kwargs))
        return found, list(map(prepared, leaves))

    def static_values(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[str, object], ...]:
        """The static arguments by name, or their defaults."""
        if not self.static:
            return ()
        bound = inspect.signature(self.function).bind(*args, **kwargs)
        bound.apply_defaults()
        return tuple((name, bound.arguments.get(name)) for name in self.static)

    def _static_keys(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Hashable, ...]:
        """The keys of static arguments; raises `ArgumentError` for unhashable ones."""
        keys: list[Hashable] = []
        for name, value in self.static_values(args, kwargs):
            try:
                hash(value)
            except TypeError as error:
                raise argument_error(
                    f"the static argument {name} is {of_class(value)}, which is not hashable",
                    "pass static arguments as numbers, strings or tuples of them",
                ) from error
            keys.append(static_key(value))
        return tuple(keys)
