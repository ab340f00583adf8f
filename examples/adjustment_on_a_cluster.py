"""Bundle adjustment on a cluster: observations stay on its workers, steps are solved there by LSMR.

    python examples/adjustment_on_a_cluster.py                     needs dask and distributed

No process has the Jacobian, nor a vector as long as the observations: an iteration of LSMR is one message to
each worker, and what comes back is as long as cameras and points.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

import mlirad as ad

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from examples.bundle_adjustment import NOISE, Observations, errors, scene


def main(cameras: int = 6, points: int = 80, steps: int = 3) -> None:
    """Adjust a synthetic scene by Gauss-Newton steps with damping."""
    try:
        import dask.array as da
        from distributed import Client, LocalCluster
    except ImportError:
        print("this example needs Dask: pip install mlirad[dask]")
        return
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster):
        seen, *at = scene(cameras, points, seed=0)
        chunk = len(seen.measured) // 8
        rows = Observations(*(da.from_array(a, chunks=(chunk, *a.shape[1:])).persist() for a in seen))
        norm, damping = np.inf, 1e-2
        for _ in range(steps):
            r, jacobian = ad.linearize(errors, *at, rows, argnums=(0, 1))
            norm = float(np.sqrt((r**2).sum().compute()))
            change: Any = jacobian.solve(-r, method="lsmr", damp=damping, tol=1e-6)
            print(f"|r| = {norm:.4g}, then {jacobian.iterations} iterations")
            at = [a + d for a, d in zip(at, change, strict=True)]
        assert norm < 1.1 * NOISE * np.sqrt(seen.measured.size)


if __name__ == "__main__":
    main()
