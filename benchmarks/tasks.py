"""Six tasks of science: value and gradient, as users write them in mlirad and in JAX.

    python -m benchmarks.tasks                  # python -m benchmarks.tasks cpu: by the time on a processor

A Gaussian process, a Kalman filter, the argmin of a regression, an evidence lower bound with random numbers,
an image through filters, a logistic regression. JAX's functions are jitted. Problems without random numbers
must agree to 1e-8; bounds, whose numbers differ, in their mean.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from benchmarks.peers import is_installed, jax_in_double, require_agreement
from benchmarks.protocol import Limits, median_seconds, use_threads

TOLERANCE = 1e-8
TOLERANCE_OF_RANDOM = 0.2


class Task(NamedTuple):
    """A function, the arguments that it is differentiated in, its arguments, and the function in JAX."""

    function: Callable[..., Any]
    argnums: tuple[int, ...]
    arguments: tuple[Any, ...]
    in_jax: Callable[..., Any] | None


def main(clock: str = "wall") -> None:
    """Print a table of the times of all tasks."""
    use_threads(1)
    has_jax = is_installed("jax")
    print("| task | mlirad ms | JAX ms | JAX / mlirad |\n| --- | --: | --: | --: |")
    for name, make in TASKS.items():
        task = make(has_jax)
        calls = [mlirad_call(task)]
        if task.in_jax is not None:
            calls.append(jax_call(task))
            tolerance = TOLERANCE_OF_RANDOM if make is lower_bound else TOLERANCE
            require_agreement(name, *(call() for call in calls), tolerance)
        seconds = median_seconds(calls, Limits(clock=clock))
        cells = [f"{1e3 * t:.3g}" for t in seconds]
        cells += [f"{seconds[1] / seconds[0]:.2f}"] if has_jax else ["", ""]
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


def mlirad_call(task: Task) -> Callable[[], Any]:
    """Value and gradient by mlirad."""
    import mlirad as ad

    compiled = ad.value_and_grad(task.function, task.argnums)
    return lambda: compiled(*task.arguments)


def jax_call(task: Task) -> Callable[[], Any]:
    """Value and gradient by JAX."""
    jax = jax_in_double()
    assert task.in_jax is not None
    compiled = jax.jit(jax.value_and_grad(task.in_jax, task.argnums))
    arguments = jax.tree_util.tree_map(jax.numpy.asarray, task.arguments)
    return lambda: jax.block_until_ready(compiled(*arguments))


def gaussian_process(has_jax: bool) -> Task:
    """The marginal likelihood of 400 points in its hyperparameters."""
    from benchmarks.problems.gp import jax_program
    from examples.programs import gp

    in_jax = jax_program() if has_jax else None
    return Task(gp.objective, (0, 1, 2), tuple(gp.random_instance(400)), in_jax)


def kalman_filter(has_jax: bool) -> Task:
    """The likelihood of 1000 observations of 4 states in the model."""
    from benchmarks.problems.kalman import jax_program
    from examples.programs import kalman

    in_jax = jax_program() if has_jax else None
    return Task(kalman.log_likelihood, (0, 1, 2, 3), tuple(kalman.random_instance(1000)), in_jax)


def argmin(has_jax: bool) -> Task:
    """The error of a penalised regression in the penalty, through the argmin."""
    from examples import implicit_functions

    def in_jax(log_penalty: Any, data: Any) -> Any:
        import jax
        import jax.numpy as jnp

        def loss(w: Any) -> Any:
            return jnp.sum((data["x"] @ w - data["y"]) ** 2) + jnp.exp(log_penalty) * jnp.sum(w**2)

        slope = jax.grad(loss)

        def newton(f: Any, start: Any) -> Any:
            def step(w: Any) -> Any:
                return w - jnp.linalg.solve(jax.jacfwd(f)(w), f(w))

            return jax.lax.while_loop(lambda w: jnp.max(jnp.abs(f(w))) > 1e-9, step, start)

        def tangent(linear: Any, right: Any) -> Any:
            return jnp.linalg.solve(jax.jacfwd(linear)(right), right)

        weights = jax.lax.custom_root(slope, jnp.zeros(data["x"].shape[1]), newton, tangent)
        return jnp.mean((data["other_x"] @ weights - data["other_y"]) ** 2)

    data = implicit_functions.regression()
    return Task(implicit_functions.error, (0,), (0.3, data), in_jax if has_jax else None)


def lower_bound(has_jax: bool) -> Task:
    """The evidence lower bound of a regression by 16 draws of 4 weights."""
    import mlirad as ad
    from examples import variational_inference as inference

    features, targets = inference.data(100, 4)

    def function(params: Any, key: Any) -> Any:
        return inference.negative_bound(params, key, features, targets)

    def in_jax(params: Any, key: Any) -> Any:
        import jax
        import jax.numpy as jnp
        from jax.scipy.stats import norm as normal

        mean, log_deviation = params["mean"], params["log_deviation"]
        drawn = jax.random.normal(jax.random.wrap_key_data(key.astype(np.uint32)), (inference.DRAWS, 4))
        weights = mean + jnp.exp(log_deviation) * drawn
        prior = jnp.sum(normal.logpdf(weights), axis=1)
        likelihood = jnp.sum(normal.logpdf(targets, weights @ features.T, inference.NOISE), axis=1)
        entropy = jnp.sum(log_deviation) + 2 * (1 + jnp.log(2 * jnp.pi))
        return -jnp.mean(prior + likelihood) - entropy

    start = {"mean": np.zeros(4), "log_deviation": np.full(4, -3.0)}
    return Task(function, (0,), (start, ad.random.key(0)), in_jax if has_jax else None)


def image(has_jax: bool) -> Task:
    """The loss of an image of 256 x 256 through a Gaussian and two Sobel filters, in the image."""
    from examples import image_filters

    reach = int(4 * image_filters.WIDTH + 0.5)
    line = np.exp(-0.5 * (np.arange(-reach, reach + 1) / image_filters.WIDTH) ** 2)
    line /= line.sum()

    def in_jax(sharp: Any, seen: Any) -> Any:
        import jax
        import jax.numpy as jnp

        def correlated(x: Any, kernel: Any) -> Any:
            wide = jnp.pad(x, [(e // 2, e // 2) for e in kernel.shape], mode="symmetric")
            return jax.lax.conv(wide[None, None], kernel[None, None], (1, 1), "VALID")[0, 0]

        across = correlated(sharp, jnp.asarray(image_filters.SOBEL))
        along = correlated(sharp, jnp.asarray(image_filters.SOBEL.T))
        smooth = correlated(correlated(sharp, jnp.asarray(line[:, None])), jnp.asarray(line[None]))
        edges = jnp.sum(jnp.sqrt(across**2 + along**2 + 1e-6))
        return jnp.sum((smooth - seen) ** 2) + 2e-3 * edges

    sharp = image_filters.picture(256)
    seen = image_filters.blurred(sharp)
    start = sharp + 0.1 * np.random.default_rng(1).normal(size=sharp.shape)
    return Task(image_filters.loss, (0,), (start, seen), in_jax if has_jax else None)


def regression(has_jax: bool) -> Task:
    """The loss of a logistic regression of 20000 points with 50 features, in the weights."""
    from examples import logistic_regression

    def in_jax(params: Any, features: Any, labels: Any) -> Any:
        import jax.numpy as jnp

        margins = (2 * labels - 1) * (features @ params["weights"] + params["bias"])
        return jnp.mean(jnp.logaddexp(0.0, -margins)) + 1e-3 * jnp.sum(params["weights"] ** 2)

    features, labels = logistic_regression.data(20000, 50)
    params = {"weights": np.full(50, 0.1), "bias": 0.2}
    return Task(logistic_regression.loss, (0,), (params, features, labels), in_jax if has_jax else None)


TASKS = {
    "Gaussian process": gaussian_process, "Kalman filter": kalman_filter, "argmin": argmin,
    "lower bound": lower_bound, "image filters": image, "logistic regression": regression,
}  # fmt: skip
"""The makers of tasks, by name."""


if __name__ == "__main__":
    main(*sys.argv[1:])
