"""The machine code between Python and programs, kept like a program: it is the same in every process.

keep_glue_in(KeptGlue())       from then on this process finds its glue on the disk

The machine code between Python and programs is full of addresses of the process: of functions of Python and
NumPy, and of objects such as `None`. Compiling it costs each process some 25 ms. With a symbol for each
address, given to the linker, it is the same in every process.
"""

from __future__ import annotations

import time

from mlirad.disk_cache import store
from mlirad.disk_cache.encoding import text_key
from mlirad.disk_cache.folder import find_folder
from mlirad.disk_cache.records import Record
from mlirad.disk_cache.sources import runs_what_was_read
from mlirad.jit.machine_program import MachineProgram
from mlirad.jit.target import Target


class KeptGlue:
    """Object code of texts in the folder of the cache, by text and target."""

    def is_used(self) -> bool:
        """Return whether there is a folder. Raises `ArgumentError` for an environment variable that is no
        size.
        """
        return find_folder() is not None

    def find(self, text: str, target: Target) -> bytes | None:
        """The object code of a text, or None if it is not stored."""
        folder, key = find_folder(), text_key(text, target)
        record = None if folder is None or key is None else store.read(folder, key)
        return None if record is None else record.program.object_code

    def keep(self, text: str, target: Target, code: bytes, name: str) -> None:
        """Keep the object code of a text that the code of this process has made."""
        folder, key = find_folder(), text_key(text, target)
        if folder is not None and key is not None and runs_what_was_read():
            program = MachineProgram((), (), (), 0, (), 0, (), object_code=code)
            store.write(folder, Record(key, program, name, target.cpu, int(time.time())))
