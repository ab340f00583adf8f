"""A transformed function in text and in notebooks: how it was made, and the programs that it has.

repr(ad.grad(loss, argnums=1))      <mlirad.grad(loss, argnums=1): (w, x)>
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from typing import Any

from mlirad.frontend.compiling.options import Options
from mlirad.frontend.compiling.pickling import Recipe
from mlirad.frontend.compiling.programs import Program
from mlirad.frontend.tracing.function_names import definition_of, function_name
from mlirad.frontend.tracing.notebook import html_table

ROWS_SHOWN = 10
"""The most compiled signatures that a notebook shows, the last ones."""


def construction(recipe: Recipe | None, shown: str) -> str:
    """The call that makes a transformed function of the one that is `shown`."""
    if recipe is None:
        return f"mlirad.jit({shown})"
    given = [shown, *map(repr, recipe.args)]
    given += [f"{name}={value!r}" for name, value in recipe.kwargs.items()]
    return f"mlirad.{recipe.name}({', '.join(given)})"


def table(function: Callable[..., Any], options: Options, programs: Sequence[Program]) -> str:
    """For notebooks: the function, its line, and for each compiled signature the arrays and the memory."""
    return html_table(f"{function_name(function)}, transformed by mlirad", _rows(function, options, programs))


def _rows(
    function: Callable[..., Any], options: Options, programs: Sequence[Program]
) -> Iterator[tuple[str, str]]:
    place = definition_of(function)
    if place is not None:
        yield "defined at", place
    changed = [f for f in fields(Options) if getattr(options, f.name) != f.default]
    if changed:
        yield "options", ", ".join(f"{f.name}={getattr(options, f.name)!r}" for f in changed)
    yield "compiled for", f"{len(programs)} signatures"
    for program in programs[-ROWS_SHOWN:]:
        if program.native is not None:
            made = program.native.program
            given, results = (", ".join(map(str, specs)) for specs in (made.inputs, made.outputs))
            needs = f"{made.operations} operations, {made.arena_bytes} bytes of working memory"
            yield f"({given}) → ({results})", needs
