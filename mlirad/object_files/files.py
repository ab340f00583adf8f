"""Writing an exported function: all of its files, or none.

write_files("build/loss", function, library=True)    build/loss.o, build/loss.h and build/libloss.so

Each file is written aside and renamed when all are complete.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from mlirad.errors import CompileError, UnsupportedError
from mlirad.jit.target import file_target
from mlirad.lazy_dataclass import dataclass
from mlirad.object_files.c_function import CFunction
from mlirad.object_files.header import header_text, link_options
from mlirad.object_files.object_text import object_code

_LINKERS: Final = ("cc", "gcc", "clang")
_LIBRARY_NAMES: Final = {"darwin": "lib{}.dylib", "win32": "{}.dll"}


@dataclass(frozen=True)
class Exported:
    """The files of an exported function, and the options that a linker needs besides them.

    `library` is None if none was asked for.
    """

    object: Path
    header: Path
    library: Path | None
    links: tuple[str, ...]


def write_files(base: str | os.PathLike[str], function: CFunction, *, library: bool = False) -> Exported:
    """Write `base.o` and `base.h`, and with `library` a shared library in the same folder.

    Raises `UnsupportedError` for a place that cannot be written to, and where no linker is found;
    `CompileError` if it fails.
    """
    path = Path(base)
    object_path, header_path = (path.with_name(path.name + suffix) for suffix in (".o", ".h"))
    code = object_code(function)
    contents = {object_path: code, header_path: header_text(function).encode()}
    library_path = None
    links = tuple(link_options(function).split())
    if library:
        library_path = path.with_name(_LIBRARY_NAMES.get(sys.platform, "lib{}.so").format(path.name))
        contents[library_path] = _linked(function, code, links)
    write_together(contents)
    return Exported(object_path, header_path, library_path, links)


def write_together(contents: Mapping[Path, bytes]) -> None:
    """Write several files: aside first, so that no file changes unless all can be written.

    Raises `UnsupportedError` for a place that cannot be written to.
    """
    aside: dict[Path, Path] = {}
    try:
        for path, content in contents.items():
            aside[path] = path.with_name(f".{path.name}.{os.urandom(8).hex()}")
            aside[path].write_bytes(content)
            if path.is_dir():
                raise IsADirectoryError(None, "it is a folder", str(path))
        for path, written in aside.items():
            os.replace(written, path)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        at = next(iter(contents)) if not aside else list(aside)[-1]
        raise UnsupportedError(f"cannot write {at}: {reason}") from error
    finally:
        for written in aside.values():
            written.unlink(missing_ok=True)


def _linked(function: CFunction, code: bytes, links: tuple[str, ...]) -> bytes:
    """The shared library that the system's linker makes of an object file for this machine."""
    if function.target.triple != file_target("native").triple:
        raise UnsupportedError(
            f"a shared library can be made for this machine alone, not for {function.target.triple}",
            hint="link the object file with the tools of that system",
        )
    command = _linker()
    with tempfile.TemporaryDirectory() as folder:
        source, made = Path(folder, "program.o"), Path(folder, "program.so")
        source.write_bytes(code)
        kind = "-dynamiclib" if sys.platform == "darwin" else "-shared"
        given = [*command, kind, str(source), "-o", str(made), *links]
        try:
            done = subprocess.run(given, capture_output=True, text=True, check=False)
        except OSError as error:
            raise UnsupportedError(f"the linker {command[0]} cannot be run: {error.strerror}") from error
        if done.returncode != 0:
            last = (done.stderr.strip().splitlines() or ["it says nothing"])[-1]
            raise CompileError(
                f"the linker {command[0]} made no shared library: {last}",
                hint="the object file can be linked with another BLAS or LAPACK: leave out the library"
                if len(links) > 1
                else None,
            )
        return made.read_bytes()


def _linker() -> list[str]:
    """The command of the C compiler that links: the environment's `CC`, else the first that is installed."""
    asked = shlex.split(os.environ.get("CC", ""))
    if asked:
        return asked
    for name in _LINKERS:
        found = shutil.which(name)
        if found is not None:
            return [found]
    raise UnsupportedError(
        f"a shared library needs a linker, and none of {', '.join(_LINKERS)} is installed",
        hint="install a C compiler, name one in the environment variable CC, or leave out the library",
    )
