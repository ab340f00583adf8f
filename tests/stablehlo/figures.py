"""JAX's results for the programs of `programs/`, which `generate.py` wrote."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parent / "programs"


def weights(shape: tuple[int, ...]) -> Any:
    """The weight of each element of a result in the sum that is differentiated."""
    return np.cos(1.0 + np.arange(int(np.prod(shape)))).reshape(shape)


def encoded(array: Any) -> dict[str, Any]:
    """An array as JSON."""
    plain = np.asarray(array)
    return {"dtype": str(plain.dtype), "shape": plain.shape, "values": plain.reshape(-1).tolist()}


def decoded(entry: dict[str, Any]) -> Any:
    return np.array(entry["values"], entry["dtype"]).reshape(entry["shape"])


@dataclass
class Figure:
    """A program: its text, its arguments, and what JAX makes of them."""

    name: str
    text: str
    arguments: list[Any]
    results: list[Any]
    gradients: list[Any]

    @property
    def moving(self) -> list[int]:
        """The arguments that gradients are by."""
        return [k for k, a in enumerate(self.arguments) if a.dtype.kind == "f"]


def figures() -> list[Figure]:
    """All programs."""
    table = json.loads((FOLDER / "figures.json").read_text())
    return [
        Figure(
            name,
            (FOLDER / f"{name}.mlir").read_text(),
            *([decoded(e) for e in entry[key]] for key in ("arguments", "results", "gradients")),
        )
        for name, entry in table.items()
    ]
