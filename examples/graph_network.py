"""A graph network tells to which of four groups people belong, from who knows whom.

    python examples/graph_network.py --plot groups.svg

Messages along edges are weighed by attention, which is a softmax over the edges that end in a node: a
`segment_max` and two `segment_sum`s. A few nodes have known groups; the network learns to name the others.
The witness is the same layer with a dense matrix of all pairs of nodes.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy.special import log_softmax, softmax

import mlirad as ad

GROUPS = 4
OPTIMIZER = ad.optimize.adamw(0.01, weight_decay=0.05)


class Found(NamedTuple):
    """The ends of edges [e], the groups [n], which are known [n], and the chances that were found [n, g]."""

    senders: Any
    receivers: Any
    groups: Any
    known: Any
    chances: Any


def main(nodes: int = 300, steps: int = 200) -> Found:
    """Train on a fifth of the nodes, and name the others."""
    rng = np.random.default_rng(10)
    groups, senders, receivers = acquaintances(rng, nodes)
    known = np.arange(nodes) < nodes // 5
    features = np.where(known[:, None], np.eye(GROUPS)[groups], 0.0)
    features = np.concatenate([features, np.ones((nodes, 1))], axis=1)
    params = initial(rng, (GROUPS + 1, 16, GROUPS))
    graph = (features, senders, receivers)

    dense = with_matrix(params[0], *graph)
    np.testing.assert_allclose(ad.jit(layer)(params[0], *graph), dense, rtol=1e-10, atol=1e-10)
    slope, other = (
        ad.grad(lambda p, f=f: np.sum(f(p, *graph) ** 2))(params[0]) for f in (layer, with_matrix)
    )
    for name in slope:
        np.testing.assert_allclose(slope[name], other[name], rtol=1e-8, atol=1e-8)

    state, losses = OPTIMIZER.init(params), []
    for k in range(steps):
        params, state, value = step(params, state, graph, groups, known, ad.random.key(k))
        losses.append(float(value))
    chances = softmax(ad.jit(scores)(params, *graph), axis=1)
    right = np.mean(np.argmax(chances, axis=1)[~known] == groups[~known])
    print(f"{len(senders)} edges between {nodes} nodes, loss {losses[0]:.3f} -> {losses[-1]:.3f}")
    print(f"{right:.1%} of the nodes whose groups were not known are right")
    assert right > 0.7
    return Found(senders, receivers, groups, known, chances)


def acquaintances(rng: Any, nodes: int) -> tuple[Any, Any, Any]:
    """Groups of nodes, and the ends of the edges, which are mostly within groups; each node knows itself."""
    groups = rng.integers(GROUPS, size=nodes)
    chance = np.where(groups[:, None] == groups, 40 / nodes, 2.5 / nodes)
    meets = np.triu(rng.uniform(size=(nodes, nodes)) < chance, 1)
    return groups, *np.nonzero(meets | meets.T | np.eye(nodes, dtype=bool))


def initial(rng: Any, sizes: tuple[int, ...]) -> Any:
    """The parameters of the layers."""
    return [
        {
            "w": rng.normal(size=(n, m)) / np.sqrt(n),
            "from": 0.1 * rng.normal(size=m),
            "to": 0.1 * rng.normal(size=m),
        }
        for n, m in pairwise(sizes)
    ]


def layer(p: Any, h: Any, senders: Any, receivers: Any) -> Any:
    """The sums of messages that nodes receive [n, m], weighed by attention."""
    h, nodes = h @ p["w"], len(h)
    score = leaky((h @ p["from"])[senders] + (h @ p["to"])[receivers])
    weight = np.exp(score - ad.segment_max(score, receivers, nodes)[receivers])
    weight = weight / ad.segment_sum(weight, receivers, nodes)[receivers]
    return ad.segment_sum(weight[:, None] * h[senders], receivers, nodes)


def with_matrix(p: Any, h: Any, senders: Any, receivers: Any) -> Any:
    """The same layer with a matrix of all pairs."""
    h = h @ p["w"]
    meets = np.zeros((len(h), len(h)), dtype=bool)
    meets[receivers, senders] = True
    score = leaky((h @ p["to"])[:, None] + h @ p["from"])
    return softmax(np.where(meets, score, -np.inf), axis=1) @ h


def leaky(x: Any) -> Any:
    """x, and a fifth of it where it is negative."""
    return np.where(x > 0, x, 0.2 * x)


def scores(params: Any, h: Any, senders: Any, receivers: Any) -> Any:
    """The scores of the groups for each node [n, g], from messages over two edges and more."""
    h = np.tanh(layer(params[0], h, senders, receivers))
    return layer(params[1], h, senders, receivers)


def loss(params: Any, graph: Any, groups: Any, asked: Any) -> Any:
    """The mean negative logarithm of the chances of the groups of the nodes that are asked for."""
    chances = log_softmax(scores(params, *graph), axis=1)
    return -np.mean(chances[np.arange(len(groups)), groups], where=asked)


@ad.jit
def step(params: Any, state: Any, graph: Any, groups: Any, known: Any, key: Any) -> Any:
    """Parameters and state after a step. Half of the known nodes are hidden, and asked for."""
    features, *edges = graph
    asked = known & ad.random.bernoulli(key, 0.5, known.shape)
    hidden = np.where(asked[:, None] & (np.arange(GROUPS + 1) < GROUPS), 0.0, features)
    value, gradient = ad.value_and_grad(loss)(params, (hidden, *edges), groups, asked)
    updates, state = OPTIMIZER.update(gradient, state, params)
    return ad.optimize.apply_updates(params, updates), state, value


def draw(figure: Any, found: Found) -> None:
    """The edges with their nodes in order of their groups, and the chances of the groups."""
    left, right = figure.subplots(1, 2)
    order = np.argsort(found.groups, kind="stable")
    place = np.argsort(order)
    meets = np.zeros((len(order), len(order)))
    meets[place[found.receivers], place[found.senders]] = 1.0
    left.imshow(meets, cmap="Greys")
    left.set(title="who knows whom, by group", xlabel="node", ylabel="node")
    right.imshow(found.chances[order].T, aspect="auto", vmin=0, vmax=1)
    right.set(title="chances of the groups", xlabel="node", ylabel="group", yticks=range(GROUPS))


if __name__ == "__main__":
    from plots import run

    run(main, draw)
