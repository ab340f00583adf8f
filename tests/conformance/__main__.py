"""Runs the consortium's test suite on NumPy and on programs of mlirad, and counts failures by reasons.

    python -m tests.conformance ~/array-api-tests
    python -m tests.conformance ~/array-api-tests --mode interpreter --max-examples 20 -k linalg

The suite is a checkout of `array-api-tests` of the consortium, with its submodule; it needs the packages that
its own `requirements.txt` names. The exit code is 1 if a test fails that NumPy passes, for no known reason.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

from tests.conformance.array import MODES
from tests.conformance.differences import difference

ROOT = Path(__file__).resolve().parents[2]


def main() -> int:
    """Run what the command line asks for; other options are those of pytest."""
    parser = argparse.ArgumentParser("python -m tests.conformance", description=__doc__.partition("\n")[0])
    add = parser.add_argument
    add("suite", type=Path, help="the folder of the suite")
    add("--mode", choices=MODES[:2], default=MODES[0], help="how programs run")
    add("--max-examples", type=int, default=5, help="how many examples Hypothesis draws for each test")
    add("--max-elements", type=int, default=64, help="how many elements arrays have")
    options, others = parser.parse_known_args()
    of_numpy, of_programs = (_run(mode, options, others) for mode in ("numpy", options.mode))
    counts: Counter[str] = Counter()
    unexplained: list[str] = []
    for test, outcome in of_programs.items():
        reason = outcome
        if outcome == "failed":
            is_of_numpy = of_numpy.get(test) == "failed"
            known = "NumPy fails it too" if is_of_numpy else difference(test)
            reason = f"failed: {known or 'not explained'}"
            unexplained += [] if known else [test]
        counts[reason] += 1
    numpys = Counter(of_numpy.values())
    lines = [f"{count:6} {reason}" for reason, count in sorted(counts.items())]
    lines += [f"NumPy itself: {', '.join(f'{count} {outcome}' for outcome, count in sorted(numpys.items()))}"]
    sys.stdout.write("\n".join([*lines, *(f"  {test}" for test in unexplained)]) + "\n")
    return 1 if unexplained else 0


def _run(mode: str, options: argparse.Namespace, others: list[str]) -> dict[str, str]:
    """The outcome of each test."""
    environment = os.environ | {
        "PYTHONPATH": str(ROOT),
        "MLIRAD_CACHE": "off",
        "MLIRAD_CONFORMANCE": mode,
        "ARRAY_API_TESTS_MODULE": "tests.conformance.namespace",
        "ARRAY_API_TESTS_MAX_ARRAY_SIZE": str(options.max_elements),
    }
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [
            sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "tests.conformance.plugin",
            "--hypothesis-derandomize", "--disable-deadline", f"--max-examples={options.max_examples}",
            f"--junitxml={report}", *(others or ["array_api_tests"]),
        ]  # fmt: skip
        subprocess.run(command, cwd=options.suite, env=environment, stdout=sys.stderr, check=False)
        if not report.exists():
            raise SystemExit(f"the suite in {options.suite} did not run")
        cases = ElementTree.parse(report).getroot().iter("testcase")
        return {f"{case.get('classname')}::{case.get('name')}": _outcome(case) for case in cases}


def _outcome(case: ElementTree.Element) -> str:
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    return "passed" if case.find("skipped") is None else "skipped by the suite"


if __name__ == "__main__":
    sys.exit(main())
