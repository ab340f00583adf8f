"""Outside calls of a program, and their treatment in an object file.

    what the program calls               in an object file
    memory, the stack, parallel loops    defined in the file: malloc and free of C, tasks one after another
    failures                             the return code
    sin, cos, tan, lgamma                the functions of C's mathematical library
    products and factorisations          the routines of BLAS and LAPACK by their usual names, `dgemm_`
    prints, Python functions             refused: nobody says where to, and there is no Python
    special functions of SciPy           refused: they are loops inside of SciPy
    Fourier transforms of some lengths   refused: they are loops inside of NumPy

The header names all of them that are left to the linker.
"""

from __future__ import annotations

from typing import Final

from mlirad.errors import UnsupportedError
from mlirad.jit.target import Target
from mlirad.lower.native_program import (
    C_PREFIX,
    CALL,
    CALLBACK,
    LIBRARY_PREFIXES,
    LOOP_PREFIX,
    TRANSFORM_PREFIX,
    NativeProgram,
)

LIBRARIES: Final = {"blas": "-lblas", "lapack": "-llapack"}
"""The usual option that tells a linker of the library with routines of each kind."""

_CHARACTERS: Final = {
    "gemm": 2,
    "gemv": 1,
    "syrk": 2,
    "trmm": 4,
    "trsm": 4,
    "trsv": 3,
    "potrf": 1,
    "syevd": 2,
    "heevd": 2,
    "gesdd": 1,
    "geev": 2,
    "gees": 2,
}
"""The number of characters that each routine takes: their lengths follow the other arguments, as Fortran has
it."""


def require_routines(program: NativeProgram, target: Target) -> None:
    """Raise `UnsupportedError` for a program that calls what an object file cannot have."""
    for report in program.reports:
        if report.kind == "print":
            raise UnsupportedError(
                f"a program that prints cannot be exported: it prints {report.message!r}",
                location=report.line,
                hint="take the print out, or return the value",
            )
        if report.kind in (CALL, CALLBACK):
            raise UnsupportedError(
                f"a program that calls Python cannot be exported: it calls {report.message}",
                location=report.line,
                hint="compute what it returns before, and pass it as an argument",
            )
    for symbol in program.externals:
        if symbol.startswith(LOOP_PREFIX):
            name = symbol.removeprefix(LOOP_PREFIX).rsplit("_", 2)[0]
            if name.startswith(TRANSFORM_PREFIX):
                raise UnsupportedError(
                    "a Fourier transform of this length cannot be exported: NumPy computes it",
                    hint="take lengths up to 8192 of prime factors up to 13, even ones for real numbers",
                )
            raise UnsupportedError(
                f"a program that calls scipy.special.{name} cannot be exported: it is compiled into SciPy",
                hint="pass its values as an argument, or write it with functions of NumPy",
            )
        if library_of(symbol) is not None and target.triple.startswith("wasm"):
            raise UnsupportedError(
                f"{routine_of(symbol)} cannot be called from WebAssembly",
                hint="make matrices smaller: small products and factorisations are compiled in",
            )


def library_of(symbol: str) -> str | None:
    """The library that a routine is in: "blas", "lapack", or None for what is in neither."""
    return next((name for name, prefix in LIBRARY_PREFIXES.items() if symbol.startswith(prefix)), None)


def routine_of(symbol: str) -> str:
    """The name of a routine for the linker: `dgemm_` of `mlirad_blas_dgemm`, `sin` of `mlirad_c_sin`."""
    library = library_of(symbol)
    if library is not None:
        return symbol.removeprefix(LIBRARY_PREFIXES[library]) + "_"
    return symbol.removeprefix(C_PREFIX)


def characters_of(symbol: str) -> int:
    """Return how many lengths of characters a routine takes after its arguments."""
    return _CHARACTERS.get(routine_of(symbol)[1:-1], 0)


def routines(program: NativeProgram) -> dict[str, list[str]]:
    """The routines left to the linker, by the library they are in: "m", "blas", "lapack"."""
    found: dict[str, list[str]] = {}
    for symbol in program.externals:
        library = library_of(symbol)
        if library is not None or symbol.startswith(C_PREFIX):
            found.setdefault(library or "m", []).append(routine_of(symbol))
    return {library: sorted(names) for library, names in sorted(found.items())}
