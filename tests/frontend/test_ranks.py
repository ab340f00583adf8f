"""Arrays of as many dimensions as NumPy's have, and an error at the line that would make more."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad.tools import opt, run

MOST = np.ones((1,) * 64)
MANY = np.ones((1,) * 40)

TOO_MANY: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "a new axis": (lambda x: x[None], MOST),
    "a new axis that is summed again": (lambda x: np.sum(x[..., None] * 2), MOST),
    "expand_dims": (lambda x: np.expand_dims(x, 0), MOST),
    "reshape": (lambda x: np.sum(x.reshape((1,) * 65)), np.ones(1)),
    "stack": (lambda x: np.stack([x, x]), MOST),
    "outer": (lambda x: np.multiply.outer(x, x), MANY),
    "tensordot": (lambda x: np.tensordot(x, x, 0), MANY),
    "broadcast_to": (lambda x: np.broadcast_to(x, (2, *MOST.shape)), MOST),
    "tile": (lambda x: np.tile(x, (1,) * 65), MOST),
    "meshgrid": (lambda x: np.meshgrid(*[x] * 65)[0], np.ones(1)),
    "build": (lambda x: ad.build((1,) * 65, lambda *_: x[0]), np.ones(1)),
    "gather": (lambda x: x[(np.zeros((1,) * 40, int),)], np.ones((3,) + (1,) * 30)),
    "scan": (lambda x: ad.scan(lambda c, _: (c, c), x, None, length=2)[1], MOST),
    "vmap": (lambda x: ad.vmap(lambda y: y * x)(np.ones(2)), MOST),
    "jacobian": (lambda x: ad.jacobian(np.sin)(x), MANY),
}


@pytest.mark.parametrize("name", TOO_MANY)
def test_more_dimensions_are_an_error_at_the_line(name: str) -> None:
    function, x = TOO_MANY[name]
    with pytest.raises((ad.ShapeError, ad.PositionError), match=r"dimensions") as caught:
        ad.jit(function, interpret=True)(x)
    assert __file__ in str(caught.value)


def test_results_of_derivatives_have_no_more() -> None:
    for derivative in (ad.jacobian, lambda f: ad.hessian(lambda x: np.sum(f(x)))):
        with pytest.raises(ad.ShapeError, match="80 dimensions"):
            derivative(np.sin)(MANY)


def test_all_of_them_can_be_computed_with() -> None:
    assert ad.grad(lambda x: np.sum(np.sin(x)))(MOST).shape == MOST.shape
    assert ad.vmap(np.sin)(np.ones((3,) + (1,) * 63)).shape == (3,) + (1,) * 63
    assert ad.vmap(lambda x: np.sum(np.sin(x[None])))(np.ones((3,) + (1,) * 63)).shape == (3,)
    assert ad.jit(lambda x: np.einsum("...,...->...", x, x))(MOST).shape == MOST.shape
    outer = ad.jit(lambda x: np.tensordot(x, x, 0))(np.full((1,) * 30, 3.0))
    assert outer.shape == (1,) * 60 and float(outer.item()) == 9.0
    stacked = np.arange(4.0).reshape((1,) * 60 + (2, 2))
    np.testing.assert_array_equal(ad.jit(lambda x: x @ x)(stacked), stacked @ stacked)


@pytest.mark.parametrize("rank", [65, 200])
@pytest.mark.parametrize("dialect", ["array.sin", "math.sin", "stablehlo.sine"])
def test_text_of_more_is_refused(
    rank: int, dialect: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    type_ = f"tensor<{'1x' * rank}f64>"
    path = tmp_path / "f.mlir"
    path.write_text(
        f"func.func @main(%x: f64) -> {type_} {{\n  %c = array.broadcast %x {{dims = []}} : f64 -> {type_}\n"
        f"  func.return %c : {type_}\n}}\n"
        if dialect.startswith("array")
        else f"func.func @main(%x: {type_}) -> {type_} {{\n  %0 = {dialect} %x : {type_}\n"
        f"  func.return %0 : {type_}\n}}\n"
    )
    for arguments in ([], ["--interpret"]):
        assert run.main([str(path), *arguments, "--args", "1.0"]) == 1
        said = capsys.readouterr().err
        assert "64" in said and "dimensions" in said and "defect" not in said
    assert opt.main([str(path), "--pipeline", "compile"]) in (0, 1)
    assert "defect" not in capsys.readouterr().err
