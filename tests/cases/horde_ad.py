"""Programs of horde-ad's tests made of elementwise functions, and a small network."""

from __future__ import annotations

import numpy as np

from .case import FIGURES, Case

SOURCE = "Mikolaj/horde-ad"


def foo(x, y, z):
    """atan2(z, w) + z w with w = x sin y."""
    w = x * np.sin(y)
    return np.arctan2(z, w) + z * w


def bar(x, y):
    """atan2(x, w) + y w with w = foo(x, y, x) sin y."""
    w = foo(x, y, x) * np.sin(y)
    return np.arctan2(x, w) + y * w


def relu(x):
    return np.where(x > 0, x, 0.0)


def logistic(x):
    return 1 / (1 + np.exp(-x))


def bar_of_relu(x):
    return relu(bar(x, relu(x)))


FOO_OUTSIDE = foo(7.0, 8.0, 9.0)  # computed once, outside every differentiated function


def baz(x, y, z):
    """A body with the shape of foo, twice, around a constant of the same shape; x is unused."""
    inner = foo(y, y, z) * np.sin(y)
    w = FOO_OUTSIDE * (np.arctan2(z, inner) + z * inner) * np.sin(y)
    return np.arctan2(z, w) + z * w


def blowup(steps):
    """y <- 0.499999985 (y + y - 1), `steps` times: a tree of 2^steps nodes unless shared."""

    def repeated(x):
        y = x[0] / x[1]
        for _ in range(steps):
            y = 0.499999985 * (y + y - 1.0)
        return y - 1.0

    return repeated


def blowup_gradient(steps):
    return [0.99999997**steps / 3, -2 * 0.99999997**steps / 9]


def fully_connected(w1, b1, w2, b2, w3, b3):
    """Cross entropy of a network with two sigmoid layers and a softmax, for one input."""
    x = np.sin(np.arange(784) + 1.0) ** 2
    hidden = logistic(w1 @ x + b1)
    hidden = logistic(w2 @ hidden + b2)
    scores = np.exp(w3 @ hidden + b3)
    return -np.sum(np.eye(10)[3] * np.log(scores / np.sum(scores)))


def fully_connected_parameters():
    def waves(frequency, rows, columns):
        return np.sin(frequency * np.arange(rows * columns).reshape(rows, columns))

    return (
        waves(0.1, 30, 784),
        np.cos(np.arange(30.0)),
        waves(0.2, 10, 30),
        np.cos(2 * np.arange(10.0)),
        waves(0.3, 10, 10),
        np.cos(3 * np.arange(10.0)),
    )


SCALED = np.array([1.1, -2.2, 0, 4.4, 5.5, 6.6, 7.7, 8.8, -9.9, -10, 11, 12]).reshape(3, 4)
POSITIVE = np.array([1, 0, 0, 1, 1, 1, 1, 1, 0, 0, 1, 1])
FOO_GRADIENT = (2.4396285219055063, -1.953374825727421, 0.9654825811012627)

CASES = [
    Case(
        id="hd-foo-readme",
        source=SOURCE,
        function=foo,
        arguments=(1.1, 2.2, 3.3),
        value=4.242393641025528,
        gradient=FOO_GRADIENT,
    ),
    Case(
        id="hd-foo-readme-elementwise",
        source=SOURCE,
        function=lambda x, y, z: np.sum(foo(x, y, z)),
        arguments=(np.full((2, 2), 1.1), np.full((2, 2), 2.2), np.full((2, 2), 3.3)),
        value=16.96957456410211,
        gradient=tuple(np.full((2, 2), part) for part in FOO_GRADIENT),
    ),
    Case(
        id="hd-foo-readme-three-dimensions",
        source=SOURCE,
        function=foo,
        arguments=tuple(np.full((3, 534, 3), point) for point in (1.1, 2.2, 3.3)),
        gradient=tuple(np.full((3, 534, 3), part) for part in FOO_GRADIENT),
    ),
    Case(
        id="hd-foo-readme-float32",
        source=SOURCE,
        function=foo,
        arguments=(np.float32(1.1), np.float32(2.2), np.float32(3.3)),
        gradient=(2.4396284, -1.9533751, 0.96548253),
        tolerance=1e-6,
    ),
    Case(
        id="hd-foo-readme-float32-in-the-middle",
        source=SOURCE,
        function=lambda x, y, z: foo(x, y.astype(np.float64), z),
        arguments=(1.1, np.float32(2.2), 3.3),
        gradient=(2.439628436155373, -1.9533749, 0.9654825479484146),
        tolerance=1e-6,
    ),
    Case(
        id="hd-foo-readme-float32-result",
        source=SOURCE,
        function=lambda x, y, z: foo(x, y, z).astype(np.float32),
        arguments=(1.1, 2.2, 3.3),
        gradient=FOO_GRADIENT,
        tolerance=1e-6,
    ),
    Case(
        id="hd-barrelu-jvp-vjp-scalar",
        source=SOURCE,
        function=bar_of_relu,
        arguments=(1.1,),
        cotangent=42.2,
        gradient=(191.20462646925841,),
    ),
    Case(
        id="hd-barrelu-jvp-vjp-gradient",
        source=SOURCE,
        function=bar_of_relu,
        arguments=(np.array([1.1, 2, 3, 4.2]).reshape(2, 1, 2),),
        gradient=([4.5309153191767395, 4.5302138998556, -9.39547533946234, 95.29759282497125],),
    ),
    Case(
        id="hd-barrelu-jvp-vjp-tangent",
        source=SOURCE,
        function=bar_of_relu,
        arguments=(np.array([1.1, 2, 3, 4.2]).reshape(2, 1, 2),),
        tangents=(np.array([0.1, 0.2, 0.3, 0.42]).reshape(2, 1, 2),),
        derivative=[0.45309153191767404, 0.9060427799711201, -2.8186426018387007, 40.02498898648793],
    ),
    Case(
        id="hd-baz-old-term",
        source=SOURCE,
        function=baz,
        arguments=(1.1, 2.2, 3.3),
        gradient=(0.0, -5219.20995030263, 2782.276274462047),
    ),
    Case(
        id="hd-baz-old-term-again",
        source=SOURCE,
        function=lambda x, y, z: z + baz(x, y, z),
        arguments=(1.1, 2.2, 3.3),
        gradient=(0.0, -5219.20995030263, 2783.276274462047),
    ),
    Case(
        id="hd-logistic-custom-dual-plain",
        source=SOURCE,
        function=logistic,
        arguments=(3.0,),
        gradient=(0.045176659730912,),
    ),
    *(
        Case(
            id=f"hd-logistic-custom-dual-plain-{times}",
            source=SOURCE,
            function=function,
            arguments=(np.array(FIGURES["arrays"]["t16"]).reshape(2, 2, 1, 2, 2),),
            gradient=(FIGURES["hd-logistic-custom-dual"][times],),
        )
        for times, function in (("once", logistic), ("twice", lambda x: logistic(logistic(x))))
    ),
    Case(
        id="hd-relu-scaled",
        source=SOURCE,
        function=lambda t, r: relu(t * r),
        arguments=(SCALED, 7.0),
        value=np.maximum(7 * SCALED, 0),
        gradient=(7 * POSITIVE, 57.1),
    ),
    Case(
        id="hd-relu-scaled-alone",
        source=SOURCE,
        function=relu,
        arguments=(SCALED,),
        gradient=(POSITIVE,),
    ),
    *(
        Case(
            id=f"hd-sharing-blowup-{steps}",
            source=SOURCE,
            function=blowup(steps),
            arguments=(np.array([2.0, 3.0]),),
            gradient=(blowup_gradient(steps),),
        )
        for steps in (7, 200)
    ),
    Case(
        id="hd-mnist-fcnn2-last-bias",
        source=SOURCE,
        function=lambda b3: fully_connected(*fully_connected_parameters()[:5], b3),
        arguments=(fully_connected_parameters()[5],),
        value=9.013530603083728,
        gradient=(
            [
                0.4507679253003873,
                7.114795861881577e-05,
                0.3115472542120337,
                -0.9998782487590058,
                0.15559685716997523,
                0.00028130255158788164,
                0.05934755638026607,
                0.0008209016206647489,
                0.01866703175388039,
                0.002778271811591618,
            ],
        ),
    ),
]
