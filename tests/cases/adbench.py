"""The test inputs of ADBench: one Gaussian mixture, one bundle-adjustment observation."""

from __future__ import annotations

import numpy as np

from examples.programs import ba, gmm

from .case import Case

SOURCE = "microsoft/ADBench"

ALPHAS = np.array([-0.649014, 1.181166, -0.758453])
MEANS = np.array([[0.092339, 0.18626], [0.345561, 0.396767], [0.538817, 0.419195]])
Q = np.array([[0.586443, -0.851887], [-1.509405, 0.875874], [0.166813, -1.965419]])
L = np.array([[0.800321], [-0.24279], [-1.270071]])
X = np.array([[1.175171, 2.02916]])

CAMERA = np.array(
    [
        1.797201,
        0.590697,
        -0.635786,
        90.85955,
        29.361415,
        28.777534,
        211.628116,
        -0.284531,
        -14.762924,
        0.058931,
        0.069976,
    ]
)
POINT = np.array([4.173048, 5.586898, 1.403869])
WEIGHT = np.float64(0.417022)
MEASURED = np.array([-525.672849, 161.811929])

REPROJECTION_ERROR = [-0.2690488492351894, 0.2599447926779019]
BA_ROWS = [
    (
        [
            228.87720220824676,
            634.5748114955454,
            -782.2228662593405,
            2.4289261560715967,
            -11.782807962801131,
            2.5416931248774346,
            -1.0365708495851809,
            0.417022,
            0.0,
            -350.7395210960052,
            -912.1077736680086,
        ],
        [-2.4289261560715967, 11.782807962801131, -2.5416931248774346],
        -0.6451670397129874,
    ),
    (
        [
            -120.54243599499688,
            -385.6732407664604,
            97.54762914033265,
            -1.7837210852957657,
            4.154667994331261,
            2.040257180298989,
            0.3491763974331459,
            0.0,
            0.417022,
            118.1491477044145,
            307.25010896034325,
        ],
        [1.7837210852957657, -4.154667994331261, -2.040257180298989],
        0.623335921553064,
    ),
]


def reprojection_error(camera, point, weight):
    return ba.reprojection_error(camera, point, weight, MEASURED)


CASES = [
    Case(
        id="ab-gmm-test",
        source=SOURCE,
        function=lambda alpha, mu, q, l: gmm.adbench_objective(alpha, mu, q, l, X, 0, 1.0),  # noqa: E741
        arguments=(ALPHAS, MEANS, Q, L),
        value=8.073804080049758,
        gradient=(
            [0.10866285550865246, -0.7412700395238985, 0.6326071840152461],
            [
                1.1169257653278701,
                0.16333301355145527,
                -0.021998982407119314,
                0.2277782922542361,
                1.2096302561283219,
                -0.060637592073395634,
            ],
            [
                2.5852999405116224,
                0.11263269452421379,
                0.07351805731823055,
                5.418363627155952,
                1.7189230977500494,
                0.8600910907908669,
            ],
            [0.3857443098496118, -0.32149440967744647, -0.9946409304663228],
        ),
    ),
    *(
        Case(
            id=f"ab-ba-test-row{row}",
            source=SOURCE,
            function=reprojection_error,
            arguments=(CAMERA, POINT, WEIGHT),
            value=REPROJECTION_ERROR,
            cotangent=np.eye(2)[row],
            gradient=BA_ROWS[row],
            tolerance=1e-8,
        )
        for row in range(2)
    ),
    Case(
        id="ab-ba-test-weight",
        source=SOURCE,
        function=ba.weight_error,
        arguments=(WEIGHT,),
        value=0.826092651516,
        gradient=(-0.834044,),
    ),
]
