"""The cost of gradients of the families: a constant times the primal, at n and at 2n."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from mlirad.dialects.shapes import is_float, shape_of, size_of
from mlirad.interpreter import OperationCounter, run_function
from mlirad.pipelines import expansion
from tests.passes.chad.families import FAMILIES
from tests.passes.derivatives import float_arguments, function_of, run_passes
from tests.passes.test_chad import CALLED

SIZES = (10, 20)

EXPANDED = {
    "chad": ",".join(expansion("chad")),
    "chad, calls stay": f"eliminate-functions,{CALLED}",
    "dual-arrays": ",".join(expansion()),
}


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("passes", EXPANDED.values(), ids=EXPANDED)
def test_gradients_cost_a_constant_times_the_function(name: str, passes: str) -> None:
    (primal, gradient), (_, doubled) = (costs(FAMILIES[name](n), n, passes) for n in SIZES)
    assert gradient <= 6 * primal
    assert doubled <= 2.2 * gradient


def costs(module: ModuleOp, n: int, passes: str) -> tuple[int, int]:
    """Operations of the function, and of its gradient except for writing it out."""
    wrt = float_arguments(module, "main")
    types = function_of(module, "main").function_type.inputs.data
    arguments = [np.full(shape_of(t), 0.4)[()] if is_float(t) else n // 2 for t in types]
    inserted = f"differentiate{{function=main wrt={','.join(map(str, wrt))}}}"
    primal = operations(run_passes(module.clone(), "eliminate-functions"), arguments, "main")
    gradient = operations(run_passes(module, f"{inserted},{passes}"), arguments, "main_grad")
    return primal, gradient - sum(size_of(types[k]) for k in wrt)


def operations(module: ModuleOp, arguments: list[Any], function: str) -> int:
    counter = OperationCounter()
    run_function(module, arguments, function=function, counter=counter)
    return counter.total
