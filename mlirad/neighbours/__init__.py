"""Names of JAX, autograd, PyTorch, Enzyme and others, and what to write for them here: one table.

    ad.custom_vjp      ad has no custom_vjp: jax.custom_vjp is ad.custom_derivative here
                         hint: write step = ad.custom_derivative(np.sign); ...
    ad.lax.scan        ad has no lax.scan: jax.lax.scan is ad.scan here

The page `docs/generated/neighbours.md` is made of the table, and the tests run every example in it.
"""

from __future__ import annotations

import dis
import sys
from collections.abc import Collection, Sequence
from importlib.util import find_spec
from types import FrameType
from typing import Final

from mlirad.errors import MissingAttributeError, MissingImportError
from mlirad.neighbours.compiling import COMPILING
from mlirad.neighbours.control import CONTROL
from mlirad.neighbours.derivatives import DERIVATIVES
from mlirad.neighbours.entries import Entry, named
from mlirad.neighbours.formulas import FORMULAS
from mlirad.neighbours.keywords import KEYWORDS
from mlirad.neighbours.methods import METHODS
from mlirad.neighbours.structures import SOLVING, STRUCTURES

_FUNCTIONS: Final = (*DERIVATIVES, *CONTROL, *COMPILING, *STRUCTURES, *FORMULAS, *SOLVING)


def unknown_name(module: str, name: str, known: Sequence[str]) -> AttributeError | ImportError:
    """Return the error that a module, which has the names `known`, does not have `name`.

    It says what a neighbour's name is here. The caller is the module's `__getattr__`.
    """
    frame = sys._getframe(2)  # pyright: ignore[reportPrivateUsage]
    is_machinery = frame.f_code.co_filename.startswith("<frozen importlib")
    if is_machinery or (name.startswith("_") and named(name, _FUNCTIONS) is None):
        return AttributeError(f"module {module!r} has no attribute {name!r}")
    following, is_import = _asked(frame, name)
    kind = MissingImportError if is_import else MissingAttributeError
    shown = module.replace("mlirad", "ad", 1)
    place = f"{frame.f_code.co_filename}:{frame.f_lineno}"
    part = module.partition(".")[2]
    for text in (f"{name}.{following}", name) if following else (name,):
        found = (named(f"{part}.{text}", _FUNCTIONS) if part else None) or named(text, _FUNCTIONS)
        if found is not None:
            sentence, hint = _said(*found)
            return kind(f"{shown} has no {text}: {sentence}", location=place, hint=hint)
    return kind(f"{shown} has no {name}", location=place, hint=_hint(shown, name, known))


def keyword_said(name: str, function: str = "", parameters: Collection[str] = ()) -> tuple[str, str] | None:
    """Return what an argument of a neighbour is here, and an example; None if the table does not have it.

    With a function the argument is one of its parameters here, or the example calls it.
    """
    found = named(name, KEYWORDS)
    if found is None:
        return None
    fits = not function or found[0].here in parameters or f"{function}(" in found[0].example
    return _said(*found) if fits else None


def keyword_example(name: str) -> str | None:
    """Return an example of a call with the argument `name`, which some functions here take, or None."""
    return next((each.example for each in KEYWORDS if each.here == name), None)


def method_said(name: str) -> tuple[str, str] | None:
    """Return what a method of a neighbour's arrays is here, and an example; None if the table lacks it."""
    found = named(name, METHODS)
    return None if found is None else _said(*found)


def _said(entry: Entry, theirs: str) -> tuple[str, str]:
    return entry.sentence(theirs), f"write {entry.example}"


def _asked(frame: FrameType, name: str) -> tuple[str | None, bool]:
    """Return the attribute that code asks of the attribute it asks for, and whether it imports that."""
    instructions = [
        i for i in dis.get_instructions(frame.f_code) if i.opname not in ("CACHE", "EXTENDED_ARG")
    ]
    at = next((k for k, i in enumerate(instructions) if i.offset == frame.f_lasti), None)
    if at is None:
        return None, False
    if instructions[at].opname == "IMPORT_FROM":
        return None, True
    following = instructions[at + 1] if at + 1 < len(instructions) else None
    is_chain = following is not None and following.opname in ("LOAD_ATTR", "LOAD_METHOD")
    asks = instructions[at].opname in ("LOAD_ATTR", "LOAD_METHOD") and instructions[at].argval == name
    return (str(following.argval) if is_chain and asks and following is not None else None), False


def _hint(module: str, name: str, known: Sequence[str]) -> str:
    """Say what a name may mean that the table lacks: a function of NumPy or SciPy, or a slip of the pen."""
    import difflib

    import numpy as np

    if callable(vars(np).get(name)):
        return f"write np.{name}: NumPy's functions are traced as they are"
    if callable(vars(np.linalg).get(name)):
        return f"write np.linalg.{name}: NumPy's functions are traced as they are"
    special = sys.modules.get("scipy.special")
    if special is None and find_spec("scipy") is not None:
        import scipy.special as special
    if callable(vars(special).get(name) if special else None):
        return f"write scipy.special.{name}: SciPy's functions are traced as they are"
    close = difflib.get_close_matches(name, known, 3, 0.75)
    if close:
        return f"it has {', '.join(f'{module}.{other}' for other in close)}"
    return f"dir({module}) lists what it has"
