"""The key under which a compiled program is kept: a digest of all that its machine code depends on.

    program_key(module, options, target)      "3b1f...", or None where there is no such digest

That is the program as it was traced, the options of its pipeline, the processor, and the compiler. Of the
program everything counts but where its lines are: no instruction depends on that, and what a program reports
of its source is text in the ops that report it. So a cell of a notebook, whose file has another name in every
session, finds its programs.

The digest is of an encoding in which every part tells where it ends, so different programs have different
encodings. It takes a tenth of the time that printing the program would.

The price: names of kernels, which profilers show, may have the line of another session.
"""

from __future__ import annotations

import hashlib
from typing import Any, cast

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Block, Data, Operation, ParametrizedAttribute, Region, SSAValue

from mlirad.disk_cache.encoding import UnknownError, begun, count_bytes, encoded, text_bytes
from mlirad.jit.target import Target

_LONG = 256
"""Bytes beyond which the encoding of an attribute is replaced by a digest of it."""


def program_key(module: ModuleOp, options: object, target: Target) -> str | None:
    """The key of the program that a module is compiled to; None where it cannot be told what that is.

    `options` is all else that decides it: dataclasses, tuples and plain values.
    """
    digest = begun()
    if digest is None:
        return None
    try:
        digest.update(_data((options, target)))
        _Encoder(digest).op(module)
    except UnknownError:
        return None
    return digest.hexdigest()


class _Encoder:
    """Adds a program to a digest, op by op; values are numbered as they are met."""

    def __init__(self, digest: hashlib.blake2b):
        self._digest = digest
        self._values: dict[int, int] = {}
        self._blocks: dict[Block, int] = {}
        self._attributes: dict[int, tuple[Attribute, bytes]] = {}

    def op(self, op: Operation) -> None:
        """Add an op and all in it."""
        parts = [text_bytes(op.name), count_bytes(op.operands)]
        parts += [self._number(operand) for operand in op.operands]
        parts.append(count_bytes(op.results))
        parts += [self._value(result) for result in op.results]
        for attributes in (op.properties, op.attributes):
            parts.append(count_bytes(attributes))
            for name in sorted(attributes):
                parts += [text_bytes(name), self._attribute(attributes[name])]
        parts.append(count_bytes(op.successors))
        parts += [b"%d;" % self._block(block) for block in op.successors]
        parts.append(count_bytes(op.regions))
        self._digest.update(b"".join(parts))
        for region in op.regions:
            self._region(region)

    def _region(self, region: Region) -> None:
        self._digest.update(count_bytes(region.blocks))
        for block in region.blocks:
            parts = [b"%d;" % self._block(block), count_bytes(block.args)]
            parts += [self._value(argument) for argument in block.args]
            ops = list(block.ops)
            self._digest.update(b"".join([*parts, count_bytes(ops)]))
            for op in ops:
                self.op(op)

    def _block(self, block: Block) -> int:
        return self._blocks.setdefault(block, len(self._blocks))

    def _number(self, value: SSAValue) -> bytes:
        return b"%d;" % self._values.setdefault(id(value), len(self._values))

    def _value(self, value: SSAValue) -> bytes:
        """A value where it is defined: its number, type and name."""
        return self._number(value) + self._attribute(value.type) + text_bytes(value.name_hint or "")

    def _attribute(self, attribute: Attribute) -> bytes:
        known = self._attributes.get(id(attribute))
        if known is None:
            # Held, so that no other attribute gets its address.
            known = self._attributes[id(attribute)] = (attribute, _attribute(attribute))
        return known[1]


def _attribute(attribute: Attribute) -> bytes:
    if isinstance(attribute, ParametrizedAttribute):
        parts = [
            text_bytes(attribute.name),
            count_bytes(attribute.parameters),
            *map(_attribute, attribute.parameters),
        ]
    elif isinstance(attribute, Data):
        parts = [text_bytes(attribute.name), _data(cast("Data[Any]", attribute).data)]
    else:
        raise UnknownError
    made = b"".join(parts)
    return b"a" + made if len(made) <= _LONG else b"A" + hashlib.blake2b(made, digest_size=32).digest()


def _data(value: Any) -> bytes:
    """A value of Python, in which attributes may be."""
    return encoded(value, lambda part: _attribute(part) if isinstance(part, Attribute) else None)
