"""The BLAS and LAPACK that SciPy carries, called on one thread.

Their symbols are `mlirad_blas_<routine>` and `mlirad_lapack_<routine>`.

The routines are the Fortran ones: every argument is a pointer, integers are 32 bits wide,
characters are one byte, matrices are column-major, and the dot products return their value. For
example

    declare void @mlirad_blas_dgemm(ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr)
    declare double @mlirad_blas_ddot(ptr, ptr, ptr, ptr, ptr)

Each call is wrapped in a few instructions, made when a program is loaded that calls the routine. LAPACK
runs with subnormal numbers, as under SciPy: its iterations scale by the smallest numbers that there are. BLAS
takes them for zeros where the program does. And results must not depend on the number of threads, so the
library is limited to one, and what was set is restored. How that is done depends on the library:

- OpenBLAS with its own threads (the wheels of SciPy) has one setting per process, whatever the name
  `openblas_set_num_threads_local` promises. The first of the calls under way saves it and sets one
  thread, the last restores it; a lock, held for a few instructions, keeps the count. Meanwhile
  other users of SciPy's own library are limited too; NumPy has another copy and is not affected.
- OpenBLAS on OpenMP, and MKL, have a setting per thread: it is set and restored around the call.
- OpenBLAS built without threads, and libraries not known here, are called as they are.

In SciPy's wheels the routines are found by name, `scipy_dgemm_`, in the library behind the
extension module `scipy.linalg.cython_blas`, which takes 20 ms. Elsewhere they come from the C
functions that this module and `scipy.linalg.cython_lapack` export, which means importing them: 190 ms.
"""

from __future__ import annotations

import ctypes
import glob
import os
from contextlib import suppress
from functools import cache
from importlib.machinery import PathFinder
from typing import Final, cast

from mlirad.errors import CompileError
from mlirad.jit.engine import LoadedCode
from mlirad.jit.glue import load_glue
from mlirad.jit.memory_left import require_memory
from mlirad.jit.object_layout import capsule_pointer, python_function
from mlirad.jit.once import once
from mlirad.jit.pointers import pointer
from mlirad.jit.standard_mode_text import standard_mode_text
from mlirad.jit.threads import usual_threads
from mlirad.lower.native_program import LIBRARY_PREFIXES
from mlirad.packages import folder_of, scipy_module

_ARGUMENTS: Final = {
    ("blas", "sd"): {
        "gemm": "char char int int int real real int real int real real int",
        "gemv": "char int int real real int real int real real int",
        "syrk": "char char int int real real int real real int",
        "trmm": "char char char char int int real real int real int",
        "trsm": "char char char char int int real real int real int",
        "trsv": "char char char int real int real int",
        "dot": "int real int real int",
    },
    ("blas", "cz"): {
        "trsm": "char char char char int int number number int number int",
    },
    ("lapack", "sd"): {
        "getrf": "int int real int int int",
        "potrf": "char int real int int",
        "geqrf": "int int real int real real int int",
        "orgqr": "int int int real int real real int int",
        "syevd": "char char int real int real real int int int int",
        "gesdd": "char int int real int real real int real int real int int int",
        "geev": "char char int real int real real real int real int real int int",
        "gees": "char char select2 int real int int real real real int real int int int",
    },
    ("lapack", "cz"): {
        "getrf": "int int number int int int",
        "potrf": "char int number int int",
        "geqrf": "int int number int number number int int",
        "ungqr": "int int int number int number number int int",
        "heevd": "char char int number int real number int real int int int int",
        "gesdd": "char int int number int real number int number int number int real int int",
        "geev": "char char int number int number number int number int number int real int",
        "gees": "char char select1 int number int int number number int number int real int int",
    },
}
"""The arguments of the routines for real and for complex numbers, which a letter stands for each.

`select1` and `select2` are functions of one and of two numbers that choose eigenvalues.
"""

_ROUTINES: Final = {
    LIBRARY_PREFIXES[library] + kind + name: (library, kind, name)
    for (library, kinds), names in _ARGUMENTS.items()
    for kind in kinds
    for name in names
}
"""Library, kind and name of the routine behind every symbol."""

_LIMIT: Final = "mlirad_limit_threads"
_RESTORE: Final = "mlirad_restore_threads"
_RESET: Final = "mlirad_reset_threads"
_HOLD: Final = "mlirad_hold_threads"
_LET_GO: Final = "mlirad_let_go_threads"

_OPENBLAS_SPELLINGS: Final = ("scipy_{}", "scipy_{}64_", "{}", "{}64_")


@once
def blas_address(symbol: str) -> int:
    """The address of a symbol of either library. Loads SciPy's BLAS on first use.

    Raises `CompileError` if there is no such routine, or if it does not have the signature expected, 64-bit
    integers included.
    """
    routine = _ROUTINES.get(symbol)
    if routine is None:
        raise CompileError(f"no routine {symbol}")
    _take_buffer()
    code = load_glue(_wrapped(symbol, *routine, _routine_address(*routine), _limit_addresses()), (symbol,))
    _loaded.append(code)
    return code.addresses[symbol]


@once
def _take_buffer() -> None:
    """Have OpenBLAS take the memory that its calls work in, for as many as run at once, and touch it.

    A call that gets none asks for it again for ever. And its kernels prefetch beyond what they have packed:
    where no page is there yet, each of these looks for it again, which takes as long as the product.
    """
    require_memory(BUFFER_BYTES * (usual_threads() + 1), "call BLAS")
    for library in _libraries():
        take, give = (_symbol(library, f"blas_memory_{name}") for name in ("alloc", "free"))
        if take and give:
            buffers = [_buffer(take) for _ in range(min(usual_threads(), MOST_TOUCHED))]
            for buffer in filter(None, buffers):
                ctypes.memset(buffer, 0, TOUCHED_BYTES)
                ctypes.CFUNCTYPE(None, ctypes.c_void_p)(give)(buffer)
            return
    one, info = (ctypes.c_int32 * 1)(1), (ctypes.c_int32 * 2)()
    matrix, pivots = (ctypes.c_double * 1)(1.0), (ctypes.c_int32 * 1)()
    factor = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 6)(_routine_address("lapack", "d", "getrf"))
    factor(one, one, matrix, one, pivots, info)


def _buffer(take: int) -> int | None:
    """A buffer that no call uses, until it is given back."""
    return cast("int | None", ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_int)(take)(0))


TOUCHED_BYTES: Final = 2 << 20
"""The part of a buffer that small products work in: a block of the left operand, and columns of the right."""

MOST_TOUCHED: Final = 32
"""The most buffers that are touched before they are used."""

BUFFER_BYTES: Final = 1 << 26
"""Address space for the buffer of a call: half of it, as the C library may take twice as much."""


@once
def _limit_addresses() -> tuple[int, int] | None:
    """The functions that limit the library to one thread and restore what was set, where it has threads. The
    calls under way are counted in their text.
    """
    text, scope = _thread_limit()
    if not scope:
        return None
    at_fork = (_HOLD, _LET_GO, _RESET) if scope == "process" else ()
    code = load_glue(text, (_LIMIT, _RESTORE, *at_fork))
    _loaded.append(code)
    if at_fork and hasattr(os, "register_at_fork"):
        hold, let_go, reset = (ctypes.CFUNCTYPE(None)(code.addresses[f]) for f in at_fork)
        os.register_at_fork(before=hold, after_in_parent=let_go, after_in_child=reset)
    return code.addresses[_LIMIT], code.addresses[_RESTORE]


def thread_control() -> str:
    """Return how BLAS is kept to one thread here: `process`, `thread`, or `none`."""
    return _thread_limit()[1]


# Programs hold bare addresses of this code, so it stays for the life of the process.
_loaded: Final[list[LoadedCode]] = []


def _routine_address(library: str, kind: str, name: str) -> int:
    """The address of one Fortran routine."""
    for shared in _libraries():
        # The prefix is that of the wheels' OpenBLAS; with 64-bit integers the name would end in
        # `64_`.
        address = _symbol(shared, f"scipy_{kind}{name}_")
        if address:
            return address
    return exported_address(library, kind, name)


def exported_address(library: str, kind: str, name: str) -> int:
    """The address that SciPy exports for Cython, the signature checked against its description.

    Raises `CompileError` if the signature is not the one expected.
    """
    module = scipy_module(f"linalg.cython_{library}")
    capsules = cast("dict[str, object]", module.__pyx_capi__)
    capsule = capsules.get(kind + name)
    if capsule is None:
        raise CompileError(f"SciPy has no routine {kind}{name} of {library.upper()}")
    get_name = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.py_object)(python_function("PyCapsule_GetName"))
    signature = cast(bytes, get_name(capsule))
    module_name = f"cython_{library}"
    prefix = f"__pyx_t_5scipy_6linalg_{len(module_name)}{module_name}_"
    real = prefix + {"s": "s", "d": "d", "c": "s", "z": "d"}[kind]
    number = {"c": "__pyx_t_float_complex", "z": "__pyx_t_double_complex"}.get(kind, "")
    selects = {name: f"{prefix}{kind}{name}" for name in ("select1", "select2")}
    types = {"real": real, "number": number, **selects}
    arguments = ", ".join(f"{types.get(type_, type_)} *" for type_ in _arguments(library, kind, name))
    expected = f"{real if name == 'dot' else 'void'} ({arguments})"
    if signature.decode() != expected:
        raise CompileError(
            f"SciPy's routine {kind}{name} has signature {signature.decode()!r}, and {expected!r} is needed",
            hint="install a SciPy whose BLAS and LAPACK have 32-bit integers",
        )
    return capsule_pointer(capsule, signature)


def _arguments(library: str, kind: str, name: str) -> list[str]:
    """The types of the arguments of a routine."""
    return next(
        names[name].split()
        for (of, kinds), names in _ARGUMENTS.items()
        if of == library and kind in kinds and name in names
    )


def _wrapped(
    symbol: str, library: str, kind: str, name: str, address: int, limit: tuple[int, int] | None
) -> str:
    """IR of a routine that calls the one at `address`; the functions `limit` keep that to one thread."""
    parameters = ", ".join(f"ptr %{i}" for i in range(len(_arguments(library, kind, name))))
    result = {"d": "double", "s": "float"}[kind] if name == "dot" else "void"
    call = f"call {result} {pointer(address)}({parameters})"
    lines = [call if result == "void" else f"%result = {call}"]
    if library == "lapack":
        lines = ["%mode = call i64 @enter_standard()", *lines, "call void @leave_standard(i64 %mode)"]
    if limit is not None:
        before, after = map(pointer, limit)
        lines = [f"%state = call i32 {before}()", *lines, f"call void {after}(i32 %state)"]
    lines.append("ret void" if result == "void" else f"ret {result} %result")
    body = "".join(f"  {line}\n" for line in lines)
    return f"{standard_mode_text()}\ndefine {result} @{symbol}({parameters}) {{\n{body}}}\n"


def _thread_limit() -> tuple[str, str]:
    """IR of functions that limit and restore, and the scope of the setting ("" without any).

    Where that is the process, others keep threads from both while it forks, and reset in a child what calls
    under way have set.
    """
    for library in _libraries():
        for spelling in _OPENBLAS_SPELLINGS:
            parallel = _symbol(library, spelling.format("openblas_get_parallel"))
            get = _symbol(library, spelling.format("openblas_get_num_threads"))
            put = _symbol(library, spelling.format("openblas_set_num_threads"))
            if not (parallel and get and put):
                continue
            mode = cast(int, ctypes.CFUNCTYPE(ctypes.c_int)(parallel)())
            if mode == 0:
                return "", ""
            put_local = _symbol(library, "openblas_set_num_threads_local")
            if mode == 2 and put_local:
                return _per_thread(put_local)
            return _per_process(get, put)
        mkl = _symbol(library, "MKL_Set_Num_Threads_Local")
        if mkl:
            return _per_thread(mkl)
    return "", ""


def _per_thread(put: int) -> tuple[str, str]:
    """For a setter that returns what was set, and sets it for the calling thread."""
    function = pointer(put)
    return (
        f"""
define i32 @{_LIMIT}() {{
  %before = call i32 {function}(i32 1)
  ret i32 %before
}}

define void @{_RESTORE}(i32 %before) {{
  %now = call i32 {function}(i32 %before)
  ret void
}}
""",
        "thread",
    )


def _per_process(get: int, put: int) -> tuple[str, str]:
    """For one setting per process: a count of calls under way, and what the first of them found.

    No thread sets it while the process forks: the child would find the library's own lock taken, or a count
    that does not say what is set.
    """
    return (
        f"""
@lock = internal global i32 0
@count = internal global i32 0
@before = internal global i32 0

define internal void @acquire() {{
try:
  br label %spin
spin:
  %pair = cmpxchg ptr @lock, i32 0, i32 1 acquire monotonic
  %got = extractvalue {{i32, i1}} %pair, 1
  br i1 %got, label %done, label %spin
done:
  ret void
}}

define i32 @{_LIMIT}() {{
  call void @acquire()
  %n = load i32, ptr @count
  %more = add i32 %n, 1
  store i32 %more, ptr @count
  %first = icmp eq i32 %n, 0
  br i1 %first, label %save, label %done
save:
  %found = call i32 {pointer(get)}()
  store i32 %found, ptr @before
  call void {pointer(put)}(i32 1)
  br label %done
done:
  store atomic i32 0, ptr @lock release, align 4
  ret i32 0
}}

define void @{_RESTORE}(i32 %unused) {{
  call void @acquire()
  %n = load i32, ptr @count
  %fewer = sub i32 %n, 1
  store i32 %fewer, ptr @count
  %last = icmp eq i32 %fewer, 0
  br i1 %last, label %restore, label %done
restore:
  %found = load i32, ptr @before
  call void {pointer(put)}(i32 %found)
  br label %done
done:
  store atomic i32 0, ptr @lock release, align 4
  ret void
}}

define void @{_HOLD}() {{
  call void @acquire()
  ret void
}}

define void @{_LET_GO}() {{
  store atomic i32 0, ptr @lock release, align 4
  ret void
}}

define void @{_RESET}() {{
  store i32 0, ptr @lock
  %n = load i32, ptr @count
  store i32 0, ptr @count
  %limited = icmp ne i32 %n, 0
  br i1 %limited, label %restore, label %done
restore:
  %found = load i32, ptr @before
  call void {pointer(put)}(i32 %found)
  br label %done
done:
  ret void
}}""",
        "process",
    )


@cache
def _libraries() -> tuple[ctypes.CDLL, ...]:
    """Return where the BLAS may be found: behind SciPy's extension module, then in the wheel's folder.

    A symbol asked of the extension is looked for in the libraries it was linked with, except on
    Windows.
    """
    package = folder_of("scipy")
    spec = PathFinder.find_spec("cython_blas", [os.path.join(package, "linalg")])
    extension = [] if spec is None or spec.origin is None else [spec.origin]
    found: list[ctypes.CDLL] = []
    for path in extension + sorted(glob.glob(os.path.join(package + ".libs", "*blas*"))):
        with suppress(OSError):
            found.append(ctypes.CDLL(path))
    return tuple(found)


def _symbol(library: ctypes.CDLL, name: str) -> int | None:
    """The address of a function of the library, or None."""
    function = getattr(library, name, None)
    return None if function is None else ctypes.cast(function, ctypes.c_void_p).value
