"""Times derivatives of benchmark problems: mlirad beside its peers and C, as Markdown tables.

    python -m benchmarks                                   # every problem, JAX, PyTorch and C
    python -m benchmarks --problems gmm,lse --peers jax
    python -m benchmarks --threads 1,2 --memory --write run.json
    python -m benchmarks --read run.json --plot            # tables and charts of that run
    python -m benchmarks --check                           # figures only, no timing
    python -m benchmarks --sparse                          # sparse Jacobians and Hessians instead
    python -m benchmarks --quick [COMMIT]                  # what became slower since then, in two minutes

Before a system is timed on a problem, its value and derivative on a golden instance must agree with figures
by hand: to 1e-8 of the largest, in float32 to 2e-4.
"""

from __future__ import annotations

from benchmarks.command_line import main

if __name__ == "__main__":
    main(str(__doc__))
