"""Functions whose stages the demo prints."""

import numpy as np

import mlirad as ad


def ex2(x):
    y = x * x
    z = x + y
    return y * z


def dot(a, b):
    products = ad.build(3, lambda i: a[i] * b[i])
    return np.sum(products)


def total(a):
    return np.sum(ad.build(4, lambda i: np.sin(a[i])))


def bent(x):
    return ad.cond(x > 0, lambda: x * x, lambda: 0.5 * x)


@ad.function
def half(x):
    return np.sin(x) * x


@ad.function
def twice(x):
    y = half(x)
    return y + half(y)


def chain(x):
    return half(twice(x))


def whole(n):
    return n + 1


def broken(x):
    return x[0]
