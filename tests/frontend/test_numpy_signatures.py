"""Every public function of NumPy's is traced with NumPy's own signature, or says what to write instead."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import special

import mlirad as ad
from mlirad.frontend.numpy_functions.calls.alternatives import ALTERNATIVES
from mlirad.frontend.numpy_functions.calls.binding import MAKES_NO_DIFFERENCE, binding_of
from mlirad.frontend.numpy_functions.calls.numpy_signatures import _OF_C_FUNCTIONS
from mlirad.frontend.numpy_functions.calls.parameters import UNSET
from mlirad.frontend.numpy_functions.meanings.ufuncs import all_meanings
from mlirad.frontend.numpy_functions.protocols.functions import FUNCTIONS
from mlirad.frontend.numpy_functions.protocols.ufuncs import SPECIAL
from tests.versions import since_numpy

X = np.array([[1.0, 2.0], [3.0, 4.0]])
DISPATCHER = type(np.sum)
"""The class of functions that NumPy lets other arrays answer."""

ONE_ARGUMENT = ("min_scalar_type",)
"""The functions that once had no signature and take one argument; others of them take two."""

PRODUCTS = {"matmul", "vecdot", "matvec", "vecmat"}
"""Ufuncs on whole dimensions."""


def named(module: Any, prefix: str, kind: type) -> dict[str, Callable[..., Any]]:
    return {
        prefix + name: f
        for name, f in vars(module).items()
        if isinstance(f, kind) and not name.startswith("_")
    }


CALLABLES = {
    **named(np, "", DISPATCHER),
    **named(np.linalg, "linalg.", DISPATCHER),
    **named(np.fft, "fft.", DISPATCHER),
    **named(np, "", np.ufunc),
    **named(special, "special.", np.ufunc),
}


def test_everything_is_enumerated():
    assert len(CALLABLES) > 580
    assert {"roll", "linalg.solve", "fft.fft", "sin", "special.j0"} <= set(CALLABLES)


def signature_of(function: Callable[..., Any]) -> inspect.Signature:
    """NumPy's signature, or that of what traces a function: before 2.4, some of NumPy's had none."""
    try:
        return inspect.signature(function)
    except ValueError:
        is_unary = function.__name__ in ONE_ARGUMENT
        return inspect.signature(FUNCTIONS.get(function, (lambda x: x) if is_unary else (lambda x, y: x)))


def arguments(function: Callable[..., Any]) -> int:
    if isinstance(function, np.ufunc):
        return function.nin
    required = [
        p
        for p in signature_of(function).parameters.values()
        if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]
    return max(len(required), 1)


@pytest.mark.parametrize("case", range(8))
def test_every_function_is_traced_or_refused_with_a_hint(case):
    """Called with a traced array for every argument that it needs; shapes that do not fit are errors too."""
    troubles: list[str] = []
    supported = {*FUNCTIONS, *all_meanings(), *SPECIAL}
    for name, function in list(CALLABLES.items())[case::8]:
        if name in ("savez", "savez_compressed"):  # NumPy opens a file before it looks at arrays
            continue
        try:
            ad.trace(lambda x, f=function: (f(*[x] * arguments(f)), x)[1], X)
        except ad.MliradError as error:
            is_known = function in supported or name in PRODUCTS
            if isinstance(error, ad.CompileError) or error.hint is None or error.location is None:
                troubles.append(f"{name}: {error}")
            elif not is_known and function.__name__ not in str(error):
                troubles.append(f"{name} is not named: {error}")
        except Exception as error:
            troubles.append(f"{name}: {type(error).__name__}: {error}")
    assert not troubles, "\n".join(troubles)


def test_functions_that_can_be_traced_are_not_in_the_table_of_alternatives():
    """Except for `np.bincount`, which can be if its positions are known."""
    assert set(ALTERNATIVES) & {
        name for name, f in CALLABLES.items() if f in FUNCTIONS or f in all_meanings() or f in SPECIAL
    } == {"bincount"}
    assert set(ALTERNATIVES) <= set(CALLABLES), set(ALTERNATIVES) - set(CALLABLES)


@since_numpy(2, 4, because="NumPy had other parameters")
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f"{f.__module__}.{f.__name__}")
def test_options_have_numpys_names_and_defaults(function):
    """Parameters are those of NumPy; what a function lacks is refused, or neutral by name."""
    numpys = signature_of(function)
    open_ended = any(p.kind is p.VAR_KEYWORD for p in numpys.parameters.values())
    own = inspect.signature(FUNCTIONS[function])
    kept = [p for p in numpys.parameters if p in own.parameters]
    assert [p for p in own.parameters if p in numpys.parameters] == kept, (
        "the order of the parameters differs"
    )
    for name, parameter in own.parameters.items():
        if name not in numpys.parameters:
            assert open_ended and parameter.kind is parameter.KEYWORD_ONLY, f"NumPy has no {name}"
            continue
        default = numpys.parameters[name].default
        if default is inspect.Parameter.empty:
            assert parameter.default is inspect.Parameter.empty
        elif default is not UNSET and parameter.default is not UNSET:
            assert parameter.default == default or (parameter.default is default), name


OPTIONS = [
    (function, name)
    for function in FUNCTIONS
    for name, p in signature_of(function).parameters.items()
    if name not in inspect.signature(FUNCTIONS[function]).parameters
    and p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
]


def test_no_option_is_ignored():
    """An option without a parameter is refused when it is given, unless it has a kind of its own."""
    for function, name in OPTIONS:
        if name == "optimize":  # takes anything that is static
            continue
        binding = binding_of(function, FUNCTIONS[function])
        with pytest.raises(ad.MliradError) as caught:
            binding._refuse(name, object(), signature_of(function).parameters[name].default)
        assert f"`{name}`" in caught.value.message and caught.value.hint is not None
        assert name in MAKES_NO_DIFFERENCE or isinstance(caught.value, ad.UnsupportedError), (function, name)


TRACED_OPTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "decimals": lambda x, n: np.round(x, n),
    "ddof of var, which may be traced": lambda x, n: np.var(x, ddof=n) + n,
    "k": lambda x, n: np.tril(x, n),
    "n of a power of a matrix": lambda x, n: np.linalg.matrix_power(x, n),
    "axis": lambda x, n: np.sum(x, axis=n),
    "keepdims": lambda x, n: np.sum(x, keepdims=n),
    "indices_or_sections": lambda x, n: np.split(x, n),
    "shape": lambda x, n: np.reshape(x, (n, -1)),
    "shift": lambda x, n: np.roll(x, n),
    "pad_width": lambda x, n: np.pad(x, n),
    "num": lambda x, n: np.linspace(x, x, n),
}


@pytest.mark.parametrize("option", TRACED_OPTIONS)
def test_a_traced_option_is_told_to_be_static(option):
    function = TRACED_OPTIONS[option]
    if "may be traced" in option:
        np.testing.assert_allclose(ad.jit(function, interpret=True)(X, 1), function(X, 1))
        return
    with pytest.raises(ad.TracingError, match=f"`{option.split()[0]}`.* must be static") as caught:
        ad.jit(function)(X, 1)
    assert "static_argnames" in (caught.value.hint or "")


WRONG_CALLS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "an unknown option": (lambda x: np.pad(x, 1, no_option=1), "unexpected keyword argument 'no_option'"),
    "an unknown choice": (
        lambda x: np.searchsorted(x[0], x, side="middle"),
        "`side` must be 'left' or 'right'",
    ),
    "a fractional axis": (lambda x: np.sum(x, axis=1.5), "np.sum: `axis` must be an integer"),
    "a string for an array": (lambda x: np.concatenate([x, "x"]), "`arrays` must be a sequence of arrays"),
    "a ragged list": (lambda x: np.where(x > 0, [[1], [1, 2]], x), "np.where: `x`"),
    "an option of another mode": (lambda x: np.pad(x, 1, end_values=1), "does not belong to the mode"),
}


@pytest.mark.parametrize("case", WRONG_CALLS)
def test_wrong_calls_name_what_is_wrong(case):
    function, message = WRONG_CALLS[case]
    with pytest.raises(ad.MliradError) as caught:
        ad.jit(function)(X)
    assert message in caught.value.message
    assert caught.value.hint is not None and caught.value.location is not None
    assert "test_numpy_signatures.py" in caught.value.location


def test_the_users_own_exceptions_pass():
    def failing(row):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        ad.jit(lambda x: np.apply_along_axis(failing, 0, x))(X)


@since_numpy(2, 4, because="NumPy has no signatures for these functions")
def test_signatures_for_older_numpy_are_those_of_this_one():
    for name, parameters in _OF_C_FUNCTIONS.items():
        assert str(inspect.signature(getattr(np, name))) == f"({parameters})", name
