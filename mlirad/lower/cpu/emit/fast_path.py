"""The fast path of a kernel body: what it computes for most blocks of iterations, with less work.

It is computed under assumptions (`mlirad/lower/bodies/assumptions.py`). Where they do not hold, the block is
computed as the body says. Reductions in registers lose no NaN: if only products are assumed to be plain, it
is enough to test the totals.

    inside?  --- yes --->  fast path  --- no NaN --->  results
       |                                   |              |
       no ------------> general path <--- NaN             |
                              '---------------------------'

An absorbed zero has either sign. With a sign of its own, `absorbing_mul` would need two compares and two
masks wherever it stands. As it is, a plain product is right unless it is NaN, so kernels multiply first and
test their results; for a sum, which is NaN if a term is, one test replaces those of all terms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlirad.dialects.shapes import Value as Ssa
from mlirad.lower.bodies.assumptions import Assumptions
from mlirad.lower.bodies.code import BodyCode
from mlirad.lower.bodies.elementwise import kind_of
from mlirad.lower.llvm.text import IRBuilder, Value, constant, undefined


def write_both_paths(assumed: Assumptions, code: BodyCode, values: Sequence[Ssa], u: int) -> None:
    """Write both paths in the innermost loop for one of its unrolled copies, and say in the code what the
    values are there.
    """
    f = code.f
    wanted = [(v, j) for v in values for j in range(code.tiles_of(v))]
    width = {v: code.width if code.lane in code.body.dependences[v] else 1 for v in values}
    work = f.work

    def computed() -> list[Value]:
        return [f.widen(code.get(v, j, u), width[v]) for v, j in wanted]

    def fast(truths: Mapping[Ssa, bool]) -> list[Value]:
        """The values, and whether they are right."""
        with code.assuming(truths, assumed.products):
            found = computed()
        return [*found, f.not_(any_nan(f, found)) if assumed.products else constant("i1", 1)]

    if assumed.conditions:
        start = [undefined(kind_of(v), width[v]) for v, _ in wanted]
        is_inside = _is_inside(assumed, code, u)
        with f.conditional(is_inside, [*start, constant("i1", 0)]) as inside:
            inside.give(*fast(assumed.truths))
        found = inside.results
        if assumed.at_borders:
            f.work = work
            with f.conditional(f.not_(is_inside), found) as border:
                border.give(*fast({}))
            found = border.results
        *given, holds = found
    else:
        *given, holds = fast(assumed.truths)
    f.work = work
    with f.conditional(f.not_(holds), given, unlikely=True) as otherwise, code.assuming({}, ()):
        otherwise.give(*computed())
    for (value, j), result in zip(wanted, otherwise.results, strict=True):
        code.set(value, result, j, u)


def _is_inside(assumed: Assumptions, code: BodyCode, u: int) -> Value:
    """Return whether all conditions hold in all lanes of the current block."""
    f = code.f
    inside = constant("i1", 1)
    for terms, number in assumed.conditions:
        total = f.value(number, "i64")
        for variable, coefficient in terms:
            is_loop = isinstance(variable, int)
            index = code.first(variable, 0, u) if is_loop else code.get(variable)
            total = f.add(total, f.mul(index, coefficient))
            if is_loop and coefficient < 0:
                total = f.add(total, coefficient * (code.block(variable) - 1))
        inside = f.and_(inside, f.icmp("sge", total, 0))
    return inside


def any_nan(f: IRBuilder, values: Sequence[Value]) -> Value:
    """Return whether any float is NaN; one comparison tests two of them."""
    waiting: dict[tuple[str, int], Value] = {}
    tests: dict[int, Value] = {}

    def test(a: Value, b: Value) -> None:
        nan = f.fcmp("uno", a, b)
        tests[a.width] = f.or_(tests[a.width], nan) if a.width in tests else nan

    for value in values:
        if value.is_float:
            other = waiting.pop((value.kind, value.width), None)
            if other is None:
                waiting[value.kind, value.width] = value
            else:
                test(value, other)
    for value in waiting.values():
        test(value, value)
    found = constant("i1", 0)
    for mask in tests.values():
        found = f.or_(found, f.any_lane(mask))
    return found
