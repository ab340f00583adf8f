"""Donated arguments: those whose memory results may take, and a warning for those that hold none.

donated_names(f, 0)        ("params",), if that is its first parameter

A donated argument holds the result. JAX makes a donated array unusable. A NumPy array cannot be taken from
its holders, so it is what is returned: a loop of steps works on the same arrays, and an old name shows the
latest values. Copies are not excluded, since the memory plan decides whether a result can be made in place;
that it ends up there is promised.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, cast

from mlirad.errors import DonationWarning
from mlirad.frontend.compiling.arguments import Chosen, kinds_of, listed, name_of, named
from mlirad.frontend.tracing.function_names import argument_paths, function_name, parameter_names
from mlirad.frontend.tracing.pytree import Tree
from mlirad.frontend.tracing.raising import argument_error
from mlirad.frontend.tracing.source import user_place
from mlirad.jit.call import NativeFunction, donations


def donated_names(function: Callable[..., Any], given: Chosen, static: Sequence[str]) -> tuple[str, ...]:
    """The names of donated arguments; raises `ArgumentError` for what is not a parameter, or a static one."""
    kinds = kinds_of(function)
    known = [] if kinds is None else named(kinds)
    names: list[str] = []
    for chosen in listed(cast(Any, given)):
        found = name_of(chosen, kinds)
        if found is None or found not in known:
            raise argument_error(
                f"{function_name(function)} has no parameter {chosen!r} that could be donated",
                f"name one by its name or position: it has {', '.join(known) or 'none'}",
            )
        if found in static:
            raise argument_error(
                f"{function_name(function)} cannot have {found!r} both static and donated: a static argument "
                f"has no memory of its own",
                "leave it out of donate",
            )
        names.append(found)
    return tuple(sorted(set(names)))


def donated_leaves(function: Callable[..., Any], tree: Tree, names: Sequence[str]) -> tuple[int, ...]:
    """The numbers of the leaves of the arguments of these names; of a function as it is compiled."""
    found: list[int] = []
    start = 0
    for name, child in zip(parameter_names(function, len(tree.children)), tree.children, strict=True):
        if name in names:
            found += range(start, start + child.size)
        start += child.size
    return tuple(found)


def warn_of_unused(
    function: Callable[..., Any], tree: Tree, native: NativeFunction, donated: Sequence[int], name: str
) -> None:
    """A `DonationWarning` at the user's line for donated arrays that hold no result of a program, and for
    scalars, which hold none, where nothing else is donated.
    """
    specs, used = native.program.inputs, donations(native.program, donated).values()
    unused = [k for k in donated if k not in used and (specs[k].shape or not used)]
    if not unused:
        return
    paths = argument_paths(function, tree)
    said = [f"{paths[k]}: {specs[k].dtype}{list(specs[k].shape)}" for k in unused]
    shown = ", ".join(said[:3]) + (" and more" if len(said) > 3 else "")
    hint = "leave it out of donate, or return an array of its shape and dtype"
    file, line = user_place() or ("<unknown>", 0)
    message = f"no result of {name} fits the memory of what is donated: {shown}\n  hint: {hint}"
    warnings.warn_explicit(message, DonationWarning, file, line)
