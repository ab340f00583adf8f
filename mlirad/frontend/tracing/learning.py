"""Signatures of functions that are values, learned from their calls: the program is traced once more.

    f = ad.cond(p, lambda: ad.lambda_(g), lambda: ad.lambda_(h))     nothing is known of their arguments
    f(x)                                                             they are x's type: `Learned` is raised

A call of `ad.lambda_` is known by the user's call stack, which is the same in every trace, whatever else is
traced in between.

Signatures are learned by tracing again. A function that is chosen before it is called has no types yet:
Python has no declarations to take them from, and asking for examples everywhere would make curried code
unreadable. So its first call says what the arguments are, and the whole trace is repeated. The lesson belongs
to the call of `ad.lambda_`, known by the user's call stack. A counter would not do, as an abandoned attempt
has traced other code than the next. Functions that one call stack makes, in a list comprehension, share a
signature for that reason.

With a learned signature a function is traced once it is passed on. So functions that are made in one place
and only called are still traced for each call's own types, and the code of an unused one is not in the
program. Its captures are read then, as by a Python function.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from types import CodeType, FrameType
from typing import TypeAlias

from mlirad.frontend.tracing.dtypes import result_type
from mlirad.frontend.tracing.frames import current_frame
from mlirad.frontend.tracing.leaf_types import LeafType
from mlirad.frontend.tracing.lessons import Request
from mlirad.frontend.tracing.source import is_user_file, user_line
from mlirad.frontend.tracing.values import HigherType, StructureType, ValueType

Key: TypeAlias = tuple[tuple[CodeType, int], ...]
"""The frames of a call stack: code and instruction."""

MOST_TRACES = 32
"""The number of times that a program is traced to learn signatures."""


class Learned(Request):
    """A signature is known that was not when the trace began. `place` is the user's line that shows it."""

    def __init__(self, place: str | None):
        super().__init__()
        self.place = place


def call_stack() -> Key:
    """The user's frames that lead here."""
    frame: FrameType | None = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    key: list[tuple[CodeType, int]] = []
    while frame is not None:
        if is_user_file(frame.f_code.co_filename):
            key.append((frame.f_code, frame.f_lasti))
        frame = frame.f_back
    return tuple(key)


def known_parameters(key: Key) -> StructureType | None:
    """The arguments that the closures of a call of `ad.lambda_` are known to be called with."""
    signatures = current_frame().functions.lessons.signatures
    found = signatures.get(key)
    if found is not None and any(k in signatures for k in found.unknown()):
        # It holds a function that is better known by now, and so will this be.
        del signatures[key]
        return None
    return found


def learn(keys: Iterable[Key], parameters: StructureType) -> None:
    """Raise `Learned` if it is news for one of the closures that it is called with arguments like these."""
    signatures = current_frame().functions.lessons.signatures
    is_new = False
    for key in keys:
        known = signatures.get(key)
        found = parameters if known is None else _widened(known, parameters)
        if found is not None and found != known:
            signatures[key] = found
            is_new = True
    if is_new:
        raise Learned(user_line())


def _widened(known: StructureType, found: StructureType) -> StructureType | None:
    """The types of arguments that were known as `known` and are found to be `found`, if there are any."""
    if known.tree != found.tree:
        return None
    leaves = [_widened_leaf(k, f) for k, f in zip(known.leaves, found.leaves, strict=True)]
    return None if None in leaves else StructureType(known.tree, tuple(leaf for leaf in leaves if leaf))


def _widened_leaf(known: ValueType, found: ValueType) -> ValueType | None:
    if isinstance(known, HigherType) or isinstance(found, HigherType):
        if not (isinstance(known, HigherType) and isinstance(found, HigherType)):
            return None
        return known.joined(found)
    if known.shape != found.shape:
        return None
    dtype = result_type([known.kind, found.kind])
    if any(dtype != t.dtype and not t.weak for t in (known, found)):
        return None
    return LeafType(known.shape, dtype, known.weak and found.weak)
