"""A campaign of mutated MLIR texts, with its counts by class and its failures reduced.

    python -m tests.robustness --seconds 3600 --workers 2
    python -m tests.robustness --seed 5 --only 1234           one mutant: its text and what became of it

The exit code is 1 if anything failed. An interrupt ends the campaign, which is then reported.
"""

from __future__ import annotations

import argparse
import random
import sys

from tests.robustness.texts.campaign import Campaign
from tests.robustness.texts.corpus import corpus, foreign_corpus
from tests.robustness.texts.judging import Depth
from tests.robustness.texts.mutators import mutant
from tests.robustness.texts.workers import Task, judged, prepare


def main() -> int:
    """Run the campaign that the command line asks for."""
    parser = argparse.ArgumentParser("python -m tests.robustness", description=__doc__.partition("\n")[0])
    add = parser.add_argument
    add("--seconds", type=float, help="how long mutants are made")
    add("--mutants", type=int, help="how many mutants are made")
    add("--workers", type=int, default=2, help="how many processes judge them")
    add("--programs", type=int, default=40, help="how many random programs the corpus has, at every stage")
    add(
        "--seed", type=int, default=random.SystemRandom().randrange(10**6), help="what mutants are drawn from"
    )
    add("--first", type=int, default=0, help="the number of the first mutant")
    add("--only", type=int, help="show one mutant")
    add("--native", type=float, default=0.05, help="the share of verified texts that run as machine code")
    add("--passes", type=float, default=0.25, help="the share of verified texts that go through passes")
    add("--no-reduction", action="store_true", help="leave the texts of failures as they are")
    add(
        "--foreign",
        action="store_true",
        help="programs of other dialects: StableHLO and those of MLIR itself",
    )
    options = parser.parse_args()
    prepare()
    texts = (foreign_corpus if options.foreign else corpus)(options.programs)
    texts.parse_all()
    depth = Depth(passes=options.passes, native=options.native)
    if options.only is not None:
        text, names = mutant(texts, options.seed, options.only)
        task = Task(0, lambda: text, f"{options.seed}:{options.only}")
        ((_, verdict),) = judged([task], depth, 1)
        detail = "" if verdict.failure is None else f"{verdict.failure.signature}\n{verdict.failure.detail}"
        sys.stdout.write(f"{text}\n{', '.join(names)}\n{', '.join(verdict.classes)}\n{detail}\n")
        return 0
    campaign = Campaign(texts, options.seed, depth, options.workers, progress=_tell)
    _tell(f"seed {options.seed}, {len(texts.texts)} texts")
    try:
        campaign.run(
            mutants=options.mutants,
            seconds=60.0 if options.seconds is None and options.mutants is None else options.seconds,
            first=options.first,
        )
        if not options.no_reduction:
            campaign.reduce()
    except KeyboardInterrupt:
        _tell("interrupted: this is what has been found")
    sys.stdout.write(campaign.report() + "\n")
    return 1 if campaign.found else 0


def _tell(line: str) -> None:
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
