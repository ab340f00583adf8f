"""The run-time library of compiled programs: C sources, and the LLVM IR text that they compile to.

    module = runtime_module("chunk_store")
    module.definitions       LLVM IR text that any module can have
    module.declarations      what it calls: {"mlirad_rt_malloc": "declare ptr @mlirad_rt_malloc(i64)"}

`make runtime` compiles the sources (`tools/build_runtime.py`). The texts in `generated` are part of the
repository and of the package, so users need no compiler. The sources are C17 without a C library:

- names of the library begin with `mlirad_`; a function that is neither `static` nor `INTERNAL` can be looked
  up by its name once the code is loaded;
- structures have the same layout on all targets with pointers of 64 bits: no `long`, no bit fields;
- structures are copied field by field, as a copy of a whole one may become a call of memcpy;
- what differs between systems is a function that is declared here and defined by who loads the text.

- `attributes.h`, `objects.h`, `system.h`: what all sources use; objects of CPython and NumPy; differences
  between systems.
- `context.h`, `job.h`, `borrowed.h`: the record of a call; a parallel loop; the arguments whose memory is
  borrowed.
- `host.h`, `host.c`: what runs around a program: Python's lock, signals, the time limit, reports. An
  exception that SciPy leaves is raised when the call ends.
- `clock_*.c`, `stack_*.c`: the time and the stack of a thread, each file for one kind of system.
- `entry.h`, `entry.c`: the Python function that all programs share, and the table that it reads.
- `guards.h`, `guards.c`: check that the values a program was compiled for are unchanged.
- `chunk_store.c`: records that programs make while they run; `record_memory.c`, `result_memory.c`: the memory
  of these, and that of large results, reused by `kept_blocks.h`.
- `standard_mode.c`: the floating-point mode in which functions of libraries run.
- `standalone.c`: what object files have in place of a host.
- `parallel.c`, `pool.c`: parallel loops on one thread; the worker threads that share them.

The text is in the repository so that users need no compiler; a digest in each text, and a test, keep it that
of its source. The compiler is one release of one package, as texts of two differ. Objects of CPython and
NumPy are structures of our own: Python's headers would make a text per version, and its stable interface has
no fields; the layout is compared with live objects before it is relied on. One text serves all targets, those
with pointers of 32 bits too where object files need it. Code between Python and programs is loaded without
optimisation: clang has optimised it. It takes a millisecond longer to compile than text written by hand, once
per machine.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

GENERATED: Final = Path(__file__).parent / "generated"
"""The folder of the texts."""

_DECLARATION: Final = re.compile(
    r"^(?:declare .*@(?P<function>[\w.]+)\(|@(?P<variable>[\w.]+) = external ).*$", re.MULTILINE
)


class RuntimeModule(NamedTuple):
    """The text of one source file."""

    definitions: str
    """Types, globals and functions."""
    declarations: dict[str, str]
    """The declaration of each function and variable that the text uses and does not define, by its name."""


@cache
def runtime_module(name: str) -> RuntimeModule:
    """The text of the source file `name`.c."""
    _, _, text = (GENERATED / f"{name}.ll").read_text().partition("\n")
    found = _DECLARATION.finditer(text)
    declarations = {line["function"] or line["variable"]: line[0] for line in found}
    return RuntimeModule(_DECLARATION.sub("", text).strip() + "\n", declarations)
