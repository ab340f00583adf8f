"""Changes to a program that leave it well-formed more often than changes to its text do.

The text is parsed, one op of the module is changed, and the module is printed. A value is replaced by one
of its type, a property by one of its kind, and results of an op that goes by other values of their types.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, cast

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, FloatAttr, IntegerAttr, ModuleOp, StringAttr, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue

from mlirad.tools.instrumentation import module_text

INTEGERS = (0, 1, -1, 2, 3, 5, 8, 64, 1000, 2**31, 2**62, -(2**63))
FLOATS = (0.0, -0.0, 1.0, -1.5, 1e300, float("inf"), float("nan"), 5e-324)


def change_module(parse: Callable[[], ModuleOp], rng: random.Random) -> str | None:
    """The program after one to three changes of its ops; `None` if it does not parse or cannot be printed."""
    try:
        module = parse()
        ops = [op for op in module.walk() if not isinstance(op, ModuleOp | FuncOp)]
        for _ in range(rng.randint(1, 3)):
            if ops:
                rng.choice(
                    (_replace_operand, _replace_operand, _change_property, _change_property, _remove, _repeat)
                )(rng.choice(ops), ops, rng)
            ops = [op for op in ops if op.parent is not None]
        return module_text(module, generic=rng.random() < 0.2)
    except Exception:
        # xDSL's printers and attributes take for granted what only the verifier checks.
        return None


def _others(value: SSAValue, ops: Sequence[Operation]) -> list[SSAValue]:
    """Values of the same type, visible or not."""
    found: list[SSAValue] = []
    for op in ops:
        found += [r for r in op.results if r.type == value.type and r is not value]
        block = op.parent
        if block is not None and op is block.first_op:
            found += [a for a in block.args if a.type == value.type and a is not value]
    return found


def _replace_operand(op: Operation, ops: Sequence[Operation], rng: random.Random) -> None:
    if op.operands:
        k = rng.randrange(len(op.operands))
        others = _others(op.operands[k], ops)
        if others:
            op.operands[k] = rng.choice(others)


def _change_property(op: Operation, ops: Sequence[Operation], rng: random.Random) -> None:
    if not op.properties:
        return
    name = rng.choice(list(op.properties))
    alike = [other.properties[name] for other in ops if name in other.properties]
    value = op.properties[name]
    if rng.random() < 0.3:
        op.properties[name] = rng.choice(alike)
    elif rng.random() < 0.1 and len(op.properties) > 1:
        del op.properties[name]
    else:
        op.properties[name] = _changed(value, rng)


def _changed(value: Attribute, rng: random.Random) -> Attribute:
    match value:
        case IntegerAttr():
            known = cast("IntegerAttr[Any]", value)
            number = known.value.data
            return IntegerAttr(rng.choice((number + 1, number - 1, rng.choice(INTEGERS))), known.type)
        case FloatAttr():
            return FloatAttr(rng.choice(FLOATS), cast("FloatAttr[Any]", value).type)
        case DenseArrayBase():
            numbers = [int(n) for n in cast("DenseArrayBase[Any]", value).get_values()]
            change = rng.randrange(4)
            if change == 0 or not numbers:
                numbers.insert(rng.randint(0, len(numbers)), rng.choice(INTEGERS))
            elif change == 1:
                numbers.pop(rng.randrange(len(numbers)))
            elif change == 2:
                rng.shuffle(numbers)
            else:
                k = rng.randrange(len(numbers))
                numbers[k] = rng.choice((numbers[k] + 1, numbers[k] - 1, rng.choice(INTEGERS)))
            return DenseArrayBase.from_list(i64, numbers)
        case ArrayAttr():
            entries = list(cast("ArrayAttr[Attribute]", value).data)
            if entries and rng.random() < 0.5:
                k = rng.randrange(len(entries))
                entries[k] = _changed(entries[k], rng)
            elif entries:
                entries.append(rng.choice(entries))
            return ArrayAttr(entries)
        case StringAttr():
            return StringAttr(rng.choice(("add", "max", "min", "set", "lt", "x", "")))
        case _:
            return value


def _remove(op: Operation, ops: Sequence[Operation], rng: random.Random) -> None:
    for result in op.results:
        others = _others(result, ops)
        if not others and result.first_use is not None:
            return
        if others:
            result.replace_all_uses_with(rng.choice(others))
    if op.next_op is not None:
        op.detach()
        op.erase()


def _repeat(op: Operation, ops: Sequence[Operation], rng: random.Random) -> None:
    target = rng.choice(ops)
    if target.parent is not None and not target.is_ancestor(op) and not op.is_ancestor(target):
        target.parent.insert_ops_before(op.clone(), target)
