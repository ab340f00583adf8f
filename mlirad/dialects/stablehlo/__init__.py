"""The dialects `stablehlo` and `chlo`: programs as JAX and others write them, read to be converted.

    module = parse_module(jax.jit(f).lower(x).as_text(), "f.mlir")

Ops are read and printed in the forms of StableHLO's own printer and in the generic form. They are ops on
`tensor` types of any rank, 0 included; the pass `convert-stablehlo-to-array` makes array code of them.

An `HloOp` is not an op of the language. `specification/` has the rules of each op in the specification of
StableHLO; `tests/stablehlo/test_specification.py` breaks every op part by part and compares the refusals with
the verdicts of StableHLO's own verifier.

To add an op: its name in a table, or a class with its written form, in `elementwise.py`, `structural.py` or
`control.py` (`lit/dialects/stablehlo.mlir`); a function entered by `@rule` in its family's file in
`specification/`, an example in `tests/stablehlo/ops.mlir`, then `python -m tests.stablehlo.judge_mutants`
where JAX is installed; its meaning in `passes/convert_stablehlo/` (`tests/stablehlo/test_programs.py`); a
program in `tests/stablehlo/jax_programs.py`, then `python -m tests.stablehlo.generate` where JAX is
installed.
"""

from __future__ import annotations

from xdsl.ir import Dialect

from mlirad.dialects.stablehlo.attributes import ATTRIBUTES, ShardingRule
from mlirad.dialects.stablehlo.control import CONTROL_OPS
from mlirad.dialects.stablehlo.elementwise import CHLO_ELEMENTWISE_OPS, ELEMENTWISE_OPS
from mlirad.dialects.stablehlo.structural import STRUCTURAL_OPS, TopKOp
from mlirad.dialects.stablehlo.syntax import HloOp

StableHlo = Dialect("stablehlo", [*ELEMENTWISE_OPS, *STRUCTURAL_OPS, *CONTROL_OPS], ATTRIBUTES)

Chlo = Dialect("chlo", [*CHLO_ELEMENTWISE_OPS, TopKOp])

Sharding = Dialect("sdy", [], [ShardingRule])
"""The dialect that says how devices share a program, with the attribute that JAX leaves in programs for one.
"""

STABLEHLO_DIALECTS = (StableHlo, Chlo, Sharding)

__all__ = ["STABLEHLO_DIALECTS", "Chlo", "HloOp", "StableHlo"]
