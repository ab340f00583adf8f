"""A module for every op of the dialects that are read: what mutations start from.

EXAMPLES["stablehlo.add"]      func.func @main(%a: tensor<2x3xf64>, %b: ...) { %0 = stablehlo.add %a, %b ... }
"""

from __future__ import annotations

from pathlib import Path

from mlirad.dialects.stablehlo.specification.elementwise import BINARY, CHLO_KINDS, KINDS

_ON_INTEGERS = frozenset((
    "and", "or", "xor", "not", "popcnt", "count_leading_zeros", "shift_left", "shift_right_arithmetic",
    "shift_right_logical",
))  # fmt: skip


def _elementwise(dialect: str, name: str) -> str:
    type_ = "tensor<2x3xi32>" if name in _ON_INTEGERS else "tensor<2x3xf64>"
    result = "tensor<2x3xi1>" if name.startswith("is_") else type_
    operands = ["%a", "%b"] if name in BINARY else ["%a"]
    arguments = ", ".join(f"{operand}: {type_}" for operand in operands)
    types = ", ".join(type_ for _ in operands)
    op = f'"{dialect}.{name}"({", ".join(operands)}) : ({types}) -> {result}'
    return f"func.func @main({arguments}) {{\n  %0 = {op}\n  func.return\n}}\n"


def _others() -> dict[str, str]:
    text = (Path(__file__).parent / "ops.mlir").read_text()
    parts = text.partition("\n\n")[2].split("// ")[1:]
    return {name: body for name, _, body in (part.partition("\n") for part in parts)}


EXAMPLES: dict[str, str] = {
    **{f"stablehlo.{name}": _elementwise("stablehlo", name) for name in sorted(KINDS)},
    **{f"chlo.{name}": _elementwise("chlo", name) for name in sorted(CHLO_KINDS)},
    **_others(),
}
"""A module by the op that it has."""
