"""Blocks: branches, loops, conditionals and switches.

with f.loop(0, n, 8, carries=[zero]) as loop:
    x = f.load(f.gep(p, loop.index, "double"), "double", 8)
    loop.carry(f.fadd(loop.carries[0], x))
f.ret(f.reduce("fadd", loop.results[0], flags="reassoc"))
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager

from mlirad.lower.llvm_text.emission import Operand
from mlirad.lower.llvm_text.polling import ASSUMED_TRIPS, BETWEEN_POLLS, Polling
from mlirad.lower.llvm_text.value import Value, constant


class Loop:
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
    ) -> Generator[Loop]:
        """Run the body for index = lower, lower + step, ... while index < upper (step > 0).

        Bounds are `i64`. The body may open further blocks. A loop that provably runs once becomes
        its body with the index a literal; one that provably runs at all gets no guard in front.
        Of a loop whose bounds are not literals `at_most` says how many trips it makes at most, and `at_least`
        how many at least.
        """
        first, last = self.value(lower, "i64"), self.value(upper, "i64")
        trips: int | None = None
        if first.literal is not None and last.literal is not None:
            trips = max(0, -(-int(last.literal - first.literal) // step))
        if trips == 1:
            once = Loop(first, list(carries))
            yield once
            once.results = once.carried()
            return

        body, done = self.fresh_label(f"{name}.body"), self.fresh_label(f"{name}.done")
        before, known = self.block, self._known
        index = Value(self.fresh(), "i64")
        loop = Loop(index, [Value(self.fresh(), c.kind, c.width) for c in carries])
        guarded = not at_least if trips is None else not trips
        if guarded:
            self.branch_if(self.icmp("slt", first, last), body, done)
        else:
            self.branch(body)
        self._open(body, dict(known))
        phis = len(self._lines)
        work_before, self.work = self.work, 0
        runs, self.runs = self.runs, self.runs * _assumed(at_most if trips is None else trips)
        yield loop
        self.runs = runs
        following = loop.carried()
        self._poll_in_loop(index, step, at_most if trips is None else trips, work_before)
        after = self.define(f"add nsw i64 {index.text}, {step}", "i64")
        # If it sees equality, LLVM counts in steps of an address where it can, rather than beside it.
        ends = f"slt i64 {after.text}, {last.text}"
        if trips and first.literal is not None:
            ends = f"ne i64 {after.text}, {int(first.literal) + trips * step}"
        again = self.define(f"icmp {ends}", "i1")
        latch = self.block
        self.branch_if(again, body, done)
        lines = [
            f"  {phi.text} = phi {phi.type} [ {start.text}, %{before} ], [ {end.text}, %{latch} ]"
            for phi, start, end in zip(
                [index, *loop.carries], [first, *carries], [after, *following], strict=True
            )
        ]
        self._insert(phis, lines)
        self._open(done, known)
        loop.results = [
            self._merge([(end, latch), (start, before)]) if guarded else end
            for start, end in zip(carries, following, strict=True)
        ]

    def _poll_in_loop(self, index: Value, step: int, trips: int | None, work_before: int) -> None:
        """At the end of a body: poll every so many trips if the loop may run long."""
        body = self.work + 3
        everything = body * _assumed(trips)
        if not self.globals.polls or (trips is not None and not self.is_long(everything)):
            self.work = work_before + everything
            return
        trips_between = BETWEEN_POLLS // body
        if trips_between <= 1:
            self.poll()
            return
        window = 1 << (trips_between * step).bit_length()
        # True once for every `window` indices, late, so that a loop of few trips does not poll.
        is_due = self.icmp("uge", self.and_(index, window - 1), window - step)
        with self.conditional(is_due, unlikely=True):
            self.poll()
        self.work = BETWEEN_POLLS

    @contextmanager
    def conditional(
        self, condition: Value, initial: Sequence[Value] = (), *, unlikely: bool = False
    ) -> Generator[Conditional]:
        """Run the body only where a scalar condition holds; see `Conditional` for its results."""
        then, done = self.fresh_label("then"), self.fresh_label("done")
        before, known = self.block, self._known
        self.branch_if(condition, then, done, unlikely=unlikely)
        conditional = Conditional(list(initial))
        self._open(then, dict(known))
        yield conditional
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

        `at_most` says how many trips there are at most, where that is known.
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
        labels = [self.fresh_label(name) for name in ("then", "else", "done")]
        known = self._known
        self.branch_if(condition, labels[0], labels[1])
        made: list[tuple[Value, str]] = []
        for label, write in zip(labels, (then, otherwise), strict=False):
            self._open(label, dict(known))
            value = write()
            made.append((value, self.block))
            self.branch(labels[2])
        self._open(labels[2], known)
        return self._merge(made)

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


def _assumed(trips: int | None) -> int:
    """How many trips a loop is taken to make, of which at most so many are known."""
    return ASSUMED_TRIPS if trips is None else trips
