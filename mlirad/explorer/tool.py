"""`mlirad-explore`: writes the page of a function in a file.

mlirad-explore model.py:loss --grad --args 'random(3x4)' 'random(4x)' -o loss.html
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import Any, cast

from mlirad.errors import MliradError, TracingError, UnsupportedError
from mlirad.explorer.page import explore
from mlirad.frontend.tracing.function_names import function_name
from mlirad.frontend.tracing.source import traceback_line
from mlirad.frontend.transformations import grad, value_and_grad
from mlirad.tools.arguments import read_example
from mlirad.tools.demo import example_arguments, load_function
from mlirad.tools.process import guarded, split_arguments


def main(argv: Sequence[str] | None = None) -> int:
    """Run the tool on the given arguments, by default those of the process; returns the exit code."""
    words, values = split_arguments(argv, ("-o", "-h"))
    arguments = _argument_parser().parse_args(words)
    return guarded(lambda: _run(arguments, values))


def _argument_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="mlirad-explore",
        description="Writes a page that shows what becomes of a function, from its source to machine code.",
    )
    add = parser.add_argument
    add("function", metavar="FILE:FUNCTION", help="a Python file and a function in it")
    add(
        "--args",
        metavar="VALUE ...",
        help="arguments as of mlirad-run, with shapes: random(3x4); without, all are floats",
    )
    add("--grad", action="store_true", help="show the gradient of the function")
    add("--value-and-grad", action="store_true", help="show the function with its gradient")
    add("--wrt", metavar="N,...", default="0", help="the positions of what gradients are of; 0 by default")
    add("--no-measure", action="store_true", help="do not run the function")
    add("--no-sparsity", action="store_true", help="do not look for sparsity patterns")
    add("-o", metavar="FILE", dest="output", default="explore.html", help="the page; explore.html by default")
    return parser


def _run(arguments: argparse.Namespace, texts: Sequence[str]) -> int:
    function: Callable[..., Any] = load_function(cast(str, arguments.function))
    examples = tuple(read_example(text) for text in texts) or example_arguments(function)
    if arguments.grad or arguments.value_and_grad:
        argnums = _positions(cast(str, arguments.wrt))
        function = (value_and_grad if arguments.value_and_grad else grad)(function, argnums=argnums)
    measure, sparsity = not arguments.no_measure, not arguments.no_sparsity
    path = cast(str, arguments.output)
    try:
        written = explore(function, *examples, path=path, measure=measure, sparsity=sparsity)
    except MliradError:
        raise
    except Exception as error:
        raise TracingError(
            f"{function_name(function)} failed: {type(error).__name__}: {error}",
            location=traceback_line(error),
            hint="call the function by itself with these arguments, or give others by --args",
        ) from error
    sys.stdout.write(f"{written}\n")
    return 0


def _positions(text: str) -> int | tuple[int, ...]:
    """The positions that `--wrt` names: one, or several."""
    try:
        numbers = tuple(int(number) for number in text.split(","))
    except ValueError as error:
        raise UnsupportedError(
            f"cannot read the positions {text!r}", hint="write --wrt 0, or --wrt 0,1 for several"
        ) from error
    return numbers[0] if len(numbers) == 1 else numbers


if __name__ == "__main__":
    raise SystemExit(main())
