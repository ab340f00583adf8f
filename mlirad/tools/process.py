"""What the command-line tools share as processes: errors at the outermost level, entry function, output."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from mlirad.errors import CompileError, MliradError, UnsupportedError
from mlirad.tools.diagnostics import report

TRACEBACK_VARIABLE = "MLIRAD_TRACEBACK"
"""With this environment variable set, a defect of mlirad ends in a Python traceback."""


def guarded(action: Callable[[], int]) -> int:
    """The exit code of `action`; every error is printed and is exit code 1, an interrupt 130."""
    try:
        return action()
    except MliradError as error:
        report(error)
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        return 130
    except BrokenPipeError:
        # The reader of standard output has gone; nothing more can be written at exit either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except RecursionError:
        report(UnsupportedError("the program is nested too deeply"))
    except MemoryError:
        report(UnsupportedError("the program needs more memory than there is"))
    except Exception as error:
        if os.environ.get(TRACEBACK_VARIABLE):
            raise
        report(
            CompileError(
                f"internal error: {type(error).__name__}: {error}",
                hint=f"this is a defect of mlirad; set {TRACEBACK_VARIABLE}=1 to see where",
            )
        )
    return 1


def keep_entry(module: ModuleOp, name: str | None) -> None:
    """Make the function to run public, so that no pass takes it for one that nobody calls.

    Passes may also make that function: then there is nothing to keep.
    """
    functions = [op for op in module.body.ops if isinstance(op, FuncOp)]
    chosen = functions[0].sym_name.data if name is None and len(functions) == 1 else (name or "main")
    for function in functions:
        if function.sym_name.data == chosen.removeprefix("@"):
            function.properties.pop("sym_visibility", None)


def entry_function(module: ModuleOp, name: str | None) -> FuncOp:
    """The function to run or compile: the one named `name`, else the only one, else `@main`.

    Raises `UnsupportedError` if there is none.
    """
    functions = {op.sym_name.data: op for op in module.body.ops if isinstance(op, FuncOp)}
    if name is None:
        name = "main" if len(functions) != 1 else next(iter(functions))
    name = name.removeprefix("@")
    found = functions.get(name)
    if found is None:
        there = ", ".join(f"@{known}" for known in functions) or "none"
        raise UnsupportedError(
            f"there is no function @{name}", hint=f"the module defines {there}; name one with --entry"
        )
    return found


def write_output(path: str | None, data: bytes) -> None:
    """Write to a file, or to standard output for `None` and `-`."""
    if path is None or path == "-":
        sys.stdout.flush()
        stream = getattr(sys.stdout, "buffer", None)
        if stream is None:
            sys.stdout.write(data.decode("utf-8", "replace"))
        else:
            stream.write(data)
            stream.flush()
        return
    try:
        Path(path).write_bytes(data)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UnsupportedError(f"cannot write {path}: {reason}") from error
