"""The table of all workloads, or of those named, beside JAX where it is installed.

python -m benchmarks.workloads                        # all, by the clock on the wall, one thread
python -m benchmarks.workloads cpu gru,transport 2    # some, by processor time, two threads
"""

from __future__ import annotations

import argparse
import sys

from benchmarks.side_by_side import print_table
from benchmarks.workloads import fields, lattices, matching, networks, particles, prices, sequences

MODULES = (networks, sequences, lattices, particles, fields, matching, prices)


def main(*arguments: str) -> None:
    """Print a row for each workload."""
    tasks = {task.__name__: task for module in MODULES for task in module.TASKS}
    parser = argparse.ArgumentParser(
        "python -m benchmarks.workloads", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("clock", nargs="?", default="wall", choices=["wall", "cpu"])
    parser.add_argument("names", nargs="?", default=",".join(tasks), help=f"some of {', '.join(tasks)}")
    parser.add_argument("threads", nargs="?", type=int, default=1)
    options = parser.parse_args(arguments)
    names = options.names.split(",")
    if unknown := set(names) - tasks.keys():
        sys.exit(f"there is no workload {', '.join(sorted(unknown))}; there are {', '.join(tasks)}")
    random = [task for module in MODULES for task in module.RANDOM]
    print_table([tasks[name] for name in names], random, 1e-3, options.clock, options.threads)


if __name__ == "__main__":
    main(*sys.argv[1:])
