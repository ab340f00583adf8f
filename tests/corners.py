"""The suite at the corners of the versions that are supported: the oldest of all, and the newest.

    python -m tests.corners --list              which corners there are, and which have an interpreter here
    python -m tests.corners                     the suite at each that has one
    python -m tests.corners tests/jit -k pool   a part of it: what follows goes to pytest

The oldest versions are the lower bounds that `pyproject.toml` states, the newest are what pip finds for the
last of the Pythons that it lists. Each corner has an environment in `build/corners`. A corner without an
interpreter is named at the end, and is not a failure.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
ENVIRONMENTS = ROOT / "build" / "corners"

TOOLS = ("filecheck", "hypothesis", "lit", "mpmath", "pytest", "pytest-xdist")
"""The packages that the tests need besides the package; checkers of style and types are for one version."""

LEFT_OUT = ("tests/typing", "tests/docs", "tests/examples", "tests/packaging")
"""Tests of what is the same whatever is installed, or prints what NumPy of one version prints."""


@dataclass(frozen=True)
class Corner:
    """A version of Python, and what else is asked of pip."""

    name: str
    python: str
    pins: tuple[str, ...]


def project() -> dict[str, Any]:
    """The project table of `pyproject.toml`."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def pythons() -> list[str]:
    """The versions of Python that the project lists, oldest first."""
    prefix = "Programming Language :: Python :: "
    found = [c.removeprefix(prefix) for c in project()["classifiers"] if c.startswith(prefix)]
    return sorted((v for v in found if re.fullmatch(r"3\.\d+", v)), key=lambda v: int(v[2:]))


def lowest(package: str) -> str:
    """The lowest version of a package that the project takes."""
    bounds = (re.fullmatch(rf"{package}>=([\d.]+).*", d) for d in project()["dependencies"])
    return next(found[1] for found in bounds if found)


def corners() -> list[Corner]:
    """The corners, and the versions of Python between with what is newest for them."""
    oldest, *others = pythons()
    pins = tuple(f"{package}=={lowest(package)}" for package in ("numpy", "scipy"))
    return [Corner("oldest", oldest, pins), *(Corner(f"newest-{v}", v, ()) for v in reversed(others))]


def interpreter(version: str) -> str | None:
    """An interpreter of a version: on the path, or one of pyenv's; None if it is not installed."""
    for candidate in _candidates(version):
        run = subprocess.run(
            [candidate, "-c", "import sys, venv; print('%d.%d' % sys.version_info[:2])"],
            capture_output=True,
            text=True,
            check=False,
        )
        if run.returncode == 0 and run.stdout.strip() == version:
            return candidate
    return None


def _candidates(version: str) -> Iterator[str]:
    if f"{sys.version_info.major}.{sys.version_info.minor}" == version:
        yield sys.executable
    found = shutil.which(f"python{version}")
    if found is not None:
        yield found
    folder = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    yield from (str(path) for path in sorted(folder.glob(f"{version}.*/bin/python"), reverse=True))


def environment(corner: Corner, python: str) -> Path:
    """The interpreter of a corner's environment, made if it is missing or its versions have changed."""
    folder = ENVIRONMENTS / corner.name
    inside = folder / "bin" / "python"
    wanted = "\n".join((python, *corner.pins, *TOOLS))
    note = folder / "made-of"
    if not note.exists() or note.read_text() != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([python, "-m", "venv", str(folder)], check=True)
        pip = [str(inside), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "-e", str(ROOT), *corner.pins, *TOOLS], check=True)
        note.write_text(wanted)
    return inside


def versions(inside: Path) -> str:
    """The versions installed in an environment, in a line."""
    text = (
        "import platform, numpy, scipy; "
        "print('Python', platform.python_version() + ',', 'NumPy', numpy.__version__ + ',', "
        "'SciPy', scipy.__version__)"
    )
    return subprocess.run(
        [str(inside), "-c", text], capture_output=True, text=True, check=True
    ).stdout.strip()


def main() -> int:
    """Run the suite at every corner; 1 if a test fails at any."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--list", action="store_true", help="say what there is, and run nothing")
    parser.add_argument("--only", metavar="NAME", help="one corner")
    options, words = parser.parse_known_args()
    outcomes: list[str] = []
    failed = False
    for corner in corners():
        if options.only not in (None, corner.name):
            continue
        python = interpreter(corner.python)
        stated = f"{corner.name}: Python {corner.python}, {', '.join(corner.pins) or 'what is newest'}"
        if python is None:
            outcomes.append(f"{stated}: skipped, no python{corner.python} is installed here")
        elif options.list:
            outcomes.append(f"{stated}: {python}")
        else:
            inside = environment(corner, python)
            ignored = [f"--ignore={folder}" for folder in LEFT_OUT]
            run = subprocess.run([str(inside), "-m", "pytest", *ignored, *words], cwd=ROOT, check=False)
            outcome = "passed" if run.returncode == 0 else f"failed, pytest ended with {run.returncode}"
            failed = failed or run.returncode != 0
            outcomes.append(f"{corner.name}: {versions(inside)}: {outcome}")
    sys.stdout.write("\n".join(outcomes) + "\n")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
