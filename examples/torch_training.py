"""A training loop in PyTorch with one layer from mlirad.

    python examples/torch_training.py                 needs torch

The layer is a function of NumPy arrays; `ad.to_torch` makes it an operation of PyTorch, whose parameters are
those of a module. The loss, the other layers and the optimiser are PyTorch's. The last line compares the
gradient with that of the same network written in PyTorch alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import mlirad as ad


def radial_layer(params: dict[str, NDArray[np.float64]], x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Gaussian features: exp(-|x - c|² w²) for every centre c with its width 1 / w."""
    squares = np.sum((x[:, None, :] - params["centres"][None]) ** 2, axis=-1)
    return np.exp(-squares * params["widths"] ** 2)


def main() -> None:
    """Train, and print the loss as it falls."""
    try:
        import torch
    except ImportError:
        print("this example needs PyTorch: pip install torch")
        return
    losses, difference = trained(torch, steps=200)
    for step, loss in losses:
        print(f"step {step:>3}  loss {loss:.6f}")
    assert losses[-1][1] < losses[0][1] and difference < 1e-12
    print(f"the gradient differs from PyTorch's by {difference:.1e}")


def trained(torch: Any, steps: int) -> tuple[list[tuple[int, float]], float]:
    """Some of the losses, and how much the gradient at the end differs from that of PyTorch's own layer."""
    torch.manual_seed(0)
    layer = ad.to_torch(radial_layer)

    class Radial(torch.nn.Module):
        """The layer with its parameters."""

        def __init__(self, inputs: int, features: int):
            super().__init__()
            self.centres = torch.nn.Parameter(torch.randn(features, inputs, dtype=torch.float64))
            self.widths = torch.nn.Parameter(torch.ones(features, dtype=torch.float64))

        def forward(self, x: Any) -> Any:
            """The features of a batch."""
            return layer({"centres": self.centres, "widths": self.widths}, x)

    radial = Radial(2, 20)
    network = torch.nn.Sequential(radial, torch.nn.Linear(20, 1, dtype=torch.float64))
    x = torch.rand(256, 2, dtype=torch.float64) * 4 - 2
    y = torch.sin(x[:, 0] * 2) * torch.cos(x[:, 1])
    optimizer = torch.optim.Adam(network.parameters(), lr=0.02)
    losses: list[tuple[int, float]] = []
    for step in range(steps + 1):
        optimizer.zero_grad()
        loss = torch.mean((network(x)[:, 0] - y) ** 2)
        loss.backward()
        optimizer.step()
        if step % max(steps // 5, 1) == 0:
            losses.append((step, loss.item()))
    optimizer.zero_grad()
    torch.mean((network(x)[:, 0] - y) ** 2).backward()
    found = radial.centres.grad.clone()
    optimizer.zero_grad()
    squares = torch.sum((x[:, None, :] - radial.centres[None]) ** 2, dim=-1)
    own = network[1](torch.exp(-squares * radial.widths**2))[:, 0]
    torch.mean((own - y) ** 2).backward()
    return losses, float((found - radial.centres.grad).abs().max())


if __name__ == "__main__":
    main()
