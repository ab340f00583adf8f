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


@ad.function
def even(x, n):
    return ad.cond(n == 0, lambda: x, lambda: np.sin(odd(x, n - 1)))


@ad.function
def odd(x, n):
    return ad.cond(n == 0, lambda: x * x, lambda: x * even(x, n - 1))


def mutual(x, n):
    return even(x, n)


def scaled_twice(x, z):
    f = ad.lambda_(lambda w: x * w + 1.0)
    return f(z) * f(x)


def whole(n):
    return n + 1


def broken(x):
    return x[0]
