"""`mlirad-demo`: every stage of some functions as text, the figures these texts compute, and errors.

The texts are in `demo/*.txt`. After a change that is meant, write them again:

    python -m tests.tools.test_demo
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

import mlirad as ad
from mlirad.interpreter import run_function
from mlirad.pipeline_options import ALL_METHODS
from mlirad.tools.demo import main
from mlirad.tools.stages import stages
from tests.tools.demo import functions

HERE = Path(__file__).parent / "demo"

CASES = {
    "ex2": [],
    "dot": ["--args", "zeros(3)", "ones(3)"],
    "total": ["--args", "zeros(4)"],
    "bent": ["--args", "2.0"],
    "chain": [],
    "mutual": ["--args", "0.5", "3"],
}
"""The functions of the golden texts, with the options of the tool."""

BY_METHOD = [("ex2", m) for m in ALL_METHODS if m != "jacobian"] + [("scaled_twice", m) for m in ALL_METHODS]
"""The golden texts of the other methods: of one program by all, and of one with a function as a value."""


def run(name: str, *options: str) -> list[str]:
    return [f"{HERE / 'functions.py'}:{name}", *options]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("form", ["symbols", "ascii"])
def test_golden_texts(name: str, form: str, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--ascii"] if form == "ascii" else []
    assert main(run(name, *options, *CASES[name])) == 0
    assert capsys.readouterr().out == (HERE / f"{name}.{form}.txt").read_text()


@pytest.mark.parametrize(("name", "method"), BY_METHOD)
@pytest.mark.parametrize("form", ["symbols", "ascii"])
def test_golden_texts_of_methods(
    name: str, method: str, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--ascii"] if form == "ascii" else []
    assert main(run(name, *options, "--method", method)) == 0
    assert capsys.readouterr().out == (HERE / f"{name}.{method}.{form}.txt").read_text()


@pytest.mark.parametrize("method", [m for m in ALL_METHODS if "curry" not in m])
def test_no_arm_of_an_if_asks_for_its_condition(method: str) -> None:
    def nested(x: float) -> float:
        def bent(y: float) -> float:
            return ad.cond(x > 0, lambda: y * y, lambda: 0.5 * y)

        return ad.cond(x > 0, lambda: bent(x) * x, lambda: np.where(x > 0, 3.0, bent(x)))

    *_, last = re.split("\n-+\n", ad.demo(nested, 1.0, method=method))
    assert "if " in last
    assert not re.search(r"(then|else)\s+\(?if|where", last)


@pytest.mark.parametrize(("name", "method"), BY_METHOD)
def test_the_last_stage_of_every_method_is_the_derivative(name: str, method: str) -> None:
    """The interpreter's results at three points, against the derivative by hand."""
    points: dict[str, list[tuple[float, ...]]] = {
        "ex2": [(1.0,), (-0.5,), (2.0,)],
        "scaled_twice": [(1.0, 2.0), (-0.5, 3.0), (2.0, 0.25)],
    }

    def by_hand(x: float, z: float = 0.0) -> tuple[float, ...]:
        if name == "ex2":
            return (3 * x**2 + 4 * x**3,)
        return (z * (x * x + 1) + (x * z + 1) * 2 * x, x * (x * x + 1))

    example = points[name][0]
    module = ad.trace(getattr(functions, name), *example)
    *_, last = stages(module, "main", method)
    program = ModuleOp([f.clone() for f in (*last.called, *last.functions)])
    entry = last.functions[-1]
    vectors = [1.0] * (len(entry.function_type.inputs) - len(example))
    for point in points[name]:
        results = run_function(program, [*point, *vectors], function=entry.sym_name.data)
        assert results[-len(point) :] == pytest.approx(by_hand(*point))


def test_ascii_is_ascii() -> None:
    for path in HERE.glob("*.ascii.txt"):
        assert path.read_text().isascii()


def test_the_derivative_of_the_notes_example_is_right() -> None:
    """The notes print (t1 t2 + t1 t2) dr, which is 8 at x = 1; f' = 3 x^2 + 4 x^3 is 7."""
    text = ad.demo(functions.ex2)
    assert "((x + y) * (x + x) + y * (1 + (x + x))) * dr" in text
    section = text[text.index("The reverse derivative, shared") :]
    lets, result = section.splitlines()[3:-1], section.splitlines()[-1]
    for x in (1.0, -0.5):
        scope = {"x": x, "dr": 1.0}
        for line in lets:
            target, value = re.fullmatch(r"\s*let (\w+) = (.*)", line).groups()  # pyright: ignore
            scope[target] = eval(value, {}, scope)
        assert eval(result.strip(), {}, scope) == pytest.approx(3 * x**2 + 4 * x**3)


@pytest.mark.parametrize("name", CASES)
def test_every_stage_as_mlir_is_a_program(name: str) -> None:
    from mlirad.ir.parsing import parse_module
    from mlirad.ir.verification import verify_module

    special = {"dot": (np.zeros(3), np.ones(3)), "total": (np.zeros(4),), "mutual": (0.5, 3)}
    arguments = special.get(name, (2.0,))
    text = ad.demo(getattr(functions, name), *arguments, form="mlir")
    modules = re.findall(r"^builtin\.module \{.*?^\}", text, flags=re.S | re.M)
    assert len(modules) == text.count("builtin.module") >= 11
    for module in modules:
        verify_module(parse_module(module))


def test_no_stage_is_left_with_maps_in_the_end() -> None:
    module = ad.trace(functions.chain, 1.0)
    last = {stage.title: stage.functions for stage in stages(module, "main")}
    for mode in ("forward", "reverse"):
        (function,) = last[f"The {mode} derivative, shared"]
        assert isinstance(function, FuncOp)
        assert not any(op.name.startswith(("linear.", "func.call")) for op in function.walk())


def test_parameters_default_to_floats_and_functions_of_the_program_can_be_shown() -> None:
    assert "fun half(x) =" in ad.demo(functions.half)
    assert "∂half" in ad.demo(functions.half)
    unnamed = ad.demo(lambda x: np.sin(x))
    assert "fun lambda(x) =" in unnamed[unnamed.index("A-normal form") :]


def test_functions_as_values_are_shown_as_what_stands_for_them() -> None:
    def f(x):
        return ad.cond(x > 0, lambda: ad.lambda_(lambda z: z * x), lambda: ad.lambda_(np.sin))(x)

    module = ad.trace(f, 1.0)
    listed = list(stages(module, "main"))
    assert not any(op.name.startswith("function.") for s in listed for g in s.functions for op in g.walk())
    last = listed[-1].functions[0]
    slopes = [
        run_function(ModuleOp([last.clone()]), [x, 1.0], function=last.sym_name.data) for x in (2.0, -2.0)
    ]
    assert slopes == [(4.0,), (np.cos(-2.0),)]


def test_the_demo_leaves_the_profiler_as_it_was() -> None:
    import sys

    before = sys.getprofile()
    ad.demo(functions.ex2)
    assert sys.getprofile() is before


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nothing.py:f"], "there is no file nothing.py"),
        (["ex2"], "write file.py:function"),
        (run("missing"), "missing is not defined in"),
        (run("np"), "np is not a function in"),
        (run("whole", "--args", "3"), "has no floating-point argument"),
        (run("broken"), "functions.py:66: error: 1 positions for an array of rank 0"),
        (run("ex2", "--args", "what"), "cannot read 'what'"),
        (run("ex2", "--args", "zeros"), "'zeros' has no shape"),
        (run("ex2", "--args", "1.0", "2.0"), "ex2"),
    ],
)
def test_errors_name_what_is_wrong(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 1
    printed = capsys.readouterr().err
    assert message in printed and "internal error" not in printed and "Traceback" not in printed


def test_a_file_that_fails_is_an_error_at_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "model.py"
    path.write_text("x = 1\ny = x / 0\n")
    assert main([f"{path}:f"]) == 1
    assert f"{path}:2: error: {path} failed: ZeroDivisionError" in capsys.readouterr().err


def test_unknown_methods_list_all(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(run("ex2", "--method", "backprop"))
    assert ended.value.code == 2
    printed = capsys.readouterr().err
    assert all(repr(method) in printed or method in printed for method in ALL_METHODS)
    with pytest.raises(ad.ArgumentError, match="there is no method 'backprop'") as caught:
        ad.demo(functions.ex2, method="backprop")
    assert all(method in (caught.value.hint or "") for method in ALL_METHODS)


def test_a_file(tmp_path: Path) -> None:
    path = tmp_path / "stages.txt"
    assert main(run("ex2", "-o", str(path))) == 0
    assert path.read_text() == (HERE / "ex2.symbols.txt").read_text()


if __name__ == "__main__":
    for case, given in CASES.items():
        for options, kind in (([], "symbols"), (["--ascii"], "ascii")):
            main(run(case, *options, "-o", str(HERE / f"{case}.{kind}.txt"), *given))
    for case, method in BY_METHOD:
        for options, kind in (([], "symbols"), (["--ascii"], "ascii")):
            to = ["--method", method, "-o", str(HERE / f"{case}.{method}.{kind}.txt")]
            main(run(case, *options, *to))
