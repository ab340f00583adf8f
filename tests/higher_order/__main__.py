"""A campaign of random programs with functions as values, with its counts and its failures.

    python -m tests.higher_order --seeds 20000
    python -m tests.higher_order --seeds 20000 --first 5000 --workers 2 --by all
    python -m tests.higher_order --seeds 20000 --by compiled      all methods in machine code
    python -m tests.higher_order --only 1234 --size 3          one program, and what becomes of it

The exit code is 1 if anything failed. An interrupt ends the campaign, which is then reported.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import time
import traceback
from collections.abc import Callable
from functools import partial
from types import FrameType
from typing import Any

from tests.higher_order.campaign import Campaign
from tests.higher_order.judging import judge, made, size_of
from tests.higher_order.machine_code import judge_compiled

JUDGES: dict[str, Callable[[int, int], list[str]]] = {
    "some": judge,
    "all": partial(judge, thorough=True),
    "compiled": judge_compiled,
}
"""The judges of a program of a seed and a size: some of the oracles, all of them, or machine code."""

PROCESSOR_SECONDS = 60
"""The time that a program may take."""


def main() -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser("python -m tests.higher_order", description=__doc__.partition("\n")[0])
    add = parser.add_argument
    add("--seeds", type=int, default=1000, help="how many programs are judged")
    add("--first", type=int, default=0, help="the seed of the first")
    add("--seconds", type=float, default=float("inf"), help="when to stop before that")
    add("--workers", type=int, default=1, help="how many processes judge them")
    add(
        "--by",
        choices=list(JUDGES),
        default="some",
        help="what judges each: some witnesses, all, or machine code",
    )
    add("--only", type=int, help="judge the program of one seed, and show it")
    add("--size", type=int, help="at this size")
    add("--judge", type=_range, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.judge is not None:
        return _judge_all(options.judge, options.by)
    if options.only is not None:
        size = options.size or size_of(options.only)
        sys.stdout.write(f"{made(options.only, size, verify=False).text}\n")
        sys.stdout.write(f"{', '.join(JUDGES[options.by](options.only, size))}\n")
        return 0
    campaign = Campaign(options.workers, options.by, progress=_tell)
    try:
        campaign.run(range(options.first, options.first + options.seeds), options.seconds)
    except KeyboardInterrupt:
        _tell("interrupted: this is what has been found")
    sys.stdout.write(campaign.report() + "\n")
    return 1 if campaign.failures else 0


def _range(text: str) -> range:
    first, _, end = text.partition(":")
    return range(int(first), int(end))


def _judge_all(seeds: range, by: str) -> int:
    """The work of a child process: it prints a line when it begins a program, and one with the outcome."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "SIGPROF"):
        signal.signal(signal.SIGPROF, _too_long)
    for seed in seeds:
        _write({"begun": seed})
        start = time.process_time()
        verdict = _verdict(seed, by)
        _write({**verdict, "seconds": time.process_time() - start})
    return 0


def _verdict(seed: int, by: str) -> dict[str, Any]:
    size = size_of(seed)
    try:
        return {"seed": seed, "by": _limited(seed, size, by)}
    except Exception:
        detail = traceback.format_exc(limit=-6)
    for smaller in range(1, size):
        try:
            _limited(seed, smaller, by)
        except Exception:
            return {"seed": seed, "size": smaller, "failure": traceback.format_exc(limit=-6)}
    return {"seed": seed, "size": size, "failure": detail}


def _limited(seed: int, size: int, by: str) -> list[str]:
    """The failures that `judge` finds, or a `TimeoutError`."""
    if not hasattr(signal, "SIGPROF"):
        return JUDGES[by](seed, size)
    signal.setitimer(signal.ITIMER_PROF, PROCESSOR_SECONDS)
    try:
        return JUDGES[by](seed, size)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _too_long(number: int, frame: FrameType | None) -> None:
    raise TimeoutError(f"more than {PROCESSOR_SECONDS} s of a processor")


def _write(line: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def _tell(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
