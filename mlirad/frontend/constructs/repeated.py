"""Functions that one trace calls repeatedly for the same types: traced a few times, then shared.

A tree of compiled or checkpointed functions that each call the next one twice would be traced 2^n times.
After some calls such a function becomes one of the program, as by `@ad.function`, which later calls share.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mlirad.errors import MliradError
from mlirad.frontend.constructs.recursion import Function
from mlirad.frontend.tracing.argument_types import leaf_types
from mlirad.frontend.tracing.control import as_traced
from mlirad.frontend.tracing.frames import current_frame
from mlirad.frontend.tracing.functions import THE_CALL, require_arguments
from mlirad.frontend.tracing.open_traces import is_tracing
from mlirad.frontend.tracing.pytree import flatten

LEAST_CALLS = 100
"""The number of calls of such functions that a trace holds before any is shared."""

OWN_TRACES = 2
"""The number of times that a function is traced for the same types before it is shared."""


def call(function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
    """`function(*args)`, as a call of a function of the program where it repeats others.

    Programs with reports are left alone, as these come in the order of the calls.
    """
    require_arguments(function, len(args), THE_CALL)
    functions = current_frame().functions if is_tracing() else None
    if functions is None or functions.has_reports or isinstance(function, Function):
        return as_traced(function)(*args)
    leaves, tree = flatten(args)
    try:
        types = tuple(leaf_types(function, leaves, tree))
    except MliradError:
        return as_traced(function)(*args)
    repeats, key = functions.repeats, (id(function), tree, types)
    count, shared = repeats.calls.get(key) or (0, Function(function))
    repeats.calls[key] = count + 1, shared
    repeats.total += 1
    return (shared if count >= OWN_TRACES and repeats.total > LEAST_CALLS else as_traced(function))(*args)
