"""The contents of a cache file: a compiled program with everything needed to call it, and a checksum.

    b"mlirad program\\n"     what kind of file it is
    32 bytes                the digest of all that follows
    8 bytes                 the length of the header, little-endian
    header                  JSON: the key, how the program is called, and who made it when
    constants, object code  one after the other, of the lengths that the header states

Reading one evaluates nothing: a header is data, and its fields are checked. The object code is machine code.
"""

from __future__ import annotations

import json
import struct
from typing import Any, Final, TypeAlias, cast

import numpy as np

from mlirad.disk_cache.checked_files import DamagedError, checked_content, content_behind
from mlirad.disk_cache.extents import extent_json, extent_of
from mlirad.jit.machine_program import MachineProgram
from mlirad.lazy_dataclass import dataclass
from mlirad.lower.native_program import ArraySpec

MAGIC: Final = b"mlirad program\n"
_LENGTH: Final = struct.Struct("<Q")

Json: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Record:
    """A program under its key, and what `mlirad-cache list` shows: a name, the processor, when it was made.

    `made` is in seconds since 1970.
    """

    key: str
    program: MachineProgram
    name: str
    processor: str
    made: int


def record_bytes(record: Record) -> bytes:
    """A record as the contents of a file."""
    program = record.program
    header: Json = {
        "key": record.key,
        "name": record.name,
        "processor": record.processor,
        "made": record.made,
        "inputs": [_spec_json(spec) for spec in program.inputs],
        "outputs": [_spec_json(spec) for spec in program.outputs],
        "constants": [_spec_json(ArraySpec(a.dtype.name, a.shape)) for a in program.constants],
        "arena_bytes": extent_json(program.arena_bytes),
        "externals": list(program.externals),
        "operations": program.operations,
        "updates": program.updates,
        "sizes": program.sizes,
        "size_table": program.size_table,
        "rooms": program.rooms,
        "object_bytes": len(program.object_code),
    }
    text = json.dumps(header).encode()
    parts = [_LENGTH.pack(len(text)), text]
    parts += [np.ascontiguousarray(constant).tobytes() for constant in program.constants]
    parts.append(program.object_code)
    return checked_content(MAGIC, parts)


def read_record(content: bytes, key: str) -> Record:
    """The record that a file holds under a key. Raises `DamagedError` if it does not."""
    rest = content_behind(MAGIC, content)
    try:
        (length,) = _LENGTH.unpack_from(rest)
        header = cast(Json, json.loads(bytes(rest[_LENGTH.size : _LENGTH.size + length])))
        return _record(header, rest[_LENGTH.size + length :], key)
    except (struct.error, KeyError, TypeError, ValueError) as error:
        raise DamagedError from error


def _record(header: Json, data: memoryview, key: str) -> Record:
    constants: list[Any] = []
    for spec in map(_spec_of, header["constants"]):
        constants.append(np.frombuffer(data[: spec.nbytes], spec.dtype).reshape(spec.shape))
        data = data[spec.nbytes :]
    if header["key"] != key or header["object_bytes"] != len(data):
        raise DamagedError
    program = MachineProgram(
        tuple(map(_spec_of, header["inputs"])),
        tuple(map(_spec_of, header["outputs"])),
        tuple(constants),
        extent_of(header["arena_bytes"]),
        tuple(map(str, header["externals"])),
        int(header["operations"]),
        tuple((int(k), int(j)) for k, j in header["updates"]),
        tuple(map(str, header["sizes"])),
        int(header["size_table"]),
        tuple(map(int, header["rooms"])),
        object_code=bytes(data),
    )
    return Record(key, program, str(header["name"]), str(header["processor"]), int(header["made"]))


def _spec_json(spec: ArraySpec) -> list[Any]:
    return [spec.dtype, list(map(extent_json, spec.shape))]


def _spec_of(stated: list[Any]) -> ArraySpec:
    """Raises ValueError for a dtype that the language does not have."""
    dtype, shape = stated
    return ArraySpec(dtype, tuple(map(extent_of, shape)))
