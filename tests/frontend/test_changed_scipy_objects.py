"""Objects of SciPy that a function reads: what of them is replaced or written to, the next call sees.

The objects of the SciPy at hand are asked for their attributes, as versions keep them in different places.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from scipy import interpolate, stats

import mlirad as ad

X = np.linspace(0.0, 2.0, 7)
Y = np.sin(X) + 0.5 * X
AT = np.array([0.31, 0.77, 1.46])

OBJECTS: dict[str, Callable[[], Any]] = {
    "CubicSpline": lambda: interpolate.CubicSpline(X, Y),
    "PchipInterpolator": lambda: interpolate.PchipInterpolator(X, Y),
    "CubicHermiteSpline": lambda: interpolate.CubicHermiteSpline(X, Y, np.cos(X)),
    "Akima1DInterpolator": lambda: interpolate.Akima1DInterpolator(X, Y),
    "PPoly": lambda: interpolate.PPoly(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([0.0, 1.0, 2.0])),
    "BSpline": lambda: interpolate.make_interp_spline(X, Y, 3),
    "interp1d": lambda: interpolate.interp1d(X, Y, "linear"),
    "interp1d cubic": lambda: interpolate.interp1d(X, Y, "cubic"),
    "RegularGridInterpolator": lambda: interpolate.RegularGridInterpolator((X,), Y),
    "frozen normal": lambda: stats.norm(0.2, 1.5),
    "frozen gamma": lambda: stats.gamma(2.5, scale=0.7),
}


def value(thing: Any, at: Any) -> Any:
    """The value of an object at points: a density, or an interpolated value."""
    if hasattr(thing, "logpdf"):
        return thing.logpdf(at)
    return thing(at[:, np.newaxis]) if isinstance(thing, interpolate.RegularGridInterpolator) else thing(at)


Change = tuple[str, Callable[[Any], None]]


def changes(thing: Any, path: tuple[str, ...] = ()) -> Iterator[Change]:
    """Every way to replace, or to write to, numbers that an object or its parts show, by name."""
    for name in dir(_at(thing, path)):
        if name.startswith("__"):
            continue
        part = _got(thing, (*path, name))
        place = ".".join((*path, name))
        if isinstance(part, np.ndarray) and part.dtype.kind == "f":
            yield f"{place} = ...", _replacing(path, name, lambda old: old * 1.25)
            yield f"{place}[...] *= 1.25", _writing((*path, name))
        elif type(part) is float:
            yield f"{place} = ...", _replacing(path, name, lambda old: old + 0.125)
        elif isinstance(part, dict | tuple) and name in ("kwds", "args"):
            yield f"{place} = ...", _replacing(path, name, _moved)


def _moved(old: Any) -> Any:
    if isinstance(old, dict):
        return {key: number * 1.25 for key, number in old.items()}
    return tuple(number * 1.25 for number in old)


def _at(thing: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        thing = getattr(thing, name)
    return thing


def _got(thing: Any, path: tuple[str, ...]) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _at(thing, path)
    except Exception:  # of a property that needs what the object has not
        return None


def _replacing(path: tuple[str, ...], name: str, new: Callable[[Any], Any]) -> Callable[[Any], None]:
    def change(thing: Any) -> None:
        owner = _at(thing, path)
        setattr(owner, name, new(getattr(owner, name)))

    return change


def _writing(path: tuple[str, ...]) -> Callable[[Any], None]:
    def change(thing: Any) -> None:
        _at(thing, path)[...] *= 1.25

    return change


@pytest.mark.parametrize("case", OBJECTS)
def test_what_is_replaced_is_seen(case: str) -> None:
    make = OBJECTS[case]
    parts = [(), *((part,) for part in ("_delegate_to", "_spline") if _got(make(), (part,)) is not None)]
    seen = 0
    for label, change in [found for part in parts for found in changes(make(), part)]:
        thing = make()
        function = ad.jit(lambda at, thing=thing: value(thing, at), interpret=True)
        np.testing.assert_allclose(function(AT), value(thing, AT), rtol=1e-12)
        function(AT)
        before = value(thing, AT)
        try:
            change(thing)
            after = value(thing, AT)
        except (AttributeError, ValueError, TypeError):  # it cannot be changed, or not so
            continue
        seen += not np.array_equal(before, after, equal_nan=True)
        np.testing.assert_allclose(function(AT), after, rtol=1e-12, err_msg=f"{case}: {label}")
    assert seen, "nothing that was changed made a difference"


@pytest.mark.parametrize("case", OBJECTS)
def test_another_object_under_the_same_name_is_seen(case: str) -> None:
    thing = OBJECTS[case]()
    function = ad.grad(lambda at: np.sum(value(thing, at)), interpret=True)
    first = function(AT)
    thing = copy.deepcopy(thing)
    np.testing.assert_array_equal(function(AT), first)
    made = [change for _, change in changes(thing) if "[...]" in _]
    if made:
        made[0](thing)
        fresh = ad.grad(lambda at, other=thing: np.sum(value(other, at)), interpret=True)
        np.testing.assert_allclose(function(AT), fresh(AT), rtol=1e-12)
