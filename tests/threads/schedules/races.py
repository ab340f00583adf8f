"""Data races by vector clocks: accesses to memory that the threads' own synchronisation does not order.

Two accesses to a word race if one at least writes, one at least is not atomic, and neither happens before the
other. The order "happens before" is that of C and LLVM: the order of each thread, and from a release (a
store, an unlock, the start of a thread) to the acquire that reads it. The result does not depend on who was
first.
"""

from __future__ import annotations

from collections import defaultdict

Clock = dict[int, int]


def join(clock: Clock, other: Clock) -> None:
    """Let a clock know what another one does."""
    for thread, time in other.items():
        if time > clock.get(thread, 0):
            clock[thread] = time


class Races:
    """The clocks of threads and of words, and the races found."""

    def __init__(self) -> None:
        self.clocks: dict[int, Clock] = {}
        self.found: set[str] = set()
        self._released: dict[int, Clock] = {}
        self._writes: dict[int, tuple[int, int, bool, str]] = {}
        self._reads: dict[int, dict[int, tuple[int, bool, str]]] = defaultdict(dict)

    def start(self, thread: int, parent: int | None = None) -> None:
        """A thread begins, after all that its parent has done."""
        clock = dict(self.clocks[parent]) if parent is not None else {}
        clock[thread] = 1
        self.clocks[thread] = clock
        if parent is not None:
            self.clocks[parent][parent] += 1

    def release(self, thread: int, clock: Clock) -> None:
        """The past of the thread enters a clock, such as that of a lock."""
        join(clock, self.clocks[thread])
        self.clocks[thread][thread] += 1

    def forget(self, address: int, count: int) -> None:
        """Memory that is new."""
        for word in range(count):
            for table in (self._released, self._writes, self._reads):
                table.pop(address + 8 * word, None)

    def access(self, thread: int, address: int, place: str, order: str, *, reads: bool, writes: bool) -> None:
        """A thread reads or writes a word; `order` is that of an atomic access, else empty."""
        clock, is_atomic = self.clocks[thread], bool(order)
        last = self._writes.get(address)
        if last is not None:
            writer, time, was_atomic, where = last
            if clock.get(writer, 0) < time and not (is_atomic and was_atomic):
                self.found.add(f"{place} races with {where}")
        if writes:
            for reader, (time, was_atomic, where) in self._reads[address].items():
                if clock.get(reader, 0) < time and not (is_atomic and was_atomic):
                    self.found.add(f"{place} races with {where}")
        if reads and order in ("acquire", "acq_rel", "seq_cst"):
            join(clock, self._released.get(address, {}))
        if writes:
            if not reads:
                self._released.pop(address, None)  # a plain store releases nothing, an exchange passes it on
            self._writes[address] = thread, clock[thread], is_atomic, place
            self._reads[address].clear()
            if order in ("release", "acq_rel", "seq_cst"):
                self.release(thread, self._released.setdefault(address, {}))
        else:
            self._reads[address][thread] = clock[thread], is_atomic, place
