"""The frameworks on the other side, imported when a bridge to one is first used."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from mlirad.errors import UnsupportedError


def framework(name: str, bridge: str) -> Any:
    """The package `name`. Raises `UnsupportedError` in one sentence where it is not installed."""
    try:
        return import_module(name)
    except ImportError as error:
        raise UnsupportedError(
            f"ad.{bridge} needs the package {name.partition('.')[0]}, which cannot be imported: {error}",
            hint=f"install it: pip install {name.partition('.')[0]}",
        ) from error
