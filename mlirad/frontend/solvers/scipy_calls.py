"""Functions that are handed to SciPy and read traced values: each is called once, at a point chosen for the
test.

brentq(lambda x: x - a, 0, 2)      f(1.0) is traced if a is
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from mlirad.errors import MliradError, is_from_signal
from mlirad.frontend.tracing.control import as_traced
from mlirad.frontend.tracing.operations import contains_traced


def reads_traced(f: Any, *given: Any, **options: Any) -> bool:
    """Tell whether the function in the first place of a call of SciPy's returns traced values for others.

    It is called at a point that the call names. An error of mlirad's is one of traced values; of other errors
    SciPy's own call tells.
    """
    args: Any = options.get("args", ())
    if "args" not in options:
        args = next((cast("Any", part) for part in given if isinstance(part, tuple)), ())
    return returns_traced(f, _point(given, options), *own_arguments(args))


def returns_traced(f: Any, *point: Any) -> bool:
    """Tell whether a function returns traced values at a point without any; see `reads_traced`."""
    if not callable(f):
        return False
    try:
        found = as_traced(f)(*point)
    except (MliradError, RecursionError):
        return True
    except Exception as error:
        if is_from_signal(error):
            raise
        return False
    return contains_traced(cast("object", found))


def own_arguments(args: Any) -> tuple[Any, ...]:
    """The further arguments of a function; SciPy takes a single one as it is."""
    return cast("tuple[Any, ...]", args if isinstance(args, tuple) else (args,))


def _point(given: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """A point of the call: between two bounds if these are numbers, else the start."""
    if "bracket" in options and options["bracket"] is not None:
        given = tuple(options["bracket"])
    starts = [options[name] for name in ("x0", "a", "b") if name in options] + list(given[:2])
    bounds = [float(cast("float", x)) for x in starts if isinstance(x, int | float | np.number)]
    if not bounds:
        return starts[0] if starts else 0.0
    finite = [x for x in bounds if np.isfinite(x)]
    return sum(finite) / len(finite) if finite else 0.0
