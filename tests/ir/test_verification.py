"""The verifier on modules that text cannot write; `lit/ir` has the rest."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region

from mlirad.dialects.array.elementwise import AddOp, NegOp
from mlirad.dialects.array.indexing import BuildOp, YieldOp
from mlirad.dialects.shapes import f64
from mlirad.errors import VerifyError
from mlirad.ir.locations import source_location
from mlirad.ir.parsing import make_context, parse_module
from mlirad.ir.verification import verify_module
from tests.work import calls_made


def chain(length: int) -> ModuleOp:
    """A function of `length` ops, each reading the one before."""
    block = Block(arg_types=[f64])
    value = block.args[0]
    for _ in range(length):
        op = AddOp.create(operands=[value, value], result_types=[f64])
        block.add_op(op)
        value = op.results[0]
    block.add_op(ReturnOp(value))
    return ModuleOp([FuncOp("f", ([f64], [f64]), Region(block))])


def nested(depth: int) -> ModuleOp:
    """A function of `depth` ops, each in the region of the one before."""
    inner: list[Operation] = []
    for _ in range(depth):
        source = inner[-1].results[0] if inner else None
        block = Block(inner)
        if source is None:
            block.insert_arg(f64, 0)
            source = block.args[0]
        block.add_op(YieldOp.create(operands=[source]))
        inner = [BuildOp.create(result_types=[f64], regions=[Region(block)])]
    block = Block(inner, arg_types=[f64])
    block.add_op(ReturnOp(inner[0].results[0]))
    return ModuleOp([FuncOp("f", ([f64], [f64]), Region(block))])


def test_an_erased_value_is_reported() -> None:
    module = chain(3)
    function = module.body.ops.first
    assert isinstance(function, FuncOp)
    first, second, *_ = function.body.block.ops
    second.location = source_location("model.py", 12)
    first.detach()
    first.erase(safe_erase=False)
    with pytest.raises(VerifyError, match=r"array.add: reads a value whose op was erased") as caught:
        verify_module(module)
    assert caught.value.location == "model.py:12"


def test_a_value_of_a_detached_op_is_reported() -> None:
    module = chain(3)
    function = module.body.ops.first
    assert isinstance(function, FuncOp)
    next(iter(function.body.block.ops)).detach()
    with pytest.raises(VerifyError, match=r"array.add: reads the result of array.add"):
        verify_module(module)


def test_deep_nesting_needs_no_recursion() -> None:
    with pytest.raises(VerifyError, match=r"array.build: region argument 0 must be i64, got f64"):
        verify_module(nested(5000))


def test_work_is_linear_in_the_number_of_ops() -> None:
    def calls(length: int) -> int:
        module = chain(length)
        return calls_made(lambda: verify_module(module))

    calls(100)
    # A quadratic walk would make 64 times as many.
    assert calls(4000) < 9 * calls(500)


def test_unregistered_ops_are_allowed_on_request_alone() -> None:
    text = """func.func @f(%x: f64) {
  %y = "a.b"(%x) ({
    "a.c"(%x) : (f64) -> ()
  }) : (f64) -> index
  "a.d"(%y) : (index) -> ()
  func.return
}"""
    context = make_context(allow_unregistered=True)
    module = parse_module(text, context=context)
    verify_module(module, allow_unregistered=True)
    with pytest.raises(VerifyError, match=r"a.b is not an op of the language") as caught:
        verify_module(module)
    assert caught.value.location == "<string>:2:8"


def test_dominance_holds_for_unregistered_ops() -> None:
    text = '"a.b"(%y) : (f64) -> ()\n%y = "a.c"() : () -> f64'
    module = parse_module(text, context=make_context(allow_unregistered=True))
    with pytest.raises(VerifyError, match=r"reads %y before it is defined"):
        verify_module(module, allow_unregistered=True)


def test_an_op_outside_of_the_rules_of_its_definition() -> None:
    op = NegOp.create(result_types=[f64])
    module = ModuleOp([FuncOp("f", ([], []), Region(Block([op, ReturnOp()])))])
    with pytest.raises(VerifyError, match=r"array.neg: Expected 1 operand, but got 0"):
        verify_module(module)
