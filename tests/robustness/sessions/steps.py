"""The steps of sessions, how a session is drawn, and how it runs."""

from __future__ import annotations

import contextlib
import gc
import os
import random
import signal
import threading
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

import mlirad as ad
from tests.robustness.sessions import functions
from tests.robustness.sessions.children import PATIENCE, exit_code
from tests.robustness.sessions.functions import (
    DIRECT,
    TRANSFORMATIONS,
    Applied,
    Knobs,
    Objective,
    arguments,
    objectives,
    transformations,
    wrong_arguments,
)
from tests.robustness.sessions.outcomes import assert_alike, copied, leaves, lines_of, outcome
from tests.robustness.sessions.structures import leaves_of, mapped, random_structure, shape_of


class Step(NamedTuple):
    """One thing that happens; what the numbers choose depends on its kind."""

    kind: str
    a: int = 0
    b: int = 0
    c: int = 0


@dataclass
class Session:
    """The functions, results and maps that a session has made so far."""

    knobs: Knobs = field(default_factory=Knobs)
    made: list[tuple[int, str, Objective, Applied]] = field(default_factory=list)
    kept: list[tuple[Any, Any]] = field(default_factory=list)
    maps: list[tuple[Any, Any, Any]] = field(default_factory=list)

    def run(self, step: Step) -> None:
        """Do what the step says."""
        STEPS[step.kind](self, step.a, step.b, step.c)

    def chosen(self, a: int) -> tuple[int, str, Objective, Applied]:
        """One of the transformed functions; the first call makes it."""
        if not self.made:
            self.transform(a, 0, 0)
        return self.made[a % len(self.made)]

    def expected(self, index: int, name: str, function: Objective, args: tuple[Any, Any]) -> Any:
        """The interpreted result of an equal function made now, or the fault it raises.

        A function whose cell was filled when it was made is interpreted itself.
        """
        equal = function if index == CELLS else objectives(self.knobs)[index]
        return outcome(transformations({"interpret": True})[name](equal), args)

    # Steps

    def transform(self, a: int, b: int, c: int) -> None:
        """Transform one of the functions, a new one or one that was transformed before."""
        available = objectives(self.knobs)
        index, name = a % len(available), TRANSFORMATIONS[b % len(TRANSFORMATIONS)]
        earlier = [f for k, _, f, _ in self.made if k == index and index != CELLS]
        function = earlier[0] if earlier and c % 2 else available[index]
        self.made.append((index, name, function, transformations({})[name](function)))

    def call(self, a: int, b: int, c: int) -> None:
        """Call one, and compare; what it gave is kept."""
        index, name, function, applied = self.chosen(a)
        args = arguments(b, c)
        expected = self.expected(index, name, function, args)
        got = outcome(applied, args)
        assert_alike(got, expected)
        self.kept.append((got, copied(got)))

    def call_again(self, a: int, b: int, c: int) -> None:
        """Call one several times, so that the quickest way of calling is reached."""
        for _ in range(3):
            self.call(a, b, c)

    def change(self, a: int, b: int, c: int) -> None:
        """Change something that functions read."""
        knobs, x = self.knobs, 0.25 + (b % 8) / 4
        match a % 9:
            case 0:
                knobs.scale = x
            case 1:
                knobs.count = b % 3
            case 2:
                knobs.is_bent = not knobs.is_bent
            case 3:
                knobs.weights[b % 2] = x
            case 4:
                knobs.weights = np.array([x, 1.0])
            case 5:
                knobs.table["gain"] = x
            case 6:
                knobs.levels.append(x)
            case 7:
                knobs.bend = (np.tanh, np.sin, np.cos)[b % 3]
            case _:
                functions.GAIN = x

    def break_and_mend(self, a: int, b: int, c: int) -> None:
        """Let a function raise while it is traced, call it, and call it again when it is whole."""
        self.knobs.is_broken = True
        try:
            self.call(a, b, c)
        finally:
            self.knobs.is_broken = False
        self.call(a, b, c)

    def drop(self, a: int, b: int, c: int) -> None:
        """Forget a transformed function, and what was kept."""
        if self.made:
            del self.made[a % len(self.made)]
        self.check_kept()
        self.kept.clear()
        gc.collect()

    def call_in_threads(self, a: int, b: int, c: int) -> None:
        """Call several at once, each from a thread of its own."""
        jobs = [self.chosen(a + k) for k in range(1 + c % 3)]
        jobs += [jobs[0]]
        points = [arguments(b, c + k % 2) for k in range(len(jobs))]
        expected = [
            self.expected(index, name, function, point)
            for (index, name, function, _), point in zip(jobs, points, strict=True)
        ]
        got: list[Any] = [None] * len(jobs)
        start = threading.Barrier(len(jobs))

        def work(k: int) -> None:
            start.wait()
            got[k] = outcome(jobs[k][3], points[k])

        threads = [threading.Thread(target=work, args=(k,), daemon=True) for k in range(len(jobs))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)
            assert not thread.is_alive(), "a thread hangs"
        for one, other in zip(got, expected, strict=True):
            assert_alike(one, other)

    def call_wrongly(self, a: int, b: int, c: int) -> None:
        """Arguments that cannot be meant give mlirad's errors, errors of the user's lines, or a result."""
        _, _, function, _ = self.chosen(a)
        made = transformations({})[DIRECT[c % len(DIRECT)]](function)
        try:
            made(*wrong_arguments(b))
        except ad.MliradError as error:
            assert not isinstance(error, ad.CompileError), error
        except Exception as error:
            # Functions that stand for NumPy's have frames of their own.
            frames = [file for file in lines_of(error) if "numpy_functions" not in file]
            assert frames[-1] in (__file__, functions.__file__), traceback.format_exc()

    def interrupt(self, a: int, b: int, c: int) -> None:
        """Interrupt a call at some time: it ends by the interrupt or well, and so does the next one."""
        index, name, function, applied = self.chosen(a)
        args = arguments(b, c)
        expected = self.expected(index, name, function, args)
        with interrupted(0.001 * 1.5 ** (c % 16)):
            assert_alike(outcome(applied, args), expected)
        assert_alike(outcome(applied, args), expected)

    def fork(self, a: int, b: int, c: int) -> None:
        """A forked child calls one, perhaps while a thread of the parent compiles."""
        index, name, function, applied = self.chosen(a)
        args = arguments(b, c)
        expected = self.expected(index, name, function, args)
        busy = None
        if c % 2:
            busy = threading.Thread(target=lambda: outcome(ad.jit(lambda x: x * c), (1.0,)), daemon=True)
            busy.start()
        child = os.fork()
        if child == 0:
            code = 1
            with contextlib.suppress(BaseException):
                assert_alike(outcome(applied, args), expected)
                code = 0
            os._exit(code)
        assert exit_code(child) == 0, "the child of a fork gives another result"
        if busy is not None:
            busy.join(PATIENCE)

    def make_map(self, a: int, b: int, c: int) -> None:
        """Linearize, to apply the map later."""
        index, _, function, _ = self.chosen(a)
        args = arguments(b, c)
        tangents = (0.5, np.asarray(args[1]) * 0 + 0.25)
        expected = outcome(
            lambda *x: ad.jvp(objectives(self.knobs)[index], x, tangents, interpret=True)[1], args
        )
        made = outcome(lambda *x: ad.linearize(function, *x)[1], args)
        if isinstance(made, ad.LinearMap):
            self.maps.append((made, tangents, expected))
        else:
            assert_alike(made, expected)

    def apply_maps(self, a: int, b: int, c: int) -> None:
        """Apply the maps made so far: they are those of the points and values where they were made."""
        for made, tangents, expected in self.maps:
            assert_alike(outcome(made, tangents), expected)

    def use_result(self, a: int, b: int, c: int) -> None:
        """Change an argument and a result in place: neither a later call nor an earlier result may see it."""
        index, name, function, applied = self.chosen(a)
        s, v = arguments(0, c)
        first = outcome(applied, (s, v))
        before = copied(first)
        v += 1.0
        assert_alike(first, before, exactly=True)
        for leaf in leaves(first):
            if isinstance(leaf, np.ndarray):
                leaf[...] = 7.0
        assert_alike(outcome(applied, (s, v)), self.expected(index, name, function, (s, v)))

    def use_structures(self, a: int, b: int, c: int) -> None:
        """A gradient with respect to a random structure has that structure, and so has a result."""
        structure = 0.5, random_structure(random.Random(a * 3600 + b * 60 + c), 1 + c % 3)

        def objective(value: Any) -> Any:
            return sum((np.sum(np.sin(leaf)) for leaf in leaves_of(value)), start=0.0) * self.knobs.scale

        gradient = ad.grad(objective)(structure)
        wanted = mapped(lambda leaf: np.cos(leaf) * self.knobs.scale, structure)
        doubled = ad.jit(lambda value: mapped(lambda leaf: leaf * 2, value))(structure)
        for got, expected in (gradient, wanted), (doubled, mapped(lambda leaf: leaf * 2, structure)):
            assert shape_of(got) == shape_of(expected)
            for one, other in zip(leaves_of(got), leaves_of(expected), strict=True):
                assert_alike(one, other)

    def check_kept(self) -> None:
        """No later call has changed what an earlier one gave."""
        for got, copy in self.kept:
            assert_alike(got, copy, exactly=True)


CELLS = 5
"""The function that reads a cell: made at another time, it is another function."""

STEPS: dict[str, Callable[[Session, int, int, int], None]] = {
    "transform": Session.transform,
    "call": Session.call,
    "call again": Session.call_again,
    "change": Session.change,
    "break": Session.break_and_mend,
    "drop": Session.drop,
    "threads": Session.call_in_threads,
    "wrong": Session.call_wrongly,
    "interrupt": Session.interrupt,
    "fork": Session.fork,
    "map": Session.make_map,
    "apply": Session.apply_maps,
    "use": Session.use_result,
    "structures": Session.use_structures,
}

OFTEN = ("transform", "call", "call", "call again", "change", "change")


def random_session(seed: int, length: int) -> list[Step]:
    """The steps of a session; a function of the seed and the length."""
    rng = random.Random(seed)
    kinds = (*STEPS, *OFTEN)
    steps = [Step(rng.choice(kinds), *(rng.randrange(60) for _ in range(3))) for _ in range(length)]
    return [Step("transform", rng.randrange(60), rng.randrange(60)), *steps]


def run_session(steps: list[Step]) -> None:
    """Run a session in this process, and put back the globals that it changes."""
    before, session = functions.GAIN, Session()
    try:
        for step in steps:
            session.run(step)
        session.apply_maps(0, 0, 0)
        session.check_kept()
    finally:
        functions.GAIN = before


@contextlib.contextmanager
def interrupted(delay: float) -> Iterator[None]:
    """Raise KeyboardInterrupt in what runs inside, after a delay in seconds, if it still runs then."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    previous = signal.signal(signal.SIGALRM, interrupt)
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, delay)
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:
        pass
    finally:
        signal.signal(signal.SIGALRM, previous)
