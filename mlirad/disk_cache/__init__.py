"""Compiled programs on disk, so that another process need not compile them again: key, record, folder.

Everything that decides machine code must be in the key (`keys.py`): the module, all options, the target, the
source files. A pass that reads anything else, such as an environment variable, makes programs stale. A new
field of a `ProgramInterface` must be written and read in `records.py`; `tests/disk_cache/test_store.py`
notices if it is not.

- `sources.py`: which compiler this process runs: a digest of all source files, and versions;
  `known_sources.py`: that digest as an earlier process made it of the same files.
- `encoding.py`: values of Python as bytes, each in one way, and digests of them for this compiler.
- `keys.py`: the digest of everything that the machine code of a program depends on.
- `records.py`, `extents.py`, `checked_files.py`: the contents of a program's file, extents in it, and whether
  the file is as it was written.
- `traces.py`: the file that says to which program a trace led.
- `folder.py`: which folder, whether others could have written to it, how large it may grow.
- `files.py`: single files: read if trusted, written aside and renamed.
- `store.py`: the files of programs and traces: by key, least recently used first out.
- `programs.py`: looks a module up for whoever compiles it.
- `glue.py`: the machine code between Python and programs, on disk.
- `peaks.py`: the peak rates of one core of this machine, measured once per user.
"""
