"""Times gradients of benchmark problems: mlirad beside its peers, as a Markdown table.

    python benchmarks/run.py                              # every problem, every installed peer
    python benchmarks/run.py --problems gmm,lse --peers jax
    python benchmarks/run.py --check                      # figures only, no timing
    python benchmarks/run.py --sparse                     # sparse Jacobians and Hessians instead

Before a system is timed on a problem, its value and gradient on a golden instance must agree
with the hand-derived figures to 1e-8 relative.
"""

from __future__ import annotations

import sys
from pathlib import Path


def main() -> None:
    """Prepares the process before anything that starts threads is imported."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from benchmarks.protocol import use_one_thread

    use_one_thread()
    from benchmarks.table import main as print_table

    print_table(str(__doc__))


if __name__ == "__main__":
    main()
