"""`ad.export`: a function for arguments of one signature as an object file and a C header.

ad.export(ad.value_and_grad(loss), w, x, path="build/loss_grad")      build/loss_grad.o, build/loss_grad.h
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from mlirad.errors import MliradError, UnsupportedError
from mlirad.frontend.compiling.compilation import compiling
from mlirad.frontend.compiling.lowered import Lowered
from mlirad.frontend.compiling.transformed import Transformed
from mlirad.frontend.tracing.argument_kinds import (
    checked_choice,
    checked_flag,
    checked_integer,
    checked_path,
    checked_text,
)
from mlirad.frontend.tracing.source import user_line
from mlirad.frontend.tracing.tracebacks import plain_errors
from mlirad.frontend.transformations import jit
from mlirad.jit.target import file_target

if TYPE_CHECKING:
    from mlirad.object_files import Exported
    from mlirad.object_files.c_function import CFunction


def lowered_for(function: Callable[..., Any], args: tuple[Any, ...]) -> Lowered:
    """A function, transformed or not, for arguments like these."""
    transformed = function if isinstance(function, Transformed) else jit(function)
    return transformed.lower(*args)


_WRITTEN = (".o", ".h", ".so", ".dylib", ".dll")
"""The suffixes of the files."""


@plain_errors
def export(
    function: Callable[..., Any],
    *args: Any,
    path: str | os.PathLike[str],
    name: str | None = None,
    scratch: Literal["static", "caller"] = "static",
    library: bool = False,
    target: str | None = None,
    cpu: str = "",
    features: str = "",
    rooms: int | None = None,
) -> Exported:
    """Write `function`, for arguments like `args`, as the object file `path.o` and the C header `path.h`.

    A `path` that ends with `.o`, `.h`, or as shared libraries do, is taken without that.

    The function of C is called `name`, by default the last part of `path`. It takes one parameter for each
    leaf of the arguments, then one for each leaf of the results, and returns 0 or what failed; the header
    states types, shapes and all that it needs. Nothing of Python is needed when it runs. Inputs of rank 0 are
    passed by value, arrays as pointers to row-major elements. Transformed functions are exported as they are:
    `ad.value_and_grad(f)`. They run on the thread that calls.

    With `scratch="static"` the working memory is part of the object file, so one call may be under way at a
    time; with "caller" it is the last argument. `library` makes a shared library too, by the system's C
    compiler. `target` is "native", "baseline", a level such as "x86-64-v3", or a triple of LLVM such as
    "aarch64-unknown-linux-gnu" and "wasm32-unknown-unknown"; `cpu` and `features` are LLVM's names.

    A derivative through lists, trees, or functions that hold functions of their own kind has memory for a
    number of these, `rooms` of each kind; a call that makes more returns `MLIRAD_NO_ROOM`.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     made = ad.export(ad.grad(lambda x: np.sum(x**2)), np.ones(3), path=f"{folder}/slope")
        ...     header = made.header.read_text()
        >>> print(header[header.index("int slope(") :].partition(";")[0])
        int slope(
            const double *x, /* in, [3], 3 elements, 24 bytes */
            double *result /* out, [3], 3 elements, 24 bytes */
        )

    Raises `ArgumentError` for a name that is not one of C, `UnsupportedError` for programs that print or call
    special functions of SciPy, and for files that cannot be written, in which case none is; `CompileError`
    for an unknown target; and what tracing raises.
    """
    from mlirad.frontend.compiling.run_compiler import (
        native_program,  # the compiler, which other calls do without
    )
    from mlirad.object_files import Scratch, exported_function, write_files

    where = checked_path(path, "path", 'write path="build/loss"')
    where = where.with_suffix("") if where.suffix in _WRITTEN else where
    chosen = where.name if name is None else checked_text(name, "name", 'write name="loss"')
    wanted = None if target is None else checked_text(target, "target", 'write target="baseline"')
    checked_text(cpu, "cpu", 'write cpu="haswell"')
    checked_text(features, "features", 'write features="+avx2,+fma"')
    checked_choice(scratch, "scratch", ("static", "caller"))
    wants_library = checked_flag(library, "library")
    if rooms is not None:
        checked_integer(rooms, "rooms", 1, "write rooms=1000")
    lowered = lowered_for(function, args)
    if lowered.options.interpret:
        raise UnsupportedError(
            "the interpreter makes no code that could be exported",
            location=user_line(),
            hint="leave out interpret=True",
        )
    try:
        made_for = file_target(wanted, cpu, features)

        def exported() -> CFunction:
            module, results = lowered.trace()
            made = partial(native_program, options=lowered.options, target=made_for, sizes=lowered.sizes)
            program = made(module if rooms is None else module.clone()).program
            if rooms is not None and program.rooms:
                program = made(module, rooms=(rooms,) * len(program.rooms)).program
            return exported_function(
                program,
                chosen,
                lowered.signature.paths,
                results.paths("result"),
                Scratch(scratch),
                made_for,
                source=lowered.name,
                hint='write name="f", or another path',
            )

        return write_files(where, compiling(exported)(), library=wants_library)
    except MliradError as error:
        if error.location is not None:
            raise
        raise error.restated(error.message, user_line()) from None
