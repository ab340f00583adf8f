"""Splitting a function that returns a linear map in two: values with residuals, and the map made from these.

    @f(%x) -> (%y, %d)      a value and its derivative there

becomes

    @primal(%x) -> (%y, residuals...)        everything but the map
    @map(residuals...) -> %d                 the map, as an expression

The residuals are values of f from which the map is made. Chains of scalings are merged beforehand, so a chain
of elementwise ops keeps one array. Values that cost nothing to recompute (literals, index values, broadcasts,
negations) are recomputed in `map`; so is a loop whose tape the map reads, as no caller can hold a tape. A
residual that is a parameter of f is not returned by `primal`, as the caller has it.

    func.func @f(%x: f64) -> (f64, !linear.map<f64, f64>)         y = exp(sin x)
      residuals: exp(sin x) cos x       map: linear.scale of it
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from mlirad.dialects import linear
from mlirad.dialects.shapes import UNIT, Value, components_of, is_array
from mlirad.errors import UnsupportedError
from mlirad.ir.arrays import ArrayBuilder, Environment, new_function
from mlirad.ir.builder import function_block, returned
from mlirad.ir.call_graph import functions_of, references_of
from mlirad.ir.first_order import require_first_order
from mlirad.ir.locations import location_of
from mlirad.ir.maps import codomain_of, domain_of
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.dce import eliminate_dead_code
from mlirad.passes.dual_arrays.residuals import Residuals
from mlirad.passes.dual_arrays.scales import merge_scales


@dataclass(frozen=True)
class SplitMapsPass(ModulePass):
    """Splits every function whose last result is a linear map in two, @f_primal and @f_map."""

    name = "split-maps"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Replace each such function by its two parts."""
        require_first_order(op)
        functions = functions_of(op)
        chosen = [f for f in functions if (r := returned(f)) and isinstance(r[-1].type, linear.MapType)]
        _require_apart(functions, chosen)
        for function in chosen:
            name = function.sym_name.data
            split = split_map(function, f"{name}_primal", f"{name}_map")
            op.body.block.insert_ops_before([split.primal, split.map], function)
            op.body.block.erase_op(function)


def _require_apart(functions: Sequence[FuncOp], split: Sequence[FuncOp]) -> None:
    """Require that nothing refers to the functions that are split, and that their parts' names are free."""
    names = {f.sym_name.data for f in functions}
    going = {f.sym_name.data for f in split}
    for function in functions:
        for name, op in references_of(function):
            if name in going:
                raise UnsupportedError(
                    f"@{name}, which {op.name} refers to, cannot be split",
                    location=location_of(op),
                    hint="run mlirad-inline before",
                )
    for function in split:
        for part in (f"{function.sym_name.data}_primal", f"{function.sym_name.data}_map"):
            if part in names:
                raise UnsupportedError(
                    f"@{function.sym_name.data} cannot be split: there is a function @{part}",
                    location=location_of(function),
                )
            names.add(part)


@dataclass(frozen=True)
class SplitMap:
    """`primal` returns the values and then those residuals that are not parameters; `map` takes the
    residuals.

    `kept[k]` is the parameter of the point that residual k is, `None` for one that `primal` returns.
    """

    primal: FuncOp
    map: FuncOp
    values: int
    kept: tuple[int | None, ...]


def split_map(function: FuncOp, primal: str = "primal", map_: str = "map") -> SplitMap:
    """Split a function of array code that returns values and, last, a linear map made of such code.

    The map comes out between products of the components that carry data: components of its codomain that are
    `tuple<>`, of integer results, are dropped. Raises `UnsupportedError` for maps that are
    parameters, or results that are not the last.
    """
    for what, values in (("parameter", function_block(function).args), ("result", returned(function)[:-1])):
        for k, value in enumerate(values):
            if not is_array(value.type):
                raise UnsupportedError(
                    f"@{function.sym_name.data} cannot be split: its {what} {k} has type {value.type}",
                    location=location_of(function),
                    hint="it must take arrays, and return arrays and one map",
                )
    merged = _merged(function)
    block = function_block(merged)
    *values, whole = returned(merged)
    plan = Residuals(block, [whole], repeats=False)
    made_in_order: list[Value] = [*block.args, *(r for op in block.ops for r in op.results)]
    order = {v: n for n, v in enumerate(made_in_order)}
    kept = sorted(plan.kept, key=lambda v: order[v])
    for value in kept:
        if isinstance(value.type, linear.MapType):
            maker = value.owner
            what = maker.name if isinstance(maker, Operation) else "the caller"
            raise UnsupportedError(
                f"a map made by {what} cannot be split from its values",
                location=location_of(maker) if isinstance(maker, Operation) else location_of(function),
            )
    places: dict[Value, int] = {v: k for k, v in enumerate(block.args)}
    made = [v for v in kept if v not in places]
    recomputed = plan.recomputed_ops()
    split = SplitMap(
        _part(
            primal, block.args, [op for op in block.ops if not isinstance(op, linear.MapOp)], [*values, *made]
        ),
        _part(map_, kept, recomputed, [whole]),
        len(values),
        tuple(places.get(v) for v in kept),
    )
    merged.drop_all_references()
    return split


def _merged(function: FuncOp) -> FuncOp:
    """The function with chains of scalings merged and only components that carry data."""

    def merge(b: ArrayBuilder, whole: Value) -> list[Value]:
        return merge_scales(b, b.block, [whole], lambda: Residuals(b.block, [whole], repeats=False))

    carrying = _remade(function, ArrayBuilder.rebuild, lambda b, whole: [_carrying(b, whole)])
    return _remade(carrying, ArrayBuilder.rebuild_unfolded, merge)


def _remade(
    function: FuncOp,
    emit: Callable[[ArrayBuilder, Operation, Environment], object],
    finish: Callable[[ArrayBuilder, Value], list[Value]],
) -> FuncOp:
    """The function with its ops emitted by `emit`, and its last result, the map, as `finish` makes it."""
    source = function_block(function)

    def body(b: ArrayBuilder, *args: Value) -> list[Value]:
        env: Environment = dict(zip(source.args, args, strict=True))
        for op in source.ops:
            if not isinstance(op, ReturnOp):
                emit(b, op, env)
        *values, whole = (env.get(v, v) for v in returned(function))
        return [*values, *finish(b, whole)]

    hints = [a.name_hint for a in source.args]
    return eliminate_dead_code(
        new_function(function.sym_name.data, list(source.arg_types), body, None, hints)
    )


def _carrying(b: ArrayBuilder, whole: Value) -> Value:
    """The map without the components of its codomain that have no elements by type."""
    codomain = codomain_of(whole)
    parts = components_of(codomain)
    if UNIT not in parts:
        return whole
    carried = [b.compose(b.project(codomain, k), whole) for k, part in enumerate(parts) if part != UNIT]
    return carried[0] if len(carried) == 1 else b.vcat(domain_of(whole), carried)


def _part(
    name: str, parameters: Sequence[Value], ops: Sequence[Operation], results: Sequence[Value]
) -> FuncOp:
    """The function of `parameters` that runs `ops` and returns `results`."""

    def body(b: ArrayBuilder, *args: Value) -> list[Value]:
        env: Environment = dict(zip(parameters, args, strict=True))
        for op in ops:
            if not isinstance(op, ReturnOp):
                b.rebuild_unfolded(op, env)
        return [env.get(r, r) for r in results]

    hints = [p.name_hint for p in parameters]
    return eliminate_dead_code(new_function(name, [p.type for p in parameters], body, None, hints))
