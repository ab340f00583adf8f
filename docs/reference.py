"""The reference of the public interface, made of signatures and docstrings: a page of the site."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import mlirad as ad


def reference() -> Iterator[str]:
    """The lines of the page: what `ad` has, then what its modules have."""
    yield "# Reference"
    yield ""
    yield "Every public function and class, with its docstring."
    yield "[The Python interface](python.md) tells the same with examples."
    modules: list[tuple[str, ModuleType]] = []
    for name in ad.__all__:
        thing = getattr(ad, name)
        if inspect.ismodule(thing):
            modules.append((name, thing))
        else:
            yield from entry(f"ad.{name}", thing, "##")
    for name, module in modules:
        yield from ["", f"## `ad.{name}`", "", inspect.getdoc(module) or ""]
        for inner in getattr(module, "__all__", ()):
            thing = getattr(module, inner, None)
            if callable(thing) and str(getattr(thing, "__module__", "")).startswith("mlirad."):
                yield from entry(f"ad.{name}.{inner}", thing, "###")


def entry(name: str, thing: Any, level: str) -> Iterator[str]:
    """A heading, the signature and the docstring; of a class also its public methods."""
    yield from ["", f"{level} `{name}`", ""]
    if not inspect.isclass(thing) and callable(thing):
        yield from ["```python", f"{name}{_signature(thing)}", "```", ""]
    yield from _text(thing)
    if inspect.isclass(thing) and not issubclass(thing, BaseException):
        for inner, member in vars(thing).items():
            if not inner.startswith("_") and (callable(member) or isinstance(member, property)):
                shown = "" if isinstance(member, property) else _signature(member)
                yield from ["", f"{level}# `{name}.{inner}`", "", f"`{inner}{shown}`", ""]
                yield from _text(member)


def _signature(thing: Any) -> str:
    try:
        return str(inspect.signature(thing))
    except (TypeError, ValueError):
        return "(...)"


def _text(thing: Any) -> list[str]:
    return (inspect.getdoc(thing) or "").splitlines()
