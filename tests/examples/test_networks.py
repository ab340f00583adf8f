"""The example networks learn: their loss falls, and compiled and interpreted gradients agree."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import mlirad as ad
from examples import networks

every_network = pytest.mark.parametrize("name", networks.NETWORKS)


@every_network
def test_training_lowers_the_loss(name):
    network = networks.NETWORKS[name]
    images, labels = networks.made_up_images(64, seed=1)
    start = network.initial(np.random.default_rng(0))
    parameters, losses = networks.train(network, start, images, labels, steps=20)
    assert losses[-1] < 0.5 * losses[0]
    assert sum(after < before for before, after in pairwise(losses)) >= 18
    assert networks.accuracy(network, parameters, images, labels) > networks.accuracy(
        network, start, images, labels
    )


@every_network
def test_gradients_by_both_evaluators_and_by_taylor(name):
    network = networks.NETWORKS[name]
    images, labels = networks.made_up_images(3, seed=1)
    parameters = network.initial(np.random.default_rng(0))

    def loss(parameters):
        return networks.cross_entropy(network.scores(parameters, images), labels)

    ad.check_derivatives(loss, parameters, step=1e-4)
    compiled, interpreted = ad.grad(loss)(parameters), ad.grad(loss, interpret=True)(parameters)
    for one, other in zip(leaves(compiled), leaves(interpreted), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-13)


def leaves(tree):
    if isinstance(tree, dict):
        return [leaf for part in tree.values() for leaf in leaves(part)]
    if isinstance(tree, list | tuple):
        return [leaf for part in tree for leaf in leaves(part)]
    return [tree]
