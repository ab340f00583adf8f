"""NumPy's functions on traced arrays: `__array_function__`, by a table from the function to its tracing."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from functools import cache, partial
from types import FunctionType, ModuleType
from typing import Any, Final, TypeAlias, cast

import numpy as np

from mlirad.errors import MliradError, is_from_signal
from mlirad.frontend.numpy_functions.arrays import (
    diagonals,
    differences,
    elementwise,
    filling,
    joining,
    padding,
    repeating,
    searching,
    selection,
    shapes,
    static_sizes,
    writing,
)
from mlirad.frontend.numpy_functions.calls.alternatives import alternative_to
from mlirad.frontend.numpy_functions.calls.answers import (
    Reading,
    both,
    functions_called,
    functions_calling,
    methods_called,
)
from mlirad.frontend.numpy_functions.calls.binding import Binding, binding_of, internal_error, qualified_name
from mlirad.frontend.numpy_functions.calls.results import all_ordered, as_copies, in_order
from mlirad.frontend.numpy_functions.calls.tracings import Tracings
from mlirad.frontend.numpy_functions.linear_algebra import (
    completions,
    determinants,
    einsum,
    linear_systems,
    norms,
    products,
    spectral,
)
from mlirad.frontend.numpy_functions.reductions import (
    histograms,
    nan_reductions,
    ordering,
    quantiles,
    reductions,
    statistics,
)
from mlirad.frontend.numpy_functions.signals import polynomials, transforms, windows
from mlirad.frontend.splicing.questions import MISS, Question, Values
from mlirad.frontend.tracing.array import Array, as_own_array, is_scalar
from mlirad.frontend.tracing.library_calls import ANSWERED, Answer
from mlirad.frontend.tracing.operations import contains_traced
from mlirad.frontend.tracing.raising import unsupported_error
from mlirad.frontend.tracing.scipy_frames import OWNERS

Handlers: TypeAlias = dict[str, Callable[..., Any]]
"""Functions on traced values, by the names of those that they stand for."""

_FILES = (
    shapes, repeating, diagonals, padding, joining, filling, reductions, nan_reductions, quantiles, products,
    einsum, selection, elementwise, differences, polynomials, statistics, ordering, searching, norms, windows,
    writing, linear_systems, determinants, spectral, completions, histograms, transforms, static_sizes,
)  # fmt: skip

FUNCTIONS: Tracings = {theirs: own for file in _FILES for theirs, own in file.FUNCTIONS.items()}
"""Every NumPy function that can be traced. Its arguments are read by the annotations of what traces it."""


LINEAR_ALGEBRA: frozenset[Callable[..., Any]] = frozenset(
    (
        *linear_systems.FUNCTIONS,
        *determinants.FUNCTIONS,
        *spectral.FUNCTIONS,
        *completions.FUNCTIONS,
        *norms.FUNCTIONS,
    )
)
"""Those of `np.linalg` that read complex matrices themselves."""

VIEWS: frozenset[Callable[..., Any]] = frozenset(
    (
        np.reshape, np.ravel, np.transpose, np.permute_dims, np.swapaxes, np.moveaxis, np.rollaxis,
        np.squeeze, np.expand_dims, np.atleast_1d, np.atleast_2d, np.atleast_3d, np.broadcast_to,
        np.broadcast_arrays, np.meshgrid, np.flip, np.fliplr, np.flipud, np.rot90, np.matrix_transpose,
        np.diagonal, np.diag, np.split, np.array_split, np.hsplit, np.vsplit, np.dsplit, np.real, np.imag,
        np.real_if_close, np.nan_to_num, np.diff, np.linalg.matrix_power,
        np.linalg.matrix_transpose, np.linalg.diagonal, np.einsum, np.lib.stride_tricks.sliding_window_view,
        np.histogram, np.histogram_bin_edges, np.histogram2d, np.histogramdd, np.polyder, np.polyint,
        *(getattr(np, name) for name in ("unstack", "astype") if hasattr(np, name)),
    )
)  # fmt: skip
"""The functions whose results can share elements with their arguments. Those of all others are copies."""

TRANSPOSING: frozenset[Callable[..., Any]] = frozenset(
    (
        np.linspace, np.take_along_axis, np.take, np.repeat, np.pad, np.gradient, np.diff, np.cross,
        np.linalg.cross, np.einsum, np.nanquantile, np.nanpercentile, np.histogram2d, np.histogramdd,
    )
)  # fmt: skip
"""Functions that may lay out what they return in another order than row-major."""


def known_binding(function: Callable[..., Any]) -> Binding:
    """The binding of a function of `FUNCTIONS` to what traces it; raises `UnsupportedError` for others."""
    traced = FUNCTIONS.get(function)
    if traced is None:
        name = qualified_name(function)
        raise unsupported_error(f"{name} cannot be traced", alternative_to(name.removeprefix("np.")))
    return binding_of(function, traced)


def apply_function(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """NumPy's `__array_function__`."""
    if function not in FUNCTIONS and function.__module__.startswith("numpy.polynomial."):
        return cast("Any", function)._implementation(
            *args, **kwargs
        )  # which is traced as code of packages is
    binding = known_binding(function)
    try:
        result, is_written = binding.call(args, kwargs)
    except (MliradError, RecursionError):
        raise
    except Exception as error:
        if function in elementwise.CALL_BACK or is_from_signal(error):  # the user's own function has raised
            raise
        raise internal_error(binding.name, error) from error
    if is_written:
        return result
    is_row_major = function not in TRANSPOSING and all_ordered((*args, *kwargs.values()))
    if function in VIEWS:
        found = in_order(result, args, is_row_major)
        is_one = function in _KEEPING_SCALARS and np.ndim(found) == 0 and _is_numpys_scalar(args)
        return as_copies(found, True) if is_one else found
    order = binding.given("order", args, kwargs)
    copies = as_copies(result, order == "C" if order in ("C", "F") else is_row_major)
    return as_own_array(copies) if function in _GIVING_ARRAYS and isinstance(copies, Array) else copies


def _is_numpys_scalar(args: tuple[Any, ...]) -> bool:
    """Tell if the first argument is a scalar of NumPy's."""
    return bool(args) and isinstance(args[0], Array) and is_scalar(args[0]) and not args[0].weak


_KEEPING_SCALARS: Final = frozenset((np.reshape, np.squeeze, np.transpose))
"""Functions that call a method of their argument: their results of rank 0 are what that gives of a scalar."""

_GIVING_ARRAYS: Final = frozenset((
    np.copy, np.empty_like, np.full_like, np.ones_like, np.tensordot, np.where, np.zeros_like,
))  # fmt: skip
"""Functions whose results of rank 0 are arrays, not scalars."""


def _linalg() -> Handlers:
    from mlirad.frontend.numpy_functions.scipy_functions.linalg import FUNCTIONS

    return FUNCTIONS


def _special() -> Handlers:
    from mlirad.frontend.numpy_functions.scipy_functions.special import FUNCTIONS

    return FUNCTIONS


def _ndimage() -> Handlers:
    from mlirad.frontend.numpy_functions.scipy_functions import filters, warps

    return filters.NDIMAGE | warps.FUNCTIONS


def _signal() -> Handlers:
    from mlirad.frontend.numpy_functions.scipy_functions import (
        filters,
        plane_filters,
        recursive_filters,
        spectra,
    )

    return filters.SIGNAL | plane_filters.FUNCTIONS | recursive_filters.FUNCTIONS | spectra.FUNCTIONS


def _fft() -> Handlers:
    from mlirad.frontend.numpy_functions.scipy_functions.transforms import FUNCTIONS

    return FUNCTIONS


def _interpolate() -> Handlers:
    from mlirad.frontend.numpy_functions.scipy_functions.interpolation.objects import FUNCTIONS

    return FUNCTIONS


def _integrate() -> Handlers:
    from mlirad.frontend.numpy_functions.scipy_functions.integrals import FUNCTIONS

    return FUNCTIONS


def _optimize() -> Handlers:
    from mlirad.frontend.numpy_functions.scipy_functions.optimization import FUNCTIONS

    return FUNCTIONS


def _distance() -> Handlers:
    from mlirad.frontend.numpy_functions.scipy_functions.distances import FUNCTIONS

    return FUNCTIONS


SCIPY_MODULES: dict[str, Callable[[], Handlers]] = {
    "scipy.linalg": _linalg,
    "scipy.special": _special,
    "scipy.ndimage": _ndimage,
    "scipy.signal": _signal,
    "scipy.fft": _fft,
    "scipy.interpolate": _interpolate,
    "scipy.integrate": _integrate,
    "scipy.optimize": _optimize,
    "scipy.spatial.distance": _distance,
}
"""For each module of SciPy its handlers, which are imported once that module is."""


CALLING: dict[str, Callable[[], dict[str, tuple[Callable[..., Any], Reading]]]] = {}
"""The functions of a module that call one of the program's: the function that traces each, from packages
above, and the one that tells that the program's function reads traced values.
"""


def scipy_functions(module: str) -> Handlers:
    """The functions that trace those of a module of SciPy, by name."""
    return SCIPY_MODULES[module]() | {name: hand for name, (hand, _) in _calling(module).items()}


def _calling(module: str) -> dict[str, tuple[Callable[..., Any], Reading]]:
    return CALLING[module]() if module in CALLING else {}


def apply_scipy_function(
    module: str, name: str, own: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """A function of SciPy on traced values."""
    binding = _scipy_binding(f"{module}.{name}", own, scipy_functions(module)[name])
    return binding.applied(args, kwargs, calls_back=name in _calling(module))


def apply_scipy_method(
    bindings: dict[str, Binding], owner: Any, own: Callable[..., Any], args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:  # fmt: skip
    """A method of an object of SciPy's, by the name of the object: traced if an argument is, else SciPy's."""
    binding = next(iter(bindings.values())) if len(bindings) == 1 else bindings.get(owner.name)
    if binding is None or not contains_traced([*args, *kwargs.values()]):
        return own(*args, **kwargs)
    return binding.applied(args, kwargs)


@cache
def _scipy_binding(name: str, own: Callable[..., Any], handler: Callable[..., Any]) -> Binding:
    return Binding(name, inspect.signature(own), handler)


@cache
def distributions() -> dict[str, dict[str, Callable[..., Any]]]:
    """The functions that stand for methods of distributions of `scipy.stats`, by the names of both.

    Of distributions of one class the first is named, and its methods stand for those of all.
    """
    from mlirad.frontend.numpy_functions.scipy_functions.stats import METHODS, REFUSED

    for owner, methods in METHODS.items():
        for name in methods:
            OWNERS.setdefault(name, []).append(owner)
    module = sys.modules["scipy.stats"]
    first: dict[type[Any], str] = {}
    found: dict[str, dict[str, dict[str, Binding]]] = {}
    for owner in (name for name in METHODS if name in vars(module)):
        class_ = cast("type[Any]", type(vars(module)[owner]))
        named = found.setdefault(first.setdefault(class_, owner), {})
        for name, method in METHODS[owner].items():
            named.setdefault(name, {})[owner] = _method_binding(owner, name, method)
    traced = {
        owner: {name: partial(apply_scipy_method, bindings) for name, bindings in methods.items()}
        for owner, methods in found.items()
    }
    refused = {
        owner: {name: partial(_refused, refuse) for name, refuse in methods.items()}
        for owner, methods in REFUSED.items()
    }
    return traced | refused


def _refused(
    refuse: Callable[[], Any], _: Any, own: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """A method of a distribution that cannot be traced: SciPy's of known numbers, else an error."""
    return refuse() if contains_traced([*args, *kwargs.values()]) else own(*args, **kwargs)


def _method_binding(owner: str, name: str, handler: Callable[..., Any]) -> Binding:
    """The binding by the tracing function's signature: that of SciPy's methods says nothing of shapes."""
    return Binding(f"scipy.stats.{owner}.{name}", None, handler)


def _transforms(module: ModuleType) -> Iterator[tuple[FunctionType, Answer]]:
    """Functions of `scipy.fft` are in C and go to a backend; SciPy's own backend is a function of Python."""
    yield from _called(module)
    backend = getattr(sys.modules.get("scipy.fft._backend"), "_ScipyBackend", None)
    if backend is not None:
        yield backend.__ua_function__, _transform


def _special_calls(module: ModuleType) -> Iterator[tuple[FunctionType, Answer]]:
    """Legendre functions and spherical harmonics of `scipy.special` are objects of one class."""
    yield from _called(module)
    class_ = getattr(sys.modules.get("scipy.special._multiufuncs"), "MultiUFunc", None)
    if class_ is not None:
        yield class_.__call__, _special_call


def _special_call(question: Question, values: Values) -> Any:
    owner, args, kwargs = values
    if not contains_traced([*args, *kwargs.values()]):
        return MISS
    binding = _special_bindings().get(owner.__name__)
    return MISS if binding is None else binding.applied(args, kwargs)


@cache
def _special_bindings() -> dict[str, Binding]:
    """The bindings by the signatures of the tracing functions: those of SciPy's objects say nothing."""
    hands = scipy_functions("scipy.special").items()
    return {name: Binding(f"scipy.special.{name}", None, hand) for name, hand in hands}


def _transform(question: Question, values: Values) -> Any:
    function, args, kwargs = values
    name = getattr(function, "__name__", "")
    if name not in scipy_functions("scipy.fft") or not contains_traced([*args, *kwargs.values()]):
        return MISS
    return apply_scipy_function("scipy.fft", name, function, args, kwargs)


def _called(module: ModuleType) -> Iterator[tuple[FunctionType, Answer]]:
    """The functions of a module of SciPy that can be traced, and what answers them."""
    own = module.__name__
    hands = {name: partial(apply_scipy_function, own, name) for name in scipy_functions(own)}
    calling = {name: (hands.pop(name), reads_traced) for name, (_, reads_traced) in _calling(own).items()}
    yield from functions_calling(calling)(module)
    yield from functions_called(hands)(module)


def _clip(x: Any, /, min: Any = None, max: Any = None, **options: Any) -> Any:
    """The `clip` of the array API, which writes to masked elements, where NumPy has a ufunc."""
    return np.clip(x, min, max, **options)


def _rotations(module: ModuleType) -> Iterator[tuple[FunctionType, Answer]]:
    from mlirad.frontend.numpy_functions.scipy_functions.rotations import rotations

    return rotations(module)


def _interpolants() -> dict[str, Handlers]:
    from mlirad.frontend.numpy_functions.scipy_functions.interpolation.objects import METHODS

    return METHODS


_NAMESPACES: Final = ("scipy._external.array_api_compat.numpy", "scipy._lib.array_api_compat.numpy")
"""NumPy as SciPy's code for the array API reads it, by the names that versions of SciPy give it."""

ANSWERED.update(dict.fromkeys(SCIPY_MODULES, _called))
ANSWERED.update(
    dict.fromkeys(
        _NAMESPACES,
        functions_called({"clip": lambda own, args, kwargs: _clip(*args, **kwargs)}, takes_selections=True),
    )
)
ANSWERED["scipy.special"] = _special_calls
ANSWERED["scipy.fft"] = _transforms
ANSWERED["scipy.stats"] = methods_called(distributions)
ANSWERED["scipy.spatial.transform"] = _rotations
ANSWERED["scipy.interpolate"] = both(_called, methods_called(_interpolants))
