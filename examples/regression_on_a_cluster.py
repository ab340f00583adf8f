"""A logistic regression on a cluster: rows stay on its workers, and SciPy minimises in this process.

    python examples/regression_on_a_cluster.py                     needs dask and distributed

The cluster is two processes here. On another one the client alone differs: `Client("tcp://scheduler:8786")`,
`Client(SLURMCluster(...))` of dask-jobqueue, or `Client(KubeCluster(...))` of dask-kubernetes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import minimize

import mlirad as ad


def loss(w: Any, features: Any, labels: Any) -> Any:
    """The mean negative log-likelihood."""
    margins = features @ w
    return np.mean(np.logaddexp(0.0, margins) - labels * margins)


def main(rows: int = 200_000, width: int = 20) -> None:
    """Fit weights to labels that are drawn for known ones."""
    try:
        import dask.array as da
        from distributed import Client, LocalCluster
    except ImportError:
        print("this example needs Dask: pip install mlirad[dask]")
        return
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster):
        features = da.random.default_rng(0).normal(size=(rows, width), chunks=(rows // 16, -1))
        law = np.linspace(-1, 1, width)
        chances = 1 / (1 + np.exp(-features @ law))
        labels = (da.random.default_rng(1).uniform(size=rows, chunks=rows // 16) < chances).astype(float)

        f = ad.distributed.resident(ad.value_and_grad(loss), features, labels)
        found = minimize(f, np.zeros(width), jac=True, method="L-BFGS-B")
        print(f"loss {found.fun:.6f} after {found.nfev} evaluations")
        print(f"weights differ by at most {np.max(np.abs(found.x - law)):.3f} from those of the law")
        print(f"an evaluation: {f.counts.rounds} round, {f.counts.messages} messages")
        assert np.max(np.abs(found.x - law)) < 0.05


if __name__ == "__main__":
    main()
