"""Convolutions of horde-ad's tests, written with `build`; positions outside the image read 0."""

from __future__ import annotations

import numpy as np

import mlirad as ad

from .case import FIGURES, Case
from .horde_ad import SOURCE

LITTLE, BIG = (2, 2, 2, 2), (3, 2, 4, 2)
T16B = np.array(FIGURES["arrays"]["t16b"]).reshape(2, 2, 2, 2)
T128 = np.array(FIGURES["arrays"]["t128"])


def convolution(kernel, image):
    """out[n, o, y, x] = sum_{c,p,q} image[n, c, y+p, x+q] kernel[o, c, p, q], 0 outside."""
    outputs, channels, kernel_height, kernel_width = kernel.shape
    count, _, height, width = image.shape

    def pixel(n, o, y, x):
        def product(c, p, q):
            return ad.index(image, (n, c, y + p, x + q)) * kernel[o, c, p, q]

        return np.sum(ad.build((channels, kernel_height, kernel_width), product))

    return ad.build((count, outputs, height, width), pixel)


def pooled_convolution(image):
    """A convolution read far outside its arrays, then a pooling that keeps one corner."""

    def convolved(i, _, y, x):
        window = ad.build((2, 2, 2, 2), lambda a, b, c, d: ad.index(image, (i + a, b, x + c, 1 + d)))
        return ad.index(window, (0, x, i, y)) + ad.index(window, (i, 1, x + 1, y))

    features = ad.build((2, 2, 2, 2), convolved)

    def pooled(a, b, y, x):
        corner = (2 * (y // 2), 2 * a, 2 * b, 2 * x)
        is_kept = (corner[0] == 0) & (corner[1] == 0) & (corner[2] == 0) & (corner[3] == 0)
        kept = np.where(is_kept, ad.index(features, corner), 0.0)
        return ad.build((2, 2, 2, 2), lambda *_: kept)[0, 0, 0, 0]

    return ad.build((2, 2, 2, 2), pooled)


def of_image(kernel):
    return lambda image: convolution(ad.asarray(kernel), image)


def of_kernel(image):
    return lambda kernel: convolution(kernel, ad.asarray(image))


CONVOLUTIONS = {
    "testKonst5LittleB": (of_image(T16B), LITTLE),
    "testKonst5LittleC": (of_kernel(T16B), LITTLE),
    "testKonst5BigB": (of_image(T16B), BIG),
    "testKonst5BigC": (of_kernel(T16B), BIG),
    "testKonst5LittleB128b": (of_image(T128.reshape(4, 2, 4, 4)), LITTLE),
    "testKonst5LittleC128b": (of_kernel(T128.reshape(4, 2, 4, 4)), LITTLE),
    "testKonst5BigB128c": (of_image(T128.reshape(2, 2, 8, 4)), BIG),
    "testKonst5BigC128c": (of_kernel(T128.reshape(2, 2, 8, 4)), BIG),
}

CASES = [
    *(
        Case(
            id=f"hd-conv2d-preserving-{name}",
            source=SOURCE,
            function=function,
            arguments=(np.full(shape, 5.0),),
            gradient=(FIGURES["hd-conv2d-preserving"][name],),
        )
        for name, (function, shape) in CONVOLUTIONS.items()
    ),
    Case(
        id="hd-minimized-cnn3",
        source=SOURCE,
        function=pooled_convolution,
        arguments=(np.full((3, 3, 3, 3), 7.0),),
        value=[14.0, 0.0, 14.0] + [0.0] * 13,
        gradient=([2.0 if position in (1, 13) else 0.0 for position in range(81)],),
    ),
]
