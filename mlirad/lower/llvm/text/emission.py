"""The growing text of one function: fresh names, current block, and a memo of pure instructions.

A pure instruction is written once per scope: a later request for the same right-hand side gives the
first result. A scope is a block with the blocks it dominates, as far as the structured constructs
of `ControlFlow` (loops, conditionals) tell; a bare label starts with an empty memory.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple, cast

from mlirad.dialects.extents import Extent, Monomial, Quotient, Terms
from mlirad.errors import SizeNeeded
from mlirad.lower.llvm.text.globals import ModuleGlobals
from mlirad.lower.llvm.text.value import Kind, Value, constant, type_text, undefined

Operand = Value | float | int
"""The operand of arithmetic methods: a value, or a Python number that takes the other operand's kind. An
extent with sizes in it is computed from these.
"""


class Parameter(NamedTuple):
    """A parameter of a function: `attributes` such as `"noalias nonnull align 64"`."""

    name: str
    kind: Kind
    width: int = 1
    attributes: str = ""


class Emission:
    """Lines, names and the memory of one function under construction."""

    def __init__(
        self,
        shared: ModuleGlobals,
        name: str,
        parameters: Sequence[Parameter],
        result_type: str,
        linkage: str,
        attributes: str,
    ) -> None:
        self.globals = shared
        self.name = name
        self.arguments = [Value(f"%{p.name}", p.kind, p.width) for p in parameters]
        self.block = "entry"
        self.work: int = 0
        """Instructions that run after the last poll of the function's call, roughly; see `polling.py`."""
        self.runs: int = 1
        """The number of runs, in a call of the program, of what is written next, estimated."""
        self.is_inlined_if_short = False
        """True if it is inlined if it is short and called in one place; see `call_sites.py`."""
        self._parameters = list(parameters)
        self._result_type = result_type
        self._linkage = linkage
        self._attributes = attributes
        self._allocas: list[str] = []
        self.sizes: Mapping[str, Value] = {}
        """The sizes that extents may have in them, as values that the function has from its entry on."""
        self.place: str | None = None
        """The place in the source that what is written next is for."""
        self._lines: list[str] = []
        self._places: list[str | None] = []
        self._count = 0
        self._known: dict[str, Value] = {}

    def text(self, inlining: str = "") -> str:
        """The definition, with stack slots at the head of the entry block and one more attribute."""
        parameters = ", ".join(_parameter_text(p) for p in self._parameters)
        named = f"@{self.name}({parameters})"
        attributes = (inlining, self._attributes)
        header = " ".join(filter(None, ("define", self._linkage, self._result_type, named, *attributes)))
        lines = self._lines
        if self.globals.shows_places:
            placed = zip(lines, self._places, strict=True)
            lines = [line if place is None else f"{line} ; {place}" for line, place in placed]
        return "\n".join([header + " {", "entry:", *self._allocas, *lines, "}"])

    @property
    def length(self) -> int:
        """Return how many lines have been written."""
        return len(self._lines)

    def definition(self) -> Hashable:
        """The function without its name: equal for functions that do the same, by the same text."""
        head = (*self._parameters, self._result_type, self._linkage, self._attributes)
        return head, tuple(self._allocas), tuple(self._lines)

    def fresh(self) -> str:
        """A new name for an SSA value, with its percent sign."""
        self._count += 1
        return f"%.{self._count - 1}"

    def fresh_label(self, hint: str) -> str:
        """A new block name, without percent sign."""
        self._count += 1
        return f"{hint}.{self._count - 1}"

    def line(self, text: str) -> None:
        """Write an instruction that defines nothing."""
        self.work += 1
        self._append("  " + text)

    def define(self, right: str, kind: Kind, width: int = 1) -> Value:
        """Write an instruction with an effect, such as a load, and name its result."""
        name = self.fresh()
        self.work += 1
        self._append(f"  {name} = {right}")
        return Value(name, kind, width)

    def pure(self, right: str, kind: Kind, width: int = 1) -> Value:
        """The result of an instruction that depends on its operands alone, once per scope."""
        known = self._known.get(right)
        if known is None:
            known = self._known[right] = self.define(right, kind, width)
        return known

    def _size(self, name: str) -> Value:
        """A size; raises `SizeNeeded` in a function that is not given it."""
        if name not in self.sizes:
            raise SizeNeeded(f"size {name} in a function that is not given it", name)
        return self.sizes[name]

    def label(self, name: str) -> None:
        """Begin a block that nothing is known about."""
        self._append(f"{name}:", is_label=True)
        self.block = name
        self._known = {}

    def _append(self, line: str, *, is_label: bool = False) -> None:
        self._lines.append(line)
        self._places.append(None if is_label else self.place)

    def _insert(self, at: int, lines: Sequence[str]) -> None:
        """Write lines in front of the one of this number."""
        self._lines[at:at] = lines
        self._places[at:at] = [self.place] * len(lines)

    def branch(self, target: str) -> None:
        """Jump to a block; the current block ends here."""
        self.line(f"br label %{target}")

    def branch_if(self, condition: Value, then: str, otherwise: str, *, unlikely: bool = False) -> None:
        """Jump by a scalar condition, which may be `unlikely`; the current block ends here."""
        weights = self.globals.unlikely() if unlikely else ""
        self.line(f"br {condition.typed}, label %{then}, label %{otherwise}{weights}")

    def value(self, operand: Operand, kind: Kind) -> Value:
        """The operand as a value; a Python number becomes a literal of the kind."""
        if isinstance(operand, Value):
            return operand
        extent = cast(object, operand)
        return self._polynomial(extent.terms) if isinstance(extent, Extent) else constant(kind, operand)

    def _polynomial(self, stated: Terms) -> Value:
        """The extent of these terms that an array has in this call, an i64."""
        terms = [self._monomial(monomial, factor) for monomial, factor in stated]
        total = terms[0]
        for term in terms[1:]:
            total = self.pure(f"add nsw i64 {total.text}, {term.text}", "i64")
        return total

    def _monomial(self, atoms: Monomial, factor: int) -> Value:
        """A product of atoms and a factor; the extents in quotients are not negative."""
        if not atoms:
            return constant("i64", factor)
        values = [self._polynomial(a.terms) if isinstance(a, Quotient) else self._size(a) for a in atoms]
        for k, atom in enumerate(atoms):
            if isinstance(atom, Quotient):
                values[k] = self.pure(f"udiv i64 {values[k].text}, {atom.divisor}", "i64")
        product = values[0]
        for value in values[1:]:
            product = self.pure(f"mul nsw i64 {product.text}, {value.text}", "i64")
        return product if factor == 1 else self.pure(f"mul nsw i64 {product.text}, {factor}", "i64")

    def widen(self, value: Value, width: int) -> Value:
        """The value in every lane of a vector; itself if it has that width already."""
        if value.width == width:
            return value
        if value.width != 1:
            raise ValueError(f"cannot widen {value.typed} to {width} lanes")
        if value.literal is not None:
            text = f"splat ({value.typed})"
            return Value(text, value.kind, width, value.literal)
        if value.text == "poison":
            return undefined(value.kind, width)
        vector = type_text(value.kind, width)
        first = self.pure(f"insertelement {vector} poison, {value.typed}, i64 0", value.kind, width)
        return self.pure(
            f"shufflevector {first.typed}, {vector} poison, <{width} x i32> zeroinitializer",
            value.kind,
            width,
        )

    def common(self, *operands: Operand) -> list[Value]:
        """The operands as values of one kind and the largest width among them.

        Numbers take the kind of the first operand that is a value; at least one must be.
        """
        typed = [o for o in operands if isinstance(o, Value)]
        if not typed:
            raise ValueError("no operand has a kind")
        kind, width = typed[0].kind, max([o.width for o in typed])
        values = [o if isinstance(o, Value) else self.value(o, kind) for o in operands]
        if width == 1:
            return values
        return [self.widen(v, width) for v in values]


def _parameter_text(parameter: Parameter) -> str:
    attributes = f" {parameter.attributes}" if parameter.attributes else ""
    return f"{type_text(parameter.kind, parameter.width)}{attributes} %{parameter.name}"
