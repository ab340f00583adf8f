"""A program by way of the cache: found there, or compiled and kept.

place = CacheEntry.of(module, options, target, "loss")      before the passes change the module
place.find() or place.keep(compile_it())
"""

from __future__ import annotations

import time

from xdsl.dialects.builtin import ModuleOp

from mlirad.disk_cache import store
from mlirad.disk_cache.folder import Folder, find_folder
from mlirad.disk_cache.keys import program_key
from mlirad.disk_cache.records import Record
from mlirad.disk_cache.sources import runs_what_was_read
from mlirad.jit.machine_program import MachineProgram
from mlirad.jit.target import Target
from mlirad.lazy_dataclass import dataclass


@dataclass(frozen=True)
class CacheEntry:
    """The place at which the program of a module is kept."""

    folder: Folder
    key: str
    name: str
    processor: str

    @staticmethod
    def of(module: ModuleOp, options: object, target: Target, name: str) -> CacheEntry | None:
        """The place of what a module will be compiled to, by these options, None where nothing is kept.

        Raises `ArgumentError` for an environment variable that is not a size.
        """
        folder = find_folder()
        key = None if folder is None else program_key(module, options, target)
        return None if folder is None or key is None else CacheEntry(folder, key, name, target.cpu)

    def find(self) -> MachineProgram | None:
        """The program, or None if it is not stored."""
        record = store.read(self.folder, self.key)
        return None if record is None else record.program

    def keep(self, program: MachineProgram) -> None:
        """Keep a program that the compiler made whose sources are in the key."""
        if runs_what_was_read():
            store.write(self.folder, Record(self.key, program, self.name, self.processor, int(time.time())))
