"""The outcome of a random call of NumPy's: does a traced function agree with NumPy, or say why it does not?

    outcome = outcome_of(random_call(7))       Outcome(kind="agreed", ...)
    python -m tests.generators.numpy_outcomes --first 0 --count 5000     prints outcomes, a JSON line each

`run_calls` does the latter in a child process, so that crashes and hangs are outcomes too.

Values, dtypes and shapes are compared. Operations that only move, choose or compare elements have to agree
bit for bit; of others `DEGREES` says to which power of the largest argument rounding errors grow.
"""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from mlirad.errors import (
    CompileError,
    InterpreterError,
    LinearAlgebraError,
    MliradError,
    ParseError,
    VerifyError,
)
from mlirad.frontend.tracing.pytree import flatten
from tests.generators.numpy_calls import Call, Leaf, filled, random_call

AGREED, REFUSED, DEVIATES = "agreed", "refused with a hint", "deviates as documented"
WITHOUT_HINT, UNCLEAR, RAW = "refused without a hint", "refused unclearly", "raw exception"
DISAGREED, CRASHED = "disagreed", "crashed or hung"
KINDS = (AGREED, DEVIATES, REFUSED, WITHOUT_HINT, UNCLEAR, RAW, DISAGREED, CRASHED)
WRONG = (WITHOUT_HINT, UNCLEAR, RAW, DISAGREED, CRASHED)

SECONDS_PER_CALL = 30
ANSWERED = ".\n"
"""The output of a child when mlirad has answered, and NumPy has not."""
INTERNAL = (CompileError, InterpreterError, VerifyError, ParseError)
PYTHON_WORDS = ("' object ", "NoneType", "unsupported operand", "no value>", "Traceback")

EXACT = frozenset(
    [
        "reshape",
        "ravel",
        "transpose",
        "permute_dims",
        "swapaxes",
        "moveaxis",
        "rollaxis",
        "squeeze",
        "expand_dims",
        "broadcast_to",
        "broadcast_arrays",
        "flip",
        "fliplr",
        "flipud",
        "matrix_transpose",
        "roll",
        "rot90",
        "take",
        "repeat",
        "tile",
        "tril",
        "triu",
        "diagonal",
        "diag",
        "diagflat",
        "concatenate",
        "stack",
        "hstack",
        "vstack",
        "dstack",
        "append",
        "column_stack",
        "atleast_1d",
        "atleast_2d",
        "atleast_3d",
        "split",
        "vsplit",
        "hsplit",
        "dsplit",
        "array_split",
        "meshgrid",
        "full_like",
        "zeros_like",
        "ones_like",
        "copy",
        "where",
        "clip",
        "select",
        "choose",
        "take_along_axis",
        "maximum",
        "minimum",
        "fmax",
        "fmin",
        "copysign",
        "negative",
        "positive",
        "conjugate",
        "absolute",
        "fabs",
        "sign",
        "floor",
        "ceil",
        "rint",
        "trunc",
        "fix",
        "searchsorted",
        "digitize",
        "nan_to_num",
        "insert",
        "delete",
        "resize",
        "compress",
        "unstack",
        "astype",
        "real",
        "imag",
        "fftshift",
        "ifftshift",
        "isclose",
        "array_equal",
        "signbit",
        "isnan",
    ]
)
"""Operations on floats that agree with NumPy bit for bit, except for the payloads of NaN."""

SIGNLESS_ZEROS = frozenset(["maximum", "minimum", "fmax", "fmin", "clip"])
"""These may return either of two zeros of different signs."""

DEGREES = {
    "sum": 1, "cumsum": 1, "mean": 1, "nansum": 1, "nanmean": 1, "nancumsum": 1, "cumulative_sum": 1,
    "trace": 1,
    "average": 3, "add": 1, "subtract": 1, "ptp": 1, "diff": 4, "ediff1d": 1, "trapezoid": 2, "dot": 2,
    "inner": 2,
    "vdot": 2, "matmul": 2, "vecdot": 2, "matvec": 2, "vecmat": 2, "tensordot": 2, "einsum": 4, "outer": 2,
    "kron": 2, "cross": 2, "multi_dot": 4, "matrix_power": 6, "convolve": 2, "correlate": 2, "var": 2,
    "nanvar": 2,
    "std": 1, "nanstd": 1, "cov": 2, "corrcoef": 2, "median": 1, "nanmedian": 1, "quantile": 1,
    "nanquantile": 1,
    "percentile": 1, "nanpercentile": 1, "interp": 3, "linspace": 1, "logspace": 0, "geomspace": 1,
    "polyval": 6, "solve": 2, "inv": 2, "det": 4, "slogdet": 1, "cholesky": 1, "eigh": 1, "eigvalsh": 1,
    "svd": 1, "svdvals": 1, "qr": 1, "cond": 2, "pinv": 2, "lstsq": 2, "tensorsolve": 2, "tensorinv": 2,
    "polyadd": 1, "polysub": 1, "polymul": 2, "polydiv": 3, "gradient": 2, "norm": 2, "vector_norm": 2,
    "matrix_norm": 2, "pad": 1, "unwrap": 1, "remainder": 1, "fmod": 1, "divmod": 1, "floor_divide": 0,
    "logaddexp": 1, "logaddexp2": 1, "power": 0, "prod": 0, "poly": 6,
}  # fmt: skip
"""The power of the largest argument that rounding errors are relative to; 0 is the size of the result."""

MEANS = ("mean", "nanmean", "average")
STRICTER_OUT = (
    "must be of ArrayType", "item assignment", "output parameter for reduction",
    "array element with a sequence", "must be numpy.ndarray",
)  # fmt: skip
"""NumPy's messages about an `out` that is a scalar, or of more dimensions, and about an element set to an
array.
"""

UNDEFINED_VALUES = ("empty_like", "argpartition")
ORDER_UNDEFINED = ("partition",)
POSITIONS = (
    "take", "take_along_axis", "choose", "ravel_multi_index", "unravel_index", "searchsorted", "reduceat",
    "insert", "delete", "put_along_axis", "put",
)  # fmt: skip
"""Functions whose traced positions are not checked: outside of an array they read 0."""


@dataclass(frozen=True)
class Outcome:
    """The outcome of the call of a seed; `detail` is the message of an error, or the difference."""

    seed: int
    kind: str
    call: str
    detail: str = ""


def outcome_of(
    call: Call, *, interpret: bool = True, between: Callable[[], object] = lambda: None
) -> Outcome:
    """Run a call both ways and compare; `between` is called when mlirad has answered."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        found, refused = _tried(lambda: call.with_mlirad(interpret=interpret))
        between()
        expected, raised = _tried(lambda: _expected(call))
        kind, detail = _judged(call, expected, raised, found, refused)
    return Outcome(call.seed, kind, str(call), detail)


def _tried(thunk: Any) -> tuple[Any, BaseException | None]:
    try:
        return thunk(), None
    except Exception as error:
        return None, error


def _expected(call: Call) -> Any:
    if call.function is np.argsort or call.name == "x.argsort":
        return Call(
            call.seed, call.name, call.function, call.args,
            {**{k: v for k, v in call.options.items() if k != "kind"}, "stable": True}
            if call.options.get("kind") in (None, "quicksort", "heapsort", "mergesort")
            else call.options,
            call.leaves,
        ).with_numpy()  # fmt: skip
    return call.with_numpy()


def _judged(
    call: Call, expected: Any, raised: BaseException | None, found: Any, refused: BaseException | None
) -> tuple[str, str]:
    if refused is not None:
        text = f"{type(refused).__name__}: {refused}"
        if not isinstance(refused, MliradError):
            # NumPy checks how its functions are called before it asks what they are called with, and asks
            # for operands alone. It ends with the type of what it got.
            is_numpys = type(raised) is type(refused) and _without_type(raised) == _without_type(refused)
            return (AGREED, "") if is_numpys else (RAW, text)
        if isinstance(refused, INTERNAL) or refused.location is None:
            return UNCLEAR, text
        if any(word in refused.message for word in PYTHON_WORDS):
            return UNCLEAR, text
        if raised is not None:
            return AGREED, ""
        if isinstance(refused, LinearAlgebraError) and not all(
            np.all(np.isfinite(x)) for x in _numbers(call)
        ):
            return DEVIATES, text  # whether LAPACK converges with infinities depends on the routine
        return (WITHOUT_HINT if refused.hint is None else REFUSED), text
    if raised is not None:
        by_value = isinstance(raised, IndexError | ValueError) and _name(call) in POSITIONS
        by_value = (
            by_value or isinstance(raised, ZeroDivisionError) or "negative integer powers" in str(raised)
        )
        by_value = by_value or "avoid creating a copy" in str(raised) or "newaxis" in str(raised)
        by_value = by_value or "signature object" in str(raised)
        by_value = by_value or "cannot include zero" in str(raised)
        by_value = by_value or "autodetected range" in str(raised)
        by_value = by_value or any(part in str(raised) for part in STRICTER_OUT)
        by_value = by_value or _is_foreign(call.options.get("dtype"))
        forgets = isinstance(raised, AttributeError)  # to make an array of a list
        return (
            DEVIATES if by_value or forgets else DISAGREED
        ), f"NumPy raises {type(raised).__name__}: {raised}"
    difference = _difference(call, expected, found)
    if difference and _name(call).endswith(("quantile", "percentile")) and _is_infinite(call):
        # NumPy's has a part of the infinite neighbour of a quantile that is an element, which is NaN.
        return DEVIATES, difference
    if (
        difference
        and _name(call) in ("convolve", "correlate")
        and not all(np.all(np.isfinite(x)) for x in _numbers(call))
    ):
        # The zeros around the shorter one meet its NaN and infinities here.
        return DEVIATES, difference
    if difference and _name(call) == "geomspace" and np.dtype(call.options.get("dtype")).kind == "i":
        return DEVIATES, difference  # between numbers of two signs it is NaN, made an integer
    if difference and _name(call) == "lstsq" and not all(np.all(np.isfinite(x)) for x in _numbers(call)):
        return DEVIATES, difference  # NumPy's solver makes all of the solution NaN
    if difference and _name(call) == "eigh" and "U" in str(call.options.get("UPLO")):
        return _up_to_signs(expected, found), difference
    if difference and _name(call) == "polymul":  # NumPy's leaves leading zeros out
        return DEVIATES, difference
    if difference.startswith("dtype") and _name(call) in ("dot", "inner", "multi_dot") and "[]" in str(call):
        return DEVIATES, difference  # NumPy's take an empty list for an array without dtype
    if difference and "lib.scimath" in call.name and np.array_equal(expected, found, equal_nan=True):
        return DEVIATES, difference  # complex numbers, as the dtype depends on the values
    if difference and call.options.get("out") is not None and _is_half(call):
        return DEVIATES, difference
    if difference and _name(call) == "pseudo_huber" and _squares_overflow(call):
        # SciPy's multiplies the square of delta, here 0, by that of r / delta, here infinite.
        return DEVIATES, difference
    if not difference:
        return AGREED, ""
    return (DEVIATES if difference.startswith("dtype outside") else DISAGREED), difference


def _up_to_signs(expected: Any, found: Any) -> str:
    """Eigenvalues and eigenvectors of the upper triangle: the signs are those that the lower one has."""
    values, vectors = (
        np.abs(np.asarray(e)) - np.abs(np.asarray(f)) for e, f in zip(expected, found, strict=True)
    )
    tolerance = 1e-3 if vectors.dtype == np.float32 else 1e-10
    return (
        DEVIATES if np.all(np.abs(values) < tolerance) and np.all(np.abs(vectors) < tolerance) else DISAGREED
    )


def _without_type(error: BaseException | None) -> str:
    return str(error).partition(", not ")[0]


def _name(call: Call) -> str:
    first, _, method = call.name.removeprefix("np.").removeprefix("linalg.").partition(".")
    return first if method in ("", "reduce", "accumulate", "outer", "reduceat", "at") else method


def _difference(call: Call, expected: Any, found: Any) -> str:
    wanted, got = flatten(expected)[0], flatten(found)[0]
    if len(wanted) != len(got):
        return f"{len(got)} results instead of {len(wanted)}"
    for e, f in zip(wanted, got, strict=True):
        if e is None and f is None:
            continue
        if isinstance(e, np.dtype):
            return "" if e == f else f"{f} instead of {e}"
        e, f = np.asarray(e), np.asarray(f)
        if e.shape != f.shape:
            return f"shape {f.shape} instead of {e.shape}"
        if e.dtype not in (np.float64, np.float32, np.int64, np.int32, np.bool_):
            return f"dtype outside of the language: {e.dtype}"
        if e.dtype != f.dtype:
            return f"dtype {f.dtype} instead of {e.dtype}"
        if _name(call) in UNDEFINED_VALUES or _searches_unsorted(call):
            continue
        if _name(call) in ORDER_UNDEFINED and e.ndim:
            e, f = np.sort(e, axis=None), np.sort(f, axis=None)
        if not _are_close(call, e, f):
            return f"{f.tolist()} instead of {e.tolist()}"
    return ""


def _searches_unsorted(call: Call) -> bool:
    """Return whether a call searches an unsorted table, where the result depends on the algorithm."""
    if _name(call) != "searchsorted":
        return False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table, sorter = (
            np.asarray(filled(value, call.leaves)) for value in (call.args[0], call.options.get("sorter", ()))
        )
    table = table[sorter] if sorter.size else table
    return not np.array_equal(table, np.sort(table), equal_nan=table.dtype.kind == "f")


def _are_close(call: Call, e: Any, f: Any) -> bool:
    name = _name(call)
    if e.dtype.kind == "i":
        # NaN and numbers out of range have no defined value as integers,
        # and neither is the reciprocal of the integer 0.
        held = (np.all(np.abs(np.asarray(x, np.float64)) < 2.0**31) for x in _numbers(call))
        undefined = name in (*MEANS, "reciprocal") or not all(held)
        least = np.iinfo(e.dtype).min
        if undefined and np.any((e == least) | (f == least)) and name in DEGREES:
            return True  # what is summed with such an element is not defined either
        return bool(np.all((e == f) | ((e == least) & undefined)))
    if e.dtype.kind != "f":
        return bool(np.array_equal(e, f))
    same = (e == f) | (np.isnan(e) & np.isnan(f))
    if name in EXACT and name not in SIGNLESS_ZEROS:
        return bool(np.all(same & ((np.signbit(e) == np.signbit(f)) | np.isnan(e))))
    largest = max((_largest(x) for x in _numbers(call)), default=0.0)
    degree = DEGREES.get(name, 0)
    unit = 64 * float(np.finfo(e.dtype if not _is_single(call) else np.float32).eps)
    size = np.abs(e.astype(np.float64)) + np.abs(f)
    if degree and largest > 1e30:
        return True  # sums of such numbers overflow, or do not, by the order of their terms
    allowed = unit * (size + (max(largest, 1.0) ** degree * 16 if degree else 0))
    allowed = allowed + float(np.finfo(e.dtype).tiny)
    return bool(np.all(same | (np.abs(e.astype(np.float64) - f) <= allowed)))


def _is_infinite(call: Call) -> bool:
    return any(
        np.any(np.isinf(np.asarray(x, np.float64))) for x in call.leaves if np.asarray(x).dtype.kind == "f"
    )


def _is_half(call: Call) -> bool:
    """Return whether NumPy computes in float16, which `out` hides."""
    options = {name: value for name, value in call.options.items() if name != "out"}
    plain = Call(call.seed, call.name, call.function, call.args, options, call.leaves)
    results = flatten(_tried(plain.with_numpy)[0])[0]
    return any(getattr(x, "dtype", None) == np.float16 for x in results)


def _squares_overflow(call: Call) -> bool:
    """Return whether a square of an argument, or of its reciprocal, is infinite."""
    sizes = np.abs(np.concatenate([np.ravel(np.asarray(x, np.float64)) for x in _numbers(call)]))
    return bool(np.any((sizes > 1e150) | ((sizes < 1e-150) & (sizes > 0))))


def _is_foreign(dtype: Any) -> bool:
    """Return whether another dtype stands for this one."""
    return dtype in ("f2", np.uint8)


def _is_single(call: Call) -> bool:
    return any(getattr(x, "dtype", None) == np.float32 for x in _numbers(call))


def _numbers(call: Call) -> Iterator[Any]:
    def walk(value: Any) -> Iterator[Any]:
        if isinstance(value, Leaf):
            value = call.leaves[value.number]
        if isinstance(value, list | tuple):
            for v in value:
                yield from walk(v)
        elif (
            isinstance(value, int | float | np.ndarray | np.generic)
            and np.asarray(value).dtype.kind in "iufb"
        ):
            yield value

    for value in (*call.args, *call.options.values()):
        yield from walk(value)


def _largest(value: Any) -> float:
    array = np.asarray(value)
    if array.dtype.kind not in "iufb":
        return 0.0
    array = np.abs(array[np.isfinite(array)].astype(np.float64))
    return float(np.max(array, initial=0.0))


# Children ----------------------------------------------------------------------------------------


def run_calls(first: int, count: int, *, interpret: bool = True) -> Iterator[Outcome]:
    """The outcomes of the calls of `count` seeds, run in child processes.

    A crash is tried again alone, as it may come from memory that an earlier call of NumPy's has spoilt; and
    it is not mlirad's if it happens while NumPy computes what is right.
    """
    at, end = first, first + count
    while at < end:
        for outcome, _ in _run_child(at, end - at, interpret):
            if outcome is None:
                break
            yield outcome
            at += 1
        if at < end:
            outcome, trouble = next(_run_child(at, 1, interpret))
            yield outcome or Outcome(at, CRASHED, str(random_call(at)), trouble)
            at += 1


def _run_child(first: int, count: int, interpret: bool) -> Iterator[tuple[Outcome | None, str]]:
    """Outcomes of one child; `None` with what it said where it dies."""
    command = [
        sys.executable, "-m", "tests.generators.numpy_outcomes", "--first", str(first), "--count", str(count),
        *([] if interpret else ["--native"]),
    ]  # fmt: skip
    at, has_answered = first, False
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None and child.stderr is not None
        for line in child.stdout:
            if line == ANSWERED:
                has_answered = True
                continue
            if not line.startswith("{"):  # what LAPACK prints of NaN
                continue
            yield Outcome(**json.loads(line)), ""
            at, has_answered = at + 1, False
        trouble = child.stderr.read()
    if at < first + count:
        if has_answered:
            yield Outcome(at, DEVIATES, str(random_call(at)), "NumPy crashed"), ""
        else:
            yield None, f"exit code {child.returncode}: {trouble[-300:]}"


def summary(outcomes: Counter[str]) -> str:
    """Counts by kind."""
    total = sum(outcomes.values())
    return "\n".join([f"{total} calls", *(f"{outcomes[kind]:>8}  {kind}" for kind in KINDS)])


def _answered() -> None:
    sys.stdout.write(ANSWERED)
    sys.stdout.flush()


def _main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--native", action="store_true")
    options = parser.parse_args()
    for seed in range(options.first, options.first + options.count):
        signal.alarm(SECONDS_PER_CALL)
        outcome = outcome_of(random_call(seed), interpret=not options.native, between=_answered)
        sys.stdout.write(json.dumps(asdict(outcome)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    _main()
