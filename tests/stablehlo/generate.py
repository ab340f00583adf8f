"""Write what the tests of StableHLO read: each program as JAX prints it, and what JAX computes.

    python -m tests.stablehlo.generate              needs jax

Results are weighted by `weights` and summed for the gradient by all float arguments.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jax
import numpy as np

from tests.stablehlo.figures import FOLDER, encoded, weights
from tests.stablehlo.jax_programs import PROGRAMS

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_platforms", "cpu")


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    figures: dict[str, Any] = {}
    for name, (function, arguments) in PROGRAMS.items():
        (FOLDER / f"{name}.mlir").write_text(jax.jit(function).lower(*arguments).as_text())
        moving = [k for k, a in enumerate(arguments) if np.asarray(a).dtype.kind == "f"]

        def total(*chosen: Any, function: Any = function, arguments: Any = arguments, moving: Any = moving):
            given = list(arguments)
            for k, value in zip(moving, chosen, strict=True):
                given[k] = value
            results = jax.tree.leaves(function(*given))
            floats = [r for r in results if r.dtype.kind == "f"]
            return sum((weights(r.shape) * r).sum() for r in floats), results

        chosen = [arguments[k] for k in moving]
        # JAX has no reverse mode of loops whose iterations depend on data.
        derivative = jax.jacfwd if name == "while_loop" else jax.grad
        gradients, results = jax.jit(derivative(total, tuple(range(len(moving))), has_aux=True))(*chosen)
        figures[name] = {
            "arguments": [encoded(a) for a in arguments],
            "results": [encoded(r) for r in results],
            "gradients": [encoded(g) for g in gradients],
        }
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(figure)}" for name, figure in figures.items())
    (Path(FOLDER) / "figures.json").write_text("{\n" + lines + "\n}\n")


if __name__ == "__main__":
    main()
