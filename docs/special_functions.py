"""The table of special functions: what each is, and its derivatives as formulas.

| `gammainc(a, x)` | regularised lower incomplete gamma function | none by a; exp(...) by x |
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import f64
from xdsl.ir import Operation, SSAValue

from docs.formulas import Formulas
from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.special_functions import SPECIAL_FUNCTIONS
from mlirad.dialects.shapes import keyword
from mlirad.ir.arrays import ArrayBuilder, new_function
from mlirad.rules.special_derivatives.table import SPECIAL_DERIVATIVES, special_coefficient

LONGEST = 120
"""Formulas that are longer are in the source only."""

MOST_OPS = 100_000
"""Formulas of more, with what is shared written wherever it is read, are not even written out here."""

HEAD = """\
# Special functions

`array.special` names one of these. `r` is the result. *None* stands for a derivative that has no formula in
functions of the table: to ask for it is an error. Longer formulas are in `mlirad/rules/special_derivatives/`.
SciPy computes the functions, except for those that the pass `expand-formulas` makes elementwise ops of."""


def table() -> Iterator[str]:
    """The page."""
    yield HEAD
    yield ""
    yield "| function | | derivatives |"
    yield "| --- | --- | --- |"
    for name, known in SPECIAL_FUNCTIONS.items():
        called = f"{name}({', '.join(known.parameters)})"
        rows = [f"{_derivative(name, k)} by {parameter}" for k, parameter in enumerate(known.parameters)]
        yield f"| `{called}` | {known.meaning.replace('|', '&#124;')} | {'; '.join(rows)} |"


def _derivative(name: str, k: int) -> str:
    if SPECIAL_DERIVATIVES[name][k] is None:
        return "none"
    known = SPECIAL_FUNCTIONS[name]
    formulas: list[str] = []

    def body(b: ArrayBuilder, *arguments: SSAValue) -> list[SSAValue]:
        op = b.insert(ew.SpecialOp, arguments, [f64], {"function": keyword(name)})
        assert isinstance(op, ew.SpecialOp)
        names = {**dict(zip(arguments, known.parameters, strict=True)), op.result: "r"}
        value = special_coefficient(k)(b, op)
        formulas.append("" if _written_size(value, {}) > MOST_OPS else Formulas(names).of(value))
        return [op.result]

    new_function("f", [f64] * known.arity, body, None, known.parameters)
    (found,) = formulas
    if "custom(" in found:
        return "an integral over the density"
    return f"`{found}`" if 0 < len(found) <= LONGEST else "a longer formula"


def _written_size(value: SSAValue, known: dict[SSAValue, int]) -> int:
    """The number of ops written for a value, counted again wherever it is read."""
    if value not in known:
        operands = value.owner.operands if isinstance(value.owner, Operation) else ()
        known[value] = 1 + sum(_written_size(operand, known) for operand in operands)
    return known[value]
