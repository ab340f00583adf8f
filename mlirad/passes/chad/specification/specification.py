"""The specification of CHAD: functions on primal parts that also return a map between linear parts.

    chad{function=f}                   @f_chad(x) -> (f(x), map from its cotangents to those of x)
    chad{function=f mode=forward}      @f_chad(x) -> (f(x), map from tangents of x to its own)
    chad                               every differentiation operator becomes a call of such a function

The linear part of a function is a power or copower, whose elements are functions or collections of calls. So
the programs that come out have no static memory: they are run by the interpreter, and say what a derivative
of a function is. Compiled programs are compared with them.
"""

from __future__ import annotations

from dataclasses import replace

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from mlirad.dialects import linear
from mlirad.dialects.array import control
from mlirad.dialects.array.custom import CheckpointOp, CustomOp
from mlirad.dialects.array.indexing import BuildOp
from mlirad.dialects.function import (
    ApplyOp,
    CaseOp,
    GetOp,
    InjectOp,
    LambdaOp,
    PartialOp,
    RollOp,
    TupleOp,
    UnrollOp,
)
from mlirad.dialects.shapes import Value, values_of
from mlirad.errors import UnsupportedError
from mlirad.ir.arrays import ArrayBuilder, new_function
from mlirad.ir.builder import function_block
from mlirad.ir.call_graph import functions_by_name, state_sizes_like
from mlirad.ir.first_order import hands_on_functions, is_higher
from mlirad.ir.free_values import free_values
from mlirad.lazy_dataclass import dataclass
from mlirad.passes.chad.specification import calls as of_calls
from mlirad.passes.chad.specification import control as of_control
from mlirad.passes.chad.specification import functions as of_functions
from mlirad.passes.chad.specification import rules as of_rules
from mlirad.passes.chad.specification.derivation import Construct, Derivation, underivable
from mlirad.passes.chad.types import MODES, Types
from mlirad.passes.dce import eliminate_dead_code
from mlirad.passes.function_pass import drop_unreferenced, replace_function

SUFFIX = "_chad"
"""The suffix of the derivative's name, after the name of the function."""


@dataclass(frozen=True)
class ChadPass(ModulePass):
    """Adds `@f_chad`, which also returns the derivative; without a name, expands all derivatives."""

    name = "chad"
    function: str | None = None
    mode: str | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Add the function and those that it calls.

        Without a mode derivatives are expanded forward if the module applies them in no other way.
        """
        if self.mode not in (None, *MODES):
            raise UnsupportedError(f"there is no mode {self.mode!r}", hint=f"there are {', '.join(MODES)}")
        if self.function is None:
            expand(op, self.mode or _mode_of(op))
        else:
            add_derivative(op, self.function, self.mode or "reverse")


def add_derivative(module: ModuleOp, function: str, mode: str) -> FuncOp:
    """Add the derivative of a function to a module, which is returned, and those of all that it calls."""
    made = Specification(module, Types(mode))
    if function not in made.functions:
        there = ", ".join(f"@{name}" for name in made.functions) or "none"
        raise UnsupportedError(f"there is no function @{function} with a body", hint=f"there are {there}")
    name = made.derivative_of(function)
    made.add_all()
    return functions_by_name(module)[name]


def expand(module: ModuleOp, mode: str) -> None:
    """Make calls of derivatives of all differentiation operators; private functions no longer used go."""
    made = Specification(module, Types(mode), "private")
    for function in made.functions.values():
        if not hands_on_functions(function):
            replace_function(function, eliminate_dead_code(made.primal(function)))
    made.add_all()
    drop_unreferenced(module)


def _mode_of(module: ModuleOp) -> str:
    maps = [op.primals[-1] for op in module.walk() if isinstance(op, linear.LinearizeOp | linear.PullbackOp)]
    uses = [use.operation for map_ in maps for use in map_.uses]
    return "forward" if uses and all(isinstance(user, linear.ApplyOp) for user in uses) else "reverse"


class Specification:
    """The derivatives of the functions of a module, each made once, when it is asked for."""

    def __init__(self, module: ModuleOp, types: Types, visibility: str | None = None):
        """Derivatives have the visibility that is given, by default that of their functions."""
        self.module, self.types, self.visibility = module, types, visibility
        self.functions = functions_by_name(module)
        self._asked: dict[str, str] = {}

    def derivative_of(self, name: str) -> str:
        """The name of the derivative of a function."""
        if name not in self._asked:
            wanted = name + SUFFIX
            while wanted in self.functions or wanted in self._asked.values():
                wanted += "_"
            self._asked[name] = wanted
        return self._asked[name]

    def add_all(self) -> None:
        """Add all derivatives that were asked for, and those that these ask for."""
        made = 0
        while made < len(self._asked):
            source, name = list(self._asked.items())[made]
            derived = eliminate_dead_code(self._derivative(self.functions[source], name))
            state_sizes_like(derived, self.functions[source])
            self.module.body.block.add_op(derived)
            made += 1

    def _derivative(self, function: FuncOp, name: str) -> FuncOp:
        source = function_block(function)

        def body(b: ArrayBuilder, *arguments: Value) -> list[Value]:
            b.location = function.location
            d = self._derivation(b, CONSTRUCTS).inner(zip(source.args, arguments, strict=True), source.args)
            made = d.block(source)
            b.location = function.location
            return [*d.values(made), d.map([source.args], made)]

        types = [self.types.primal(t) for t in source.arg_types]
        own = None if function.sym_visibility is None else function.sym_visibility.data
        hints = [a.name_hint for a in source.args]
        new = new_function(name, types, body, self.visibility or own, hints)
        new.location = function.location
        return new

    def primal(self, function: FuncOp) -> FuncOp:
        """A function of arrays on primal parts, its differentiation operators expanded."""
        source = function_block(function)

        def body(b: ArrayBuilder, *arguments: Value) -> list[Value]:
            constructs = {**CONSTRUCTS, **self._expanding(), CallOp: self._call}
            d = replace(self._derivation(b, constructs), is_plain=True)
            d = d.inner(zip(source.args, arguments, strict=True))
            return d.values(d.block(source))

        visibility = None if function.sym_visibility is None else function.sym_visibility.data
        hints = [a.name_hint for a in source.args]
        new = new_function(function.sym_name.data, source.arg_types, body, visibility, hints)
        new.location = function.location
        new.attributes.update(function.attributes)
        return new

    def _derivation(self, b: ArrayBuilder, constructs: dict[type[Operation], Construct]) -> Derivation:
        return Derivation(b, self.types, constructs, self.derivative_of)

    # Expansion -----------------------------------------------------------------------------------

    def _expanding(self) -> dict[type[Operation], Construct]:
        return {
            linear.LinearizeOp: self._linearize,
            linear.PullbackOp: self._linearize,
            linear.JetOp: _refuse,
            **dict.fromkeys((linear.ApplyOp, linear.ApplyTransposeOp, linear.TransposeOp), _as_it_is),
        }

    def _call(self, d: Derivation, op: CallOp) -> None:
        """A call of the function itself, where no derivative is asked for and there are arrays alone."""
        if d.active_of(op.arguments) or any(map(is_higher, (*op.arguments.types, *op.res.types))):
            of_functions.call(d, op)
        else:
            _as_it_is(d, op)

    def _linearize(self, d: Derivation, op: linear.DifferentiationOp) -> None:
        """The call of the callee's derivative, and the part of its map that is by the chosen operands."""
        if d.active_of(op.arguments):
            raise underivable(op, d.method)
        b, types, wrt = d.b, self.types, values_of(op.wrt)
        inputs, outputs = [v.type for v in op.arguments], [v.type for v in op.primals[:-1]]
        type_ = types.map(types.linear_product(inputs), types.linear_product(outputs))
        results = [*map(types.primal, outputs), type_]
        properties = {"callee": SymbolRefAttr(self.derivative_of(op.callee_name))}
        *values, map_ = b.insert(CallOp, d.values(op.arguments), results, properties).results
        map_ = of_functions.partial_map(b, types, map_, types.linear_product(inputs), wrt, len(inputs))
        if types.is_reverse != isinstance(op, linear.PullbackOp):
            map_ = b.transpose_map(map_)
        d.enter(op.primals, [*values, map_])


def _refuse(d: Derivation, op: linear.JetOp) -> None:
    raise underivable(op, d.method)


def _as_it_is(d: Derivation, op: Operation) -> None:
    if d.active_of(free_values(op)):
        raise underivable(op, d.method)
    d.primal(op)


CONSTRUCTS: dict[type[Operation], Construct] = {
    LambdaOp: of_functions.lambda_,
    PartialOp: of_functions.partial,
    ApplyOp: of_functions.apply,
    CallOp: of_functions.call,
    TupleOp: of_functions.tuple_,
    GetOp: of_functions.get,
    InjectOp: of_functions.inject,
    RollOp: of_functions.roll,
    UnrollOp: of_functions.unroll,
    CaseOp: of_control.case,
    control.IfOp: of_control.if_,
    control.SwitchOp: of_control.switch,
    BuildOp: of_control.build,
    control.ScanOp: of_control.scan,
    control.WhileOp: of_control.while_,
    CheckpointOp: of_rules.checkpoint,
    CustomOp: of_rules.custom,
    linear.PushOp: of_calls.push,
    linear.PullOp: of_calls.pull,
}
"""The constructs of the language; every other op has its derivative from the table."""
