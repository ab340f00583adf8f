"""The stages of a program on its way through the passes: which ops are gone for good after each.

    left_over(["eliminate-functions", "linearize"], module)      []: no op of `function`, no linear.linearize

A pass may rely on what the passes before it promise. `pipelines` runs them; `check_stages` has it compare
every module with the promises of the passes that have run, as the tests do.

The tests check every module that a pass leaves, and every memory plan. `PROMISES` lists the ops that are gone
after each pass, `UNDONE` the passes after which a promise no longer holds. A pass that rebuilds loops after
`lower-remaining-builds` must not turn them into builds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, cast

from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from mlirad.errors import CompileError
from mlirad.lazy_dataclass import dataclass

Test = Callable[[Operation], bool]


def _is_free_loop(op: Operation) -> bool:
    """Tell whether an op is a scan without carries that is not kept, which folding makes a build."""
    carries = op.properties.get("carries")
    return (
        op.name == "array.scan"
        and isinstance(carries, IntegerAttr)
        and carries.value.data == 0
        and "kept" not in op.properties
    )


@dataclass(frozen=True)
class Promise:
    """Ops that are gone: those of the names, or of the dialects if a name ends with a dot, except some."""

    gone: tuple[str, ...]
    left: tuple[str, ...] = ()
    test: Test | None = None
    """Tells whether an op is among them, where its name does not."""

    tested_until: str | None = None
    """The pass that makes ops of this form on purpose, when nothing that would be wrong with them follows."""

    def breaks(self, op: Operation, done: Sequence[str]) -> bool:
        """Tell whether an op should be gone after the passes that ran."""
        if self.test is not None and self.tested_until not in done and self.test(op):
            return True
        is_gone = any(op.name == name or (name[-1] == "." and op.name.startswith(name)) for name in self.gone)
        return is_gone and op.name not in self.left


PROMISES: Final[Mapping[str, Promise]] = {
    "eliminate-functions": Promise(("function.",)),
    "linearize": Promise(("linear.linearize",)),
    "apply-linear-maps": Promise(("linear.",), left=("linear.push", "linear.pull")),
    "outline-derivatives": Promise(("linear.",)),
    "lower-custom-derivatives": Promise(("array.custom",)),
    "lower-remaining-builds": Promise(("array.build",), test=_is_free_loop, tested_until="split-reductions"),
    "expand-solves": Promise(("array.solve",)),
    "lower-checkpoints": Promise(("array.checkpoint",)),
}
"""Promises by pass: they hold for its result, and for those of the passes behind it."""

UNDONE: Final[Mapping[str, str]] = {"mlirad-canonicalize": "lower-remaining-builds"}
"""By pass, the one whose promise no longer holds behind it, and which has to run again."""


def left_over(done: Sequence[str], module: ModuleOp) -> Iterator[tuple[str, Operation]]:
    """Yield the ops that should be gone after the passes that ran, each with the pass that promises it."""
    promising = list(_promising(done))
    for op in module.walk() if promising else ():
        for name in promising:
            if PROMISES[name].breaks(op, done) and not _serves_a_returned_map(op):
                yield name, op


def _serves_a_returned_map(op: Operation) -> bool:
    """Tell whether an op is in a function that returns a linear map, which no op applies."""
    while op.parent_op() is not None and not isinstance(op, FuncOp):
        op = cast(Operation, op.parent_op())
    return isinstance(op, FuncOp) and any(t.name == "linear.map" for t in op.function_type.outputs)


def _promising(done: Iterable[str]) -> dict[str, None]:
    """Return the passes whose promises hold, in order."""
    found: dict[str, None] = {}
    for name in done:
        found.pop(UNDONE.get(name, ""), None)
        if name in PROMISES:
            found[name] = None
    return found


class _Checking:
    is_on = False


def check_stages() -> None:
    """Have `require_stage` compare modules with promises, and every plan of memory verified, from now on."""
    _Checking.is_on = True


def are_checked() -> bool:
    """Tell whether `check_stages` was called."""
    return _Checking.is_on


def require_stage(done: Sequence[str], module: ModuleOp) -> None:
    """Raise `CompileError` if a module holds an op that a pass that ran promises to be gone.

    Only where `check_stages` was called: it walks over the module.
    """
    if not _Checking.is_on:
        return
    for name, op in left_over(done, module):
        raise CompileError(
            f"after pass {done[-1]!r} there is a {op.name}, which {name!r} promises to be gone",
            hint="this is a defect of mlirad",
        )
