"""Derivative rules of JAX's functions, read from JAX: `custom_jvp`, `custom_vjp`, `custom_root`, and solves.

    %y = stablehlo.custom_call @mlirad.rule(%x) {backend_config = "rule0.f"}

stands for a call of a function f with a rule. Beside it stand the function's code, @rule0.f.value(x), and its
rule, which is what JAX makes of its own derivative of the call: @rule0.f.derivative(x, y, dx), or of a
`custom_vjp` @rule0.f.transposed(x, y, cty), and both of a linear solve. They may call functions with rules,
too. Where a rule calls its own function on the arguments that it belongs to, the result y stands for the
call, so that derivatives of derivatives come to an end; those that do not are NaN beyond some order. Where
JAX cannot trace the rule, @rule0.f.code(x) stands for the function.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from xdsl.dialects.builtin import FunctionType, ModuleOp, StringAttr
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, Block, Operation

from mlirad.bridges.jax_calls import RuledCall, is_plain
from mlirad.bridges.jax_lowering import LoweringRule, has_loop, stablehlo, stopping, stops_by_hand
from mlirad.bridges.packages import framework
from mlirad.dialects.stablehlo.control import CustomCallOp
from mlirad.errors import DroppedRuleWarning
from mlirad.ir.builder import function_block
from mlirad.ir.call_graph import PRIVATE, functions_by_name, rename_functions
from mlirad.ir.free_values import own_operands
from mlirad.ir.parsing import parse_module
from mlirad.ir.regions import nested_ops
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.convert_stablehlo.custom_rules import CODE, RULE, VALUE, dropped


@dataclass
class _Collector:
    """The calls of functions with rules in a program, by the names that they get."""

    order: int
    """The number of rules that the program stands in."""
    calls: dict[str, RuledCall]
    solves: bool
    """True if all linear solves keep their rules, not only those that iterate."""

    def lowering_rules(self) -> list[LoweringRule]:
        """Return how JAX is to emit such calls."""
        primitives = framework("jax.extend.core.primitives", "from_jax")
        names = ("custom_jvp_call_p", "custom_vjp_call_p", "linear_solve_p")
        return [(p, self._lowering(p)) for name in names if (p := getattr(primitives, name, None))]

    def _lowering(self, primitive: Any) -> Callable[..., Any]:
        mlir = framework("jax._src.interpreters.mlir", "from_jax")

        def lowered(context: Any, *operands: Any, **params: Any) -> Any:
            avals = (*context.avals_in, *context.avals_out)
            call = RuledCall(primitive, params, tuple(context.avals_in), tuple(context.avals_out), self.order)
            if not all(map(is_plain, avals)) or not self._is_kept(params):
                return mlir.lower_fun(call.value, multiple_results=True)(context, *operands)
            known = (name for name, other in self.calls.items() if other == call)
            name = next(known, f"rule{len(self.calls)}.{call.name}")
            self.calls[name] = call
            types = [
                mlir.ir.RankedTensorType.get(aval.shape, mlir.dtype_to_ir_type(aval.dtype))
                for aval in context.avals_out
            ]
            return mlir.custom_call(RULE, result_types=types, operands=operands, backend_config=name).results

        return lowered

    def _is_kept(self, params: Mapping[str, Any]) -> bool:
        return self.solves or "jaxprs" not in params or has_loop(params["jaxprs"].solve)


class RuleReader:
    """Reads the rules of the functions that a program calls."""

    def __init__(self, jax: Any, file: str):
        self._jax = jax
        self._file = file
        self._calls: dict[str, RuledCall] = {}
        self._solves = False

    def module(self, traced: Any) -> ModuleOp:
        """The module of a traced function, with all rules of what it calls."""
        module = self._parsed(traced, 0)
        pending, done = _called(module.body.block), set[str]()
        while pending:
            name = pending.pop()
            if name not in done:
                done.add(name)
                for function in self._functions(name):
                    module.body.block.add_op(function)
                    pending += _called(function_block(function))
        return module

    def _parsed(self, traced: Any, order: int | None) -> ModuleOp:
        """The module of a traced function that stands in rules; with `None` calls are code without rules."""
        # A linear solve by a factorisation whose gradient JAX stops is differentiated by its
        # operations, unless other gradients are stopped, too.
        self._solves = self._solves or stops_by_hand(traced.jaxpr)
        rules = [] if order is None else _Collector(order, self._calls, self._solves).lowering_rules()
        if self._solves:
            rules.append(stopping())
        return parse_module(stablehlo(traced, rules), self._file)

    def _traced(self, function: Callable[..., Any], avals: Sequence[Any]) -> Any:
        shapes = [self._jax.ShapeDtypeStruct(a.shape, a.dtype) for a in avals]
        return self._jax.jit(function, keep_unused=True).trace(*shapes)

    def _functions(self, name: str) -> list[FuncOp]:
        """The functions that a rule consists of."""
        call = self._calls[name]
        value = self._traced(call.value, call.operands)
        module = self._parsed(value, None)
        types = functions_by_name(module)["main"].function_type.outputs.data
        found = _renamed(module, f"{name}.{VALUE}")
        for direction in call.directions:
            try:
                traced = self._traced(*call.derivative(self._jax, direction))
                module = self._parsed(traced, call.order + 1)
            except Exception as error:  # whatever the user's rule raises
                warnings.warn(dropped(call.name, str(error)), DroppedRuleWarning, stacklevel=2)
                return _renamed(self._parsed(value, call.order), f"{name}.{CODE}")
            self._take_results(module, call, types)
            found += _renamed(module, f"{name}.{direction}")
        return found

    def _take_results(self, module: ModuleOp, call: RuledCall, types: Sequence[Attribute]) -> None:
        """Let a rule take the results, of these types, behind the operands, and not compute them again."""
        functions = functions_by_name(module)
        main = functions["main"]
        block, count = function_block(main), len(call.operands)
        operands = tuple(block.args[:count])
        results = [block.insert_arg(type_, count + k) for k, type_ in enumerate(types)]
        outputs = list(main.function_type.outputs.data)
        main.properties["function_type"] = FunctionType.from_lists(list(block.arg_types), outputs)
        main.properties.pop("arg_attrs", None)
        for op in list(block.ops):
            if own_operands(op) == operands and self._is_call(op, call, functions):
                for old, new in zip(op.results, results, strict=True):
                    old.replace_all_uses_with(new)
                op.detach()
                op.erase()

    def _is_call(self, op: Operation, call: RuledCall, functions: Mapping[str, FuncOp]) -> bool:
        """Return whether an op calls the function of a rule, by itself or by a function that does nothing
        else.
        """
        name = _rule_of(op)
        if name is not None:
            return self._calls[name].key == call.key
        callee = functions.get(op.callee.root_reference.data) if isinstance(op, CallOp) else None
        if callee is None:
            return False
        block = function_block(callee)
        first, last = block.first_op, block.last_op
        return (
            first is not None
            and last is not None
            and first.next_op is last
            and own_operands(first) == tuple(block.args)
            and own_operands(last) == tuple(first.results)
            and self._is_call(first, call, functions)
        )


# Modules -------------------------------------------------------------------------------------------


def _rule_of(op: Operation) -> str | None:
    """The name of the rule of what an op calls."""
    if not isinstance(op, CustomCallOp) or op.call_target_name.data != RULE:
        return None
    return cast(StringAttr, op.backend_config).data


def _called(block: Block) -> list[str]:
    """The names of the rules of what is called in a block. Calls whose results nothing reads are erased."""
    region = block.parent
    assert region is not None
    found: list[str] = []
    for op in list(nested_ops(region)):
        name = _rule_of(op)
        if name is None:
            continue
        if any(r.first_use is not None for r in op.results):
            found.append(name)
        else:
            op.detach()
            op.erase()
    return found


def _renamed(module: ModuleOp, name: str) -> list[FuncOp]:
    """The functions of a module, taken from it, with private names of their own; `name` is that of `main`."""
    functions = functions_by_name(module)
    rename_functions(
        functions.values(), {old: name if old == "main" else f"{name}.{old}" for old in functions}
    )
    for function in functions.values():
        function.properties["sym_visibility"] = PRIVATE
        function.detach()
    return list(functions.values())
