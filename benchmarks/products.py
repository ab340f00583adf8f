"""Products with a Jacobian that is never formed, of bundle adjustment: mlirad's maps beside JAX's.

    python -m benchmarks.products

Per system: linearising at a point, J dx, transpose(J) ct, and transpose(J) J dx, for cameras and points.
JAX's functions are jitted, and take the linearised function as an argument, as it is a pytree.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.peers import is_installed, jax_in_double
from benchmarks.protocol import Limits, median_seconds, use_threads

PRODUCTS = ("linearize", "J dx", "J.T ct", "J.T J dx")


def main(size: str = "p32k") -> None:
    """Print a table of the times of one instance."""
    use_threads(1)
    systems = {"mlirad": mlirad_products}
    if is_installed("jax"):
        systems["JAX"] = jax_products
    prepared = {name: make(size) for name, make in systems.items()}
    print("| ba " + size + " | " + " | ".join(f"{name} ms" for name in prepared) + " |")
    print("| --- |" + " --: |" * len(prepared))
    for k, product in enumerate(PRODUCTS):
        times = median_seconds([calls[k] for calls in prepared.values()], Limits())
        print(f"| {product} | " + " | ".join(f"{1e3 * t:.2f}" for t in times) + " |")


def vectors(size: str) -> tuple[Any, Any, Any]:
    """The instance, a tangent of cameras and points, and a cotangent of the errors."""
    import numpy as np

    from benchmarks.problems import ba

    arguments = ba.PROBLEM.sizes[size]()
    rng = np.random.default_rng(1)
    tangents = tuple(rng.normal(size=a.shape) for a in arguments[:2])
    return arguments, tangents, rng.normal(size=(len(arguments[2]), 2))


def mlirad_products(size: str) -> list[Callable[[], Any]]:
    """The four computations in mlirad."""
    import mlirad as ad
    from examples.programs import ba

    arguments, tangents, cotangent = vectors(size)

    def errors(*args: Any) -> Any:
        return ba.residuals(*args)[0]

    jacobian = ad.linearize(errors, *arguments)[1].restrict(0, 1)
    transposed, gram = jacobian.T, jacobian.T @ jacobian
    return [
        lambda: ad.linearize(errors, *arguments),
        lambda: jacobian(*tangents),
        lambda: transposed(cotangent),
        lambda: gram(*tangents),
    ]


def jax_products(size: str) -> list[Callable[[], Any]]:
    """The four computations in JAX."""
    jax = jax_in_double()
    from benchmarks.problems import ba

    arguments, tangents, cotangent = jax.tree_util.tree_map(jax.numpy.asarray, vectors(size))
    cameras, points, weights, measured, camera_of, point_of = arguments
    error = ba.jax_program()

    def errors(cameras: Any, points: Any) -> Any:
        return jax.vmap(error)(cameras[camera_of], points[point_of], weights, measured)

    linearize = jax.jit(lambda c, p: jax.linearize(errors, c, p))
    jacobian = linearize(cameras, points)[1]

    def transpose(j: Any) -> Any:
        return jax.linear_transpose(j, cameras, points)

    forward = jax.jit(lambda j, dx: j(*dx))
    backward = jax.jit(lambda j, ct: transpose(j)(ct))
    both = jax.jit(lambda j, dx: transpose(j)(j(*dx)))
    ready = jax.block_until_ready
    return [
        lambda: ready(linearize(cameras, points)),
        lambda: ready(forward(jacobian, tangents)),
        lambda: ready(backward(jacobian, cotangent)),
        lambda: ready(both(jacobian, tangents)),
    ]


if __name__ == "__main__":
    main()
