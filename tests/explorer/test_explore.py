"""The page of the explorer: its data, the tool that writes it, and what a person does in a browser."""

from __future__ import annotations

import base64
import gzip
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad.explorer import tool
from mlirad.explorer.content import content
from mlirad.explorer.jacobians import pattern
from tests.explorer.browser import CHROMIUM, Browser

X = np.linspace(-1, 1, 40)
W = np.linspace(0, 1, 400).reshape(10, 40)


def loss(w: Any, x: Any) -> Any:
    """</script><img src=x onerror="document.title='broken'">"""
    hidden = np.tanh(w @ x)
    carried = ad.fori_loop(0, 5, lambda i, c: c * 0.5 + np.sin(hidden), hidden)
    return np.sum(carried * carried) + np.sum(w[0] * x)


def line_of(text: str) -> int:
    lines = Path(__file__).read_text().splitlines()
    return 1 + next(k for k, line in enumerate(lines) if text in line and "line_of" not in line)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "loss.html"
    return ad.explore(ad.grad(loss), W, X, path=path)


def data_of(page: Path) -> dict[str, Any]:
    text = page.read_text()
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def listing_of(stage: dict[str, Any]) -> dict[str, Any]:
    return json.loads(gzip.decompress(base64.b64decode(stage["packed"])))


def test_every_stage_down_to_assembly_has_lines_of_a_source_line(page: Path) -> None:
    data = data_of(page)
    line = line_of("hidden = np.tanh(w @ x)")
    stages = [stage for stage in data["stages"] if "packed" in stage]
    assert [stages[0]["name"], *(s["name"] for s in stages[-2:])] == ["trace", "LLVM IR", "assembly"]
    for stage in stages:
        listing = listing_of(stage)
        assert len(listing["lines"]) == len(listing["origins"]) == stage["lines"]
        places = [data["origins"][origin] for origin in listing["origins"]]
        of_line = [t for t, p in zip(listing["lines"], places, strict=True) if p and p[1] == line]
        assert of_line, stage["name"]
    known = [o for o in listing_of(stages[0])["origins"] if o]
    assert len(set(known)) > len({data["origins"][o][1] for o in known})  # ops are told apart within a line


def test_tabs_have_what_they_show(page: Path) -> None:
    data = data_of(page)
    assert "ᵀ" in data["maps"]["text"]
    assert data["maps"]["graph"].startswith("<svg")
    kernels = data["kernels"]["rows"]
    assert kernels and all(row["ms"] is not None for row in kernels)
    assert sum(row["share"] for row in kernels) <= 1.01
    assert data["memory"]["image"].count("<rect") == data["memory"]["pieces"]
    assert data["sparsity"]["shape"] == [400, 400]
    found = pattern(ad.grad(loss, argnums=(0, 1)), (W, X))
    assert isinstance(found, str) and found.startswith("The arguments have 440 components")


def test_a_pattern_is_that_of_the_derivative() -> None:
    data = content(lambda x: np.diff(x) ** 2, (X[:6],), measured=False, patterns=True)
    sparsity = data["sparsity"]
    assert (sparsity["title"], sparsity["shape"], sparsity["count"]) == ("Jacobian", [5, 6], 10)
    assert sorted(zip(sparsity["rows"], sparsity["columns"], strict=True)) == [
        (i, j) for i in range(5) for j in (i, i + 1)
    ]
    assert data["kernels"]["roofline"] is None
    assert data["maps"]["title"] == "The Jacobian of the program"


def test_a_pattern_is_by_the_arguments_that_a_derivative_is_of() -> None:
    def loss(w: Any, x: Any, n: int = 1, kind: str = "") -> Any:
        assert isinstance(n, int) and isinstance(kind, str)
        return np.sum(w**3) * n * np.sum(x)

    def shown(function: Any, *args: Any) -> tuple[str, list[int], int]:
        found = content(function, args, measured=False, patterns=True)["sparsity"]
        return found["title"], found["shape"], found["count"]

    w, x = np.ones(4), np.ones((3, 900))
    by_w = ("Hessian", [4, 4], 4)
    assert shown(ad.grad(loss), w, x) == by_w
    assert shown(ad.grad(loss, "w"), w, x) == by_w
    assert shown(ad.value_and_grad(lambda x, w: (loss(w, x), x), argnums=1, has_aux=True), x, w) == by_w
    assert shown(ad.jit(ad.grad(loss, argnums=0, static_argnums=(2, 3))), w, x) == by_w
    assert shown(ad.grad(loss, static_argnames=("n", "kind")), w, x, 2, "mean") == by_w
    assert shown(ad.hessian(loss, argnums=(0, 1)), w, x[0, :2]) == ("Hessian", [6, 6], 4 + 2 * 4 * 2)
    assert shown(ad.jacobian(lambda a, b: a * b, argnums=1), w, w) == ("Jacobian", [4, 4], 4)
    assert shown(ad.jit(lambda a, b: a * b), w, w) == ("Jacobian", [4, 8], 8)
    assert shown(ad.vmap(lambda a, b: a * b), w, w) == ("Jacobian", [4, 8], 8)


def test_the_tool_writes_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "model.py"
    source.write_text("def f(x, y):\n    return x * y + x\n")
    output = tmp_path / "out.html"
    given = [f"{source}:f", "--grad", "--no-measure", "--no-sparsity", "-o", str(output)]
    assert tool.main(given) == 0
    assert data_of(output)["files"][0]["lines"][1] == "    return x * y + x"
    sized = [f"{source}:f", "--args", "random(20)", "random(20)", "--no-measure", "-o", str(output)]
    assert tool.main(sized) == 0
    assert data_of(output)["sparsity"]["shape"] == [20, 40]
    assert tool.main([f"{source}:f", "-o", str(tmp_path / "no" / "out.html"), "--no-measure"]) == 1
    assert "cannot write" in capsys.readouterr().err
    assert tool.main([f"{source}:g"]) == 1
    assert "g is not defined" in capsys.readouterr().err
    assert tool.main([f"{source}:f", "--grad", "--wrt", "x"]) == 1
    assert "cannot read the positions 'x'" in capsys.readouterr().err
    assert sorted(p.name for p in tmp_path.iterdir() if p.is_file()) == ["model.py", "out.html"]


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")
def test_a_person_points_clicks_and_searches(page: Path) -> None:
    with Browser(page) as window:
        title = window.run("document.title")
        line = line_of("hidden = np.tanh(w @ x)")
        window.move(*window.place("#source .row", "hidden = np.tanh(w @ x)"))
        window.until("document.querySelectorAll('.lit.on').length > 5")
        status = "document.querySelector('#status').textContent"
        assert window.run(status).startswith(f"test_explore.py:{line}")
        window.until("document.querySelector('#panes .row.same') !== null")

        window.click(*window.place(".stage", "assembly"))
        window.until("document.querySelector('#panes select').selectedOptions[0].text === 'assembly'")
        window.until("document.querySelector('.stage.chosen').textContent.startsWith('assembly')")
        window.click(*window.place("#source .row", "hidden = np.tanh(w @ x)"))
        window.until("document.querySelector('#panes .row.same') !== null")
        text = window.run("document.querySelector('#panes .row.same').textContent")
        assert re.search(r"\b(v|mov|lea|x|add|imul|fm|b|ld|j|c)\w+", text)
        other = window.place("#source .row", "carried = ad.fori_loop")
        window.move(*other)
        assert window.run(status).startswith("Kept")
        window.press("Escape")
        window.move(other[0] + 5, other[1])
        window.until("document.querySelector('#status').textContent.includes('carried = ad.fori_loop')")

        window.click(*window.place(".stage", "LLVM IR"))
        window.until("document.querySelector('#panes select').selectedOptions[0].text === 'LLVM IR'")
        window.until("document.querySelector('#panes .rows').textContent.includes(' = load ')")
        window.click(*window.place("#panes input"))
        window.type("FMUL")
        window.until("document.querySelector('#panes .row.found') !== null")
        window.press("Enter")
        window.until("/^2 of \\d+/.test(document.querySelector('#panes .note').textContent)")

        window.click(*window.place("nav button", "Kernels"))
        window.move(*window.place("tr.has"))
        window.until("document.querySelector('#source .row.same') !== null")
        for tab in ("Maps", "Memory", "Compile time", "Sparsity", "Stages"):
            window.click(*window.place("nav button", tab))
            window.until("document.querySelector('#content').innerText.length > 20")
            assert window.run("document.querySelector('#content').scrollWidth <= innerWidth")
        assert window.run("document.title") == title == "loss · mlirad"
        assert window.errors == []
        assert [url for url in window.requests if not url.startswith("file:")] == []


@pytest.mark.fuzz
@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")
def test_thousands_of_ops_are_shown(tmp_path: Path) -> None:
    def long(x: Any) -> Any:
        for k in range(1500):
            x = np.sin(x) * (1 + 1e-3 * k)
        return np.sum(x)

    page = ad.explore(ad.grad(long), X, path=tmp_path / "long.html", sparsity=False)
    assert data_of(page)["stages"][0]["ops"] > 3000
    assert page.stat().st_size < 10_000_000
    with Browser(page) as window:
        window.click(*window.place("#source .row", "x = np.sin(x) * "))
        window.until("document.querySelectorAll('.lit.on').length > 5")
        assert window.run("document.querySelectorAll('.row').length") < 300
        assert window.errors == []
