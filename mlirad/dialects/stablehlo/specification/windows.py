"""The rules of reductions of windows that slide over arrays."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import i1
from xdsl.ir import Operation

from mlirad.dialects.stablehlo.specification.checks import (
    element,
    extents,
    integers,
    operands,
    padding,
    require,
    require_positive,
    require_region,
    require_same,
    require_scalar,
    require_type,
    results,
    rule,
    scalar,
    window_extents,
)
from mlirad.dialects.stablehlo.specification.regions import require_reducer


@rule("stablehlo.reduce_window")
def _reduce_window(op: Operation) -> None:
    types = operands(op, regions=1)
    count = len(types) // 2
    require(len(types) == 2 * count and count > 0, "takes arrays, and an initial value for each")
    made = results(op, count)
    shape = extents(types[0])
    out = _windows(op, shape, has_dilations=True)
    elements = require_reducer(op, types[:count], types[count:])
    for k, (x, result) in enumerate(zip(types[:count], made, strict=True)):
        require_type(f"operand {k}", x, shape, element(x))
        require_type(f"result {k}", result, out, elements[k])


@rule("stablehlo.select_and_scatter")
def _select_and_scatter(op: Operation) -> None:
    x, source, initial = operands(op, 3, regions=2)
    require_scalar("operand 2", initial, element(x))
    require_type("operand 1", source, _windows(op, extents(x), has_dilations=False), element(x))
    require_same("the result", results(op)[0], "operand 0", x)
    one = scalar(element(x))
    require_region(op, 0, [one, one], [scalar(i1)])
    require_region(op, 1, [one, one], [one])


def _windows(op: Operation, shape: Sequence[int], *, has_dilations: bool) -> tuple[int, ...]:
    """The extents of what there is one element for each window of."""
    rank = len(shape)
    lists = {
        "window_dimensions": integers(op, "window_dimensions", rank),
        "window_strides": integers(op, "window_strides", rank, default=1),
    }
    for name in ("base_dilations", "window_dilations"):
        lists[name] = integers(op, name, rank, default=1) if has_dilations else (1,) * rank
    for name, values in lists.items():
        require_positive(name, values)
    sizes, strides, base, window = lists.values()
    return window_extents(shape, sizes, strides, padding(op, rank), base, window)
