"""Special functions: a ufunc of SciPy computes all lanes in one call of its inner loop.

The symbol `mlirad_loop_gammainc_dd_d` is the loop of `scipy.special.gammainc` for doubles, with its
`data` bound: `void (char **args, npy_intp const *dimensions, npy_intp const *steps)`. It is supplied by
`mlirad.jit.ufunc_loops`.
"""

from __future__ import annotations

from typing import Final

from mlirad.dialects.array.special_functions import SPECIAL_FUNCTIONS
from mlirad.lower.llvm_text import IRBuilder, Value
from mlirad.lower.native_program import LOOP_PREFIX

FLOPS: Final = 400
"""The rough cost of one lane."""

_LETTERS = {"double": "d", "float": "f"}
_BYTES = {"double": 8, "float": 4}


def special(f: IRBuilder, *operands: Value, function: str) -> Value:
    """A function of `SPECIAL_FUNCTIONS` of operands of one float kind and width."""
    known = SPECIAL_FUNCTIONS[function]
    kind, width = operands[0].kind, operands[0].width
    letter, size = _LETTERS[kind], _BYTES[kind]
    slots = [f.alloca(kind, width) for _ in range(known.arity + known.outputs)]
    for slot, operand in zip(slots, operands, strict=False):
        f.store(operand, slot)
    # Loops may change the addresses that they are given.
    addresses = f.alloca("ptr", len(slots), 8)
    for k, slot in enumerate(slots):
        f.store(slot, f.gep(addresses, k, "ptr"))
    symbol = f"{LOOP_PREFIX}{known.ufunc}_{letter * known.arity}_{letter * known.outputs}"
    f.module.external(symbol, "void", ["ptr", "ptr", "ptr"], "nounwind")
    steps = f.module.table("i64", [size] * len(slots))
    f.call(symbol, [addresses, f.module.table("i64", [width]), steps])
    f.work += FLOPS * width
    return f.load(slots[known.arity + known.output], kind, width)
