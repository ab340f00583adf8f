"""Texts of traced values: they are what the source says, as the elements have no value yet.

    message = "norm is %g" % norm           percent("norm is %g", lambda: norm)     the text "norm is %g"
    message = f"norm is {norm:.3f}"         text(lambda: f"...", "...")             the text of the source
    warnings.warn(message)                  nothing, under a traced condition: whether it holds is not known

Such texts are for people. Code that compares one, or looks it up in a table, meets an error.
"""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable
from typing import Any

from mlirad.errors import MliradError
from mlirad.frontend.tracing import unfinished_texts
from mlirad.frontend.tracing.control import attempting
from mlirad.frontend.tracing.frames import current_frame
from mlirad.frontend.tracing.open_traces import is_tracing
from mlirad.frontend.tracing.operations import contains_traced
from mlirad.frontend.tracing.unfinished_texts import UnfinishedText, called_method, noted


def percent(template: str, values: Callable[[], Any]) -> str:
    """`template % values()`."""
    found = values()
    if is_tracing() and contains_traced(found):
        return UnfinishedText(template)
    return noted(operator.mod, template, found)


def text(make: Callable[[], str], shown: str) -> str:
    """A text with expressions in it, or, where these need elements of traced values, its source."""
    if not is_tracing():
        return make()
    try:
        with attempting():
            return noted(make)
    except MliradError:
        return UnfinishedText(shown)


def formatting(own: Callable[..., str]) -> Callable[..., str]:
    """The method `format` of a text."""

    def standing(*args: Any, **options: Any) -> str:
        return text(lambda: called_method(own, *args, **options), str(own.__self__))  # type: ignore[attr-defined]

    return standing


def warn(message: Any, *args: Any, **options: Any) -> None:
    """`warnings.warn`; under a traced condition nothing, as the condition may not hold."""
    if not is_tracing():
        warnings.warn(message, *args, **options)
    elif not current_frame().bodies:
        unfinished_texts.warn(message, *args, **options)
