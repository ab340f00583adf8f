"""Values of Python as bytes that are the same in every process, and digests of them for this compiler.

    key_of(("text", text, target))      "3b1f...", or None where it cannot be told which compiler runs

In the encoding every part tells where it ends, so different values have different encodings. Only the kinds
of values have one that options, signatures and attributes are made of.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, Final, TypeAlias, cast

from mlirad.dialects.extents import Extent, Quotient
from mlirad.disk_cache.sources import compiler
from mlirad.jit.target import Target

KEY_BYTES: Final = 20

Other: TypeAlias = Callable[[Any], bytes | None]
"""Encodes further kinds of values, each in a way of its own; None for what is of none of them."""


class UnknownError(Exception):
    """A value that has no encoding, so a program that cannot be told from others."""


def text_key(text: str, target: Target) -> str | None:
    """The key of the object code that a text of LLVM IR becomes without optimisation; None as above."""
    return key_of(("text", text, target))


def key_of(value: object) -> str | None:
    """The digest of a value and of the compiler. Raises `UnknownError` for a value without encoding."""
    digest = begun()
    if digest is None:
        return None
    digest.update(encoded(value))
    return digest.hexdigest()


def begun() -> hashlib.blake2b | None:
    """A digest that the compiler is in, None where it cannot be told which one runs."""
    made_by = compiler()
    return None if made_by is None else hashlib.blake2b(made_by, digest_size=KEY_BYTES)


def encoded(value: Any, other: Other | None = None) -> bytes:
    """A value as bytes; `other` is asked for what is not a number, text or container.

    Raises `UnknownError` for a value without encoding.
    """
    encode = _PLAIN.get(cast("type[object]", type(value)))
    if encode is not None:
        return encode(value, other)
    found = None if other is None else other(value)
    if found is not None:
        return found
    if isinstance(value, Enum):
        return b"e" + text_bytes(type(value).__qualname__) + text_bytes(value.name)
    if is_dataclass(value):
        parts = [encoded(getattr(value, field.name), other) for field in fields(value)]
        return b"c" + text_bytes(type(value).__qualname__) + count_bytes(parts) + b"".join(parts)
    raise UnknownError


def _sequence(items: Sequence[object], other: Other | None) -> bytes:
    return b"t" + count_bytes(items) + b"".join([encoded(item, other) for item in items])


def text_bytes(text: str) -> bytes:
    """A text, behind its length."""
    found = text.encode(errors="surrogatepass")
    return b"%d:%b" % (len(found), found)


def count_bytes(items: Collection[Any]) -> bytes:
    """Return how many items follow."""
    return b"%d;" % len(items)


_PLAIN: Mapping[type, Callable[[Any, Other | None], bytes]] = {
    type(None): lambda _, other: b"n",
    bool: lambda value, other: b"b%d;" % value,
    int: lambda value, other: b"i%d;" % value,
    float: lambda value, other: b"f" + struct.pack("<d", value),
    str: lambda value, other: b"s" + text_bytes(value),
    bytes: lambda value, other: b"y%d:%b" % (len(value), value),
    tuple: _sequence,
    list: _sequence,
    dict: lambda value, other: b"d" + _sequence(list(value.items()), other),
    Extent: lambda value, other: b"x" + encoded(value.terms, other),
    Quotient: lambda value, other: b"q" + encoded((value.terms, value.divisor), other),
}
