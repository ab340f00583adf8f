"""The examples of image filters and variational inference: derivatives, and what they find."""

from __future__ import annotations

import numpy as np

import mlirad as ad
from examples import image_filters, variational_inference


def test_an_image_is_restored():
    sharp = image_filters.picture(24)
    seen = image_filters.blurred(sharp)
    ad.check_derivatives(lambda image: image_filters.loss(image, seen), seen, interpret=True)
    found = image_filters.restored(seen, 40)
    before, after = (image_filters.deviation(x, sharp) for x in (seen, found))
    assert after < 0.6 * before


def test_the_best_approximation_of_a_posterior_is_found():
    features, targets = variational_inference.data(100, 4)
    mean, deviations = variational_inference.best(features, targets)
    found, bound = variational_inference.fitted(ad.random.key(3), features, targets, 1000)
    assert np.all(np.abs(found["mean"] - mean) < 0.3 * deviations)
    np.testing.assert_allclose(np.exp(found["log_deviation"]), deviations, rtol=0.25)
    evidence = features @ features.T + variational_inference.NOISE**2 * np.eye(100)
    log_evidence = -0.5 * (targets @ np.linalg.solve(evidence, targets) + np.linalg.slogdet(evidence)[1])
    assert bound < log_evidence - 50 * np.log(2 * np.pi) + 1.0
