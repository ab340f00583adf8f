"""Branches: `cond` and `switch`. Only the branch that is chosen runs; `np.where` computes both sides.

ad.cond(x > 0, np.sqrt, lambda x: 0.0, x)
ad.switch(i, [np.sin, np.cos, np.tan], x)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from mlirad.dialects.shapes import Value
from mlirad.errors import ArgumentError
from mlirad.frontend.constructs import eager
from mlirad.frontend.constructs.carries import Regions, in_trace, scoped, settled
from mlirad.frontend.constructs.loops import flag_of, integer
from mlirad.frontend.constructs.recursion import UnknownResult
from mlirad.frontend.constructs.results import Results
from mlirad.frontend.tracing.argument_kinds import checked_list
from mlirad.frontend.tracing.array import copied_leaves
from mlirad.frontend.tracing.frames import emitting
from mlirad.frontend.tracing.functions import require_arguments
from mlirad.frontend.tracing.source import user_line
from mlirad.frontend.tracing.tokens import last_token, receiving, starting_with
from mlirad.frontend.tracing.tracebacks import plain_errors

Branch: TypeAlias = Callable[..., list[Value]]
Choice: TypeAlias = Callable[[Sequence[Branch]], list[Value]]


@plain_errors
def cond(pred: Any, true_fun: Callable[..., Any], false_fun: Callable[..., Any], *operands: Any) -> Any:
    """`true_fun(*operands)` where `pred` holds, else `false_fun(*operands)`; both return equal structures.

    >>> slope = ad.grad(lambda x: ad.cond(x > 0, np.log, lambda x: x - 1, x))
    >>> slope(4.0), slope(-4.0)
    (np.float64(0.25), np.float64(1.0))
    """

    for function in (true_fun, false_fun):
        require_arguments(function, len(operands), "cond")

    return in_trace(
        lambda: either(pred, true_fun, false_fun, "cond", operands),
        lambda: eager.called(true_fun if eager.flag(pred, "cond") else false_fun, operands, "cond"),
    )


def either(
    pred: Any,
    true_fun: Callable[..., Any],
    false_fun: Callable[..., Any],
    what: str,
    operands: tuple[Any, ...] = (),
    *,
    of_variables: bool = False,
) -> Any:
    """`cond` inside a trace, which errors call `what`; the branches may give dictionaries of variables."""
    flag = flag_of(pred, what).value
    return branched(
        [true_fun, false_fun],
        ["the true branch", "the false branch"],
        operands,
        lambda branches: emitting().if_(flag, *branches),
        what,
        of_variables=of_variables,
    )


@plain_errors
def switch(index: Any, branches: Sequence[Callable[..., Any]], *operands: Any) -> Any:
    """`branches[index](*operands)`; an index outside takes the nearest branch.

    >>> slope = ad.grad(lambda x, i: ad.switch(i, [np.sin, lambda x: 3 * x, lambda x: 1.0], x))
    >>> slope(0.0, 0), slope(0.0, 1), slope(0.0, 7)
    (np.float64(1.0), np.float64(3.0), np.float64(0.0))
    """

    listed = checked_list(branches, "the branches of switch", "write ad.switch(i, [f, g], x)")
    if not listed:
        raise ArgumentError(
            "switch needs at least one branch", location=user_line(), hint="write ad.switch(i, [f, g], x)"
        )
    for function in listed:
        require_arguments(function, len(operands), "switch")

    def chosen() -> Any:
        number = integer(index, "switch: the index", "; for a boolean write ad.cond").value
        names = [f"branch {k}" for k in range(len(listed))]
        return branched(listed, names, operands, lambda regions: emitting().switch(number, regions), "switch")

    def run() -> Any:
        number = eager.integer(index, "switch: the index", "; for a boolean write ad.cond")
        return eager.called(listed[min(max(number, 0), len(listed) - 1)], operands, "switch")

    return in_trace(chosen, run)


def branched(
    functions: Sequence[Callable[..., Any]],
    names: Sequence[str],
    operands: tuple[Any, ...],
    choose: Choice,
    what: str,
    *,
    of_variables: bool = False,
) -> Any:
    """Branches whose results agree, by an op that `choose` emits.

    They are functions of the operands and of the values that the region of the op takes, if any. While the
    result of a recursive function is still unknown, a branch that needs it does not count: the others say
    what it is, called without such values, in an attempt that is given up.
    """
    results = Results(what, of_variables=of_variables)
    last = last_token()
    sides = [starting_with(last, function) for function in functions]
    unknown: set[int] = set()

    def attempt(regions: Regions) -> list[Value]:
        results.begin()

        def branch(k: int) -> Branch:
            def traced(*values: Value) -> list[Value]:
                try:
                    return results.returned(sides[k](*copied_leaves(operands), *values), names[k])
                except UnknownResult:
                    unknown.add(k)
                    raise

            return scoped(regions, traced)

        known = [k for k in range(len(functions)) if k not in unknown]
        if len(known) == 1 and unknown:
            return branch(known[0])()
        return choose([branch(k) for k in (known if unknown else range(len(functions)))])

    while True:
        count = len(unknown)
        try:
            return receiving(results.structure(settled(attempt)))
        except UnknownResult:
            if len(unknown) in (count, len(functions)):
                raise
