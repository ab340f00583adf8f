"""Interpolating objects of `scipy.interpolate` that are made of traced values, or called at traced points.

    scipy.interpolate.CubicSpline(x, y)(at)         y, at or x traced

While a function is traced, a constructor that is given traced values makes its object one of a class derived
from SciPy's, so it is an instance of that still. An object made of plain arrays stays as it is, and its
methods hand traced points to the same formulas. Results are float64, as SciPy's are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from functools import cache, partial, wraps
from typing import Any, cast

import numpy as np

from mlirad.frontend.numpy_functions.calls.answers import MethodHanding
from mlirad.frontend.numpy_functions.calls.binding import Binding
from mlirad.frontend.numpy_functions.scipy_functions.interpolation import constructors
from mlirad.frontend.numpy_functions.scipy_functions.interpolation.b_splines import Spline
from mlirad.frontend.numpy_functions.scipy_functions.interpolation.grids import (
    Grid,
    Line,
    grid,
    outside_values,
)
from mlirad.frontend.numpy_functions.scipy_functions.interpolation.piecewise_polynomials import (
    PiecewisePolynomial,
    floats,
)
from mlirad.frontend.tracing.operations import contains_traced, xp
from mlirad.frontend.tracing.raising import unsupported_error
from mlirad.lazy_dataclass import dataclass

Interpolant = PiecewisePolynomial | Spline | Line | Grid


# Plain objects ------------------------------------------------------------------------------------


def _of_polynomial(own: Any) -> PiecewisePolynomial:
    breaks, rows = np.asarray(own.x, np.float64), floats(own.c)
    if breaks[0] > breaks[-1]:
        raise unsupported_error(
            "a PPoly whose breakpoints decrease cannot be called with traced points", "let them increase"
        )
    return PiecewisePolynomial(breaks, rows, own.extrapolate, own.axis)


def _of_b_spline(own: Any) -> Spline:
    return Spline(np.asarray(own.t, np.float64), floats(own.c), own.k, own.extrapolate, own.axis)


def _of_interp1d(own: Any) -> Line:
    fill, kind = own.fill_value, own._kind
    is_extrapolated = isinstance(fill, str) and fill == "extrapolate"
    below, above = outside_values(fill)
    values = xp.moveaxis(floats(own.y), own.axis, 0)
    spline = None
    if kind == "spline":
        flat = _of_b_spline(own._spline)
        coefficients = xp.reshape(flat.coefficients, (-1, *values.shape[1:]))
        spline = Spline(flat.knots, coefficients, flat.degree)
    raises = bool(own.bounds_error)
    return Line(floats(own.x), values, kind, own.axis, below, above, is_extrapolated, raises, spline)


def _of_grid(own: Any) -> Grid:
    return grid(own.grid, own.values, own.method, bool(own.bounds_error), own.fill_value)


# Classes ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Class:
    """A class whose objects are made of traced values, and read where only points are traced."""

    make: Callable[..., Interpolant] | None
    read: Callable[[Any], Interpolant]
    methods: tuple[str, ...] = ()
    attributes: Mapping[str, str] = field(default_factory=dict[str, str])

    def method(self, of: Interpolant, name: str) -> Callable[..., Any]:
        """Return what traces a method."""
        return getattr(of, "value" if name == "__call__" else name)


_INTEGRALS = ("derivative", "antiderivative", "integrate")
_STATED = {"extrapolate": "extrapolate", "axis": "axis"}
_POLYNOMIAL = _INTEGRALS, {"x": "breaks", "c": "coefficients", **_STATED}
_SPLINE = _INTEGRALS, {"t": "knots", "c": "coefficients", "k": "degree", **_STATED}

_CLASSES = {
    "CubicSpline": _Class(constructors.cubic_spline, _of_polynomial, *_POLYNOMIAL),
    "PchipInterpolator": _Class(constructors.pchip, _of_polynomial, *_POLYNOMIAL),
    "CubicHermiteSpline": _Class(constructors.hermite, _of_polynomial, *_POLYNOMIAL),
    "Akima1DInterpolator": _Class(None, _of_polynomial, *_POLYNOMIAL),
    "PPoly": _Class(constructors.polynomial, _of_polynomial, *_POLYNOMIAL),
    "BSpline": _Class(constructors.b_spline, _of_b_spline, *_SPLINE),
    "interp1d": _Class(constructors.interp1d, _of_interp1d),
    "RegularGridInterpolator": _Class(constructors.regular_grid, _of_grid),
}
"""The classes whose objects can be traced, by their names in `scipy.interpolate`."""

_HELD = "_traced_interpolant"
"""The attribute of an object that holds what it was made of."""


def _held(own: Any) -> Interpolant:
    return cast("dict[str, Interpolant]", vars(own))[_HELD]


def _construct(name: str, own: Any, init: Callable[..., Any], args: Any, kwargs: Any) -> None:
    """A constructor: of traced values the object becomes one of the derived class."""
    make = _CLASSES[name].make
    if make is None or not contains_traced([*args, *kwargs.values()]):
        init(*args, **kwargs)
        return
    found = Binding(f"scipy.interpolate.{name}", None, make).applied(args, kwargs)
    own.__class__ = _traced_class(cast("type[Any]", type(own)))
    vars(own)[_HELD] = found


def _call_method(name: str, method: str, own: Any, plain: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """A method of an object of plain arrays: traced if an argument is, else SciPy's own."""
    if not contains_traced([*args, *kwargs.values()]):
        return plain(*args, **kwargs)
    of = _CLASSES[name]
    return _applied(name, method, of.method(of.read(own), method), args, kwargs)


def _applied(name: str, method: str, traced: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    shown = f"scipy.interpolate.{name}" + (f".{method}" if method != "__call__" else "")
    return Binding(shown, None, traced).applied(args, kwargs)


@cache
def _traced_class(kind: type[Any]) -> type[Any]:
    """The class of objects of traced values, which is derived from SciPy's."""
    name = kind.__name__
    of = _CLASSES[name]

    def method_called(method: str) -> Callable[..., Any]:
        def called(self: Any, *args: Any, **kwargs: Any) -> Any:
            found = _applied(name, method, of.method(_held(self), method), args, kwargs)
            return _as_object(found)

        return called

    def attribute_of(attribute: str) -> property:
        return property(lambda self: getattr(_held(self), attribute))

    def refuse(_: Any, attribute: str) -> Any:
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        known = ", ".join(["calls", *of.methods, *of.attributes])
        raise unsupported_error(f"this cannot be traced of a {name} of traced values", f"it has {known}")

    own: dict[str, Any] = {m: method_called(m) for m in ("__call__", *of.methods)}
    own |= {theirs: attribute_of(ours) for theirs, ours in of.attributes.items()}
    own |= {"__init__": kind.__init__, "__getattr__": refuse, "__module__": __name__}
    return type(name, (kind,), own)


def _as_object(found: Any) -> Any:
    """Polynomials and splines as objects of SciPy's classes, all others as they are."""
    import scipy.interpolate  # which takes long to import

    if isinstance(found, PiecewisePolynomial):
        return _made(scipy.interpolate.PPoly, found)
    return _made(scipy.interpolate.BSpline, found) if isinstance(found, Spline) else found


def _made(kind: type[Any], of: Interpolant) -> Any:
    own = object.__new__(_traced_class(kind))
    vars(own)[_HELD] = of
    return own


def _making_object(make: Callable[..., Interpolant]) -> Callable[..., Any]:
    """A function of `scipy.interpolate` that returns an object."""

    @wraps(make)
    def made(*args: Any, **kwargs: Any) -> Any:
        return _as_object(make(*args, **kwargs))

    return made


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "make_interp_spline": _making_object(constructors.make_interp_spline),
    "make_lsq_spline": _making_object(constructors.make_lsq_spline),
    "splev": constructors.splev,
    "interpn": constructors.interpn,
}
"""The functions that trace those of `scipy.interpolate`, by their names there."""

METHODS: dict[str, dict[str, MethodHanding]] = {
    name: {
        "__init__": partial(_construct, name),
        "__call__": partial(_call_method, name, "__call__"),
        **({"integrate": partial(_call_method, name, "integrate")} if "integrate" in of.methods else {}),
    }
    for name, of in _CLASSES.items()
}
"""The functions that stand for methods of classes of `scipy.interpolate`, by the names of both."""
