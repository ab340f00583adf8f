"""Runs an example from the command line, and has the common style of the figures of the gallery.

    from plots import run

    run(main, draw)         python examples/lens.py --plot lens.svg

An example has a function `main`, which computes, checks and prints, and a function `draw(figure, found)`,
which shows what `main` returned. Matplotlib is imported where a figure is asked for, and nowhere else.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

Draw = Callable[[Any, Any], None]

BLUE, ORANGE, GREEN, RED, GREY = "#2a6fbb", "#e08a1e", "#3a9a5b", "#c8443c", "#8a8f98"

STYLE = {
    "axes.prop_cycle": f"cycler('color', {[BLUE, ORANGE, GREEN, RED, GREY]})",
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.labelsize": 9,
    "figure.facecolor": "white",
    "font.size": 9,
    "image.cmap": "cividis",
    "image.interpolation": "none",
    "legend.fontsize": 8,
    "legend.frameon": False,
    "lines.linewidth": 1.5,
    "path.simplify_threshold": 0.5,
    "svg.fonttype": "none",
    "svg.hashsalt": "mlirad",
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
}
"""In SVG files text stays text, images keep the pixels of their arrays, and equal figures are equal files."""

SIZE = (7.2, 3.6)
"""The width and height of a figure in inches."""


def run(main: Callable[[], Any], draw: Draw) -> None:
    """Run an example, and draw what it found if the command line says `--plot FILE`."""
    description = (sys.modules["__main__"].__doc__ or "").split("\n", 1)[0]
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw a figure to an SVG, PNG or PDF file")
    file = parser.parse_args().plot
    if file is not None and find_spec("matplotlib") is None:
        parser.error("plots need matplotlib: pip install matplotlib")
    found = main()
    if file is not None:
        save(draw, found, file)


def save(draw: Draw, found: Any, file: Path) -> None:
    """Draw what an example found, in the common style, to a file; its suffix names the format."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=SIZE, layout="constrained")
        draw(figure, found)
        file.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(file, metadata={"Date": None} if file.suffix == ".svg" else None)
