"""Every op of every dialect is dealt with everywhere it has to be.

`COLUMNS` is a table of requirements: a column has a name, the ops it concerns, and the ops that have what it
asks for. A room that has one entry per op adds a line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from xdsl.dialects.func import CallOp
from xdsl.ir import Operation

from docs import op_facts
from mlirad.dialects.array import ARRAY_OPS, FRAME_OPS
from mlirad.dialects.array.elementwise import ELEMENTWISE_OPS
from mlirad.dialects.array.frames import NextRowOp
from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.function import COMBINATOR_OPS, FUNCTION_OPS
from mlirad.dialects.kernel import KERNEL_OPS
from mlirad.dialects.linear import ARRAY_MAP_OPS, CONTROL_OPS, POINTWISE_OPS, PRIMITIVE_OPS, Linear
from mlirad.errors import MliradError
from mlirad.interpreter.running import MEANINGS
from mlirad.linear_maps.apply.control_flow import CONTROL
from mlirad.linear_maps.apply.primitives import FORWARD
from mlirad.linear_maps.sparsity.control import CONTROL_PATTERNS
from mlirad.linear_maps.sparsity.primitives import PRIMITIVE_PATTERNS
from mlirad.linear_maps.transposes import COMPUTED, TRANSPOSES
from mlirad.passes.bulk_operations.table import BULK_RULES, CONTROL_RULES
from mlirad.passes.dual_arrays.constructs import CONSTRUCTS
from mlirad.passes.shard_rows.orders import RanksOp
from mlirad.passes.shard_rows.rules import REFUSED, RULES
from mlirad.rules.derivatives import DERIVATIVES, ELIMINATED, ZERO

LIT = Path(__file__).parents[1] / "lit" / "dialects"

ALL_OPS: tuple[type[Operation], ...] = (
    *ARRAY_OPS,
    *FRAME_OPS,
    *FUNCTION_OPS,
    *COMBINATOR_OPS,
    *Linear.operations,
    *KERNEL_OPS,
)


class Column(NamedTuple):
    """`has` returns the names of the ops that have it; it is called when the test runs."""

    name: str
    ops: Iterable[type[Operation]]
    has: Callable[[], Iterable[str]]


@cache
def lit_lines(invalid: bool) -> tuple[str, ...]:
    """The lines of the lit tests of the dialects: those of invalid IR or those of round trips."""
    paths = [path for path in LIT.glob("*.mlir") if path.stem.endswith("_invalid") == invalid]
    return tuple(line for path in sorted(paths) for line in path.read_text().splitlines())


def round_trips() -> Iterable[str]:
    """The ops that a round-trip test prints and checks."""
    for line in lit_lines(invalid=False):
        if "CHECK" in line:
            # `!linear.map` is a type, `#array.extents` an attribute, and so is what stands first in braces.
            yield from re.findall(r"(?<![!#{])\b(?:array|function|linear|kernel)\.\w+", line)


def invalid_cases() -> Iterable[str]:
    """The ops with an error that a lit test expects."""
    for line in lit_lines(invalid=True):
        pattern = r"expected-error(?:-re)?\s*@\S+\s*\{\{((?:array|function|linear|kernel)\.\w+)"
        yield from re.findall(pattern, line)


def names(*tables: Iterable[type[Operation]]) -> Callable[[], set[str]]:
    """The names of the ops in some tables that have ops as keys."""
    return lambda: {op.name for table in tables for op in table}


VALUES = tuple(op for op in ARRAY_OPS if op is not YieldOp)
"""The ops of the array language that make a value."""


def split_by_rows() -> Iterable[str]:
    """The ops with a rule for chunks of rows, or with a reason against one, except for those of the pass."""
    elementwise = {op.name for op in ELEMENTWISE_OPS}
    return (names(RULES, REFUSED)() | elementwise) - {CallOp.name, RanksOp.name}


def verified() -> Iterable[str]:
    """The ops with a verifier that says what it requires."""
    return (op.name for op in ALL_OPS if op_facts.verification(op))


def native() -> Iterable[str]:
    """The ops of the array language that can be compiled: each is, in a program of its own."""
    for op in VALUES:
        with suppress(MliradError):
            op_facts.native_form(op)
            yield op.name


WITHOUT_CONDITIONS = {"array.yield", "linear.zero"}
"""Ops about which their parents say everything, or that fit any type."""

COLUMNS = (
    Column("verifier", [op for op in ALL_OPS if op.name not in WITHOUT_CONDITIONS], verified),
    Column("lit round trip", ALL_OPS, round_trips),
    Column("lit invalid IR", ALL_OPS, invalid_cases),
    Column("meaning in the interpreter", ALL_OPS, names(MEANINGS)),
    Column("derivative, zero or elimination", VALUES, names(DERIVATIVES, CONSTRUCTS, ZERO, ELIMINATED)),
    Column("bulk form", (*VALUES, NextRowOp), names(BULK_RULES, CONTROL_RULES)),
    Column("native code", VALUES, native),
    Column("rows in chunks", (*ARRAY_OPS, *FRAME_OPS), split_by_rows),
    Column("transpose", PRIMITIVE_OPS, names(TRANSPOSES, COMPUTED)),
    Column("application", PRIMITIVE_OPS, names(FORWARD)),
    Column("sparsity", ARRAY_MAP_OPS, names(PRIMITIVE_PATTERNS)),
    Column("sparsity of control flow", set(CONTROL_OPS) - set(POINTWISE_OPS), names(CONTROL_PATTERNS)),
    Column("application of control flow", CONTROL_OPS, names(CONTROL)),
)


@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: column.name)
def test_every_op_has(column: Column) -> None:
    missing = {op.name for op in column.ops} - set(column.has())
    assert not missing, f"without {column.name}: {', '.join(sorted(missing))}"


@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: column.name)
def test_no_entry_for_an_op_that_does_not_exist(column: Column) -> None:
    # The interpreter also runs the ops of functions.
    extra = {name for name in column.has() if not name.startswith("func.")} - {op.name for op in ALL_OPS}
    assert not extra, f"{column.name} names {', '.join(sorted(extra))}"


def test_no_op_declares_defaults():
    """`LanguageOp.create` fills none in."""
    for op in ALL_OPS:
        definition = op.get_irdl_definition()
        for declared in (*definition.properties.values(), *definition.attributes.values()):
            assert declared.default_value is None, op.name
