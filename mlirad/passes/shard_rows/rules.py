"""The rules of the ops of the array language: local to a chunk, a partial result, or refused with a reason.

To add an op: enter its rule in `RULES`, or the reason for having none in `REFUSED`, and the op in `LINEAR`
(`linear.py`) if it commutes with combining over chunks. A rule takes the states of the operands and returns
those of the results. Partial results as operands do not reach it, but in control flow.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Final

from xdsl.dialects.func import CallOp
from xdsl.ir import Operation

from mlirad.dialects.array import FRAME_OPS
from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array import factorisations as fact
from mlirad.dialects.array.callbacks import CallbackOp
from mlirad.dialects.array.control import IfOp, ReplayOp, ScanOp, SwitchOp, WhileOp
from mlirad.dialects.array.custom import CheckpointOp, CustomOp
from mlirad.dialects.array.indexing import BuildOp, GatherOp, IndexOp, ScatterOp, UpdateOp, YieldOp
from mlirad.dialects.array.ordering import ArgsortOp, CumulativeOp, SortOp
from mlirad.dialects.array.reductions import ArgmaxOp, ArgminOp, DotOp, ReduceOp, SumOp
from mlirad.dialects.array.reporting import AnyReport, ReportOp
from mlirad.dialects.array.structural import (
    BroadcastOp,
    ConcatenateOp,
    ConstantOp,
    IotaOp,
    PadOp,
    ReshapeOp,
    ReverseOp,
    SizeOp,
    SliceOp,
    StackOp,
    TransposeOp,
)
from mlirad.dialects.array.transforms import FftOp
from mlirad.dialects.shapes import integer_of, shape_of, values_of
from mlirad.ir.free_values import own_operands
from mlirad.passes.shard_rows import loops, positions, prefixes
from mlirad.passes.shard_rows.flow import FIRST, GROUP, PREFIX, RANKS, Flow, Rule
from mlirad.passes.shard_rows.linear import partial_results
from mlirad.passes.shard_rows.orders import RanksOp
from mlirad.passes.shard_rows.states import WHOLE, Own, Partial, State, refused


def visit(flow: Flow, op: Operation, states: list[State]) -> list[State]:
    """The states of the results of an op. Raises `SplitError` where it cannot be split."""
    if PREFIX in op.attributes:
        return prefixes.states_of(flow, op)
    if any(isinstance(state, Own) for state in states):
        raise refused(
            op,
            "this depends on how often a loop ran, which differs from chunk to chunk",
            "count for each row, in an array that has one number for each",
        )
    if type(op) in REFUSED:
        raise refused(op, *REFUSED[type(op)])
    rule = RULES.get(type(op), local if isinstance(op, ew.ElementwiseOp) else None)
    if rule is None:
        raise refused(op, f"{op.name} cannot be split by rows")
    if type(op) not in CONTROL and any(isinstance(s, Partial) for s in states):
        return partial_results(flow, op, states)
    if type(op) not in READS_POSITIONS:
        states = flow.number(op, states)
    return rule(flow, op, states)


def local(flow: Flow, op: Operation, states: list[State]) -> list[State]:
    """Each row of a result depends on the same row of the operands."""
    return flow.typed(op)


# Structure -------------------------------------------------------------------------------------------


def _reshaped(flow: Flow, op: Operation, states: list[State]) -> list[State]:
    """In row-major order rows stay together if as many elements of other dimensions stand in front."""
    assert isinstance(op, ReshapeOp)
    before, after = flow.rows(op.operand, op), flow.rows(op.result, op)
    if before is not None and after is not None:
        old, new = shape_of(op.operand)[: before.dim], shape_of(op.result)[: after.dim]
        if prod(old) != prod(new):
            raise refused(
                op,
                f"a reshape of {list(shape_of(op.operand))} to {list(shape_of(op.result))} mixes rows with "
                f"what stands in front of them",
                "keep the rows the leading dimension: x.reshape(x.shape[0], -1)",
            )
    return flow.typed(op)


def _sliced(flow: Flow, op: Operation, states: list[State]) -> list[State]:
    assert isinstance(op, SliceOp)
    rows = flow.rows(op.operand, op)
    if rows is not None:
        d = rows.dim
        start, limit, step = (values_of(p)[d] for p in (op.starts, op.limits, op.strides))
        if (start, limit) == (0, 1):
            return [Partial(FIRST)]
        if start != 0 or limit != shape_of(op.operand)[d] or step != 1:
            raise refused(
                op,
                f"rows {start}:{limit}{'' if step == 1 else f':{step}'} may be in any chunk",
                "mask rows instead: np.where(np.arange(n) < limit, x, 0)",
            )
    return flow.typed(op)


def _padded(flow: Flow, op: Operation, states: list[State]) -> list[State]:
    assert isinstance(op, PadOp)
    rows = flow.rows(op.operand, op)
    made = flow.rows(op.result, op)
    dim = rows.dim if rows is not None else made.dim if made is not None else None
    if dim is not None and any(values_of(p)[dim] != 0 for p in (op.low, op.high, op.interior)):
        raise refused(op, "rows are added between those of chunks", "add them to the array of all rows")
    return flow.typed(op)


def _along(what: str, hint: str) -> Rule:
    """Ops along a dimension, `dim` or `dims`, that must not be that of the rows."""

    def rule(flow: Flow, op: Operation, states: list[State]) -> list[State]:
        dims = (
            values_of(op.properties["dims"])  # pyright: ignore[reportArgumentType]
            if "dims" in op.properties
            else (integer_of(op.properties["dim"]),)  # pyright: ignore[reportArgumentType]
        )
        for value in (*own_operands(op), *op.results):
            rows = flow.rows(value, op)
            if rows is not None and rows.dim in dims:
                raise refused(op, f"{what} along all rows needs the rows of all chunks at once", hint)
        return flow.typed(op)

    return rule


# Reductions ------------------------------------------------------------------------------------------


def _summed(flow: Flow, op: Operation, states: list[State]) -> list[State]:
    assert isinstance(op, SumOp | ReduceOp)
    rows = flow.rows(op.operand, op)
    if rows is None or rows.dim not in values_of(op.dims):
        return flow.typed(op)
    return [Partial("add" if isinstance(op, SumOp) else op.kind.data)]


def _extreme(flow: Flow, op: Operation, states: list[State]) -> list[State]:
    """The position of an extremum goes with the extremum, beside which it was put (`prepared.py`)."""
    assert isinstance(op, ArgmaxOp | ArgminOp)
    rows = flow.rows(op.operand, op)
    if rows is None or rows.dim != integer_of(op.dim):
        return flow.typed(op)
    if GROUP not in op.attributes:
        raise refused(
            op,
            "the position of an extremum of all rows is needed in a loop or a branch, where it is known for "
            "the rows of one chunk alone",
            "find it in front of the loop or branch",
        )
    flow.counted[op] = rows.each
    return [Partial(op.name.removeprefix("array."))]


def _ranked(flow: Flow, op: Operation, states: list[State]) -> list[State]:
    """Elements of ranks that all chunks know."""
    if states[1] != WHOLE:
        raise refused(
            op, "ranks of elements are computed for each row", "sort another dimension than the rows"
        )
    return [Partial(RANKS)]


def _contracted(flow: Flow, op: Operation, states: list[State]) -> list[State]:
    assert isinstance(op, DotOp)
    rows = flow.rows(op.lhs, op)
    return [Partial("add")] if rows is not None and rows.dim in op.contract[0] else flow.typed(op)


# Matrices and transforms -----------------------------------------------------------------------------

_MATRICES = (
    "a factorisation of a matrix with a row in each chunk needs all of them at once",
    "factorise x.T @ x, which is a sum over rows, or solve by an iterative method",
)


def _factorised(flow: Flow, op: Operation, states: list[State]) -> list[State]:
    for value in own_operands(op):
        rows = flow.rows(value, op)
        if rows is not None and rows.dim >= _matrix_dim(op, value):
            raise refused(op, *_MATRICES)
    return flow.typed(op)


def _matrix_dim(op: Operation, value: object) -> int:
    """The first of the two dimensions of the matrices of an operand."""
    return len(shape_of(value)) - (3 if "complex" in op.properties else 2)  # pyright: ignore[reportArgumentType]


def _solved(flow: Flow, op: Operation, states: list[State]) -> list[State]:
    """Right-hand sides are columns, each solved by itself: columns may be rows of the program."""
    assert isinstance(op, fact.TriangularSolveOp | fact.SolveOp)
    matrix, columns = flow.rows(op.matrix, op), flow.rows(op.operand, op)
    if matrix is not None and matrix.dim >= _matrix_dim(op, op.matrix):
        raise refused(op, *_MATRICES)
    if columns is not None and columns.dim == _matrix_dim(op, op.operand):
        raise refused(op, *_MATRICES)
    return flow.typed(op)


def _transformed(flow: Flow, op: Operation, states: list[State]) -> list[State]:
    assert isinstance(op, FftOp)
    axes = op.axes
    for value, is_complex in ((op.operand, op.kind.data != "real"), (op.result, op.kind.data != "half")):
        rows = flow.rows(value, op)
        if rows is None:
            continue
        dim = axes.dim + (is_complex and axes.pairs <= axes.dim)
        if rows.dim == dim:
            raise refused(
                op,
                "a Fourier transform along all rows needs the rows of all chunks at once",
                "transform along another dimension, before the rows are split",
            )
    return flow.typed(op)


# Reports, calls --------------------------------------------------------------------------------------


def _reported(flow: Flow, op: Operation, states: list[State]) -> list[State]:
    """A chunk reports its rows; tokens are alike."""
    assert isinstance(op, AnyReport)
    found = [flow.rows(value, op) for value in own_operands(op)]
    if any(rows is not None and rows.dim >= op.batch_rank.value.data for rows in found):
        raise refused(
            op,
            "an array of all rows is reported, which no chunk has",
            "report sums over the rows, or what vmap makes of a row",
        )
    return [WHOLE]


def _called(flow: Flow, op: Operation, states: list[State]) -> list[State]:
    if any(s != WHOLE for s in (*states, *flow.typed(op))):
        raise refused(
            op,
            "a function that calls itself takes rows of chunks",
            "call it for each row, by ad.vmap, or write a loop",
        )
    return [WHOLE for _ in op.results]


def _constant(flow: Flow, op: Operation, states: list[State]) -> list[State]:
    return [WHOLE]


SORTING = _along(
    "sorting",
    "read a few of the sorted rows, at positions that are known: np.median, np.quantile, np.sort(x)[:10]; or "
    "sort what all chunks have",
)

RULES: Final[Mapping[type[Operation], Rule]] = {
    **dict.fromkeys((ConstantOp, SizeOp), _constant),
    **dict.fromkeys((IotaOp, BroadcastOp, TransposeOp, StackOp), local),
    ew.SelectOp: positions.selected,
    ew.MaxOp: positions.clamped,
    ReshapeOp: _reshaped,
    SliceOp: _sliced,
    PadOp: _padded,
    ConcatenateOp: _along("concatenating", "concatenate before the rows are split"),
    ReverseOp: _along(
        "reading backwards", "sum over rows in any order, or reverse before the rows are split"
    ),
    **dict.fromkeys((SumOp, ReduceOp), _summed),
    **dict.fromkeys((ArgmaxOp, ArgminOp), _extreme),
    DotOp: _contracted,
    RanksOp: _ranked,
    IndexOp: positions.index,
    GatherOp: positions.gather,
    ScatterOp: positions.scatter,
    UpdateOp: positions.update,
    BuildOp: positions.build,
    **dict.fromkeys((SortOp, ArgsortOp), SORTING),
    CumulativeOp: _along("a cumulative sum inside of a loop or a branch,", "take it in front of the loop"),
    **dict.fromkeys(
        (fact.LuOp, fact.CholeskyOp, fact.QrOp, fact.EighOp, fact.SvdOp, fact.EigOp, fact.SchurOp),
        _factorised,
    ),
    **dict.fromkeys((fact.TriangularSolveOp, fact.SolveOp), _solved),
    FftOp: _transformed,
    ScanOp: loops.scan,
    WhileOp: loops.while_,
    ReplayOp: loops.replay,
    IfOp: loops.branches,
    SwitchOp: loops.branches,
    ReportOp: _reported,
    CallOp: _called,
}
"""The rule of each op; those of elementwise ops are `local`."""

CONTROL: Final = frozenset({ScanOp, WhileOp, ReplayOp, IfOp, SwitchOp, BuildOp})
"""Ops whose rules take partial results."""

READS_POSITIONS: Final = frozenset(
    {IndexOp, ew.SelectOp, ew.MaxOp, GatherOp, ScatterOp, UpdateOp, BuildOp, *CONTROL}
)
"""Ops whose rules take positions among the rows of a chunk."""

REFUSED: Final[Mapping[type[Operation], tuple[str, str | None]]] = {
    CallbackOp: (
        "a Python function is called, which other processes do not have",
        "call it outside, and pass its results as an argument",
    ),
    CustomOp: ("the rule of a custom derivative is left, which differentiation lowers", None),
    CheckpointOp: ("a checkpoint is left, which differentiation lowers", None),
    YieldOp: ("a terminator stands alone", None),
    **dict.fromkeys(
        FRAME_OPS,
        (
            "recursion keeps records of its calls, which do not fit into chunks",
            "write a loop, ad.while_loop or ad.scan",
        ),
    ),
}
"""The ops without a rule, and why."""
