"""Programs as files for a linker: an object file, the C header of its function, and a shared library.

    function = exported_function(native_program, "loss", ["w", "x"], ["result"], Scratch.STATIC, target)
    write_files("build/loss", function, library=True)      build/loss.o, build/loss.h, build/libloss.so

The object file needs no Python: what programs ask of their host is defined in it (`runtime_text.py`), or is
a function of C, BLAS or LAPACK that the header names (`routines.py`).

- `c_function.py`, `c_names.py`, `c_library.py`: a program as a function of C: parameters in order, names,
  functions that C has, scratch memory.
- `routines.py`, `runtime_text.py`: whether each thing that a program calls is defined in the file, left to
  the linker, or refused.
- `object_text.py`, `header.py`, `status.py`: the function around the program, its header, its return codes.
- `files.py`: writes all files or none; shared libraries by the system's linker.
"""

from mlirad.object_files.c_function import CFunction, Scratch, exported_function
from mlirad.object_files.files import Exported, write_files
from mlirad.object_files.header import header_text
from mlirad.object_files.object_text import object_code

__all__ = [
    "CFunction",
    "Exported",
    "Scratch",
    "exported_function",
    "header_text",
    "object_code",
    "write_files",
]
