"""Options of the test suite.

pytest -m fuzz --fuzz-seconds=3600    random programs, an hour of each kind, and what `sampling.py` leaves out
pytest --day=today                    other cases of tests with parameters, see `sampling.py`
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections import Counter
from collections.abc import Iterator, Mapping

import numpy as np
import pytest
from hypothesis import settings

import mlirad.pipelines  # noqa: F401  it tells passes which others they run
from mlirad.recursion import in_large_frame
from mlirad.stages import check_stages
from tests.known_faults import KNOWN_FAULTS
from tests.sampling import DAY, SECONDS, Day, day_of, waiting

# Many tests start Python, and xdist a Python for each core: none should compile all of mlirad again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# A program that an earlier run kept would hide what compiling it would show; tests of the cache turn it on.
os.environ["MLIRAD_CACHE"] = "off"

# A shell has its jobs in the background ignore Ctrl-C, and so would every process that tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

CHOSEN = pytest.StashKey[Day]()

_generators: dict[np.random.Generator, Mapping[str, object]] = {}
"""The generators of random numbers that modules of tests hold, with their states when these were imported."""

settings.register_profile("everyday", max_examples=20, derandomize=True, deadline=None)
settings.register_profile("fuzzing", deadline=None)


def pytest_configure(config: pytest.Config) -> None:
    """The same random examples every day, fresh ones when fuzzing. Nothing is garbage until tests run."""
    gc.disable()
    check_stages()
    settings.load_profile("fuzzing" if config.getoption("--fuzz-seconds") > 0 else "everyday")
    # Workers have the day of the process that starts them, also around midnight.
    config.option.day = day_of(config.option.day)
    config.stash[CHOSEN] = Day(config.option.day, config.getoption("--file-seconds"))
    config.pluginmanager.register(config.stash[CHOSEN])


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare `--fuzz-seconds`, `--day` and `--file-seconds`."""
    parser.addoption(
        "--fuzz-seconds",
        type=float,
        default=0.0,
        metavar="SECONDS",
        help="how long long random runs take; without it these and what sampling.py leaves out are not run",
    )
    parser.addoption("--day", metavar="DATE", default=DAY, help="whose cases of tests to run; or today")
    parser.addoption(
        "--file-seconds",
        type=float,
        default=SECONDS,
        metavar="SECONDS",
        help="how long the tests of a file may have taken when a case begins that may wait for another day",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave long random runs, and what the everyday run does without, to those who ask for them."""
    is_whole = not any("::" in name for name in config.args) and not config.getoption("lf", False)
    _expect_known_faults(items, is_whole=is_whole)
    if config.getoption("--fuzz-seconds") > 0:
        for item in waiting(items) if is_whole else ():
            item.add_marker("fuzz")
        return
    # By the marker: keywords have the names of folders, too.
    kept = [item for item in items if not item.get_closest_marker("fuzz")]
    if is_whole:
        kept = config.stash[CHOSEN].chosen(kept)
    config.hook.pytest_deselected(items=list(set(items).difference(kept)))
    items[:] = kept


def _expect_known_faults(items: list[pytest.Item], *, is_whole: bool) -> None:
    """Mark the cases that are known to fail. Of whole files each has to be a case."""
    cases = {item.nodeid: item for item in items}
    files = {name.partition("::")[0] for name in cases}
    for name, reason in KNOWN_FAULTS.items():
        if name in cases:
            cases[name].add_marker(pytest.mark.xfail(reason=reason, strict=False))
        assert name in cases or not is_whole or name.partition("::")[0] not in files, f"{name} is not a case"


def pytest_runtest_setup() -> None:
    """A test compiles and draws the same, whatever tests have run before.

    A function is compiled, and a compile counted, though an earlier test has made an equal one; generators of
    random numbers that modules hold start from their first state.
    """
    for generator, state in _generators.items():
        generator.bit_generator.state = state
    recompiles = sys.modules.get("mlirad.frontend.compiling.recompiles")
    if recompiles is not None:
        recompiles.shared_programs.forget()


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> None:
    """Tests have room for their frames, however deep pytest calls them; no frame of mlirad is around them."""
    own, call = pyfuncitem.obj, in_large_frame(globals())
    pyfuncitem.obj = lambda **given: call(own, (), given)


def pytest_collection_finish() -> None:
    """Note the states of generators, and have the garbage collector leave the tests alone.

    Programs are many small objects, so that the usual threshold, 700 of them, is met within a millisecond.
    Few live long, so looking through all that do takes little, and garbage makes what looks at objects slow.
    """
    for name, module in list(sys.modules.items()):
        if name.startswith("tests."):
            for value in vars(module).values():
                if isinstance(value, np.random.Generator):
                    _generators[value] = value.bit_generator.state
    gc.freeze()
    gc.set_threshold(20_000, 10, 2)
    gc.enable()


@pytest.fixture
def fuzz_seconds(request: pytest.FixtureRequest) -> float:
    """The time a long random run may take."""
    return float(request.config.getoption("--fuzz-seconds"))


@pytest.fixture
def judged(request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]) -> Iterator[Counter[str]]:
    """The number of programs of each kind that a long random run has judged; printed when it ends."""
    counts = Counter[str]()
    yield counts
    with capsys.disabled():
        for kind, count in sorted(counts.items()):
            print(f"\n{request.node.name}: {count:>7}  {kind}", end="")  # noqa: T201
