"""The rules of contractions and convolutions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Operation

from mlirad.dialects.stablehlo.attributes import ConvolutionDimensions, DotDimensions, Precision
from mlirad.dialects.stablehlo.specification.checks import (
    Tensor,
    element,
    extents,
    fit,
    integers,
    kind,
    number,
    operands,
    padding,
    require,
    require_apart,
    require_dimensions,
    require_positive,
    require_type,
    results,
    rule,
    window_extents,
)


@rule("stablehlo.dot_general")
def _dot_general(op: Operation) -> None:
    x, y = operands(op, 2)
    (result,) = results(op)
    dims = cast(DotDimensions, op.properties["dot_dimension_numbers"])
    left_batch, right_batch, left, right = (dims.dims(name) for name in DotDimensions.LISTS)
    lhs, rhs = extents(x), extents(y)
    for k, name in enumerate(DotDimensions.LISTS):
        require_dimensions(name, dims.dims(name), len((lhs, rhs)[k % 2]), of=f"operand {k % 2}")
    require_apart("lhs_batching_dimensions", left_batch, "lhs_contracting_dimensions", left)
    require_apart("rhs_batching_dimensions", right_batch, "rhs_contracting_dimensions", right)
    _require_pairs("batching_dims", x, left_batch, y, right_batch)
    _require_pairs("contracting_dims", x, left, y, right)
    require(element(x) == element(y), f"operand 0 is {x}, and operand 1 {y}: their elements differ")
    _require_result_kind(x, result)
    _require_precision(op)
    free = [lhs[d] for d in range(len(lhs)) if d not in (*left_batch, *left)]
    free += [rhs[d] for d in range(len(rhs)) if d not in (*right_batch, *right)]
    require_type("the result", result, [*(lhs[d] for d in left_batch), *free], element(result))


def _require_pairs(name: str, x: Tensor, left: Sequence[int], y: Tensor, right: Sequence[int]) -> None:
    require(
        len(left) == len(right), f"`{name}` is {list(left)} x {list(right)}, and must have as many of both"
    )
    for a, b in zip(left, right, strict=True):
        have, want = extents(x)[a], extents(y)[b]
        require(fit([have], [want]), f"dimension {a} of {x} and dimension {b} of {y} differ")


def _require_result_kind(x: Tensor, result: Tensor) -> None:
    require(
        kind(element(x)) == kind(element(result)),
        f"the result is {result}, and operand 0 has {kind(element(x))}",
    )


def _require_precision(op: Operation) -> None:
    config = op.properties.get("precision_config")
    if config is None:
        return
    words: list[object] = list(cast("ArrayAttr[Any]", config)) if isinstance(config, ArrayAttr) else []
    right = len(words) in (0, 2) and all(isinstance(word, Precision) for word in words)
    right = right and isinstance(config, ArrayAttr)
    require(right, f"`precision_config` must be two precisions, not {config}")


@rule("stablehlo.convolution")
def _convolution(op: Operation) -> None:
    x, kernel = operands(op, 2)
    (result,) = results(op)
    lhs, rhs, out = cast(ConvolutionDimensions, op.properties["dimension_numbers"]).data
    space = len(extents(x)) - 2
    require(space >= 0, f"operand 0 is {x}, and must have a batch and a feature dimension")
    labels = [str(d) for d in range(space)]
    for what, group, type_, wanted in (
        ("the input", lhs, x, ("b", "f")),
        ("the kernel", rhs, kernel, ("i", "o")),
        ("the result", out, result, ("b", "f")),
    ):
        require(
            sorted(group) == sorted((*wanted, *labels)),
            f"the dimensions of {what} are [{', '.join(group)}], and must be {', '.join((*wanted, *labels))}",
        )
        require(len(extents(type_)) == len(group), f"{what} is {type_}, and has {len(group)} dimensions")
    features, batches = number(op, "feature_group_count"), number(op, "batch_group_count")
    require_positive("feature_group_count", [features])
    require_positive("batch_group_count", [batches])
    require(1 in (features, batches), "either features or batches are cut into groups, not both")
    given, taps = dict(zip(lhs, extents(x), strict=True)), dict(zip(rhs, extents(kernel), strict=True))
    _require_groups("feature_group_count", features, given["f"], f"the features of {x}")
    _require_groups("feature_group_count", features, taps["o"], f"the results of {kernel}")
    _require_groups("batch_group_count", batches, given["b"], f"the batch of {x}")
    _require_groups("batch_group_count", batches, taps["o"], f"the results of {kernel}")
    require(
        -1 in (given["f"], taps["i"]) or taps["i"] == given["f"] // features,
        f"the kernel is {kernel}, and must take {given['f'] // features} features",
    )
    require(
        element(x) == element(kernel), f"the kernel is {kernel}, and the input {x}: their elements differ"
    )
    _require_result_kind(x, result)
    _require_precision(op)
    windows = dict(zip(labels, _window_counts(op, given, taps, labels), strict=True))
    whole = {"b": given["b"] // batches if given["b"] >= 0 else -1, "f": taps["o"], **windows}
    require_type("the result", result, [whole[label] for label in out], element(result))


def _window_counts(
    op: Operation, given: dict[str, int], taps: dict[str, int], labels: Sequence[str]
) -> tuple[int, ...]:
    space = len(labels)
    strides = integers(op, "window_strides", space, default=1)
    base, window = (integers(op, name, space, default=1) for name in ("lhs_dilation", "rhs_dilation"))
    integers(op, "window_reversal", space, default=0)
    for name, values in (("window_strides", strides), ("lhs_dilation", base), ("rhs_dilation", window)):
        require_positive(name, values)
    shape, sizes = [given[label] for label in labels], [taps[label] for label in labels]
    return window_extents(shape, sizes, strides, padding(op, space), base, window)


def _require_groups(name: str, groups: int, extent: int, what: str) -> None:
    require(extent < 0 or extent % groups == 0, f"`{name}` is {groups}, which does not divide {what}")
