"""The attributes that the array API standard asks of arrays: their namespace and their device.

xp = x.__array_namespace__()      mlirad.numpy
x.to_device("cpu")                x
"""

from __future__ import annotations

from typing import Any, Final, cast

import numpy as np

from mlirad.frontend.numpy_functions.arrays.creation import CREATING
from mlirad.frontend.tracing.raising import argument_error

DEVICE: Final = "cpu"
"""The only one."""


class Namespace:
    """NumPy, with functions that make traced arrays: what `mlirad.numpy` has."""

    def __getattr__(self, name: str) -> Any:
        return CREATING[name] if name in CREATING else getattr(np, name)

    def __dir__(self) -> list[str]:
        return dir(np)


NAMESPACE: Final = Namespace()


def array_namespace(api_version: str | None) -> Namespace:
    """Return what has the functions of the standard; raises ArgumentError for a version that NumPy does not
    have.
    """
    try:
        np.zeros(0).__array_namespace__(api_version=cast(Any, api_version))
    except ValueError as error:
        raise argument_error(f"__array_namespace__: {error}", "leave out api_version") from error
    return NAMESPACE


def on_device(x: Any, device: object, stream: object) -> Any:
    """`x.to_device(device)`, the array itself. Raises ArgumentError for another device, or a stream."""
    hint = f"write x.to_device({DEVICE!r})"
    if device != DEVICE:
        raise argument_error(f"to_device: there is no device {device!r}", hint)
    if stream is not None:
        raise argument_error("to_device: there are no streams", hint)
    return x
