"""Blocks: branches, loops, conditionals and switches.

with f.loop(0, n, 8, carries=[zero]) as loop:
    x = f.load(f.gep(p, loop.index, "double"), "double", 8)
    loop.carry(f.fadd(loop.carries[0], x))
f.ret(f.reduce("fadd", loop.results[0], flags="reassoc"))

LLVM does not see which values count loops: the next index goes through empty assembly. It would regroup, by
loop strength reduction, sums with an index in them, a fifth of the time of its code generation. But
invariants are computed outside loops already, and the loops of all benchmarks run as fast as written, except
small convolutions with vectors of 16 bytes, which take up to an eighth longer. Leaving the pass out would be
an option of the whole process, which other users of LLVM share.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from mlirad.dialects.extents import Extent, nominal
from mlirad.lower.large_sizes import greatest
from mlirad.lower.llvm.text.emission import Operand
from mlirad.lower.llvm.text.polling import ASSUMED_ITERATIONS, BETWEEN_POLLS, Polling
from mlirad.lower.llvm.text.value import Value, constant

Made = TypeVar("Made")


class CountedLoop:
    """A counted loop being written: `index` and `carries` in the body, `results` after it."""

    def __init__(self, index: Value, carries: list[Value]) -> None:
        self.index = index
        self.carries = carries
        self.results: list[Value] = []
        self._next: list[Value] | None = None

    def carry(self, *values: Value) -> None:
        """Give the values that the next iteration finds in `carries`; call it at the body's end."""
        if len(values) != len(self.carries):
            raise ValueError(f"{len(values)} values for {len(self.carries)} carries")
        self._next = list(values)

    def carried(self) -> list[Value]:
        """The values last given to `carry`."""
        if self._next is None:
            if self.carries:
                raise ValueError("the loop has carries and its body never called carry()")
            return []
        return self._next


class Conditional:
    """A branch being written: `results` after it are the values given, or the initial ones."""

    def __init__(self, initial: list[Value]) -> None:
        self.initial = initial
        self.given = initial
        self.results: list[Value] = initial

    def give(self, *values: Value) -> None:
        """The values that replace the initial ones when the branch is taken."""
        if len(values) != len(self.initial):
            raise ValueError(f"{len(values)} values for {len(self.initial)} initial ones")
        self.given = list(values)


class ControlFlow(Polling):
    """Blocks and the constructs that open them."""

    @contextmanager
    def loop(
        self,
        lower: Operand,
        upper: Operand,
        step: int = 1,
        carries: Sequence[Value] = (),
        *,
        name: str = "i",
        at_most: int | None = None,
        at_least: int = 0,
        expected: int | None = None,
    ) -> Generator[CountedLoop]:
        """Run the body for index = lower, lower + step, ... while index < upper (step > 0).

        Bounds are `i64`. The body may open further blocks. A loop that provably runs once becomes its body
        with the index a literal; one that provably runs at all gets no guard in front. Of a loop whose bounds
        are not literals `at_most` says how many iterations it makes at most, `at_least` how many at least,
        and `expected` how many it is taken to make; where bounds are extents with sizes in them, these are as
        many as at the greatest and at the nominal size.
        """
        first, last = self.value(lower, "i64"), self.value(upper, "i64")
        iterations: int | None = None
        if first.literal is not None and last.literal is not None:
            iterations = max(0, -(-int(last.literal - first.literal) // step))
        if iterations == 1:
            once = CountedLoop(first, list(carries))
            yield once
            once.results = once.carried()
            return

        body, done = self.fresh_label(f"{name}.body"), self.fresh_label(f"{name}.done")
        before, known = self.block, self._known
        index = Value(self.fresh(), "i64")
        loop = CountedLoop(index, [Value(self.fresh(), c.kind, c.width) for c in carries])
        guarded = not at_least if iterations is None else not iterations
        if guarded:
            self.branch_if(self.icmp("slt", first, last), body, done)
        else:
            self.branch(body)
        entry = len(self._lines) - 1
        self._open(body, dict(known))
        phis = len(self._lines)
        work_before, self.work = self.work, 0
        if iterations is None:
            at_most = _most(lower, upper, step) if at_most is None else at_most
            expected = _expected(lower, upper, step) if expected is None else expected
        known_most = at_most if iterations is None else iterations
        runs, self.runs = self.runs, self.runs * _assumed(known_most if expected is None else expected)
        yield loop
        self.runs = runs
        following = loop.carried()
        window = self._window(step, known_most, work_before)
        after = self._hidden(self.define(f"add nsw i64 {index.text}, {step}", "i64"), first)
        names, starts, ends = [index, *loop.carries], [first, *carries], [after, *following]
        if window is None:
            again = self.define(f"icmp slt i64 {after.text}, {last.text}", "i1")
            latch = self.block
            self.branch_if(again, body, done)
            self._insert(phis, _phis(names, starts, before, ends, latch))
        else:
            latch = self._end_in_windows(
                entry, phis, names, (starts, before), ends, last, window, known, done
            )
        self._open(done, known)
        loop.results = [
            self._merge([(end, latch), (start, before)]) if guarded else end
            for start, end in zip(carries, following, strict=True)
        ]

    def _hidden(self, following: Value, first: Value) -> Value:
        """The next index of a loop, which LLVM does not see to be one, as it goes through empty assembly.

        LLVM's loop strength reduction has nothing to regroup then. It takes a fifth of the time of code
        generation, where sums have many indices in them seconds, and the loops that it makes of those written
        here run no faster: what does not change in a loop is computed outside of it already.
        """
        is_natural = first.literal is not None and first.literal >= 0
        known = f", !range {self.globals.natural()}" if is_natural else ""
        return self.define(f'call i64 asm "", "=r,0"({following.typed}){known}', "i64")

    def _window(self, step: int, iterations: int | None, work_before: int) -> int | None:
        """At the end of a body: how many indices a loop runs between polls, None if it has none.

        A loop whose iterations may run long polls here.
        """
        body = self.work + 3
        everything = body * _assumed(iterations)
        if not self.globals.polls or (iterations is not None and not self.is_long(everything)):
            self.work = work_before + everything
            return None
        iterations_between = BETWEEN_POLLS // body
        if iterations_between <= 1:
            self.poll()
            return None
        self.work = BETWEEN_POLLS
        return iterations_between * step

    def _end_in_windows(
        self,
        entry: int,
        phis: int,
        names: Sequence[Value],
        given: tuple[Sequence[Value], str],
        ends: Sequence[Value],
        last: Value,
        window: int,
        known: dict[str, Value],
        done: str,
    ) -> str:
        """End a loop that polls after every `window` indices; the block from which it goes on to `done`.

        It becomes the inner one of two, so that nothing in it is done for the sake of polls, and vectors need
        not survive a call. Line `entry` jumps to its body, whose label stands before line `phis`.
        """
        starts, before = given
        body, outer = self._lines[phis - 1].removesuffix(":"), self.fresh_label("window")
        self._lines[entry] = self._lines[entry].replace(f"label %{body}", f"label %{outer}")
        outside = [Value(self.fresh(), v.kind, v.width) for v in names]
        ahead, is_inside, limit = (self.fresh() for _ in range(3))
        latch = self.block
        self.branch_if(self.define(f"icmp slt i64 {ends[0].text}, {limit}", "i1"), body, f"{outer}.end")
        self._open(f"{outer}.end", dict(known))
        self.branch_if(self.define(f"icmp slt i64 {ends[0].text}, {last.text}", "i1"), f"{outer}.poll", done)
        self._open(f"{outer}.poll", dict(known))
        work = self.work
        self.poll()
        self.work = work
        self.branch(outer)
        self._insert(phis, _phis(names, outside, outer, ends, latch))
        head = [
            f"{outer}:",
            *_phis(outside, starts, before, ends, self.block),
            f"  {ahead} = add nsw i64 {outside[0].text}, {window}",
            f"  {is_inside} = icmp slt i64 {ahead}, {last.text}",
            f"  {limit} = select i1 {is_inside}, i64 {ahead}, i64 {last.text}",
            f"  br label %{body}",
        ]
        self._insert(phis - 1, head)
        return f"{outer}.end"

    @contextmanager
    def conditional(
        self, condition: Value, initial: Sequence[Value] = (), *, unlikely: bool = False
    ) -> Generator[Conditional]:
        """Run the body only where a scalar condition holds; see `Conditional` for its results.

        Sites of calls in a body that is unlikely to run do not count as ones that run often.
        """
        then, done = self.fresh_label("then"), self.fresh_label("done")
        before, known = self.block, self._known
        self.branch_if(condition, then, done, unlikely=unlikely)
        conditional = Conditional(list(initial))
        self._open(then, dict(known))
        runs, self.runs = self.runs, 0 if unlikely else self.runs
        yield conditional
        self.runs = runs
        end = self.block
        self.branch(done)
        self._open(done, known)
        conditional.results = [
            start if given == start else self._merge([(given, end), (start, before)])
            for given, start in zip(conditional.given, conditional.initial, strict=True)
        ]

    @contextmanager
    def repeat(self, condition: Callable[[], Value], *, at_most: int | None = None) -> Generator[None]:
        """Run the body as long as the condition holds, which `condition` writes; state lies in memory.

        `at_most` says how many iterations there are at most, where that is known.
        """
        work_before, self.work = self.work, 0
        head, body, done = (self.fresh_label(f"while.{part}") for part in ("head", "body", "done"))
        known = self._known
        self.branch(head)
        self._open(head, dict(known))
        goes_on = condition()
        self.branch_if(goes_on, body, done)
        self._open(body, dict(self._known))
        runs, self.runs = self.runs, self.runs * _assumed(at_most)
        yield
        self.runs = runs
        body_work = self.work + 3
        if not self.globals.polls or (at_most is not None and not self.is_long(body_work * at_most)):
            self.work = work_before + body_work * _assumed(at_most)
        else:
            self._burn(body_work)
        self.branch(head)
        self._open(done, known)

    def _burn(self, work: int) -> None:
        """Poll when so much work, at this place, has come to what may run between polls."""
        fuel = self.alloca("i64", 1, 8, initial=constant("i64", BETWEEN_POLLS))
        left = self.sub(self.load(fuel, "i64"), min(work, BETWEEN_POLLS))
        self.store(left, fuel)
        with self.conditional(self.icmp("slt", left, 0), unlikely=True):
            self.store(constant("i64", BETWEEN_POLLS), fuel)
            self.poll()
        self.work = BETWEEN_POLLS

    def either(self, condition: Value, then: Callable[[], Value], otherwise: Callable[[], Value]) -> Value:
        """The value that one of two writers makes: the first where a scalar condition holds."""
        return self._merge(self._two_ways(condition, then, otherwise))

    def run_either(
        self, condition: Value, then: Callable[[], object], otherwise: Callable[[], object]
    ) -> None:
        """Run what one of two writers writes: the first where a scalar condition holds."""
        self._two_ways(condition, then, otherwise)

    def _two_ways(
        self, condition: Value, then: Callable[[], Made], otherwise: Callable[[], Made]
    ) -> list[tuple[Made, str]]:
        """Return what the writers of two branches return, and the blocks in which they end."""
        labels = [self.fresh_label(name) for name in ("then", "else", "done")]
        known = self._known
        self.branch_if(condition, labels[0], labels[1])
        made: list[tuple[Made, str]] = []
        for label, write in zip(labels, (then, otherwise), strict=False):
            self._open(label, dict(known))
            value = write()
            made.append((value, self.block))
            self.branch(labels[2])
        self._open(labels[2], known)
        return made

    def choose(self, index: Value, writers: Sequence[Callable[[], None]]) -> None:
        """Run what one of the writers writes: number `index`, the last one for every other index."""
        labels = [self.fresh_label(f"case{k}") for k in range(len(writers))]
        done = self.fresh_label("chosen")
        known = self._known
        cases = " ".join(f"i64 {k}, label %{label}" for k, label in enumerate(labels[:-1]))
        self.line(f"switch {index.typed}, label %{labels[-1]} [ {cases} ]")
        for label, write in zip(labels, writers, strict=True):
            self._open(label, dict(known))
            write()
            self.branch(done)
        self._open(done, known)

    def _open(self, label: str, known: dict[str, Value]) -> None:
        """Begin a block in which `known` is still valid."""
        self.label(label)
        self._known = known

    def _merge(self, incoming: list[tuple[Value, str]]) -> Value:
        value = incoming[0][0]
        edges = ", ".join(f"[ {v.text}, %{block} ]" for v, block in incoming)
        return self.define(f"phi {value.type} {edges}", value.kind, value.width)


def _phis(
    names: Sequence[Value], starts: Sequence[Value], before: str, ends: Sequence[Value], latch: str
) -> list[str]:
    """Return what values are at the start of a loop's body: from the block before, and from the end of an
    iteration.
    """
    return [
        f"  {name.text} = phi {name.type} [ {start.text}, %{before} ], [ {end.text}, %{latch} ]"
        for name, start, end in zip(names, starts, ends, strict=True)
    ]


def _expected(lower: Operand, upper: Operand, step: int) -> int | None:
    """Return how many iterations a loop makes at the nominal size; None where its bounds are values."""
    if not isinstance(lower, int | Extent) or not isinstance(upper, int | Extent):
        return None
    return max(1, nominal(upper - lower) // step)


def _most(lower: Operand, upper: Operand, step: int) -> int | None:
    """Return how many iterations a loop makes at most at any size; None where its bounds are values."""
    if not isinstance(lower, int | Extent) or not isinstance(upper, int | Extent):
        return None
    return -(-greatest(upper - lower) // step)


def _assumed(iterations: int | None) -> int:
    """Return how many iterations a loop is taken to make, at most the number that is known."""
    return ASSUMED_ITERATIONS if iterations is None else iterations
