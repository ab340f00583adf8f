"""The residuals of bundle adjustment: cameras, points, and where the points were seen.

A camera is a row of eleven numbers: a rotation r (three, axis times angle), a centre C (three),
a focal length f, a principal point x0 (two), and the radial distortion kappa (two). A point X is
seen by it at

    p = project(rotate(r, X - C)) ,   f p (1 + kappa_1 |p|^2 + kappa_2 |p|^4) + x0

with project(u, v, w) = (u, v) / w. An observation has a weight w and a measured position, and
contributes the residuals w (seen - measured), two of them, and 1 - w^2. All functions work on
the last axis, for one observation or for many.

Source: Srajer, Kukelova, Fitzgibbon, "A benchmark of selected algorithmic differentiation tools
on some problems in computer vision and machine learning", 2018.
"""

from __future__ import annotations

import numpy as np


def residuals(cameras, points, weights, measured, camera_of, point_of):
    """The residuals of all observations: reprojection errors [p, 2] and weight errors [p].

    Shapes: cameras [n, 11], points [m, 3], weights [p], measured [p, 2]; observation i is of the
    point point_of[i] by the camera camera_of[i].
    """
    seen_by, seen = cameras[camera_of], points[point_of]
    return reprojection_error(seen_by, seen, weights, measured), weight_error(weights)


def reprojection_error(camera, point, weight, measured):
    """w (seen - measured) [..., 2] for camera [..., 11], point [..., 3], weight [...]."""
    return weight[..., None] * (project(camera, point) - measured)


def weight_error(weight):
    """1 - w^2, which pulls the weight of an observation towards 1."""
    return 1 - weight**2


def project(camera, point):
    """The position [..., 2] at which a camera [..., 11] sees a point [..., 3]."""
    rotation, centre = camera[..., 0:3], camera[..., 3:6]
    focal_length, principal_point = camera[..., 6:7], camera[..., 7:9]
    in_camera = rotate(rotation, point - centre)
    flat = in_camera[..., 0:2] / in_camera[..., 2:3]
    return focal_length * distort(camera[..., 9:11], flat) + principal_point


def distort(kappa, p):
    """p (1 + kappa_1 |p|^2 + kappa_2 |p|^4)."""
    squared_radius = np.sum(p**2, axis=-1, keepdims=True)
    return p * (1 + kappa[..., 0:1] * squared_radius + kappa[..., 1:2] * squared_radius**2)


def rotate(rotation, v):
    """v [..., 3] turned about the axis `rotation` [..., 3] by the angle |rotation|.

    Rodrigues' formula: with theta = |r| and a = r / theta,

        v cos(theta) + (a x v) sin(theta) + a (a . v) (1 - cos(theta)),

    and v + r x v, its first-order part, where theta is 0.
    """
    squared_angle = np.sum(rotation**2, axis=-1, keepdims=True)
    is_turned = squared_angle > 0
    theta = np.sqrt(np.where(is_turned, squared_angle, 1.0))
    axis = rotation / theta
    cosine, sine = np.cos(theta), np.sin(theta)
    along = np.sum(axis * v, axis=-1, keepdims=True)
    turned = v * cosine + cross(axis, v) * sine + axis * (along * (1 - cosine))
    return np.where(is_turned, turned, v + cross(rotation, v))


def cross(a, b):
    """The vector product of a and b, both [..., 3]."""
    return np.stack(
        (
            a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1],
            a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2],
            a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0],
        ),
        axis=-1,
    )
