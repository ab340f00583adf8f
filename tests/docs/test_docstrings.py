"""Examples in docstrings of the public interface are run, each docstring in a namespace of its own."""

from __future__ import annotations

import doctest
import inspect
from collections.abc import Iterator

import numpy as np
import pytest

import mlirad as ad

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def examples() -> Iterator[tuple[str, str]]:
    """Names and docstrings with an example of what mlirad defines in `ad` and its public modules."""
    inner = [name for name in ad.__all__ if inspect.ismodule(getattr(ad, name))]
    for prefix, module in [("ad", ad), *((f"ad.{name}", getattr(ad, name)) for name in inner)]:
        for name in module.__all__:
            thing = getattr(module, name)
            text = inspect.getdoc(thing) or ""
            if ">>> " in text and str(getattr(thing, "__module__", "")).startswith("mlirad"):
                yield f"{prefix}.{name}", text


EXAMPLES = dict(examples())


@pytest.mark.parametrize("name", EXAMPLES)
def test_docstring(name: str) -> None:
    test = doctest.DocTestParser().get_doctest(EXAMPLES[name], {"np": np, "ad": ad}, name, None, 0)
    failures: list[str] = []
    doctest.DocTestRunner(optionflags=FLAGS).run(test, out=failures.append)
    assert not failures, "".join(failures)


def test_examples_are_found() -> None:
    assert {"ad.jet", "ad.odeint", "ad.segment_sum"} <= EXAMPLES.keys()
