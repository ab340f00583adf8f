"""`sweep`: an analysis of a function that accumulates data along its values, forward or in reverse.

    ad.sweep(f, instance="provenance")(x)                     which elements of x reach f(x)
    ad.sweep(f, instance="z2", mode="forward")(p, seeds=dp)   the formal derivative of booleans along dp

It is CHAD with another table than that of derivatives (CHAD paper, section 11.3).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Unpack, cast

from xdsl.dialects.builtin import ModuleOp, StringAttr, SymbolRefAttr
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute

from mlirad.compiler import transform
from mlirad.dialects.array.literals import ELEMENT_TYPES
from mlirad.dialects.shapes import element_of, shape_of
from mlirad.errors import DifferentiationError, ShapeError, UnsupportedError, of_class
from mlirad.frontend.compiling.options import CompileOptions, options_of
from mlirad.frontend.compiling.transformed import Transformed
from mlirad.frontend.differentiation.sweep_instances import Instance
from mlirad.frontend.tracing.argument_kinds import checked_choice
from mlirad.frontend.tracing.argument_types import leaf_type
from mlirad.frontend.tracing.array import Array, made
from mlirad.frontend.tracing.frames import Functions, current_frame, emitting
from mlirad.frontend.tracing.function_names import function_name, hint_of, parameter_names
from mlirad.frontend.tracing.functions import THE_CALL, Traced, require_function, trace_inner
from mlirad.frontend.tracing.operations import as_array
from mlirad.frontend.tracing.pytree import Tree, flatten
from mlirad.frontend.tracing.raising import argument_error
from mlirad.frontend.tracing.source import user_line
from mlirad.frontend.tracing.tracebacks import plain_errors
from mlirad.ir.arrays import ArrayBuilder
from mlirad.ir.call_graph import PRIVATE, CallGraph, functions_by_name
from mlirad.passes.sweep.instance import Instance as Table
from mlirad.passes.sweep.sweep import MODES, instance_named, sweep_function
from mlirad.pipeline_options import Options
from mlirad.pipelines import sweep_preparation


@plain_errors
def sweep(
    function: Callable[..., Any], instance: str | Instance = "provenance", mode: str = "reverse",
    **options: Unpack[CompileOptions],
) -> Callable[..., Any]:  # fmt: skip
    """The function that returns the value of another one, and the data that its values carry.

    `instance` is an `ad.Instance`, or the name of one: "provenance" (a boolean per element: whether it
    matters), "z2", "z3", "z4", ... (formal derivatives modulo n), "naturals" (of integers), "min-plus"
    (where min is the sum and + the product) or "cotangents".

    In reverse the new function takes data of the result as `seeds`, structured like it, and returns those of
    the arguments: of one argument its own, of several a tuple. Forward `seeds` are a tuple of data of the
    arguments, and data of the result are returned. Without seeds every element starts with the one of the
    instance. Leaves whose dtype carries nothing have `None`.

        >>> x, w = np.array([1.0, 2.0, 3.0]), np.array([0.5, 0.0, 2.0])
        >>> value, (reached, weights) = ad.sweep(lambda x, w: x[:2] @ w[1:])(x, w)
        >>> reached, weights
        (array([ True,  True, False]), array([False,  True,  True]))

    Branches, loops, recursion, and functions as values are swept through. In reverse the code inside of d
    loops or branches runs d + 1 times, and a function that calls itself once more for each level.

    Raises `ArgumentError` for an instance or mode that does not exist; `DifferentiationError`, at the line of
    the operation, where the instance has no line for it, or data would decide a branch, an iteration or a
    position of an instance that does not read these; `ShapeError` for seeds of other shapes.
    """
    require_function(function, THE_CALL)
    checked_choice(mode, "mode of sweep", MODES)
    table = instance.table if isinstance(instance, Instance) else _named(instance)

    def derived(f: Callable[..., Any], given: tuple[Any, ...]) -> Any:
        return _swept(f, table, mode, *given)

    transformed = Transformed(function, derived, ("sweep", instance, mode), options_of(options))

    def swept(*args: Any, seeds: Any = None) -> Any:
        return transformed(args, seeds)

    return swept


def _named(name: str) -> Table:
    if not isinstance(cast(object, name), str):
        raise argument_error(
            f"instance is {of_class(name)}, and it is a name or an ad.Instance",
            'write instance="provenance"',
        )
    try:
        return instance_named(name)
    except UnsupportedError as error:
        raise argument_error(error.message, error.hint or "") from None


def _swept(
    function: Callable[..., Any], instance: Table, mode: str, args: tuple[Any, ...], seeds: Any
) -> Any:
    """The value and the data, of traced arguments."""
    leaves, tree = flatten(args)
    names = parameter_names(function, len(args))
    paths = [p for name, child in zip(names, tree.children, strict=True) for p in child.paths(name)]
    types = [leaf_type(leaf, path) for leaf, path in zip(leaves, paths, strict=True)]
    moving = [k for k, t in enumerate(types) if ELEMENT_TYPES[t.dtype] in instance.spaces]
    if not moving:
        shown = ", ".join(f"{p} of dtype {t.dtype}" for p, t in zip(paths, types, strict=True)) or "nothing"
        raise DifferentiationError(
            f"the instance {instance.name!r} has no data for an argument of {function_name(function)}, "
            f"which is given {shown}",
            location=user_line(),
            hint="convert the arguments, or choose another instance",
        )

    def rebuild(parameters: list[Array]) -> tuple[Any, ...]:
        inner = list(leaves)
        for k, parameter in zip(moving, parameters, strict=True):
            inner[k] = parameter
        return tuple(tree.unflatten(inner))

    traced = trace_inner(function, rebuild, [types[k] for k in moving], [hint_of(paths[k]) for k in moving])
    if traced.has_token:
        raise DifferentiationError(
            f"{function_name(function)} prints, asserts or is checked, and a sweep does not go through that",
            location=user_line(),
            hint="leave it out of the function that is swept",
        )
    operands = [*(as_array(leaves[k]).value for k in moving), *traced.captured]
    functions = current_frame().functions
    name = _add_sweep(functions, traced, instance, mode, len(moving))
    value_types = traced.result_types
    spaces = [instance.space(t) for t in value_types]
    if mode == "reverse":
        given = _seeds(instance, traced.tree, value_types, seeds, "the result")
        made_types = [space for k in moving if (space := instance.space(types[k].type)) is not None]
    else:
        given = _seeds(instance, tree, [t.type for t in types], seeds, "the arguments")
        made_types = [space for space in spaces if space is not None]
    results = _called(emitting(), name, [*operands, *given], [*value_types, *made_types])
    values = [made(v, weak=t.weak) for v, t in zip(results, traced.results.leaves, strict=False)]
    data = iter([made(v) for v in results[len(values) :]])
    value = traced.tree.unflatten(values)
    if mode == "forward":
        return value, traced.tree.unflatten([None if s is None else next(data) for s in spaces])
    found = tree.unflatten([next(data) if k in moving else None for k in range(len(leaves))])
    return value, found[0] if len(args) == 1 else tuple(found)


def _called(b: ArrayBuilder, name: str, operands: Sequence[Any], types: Sequence[Attribute]) -> list[Any]:
    return list(b.insert(CallOp, operands, types, {"callee": SymbolRefAttr(name)}).results)


def _seeds(instance: Table, tree: Tree, types: Sequence[Attribute], seeds: Any, what: str) -> list[Any]:
    """The data that are given, of each leaf that carries any, or the generator in every element."""
    b = emitting()
    wanted = [k for k, t in enumerate(types) if instance.space(t) is not None]
    if seeds is None:
        return [instance.ones(b, types[k]) for k in wanted]
    try:
        leaves = tree.flatten_like(seeds, "seeds")
    except ValueError as error:
        raise ShapeError(
            str(error), location=user_line(), hint=f"pass seeds in the structure of {what}"
        ) from error
    dtypes = {attribute: dtype for dtype, attribute in ELEMENT_TYPES.items()}
    found: list[Any] = []
    for k in wanted:
        space = instance.space(types[k])
        assert space is not None
        if leaves[k] is None:
            found.append(instance.zeros(b, types[k]))
            continue
        seed = as_array(leaves[k], dtypes[element_of(space)])
        if seed.shape != shape_of(space):
            raise ShapeError(
                f"seeds of shape {seed.shape} are given for values of shape {shape_of(space)}",
                location=user_line(),
                hint=f"pass seeds in the structure and shapes of {what}",
            )
        found.append(seed.value)
    return found


def _add_sweep(functions: Functions, traced: Traced, instance: Table, mode: str, moving: int) -> str:
    """Add the swept function to those of the trace, with all that it calls; returns its name."""
    known = {f.sym_name.data: f for f in functions.finished}
    reached = CallGraph(known).reachable([traced.name])
    module = ModuleOp([known[name].clone() for name in reached])
    renamed = {name: functions.fresh_name(f"{name}_source") for name in reached}
    for op in module.walk():
        if isinstance(op, FuncOp):
            op.sym_name = StringAttr(renamed[op.sym_name.data])
        for key, attribute in op.properties.items():
            if isinstance(attribute, SymbolRefAttr):
                op.properties[key] = SymbolRefAttr(renamed[attribute.root_reference.data])
    source = renamed[traced.name]
    functions_by_name(module)[source].sym_visibility = None
    transform(module, Options(first=sweep_preparation(), end="program"))
    ready = functions_by_name(module)
    given = tuple(range(moving))
    new, others = sweep_function(ready, ready[source], instance, mode, given, functions.fresh_name)
    called = CallGraph({f.sym_name.data: f for f in (*ready.values(), new, *others)}).reachable(
        [new.sym_name.data]
    )
    for name in called:
        if name in ready:
            ready[name].detach()
            ready[name].sym_visibility = PRIVATE
            functions.finished.append(ready[name])
    new.sym_visibility = PRIVATE
    functions.finished += [*others, new]
    return new.sym_name.data
