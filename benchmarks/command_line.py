"""The command line: `python -m benchmarks --help`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from benchmarks import charts, compare, machine, sparse, table
from benchmarks.memory import memory_tables
from benchmarks.problems import PROBLEMS
from benchmarks.protocol import CLOCKS, Limits, use_threads
from benchmarks.results import Measurement, Run
from benchmarks.runs import WrongFigures, all_sizes, available, checked, new_run, timed, with_memory
from benchmarks.systems import SYSTEMS, cores, has_threads


def main(description: str, arguments: Sequence[str] | None = None) -> None:
    """Do what the arguments say, by default those of the process."""
    options = parse_options(description, arguments)
    try:
        carry_out(options)
    except (WrongFigures, compare.BadCommit) as error:
        raise SystemExit(str(error)) from error


def carry_out(options: argparse.Namespace) -> None:
    limits = Limits(options.min_runs, options.min_seconds, options.max_seconds, options.clock)
    if options.quick is not None:
        compare.main(options.quick, options.problems, options.quick_seconds)
    elif options.sparse:
        use_threads(1)
        sparse.main(limits, options.check)
    elif options.planned:
        use_threads(1)
        print("\n".join(memory_tables([PROBLEMS[name] for name in options.problems])))
    elif options.read:
        show(Run.read(options.read), options)
    else:
        measure(options, limits)


def measure(options: argparse.Namespace, limits: Limits) -> None:
    """Check the figures, and measure what was asked for."""
    sizes = all_sizes(options.problems, options.sizes)
    for name, found in sizes.items():
        if not found:
            raise SystemExit(f"no size of {name} has one of the words {', '.join(options.sizes)}; it has "
                             f"{', '.join(PROBLEMS[name].sizes)}")  # fmt: skip
    systems = available([key for key in ("mlirad", *options.peers, "c") if key not in options.without])
    runs = checked(options.problems, systems)
    if options.check:
        return
    if max(options.threads) > 1 and not has_threads():
        print("mlirad has no option for threads: its figures are all of one.", file=sys.stderr)
    run = new_run(systems, limits.clock)
    warned = machine.warning()
    if warned is not None:
        print(warned, file=sys.stderr)
    run.peaks = charts.peaks_of_this_machine()
    for measurement in timed(runs, sizes, options.threads, limits):
        run.measurements.append(measurement)
        print(said(measurement), file=sys.stderr, flush=True)
        if options.write:
            run.write(options.write)
    if options.memory:
        run.measurements = with_memory(run.measurements)
        if options.write:
            run.write(options.write)
    show(run, options)


def said(found: Measurement) -> str:
    """A measurement in a line, which shows that the run goes on."""
    taken = table.milliseconds(found.derivative)
    plural = "s" if found.threads > 1 else ""
    return (
        f"{found.problem} {found.size}: {SYSTEMS[found.system].name}, {found.threads} thread{plural}, {taken}"
    )


def show(run: Run, options: argparse.Namespace) -> None:
    """The tables of a run, and its charts if they are asked for."""
    versions = ", ".join(f"{name} {version}" for name, version in run.versions.items())
    measured = f"{run.clock} time; load before the run {run.load}"
    print(f"\n{run.machine}; {run.date}; {versions}; {measured}\n")
    for title, lines in (
        ("Times", table.times(run)),
        ("Stolen by the hypervisor", table.theft(run)),
        ("First calls", table.first_calls(run)),
        ("Growth of the process in a call", table.memory(run)),
        ("Behind", table.behind(run)),
    ):
        if title.startswith("Growth") and all(m.peak_bytes is None for m in run.measurements):
            continue
        text = "\n".join(lines)
        if title.startswith("Stolen") and not text:
            continue
        print(f"{title}:\n")
        print(text)
        print()
    if options.plot:
        for path in charts.written(run, options.plot):
            print(f"{path} written")


def parse_options(description: str, arguments: Sequence[str] | None) -> argparse.Namespace:
    def names_from(known: Collection[str]) -> Callable[[str], list[str]]:
        def parse(text: str) -> list[str]:
            names = [name for name in text.split(",") if name]
            unknown = [name for name in names if name not in known]
            if unknown:
                raise argparse.ArgumentTypeError(
                    f"unknown: {', '.join(unknown)}; choose from {', '.join(known)}"
                )
            return names

        return parse

    def counts(text: str) -> list[int]:
        allowed = len(cores())
        if not all(part.isdigit() and 1 <= int(part) <= allowed for part in text.split(",")):
            raise argparse.ArgumentTypeError(
                f"{text} is not a list of numbers of threads; this process may use {allowed}"
            )
        return [int(part) for part in text.split(",")]

    def existing(text: str) -> Path:
        if not Path(text).is_file():
            raise argparse.ArgumentTypeError(f"there is no file {text}")
        return Path(text)

    peers = [key for key in SYSTEMS if key not in ("mlirad", "c")]
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    say = parser.add_argument
    say("--problems", type=names_from(PROBLEMS), default=list(PROBLEMS), metavar="NAMES")
    say(
        "--sizes",
        type=lambda t: t.split(","),
        default=[],
        metavar="WORDS",
        help="sizes with one of these words",
    )
    say("--peers", type=names_from(peers), default=["jax", "torch"], metavar="NAMES", help=", ".join(peers))
    say("--without", type=names_from(SYSTEMS), default=[], metavar="NAMES", help="leave out mlirad, or c")
    say("--threads", type=counts, default=[1], metavar="COUNTS", help="such as 1,2: a figure for each")
    say("--check", action="store_true", help="compare figures, time nothing")
    say("--memory", action="store_true", help="measure how much a process grows in a call, too")
    say("--planned", action="store_true", help="print the working memory that is planned, time nothing")
    say("--sparse", action="store_true", help="time sparse matrices, nothing else")
    say("--quick", nargs="?", const="HEAD", metavar="COMMIT", help="what became slower since a commit (HEAD)")
    say("--quick-seconds", type=float, default=120.0, metavar="S", help="how long --quick may take, roughly")
    say("--write", type=Path, metavar="FILE", help="keep the run, as JSON, also if it is ended early")
    say("--read", type=existing, metavar="FILE", help="show a run that was kept, time nothing")
    say(
        "--plot", nargs="?", type=Path, const=Path(__file__).parent / "charts", metavar="FOLDER",
        help="draw charts of the run as SVG",
    )  # fmt: skip
    say("--min-runs", type=int, default=20, metavar="N")
    say("--min-seconds", type=float, default=0.5, metavar="S")
    say("--max-seconds", type=float, default=10.0, metavar="S", help="a slow function is called no longer")
    say(
        "--clock",
        choices=CLOCKS,
        default="wall",
        help="cpu: processor time, for one thread on a busy machine",
    )
    return parser.parse_args(arguments)
