"""Digests of LLVM texts, to show that a change of the compiler's code changes no program.

    python -m tests.digests > before        at the commit before
    python -m tests.digests before          prints which texts differ, and exits with 1 if any does

The texts are those of the values and derivatives of all benchmark problems at their golden instances, and of
values and gradients of random programs. They depend on the processor: both runs need the same one.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import mlirad as ad
from benchmarks.problems import PROBLEMS
from mlirad.compiler import compile_module
from mlirad.errors import MliradError
from mlirad.pipeline_options import Options
from tests.generators import random_program
from tests.passes.derivatives import differentiated

RANDOM_PROGRAMS = 200
SIZE = 12


def digests(programs: int) -> Iterator[tuple[str, str]]:
    """Names of programs with digests of their texts, or the sentence that refuses them."""
    for name, problem in PROBLEMS.items():
        arguments, program = problem.golden().arguments, problem.numpy_program
        yield f"{name} value", _digest(ad.jit(problem.value_in(ad, program)).llvm(*arguments))
        yield f"{name} derivative", _digest(ad.jit(problem.derivative_in(ad, program)).llvm(*arguments))
    for seed in range(programs):
        yield f"random {seed} value", _text(seed, smooth=False)
        yield f"random {seed} gradient", _text(seed, smooth=True)


def _text(seed: int, smooth: bool) -> str:
    """The digest of a random program, or of its gradient in its first argument if it is smooth."""
    module, entry = random_program(seed, SIZE, smooth), "main"
    try:
        if smooth:
            module, entry = differentiated(module, "main", (0,), "reverse"), "main_grad"
        return _digest(compile_module(module, Options(entry=entry)).program.llvm)
    except MliradError as error:
        return "refused: " + str(error).partition("\n")[0]


def _digest(text: str) -> str:
    """The digest of a text without descriptions of reports, which hold the checkout's path."""
    text = re.sub(r"constant \[\d+ x i8\] \[.*?\]", "", text)
    return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()


def main() -> None:
    """Print digests, or how they differ from those of a file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("before", type=Path, nargs="?", help="what an earlier run printed")
    parser.add_argument("--programs", type=int, default=RANDOM_PROGRAMS, help="how many random programs")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    found = dict(digests(options.programs))
    lines = {name: f"{name}: {digest}" for name, digest in found.items()}
    if options.before is None:
        print("\n".join(lines.values()))  # noqa: T201
        return
    known = set(options.before.read_text().splitlines())
    changed = [name for name, line in lines.items() if line not in known]
    print(f"{len(changed)} of {len(found)} texts differ", *changed, sep="\n")  # noqa: T201
    sys.exit(1 if changed else 0)


if __name__ == "__main__":
    main()
