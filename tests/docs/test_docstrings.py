"""Examples in docstrings of the public interface are run, each docstring in a namespace of its own."""

from __future__ import annotations

import doctest
import inspect
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import mlirad as ad

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
_PACKAGE = re.compile(r"^ *>>> import (jax|torch|dask)\b", re.MULTILINE)
"""Packages that need not be installed."""


def public() -> Iterator[tuple[str, Any]]:
    """Names and values of what `ad` and its public modules have, of `ad.numpy` what is not NumPy's."""
    inner = [name for name in ad.__all__ if inspect.ismodule(getattr(ad, name))]
    for prefix, module in [("ad", ad), *((f"ad.{name}", getattr(ad, name)) for name in inner)]:
        for name in module.__all__:
            thing = getattr(module, name)
            if module is not ad.numpy or str(getattr(thing, "__module__", "")).startswith("mlirad"):
                yield f"{prefix}.{name}", thing


def examples() -> Iterator[tuple[str, str]]:
    """Names and docstrings of what has an example."""
    for name, thing in public():
        text = inspect.getdoc(thing) or ""
        if ">>> " in text:
            yield name, text


EXAMPLES = dict(examples())


@pytest.mark.parametrize("name", EXAMPLES)
def test_docstring(name: str) -> None:
    for package in _PACKAGE.findall(EXAMPLES[name]):
        pytest.importorskip(package)
    test = doctest.DocTestParser().get_doctest(EXAMPLES[name], {"np": np, "ad": ad}, name, None, 0)
    failures: list[str] = []
    doctest.DocTestRunner(optionflags=FLAGS).run(test, out=failures.append)
    assert not failures, "".join(failures)


def test_every_function_and_class_has_an_example() -> None:
    """All that is public but errors, warnings, and `ad.numpy`, whose functions are those of NumPy."""
    needed = {
        name
        for name, thing in public()
        if (inspect.isclass(thing) or inspect.isroutine(thing)) and not name.startswith("ad.numpy.")
        if not (inspect.isclass(thing) and issubclass(thing, BaseException))
    }
    assert {"ad.grad", "ad.LinearMap", "ad.optimize.adam", "ad.random.normal", "ad.tree.map"} <= needed
    assert not needed - EXAMPLES.keys()
