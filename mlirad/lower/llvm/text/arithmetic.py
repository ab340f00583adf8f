"""Arithmetic, comparison, conversion and intrinsics: the instructions without side effects.

Operands of different width are widened to the largest; Python numbers take the kind of the other
operand. Integer instructions on literals are folded, and x + 0, x - 0, x * 1, x * 0, x & 0 and the
like vanish; float arithmetic is never folded here (LLVM does it, with IEEE care).
"""

from __future__ import annotations

from collections.abc import Callable

from mlirad.lower.llvm.text.emission import Emission, Operand
from mlirad.lower.llvm.text.infinities import by_largest
from mlirad.lower.llvm.text.value import BITS, Kind, Value, constant, mangled, type_text, vector

_FOLDS: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
}
_RIGHT_IDENTITY = {"add": 0, "sub": 0, "mul": 1, "or": 0, "xor": 0, "shl": 0, "lshr": 0, "ashr": 0}
_COMMUTATIVE = {"add", "mul", "and", "or", "xor"}
_PREDICATES: dict[str, Callable[[int, int], bool]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "slt": lambda a, b: a < b,
    "sle": lambda a, b: a <= b,
    "sgt": lambda a, b: a > b,
    "sge": lambda a, b: a >= b,
}


class Arithmetic(Emission):
    """Pure instructions; see the module's docstring for what is widened and folded."""

    # Floats.

    def fadd(self, a: Operand, b: Operand, flags: str = "") -> Value:
        return self._float_binary("fadd", a, b, flags)

    def fsub(self, a: Operand, b: Operand, flags: str = "") -> Value:
        return self._float_binary("fsub", a, b, flags)

    def fmul(self, a: Operand, b: Operand, flags: str = "") -> Value:
        return self._float_binary("fmul", a, b, flags)

    def fdiv(self, a: Operand, b: Operand, flags: str = "") -> Value:
        return self._float_binary("fdiv", a, b, flags)

    def frem(self, a: Operand, b: Operand, flags: str = "") -> Value:
        """C's `fmod`; a library call per lane on most targets."""
        return self._float_binary("frem", a, b, flags)

    def fneg(self, a: Value) -> Value:
        return self.pure(f"fneg {a.typed}", a.kind, a.width)

    def fma(self, a: Operand, b: Operand, c: Operand) -> Value:
        """a·b + c, rounded once.

        Where the processor has no such instruction, LLVM would call the C library for every lane.
        There it is computed with twice the precision, then rounded; a product that underflows loses more.
        """
        if self.fuses:
            return self.intrinsic("fma", a, b, c)
        x, y, z = self.common(a, b, c)
        if x.kind == "float":
            product = self.fmul(self.fpext(x), self.fpext(y))
            return self.fptrunc(self.fadd(product, self.fpext(z)))
        product, lost = self.product_in_parts(x, y)
        total = self.fadd(product, z)
        part = self.fsub(total, product)
        rest = self.fadd(self.fsub(product, self.fsub(total, part)), self.fsub(z, part))
        exact = self.fadd(total, self.fadd(rest, lost))
        # Infinities have no parts, and zeros keep their sign.
        return self.select(self.fcmp("one", exact, total), exact, total)

    def multiply_add(self, a: Operand, b: Operand, c: Operand) -> Value:
        """a·b + c, rounded once or twice, whichever is faster."""
        return self.fma(a, b, c) if self.fuses else self.fadd(self.fmul(a, b), c)

    @property
    def fuses(self) -> bool:
        """Return whether the processor has an instruction for `fma`."""
        return self.globals.instructions.fuses

    def product_in_parts(self, x: Value, y: Value) -> tuple[Value, Value]:
        """x·y as rounded product and exact error, barring overflow and underflow; of doubles by halves of the
        factors where the processor cannot fuse.

        Source: Dekker, "A floating-point technique for extending the available precision", 1971.
        """
        product = self.fmul(x, y)
        if self.fuses or x.kind == "float":
            return product, self.fma(x, y, self.fneg(product))
        (x_high, x_low), (y_high, y_low) = self._halves(x), self._halves(y)
        lost = self.fsub(self.fmul(x_high, y_high), product)
        lost = self.fadd(self.fadd(lost, self.fmul(x_high, y_low)), self.fmul(x_low, y_high))
        return product, self.fadd(lost, self.fmul(x_low, y_low))

    def _halves(self, x: Value) -> tuple[Value, Value]:
        """A double as the sum of two of at most 26 bits."""
        scaled = self.fmul(x, 2.0**27 + 1)
        high = self.fsub(scaled, self.fsub(scaled, x))
        return high, self.fsub(x, high)

    def _float_binary(self, name: str, a: Operand, b: Operand, flags: str) -> Value:
        left, right = self.common(a, b)
        spelled = f"{name} {flags} " if flags else f"{name} "
        return self.pure(f"{spelled}{left.typed}, {right.text}", left.kind, left.width)

    # Integers. Flags are `nsw`, `nuw`, `exact`, `disjoint`.

    def add(self, a: Operand, b: Operand, flags: str = "") -> Value:
        return self._integer("add", a, b, flags)

    def sub(self, a: Operand, b: Operand, flags: str = "") -> Value:
        return self._integer("sub", a, b, flags)

    def mul(self, a: Operand, b: Operand, flags: str = "") -> Value:
        return self._integer("mul", a, b, flags)

    def sdiv(self, a: Operand, b: Operand) -> Value:
        """Truncating quotient. Undefined for b = 0 and on overflow: guard it."""
        return self._integer("sdiv", a, b, "")

    def srem(self, a: Operand, b: Operand) -> Value:
        """Remainder of `sdiv`, under the same conditions."""
        return self._integer("srem", a, b, "")

    def and_(self, a: Operand, b: Operand) -> Value:
        return self._integer("and", a, b, "")

    def or_(self, a: Operand, b: Operand) -> Value:
        return self._integer("or", a, b, "")

    def xor(self, a: Operand, b: Operand) -> Value:
        return self._integer("xor", a, b, "")

    def not_(self, a: Value) -> Value:
        """All bits inverted; logical negation of an `i1`."""
        return self.xor(a, -1)

    def shl(self, a: Operand, b: Operand) -> Value:
        """Poison if b is not in [0, bits): guard it."""
        return self._integer("shl", a, b, "")

    def lshr(self, a: Operand, b: Operand) -> Value:
        return self._integer("lshr", a, b, "")

    def ashr(self, a: Operand, b: Operand) -> Value:
        return self._integer("ashr", a, b, "")

    def neg(self, a: Value) -> Value:
        return self.sub(0, a)

    def _integer(self, name: str, a: Operand, b: Operand, flags: str) -> Value:
        left, right = self.common(a, b)
        if left.literal is not None and name in _COMMUTATIVE and right.literal is None:
            left, right = right, left
        if right.literal is not None:
            if left.literal is not None and name in _FOLDS:
                number = _FOLDS[name](int(left.literal), int(right.literal))
                return self.widen(constant(left.kind, number), left.width)
            if right.literal == _RIGHT_IDENTITY.get(name):
                return left
            if right.literal == 0 and name in ("mul", "and"):
                return right
            if name == "and" and right.literal == constant(right.kind, -1).literal:
                return left
        spelled = f"{name} {flags} " if flags else f"{name} "
        return self.pure(f"{spelled}{left.typed}, {right.text}", left.kind, left.width)

    # Comparison and choice.

    def icmp(self, predicate: str, a: Operand, b: Operand) -> Value:
        left, right = self.common(a, b)
        if left.literal is not None and right.literal is not None and predicate in _PREDICATES:
            truth = _PREDICATES[predicate](int(left.literal), int(right.literal))
            return self.widen(constant("i1", truth), left.width)
        return self.pure(f"icmp {predicate} {left.typed}, {right.text}", "i1", left.width)

    def fcmp(self, predicate: str, a: Operand, b: Operand) -> Value:
        """`oeq olt ...` are false on NaN, `une ult ...` true; `uno` tells a NaN, `ord` none."""
        left, right = self.common(a, b)
        predicate, left, right = by_largest(predicate, left, right)
        right = self.widen(right, left.width)
        return self.pure(f"fcmp {predicate} {left.typed}, {right.text}", "i1", left.width)

    def select(self, condition: Value, a: Operand, b: Operand) -> Value:
        """a where the condition holds, b elsewhere; a scalar condition chooses whole vectors."""
        left, right = self.common(a, b)
        if condition.width > 1:
            left, right = self.widen(left, condition.width), self.widen(right, condition.width)
        if condition.literal is not None:
            return left if condition.literal else right
        if left == right:
            return left
        return self.pure(f"select {condition.typed}, {left.typed}, {right.typed}", left.kind, left.width)

    # Conversion.

    def sitofp(self, a: Value, kind: Kind) -> Value:
        return self.convert("sitofp", a, kind)

    def fptosi_sat(self, a: Value, kind: Kind) -> Value:
        """Truncation, saturating; NaN gives 0."""
        name = f"llvm.fptosi.sat.{mangled(kind, a.width)}.{mangled(a.kind, a.width)}"
        return self.call_pure(name, kind, a.width, a)

    def fpext(self, a: Value) -> Value:
        return self.convert("fpext", a, "double")

    def fptrunc(self, a: Value) -> Value:
        return self.convert("fptrunc", a, "float")

    def zext(self, a: Value, kind: Kind) -> Value:
        return self.convert("zext", a, kind)

    def sext(self, a: Value, kind: Kind) -> Value:
        return self.convert("sext", a, kind)

    def trunc(self, a: Value, kind: Kind) -> Value:
        """Integer truncation; that of floats is `intrinsic("trunc", a)`."""
        return self.convert("trunc", a, kind)

    def bitcast(self, a: Value, kind: Kind) -> Value:
        """The same bits in another kind of equal size."""
        return self.convert("bitcast", a, kind)

    def convert(self, name: str, a: Value, kind: Kind) -> Value:
        """A conversion instruction, or nothing if the kind is there already."""
        if a.kind == kind:
            return a
        if a.literal is not None and name in _LITERAL_CONVERSIONS:
            number = a.literal
            if a.kind == "i1":
                number = -number if name in ("sext", "sitofp") else number
            elif name == "zext":
                number = int(number) & ((1 << BITS[a.kind]) - 1)
            return self.widen(constant(kind, number), a.width)
        return self.pure(f"{name} {a.typed} to {type_text(kind, a.width)}", kind, a.width)

    # Intrinsics.

    def intrinsic(self, name: str, *operands: Operand) -> Value:
        """`llvm.<name>` on operands and result of one type: sqrt fabs floor ceil trunc rint
        roundeven copysign minnum maxnum minimum maximum smin smax umin umax fma ctpop ..."""
        values = self.common(*operands)
        kind, width = values[0].kind, values[0].width
        return self.call_pure(f"llvm.{name}.{mangled(kind, width)}", kind, width, *values)

    def ctlz(self, a: Value) -> Value:
        """Leading zeros; of 0, the number of bits."""
        name = f"llvm.ctlz.{mangled(a.kind, a.width)}"
        return self.call_pure(name, a.kind, a.width, a, constant("i1", 0))

    def cttz(self, a: Value) -> Value:
        """Trailing zeros; of 0, the number of bits."""
        name = f"llvm.cttz.{mangled(a.kind, a.width)}"
        return self.call_pure(name, a.kind, a.width, a, constant("i1", 0))

    def reduce(self, name: str, a: Value, start: Operand | None = None, flags: str = "") -> Value:
        """`llvm.vector.reduce.<name>` to a scalar: fadd fmul (with start; in lane order unless
        flags say `reassoc`) fmin fmax fminimum fmaximum add mul and or xor smin smax umin umax."""
        operands = [a]
        if name in ("fadd", "fmul"):
            if a.width == 1:
                return a if start is None else self._float_binary(name, start, a, flags)
            neutral = -0.0 if name == "fadd" else 1.0
            operands = [self.value(neutral if start is None else start, a.kind), a]
        if a.width == 1:
            return a
        full = f"llvm.vector.reduce.{name}.{mangled(a.kind, a.width)}"
        return self.call_pure(full, a.kind, 1, *operands, flags=flags if a.is_float else "")

    def call_pure(self, name: str, kind: Kind, width: int, *operands: Value, flags: str = "") -> Value:
        """A call of a pure function, declared if it is an intrinsic."""
        result = type_text(kind, width)
        if name.startswith("llvm."):
            self.globals.declare(name, result, [v.type for v in operands])
        spelled = f"call {flags} {result}" if flags else f"call {result}"
        arguments = ", ".join([v.typed for v in operands])
        return self.pure(f"{spelled} @{name}({arguments})", kind, width)

    # Lanes.

    def extract(self, a: Value, lane: int) -> Value:
        """One lane of a vector; a scalar is its own only lane."""
        if a.width == 1:
            return a
        if a.literal is not None:
            return constant(a.kind, a.literal)
        return self.pure(f"extractelement {a.typed}, i64 {lane}", a.kind)

    def insert(self, a: Value, element: Operand, lane: int) -> Value:
        """The vector with one lane replaced; a vector of width 1 is the element."""
        value = self.value(element, a.kind)
        if a.width == 1:
            return value
        return self.pure(f"insertelement {a.typed}, {value.typed}, i64 {lane}", a.kind, a.width)

    def shuffle(self, a: Value, b: Value, order: list[int]) -> Value:
        """The lanes of a and b together (b's count on from a's) in a constant order."""
        mask = vector("i32", order) if len(order) > 1 else None
        if mask is None:
            lane = order[0]
            return self.extract(a, lane) if lane < a.width else self.extract(b, lane - a.width)
        return self.pure(f"shufflevector {a.typed}, {b.typed}, {mask.typed}", a.kind, len(order))


_LITERAL_CONVERSIONS = {"zext", "sext", "trunc", "sitofp", "fpext", "fptrunc"}
