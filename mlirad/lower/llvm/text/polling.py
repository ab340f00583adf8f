"""Polls: where long-running code asks the host whether the call is to go on.

A module made with `polls=True` counts, as its functions are written, how many instructions may run between
two polls. A loop that may run long polls at the end of every few iterations, whatever it computes, so no
emitter has to think of it and none can forget it. Short code, and loops of few iterations, have no polls.

A function that polls takes the record of the call as its last parameter (`mlirad/lower/native_program.py`).
When the call is to end, or has failed otherwise, it goes to its label `stop_label`: by default that
returns; a function that owns something releases it there. Callers immediately do the same.

The writer of loops inserts the polls, not the emitters: an emitter cannot forget one, and a loop gets its
poll according to the cost of its body. Loops count down to a poll of the host. A flag set by a signal handler
would be cheaper to read, but it would take a handler other than Python's, and the user's handler has to wait
for Python code anyway. With Python's own machinery every handler, threads, debuggers and test runners keep
working. Polls need the lock only in the main thread, every 50 milliseconds. The first poll releases the lock:
the length of a data-dependent loop is not known beforehand, releasing the lock for every such program would
cost short ones 50 nanoseconds, and a wrong estimate would freeze all threads while the program runs. A call
that fails goes straight to its end: running on with whatever is in memory, up to the next test of a status,
is safe only if no later access relies on a computed value; ranges of indices do.
"""

from __future__ import annotations

from typing import Final

from mlirad.lower.llvm.text.checking import Checking
from mlirad.lower.llvm.text.emission import Parameter
from mlirad.lower.llvm.text.value import Value, constant
from mlirad.lower.native_program import POLL, STATUS_WORD

LONGEST: Final = 1 << 24
"""Instructions, roughly, that run without a poll: some 10 milliseconds."""

BETWEEN_POLLS: Final = 1 << 20
"""Instructions, roughly, from poll to poll where there are any: a poll takes some 30 nanoseconds."""

ASSUMED_ITERATIONS: Final = 16
"""The number of iterations that a loop is taken to make whose number of iterations is not known."""

POLL_ATTRIBUTES: Final = "nounwind willreturn memory(argmem: readwrite, inaccessiblemem: readwrite)"
"""A poll changes no memory that the program sees, so values stay in registers around it."""


class Polling(Checking):
    """Writes polls, and what follows when a call is to end."""

    _context: Value | None = None
    _stop: str | None = None
    _stop_is_written = False

    @property
    def takes_context(self) -> bool:
        """Return whether the function has the record of the call as its last parameter."""
        return self._context is not None

    @property
    def context(self) -> Value:
        """The record of the call; whoever asks for it makes it a parameter."""
        if self._context is None:
            parameter = Parameter("context", "ptr", 1, "noalias")
            self._parameters.append(parameter)
            self._context = Value(f"%{parameter.name}", parameter.kind)
            self.own(self._context)
        return self._context

    @property
    def stop_label(self) -> str:
        """The block in which the function ends early."""
        if self._stop is None:
            self._stop = self.fresh_label("stop")
        return self._stop

    def write_stop(self) -> None:
        """Go on to the block in which the function ends early: what is written next is its text."""
        self.line(f"br label %{self.stop_label}")
        self.label(self.stop_label)
        self._stop_is_written = True

    def text(self, inlining: str = "") -> str:
        if self._stop is not None and not self._stop_is_written:
            self.label(self._stop)
            self.line("ret void")
            self._stop_is_written = True
        return super().text(inlining)

    def stop_if(self, condition: Value) -> None:
        """End early where a condition holds, which is unlikely."""
        known, after = self._known, self.fresh_label("goes_on")
        self.branch_if(condition, self.stop_label, after, unlikely=True)
        self.label(after)
        self._known = known

    def fail_if(self, condition: Value, status: int) -> None:
        """End the call with this status where a condition holds, which is unlikely."""
        fails, after, known = self.fresh_label("fails"), self.fresh_label("goes_on"), self._known
        self.branch_if(condition, fails, after, unlikely=True)
        self.label(fails)
        self.store(constant("i64", status), self.gep(self.context, STATUS_WORD, "i64"))
        self.branch(self.stop_label)
        self.label(after)
        self._known = known

    def _stop_if_stopped(self) -> None:
        """End early if the call is to end: after a call of a function that may have found out."""
        status = self.load(self.gep(self.context, STATUS_WORD, "i64"), "i64")
        self.stop_if(self.icmp("ne", status, 0))

    def poll(self) -> None:
        """Ask the host, and end early if it says so."""
        self.globals.external(POLL, "i64", ["ptr captures(none)"], POLL_ATTRIBUTES)
        status = self.define(f"call i64 @{POLL}({self.context.typed})", "i64")
        self.stop_if(self.icmp("ne", status, 0))
        self.work = 0

    def is_long(self, work: int) -> bool:
        """Return whether a number of instructions is too large to run without a poll."""
        return self.globals.polls and work > LONGEST
