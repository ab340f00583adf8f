"""The gradient of a character LSTM's loss in its weights."""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks.problem import Golden, Problem, Program, read_golden
from examples.programs import lstm


def golden() -> Golden:
    given, output = read_golden("lstm_l2_c50")
    arguments = tuple(given[name] for name in lstm.Instance._fields)
    flat = np.array(output["jacobian"])
    main, extra = np.split(flat, [arguments[0].size])
    gradient = (main.reshape(arguments[0].shape), extra.reshape(arguments[1].shape))
    return Golden(arguments, output["objective"], gradient)


def jax_program() -> Program:
    import jax
    import jax.numpy as jnp

    def cell_step(weights, bias, hidden, cell, v):
        width = v.shape[0]
        read = jnp.stack([v, hidden, v, hidden]) * weights.reshape(4, width) + bias.reshape(4, width)
        forget, ingate, outgate = jax.nn.sigmoid(read[:3])
        cell = cell * forget + ingate * jnp.tanh(read[3])
        return outgate * jnp.tanh(cell), cell

    def objective(main_params, extra_params, state, sequence):
        inputs, targets = sequence[:-1], sequence[1:]

        def step(layers, characters):
            v, after = characters[0] * extra_params[0], []
            for k, (hidden, cell) in enumerate(layers):
                hidden, cell = cell_step(main_params[2 * k], main_params[2 * k + 1], hidden, cell, v)
                after.append((hidden, cell))
                v = hidden
            y = v * extra_params[1] + extra_params[2]
            return tuple(after), jnp.sum(characters[1] * (y - jnp.log(2 + jnp.sum(jnp.exp(y)))))

        layers = tuple((state[k], state[k + 1]) for k in range(0, len(state), 2))
        _, terms = jax.lax.scan(step, layers, (inputs, targets))
        return -jnp.sum(terms) / inputs.size

    return objective


def torch_program() -> Program:
    import torch

    def cell_step(weights, bias, hidden, cell, v):
        read = torch.stack([v, hidden, v, hidden]) * weights.view(4, -1) + bias.view(4, -1)
        forget, ingate, outgate = torch.sigmoid(read[:3])
        cell = cell * forget + ingate * torch.tanh(read[3])
        return outgate * torch.tanh(cell), cell

    def objective(main_params, extra_params, state, sequence):
        inputs, targets = sequence[:-1] * extra_params[0], sequence[1:]
        layers = [(state[k], state[k + 1]) for k in range(0, len(state), 2)]
        outputs = []
        for v in inputs:
            for k, (hidden, cell) in enumerate(layers):
                v, cell = cell_step(main_params[2 * k], main_params[2 * k + 1], hidden, cell, v)
                layers[k] = (v, cell)
            outputs.append(v)
        y = torch.stack(outputs) * extra_params[1] + extra_params[2]
        normaliser = torch.log(2 + torch.exp(y).sum(1, keepdim=True))
        return -(targets * (y - normaliser)).sum() / targets.numel()

    return objective


PROBLEM = Problem(
    name="lstm",
    argnums=(0, 1),
    sizes={
        "l2 c1024": partial(lstm.random_instance, 2, 1024),
        "l4 c4096": partial(lstm.random_instance, 4, 4096),
    },
    golden=golden,
    numpy_program=lstm.objective,
    jax_program=jax_program,
    torch_program=torch_program,
    unrolls_in_torch=True,
)
