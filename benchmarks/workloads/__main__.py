"""The table of all workloads, or of those named."""

from __future__ import annotations

import sys

from benchmarks.side_by_side import print_table
from benchmarks.workloads import fields, lattices, matching, networks, particles, prices, sequences

MODULES = (networks, sequences, lattices, particles, fields, matching, prices)


def main(clock: str = "wall", names: str = "", threads: str = "1") -> None:
    """Print a row for each workload."""
    tasks = [task for module in MODULES for task in module.TASKS]
    if unknown := set(filter(None, names.split(","))) - {task.__name__ for task in tasks}:
        known = ", ".join(task.__name__ for task in tasks)
        sys.exit(f"there is no workload {', '.join(sorted(unknown))}; there are {known}")
    chosen = [task for task in tasks if not names or task.__name__ in names.split(",")]
    random = [task for module in MODULES for task in module.RANDOM]
    print_table(chosen, random, 1e-3, clock, int(threads))


if __name__ == "__main__":
    main(*sys.argv[1:])
