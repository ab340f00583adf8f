"""Ways in which Python finds a value, and changes of what it finds: a compiled call gives what Python gives.

    # base class                a name
    class A:                    the lines of a module
        k = 2.0
    a = A()
    > a.k * x                   a term of the function of x
    ! A.k = 3.0                 what changes the term, one after the other
    ! a.k = 5.0

They are text, so that a process can make them again.
"""

from __future__ import annotations

import linecache
import random
import sys
import types
from collections.abc import Sequence
from dataclasses import dataclass

from tests.generators.changed_lookups import (
    arrays,
    attributes,
    classes,
    names,
    process,
    protocols,
    records,
    values,
    wrappers,
)

HEADER = """import abc, argparse, array, builtins, collections, collections.abc, contextlib, contextvars, copy
import ctypes, dataclasses, datetime, decimal, enum, fractions, functools, importlib, inspect, io, itertools
import math, numbers, operator, os, pathlib, queue, string, sys, threading, time, types, typing, weakref
import numpy as np
import mlirad as ad
octal, START = oct, os.getcwd()
def restore():
    builtins.oct = octal
    os.chdir(START)
"""


@dataclass(frozen=True)
class Lookup:
    """Lines of a module, a term of x, and statements that change the term."""

    lines: str
    term: str
    changes: tuple[str, ...]


def _lookups(text: str) -> dict[str, Lookup]:
    """Those of a text, by their names."""
    found: dict[str, Lookup] = {}
    for part in f"\n{text.strip()}".split("\n# ")[1:]:
        name, *lines = part.splitlines()
        terms = [line[2:] for line in lines if line.startswith("> ")]
        changes = tuple(line[2:] for line in lines if line.startswith("! "))
        rest = [line for line in lines if not line.startswith(("> ", "! "))]
        assert len(terms) == 1 and name not in found, f"{name} has {len(terms)} terms"
        found[name] = Lookup("\n".join(rest), terms[0], changes)
    return found


_TABLES = (arrays, attributes, classes, names, process, protocols, records, values, wrappers)

LOOKUPS = {name: lookup for table in _TABLES for name, lookup in _lookups(table.TEXT).items()}
"""The look-ups, by what Python finds."""


def program(names: str | Sequence[str], folder: str, number: int = 0) -> types.ModuleType:
    """A module of some look-ups: their sum is the function `f`, their changes are `change_0`, and so on.

    Files are in `folder`; programs of other numbers are other modules.
    """
    chosen = [LOOKUPS[name] for name in ([names] if isinstance(names, str) else names)]
    changes = [change for lookup in chosen for change in lookup.changes]
    made = "".join(f"def change_{k}():\n    {change}\n" for k, change in enumerate(changes))
    lines = "\n".join(lookup.lines for lookup in chosen)
    terms = " + ".join(f"({lookup.term})" for lookup in chosen)
    source = (
        f"{HEADER}FOLDER = {folder!r}\n{lines}\ndef f(x):\n    return {terms}\n"
        f"{made}CHANGES = {len(changes)}\n"
    )
    name = f"changed_lookups_{number}"
    file = f"<{name}>"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    module = sys.modules[name] = types.ModuleType(name)
    exec(compile(source, file, "exec", dont_inherit=True), vars(module))
    return module


def in_groups(names: Sequence[str], size: int, rng: random.Random) -> list[list[str]]:
    """Look-ups in random groups, no two of a group with a name in common."""
    shuffled = list(names)
    rng.shuffle(shuffled)
    groups: list[list[str]] = []
    for name in shuffled:
        fitting = [g for g in groups if len(g) < size and not any(_own(name) & _own(o) for o in g)]
        if fitting:
            fitting[0].append(name)
        else:
            groups.append([name])
    return groups


def _own(name: str) -> set[str]:
    """The names that the lines of a look-up define or use, but those of modules."""
    return (
        set(compile(LOOKUPS[name].lines or "pass", name, "exec").co_names) - set(sys.modules) - {"np", "ad"}
    )
