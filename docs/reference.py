"""The reference of the public interface, made of signatures and docstrings: a page of the site.

Functions are in groups, by the page of the Python interface that tells of them.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import mlirad as ad
from mlirad.frontend.compiling.options import OPTIONS

DOCS = Path(__file__).resolve().parent
ERRORS = "Errors and warnings"
_PAGE = re.compile(r"^\| \[(?P<title>.+)\]\((?P<path>python/[\w-]+\.md)\) \|", re.MULTILINE)
_HEADING = re.compile(r"^## `ad\.(\w+)", re.MULTILINE)
_LISTED = re.compile(r"`ad\.(\w+)")


def reference() -> Iterator[str]:
    """The lines of the page: what `ad` has by subject, then its modules."""
    yield "# Reference"
    yield ""
    yield "Every public function and class, with its docstring. [The Python interface](python.md) tells the"
    yield "same with more examples. Where a signature ends with `**options`, they are these:"
    yield from ["", *(f"- `{option}`: {says}" for option, says in OPTIONS.items())]
    for title, names in groups().items():
        yield from ["", f"## {title}"]
        for name in names:
            yield from entry(f"ad.{name}", getattr(ad, name), "###")
    for name in ad.__all__:
        module = getattr(ad, name)
        if inspect.ismodule(module):
            yield from ["", f"## `ad.{name}`", "", inspect.getdoc(module) or ""]
            for inner in own_functions(module):
                yield from entry(f"ad.{name}.{inner}", getattr(module, inner), "###")


def groups() -> dict[str, list[str]]:
    """The names of functions and classes by subject: those that a page has a section for, then those that it
    mentions and no page before does."""
    paths = _PAGE.findall((DOCS / "python.md").read_text())
    texts = {title: (DOCS / path).read_text() for title, path in paths}
    left = [name for name in ad.__all__ if not inspect.ismodule(getattr(ad, name))]
    errors = [name for name in left if _is_error(getattr(ad, name))]
    found: dict[str, list[str]] = {title: [] for title in texts}
    for pattern in (_HEADING, _LISTED):
        for title, text in texts.items():
            for name in dict.fromkeys(pattern.findall(text)):
                if name in left and name not in errors:
                    left.remove(name)
                    found[title].append(name)
    found[ERRORS] = [name for name in left if name in errors]
    missing = set(left) - set(errors)
    assert not missing, f"no page of docs/python has {', '.join(sorted(missing))}"
    return {title: names for title, names in found.items() if names}


def own_functions(module: ModuleType) -> Iterable[str]:
    """The names of what a module of mlirad's defines, without what it passes on from NumPy."""
    for name in getattr(module, "__all__", ()):
        thing = getattr(module, name, None)
        if callable(thing) and str(getattr(thing, "__module__", "")).startswith("mlirad."):
            yield name


def entry(name: str, thing: Any, level: str) -> Iterator[str]:
    """A heading, the signature and the docstring; of a class also its public methods."""
    yield from ["", f"{level} `{name}`", ""]
    if not inspect.isclass(thing) and callable(thing):
        yield from ["```python", f"{name}{signature(thing)}", "```", ""]
    yield from _text(thing)
    if inspect.isclass(thing) and not _is_error(thing):
        for inner, member in vars(thing).items():
            if not inner.startswith("_") and (callable(member) or isinstance(member, property)):
                shown = "" if isinstance(member, property) else signature(member)
                yield from ["", f"{level}# `{name}.{inner}`", "", f"`{inner}{shown}`", ""]
                yield from _text(member)


def signature(thing: Any) -> str:
    """The parameters with their defaults, options as `**options`."""
    try:
        parameters = inspect.signature(thing).parameters
    except (TypeError, ValueError):
        return "(...)"
    has_options = OPTIONS.keys() <= parameters.keys()
    shown = [
        parameter.replace(annotation=parameter.empty, default=_Shown.of(parameter.default))
        for name, parameter in parameters.items()
        if not (has_options and name in OPTIONS)
    ]
    if has_options:
        shown.append(inspect.Parameter("options", inspect.Parameter.VAR_KEYWORD))
    return str(inspect.Signature(shown)).replace("'", '"')


class _Shown(str):
    """A default as code would write it."""

    __repr__ = str.__str__

    @classmethod
    def of(cls, default: Any) -> Any:
        if not inspect.isclass(default) or default is inspect.Parameter.empty:
            return default
        return cls(f"np.{default.__name__}" if default.__module__ == np.__name__ else default.__name__)


def _is_error(thing: Any) -> bool:
    return inspect.isclass(thing) and issubclass(thing, BaseException)


def _text(thing: Any) -> list[str]:
    """The lines of a docstring without the list of options, which the page has once; sessions are fenced."""
    lines = (inspect.getdoc(thing) or "").splitlines()
    listed = [k for k, line in enumerate(lines) if line.strip() == "Options:"]
    return _fenced(lines[: listed[0]] if listed else lines)


def _fenced(lines: list[str]) -> list[str]:
    """The lines with a fence around each session, which a blank line ends, and without its indentation."""
    found: list[str] = []
    indent: int | None = None
    for line in [*lines, ""]:
        if indent is None and line.lstrip().startswith(">>> "):
            found.append("```python")
            indent = len(line) - len(line.lstrip())
        elif indent is not None and not line.strip():
            found.append("```")
            indent = None
        found.append(line[indent or 0 :])
    return found
