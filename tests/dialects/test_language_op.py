"""`LanguageOp` in place of xDSL: making ops, and the accessors of operands and results."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import f64, i64
from xdsl.ir import Block, Operation, OpResult, Region

from mlirad.dialects.array import ARRAY_OPS
from mlirad.dialects.array.elementwise import AddOp, SelectOp
from mlirad.dialects.array.indexing import BuildOp, YieldOp
from mlirad.dialects.function.closures import ApplyOp
from mlirad.dialects.language_op import LanguageOp
from mlirad.dialects.shapes import integer


def parts(op: Operation) -> dict[str, Any]:
    """All that an op holds; uses and results as what tells them apart."""
    found = {name: getattr(op, name) for name in Operation.__dataclass_fields__}
    for uses in ("_operand_uses", "_successor_uses"):
        found[uses] = [(use.operation is op, use.index) for use in found[uses]]
    found["results"] = [(isinstance(r, OpResult), r.type, r.op is op, r.index) for r in op.results]
    return found


def made_by_xdsl(**given: Any) -> Operation:
    op = AddOp.__new__(AddOp)
    Operation.__init__(op, **given)
    return op


def test_an_op_is_made_as_xdsl_makes_it():
    block = Block(arg_types=[f64, f64])
    x, y = block.args
    given = {
        "operands": [x, y, x],
        "result_types": [f64, i64],
        "properties": {"a": integer(1)},
        "attributes": {"b": integer(2)},
        "successors": [block],
    }
    ours, theirs = AddOp.create(**given), made_by_xdsl(**given)
    assert parts(ours) == parts(theirs)
    assert parts(AddOp.create()) == parts(made_by_xdsl())
    assert [use.operation for use in x.uses] == [theirs, theirs, ours, ours]


def test_regions_belong_to_the_op_that_is_made_of_them():
    region = Region(Block(arg_types=[i64]))
    region.block.add_op(YieldOp.create(operands=region.block.args))
    op = BuildOp.create(result_types=[f64], regions=[region])
    assert op.regions == (region,) and region.parent is op


def test_accessors_give_the_operands_and_results_that_are_declared():
    block = Block(arg_types=[f64, f64, f64])
    x, y, z = block.args
    op = SelectOp.create(operands=[x, y, z], result_types=[f64])
    assert (op.condition, op.on_true, op.on_false) == (x, y, z)
    assert op.result is op.results[0]
    op.operands[1] = z
    assert op.on_true is z


def test_operands_can_be_replaced():
    block = Block(arg_types=[f64, f64, i64])
    x, y, k = block.args
    op = YieldOp.create(operands=[x, y, x])
    operands = op.operands
    operands[0] = y
    operands[2] = k
    assert tuple(op.operands) == tuple(op.values) == (y, y, k)
    assert op.values.types == (f64, f64, i64)
    assert [use.index for use in y.uses] == [0, 1] and not x.uses
    y.replace_all_uses_with(x)
    assert tuple(op.operands) == (x, x, k) and not y.uses
    op.operands = [k]
    assert op.values == (k,) and not x.uses
    assert [(use.operation, use.index) for use in k.uses] == [(op, 0)]


def test_groups_of_operands_have_types():
    block = Block(arg_types=[f64, i64])
    x, k = block.args
    op = ApplyOp.create(operands=[k, x, k], result_types=[f64, i64])
    assert tuple(op.arguments) == (x, k) and op.closure is k
    assert op.arguments.types == (f64, i64) and op.operands.types == (i64, f64, i64)
    assert op.outputs.types == (f64, i64)


def test_all_ops_are_made_so():
    assert all(issubclass(op, LanguageOp) for op in ARRAY_OPS)
