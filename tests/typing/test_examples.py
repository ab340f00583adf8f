"""The types of the public interface, by its checker, and its help."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import mlirad as ad
from mlirad.frontend import signatures
from mlirad.frontend.compiling.options import OPTIONS, CompileOptions

EXAMPLES = Path(__file__).with_name("examples.py")


@pytest.mark.fuzz
def test_right_uses_type_check_and_wrong_ones_do_not() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "basedpyright", str(EXAMPLES)],
        capture_output=True, text=True, cwd=EXAMPLES.parents[2], check=False,
    )  # fmt: skip
    assert "0 errors" in run.stdout, run.stdout
    assert "def wrong" in EXAMPLES.read_text()


def test_mypy_finds_errors_in_the_same_lines() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--follow-imports=silent", "--no-error-summary", str(EXAMPLES)],
        capture_output=True, text=True, cwd=EXAMPLES.parents[2], check=False,
    )  # fmt: skip
    found = {int(n) for n in re.findall(r"^[^:\n]+:(\d+): error", run.stdout, re.M)}
    lines = enumerate(EXAMPLES.read_text().splitlines(), 1)
    assert found == {n for n, line in lines if "# pyright: ignore[" in line}, run.stdout + run.stderr


@pytest.mark.parametrize(
    "name", ["jit", "grad", "value_and_grad", "jacobian", "hessian", "vmap", "jvp", "hvp"]
)
def test_help_lists_all_options(name: str) -> None:
    assert OPTIONS.keys() == CompileOptions.__annotations__.keys()
    function = getattr(ad, name)
    parameters = inspect.signature(function).parameters
    for option, says in OPTIONS.items():
        assert parameters[option].kind is inspect.Parameter.KEYWORD_ONLY
        assert f"{option}: {says}" in function.__doc__


TYPES = {
    "jit": "Jit",
    "grad": "Gradient",
    "value_and_grad": "ValueAndGradient",
    "jacobian": "Jacobian",
    "jacfwd": "DenseJacobian",
    "jacrev": "DenseJacobian",
    "hessian": "Hessian",
    "vmap": "Batching",
}


@pytest.mark.parametrize("name", TYPES)
def test_types_have_the_parameters_of_the_functions(name: str) -> None:
    written = set(inspect.signature(getattr(ad, name)).parameters) - OPTIONS.keys()
    classes = {
        node.name: node
        for node in ast.parse(inspect.getsource(signatures)).body
        if isinstance(node, ast.ClassDef)
    }
    overloads = [node.args for node in classes[TYPES[name]].body if isinstance(node, ast.FunctionDef)]
    assert len(overloads) >= 2
    for typed in overloads:
        named = {each.arg for each in (*typed.posonlyargs, *typed.args, *typed.kwonlyargs)} - {"self"}
        assert named in (written, written - {"function"})


def test_transformed_functions_and_programs_say_what_they_are() -> None:
    def loss(w: float, x: float) -> float:
        return w * x

    slope = ad.grad(loss, argnums="x", interpret=True)
    assert repr(slope) == "<mlirad.grad(loss, argnums='x', interpret=True): (w, x)>"
    assert repr(ad.jit(slope)) == "<mlirad.jit(mlirad.grad(loss, argnums='x', interpret=True)): (w, x)>"
    lowered = slope.lower(1.0, 2.0)
    assert repr(lowered) == "<loss, lowered for w: float64[], x: float64[]>"
    assert repr(lowered.compile()) == "<loss, compiled for w: float64[], x: float64[]>"
    assert ad.__version__.count(".") == 2
