"""Write what StableHLO's own verifier says of mutants of ops: `verdicts.json` lists those that it accepts.

python -m tests.stablehlo.judge_mutants              needs jax
"""

from __future__ import annotations

import io
import json
from pathlib import Path

from jax._src.interpreters import mlir
from jaxlib.mlir import ir
from xdsl.dialects.builtin import ModuleOp
from xdsl.printer import Printer

from tests.stablehlo.op_examples import EXAMPLES
from tests.stablehlo.op_mutants import example, mutants

VERDICTS = Path(__file__).parent / "verdicts.json"


def is_accepted(module: ModuleOp) -> bool:
    """Return whether MLIR reads a module in generic form, and verifies it."""
    text = io.StringIO()
    Printer(text, print_generic_format=True).print_op(module)
    try:
        return ir.Module.parse(text.getvalue()).operation.verify()
    except (ir.MLIRError, ValueError):
        return False


def main() -> None:
    accepted: dict[str, list[str]] = {}
    with mlir.make_ir_context():
        for name in sorted(EXAMPLES):
            if is_accepted(example(name)):
                accepted[name] = [label for label, module in mutants(name) if is_accepted(module)]
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(labels)}" for name, labels in accepted.items())
    VERDICTS.write_text("{\n" + lines + "\n}\n")


if __name__ == "__main__":
    main()
