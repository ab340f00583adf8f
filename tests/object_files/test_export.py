"""Exported functions: their figures in C programs, their headers, targets, names and refusals."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.special

import mlirad as ad
from mlirad.dialects.array.reporting import REPORT_KINDS
from mlirad.object_files.c_names import c_names
from mlirad.object_files.status import OF_REPORT
from mlirad.tools import opt

GCC = shutil.which("gcc")
needs_gcc = pytest.mark.skipif(GCC is None or sys.platform == "win32", reason="there is no gcc")

W = np.linspace(-1, 1, 12).reshape(3, 4)
X = np.linspace(0.5, 2, 4)
CONSTANT = np.sin(np.arange(600.0)).reshape(200, 3)

PROGRAM = """
#include <stdio.h>
#include <stdlib.h>
#include "all.h"
#include "all.h"
#include "solved.h"

int main(void) {
  double w[12], x[4] = {0.5, 1.0, 1.5, 2.0}, value, slope[12], table[3];
  int64_t count; bool is_odd; float single;
  for (int k = 0; k < 12; k++) w[k] = -1 + 2.0 * k / 11;
  void *scratch = malloc(ALL_SCRATCH_BYTES + 1);
  int code = all(
      w, x, 0.5, 7, true, 3.5f, &value, slope, table, &count, &is_odd, &single, (char *)scratch + 1);
  printf("%d %.17g\\n", code, value);
  for (int k = 0; k < 12; k++) printf("%.17g ", slope[k]);
  for (int k = 0; k < 3; k++) printf("%.17g ", table[k]);
  printf("\\n%lld %d %.9g\\n", (long long)count, is_odd, single);
  double a[9] = {2, 1, 0, 1, 3, 1, 0, 1, 4}, b[3] = {1, 2, 3}, solution[3];
  printf("%d\\n", solved(a, b, solution));
  for (int k = 0; k < 3; k++) printf("%.17g ", solution[k]);
  double zero[9] = {0};
  printf("\\n%d\\n", solved(zero, b, solution) == MLIRAD_MATRIX);
  return 0;
}
"""


def loss(w: Any, x: Any, s: Any) -> Any:
    """A loop whose length depends on data, so that the reverse sweep allocates."""
    y = np.tanh(w @ x) * s
    _, total = ad.while_loop(lambda c: c[1] < 3, lambda c: (c[0] + 1, c[1] + np.sum(y * y) + 0.5), (0, 0.0))
    return total


def everything(w: Any, x: Any, s: Any, n: Any, flag: Any, z: Any) -> Any:
    value, slope = ad.value_and_grad(loss)(w, x, s)
    return value, slope, CONSTANT.T @ np.ones(200) * s, n * 2 + 1, np.logical_and(flag, n > 3), z * z


def run_c(folder: Path, text: str, objects: list[Path], *, compiler: str | None = GCC) -> str:
    (folder / "main.c").write_text(text)
    assert compiler is not None
    given = [compiler, "-Wall", "-Werror", "-o", "main", "main.c", *map(str, objects), "-lm"]
    subprocess.run(given, cwd=folder, check=True)
    return subprocess.run(["./main"], cwd=folder, check=True, capture_output=True, text=True).stdout


@needs_gcc
def test_a_c_program_gets_the_same_figures(tmp_path: Path) -> None:
    arguments = (W, X, 0.5, 7, True, np.float32(3.5))
    made = [
        ad.export(everything, *arguments, path=tmp_path / "all", scratch="caller"),
        ad.export(np.linalg.solve, np.eye(3), np.ones(3), path=tmp_path / "solved"),
    ]
    lines = run_c(tmp_path, PROGRAM, [m.object for m in made]).splitlines()
    value, slope, table, count, is_odd, single = ad.jit(everything)(*arguments)
    code, shown = lines[0].split()
    assert int(code) == 0
    figures = [float(shown), *map(float, lines[1].split())]
    np.testing.assert_allclose(figures, [value, *slope.ravel(), *table], rtol=1e-14)
    assert lines[2] == f"{count} {int(is_odd)} {single:.9g}"
    assert lines[3] == "0"
    a = np.array([[2.0, 1, 0], [1, 3, 1], [0, 1, 4]])
    np.testing.assert_allclose(np.array(lines[4].split(), float), np.linalg.solve(a, [1.0, 2, 3]), rtol=1e-14)
    assert lines[5] == "1"
    gxx = shutil.which("g++")
    if gxx is not None:
        options = ["-Wall", "-Werror", "-fsyntax-only", "-x", "c++"]
        subprocess.run([gxx, *options, str(made[0].header)], check=True)


@needs_gcc
def test_a_shared_library_is_loaded(tmp_path: Path) -> None:
    made = ad.export(ad.grad(loss), W, X, 2.0, path=tmp_path / "slope", library=True)
    assert made.library is not None
    result = np.empty(12)
    pointers = [a.ctypes.data_as(ctypes.c_void_p) for a in (W, X, result)]
    code = ctypes.CDLL(str(made.library)).slope(*pointers[:2], ctypes.c_double(2.0), pointers[2])
    assert code == 0
    np.testing.assert_array_equal(result.reshape(3, 4), ad.grad(loss)(W, X, 2.0))


@pytest.mark.parametrize("suffix", [".o", ".h", ".so", ".dylib", ".dll"])
def test_a_path_is_taken_without_the_suffix_of_what_is_written(suffix: str, tmp_path: Path) -> None:
    ad.export(np.sin, 0.5, path=str(tmp_path / f"wave{suffix}"))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["wave.h", "wave.o"]
    assert "wave(" in (tmp_path / "wave.h").read_text()


def test_other_processors_have_object_files(tmp_path: Path) -> None:
    heads = {"aarch64-unknown-linux-gnu": b"\x7fELF", "wasm32-unknown-unknown": b"\0asm"}
    for triple, head in heads.items():
        made = ad.export(ad.grad(loss), W, X, 2.0, path=tmp_path / "slope", target=triple)
        content = made.object.read_bytes()
        assert content.startswith(head)
        assert f"For {triple}" in made.header.read_text()
        if head == b"\x7fELF":
            assert int.from_bytes(content[18:20], "little") == 183  # the number of AArch64
    wrong = {
        "LLVM has no code generator for a-b-c": {"target": "a-b-c"},
        "LLVM knows no processor 'nonsense' of": {"cpu": "nonsense"},
        r"LLVM knows no feature '\+nonsense' of": {"features": "+nonsense"},
        "no processor feature 'avx'": {"features": "avx"},
    }
    for message, given in wrong.items():
        with pytest.raises(ad.CompileError, match=message):
            ad.export(ad.grad(loss), W, X, 2.0, path=tmp_path / "slope", **given)


def test_the_header_says_what_is_needed(tmp_path: Path) -> None:
    made = ad.export(np.linalg.solve, np.eye(100), np.ones(100), path=tmp_path / "solved")
    text = made.header.read_text()
    assert made.links == ("-llapack", "-lblas", "-lm")
    assert "by its Fortran interface with 32-bit integers: dgetrf_" in text
    assert "MLIRAD_MATRIX: Singular matrix" in text
    assert "const double *a, /* in, [100][100], 10000 elements, 80000 bytes */" in text


def test_webassembly_has_no_blas(tmp_path: Path) -> None:
    with pytest.raises(ad.UnsupportedError, match="dgemm_ cannot be called from WebAssembly"):
        a = np.ones((200, 200))
        ad.export(np.matmul, a, a, path=tmp_path / "f", target="wasm32-unknown-unknown")
    assert not list(tmp_path.iterdir())


def test_names_are_those_of_c() -> None:
    assert c_names(["w['a']", "w['b']", "w_a", "int", "0", "scratch"]) == [
        "w_a", "w_b", "w_a_2", "int_", "x_0", "scratch_",
    ]  # fmt: skip


def printing(x: Any) -> Any:
    ad.debug_print("x is {}", x)
    return x


REFUSED = {
    "a name": (np.sin, {"name": "2sin"}, "names begin with a letter"),
    "a keyword": (np.sin, {"name": "class"}, "it is a keyword"),
    "a function of C": (np.sin, {"name": "sin"}, "the C library has"),
    "a function of POSIX": (np.sin, {"name": "write"}, "the C library has"),
    "a function on floats": (np.sin, {"name": "cosf"}, "the C library has"),
    "a number as name": (np.sin, {"name": 5}, "name is 5, and it must be a string"),
    "a number as path": (np.sin, {"path": 5}, "path is 5, and it must be the path of a file"),
    "a number as target": (np.sin, {"target": 5}, "target is 5, and it must be a string"),
    "a macro": (np.sin, {"name": "unix"}, "headers of C define it"),
    "a code": (np.sin, {"name": "MLIRAD_OK"}, "names that begin with mlirad_ are the compiler's"),
    "a print": (printing, {}, "prints cannot be exported: it prints 'x is"),
    "a special function": (scipy.special.gammaln, {}, None),
    "one of SciPy": (lambda x: scipy.special.jv(1.5, x), {}, "scipy.special.jv cannot be exported"),
    "a long transform": (
        lambda x: np.fft.fft(x * np.ones(97)).real,
        {},
        "a Fourier transform of this length cannot be exported",
    ),
    "a place": (np.sin, {"path": "no/such/folder/f"}, "cannot write no/such/folder"),
    "scratch": (np.sin, {"scratch": "heap"}, "there is no scratch 'heap'"),
    "the interpreter": (ad.jit(np.sin, interpret=True), {}, "the interpreter makes no code"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_exported_leaves_no_file(case: str, tmp_path: Path) -> None:
    function, options, message = REFUSED[case]
    given: dict[str, Any] = {"path": tmp_path / "f", **options}
    if message is None:
        ad.export(function, 0.5, **given)
        return
    error = ad.ArgumentError if options.keys() - {"path"} or given["path"] == 5 else ad.UnsupportedError
    with pytest.raises(error, match=message):
        ad.export(function, 0.5, **given)
    assert not list(tmp_path.iterdir())


def test_a_linker_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CC", raising=False)
    with pytest.raises(ad.UnsupportedError, match="needs a linker, and none of cc"):
        ad.export(np.sin, 0.5, path=tmp_path / "f", library=True)
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(ad.UnsupportedError, match="the linker no-such-compiler cannot be run"):
        ad.export(np.sin, 0.5, path=tmp_path / "f", library=True)
    assert not list(tmp_path.iterdir())


SQUARED = "func.func @squared(%x: tensor<3xf64>) -> tensor<3xf64> {\n" + (
    "  %y = array.mul %x, %x : tensor<3xf64>\n  func.return %y : tensor<3xf64>\n}\n"
)


def test_the_tool_writes_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "squared.mlir"
    source.write_text(SQUARED)
    base = str(tmp_path / "made")
    assert opt.main(["--emit=object,header", str(source), "-o", base]) == 0
    assert "int squared(\n    const double *x, /* in, [3]" in (tmp_path / "made.h").read_text()
    assert opt.main(["--emit=object", "--target=aarch64-linux-gnu", str(source), "-o", base]) == 0
    assert (tmp_path / "made").read_bytes().startswith(b"\x7fELF")
    assert opt.main(["--emit=header", "--scratch=caller", str(source)]) == 0
    assert "#define SQUARED_SCRATCH_BYTES" in capsys.readouterr().out
    assert opt.main(["--emit=object,header", str(source)]) == 1
    assert "are several files" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        opt.main(["--emit=object,mlir", str(source)])


def test_every_failure_that_programs_report_has_a_code() -> None:
    assert {*OF_REPORT, "print", "call"} == {*REPORT_KINDS}
    assert len(set(OF_REPORT.values())) == len(OF_REPORT)
