"""Every op of StableHLO with one part broken is refused, as StableHLO's own verifier refuses it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

from mlirad.dialects.stablehlo import Chlo, StableHlo
from mlirad.errors import VerifyError
from mlirad.ir.foreign import STABLEHLO
from mlirad.ir.verification import verify_module
from tests.stablehlo.op_examples import EXAMPLES
from tests.stablehlo.op_mutants import example, mutants

ACCEPTED: dict[str, list[str]] = json.loads((Path(__file__).parent / "verdicts.json").read_text())
"""The mutants that StableHLO's verifier accepts, by op. Ops that it does not know are not among them."""

STRICTER = {
    # The specification: elements of operands, and of arrays, initial values and updates are of one type.
    "stablehlo.dot_general": r"operand \d: |result 0: tensor<2x3x5x",
    "stablehlo.convolution": r"result 0: tensor<2x6x2x16x",
    "stablehlo.reduce": r"operand \d: .*f32>$",
    "stablehlo.reduce_window": r"operand \d: .*f32>$",
    "stablehlo.scatter": r"operand \d: .*(f32|i1)>$",
    "stablehlo.select_and_scatter": r"operand \d: .*f32>$",
    # It: what elements are compared as belongs to their type.
    "stablehlo.compare": r"compare_type: (UN)?SIGNED",
    # It: elements of as many bits keep their shape.
    "stablehlo.bitcast_convert": r"(operand|result) 0: ",
    "stablehlo.custom_call": 'call_target_name: ""',
}
"""The mutants that StableHLO's verifier accepts, but the specification and mlirad do not."""


def refusal(module: ModuleOp) -> str | None:
    """The reason why a module is refused, None if it is not."""
    try:
        verify_module(module, foreign=STABLEHLO)
    except VerifyError as error:
        assert error.location is not None, error
        return error.message
    return None


def test_every_op_has_an_example() -> None:
    ops = [op.name for dialect in (StableHlo, Chlo) for op in dialect.operations]
    assert sorted(EXAMPLES) == sorted(ops)
    assert len(ACCEPTED) >= len(ops) - 1


@pytest.mark.parametrize("name", sorted(EXAMPLES))
def test_one_broken_part_is_refused(name: str) -> None:
    assert refusal(example(name)) is None
    judged = list(mutants(name))
    assert len(judged) >= 7
    for label, module in judged:
        reason = refusal(module)
        if reason is not None:
            assert reason.startswith((f"{name}: ", f"{name} ", "stablehlo.map: ")), f"{label}: {reason}"
        if name not in ACCEPTED:
            continue
        is_stricter = bool(re.match(STRICTER.get(name, "$."), label))
        if label in ACCEPTED[name]:
            assert reason is None or is_stricter, f"{name}, {label}: {reason}"
        else:
            assert reason is not None, f"{name}, {label}, is accepted"
