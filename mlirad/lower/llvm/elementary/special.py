"""Special functions: a ufunc of SciPy computes all lanes in one call of its inner loop.

The symbol `mlirad_loop_gammainc_dd_d` is the loop of `scipy.special.gammainc` for doubles, with its
`data` bound: `void (char **args, npy_intp const *dimensions, npy_intp const *steps)`. It is supplied by
`mlirad.jit.ufunc_loops`. Lanes at which it would take for ever are left out.

SciPy also exports C functions for Cython. These take another slow import, lack Hurwitz's zeta function, and
compute one element a call. The loops of ufuncs are those that NumPy itself calls without the global lock; the
ufunc object has their addresses, and its layout is part of NumPy's C interface. A call of a loop costs about
60 nanoseconds, for all lanes of a vector together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mlirad.dialects.array.special_domains import DOMAINS, HARMLESS
from mlirad.dialects.array.special_functions import SPECIAL_FUNCTIONS
from mlirad.lower.llvm.text import IRBuilder, Kind, Operand, Value
from mlirad.lower.native_program import LOOP_PREFIX

FLOPS: Final = 400
"""The rough cost of one lane."""

START: Final = 200
"""The rough cost of a call, whatever its lanes."""

_LETTERS = {"double": "d", "float": "f"}
_BYTES = {"double": 8, "float": 4, "i64": 8}


def special(f: IRBuilder, *operands: Value, function: str) -> Value:
    """A function of `SPECIAL_FUNCTIONS` of operands of one float kind and width."""
    known = SPECIAL_FUNCTIONS[function]
    kind, width = operands[0].kind, operands[0].width
    letter = _LETTERS[kind]
    ends: Value | None = None
    domain = DOMAINS.get(known.loop)
    if domain is not None:
        found, arguments = domain(_Namespace(), *[_Lanes(f, x) for x in operands])
        ends = found.value
        operands = tuple(f.select(found.value, x.value, HARMLESS) for x in arguments)
    if known.ufunc_of_complex:
        *orders, x, y = operands
        letters = letter * len(orders) + letter.upper(), letter.upper() * known.outputs
        slot = _called(f, known.ufunc_of_complex, letters, [*([v] for v in orders), [x, y]])[known.output]
        result = f.widen(f.value(0.0, kind), width)
        for lane in range(width):
            address = f.gep(slot, 2 * lane + known.is_imaginary, kind)
            result = f.insert(result, f.load(address, kind), lane)
    elif known.is_of_whole:
        doubles = [f.convert("fpext", x, "double") if kind == "float" else x for x in operands]
        letters = "l" + "d" * (known.arity - 1), "d"
        order = f.fptosi_sat(doubles[0], "i64")
        (slot,) = _called(f, known.ufunc, letters, [[order], *([x] for x in doubles[1:])])
        result = f.load(slot, "double", width)
        result = f.convert("fptrunc", result, "float") if kind == "float" else result
    else:
        letters = letter * known.arity, letter * known.outputs
        result = f.load(_called(f, known.ufunc, letters, [[x] for x in operands])[known.output], kind, width)
    return result if ends is None else f.select(ends, result, float("nan"))


def _called(
    f: IRBuilder, ufunc: str, letters: tuple[str, str], operands: Sequence[Sequence[Value]]
) -> list[Value]:
    """The slots of the results of a loop; a capital letter stands for complex numbers, given by two parts."""
    kind, width = operands[-1][0].kind, operands[0][0].width
    kinds: list[Kind] = ["i64" if letter == "l" else kind for letter in letters[0] + letters[1]]
    parts = [2 if letter.isupper() else 1 for letter in letters[0] + letters[1]]
    slots = [f.alloca(k, count * width) for k, count in zip(kinds, parts, strict=True)]
    for slot, operand in zip(slots, operands, strict=False):
        if len(operand) == 1:
            f.store(operand[0], slot)
        else:
            for k in range(2 * width):
                f.store(f.extract(operand[k % 2], k // 2), f.gep(slot, k, kind))
    # Loops may change the addresses that they are given.
    addresses = f.alloca("ptr", len(slots), 8)
    for k, slot in enumerate(slots):
        f.store(slot, f.gep(addresses, k, "ptr"))
    symbol = f"{LOOP_PREFIX}{ufunc}_{letters[0]}_{letters[1]}"
    f.module.external(symbol, "void", ["ptr", "ptr", "ptr"], "nounwind")
    steps = f.module.table("i64", [_BYTES[k] * count for k, count in zip(kinds, parts, strict=True)])
    f.call(symbol, [addresses, f.module.table("i64", [width]), steps])
    f.work += START + FLOPS * width
    return slots[len(operands) :]


class _Lanes:
    """A vector with the operators that domains are written in."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, f: IRBuilder, value: Value):
        self.f = f
        self.value = value

    def __mul__(self, factor: float) -> _Lanes:
        return _Lanes(self.f, self.f.fmul(self.value, factor))

    def __sub__(self, other: _Lanes) -> _Lanes:
        return _Lanes(self.f, self.f.fsub(self.value, other.value))

    def __and__(self, other: _Lanes) -> _Lanes:
        return _Lanes(self.f, self.f.and_(self.value, other.value))

    def __or__(self, other: _Lanes) -> _Lanes:
        return _Lanes(self.f, self.f.or_(self.value, other.value))

    def __invert__(self) -> _Lanes:
        return _Lanes(self.f, self.f.not_(self.value))

    def __lt__(self, other: _Lanes | float) -> _Lanes:
        return self._compared("olt", other)

    def __le__(self, other: _Lanes | float) -> _Lanes:
        return self._compared("ole", other)

    def __gt__(self, other: _Lanes | float) -> _Lanes:
        return self._compared("ogt", other)

    def __ge__(self, other: _Lanes | float) -> _Lanes:
        return self._compared("oge", other)

    def __eq__(self, other: object) -> _Lanes:  # type: ignore[override]
        assert isinstance(other, _Lanes | float)
        return self._compared("oeq", other)

    def _compared(self, predicate: str, other: _Lanes | float) -> _Lanes:
        return _Lanes(self.f, self.f.fcmp(predicate, self.value, _operand(other)))


class _Namespace:
    """The functions that domains are written with."""

    @staticmethod
    def where(condition: _Lanes, x: _Lanes | float, y: _Lanes | float) -> _Lanes:
        return _Lanes(condition.f, condition.f.select(condition.value, _operand(x), _operand(y)))

    @staticmethod
    def floor(x: _Lanes) -> _Lanes:
        return _Lanes(x.f, x.f.intrinsic("floor", x.value))

    @staticmethod
    def abs(x: _Lanes) -> _Lanes:
        return _Lanes(x.f, x.f.intrinsic("fabs", x.value))

    @staticmethod
    def smallest_normal(x: _Lanes) -> float:
        return 2.0**-1022 if x.value.kind == "double" else 2.0**-126


def _operand(x: _Lanes | float) -> Operand:
    return x.value if isinstance(x, _Lanes) else x
