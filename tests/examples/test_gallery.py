"""The examples of the gallery: each checks what it computes, and what it draws is a figure."""

from __future__ import annotations

import ast
import importlib
import re
import sys
from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from docs.gallery import ROOT, examples, pages

SMALL: dict[str, dict[str, Any]] = {
    "assimilation": {},
    "bouncing_pendulum": {},
    "bundle_adjustment": {},
    "chaos": {"steps": 12000},
    "deblurring": {"size": 64},
    "dropout": {},
    "epidemic": {},
    "extended_kalman_filter": {"count": 120},
    "filter_design": {},
    "gaussian_process": {"count": 40},
    "graph_network": {},
    "hamiltonian_monte_carlo": {"count": 100, "draws": 1500},
    "heat_equation": {"size": 10, "steps": 4},
    "heat_network": {"points": 10, "steps": 250},
    "heston": {"paths": 10000, "steps": 30},
    "hidden_markov": {"count": 400},
    "image_filters": {"size": 36},
    "implicit_functions": {},
    "kalman_filter": {"count": 60},
    "lens": {"heights": np.linspace(-12.0, 12.0, 9)},
    "minimal_surface": {"size": 20},
    "molecules": {"side": 5, "steps": 300},
    "networks": {},
    "neural_ode": {"steps": 300},
    "normalizing_flow": {"steps": 600},
    "pendulum": {},
    "phase_retrieval": {"size": 16},
    "predators": {},
    "robot_arm": {"times": 60},
    "shapes": {"size": 16},
    "tomography": {"size": 48, "angles": 48},
    "triple_pendulum": {},
    "truss": {"columns": 5, "rows": 3},
    "variational_inference": {},
    "watched_training": {},
    "wave_inversion": {},
}
"""The arguments with which an example is quick."""

NAMES = [example.name for example in examples() if example.draws]


@pytest.mark.parametrize("case", NAMES)
def test_examples(case: str, tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    module = importlib.import_module(f"examples.{case}")
    found = module.main(**SMALL[case])
    assert capsys.readouterr().out
    if find_spec("matplotlib"):
        from examples.plots import save

        save(module.draw, found, tmp_path / "figure.svg")
        figure = (tmp_path / "figure.svg").read_text()
        assert len(re.findall("<(path|image|text)", figure)) > 5
        assert len(figure) < 2**16


def test_plots_are_asked_for_on_the_command_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    from examples import plots

    saved: list[Any] = []
    monkeypatch.setattr(plots, "find_spec", lambda _: True)
    monkeypatch.setattr(plots, "save", lambda *arguments: saved.append(arguments))
    monkeypatch.setattr(sys, "argv", ["lens.py"])
    plots.run(lambda: 3, print)
    assert saved == []
    monkeypatch.setattr(sys, "argv", ["lens.py", "--plot", str(tmp_path / "lens.svg")])
    plots.run(lambda: 3, print)
    assert saved == [(print, 3, tmp_path / "lens.svg")]


def test_plots_without_matplotlib_are_refused_before_the_work(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from examples import plots

    ran: list[int] = []
    monkeypatch.setattr(plots, "find_spec", lambda _: None)
    monkeypatch.setattr(sys, "argv", ["lens.py", "--plot", "lens.svg"])
    with pytest.raises(SystemExit):
        plots.run(lambda: ran.append(1), print)
    assert not ran
    assert "plots need matplotlib: pip install matplotlib" in capsys.readouterr().err


def test_examples_do_not_import_matplotlib() -> None:
    for path in (ROOT / "examples").rglob("*.py"):
        imports = [node for node in ast.parse(path.read_text()).body if "Import" in type(node).__name__]
        assert not any("matplotlib" in ast.unparse(node) for node in imports), path


def test_pages_show_what_was_made(tmp_path: Any) -> None:
    (tmp_path / "lens.svg").write_text("<svg/>")
    (tmp_path / "lens.txt").write_text("rays meet\n")
    made = SimpleNamespace(**{name.stem: text for name, text in pages(tmp_path).items()})
    assert "![Lens](lens.svg)" in made.lens and "```text\nrays meet\n```" in made.lens
    assert "\n    python examples/lens.py --plot lens.svg\n" in made.lens
    assert "```python\nfrom __future__ import annotations\n" in made.lens
    assert ".svg" not in re.sub(r"--plot \S+", "", made.truss)
    assert "(gallery/lens.svg)" in made.gallery and "(gallery/truss.svg)" not in made.gallery
    assert all(f"gallery/{name}.md" in made.gallery for name in NAMES)
