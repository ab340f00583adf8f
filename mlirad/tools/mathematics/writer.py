"""Functions as text: `let` for some of the values, expressions for the others.

    fun f(x) =
      let y = x * x
      (x + y) * y

Every value is written once, in its own `let`, or where it is used. `Sharing` says which:

    EACH     every op has a let: A-normal form
    NAMED    what has a name in the program, or is used more than once
    LONG     what is used more than once, unless it is short: shared short expressions are written out
    ALL      what is used more than once

Regions are functions `i. body`. Nothing of a program that its results do not need is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum, auto

from xdsl.dialects.builtin import i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, Region

from mlirad.dialects.array.structural import ConstantOp
from mlirad.dialects.linear import MapType
from mlirad.dialects.shapes import Value
from mlirad.ir.builder import function_block
from mlirad.ir.free_values import free_values, own_operands
from mlirad.tools.mathematics.notation import LOOSE, Notation, Text
from mlirad.tools.mathematics.op_notation import form_of

SHORT = 16
"""An expression of at most this number of characters is short."""

ATOMIC = 3
"""So short a text is never worth a name."""

INDENT = "  "


class Sharing(Enum):
    """The values that have a `let`."""

    EACH = auto()
    NAMED = auto()
    LONG = auto()
    ALL = auto()


def written(
    function: FuncOp,
    notation: Notation,
    sharing: Sharing = Sharing.NAMED,
    title: Callable[[str], str] = str,
) -> str:
    """A function as text. `title` gives the name of a function from its symbol."""
    writer = Writer(notation, sharing, title)
    block = function_block(function)
    parameters = ", ".join(writer.named(a) for a in block.args)
    return f"fun {title(function.sym_name.data)}({parameters}) =\n" + indented(writer.body(block))


class Writer:
    """The text of a function in progress: names of values, and texts of those that have no `let`."""

    def __init__(self, notation: Notation, sharing: Sharing, title: Callable[[str], str] = str):
        self.notation = notation
        self.sharing = sharing
        self.title = title
        self._texts: dict[Value, Text] = {}
        self._taken: set[str] = set()

    # Requests of forms ----------------------------------------------------------------------------

    def of(self, value: Value, binding: int = LOOSE) -> str:
        """A value where something at least so tight is wanted."""
        return self._texts[value].within(binding)

    def list_of(self, values: Iterable[Value]) -> str:
        """Values, separated by commas."""
        return ", ".join(self.of(v) for v in values)

    def tuple_of(self, values: Sequence[Value]) -> str:
        """One value, or several in parentheses."""
        return self.of(values[0]) if len(values) == 1 else f"({self.list_of(values)})"

    def function(self, region: Region) -> str:
        """A region as a function: `i, j. body`."""
        names = [self.named(a) for a in region.block.args]
        body = self.body(region.block)
        if not names:
            return body
        between = "\n" + indented(body) if "\n" in body else " " + body
        return f"{', '.join(names)}.{between}"

    # Names -------------------------------------------------------------------------------------------

    def named(self, value: Value) -> str:
        """Give a value a name of its own."""
        is_map = isinstance(value.type, MapType)
        hint = value.name_hint
        if hint is None:
            return self._fresh(
                "m" if is_map else _letters(value) if isinstance(value.owner, Block) else "t", value
            )
        if hint.startswith("d_"):
            base = (self.notation.derivative if is_map else "d") + hint.removeprefix("d_")
        else:
            base = hint
        return self._fresh([base], value)

    def _fresh(self, letters: Sequence[str], value: Value) -> str:
        """The first of these names that is free, or one of them with a number."""
        between = "" if value.name_hint is None else "_"
        count = 0
        free = [name for name in letters if name not in self._taken]
        while not free:
            count += 1
            free = [n for n in (f"{name}{between}{count}" for name in letters) if n not in self._taken]
        name = free[0]
        self._taken.add(name)
        self._texts[value] = Text(name)
        return name

    # Blocks ------------------------------------------------------------------------------------------

    def body(self, block: Block) -> str:
        """The lets of a block and what it yields or returns, a line each."""
        last = block.last_op
        assert last is not None
        results = own_operands(last)
        needed = _needed(block)
        uses = _uses(needed, results)
        lines: list[str] = []
        for op in needed:
            text = form_of(self, op)
            is_last = len(results) == 1 and results[0].owner is op and uses.get(results[0]) == 1
            if len(op.results) == 1 and (is_last or not self._has_let(op, text, uses)):
                self._texts[op.results[0]] = text
                continue
            names = [self.named(r) for r in op.results]
            left = names[0] if len(names) == 1 else f"({', '.join(names)})"
            lines.append(f"let {left} = {text.text}")
        lines.append(self.tuple_of(results) if results else "()")
        return "\n".join(lines)

    def _has_let(self, op: Operation, text: Text, uses: Mapping[Value, int]) -> bool:
        value = op.results[0]
        if isinstance(op, ConstantOp):
            return len(text.text) > SHORT
        match self.sharing:
            case Sharing.EACH:
                return True
            case Sharing.NAMED:
                return value.name_hint is not None or (uses[value] > 1 and len(text.text) > SHORT)
            case Sharing.LONG:
                is_named = value.name_hint is not None and len(text.text) > ATOMIC
                return uses[value] > 1 and (is_named or len(text.text) > SHORT)
            case Sharing.ALL:
                return uses[value] > 1 and len(text.text) > ATOMIC


def _letters(value: Value) -> str:
    """Letters for an argument of a region: indices, or values."""
    return "ijkl" if value.type == i64 else "cdeuvw"


def _needed(block: Block) -> list[Operation]:
    """The ops of a block that what it yields depends on, in order."""
    last = block.last_op
    assert last is not None
    pending = list(own_operands(last))
    found: set[Operation] = set()
    while pending:
        owner = pending.pop().owner
        if isinstance(owner, Operation) and owner.parent is block and owner not in found:
            found.add(owner)
            pending += free_values(owner)
    return [op for op in block.ops if op in found]


def _uses(ops: Sequence[Operation], results: Sequence[Value]) -> dict[Value, int]:
    """Return how often each value is written by these ops and as a result."""
    uses: dict[Value, int] = {r: 0 for op in ops for r in op.results}
    pending: list[Operation] = list(ops)
    while pending:
        op = pending.pop()
        for value in own_operands(op):
            if value in uses:
                uses[value] += 1
        pending += [inner for region in op.regions for inner in region.block.ops]
    for value in results:
        if value in uses:
            uses[value] += 1
    return uses


def indented(text: str) -> str:
    """A text moved to the right."""
    return INDENT + text.replace("\n", "\n" + INDENT)
