"""Programs with loops, branches and recursion from the tests of several libraries."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import mlirad as ad
from examples.programs import lstm

from .case import FIGURES, Case

ADBENCH = "microsoft/ADBench"
HORDE_AD = "Mikolaj/horde-ad"
JAX = "jax-ml/jax"
KNOSSOS = "microsoft/knossos-ksc"

LSTM_FILE = Path(__file__).resolve().parents[2] / "examples" / "data" / "lstm" / "lstm_l2_c1024.txt"
LSTM_INSTANCE = lstm.read_instance(LSTM_FILE)
LSTM_GRADIENT = np.array(FIGURES["ab-lstm-l2-c1024"]["gradient"])

A0 = 1.1


def lstm_loss_of(characters):
    """The loss on the first characters of the sequence."""
    state, sequence = LSTM_INSTANCE.state, LSTM_INSTANCE.sequence[:characters]
    return lambda main_params, extra_params: lstm.objective(main_params, extra_params, state, sequence)


# Folds -------------------------------------------------------------------------------------------


def repeated(a, *shape):
    return np.broadcast_to(a, shape)


def fold_of_columns(a):
    """A scalar folded over matrices, with sums along both of their dimensions."""

    def step(x, matrix):
        inner = np.sin(np.sum(np.swapaxes(repeated(matrix, 7, 2, 5), 0, 1), axis=0))
        return np.sum(np.arctan2(np.sin(repeated(x, 5)), np.sum(inner, axis=0)))

    return ad.fold(step, 2 * a, repeated(a, 3, 2, 5))


def fold_of_transposes(a):
    step = lambda x, s: (x.T + repeated(s, 1, 2)).T  # noqa: E731
    return np.sum(ad.fold(step, repeated(a, 2, 1), repeated(a, 2)))


def fold_of_sums(a):
    step = lambda x, _: repeated(np.sum(x.T, axis=0), 5, 2).T  # noqa: E731
    return np.sum(ad.fold(step, repeated(a, 2, 5), repeated(a, 2)))


def fold_of_angles(a):
    """A matrix folded over scalars; every element of the result."""

    def step(x, s):
        sums = np.sum(np.sin(x).T, axis=0)
        return repeated(np.arctan2(sums, repeated(np.sin(np.sum(repeated(s, 7))), 2)), 5, 2).T

    return ad.fold(step, repeated(2 * a, 2, 5), repeated(a, 3))


BASIC_FOLDS = {
    "empty": (lambda a: ad.fold(lambda x, _: np.sin(x), a, np.zeros(0)), 1.0),
    "one": (lambda a: ad.fold(lambda x, _: np.sin(x), a, np.zeros(1)), 0.4535961214255773),
    "five": (lambda a: ad.fold(lambda x, _: np.sin(x), a, np.zeros(5)), 0.12389721944941383),
    "slices": (lambda a: ad.fold(lambda _, s: np.sin(s), 84.0, repeated(a, 3)), 0.4535961214255773),
    "both": (
        lambda a: ad.fold(lambda x, s: np.arctan2(np.sin(x), np.sin(s)), 2 * a, repeated(a, 3)),
        -0.7053476446727861,
    ),
    "constant": (lambda a: ad.fold(lambda x, s: 7.0, 2 * a, repeated(a, 3)) + 0 * a, 0.0),
}


# Derivatives inside loops ------------------------------------------------------------------------


def pulled_back_scan(body):
    """The cotangent of the elements that a scan from 5 is over, for the cotangent 1, 2, 3, 4."""

    def function(x):
        def states(elements):
            _, after = ad.scan(lambda z, e: (body(z, e),) * 2, 5.0, elements)
            return np.concatenate([np.array([5.0]), after])

        _, pullback = ad.vjp(states, x)
        return np.sum(pullback(np.array([1.0, 2.0, 3.0, 4.0]))[0])

    return function


def fold_of_derivatives(inner, outer):
    """x <- x times the derivative, by one mode, of the derivative, by another, of sin at an element."""

    def function(a):
        slope = outer(inner(np.sin))
        return ad.fold(lambda x, s: x * slope(s), 2 * a, repeated(a, 3))

    return function


def by_reverse(f):
    return ad.grad(f)


def by_forward(f):
    return lambda x: ad.jvp(f, (x,), (1.0,))[1]


# x0 = 2 a and three factors -sin(a)
DERIVATIVE_OF_FOLD = -2 * np.sin(A0) ** 3 - 6 * A0 * np.sin(A0) ** 2 * np.cos(A0)


# Sharing -----------------------------------------------------------------------------------------


def blowup(steps, i=1.0):
    """y <- 0.499999985 (y + y - i), `steps` times, less i."""

    def function(x):
        return ad.fori_loop(0, steps, lambda _, y: 0.499999985 * (y + y - i), x[0] / x[1]) - i

    return function


def blowups(count):
    """The sum of `count` of them."""
    return lambda x: np.sum(ad.build((count,), lambda i: blowup(3500, i.astype(np.float64))(x)))


# Custom derivatives ------------------------------------------------------------------------------


@ad.custom_derivative
def logistic(x):
    return 1 / (1 + np.exp(-x))


@logistic.rule
def _(x):
    y = logistic(x)
    return lambda dx: y * (1 - y) * dx


@ad.custom_derivative
def logistic_straight_through(x):
    return 1 / (1 + np.exp(-x))


logistic_straight_through.rule(lambda x: lambda dx: dx)


def logistic_constant(x):
    return ad.stop_gradient(logistic(x)) + 0 * x


# Recursion ---------------------------------------------------------------------------------------


@ad.function
def power(n, x):
    """x^n for a traced n: a function that calls itself."""
    return ad.cond(n == 1, lambda: x, lambda: x * power(n - 1, x))


# JAX ---------------------------------------------------------------------------------------------


def recurrence(c, a, d):
    """Five steps of c <- sin(c b) with b from the carry, the slice and a captured vector."""

    def step(c, a):
        b = np.sum(np.sin(a)) + np.sum(np.sin(c)) + np.sum(np.sin(d))
        return np.sin(c * b), None

    return np.sum(ad.scan(step, c, a)[0])


BRANCHES = {
    "two": (lambda x: ad.cond(x < 2, lambda: 3 * x, lambda: np.sin(x)), {2.14: -0.5389614493995115, 1.72: 3}),
    "constant": (lambda x: ad.cond(x < 3, lambda: 2.0, lambda: 2 * x), {3.14: 2.0, 2.72: 0.0}),
    "switch": (
        lambda x: ad.switch(np.floor(x).astype(np.int64), [lambda x: 3 * x, np.sin, lambda x: -x], x),
        {-0.7: 3.0, 0.7: 3.0, 1.7: -0.12884449429552464, 2.7: -1.0, 3.7: -1.0},
    ),
}


CASES = [
    Case(
        id="ab-lstm-l2-c1024",
        source=ADBENCH,
        function=lstm_loss_of(1024),
        arguments=(LSTM_INSTANCE.main_params, LSTM_INSTANCE.extra_params),
        gradient=(LSTM_GRADIENT[:224], LSTM_GRADIENT[224:]),
        tolerance=1e-7,
    ),
    *(
        Case(
            id=f"hd-fold-basic-{name}",
            source=HORDE_AD,
            function=function,
            arguments=(A0,),
            gradient=(slope,),
        )
        for name, (function, slope) in BASIC_FOLDS.items()
    ),
    *(
        Case(id=f"hd-fold-array-body-{n}", source=HORDE_AD, function=f, arguments=(A0,), gradient=(slope,))
        for n, f, slope in (
            (5, fold_of_columns, 1.2992412552109085),
            (6, fold_of_transposes, 6.0),
            (7, fold_of_sums, 250.0),
            (8, fold_of_angles, -2.200311410593445),
        )
    ),
    Case(
        id="hd-fold-array-body-8-forward",
        source=HORDE_AD,
        function=fold_of_angles,
        arguments=(A0,),
        derivative=np.full((2, 5), -0.2200311410593445),
    ),
    Case(
        id="hd-fold-array-body-5-forward",
        source=HORDE_AD,
        function=fold_of_columns,
        arguments=(A0,),
        tangents=(1.1,),
        derivative=1.4291653807319993,
    ),
    Case(
        id="hd-fold-array-body-8-second",
        source=HORDE_AD,
        function=ad.grad(lambda a: np.sum(fold_of_angles(a))),
        arguments=(A0,),
        gradient=(98.72666469795736,),
    ),
    Case(
        id="hd-derivative-inside-fold-scan",
        source=HORDE_AD,
        function=pulled_back_scan(lambda _, e: e * e),
        arguments=(np.full(3, A0),),
        gradient=([4.0, 6.0, 8.0],),
    ),
    Case(
        id="hd-derivative-inside-fold-constant",
        source=HORDE_AD,
        function=pulled_back_scan(lambda _, e: 7.0 + 0 * e),
        arguments=(np.full(3, A0),),
        gradient=(np.zeros(3),),
    ),
    *(
        Case(
            id=f"hd-derivative-inside-fold-{inner.__name__[3:]}-{outer.__name__[3:]}",
            source=HORDE_AD,
            function=fold_of_derivatives(inner, outer),
            arguments=(A0,),
            value=-2 * A0 * np.sin(A0) ** 3,
            gradient=(DERIVATIVE_OF_FOLD,),
        )
        for inner in (by_reverse, by_forward)
        for outer in (by_reverse, by_forward)
    ),
    *(
        Case(
            id=f"hd-sharing-blowup-loop-{steps}",
            source=HORDE_AD,
            function=blowup(steps),
            arguments=(np.array([2.0, 3.0]),),
            gradient=([0.99999997**steps / 3, -2 * 0.99999997**steps / 9],),
        )
        for steps in (7, 200, 2000, 7000)
    ),
    Case(
        id="hd-sharing-blowup-build",
        source=HORDE_AD,
        function=blowups(1000),
        arguments=(np.array([2.0, 3.0]),),
        gradient=([333.2983351701977, -222.19889011346513],),
    ),
    Case(
        id="hd-empty-arrays-fold",
        source=HORDE_AD,
        function=lambda t: np.sum(ad.fold(lambda c, x: c * x, np.float64(0.24), t)) + np.sum(t),
        arguments=(np.zeros(0),),
        value=0.24,
        gradient=(np.zeros(0),),
    ),
    *(
        Case(
            id=f"hd-logistic-custom-dual-{name}",
            source=HORDE_AD,
            function=function,
            arguments=(3.0,),
            value=1 / (1 + np.exp(-3.0)),
            gradient=(slope,),
        )
        for name, function, slope in (
            ("rule", logistic, 0.045176659730912),
            ("straight-through", logistic_straight_through, 1.0),
            ("constant", logistic_constant, 0.0),
        )
    ),
    *(
        Case(
            id=f"hd-logistic-custom-dual-rule-{times}",
            source=HORDE_AD,
            function=function,
            arguments=(np.array(FIGURES["arrays"]["t16"]).reshape(2, 2, 1, 2, 2),),
            gradient=(FIGURES["hd-logistic-custom-dual"][times],),
        )
        for times, function in (("once", logistic), ("twice", lambda x: logistic(logistic(x))))
    ),
    Case(
        id="ks-power-recursion-function",
        source=KNOSSOS,
        function=lambda x: power(np.int64(7), x),
        arguments=(1.31,),
        value=6.620626219008112,
        gradient=(35.37739200996701,),
    ),
    Case(
        id="jax-scan-grad",
        source=JAX,
        function=recurrence,
        arguments=(
            np.array([0.1, 0.2, 0.3, 0.4]),
            np.sin(np.arange(1.0, 16.0)).reshape(5, 3),
            np.array([0.5, -0.5]),
        ),
        value=1.1899066789107842,
        gradient=(
            [124.05084912308898, 102.79257729081671, 76.79850140304349, 52.72181664452182],
            [
                [14.232968066645036, 13.12087729338893, 21.146732560016634],
                [24.19885637933503, 19.118531944160388, 31.99342975941297],
                [2.895009093185741, 2.008010025196655, 3.349963604471366],
                [5.144422130488664, 3.248567005698445, 5.167457300459211],
                [0.4409086141722936, 0.26472360654290206, 0.38435419931522363],
            ],
            [56.86274459672812, 56.86274459672812],
        ),
    ),
    *(
        Case(
            id=f"jax-cond-switch-grad-branches-{name}{x}",
            source=JAX,
            function=function,
            arguments=(x,),
            gradient=(slope,),
        )
        for name, (function, slopes) in BRANCHES.items()
        for x, slope in slopes.items()
    ),
    *(
        Case(
            id=f"jax-cond-switch-grad-branches-captured{x}",
            source=JAX,
            function=lambda x, y: ad.cond(x < 3, lambda: 2 * np.sin(y), lambda: 2 * x),
            arguments=(x, 5.8),
            gradient=gradient,
        )
        for x, gradient in ((3.14, (2.0, 0.0)), (2.72, (0.0, 1.7710390338826378)))
    ),
    Case(
        id="jax-cond-switch-grad-branches-no-nan",
        source=JAX,
        function=lambda x: np.sum(ad.map(lambda e: ad.cond(e < 1e-3, lambda: 1e-3, lambda: np.sqrt(e)), x)),
        arguments=(np.zeros(10),),
        value=1e-2,
        gradient=(np.zeros(10),),
    ),
]
