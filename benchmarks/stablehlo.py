"""Programs of JAX through StableHLO beside JAX itself: microseconds of CPU per call of value and gradient.

    python -m benchmarks.stablehlo                    needs jax
    python -m benchmarks.stablehlo lstm attention     some of them

The programs are those of `tests/stablehlo/jax_programs.py`, and larger sizes of some. Both sides compile one
function that gives the value and the gradient by all float arguments, and are called with arrays of their
own, by turns; the least of five rounds is shown. CPU time counts all threads.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.peers import jax_in_double


def main() -> None:
    """Print the table."""
    jax = jax_in_double()
    jax.config.update("jax_platforms", "cpu")
    chosen = sys.argv[1:]
    print(f"{'program':<28}{'mlirad':>10}{'JAX':>10}{'ratio':>8}   µs of CPU per call")
    for name, (function, arguments) in {**_tested(), **_larger()}.items():
        if chosen and name not in chosen:
            continue
        ours, theirs = _calls(jax, function, arguments)
        mine, other = _microseconds(ours, theirs)
        print(f"{name:<28}{mine:>10.1f}{other:>10.1f}{mine / other:>8.2f}", flush=True)


def _tested() -> dict[str, Any]:
    from tests.stablehlo.jax_programs import PROGRAMS

    return dict(PROGRAMS)


def _larger() -> dict[str, Any]:
    """The same functions on larger arrays."""
    from tests.stablehlo import jax_programs as programs

    random = np.random.default_rng(1)

    def normal(*shape: int) -> Any:
        return 0.3 * random.normal(size=shape)

    return {
        "softmax 512x256": (programs.softmax, (normal(512, 256),)),
        "layer_norm 256x512": (programs.layer_norm, (normal(256, 512), normal(512), normal(512))),
        "mlp_gelu 256x128x256": (programs.mlp_gelu, (normal(256, 128), normal(128, 256), normal(256, 64))),
        "transformer_block 64x6": (
            programs.transformer_block,
            (normal(64, 6), normal(6, 18), normal(6, 6), normal(6, 8), normal(8, 6), normal(6)),
        ),
        "convolution 8x2x32x32": (programs.convolution_same, (normal(8, 2, 32, 32), normal(3, 2, 3, 3))),
        "recurrent_network 200": (
            programs.recurrent_network,
            (normal(200, 16), normal(16, 32), normal(32, 32), normal(32)),
        ),
    }


def _calls(jax: Any, function: Callable[..., Any], arguments: Any) -> tuple[Any, Any]:
    """The same computation by mlirad and by JAX, compiled."""
    import mlirad as ad

    moving = tuple(k for k, a in enumerate(arguments) if np.asarray(a).dtype.kind == "f")

    def total(g: Any, numpy: Any) -> Any:
        def value(*given: Any) -> Any:
            leaves = jax.tree_util.tree_leaves(g(*given))
            return sum(numpy.sum(r * r) for r in leaves if np.dtype(r.dtype).kind == "f")

        return value

    bridged = ad.from_jax(function)
    ours = ad.value_and_grad(total(bridged, np), moving)
    theirs = jax.jit(jax.value_and_grad(total(function, jax.numpy), moving))
    own = [jax.numpy.asarray(a) for a in arguments]
    if function.__name__ == "while_loop":
        theirs = jax.jit(jax.value_and_grad(lambda *a: total(_unrolled(jax), jax.numpy)(*a), moving))
    return lambda: ours(*arguments), lambda: jax.block_until_ready(theirs(*own))


def _unrolled(jax: Any) -> Any:
    """A loop of bounded length in place of one that JAX has no reverse mode for."""

    def function(x: Any) -> Any:
        def step(c: Any, _: Any) -> Any:
            return jax.lax.cond(c[0] < 50.0, lambda c: (c[0] * c[1], c[1] + 0.1), lambda c: c, c), None

        return jax.lax.scan(step, (x, x), None, length=20)[0][0]

    return function


def _microseconds(*calls: Callable[[], Any]) -> list[float]:
    """CPU time per call of each, by turns."""
    for call in calls:
        call()
        call()
    start = time.process_time()
    calls[0]()
    repeats = int(np.clip(0.02 / max(time.process_time() - start, 1e-6), 3, 2000))
    found: list[list[float]] = [[] for _ in calls]
    for _ in range(5):
        for call, times in zip(calls, found, strict=True):
            start = time.process_time()
            for _ in range(repeats):
                call()
            times.append((time.process_time() - start) / repeats * 1e6)
    return [min(times) for times in found]


if __name__ == "__main__":
    main()
