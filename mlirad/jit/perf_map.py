"""Names of compiled kernels for Linux's `perf`, where the environment variable MLIRAD_PERF is set.

    MLIRAD_PERF=1 perf record -g python train.py;  perf report
        61.02%  python  k3_model_py_12_tanh
        20.11%  python  k1_model_py_9_add

Machine code that is made while a process runs has no file in which `perf` could look names up. It reads them
from `/tmp/perf-PID.map`, a line for each function: address and size in hexadecimal, name. Where the functions
of a program are is read from its object file (ELF): all are in one section, so they lie there as they lie in
memory, and the address of one of them is known.
"""

from __future__ import annotations

import errno
import os
import stat
import struct
import sys
import warnings
from collections.abc import Iterator
from typing import Final, NamedTuple

from mlirad.jit.switches import is_off

VARIABLE: Final = "MLIRAD_PERF"

_ELF64: Final = b"\x7fELF\x02\x01"
_SYMBOLS: Final = 2
"""The type of a section with a table of symbols."""
_FUNCTION: Final = 2
"""The type of a symbol that is a function."""


class _Function(NamedTuple):
    name: str
    section: int
    start: int
    size: int


def note_functions(code: bytes, symbol: str, address: int) -> None:
    """Write down the functions of an object file, whose `symbol` was loaded to an address, on request.

    A file that cannot be written is a warning.
    """
    if is_off(os.environ.get(VARIABLE, "")) or sys.platform != "linux":
        return
    functions = list(_functions(code))
    known = next((f for f in functions if f.name == symbol), None)
    if known is None:
        return
    shift = address - known.start
    lines = [f"{f.start + shift:x} {f.size:x} {f.name}\n" for f in functions if f.section == known.section]
    path = f"/tmp/perf-{os.getpid()}.map"
    try:
        _append(path, "".join(lines).encode())
    except OSError as error:
        reason = error.strerror or error
        warnings.warn(f"{VARIABLE} is set, and {path} is not written: {reason}", stacklevel=2)


def _append(path: str, data: bytes) -> None:
    """Append to a file of this user's in a folder where others can put files, and links to any.

    Raises `OSError` for one that is anything else.
    """
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    descriptor = os.open(path, flags, 0o600)
    with os.fdopen(descriptor, "ab") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_uid != os.geteuid() or status.st_nlink != 1:
            raise PermissionError(errno.EACCES, "it is not a file of this user's alone")
        file.write(data)


def _functions(code: bytes) -> Iterator[_Function]:
    """The functions of a little-endian ELF file for 64 bits; none of anything else."""
    if not code.startswith(_ELF64):
        return
    (headers,) = struct.unpack_from("<Q", code, 0x28)
    size, count = struct.unpack_from("<HH", code, 0x3A)
    sections = [struct.unpack_from("<IIQQQQIIQQ", code, headers + k * size) for k in range(count)]
    for _, kind, _, _, start, length, names, _, _, step in sections:
        if kind != _SYMBOLS:
            continue
        texts = sections[names][4]
        for at in range(start, start + length, step):
            name, info, _, section, value, extent = struct.unpack_from("<IBBHQQ", code, at)
            if info & 0xF == _FUNCTION:
                end = code.index(b"\0", texts + name)
                yield _Function(code[texts + name : end].decode(), section, value, extent)
