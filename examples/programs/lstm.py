"""A character LSTM with elementwise weights (D-LSTM), as in ADBench.

Layer i with input v, hidden state h and cell state e, all vectors of b components:

    f = sigmoid(v w_f + b_f)        g = sigmoid(h w_i + b_i)
    o = sigmoid(v w_o + b_o)        a = tanh(h w_c + b_c)
    e <- e f + g a                  h <- o tanh(e)

The first layer reads the character times extra[0]; the prediction is the last layer's h times extra[1] plus
extra[2]; the loss is the mean over all steps and components of the negative logarithm of the probability that
is given to the next character, with log(2 + sum exp y) as the normaliser.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import mlirad as ad


class Instance(NamedTuple):
    """The arguments of `objective`."""

    main_params: NDArray[Any]
    extra_params: NDArray[Any]
    state: NDArray[Any]
    sequence: NDArray[Any]


def objective(main_params, extra_params, state, sequence):
    """The loss: main_params [2 l, 4 b], extra_params [3, b], state [2 l, b], sequence [c, b]."""
    inputs, targets = sequence[:-1], sequence[1:]

    def step(carry, characters):
        layers, total = carry
        layers, y = predicted(main_params, extra_params, layers, characters[0])
        total = total + np.sum(characters[1] * (y - np.log(2 + np.sum(np.exp(y)))))
        return layers, total

    layers = tuple((state[k], state[k + 1]) for k in range(0, len(state), 2))
    _, total = ad.fold(step, (layers, 0.0), (inputs, targets))
    return -total / inputs.size


def predicted(main_params, extra_params, layers, character):
    """The states of all layers after a character, and the prediction of the next one."""
    v = character * extra_params[0]
    after = []
    for k, (hidden, cell) in enumerate(layers):
        hidden, cell = cell_step(main_params[2 * k], main_params[2 * k + 1], hidden, cell, v)
        after.append((hidden, cell))
        v = hidden
    return tuple(after), v * extra_params[1] + extra_params[2]


def cell_step(weights, bias, hidden, cell, v):
    """The new hidden and cell state of one layer."""
    w_forget, w_in, w_out, w_change = np.split(weights, 4)
    b_forget, b_in, b_out, b_change = np.split(bias, 4)
    forget = sigmoid(v * w_forget + b_forget)
    ingate = sigmoid(hidden * w_in + b_in)
    outgate = sigmoid(v * w_out + b_out)
    change = np.tanh(hidden * w_change + b_change)
    cell = cell * forget + ingate * change
    return outgate * np.tanh(cell), cell


def sigmoid(x):
    """1 / (1 + exp(-x))."""
    return 1 / (1 + np.exp(-x))


def read_instance(path: Any) -> Instance:
    """An instance in ADBench's format: the sizes l, c, b, and then the rows of the four arrays."""
    with open(path) as file:
        sizes, *rows = [line.split() for line in file if line.strip()]
    layers, characters, width = map(int, sizes)
    lengths = [4 * width] * (2 * layers) + [width] * (3 + 2 * layers + characters)
    if [len(row) for row in rows] != lengths:
        raise ValueError(f"{path}: the sizes {layers}, {characters}, {width} do not fit the rows of the file")
    values = [np.array(row, np.float64) for row in rows]
    ends = np.cumsum([2 * layers, 3, 2 * layers, characters])
    starts = [0, *ends[:-1]]
    return Instance(*(np.stack(values[a:b]) for a, b in zip(starts, ends, strict=True)))


def random_instance(layers: int, characters: int, width: int = 14, seed: int = 0) -> Instance:
    """Parameters and states uniform in [0, 1), and characters of random bits."""
    rng = np.random.default_rng(seed)
    return Instance(
        rng.uniform(size=(2 * layers, 4 * width)),
        rng.uniform(size=(3, width)),
        rng.uniform(size=(2 * layers, width)),
        rng.integers(2, size=(characters, width)).astype(np.float64),
    )
