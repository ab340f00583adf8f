"""The types of formulas of distributions: functions of a point and of up to four shapes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, TypedDict, cast

_Any1: TypeAlias = Callable[[Any], Any]
_Any2: TypeAlias = Callable[[Any, Any], Any]
_Any3: TypeAlias = Callable[[Any, Any, Any], Any]
_Any4: TypeAlias = Callable[[Any, Any, Any, Any], Any]
_Any5: TypeAlias = Callable[[Any, Any, Any, Any, Any], Any]

Formula: TypeAlias = _Any1 | _Any2 | _Any3 | _Any4 | _Any5
"""A function of a point, or a probability, and the shapes."""

OfShapes: TypeAlias = Callable[[], Any] | _Any1 | _Any2 | _Any3 | _Any4
"""A function of the shapes."""

Function: TypeAlias = Callable[..., Any]


def called(formula: Formula | OfShapes) -> Function:
    """A formula as what can be called with a list of shapes."""
    return cast("Function", formula)


class Shares(TypedDict):
    """The four functions of what is on either side of a point."""

    cdf: Function
    sf: Function
    log_cdf: Function
    log_sf: Function


class Moments(TypedDict):
    """The mean and the variance."""

    mean: Function
    var: Function
