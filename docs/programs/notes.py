"""Programs for `mlirad-demo`: the example of the linear-map notes, and functions that are called."""

import numpy as np

import mlirad as ad


def ex2(x):
    y = x * x
    z = x + y
    return y * z


@ad.function
def swing(x):
    return np.sin(x) * x


def twice(x):
    return swing(swing(x))
