"""The counts of all functions, or of those whose name contains a text.

    python -m tests.sweep
    python -m tests.sweep --only gamma --show 5

A line per function: wrong/judged for float64 by order, and for float32. Points at which mpmath takes longer
than `--seconds` are not judged; their number is at the end, as "too long". The exit code is 1 if anything is
wrong.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter

import numpy as np

from tests.sweep.functions import CASES
from tests.sweep.judging import WRONG
from tests.sweep.sweeping import ORDERS, sweep


def main() -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser("python -m tests.sweep", description=__doc__.partition("\n")[0])
    parser.add_argument("--only", default="", help="a part of the name of the functions")
    parser.add_argument("--every", type=int, default=1, help="look at one in this many points")
    parser.add_argument("--show", type=int, default=3, help="how many wrong points of each are shown")
    parser.add_argument("--seconds", type=float, default=10, help="of processor time for a point")
    options = parser.parse_args()
    totals = {(dtype, order): Counter[str]() for dtype in (np.float64, np.float32) for order in ORDERS}
    for case in (case for case in CASES if options.only in str(case)):
        start = time.monotonic()
        tallies = {
            dtype: sweep(case, dtype, options.every, seconds=options.seconds)
            for dtype in (np.float64, np.float32)
        }
        shown = "    ".join(tally.shown() for tally in tallies.values())
        print(f"{case!s:44} {time.monotonic() - start:6.1f} s   {shown}", flush=True)  # noqa: T201
        for dtype, tally in tallies.items():
            for order in ORDERS:
                totals[dtype, order] += tally.counts[order]
            for wrong in tally.wrong[: options.show]:
                print(f"    {dtype.__name__} {wrong}")  # noqa: T201
    for (dtype, order), counts in totals.items():
        print(f"{dtype.__name__} order {order}: {dict(counts.most_common())}")  # noqa: T201
    return 1 if any(counts[kind] for counts in totals.values() for kind in WRONG) else 0


if __name__ == "__main__":
    sys.exit(main())
