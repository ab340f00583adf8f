"""The shared process of the command-line tools: arguments, errors at the outermost level, output."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeAlias

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from mlirad.errors import CompileError, MliradError, UnsupportedError
from mlirad.pipelines import pipeline_passes
from mlirad.registry import current_name, make_passes, parse_specs
from mlirad.tools.diagnostics import report, warn

TRACEBACK_VARIABLE = "MLIRAD_TRACEBACK"
"""With this environment variable set, a defect of mlirad ends in a Python traceback."""


Stage: TypeAlias = Callable[[], Sequence[ModulePass]]
"""The passes of one `-p` or `--pipeline`, made when they are wanted."""


def split_arguments(argv: Sequence[str] | None, short: Sequence[str]) -> tuple[list[str], list[str]]:
    """The command line without what follows `--args`, and that, up to the next option, short ones as given.

    `argparse` would take values such as `-inf` and `-1e5` for options.
    """
    words: list[str] = []
    values: list[str] = []
    within = False
    for word in sys.argv[1:] if argv is None else argv:
        if word.startswith("--") or word in short:
            within = word == "--args"
            if within:
                continue
        (values if within else words).append(word)
    return words, values


def add_passes(parser: ArgumentParser, passes: str, pipeline: str) -> None:
    """The options `-p` and `--pipeline`, with their help; `passes_of` reads the `stages` that they give."""
    add = partial(parser.add_argument, dest="stages", action="append", default=[])
    add("-p", "--passes", type=partial(partial, _listed), metavar="PASSES", help=passes)
    add("--pipeline", type=partial(partial, pipeline_passes), metavar="NAME", help=pipeline)


def _listed(text: str) -> tuple[ModulePass, ...]:
    """Make the passes that `text` lists, and print a warning for each deprecated name."""
    for name in dict.fromkeys(spec.name for spec in parse_specs(text)):
        current_name(name, warn)
    return make_passes(text)


def add_subnormals(parser: ArgumentParser) -> None:
    """The option `--keep-subnormals`, with its help."""
    parser.add_argument(
        "--keep-subnormals",
        action="store_true",
        help="compute with subnormal numbers in native code, which takes them for zeros otherwise",
    )


def passes_of(stages: Sequence[Stage]) -> tuple[ModulePass, ...]:
    """The passes of `-p` and `--pipeline`, in the order given."""
    return tuple(pass_ for make in stages for pass_ in make())


def guarded(action: Callable[[], int]) -> int:
    """Return the exit code of `action`; every error is printed and is exit code 1, an interrupt 130."""
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

    Raises `UnsupportedError` if there is no such function.
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
