"""Every stage of differentiation of a function, from its text to the code of its derivatives.

    mlirad-demo model.py:loss --args '[1.0, 2.0]' 0.5
    ad.demo(loss, x, 0.5)
    ad.demo(loss, x, 0.5, method="chad-copower")

By default the stages are those of the linear-map notes, section 7: the function, and its program in A-normal
form; its Jacobian as the rules make it, and simplified; the forward derivative, applied, and with what is
common shared; the transposed Jacobian; and the reverse derivative in the same steps. Every other method has
stages of its own. They are written as mathematics, with symbols or in ASCII, or as MLIR.
"""

from __future__ import annotations

import argparse
import importlib.util
import inspect
import sys
import textwrap
from collections.abc import Callable, Sequence
from functools import partial
from io import StringIO
from pathlib import Path
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.printer import Printer

from mlirad.errors import MliradError, TracingError, UnsupportedError
from mlirad.frontend.compiling.compilation import compiling
from mlirad.frontend.constructs.recursion import Function
from mlirad.frontend.tracing.argument_kinds import checked_choice
from mlirad.frontend.tracing.array import Array
from mlirad.frontend.tracing.function_names import function_name
from mlirad.frontend.tracing.functions import trace
from mlirad.frontend.tracing.op_locations import user_location
from mlirad.frontend.tracing.source import traceback_line
from mlirad.frontend.tracing.tracebacks import plain_errors
from mlirad.pipeline_options import ALL_METHODS
from mlirad.tools.arguments import read_example
from mlirad.tools.process import guarded, split_arguments, write_output

if TYPE_CHECKING:
    from mlirad.tools.mathematics import Notation
    from mlirad.tools.stages import Stage

FORMS = ("symbols", "ascii", "mlir")
"""The forms in which stages can be written."""


@plain_errors
def demo(function: Callable[..., Any], *args: Any, form: str = "symbols", method: str = "jacobian") -> str:
    """Every stage of differentiation of `function` on arguments like `args`, as text.

    Without arguments every parameter is a float. `form` is "symbols", "ascii" or "mlir"; `method` is one by
    which derivatives are taken, whose own stages are shown. Raises what tracing and differentiation raise,
    and `ArgumentError` for a form or a method that does not exist.

        >>> print(ad.demo(lambda x: x * np.exp(x)))
        Original definition
        ...
        The Jacobian, simplified
        ------------------------
        fun ∂lambda(x) =
          S(exp(x) + x * exp(x))
        ...
    """
    # Imported with mlirad, which should not wait for what a demonstration needs.
    from mlirad.tools.stages import stages

    checked_choice(form, "form", FORMS)
    checked_choice(method, "method", ALL_METHODS)
    original = (
        cast("Callable[..., Any]", inspect.unwrap(function)) if isinstance(function, Function) else function
    )
    given = args or example_arguments(original)
    module = compiling(_traced)(original, given)
    name = _name_main(module, function_name(original))
    parts = [_section("Original definition", _source(original))]
    parts += compiling(lambda: [_section(s.title, _text(s, form)) for s in stages(module, name, method)])()
    return "\n".join(parts)


def example_arguments(function: Callable[..., Any]) -> tuple[Any, ...]:
    """A float for every parameter that has no default."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return ()
    count = sum(
        p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.default is p.empty for p in parameters
    )
    return (np.float64(1.0),) * count


def _name_main(module: ModuleOp, name: str) -> str:
    """Call the entry after the Python function, if nothing else is; returns its name.

    Errors about the entry are at the line that asked for the demonstration.
    """
    functions = {op.sym_name.data: op for op in module.body.block.ops if isinstance(op, FuncOp)}
    functions["main"].location = user_location()
    if name in functions or not name.isidentifier():
        return "main"
    functions["main"].properties["sym_name"] = StringAttr(name)
    return name


def _source(function: Callable[..., Any]) -> str:
    try:
        return textwrap.dedent(inspect.getsource(function)).rstrip("\n")
    except (OSError, TypeError):
        return f"{function_name(function)}: the text of the function is not known"


# Names of variables ----------------------------------------------------------------------------------


def _traced(function: Callable[..., Any], args: tuple[Any, ...]) -> ModuleOp:
    """A function traced; values have the names of the variables that hold them in the end.

    Functions of the same file count, others do not.
    """
    before = sys.getprofile()
    code: CodeType | None = getattr(inspect.unwrap(function), "__code__", None)
    file = None if code is None else code.co_filename

    def observe(frame: FrameType, event: str, argument: object) -> None:
        if event == "return" and frame.f_code.co_filename == file:
            for name, held in frame.f_locals.items():
                if isinstance(held, Array) and held.value.name_hint is None and name.isidentifier():
                    held.value.name_hint = name

    try:
        sys.setprofile(observe)
        return trace(function, *args)
    finally:
        sys.setprofile(before)


# Text ------------------------------------------------------------------------------------------------


def _section(title: str, text: str) -> str:
    return f"{title}\n{'-' * len(title)}\n{text}\n"


def _text(stage: Stage, form: str) -> str:
    if form == "mlir":
        stream = StringIO()
        Printer(stream=stream).print_op(ModuleOp([f.clone() for f in (*stage.called, *stage.functions)]))
        return stream.getvalue()
    from mlirad.tools.mathematics import ASCII, UNICODE, written

    notation = ASCII if form == "ascii" else UNICODE
    title = partial(titled, notation=notation)
    return "\n\n".join(written(f, notation, stage.sharing, title) for f in stage.functions)


_SUFFIXES = {
    "_jacobian_transpose": ("∂{}ᵀ", "R{}"),
    "_jacobian": ("∂{}", "D{}"),
    "_jvp": ("{}′", "{}'"),
    "_grad": ("{}′ᵀ", "{}'_R"),
}
"""The suffixes of derived functions' names, and their notations."""


def titled(name: str, notation: Notation) -> str:
    """The name of a function as written: `f_jacobian` is ∂f."""
    for suffix, forms in _SUFFIXES.items():
        if name.endswith(suffix):
            return forms[notation.is_ascii].format(name.removesuffix(suffix))
    before, found, after = name.partition("_jacobian_")
    return f"{notation.derivative}{before}_{after}" if found else name


# The tool --------------------------------------------------------------------------------------------


def main(argv: Sequence[str] | None = None) -> int:
    """Run the tool on the given arguments, by default those of the process; returns the exit code."""
    words, values = split_arguments(argv, ("-o", "-h"))
    arguments = _argument_parser().parse_args(words)
    return guarded(lambda: _run(arguments, values))


def _argument_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="mlirad-demo", description="Prints every stage of the differentiation of a function."
    )
    parser.add_argument("function", metavar="FILE:FUNCTION", help="a Python file and a function in it")
    parser.add_argument(
        "--args", metavar="VALUE ...", help="example arguments as of mlirad-run; without, all are floats"
    )
    parser.add_argument(
        "--method",
        choices=ALL_METHODS,
        default="jacobian",
        help="the method whose stages to print: by default jacobian, that of the linear-map notes",
    )
    parser.add_argument("--ascii", action="store_true", help="names of functions instead of symbols")
    parser.add_argument("--mlir", action="store_true", help="MLIR instead of mathematics")
    parser.add_argument("-o", metavar="FILE", dest="output", help="write to a file")
    return parser


def _run(arguments: argparse.Namespace, texts: Sequence[str]) -> int:
    function = load_function(cast(str, arguments.function))
    form = "mlir" if arguments.mlir else "ascii" if arguments.ascii else "symbols"
    examples = [read_example(text) for text in texts]
    try:
        text = demo(function, *examples, form=form, method=cast(str, arguments.method))
    except MliradError:
        raise
    except Exception as error:
        raise TracingError(
            f"{function_name(function)} failed: {type(error).__name__}: {error}",
            location=traceback_line(error),
        ) from error
    write_output(cast("str | None", arguments.output), text.encode())
    return 0


def load_function(place: str) -> Callable[..., Any]:
    """The function that `file.py:name` names.

    Raises `UnsupportedError` if there is no such file or function, and `TracingError` if the file fails.
    """
    path, colon, name = place.rpartition(":")
    if not colon or not name:
        raise UnsupportedError(f"cannot read {place!r}", hint="write file.py:function")
    file = Path(path)
    if not file.is_file():
        raise UnsupportedError(f"there is no file {path}")
    spec = importlib.util.spec_from_file_location(file.stem, file)
    if spec is None or spec.loader is None:
        raise UnsupportedError(f"{path} is not a Python file", hint="its name must end in .py")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(file.resolve().parent))
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise TracingError(
            f"{path} failed: {type(error).__name__}: {error}", location=traceback_line(error)
        ) from error
    finally:
        sys.path.pop(0)
    found: Any = getattr(module, name, None)
    if not callable(found):
        defined = [n for n, v in vars(module).items() if inspect.isfunction(v) and v.__module__ == spec.name]
        what = "is not a function" if hasattr(module, name) else "is not defined"
        raise UnsupportedError(
            f"{name} {what} in {path}", hint=f"it defines {', '.join(defined)}" if defined else None
        )
    return cast("Callable[..., Any]", found)


if __name__ == "__main__":
    raise SystemExit(main())
