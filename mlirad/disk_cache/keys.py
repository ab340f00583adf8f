"""The key under which a compiled program is kept: a digest of all that its machine code depends on.

    program_key(module, options, target)      "3b1f...", or None where there is no such digest
    text_key(text, target)                    the same of a text of LLVM IR

That is the program as it was traced, the options of its pipeline, the processor, and the compiler. Of the
program everything counts but where its lines are: no instruction depends on that, and what a program reports
of its source is text in the ops that report it. So a cell of a notebook, whose file has another name in every
session, finds its programs.

The digest is of an encoding in which every part tells where it ends, so different programs have different
encodings. It takes a tenth of the time that printing the program would.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Data, Operation, ParametrizedAttribute, Region, SSAValue

from mlirad.dialects.extents import Extent, Quotient
from mlirad.disk_cache.sources import compiler
from mlirad.jit.target import Target

KEY_BYTES = 20

_LONG = 256
"""Bytes beyond which the encoding of an attribute is replaced by a digest of it."""


def program_key(module: ModuleOp, options: object, target: Target) -> str | None:
    """The key of the program that a module is compiled to; None where it cannot be told what that is.

    `options` is all else that decides it: dataclasses, tuples and plain values.
    """
    digest = _begun()
    if digest is None:
        return None
    try:
        digest.update(_data((options, target)))
        _Encoder(digest).op(module)
    except _UnknownError:
        return None
    return digest.hexdigest()


def text_key(text: str, target: Target) -> str | None:
    """The key of the object code that a text of LLVM IR becomes without optimisation; None as above."""
    digest = _begun()
    if digest is None:
        return None
    digest.update(_data(("text", text, target)))
    return digest.hexdigest()


def _begun() -> hashlib.blake2b | None:
    """A digest that the compiler is in, None where it cannot be told which one runs."""
    made_by = compiler()
    return None if made_by is None else hashlib.blake2b(made_by, digest_size=KEY_BYTES)


class _UnknownError(Exception):
    """A value that has no encoding, so a program that cannot be told from others."""


class _Encoder:
    """Adds a program to a digest, op by op; values are numbered as they are met."""

    def __init__(self, digest: hashlib.blake2b):
        self._digest = digest
        self._values: dict[int, int] = {}
        self._blocks: dict[Block, int] = {}
        self._attributes: dict[int, tuple[Attribute, bytes]] = {}

    def op(self, op: Operation) -> None:
        """Add an op and all in it."""
        parts = [_text(op.name), _count(op.operands)]
        parts += [self._number(operand) for operand in op.operands]
        parts.append(_count(op.results))
        parts += [self._value(result) for result in op.results]
        for attributes in (op.properties, op.attributes):
            parts.append(_count(attributes))
            for name in sorted(attributes):
                parts += [_text(name), self._attribute(attributes[name])]
        parts.append(_count(op.successors))
        parts += [b"%d;" % self._block(block) for block in op.successors]
        parts.append(_count(op.regions))
        self._digest.update(b"".join(parts))
        for region in op.regions:
            self._region(region)

    def _region(self, region: Region) -> None:
        self._digest.update(_count(region.blocks))
        for block in region.blocks:
            parts = [b"%d;" % self._block(block), _count(block.args)]
            parts += [self._value(argument) for argument in block.args]
            ops = list(block.ops)
            self._digest.update(b"".join([*parts, _count(ops)]))
            for op in ops:
                self.op(op)

    def _block(self, block: Block) -> int:
        return self._blocks.setdefault(block, len(self._blocks))

    def _number(self, value: SSAValue) -> bytes:
        return b"%d;" % self._values.setdefault(id(value), len(self._values))

    def _value(self, value: SSAValue) -> bytes:
        """A value where it is defined: its number, type and name."""
        return self._number(value) + self._attribute(value.type) + _text(value.name_hint or "")

    def _attribute(self, attribute: Attribute) -> bytes:
        known = self._attributes.get(id(attribute))
        if known is None:
            # Held, so that no other attribute gets its address.
            known = self._attributes[id(attribute)] = (attribute, _attribute(attribute))
        return known[1]


def _attribute(attribute: Attribute) -> bytes:
    if isinstance(attribute, ParametrizedAttribute):
        parts = [_text(attribute.name), _count(attribute.parameters), *map(_attribute, attribute.parameters)]
    elif isinstance(attribute, Data):
        parts = [_text(attribute.name), _data(cast("Data[Any]", attribute).data)]
    else:
        raise _UnknownError
    made = b"".join(parts)
    return b"a" + made if len(made) <= _LONG else b"A" + hashlib.blake2b(made, digest_size=32).digest()


def _data(value: Any) -> bytes:
    """A value of Python: of the kinds that attributes and options are made of, and no others."""
    encode = _PLAIN.get(cast("type[object]", type(value)))
    if encode is not None:
        return encode(value)
    if isinstance(value, Attribute):
        return _attribute(value)
    if isinstance(value, Enum):
        return b"e" + _text(type(value).__qualname__) + _text(value.name)
    if is_dataclass(value):
        parts = [_data(getattr(value, field.name)) for field in fields(value)]
        return b"c" + _text(type(value).__qualname__) + _count(parts) + b"".join(parts)
    raise _UnknownError


def _sequence(items: Sequence[object]) -> bytes:
    return b"t" + _count(items) + b"".join(map(_data, items))


_PLAIN: Mapping[type, Callable[[Any], bytes]] = {
    type(None): lambda _: b"n",
    bool: lambda value: b"b%d;" % value,
    int: lambda value: b"i%d;" % value,
    float: lambda value: b"f" + struct.pack("<d", value),
    str: lambda value: b"s" + _text(value),
    bytes: lambda value: b"y%d:%b" % (len(value), value),
    tuple: _sequence,
    list: _sequence,
    dict: lambda value: b"d" + _sequence(list(value.items())),
    Extent: lambda value: b"x" + _data(value.terms),
    Quotient: lambda value: b"q" + _data((value.terms, value.divisor)),
}


def _text(text: str) -> bytes:
    encoded = text.encode(errors="surrogatepass")
    return b"%d:%b" % (len(encoded), encoded)


def _count(items: Collection[Any]) -> bytes:
    return b"%d;" % len(items)
