"""Entry and exit of called functions: checks of the depth, the stack and the host.

A call that is too deep, or too deep for the stack of its thread, ends the program. The host is asked how far
the stack may grow when a call first finds itself some way below the program's own frame, so that shallow
calls never ask. A function that ends burns fuel for what it did, and polls when none is left.
"""

from __future__ import annotations

from typing import Final

from mlirad.lower.llvm.text import IRBuilder, Value, constant
from mlirad.lower.llvm.text.polling import BETWEEN_POLLS
from mlirad.lower.native_program import (
    DEPTH_LIMIT,
    FUEL_WORD,
    OUT_OF_STACK,
    STACK_LIMIT,
    STACK_WORD,
    STATUS_WORD,
    TOO_DEEP,
)

UNASKED_BYTES: Final = 2048
"""The stack that calls may use before the host is asked."""


def prepare_calls(f: IRBuilder) -> None:
    """At the start of the program: what the functions that it calls find in the record of the call."""
    floor = f.sub(_stack_address(f), UNASKED_BYTES)
    f.store(floor, f.gep(f.context, STACK_WORD, "i64"))
    f.store(constant("i64", BETWEEN_POLLS), f.gep(f.context, FUEL_WORD, "i64"))


def begin_call(f: IRBuilder, depth: Value) -> None:
    """Return at once where a call is too deep."""
    fail_and_return(f, f.icmp("sge", depth, DEPTH_LIMIT), TOO_DEEP)
    here = _stack_address(f)
    known_limit = f.load(f.gep(f.context, STACK_WORD, "i64"), "i64")
    with f.conditional(f.icmp("ult", here, known_limit), unlikely=True):
        f.module.external(STACK_LIMIT, "i64", ["ptr"], "nounwind")
        limit = f.call(STACK_LIMIT, [f.context], "i64")
        assert limit is not None
        fail_and_return(f, f.icmp("ult", here, limit), OUT_OF_STACK)


def finish_call(f: IRBuilder) -> None:
    """Burn the fuel of the function's work, and poll when it runs out."""
    fuel_at = f.gep(f.context, FUEL_WORD, "i64")
    left = f.sub(f.load(fuel_at, "i64"), min(f.work, BETWEEN_POLLS))
    f.store(left, fuel_at)
    with f.conditional(f.icmp("slt", left, 0), unlikely=True):
        f.store(constant("i64", BETWEEN_POLLS), fuel_at)
        f.poll()


def fail_and_return(f: IRBuilder, condition: Value, status: int) -> None:
    """Return with this status where a condition holds: in a function that owns nothing yet."""
    with f.conditional(condition, unlikely=True):
        f.store(constant("i64", status), f.gep(f.context, STATUS_WORD, "i64"))
        f.ret()
        f.label(f.fresh_label("unreached"))


def _stack_address(f: IRBuilder) -> Value:
    """An address in the frame of the function."""
    return f.define(f"ptrtoint ptr {f.alloca('i64', 1, 8).text} to i64", "i64")
