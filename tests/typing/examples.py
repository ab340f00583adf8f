"""Uses of transformed functions that type checkers take, and wrong ones that must be errors.

`basedpyright` reads this file with the package. A line that must be an error says which; were it none, the
comment would be one, as it ignores nothing. `mypy` must find errors in the same lines.
"""

# pyright: reportUnnecessaryTypeIgnoreComment=true, reportUnknownLambdaType=false
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false

from __future__ import annotations

from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

import mlirad as ad

Vector = NDArray[np.float64]


def loss(w: Vector, x: Vector, scale: float = 1.0, *, power: int = 2) -> float:
    """A function with all kinds of parameters."""
    return float(scale * np.sum((w * x) ** power))


def with_aux(w: Vector, x: Vector) -> tuple[float, Vector]:
    """A value, and what is not differentiated."""
    return float(w @ x), x


class Spring:
    """Methods are transformed as functions are."""

    def __init__(self, stiffness: float) -> None:
        self.stiffness = stiffness

    @ad.jit
    def energy(self, x: Vector, *, scale: float = 1.0) -> float:
        """The energy of a displacement."""
        return float(scale * self.stiffness * np.sum(x * x))

    @ad.grad(argnums=1)
    def force(self, x: Vector) -> float:
        """Its derivative, by the displacement or, as here, by something else."""
        return float(np.sum(x * x)) * self.stiffness

    @ad.value_and_grad
    def both(self, x: Vector) -> float:
        """The energy and its derivative."""
        return float(np.sum(x * x)) * self.stiffness


def methods(x: Vector) -> None:
    """Every line is as it should be."""
    spring = Spring(2.0)
    assert_type(spring.energy(x), float)
    assert_type(spring.energy(x, scale=2.0), float)
    assert_type(spring.energy(x=x), float)
    assert_type(Spring.energy(spring, x), float)
    assert_type(spring.both(x), tuple[float, Any])
    spring.energy.lower(x).ir()


def wrong_methods(x: Vector) -> None:
    """Every line is an error."""
    spring = Spring(2.0)
    spring.energy()  # pyright: ignore[reportCallIssue]
    spring.energy("x")  # pyright: ignore[reportArgumentType]
    spring.energy(x, factor=2.0)  # pyright: ignore[reportCallIssue]
    Spring.energy(x, x)  # pyright: ignore[reportArgumentType]


def right(w: Vector, x: Vector) -> None:
    """Every line is as it should be."""
    assert_type(ad.jit(loss)(w, x, 2.0, power=3), float)
    assert_type(ad.jit(loss)(w, x=x), float)
    assert_type(ad.jit(static_argnames="power")(loss)(w, x), float)
    assert_type(ad.jit(loss)(w, x, out=w), float)
    assert_type(ad.grad(loss)(w=w, x=x, power=3), Any)
    assert_type(ad.grad(with_aux, has_aux=True)(w, x), tuple[Any, Vector])
    assert_type(ad.value_and_grad(loss)(w, x), tuple[float, Any])
    assert_type(ad.value_and_grad(loss, argnums=(0, 1))(w, x)[0], float)
    assert_type(ad.grad(ad.jit(loss, interpret=True))(w, x), Any)
    assert_type(ad.vmap(loss, in_axes=(0, None))(w, x), float)
    ad.grad(loss, argnums="x", chunk=1, threads="all")(w, x)
    ad.hessian(loss, sparse=True)(w, x)
    ad.jacobian(loss)(w, x, 1.0).shape  # noqa: B018
    ad.grad(loss).lower(w, x).ir(after="inline")
    ad.grad(lambda p: p["w"] ** 2)({"w": 1.0})

    @ad.grad(argnums=1)
    def slope(w: Vector, x: Vector) -> float:
        return float(w @ x)

    slope(w, x)

    @ad.register(static=("name",))
    class Layer:
        def __init__(self, w: Vector, name: str) -> None:
            self.w, self.name = w, name

    assert_type(ad.grad(lambda layer: layer.w.sum())(Layer(w, "first")), Any)


def wrong(w: Vector, x: Vector) -> None:
    """Every line is an error."""
    ad.grad(loss)(w)  # pyright: ignore[reportCallIssue]
    ad.jit(loss)(w, x, "2")  # pyright: ignore[reportArgumentType]
    ad.jit(loss)(w, x, mode=3)  # pyright: ignore[reportCallIssue]
    ad.grad(loss)(w, x, 1.0, 2.0)  # pyright: ignore[reportCallIssue]
    ad.grad(loss)("w", x)  # pyright: ignore[reportArgumentType]
    ad.grad(loss, chunks=1)  # pyright: ignore[reportCallIssue]
    ad.grad(loss, argnums=1.5)  # pyright: ignore[reportArgumentType]
    ad.jit(3.0)  # pyright: ignore[reportArgumentType]
    ad.grad(loss(w, x))  # pyright: ignore[reportArgumentType]
    ad.value_and_grad(loss)(w, x).shape  # pyright: ignore[reportAttributeAccessIssue]  # noqa: B018
