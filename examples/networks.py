"""Three small networks for images, trained for some steps: fully connected, recurrent and convolutional.

    python examples/networks.py --plot networks.svg

The images are made up: each class has a random pattern, and every image is one of them with noise. The output
is the loss before, during and after training, and the share of fresh images that are recognised.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

import mlirad as ad

SIDE, CLASSES = 8, 10


def main() -> dict[str, list[float]]:
    """Train all three; the losses."""
    all_losses = {}
    for network in NETWORKS.values():
        parameters = network.initial(np.random.default_rng(0))
        images, labels = made_up_images(256, seed=1)
        parameters, losses = train(network, parameters, images, labels, steps=60)
        fresh, expected = made_up_images(500, seed=2)
        shown = ", ".join(f"{loss:.4f}" for loss in losses[:-1:15])
        print(f"{network.name:<16} loss {shown}, {losses[-1]:.4f}", end="")
        share = accuracy(network, parameters, fresh, expected)
        print(f"   recognised {100 * share:.1f} %")
        assert share > 0.85
        all_losses[network.name] = losses
    return all_losses


@dataclass(frozen=True)
class Network:
    """A network: its parameters at the start, the scores it gives the classes, and a learning rate."""

    name: str
    initial: Callable[[np.random.Generator], Any]
    scores: Callable[[Any, Any], Any]
    rate: float


# The networks ------------------------------------------------------------------------------------


def dense_initial(rng: np.random.Generator) -> Any:
    """Two hidden layers."""
    sizes = [SIDE * SIDE, 32, 16, CLASSES]
    return [{"w": rng.normal(size=(a, b)) / np.sqrt(a), "b": np.zeros(b)} for a, b in pairwise(sizes)]


def dense_scores(layers, images):
    """Scores [n, classes] of images [n, side, side]."""
    x = np.reshape(images, (len(images), -1))
    for layer in layers[:-1]:
        x = np.maximum(x @ layer["w"] + layer["b"], 0.0)
    return x @ layers[-1]["w"] + layers[-1]["b"]


def recurrent_initial(rng: np.random.Generator) -> Any:
    """A state of 24 components."""
    width = 24
    return {
        "input": rng.normal(size=(SIDE, width)) / np.sqrt(SIDE),
        "state": rng.normal(size=(width, width)) / np.sqrt(2 * width),
        "bias": np.zeros(width),
        "output": rng.normal(size=(width, CLASSES)) / np.sqrt(width),
    }


def recurrent_scores(parameters, images):
    """Scores of images that are read row by row."""

    def step(state, rows):
        return np.tanh(rows @ parameters["input"] + state @ parameters["state"] + parameters["bias"])

    start = np.zeros((len(images), parameters["bias"].shape[0]))
    return ad.fold(step, start, np.moveaxis(images, 1, 0)) @ parameters["output"]


def convolutional_initial(rng: np.random.Generator) -> Any:
    """Two convolutions of 3 x 3, the second with strides of 2, and a layer on what they make."""
    return {
        "kernels": (rng.normal(size=(4, 1, 3, 3)) / 3, rng.normal(size=(8, 4, 3, 3)) / 6),
        "output": rng.normal(size=(8 * (SIDE // 2) ** 2, CLASSES)) / np.sqrt(8 * (SIDE // 2) ** 2),
    }


def convolutional_scores(parameters, images):
    """Scores by two convolutions."""
    first, second = parameters["kernels"]
    x = np.maximum(ad.convolution(images[:, None], first, padding="same"), 0.0)
    x = np.maximum(ad.convolution(x, second, strides=2, padding="same"), 0.0)
    return np.reshape(x, (len(images), -1)) @ parameters["output"]


NETWORKS = {
    n.name: n
    for n in (
        Network("fully connected", dense_initial, dense_scores, 0.2),
        Network("recurrent", recurrent_initial, recurrent_scores, 0.2),
        Network("convolutional", convolutional_initial, convolutional_scores, 0.1),
    )
}


# Training ----------------------------------------------------------------------------------------


def cross_entropy(scores, labels):
    """The mean negative logarithm of the probability given to the right class."""
    normalisers = np.logaddexp.reduce(scores, axis=1)
    return np.mean(normalisers - scores[np.arange(len(labels)), labels])


def train(
    network: Network, parameters: Any, images: NDArray[Any], labels: NDArray[Any], steps: int
) -> tuple[Any, list[float]]:
    """The parameters after gradient descent, and the loss before every step and after the last."""

    def loss(parameters, images, labels):
        return cross_entropy(network.scores(parameters, images), labels)

    @ad.jit
    def step(parameters, images, labels):
        value, gradient = ad.value_and_grad(loss)(parameters, images, labels)
        return value, descended(parameters, gradient, network.rate)

    losses: list[float] = []
    for _ in range(steps):
        value, parameters = step(parameters, images, labels)
        losses.append(float(value))
    losses.append(float(step(parameters, images, labels)[0]))
    return parameters, losses


def descended(parameters: Any, gradient: Any, rate: float) -> Any:
    """A structure of parameters less `rate` times their gradient."""
    if isinstance(parameters, dict):
        return {name: descended(part, gradient[name], rate) for name, part in parameters.items()}
    if isinstance(parameters, list | tuple):
        return type(parameters)(descended(p, g, rate) for p, g in zip(parameters, gradient, strict=True))
    return parameters - rate * gradient


def accuracy(network: Network, parameters: Any, images: NDArray[Any], labels: NDArray[Any]) -> float:
    """The share of images whose right class has the highest score."""
    return float(np.mean(np.argmax(ad.jit(network.scores)(parameters, images), axis=1) == labels))


def made_up_images(count: int, seed: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Images [count, side, side] and their classes."""
    patterns = np.random.default_rng(12345).normal(size=(CLASSES, SIDE, SIDE))
    rng = np.random.default_rng(seed)
    labels = rng.integers(CLASSES, size=count)
    return patterns[labels] + 0.8 * rng.normal(size=(count, SIDE, SIDE)), labels


def draw(figure: Any, losses: dict[str, list[float]]) -> None:
    """Some images, and the losses."""
    columns = figure.add_gridspec(1, 2, width_ratios=[1, 1.4])
    images, labels = made_up_images(9, seed=2)
    for place, image, label in zip(columns[0].subgridspec(3, 3), images, labels, strict=False):
        axes = figure.add_subplot(place)
        axes.imshow(image, cmap="gray")
        axes.set_title(str(label), fontsize=7, pad=2)
        axes.axis("off")
    axes = figure.add_subplot(columns[1])
    for name, curve in losses.items():
        axes.semilogy(curve, label=name)
    axes.set(xlabel="step of gradient descent", title="cross-entropy")
    axes.legend()


if __name__ == "__main__":
    from plots import run

    run(main, draw)
