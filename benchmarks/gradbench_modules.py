"""The modules of GradBench that mlirad serves: what is differentiated, and how input and output are read and
written.

Each is made with mlirad's options, and has functions by name from an input to a computation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import mlirad as ad
from benchmarks.gradbench import Function, Prepared
from benchmarks.problems import ba as adjustment
from examples.programs import ba, determinant, gmm, kmeans, llsq, lse, lstm, ode

Options = dict[str, Any]


def listed(result: Any) -> Any:
    """Arrays and scalars of NumPy as JSON has them."""
    return np.asarray(result).tolist()


def array(given: Any) -> Any:
    return np.array(given, dtype=np.float64)


def function(
    compiled: Callable[..., Any], read: Callable[[Any], tuple[Any, ...]], write: Any = listed
) -> Function:
    """A function that reads its arguments from the input, and writes its result."""

    def prepared(given: Any) -> Prepared:
        arguments = read(given)
        return Prepared(lambda: compiled(*arguments), write)

    return prepared


def hello(options: Options) -> dict[str, Function]:
    def square(x):
        return x * x

    def read(given: Any) -> tuple[Any, ...]:
        return (float(given),)

    return {
        "square": function(ad.jit(square, **options), read),
        "double": function(ad.grad(square, **options), read),
    }


def gmm_module(options: Options) -> dict[str, Function]:
    parameters = ("alpha", "mu", "q", "l")

    def read(given: Any) -> tuple[Any, ...]:
        packed = given["d"] * (given["d"] - 1) // 2
        l = np.reshape(array(given["l"]), (given["k"], packed))  # noqa: E741
        return (
            *(array(given[name]) for name in parameters[:3]),
            l,
            array(given["x"]),
            given["m"],
            given["gamma"],
        )

    def write(gradient: Any) -> Any:
        return {name: listed(part) for name, part in zip(parameters, gradient, strict=True)}

    static = {"static_argnames": ("m", "gamma"), **options}
    return {
        "objective": function(ad.jit(gmm.objective, **static), read),
        "jacobian": function(ad.grad(gmm.objective, argnums=(0, 1, 2, 3), **static), read, write),
    }


def lse_module(options: Options) -> dict[str, Function]:
    def read(given: Any) -> tuple[Any, ...]:
        return (array(given["x"]),)

    return {
        "primal": function(ad.jit(lse.primal, **options), read),
        "gradient": function(ad.grad(lse.primal, **options), read),
    }


def llsq_module(options: Options) -> dict[str, Function]:
    def read(given: Any) -> tuple[Any, ...]:
        return array(given["x"]), llsq.sample_points(given["n"])

    return {
        "primal": function(ad.jit(llsq.primal_by_scan, **options), read),
        "gradient": function(ad.grad(llsq.primal_by_scan, **options), read),
    }


def ode_module(options: Options) -> dict[str, Function]:
    def read(given: Any) -> tuple[Any, ...]:
        return array(given["x"]), given["s"]

    static = {"static_argnames": "steps", **options}
    return {
        "primal": function(ad.jit(ode.primal, **static), read),
        "gradient": function(ad.grad(ode.last_component, **static), read),
    }


def kmeans_module(options: Options) -> dict[str, Function]:
    def read(given: Any) -> tuple[Any, ...]:
        return array(given["points"]), array(given["centroids"])

    return {
        "cost": function(ad.jit(kmeans.cost, **options), read),
        "dir": function(ad.jit(kmeans.direction, **options), read),
    }


def lstm_module(options: Options) -> dict[str, Function]:
    def read(given: Any) -> tuple[Any, ...]:
        return tuple(array(given[name]) for name in lstm.Instance._fields)

    def write(gradient: Any) -> Any:
        return [number for part in gradient for number in np.ravel(part).tolist()]

    return {
        "objective": function(ad.jit(lstm.objective, **options), read),
        "jacobian": function(ad.grad(lstm.objective, argnums=(0, 1), **options), read, write),
    }


def ba_module(options: Options) -> dict[str, Function]:
    def read(given: Any) -> tuple[Any, ...]:
        n, m, p = given["n"], given["m"], given["p"]
        each = np.arange(p)
        cameras, points = np.tile(array(given["cam"]), (n, 1)), np.tile(array(given["x"]), (m, 1))
        weights, measured = np.full(p, float(given["w"])), np.tile(array(given["feat"]), (p, 1))
        return cameras, points, weights, measured, each % n, each % m

    blocks = ad.jit(adjustment.derivative(ad, ba.reprojection_error), **options)

    def jacobian(
        cameras: Any, points: Any, weights: Any, measured: Any, camera_of: Any, point_of: Any
    ) -> Any:
        """The matrix in CSR: where rows begin, columns, values. Rows have all of camera, point, weight."""
        by_camera, by_point, by_weight, slopes = blocks(
            cameras, points, weights, measured, camera_of, point_of
        )
        n, m, p = len(cameras), len(points), len(weights)
        columns = np.empty((p, 2, 15), np.int64)
        columns[:, :, :11] = (11 * camera_of[:, None] + np.arange(11))[:, None]
        columns[:, :, 11:14] = (11 * n + 3 * point_of[:, None] + np.arange(3))[:, None]
        first_weight = 11 * n + 3 * m
        columns[:, :, 14] = (first_weight + np.arange(p))[:, None]
        values = np.concatenate([by_camera, by_point, by_weight[..., None]], axis=2)
        rows = np.concatenate([15 * np.arange(2 * p), 30 * p + np.arange(p + 1)])
        all_columns = np.concatenate([columns.ravel(), first_weight + np.arange(p)])
        return rows, all_columns, np.concatenate([values.ravel(), slopes])

    def write_objective(result: Any) -> Any:
        errors, slopes = result
        return {
            "reproj_error": {"elements": listed(errors[0]), "repeated": len(errors)},
            "w_err": {"element": float(slopes[0]), "repeated": len(slopes)},
        }

    def write(matrix: Any) -> Any:
        parts = zip(("rows", "cols", "vals"), matrix, strict=True)
        return {name: listed(np.append(part[:30], part[-1])) for name, part in parts}

    return {
        "objective": function(ad.jit(ba.residuals, **options), read, write_objective),
        "jacobian": function(jacobian, read, write),
    }


def det(options: Options) -> dict[str, Function]:
    def read(given: Any) -> tuple[Any, ...]:
        return (np.reshape(array(given["A"]), (given["ell"], given["ell"])),)

    def write(gradient: Any) -> Any:
        return np.ravel(gradient).tolist()

    return {
        "primal": function(ad.jit(determinant.primal, **options), read),
        "gradient": function(ad.grad(determinant.primal, **options), read, write),
    }


MODULES: dict[str, Callable[[Options], dict[str, Function]]] = {
    "hello": hello,
    "gmm": gmm_module,
    "lse": lse_module,
    "llsq": llsq_module,
    "ode": ode_module,
    "kmeans": kmeans_module,
    "lstm": lstm_module,
    "ba": ba_module,
    "det": det,
}
