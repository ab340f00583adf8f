"""The Jacobian of bundle adjustment: per observation a block of 2 x 15, and the slope of its weight error.

The program is that of one observation; the derivative is its Jacobian, mapped over all of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.problem import Arguments, Golden, Problem, Program, Transformations, read_golden
from examples.programs import ba


def instance(cameras: int, points: int, observations: int) -> Arguments:
    """Cameras, points, weights and measurements scattered around ordinary ones, and who sees what."""
    rng = np.random.default_rng(0)
    camera = np.array([0.1, -0.2, 0.05, 0.3, -0.1, 0.2, 1.7, 0.02, 0.03, 0.01, -0.02])
    each = np.arange(observations)
    return (
        camera + 0.01 * rng.normal(size=(cameras, 11)),
        np.array([0.4, 0.9, 2.5]) + 0.01 * rng.normal(size=(points, 3)),
        rng.uniform(size=observations),
        rng.normal(size=(observations, 2)),
        each % cameras,
        each % points,
    )


def golden() -> Golden:
    given, output = read_golden("ba_n2_m3_p20")
    n, m, p = given["n"], given["m"], given["p"]
    each = np.arange(p)
    arguments = (
        np.tile(given["cam"], (n, 1)),
        np.tile(given["x"], (m, 1)),
        np.full(p, given["w"]),
        np.tile(given["feat"], (p, 1)),
        each % n,
        each % m,
    )
    errors = output["objective"]["reproj_error"]["elements"], output["objective"]["w_err"]["element"]
    rows = np.reshape(output["jacobian"]["vals"][:30], (2, 15))
    blocks = [np.tile(part, (p, 1, 1)) for part in np.split(rows, [11, 14], axis=1)]
    blocks[2] = blocks[2][..., 0]
    return Golden(
        arguments,
        (np.tile(errors[0], (p, 1)), np.full(p, errors[1])),
        (*blocks, np.full(p, output["jacobian"]["vals"][-1])),
    )


def value(_: Transformations, error: Program) -> Program:
    def residuals(cameras, points, weights, measured, camera_of, point_of):
        reprojection = error(cameras[camera_of], points[point_of], weights, measured)
        return reprojection, ba.weight_error(weights)

    return residuals


def derivative(transformations: Transformations, error: Program) -> Program:
    block = transformations.vmap(transformations.jacrev(error, argnums=(0, 1, 2)))
    slope = transformations.vmap(transformations.grad(ba.weight_error))

    def jacobian(cameras, points, weights, measured, camera_of, point_of):
        return *block(cameras[camera_of], points[point_of], weights, measured), slope(weights)

    return jacobian


def jax_program() -> Program:
    import jax.numpy as jnp

    return peer_program(jnp, jnp.cross)


def torch_program() -> Program:
    import torch

    return peer_program(torch, torch.linalg.cross)


def peer_program(xp: Any, cross: Any) -> Program:
    """The reprojection error in an array library with NumPy's names."""

    def rotate(rotation, v):
        squared_angle = xp.sum(rotation**2, axis=-1, keepdims=True)
        is_turned = squared_angle > 0
        theta = xp.sqrt(xp.where(is_turned, squared_angle, 1.0))
        axis = rotation / theta
        along = xp.sum(axis * v, axis=-1, keepdims=True)
        turned = v * xp.cos(theta) + cross(axis, v) * xp.sin(theta) + axis * (along * (1 - xp.cos(theta)))
        return xp.where(is_turned, turned, v + cross(rotation, v))

    def error(camera, point, weight, measured):
        in_camera = rotate(camera[..., 0:3], point - camera[..., 3:6])
        flat = in_camera[..., 0:2] / in_camera[..., 2:3]
        square = xp.sum(flat**2, axis=-1, keepdims=True)
        distorted = flat * (1 + camera[..., 9:10] * square + camera[..., 10:11] * square**2)
        seen = camera[..., 6:7] * distorted + camera[..., 7:9]
        return weight[..., None] * (seen - measured)

    return error


PROBLEM = Problem(
    name="ba",
    argnums=(0, 1, 2),
    sizes={
        "p32k": lambda: instance(49, 7776, 31_843),
        "p226k": lambda: instance(257, 65_132, 225_911),
    },
    golden=golden,
    numpy_program=ba.reprojection_error,
    jax_program=jax_program,
    torch_program=torch_program,
    value=value,
    derivative=derivative,
)
