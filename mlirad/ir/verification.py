"""Whether a module is a program of the language: the check made after parsing and between passes.

A module verifies when

- it holds functions with a body and distinct names, and every op is of the language: `array`, `function`,
  `linear`, `kernel`, `func.func`, `func.call`, `func.return`;
- every op has the operands, results, properties and regions that its definition declares, of types of the
  language, and obeys the rules of its dialect;
- every operand is defined before its use, in the same block or around it, and functions see nothing of
  what is outside of them;
- every block of a function ends in `func.return` and of any other region in `array.yield`, and nowhere else
  do these stand;
- every callee exists and takes and returns the types it is called with; functions may be recursive, but none
  reaches its own derivative;
- the tape of a loop is read by `array.replay` and `linear.while` and by nothing else;
- whatever saves or restores frames of one type agrees on what they hold, and only private functions take and
  return frames;
- types have `MAX_ELEMENTS` elements at most.

The walk is one pass over the ops, linear in their number and not recursive. What an op declares is checked
before the ops inside of it, its rules after them: what a rule reads in the regions of its op is well-formed.
xDSL's own `verify` checks the second point alone; it cannot say which op failed without printing the module,
and knows nothing of dominance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
    TupleType,
    UnregisteredOp,
)
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Attribute, BlockArgument, Operation, OpResult, Region
from xdsl.utils.exceptions import VerifyException

from mlirad.dialects import linear
from mlirad.dialects.array import ARRAY_OPS, FRAME_OPS
from mlirad.dialects.array.control import ReplayOp, TapeType, shown
from mlirad.dialects.array.frames import RestoreOp, SaveOp
from mlirad.dialects.array.indexing import YieldOp
from mlirad.dialects.frame_type import FrameType
from mlirad.dialects.function import FUNCTION_OPS, ClosureType, PartialOp, SumType
from mlirad.dialects.function.closures import signature_of
from mlirad.dialects.kernel import Kernel
from mlirad.dialects.kernel_plans import check_plan_attributes
from mlirad.dialects.linear import (
    DerivedOp,
    DifferentiationOp,
    FunctionSpace,
    Linear,
    MapType,
    NotLinear,
    RecordedOp,
    WhileOp,
)
from mlirad.dialects.shapes import (
    ELEMENTS,
    STORED,
    Value,
    components_of,
    element_of,
    is_array,
    is_float,
    is_value,
    size_of,
)
from mlirad.dialects.syntax import LanguageOp
from mlirad.errors import VerifyError
from mlirad.ir.locations import location_of, name_of

MAX_ELEMENTS = 2**48
"""The most elements an array type may have: addresses of what is larger do not fit a machine word."""

LANGUAGE: frozenset[type[Operation]] = frozenset(
    (*ARRAY_OPS, *FRAME_OPS, *FUNCTION_OPS, *Linear.operations, *Kernel.operations, FuncOp, CallOp, ReturnOp)
)
"""The ops a program is made of."""

TERMINATORS = (YieldOp, ReturnOp)

TAPE_READERS = (ReplayOp, WhileOp)

_PUBLIC = StringAttr("public")

_FUNCTION_PROPERTIES = ("sym_name", "function_type", "sym_visibility", "arg_attrs", "res_attrs")


def verify_module(module: ModuleOp, *, allow_unregistered: bool = False) -> None:
    """Check that `module` is a program of the language.

    With `allow_unregistered`, ops of unknown dialects may stand anywhere; nothing is known of them but their
    operands, results and regions. Raises `VerifyError` for the first op in program order that breaks a rule;
    it names the op, the rule and the source location.
    """
    _Verification(module, allow_unregistered).run()


def error_at(op: Operation, message: str, hint: str | None = None) -> VerifyError:
    """The error that `op` breaks a rule."""
    return VerifyError(f"{op.name}: {message}", location=location_of(op), hint=hint)


@dataclass
class _Frame:
    """A block on the way: its arguments, the ops still to come, and what becomes visible to them."""

    arguments: Sequence[Value]
    ops: Iterator[Operation]
    visible: set[Value]
    values: list[Value] = field(default_factory=list[Value])
    last: Operation | None = None


class _Verification:
    """The state of one walk."""

    def __init__(self, module: ModuleOp, allow_unregistered: bool):
        self.module = module
        self.allow_unregistered = allow_unregistered
        self.functions: dict[str, FuncOp] = {}
        self.calls: dict[str, list[tuple[str, Operation]]] = {}
        self.function = ""
        self.checked_types: dict[int, Attribute] = {}
        self.frames: dict[FrameType, tuple[Sequence[Attribute], Operation]] = {}

    def run(self) -> None:
        """Check everything."""
        if len(self.module.regions) != 1 or self.module.operands or self.module.results:
            message = "takes its functions as one region, and has no operands and no results"
            raise error_at(self.module, message)
        top = self._frame(self.module.body, self.module, set())
        self._collect_functions()
        frames = [top]
        while frames:
            frame = frames[-1]
            if frame.last is None:
                frame.values += frame.arguments
                frame.visible.update(frame.arguments)
            else:
                self._check_rules(frame.last)
                frame.values += frame.last.results
                frame.visible.update(frame.last.results)
            op = next(frame.ops, None)
            if op is None:
                frame.visible.difference_update(frame.values)
                frames.pop()
                continue
            frame.last = op
            self._check_op(op, frame.visible)
            visible = set[Value]() if isinstance(op, FuncOp) else frame.visible
            frames += [self._frame(region, op, visible) for region in reversed(op.regions)]
        self._check_recursion()

    def _collect_functions(self) -> None:
        for op in self.module.body.block.ops:
            name = op.properties.get("sym_name")
            if not isinstance(op, FuncOp) or not isinstance(name, StringAttr):
                continue
            name = name.data
            if name in self.functions:
                first = location_of(self.functions[name])
                before = "" if first is None else f", first at {first}"
                raise error_at(op, f"there are two functions named @{name}{before}")
            self.functions[name] = op

    def _frame(self, region: Region, parent: Operation, visible: set[Value]) -> _Frame:
        """The region's one block, after checking its arguments and what stands at its end."""
        blocks = list(region.blocks)
        if len(blocks) > 1:
            raise error_at(
                parent,
                f"a region has {len(blocks)} blocks",
                "write control flow with select and the other ops of the array dialect",
            )
        if not blocks:
            raise error_at(parent, f"a region of {parent.name} has no block")
        block = blocks[0]
        last = block.last_op
        wanted = self._terminator_of(parent)
        if wanted is not None and not isinstance(last, wanted):
            found = "is empty" if last is None else f"ends in {last.name}"
            raise error_at(last or parent, f"a region of {parent.name} {found}, it must end in {wanted.name}")
        if type(parent) in LANGUAGE:
            for k, argument in enumerate(block.args):
                self._check_type(parent, f"region argument {k}", argument.type)
        return _Frame(block.args, iter(list(block.ops)), visible)

    @staticmethod
    def _terminator_of(op: Operation) -> type[YieldOp] | type[ReturnOp] | None:
        if isinstance(op, FuncOp):
            return ReturnOp
        return None if isinstance(op, ModuleOp | UnregisteredOp) else YieldOp

    def _check_op(self, op: Operation, visible: set[Value]) -> None:
        known = type(op) in LANGUAGE
        if not known and not (self.allow_unregistered and isinstance(op, UnregisteredOp)):
            # The class of an unregistered op has a name of its own for the op it stands for.
            name = op.op_name.data if isinstance(op, UnregisteredOp) else op.name
            raise VerifyError(
                f"{name} is not an op of the language",
                location=location_of(op),
                hint="write it with the array, linear and func dialects",
            )
        for operand in op.operands:
            if operand not in visible:
                raise self._not_visible(op, operand)
            if isinstance(operand.type, TapeType) and known and not isinstance(op, TAPE_READERS):
                raise error_at(
                    op, f"reads {name_of(operand)}, a tape: only array.replay and linear.while can"
                )
        if not known:
            return
        if op.successors:
            raise error_at(op, "branches to other blocks are not part of the language")
        if isinstance(op, TERMINATORS) and (op.parent is None or op.parent.last_op is not op):
            raise error_at(op, "must be the last op of its block")
        at_top = op.parent_op() is self.module
        if isinstance(op, FuncOp):
            self._check_function(op, at_top)
        elif at_top:
            raise error_at(op, "stands outside of a function")
        elif isinstance(op, LanguageOp):
            _located(op, op.check_declared)
        elif isinstance(op, ReturnOp):
            _located(op, op.verify_)
        _located(op, lambda: check_plan_attributes(op))
        for k, result in enumerate(op.results):
            self._check_type(op, f"result {k}", result.type)

    def _check_rules(self, op: Operation) -> None:
        """The rules of an op whose declared parts have been checked, and all of the ops in it."""
        match op:
            case CallOp():
                self._check_call(op)
            case LanguageOp():
                _located(op, op.check_rules)
                if isinstance(op, SaveOp | RestoreOp):
                    self._check_frame(op)
                elif isinstance(op, DifferentiationOp):
                    self._check_differentiation(op)
                elif isinstance(op, linear.CallOp):
                    self._check_map_call(op)
                elif isinstance(op, PartialOp):
                    self._check_partial(op)
                elif isinstance(op, DerivedOp):
                    self._check_derived(op)
                elif isinstance(op, RecordedOp):
                    self._check_recorded(op)
            case _:
                pass

    def _check_frame(self, op: SaveOp | RestoreOp) -> None:
        """Require the types of values that frames of this type hold: what is restored is what was saved."""
        type_ = op.frame.type
        assert isinstance(type_, FrameType)
        held = op.values.types
        known, first = self.frames.setdefault(type_, (held, op))
        if list(known) != list(held):
            at = location_of(first)
            raise error_at(
                op,
                f"a frame of type {type_} holds {shown(held)} here and {shown(known)} in {first.name}"
                + ("" if at is None else f" at {at}"),
            )

    def _not_visible(self, op: Operation, operand: Value) -> VerifyError:
        if not isinstance(operand, OpResult | BlockArgument):
            return error_at(op, "reads a value whose op was erased")
        home = operand.op.parent if isinstance(operand, OpResult) else operand.block
        around = op.parent
        while around is not None and around is not home:
            outer = around.parent_op()
            around = None if outer is None or isinstance(outer, FuncOp) else outer.parent
        if around is None:
            return error_at(op, f"reads {name_of(operand)}, which is defined in another region")
        return error_at(op, f"reads {name_of(operand)} before it is defined")

    def _check_type(self, op: Operation, what: str, type_: Attribute) -> None:
        if id(type_) in self.checked_types:
            return
        # Held, so that no other type can take its id.
        self.checked_types[id(type_)] = type_
        pending = [type_]
        in_tape = isinstance(type_, TapeType)
        while pending:
            current = pending.pop()
            if isinstance(current, TupleType):
                pending += current.types.data
            elif isinstance(current, MapType):
                pending += (current.domain, current.codomain)
            elif isinstance(current, FunctionSpace) and current is not type_:
                pending += (current.point, current.space)
            elif isinstance(current, TapeType):
                pending += current.types.data
            elif isinstance(current, ClosureType | SumType):
                if not is_value(current):
                    raise error_at(
                        op,
                        f"{what} has type {type_}, which is made of what is no value",
                        "parts of closures and sums are scalars, arrays, tuples, closures and sums",
                    )
                pending += _parts(current)
            elif not is_array(current, STORED if current is type_ or in_tape else ELEMENTS):
                raise error_at(
                    op,
                    f"{what} has type {type_}, which is not of the language",
                    "there are f64, f32, i64, i32, i1, static tensors of rank 1 and more, and linear maps",
                )
            elif size_of(current) > MAX_ELEMENTS:
                raise error_at(op, f"{what} has type {type_}, of more than {MAX_ELEMENTS} elements")

    def _check_function(self, function: FuncOp, at_top: bool) -> None:
        if not at_top:
            raise error_at(function, "functions cannot be nested")
        self._check_function_parts(function)
        self.function = name = function.sym_name.data
        if not function.body.blocks:
            raise error_at(function, f"@{name} has no body", "declarations cannot be compiled: give it one")
        inputs, outputs = function.function_type.inputs.data, function.function_type.outputs.data
        for what, types in (("argument", inputs), ("result", outputs)):
            for k, type_ in enumerate(types):
                self._check_type(function, f"{what} {k} of @{name}", type_)
                if isinstance(type_, TapeType):
                    raise error_at(
                        function, f"{what} {k} of @{name} is a tape: no function takes or returns one"
                    )
                if isinstance(element_of(type_), FrameType) and not is_private(function):
                    raise error_at(
                        function,
                        f"{what} {k} of @{name} is a frame, which only private functions take and return",
                    )
        entry = function.body.first_block
        assert entry is not None
        _check_same_types(function, f"@{name} takes", entry.arg_types, inputs)
        last = entry.last_op
        if isinstance(last, ReturnOp):
            _check_same_types(last, f"@{name} returns", last.arguments.types, outputs)

    @staticmethod
    def _check_function_parts(function: FuncOp) -> None:
        # The op's own rules walk its whole body for values from outside, which the walk here finds.
        if not isinstance(function.properties.get("sym_name"), StringAttr):
            raise error_at(function, "property 'sym_name' must be a string")
        if not isinstance(function.properties.get("function_type"), FunctionType):
            raise error_at(function, "property 'function_type' must be a function type")
        for name in function.properties:
            if name not in _FUNCTION_PROPERTIES:
                raise error_at(function, f"property '{name}' is not one of a function")
        counts = {
            "arg_attrs": len(function.function_type.inputs),
            "res_attrs": len(function.function_type.outputs),
        }
        for name, count in counts.items():
            attributes = function.properties.get(name)
            if attributes is not None and not _is_dictionaries(attributes, count):
                raise error_at(function, f"property '{name}' must hold {count} dictionaries")
        if not isinstance(function.properties.get("sym_visibility", _PUBLIC), StringAttr):
            raise error_at(function, "property 'sym_visibility' must be a string")
        if len(function.regions) != 1 or function.operands or function.results:
            raise error_at(function, "takes its body as one region, and has no operands and no results")

    def _check_call(self, call: CallOp) -> None:
        # The op's own rules look its symbol up again, in time linear in the number of functions.
        callee = call.properties.get("callee")
        if not isinstance(callee, SymbolRefAttr) or callee.nested_references.data:
            raise error_at(call, "property 'callee' must name a function")
        if len(call.properties) > 1 or call.regions:
            raise error_at(call, "has properties or regions that it does not define")
        function = self._callee(call, callee.root_reference.data)
        type_ = function.function_type
        name = f"@{function.sym_name.data}"
        _check_same_types(call, f"{name} takes", call.arguments.types, type_.inputs.data)
        _check_same_types(call, f"{name} returns", call.res.types, type_.outputs.data)

    def _check_map_call(self, op: linear.CallOp) -> None:
        function = self._callee(op, op.callee_name)
        type_ = function.function_type
        name = f"@{function.sym_name.data}"
        _check_same_types(op, f"{name} takes", op.arguments.types, type_.inputs.data)
        _check_same_types(op, f"{name} returns", (op.result.type,), type_.outputs.data)

    def _check_partial(self, op: PartialOp) -> None:
        type_ = self._callee(op, op.callee_name).function_type
        made = signature_of(op.closure)
        name = f"@{op.callee_name}"
        taken = [*made.inputs, *op.fixed.types]
        _check_same_types(op, f"{name} takes", taken, type_.inputs.data)
        _check_same_types(op, f"{name} returns", made.outputs, type_.outputs.data)

    def _check_differentiation(self, op: DifferentiationOp) -> None:
        function = self._callee(op, op.callee_name)
        type_ = function.function_type
        name = f"@{function.sym_name.data}"
        _check_same_types(op, f"{name} takes", op.arguments.types, type_.inputs.data)
        _check_same_types(op, f"{name} returns", op.primals.types[:-1], type_.outputs.data)

    def _check_derived(self, op: DerivedOp) -> None:
        function = self._callee(op, op.callee_name)
        given = [o.type for o in op.operands[: op.base_count]]
        _check_same_types(op, f"@{function.sym_name.data} takes", given, function.function_type.inputs.data)
        floats = sum(map(is_float, function.function_type.outputs.data)) << len(op.groups)
        for k in op.positions("results"):
            if not 0 <= k < floats:
                raise error_at(op, f"results names float {k} of {floats}")

    def _check_recorded(self, op: RecordedOp) -> None:
        function = self._callee(op, op.callee.root_reference.data)
        sums = [components_of(op.domain)[k] for k in op.summed]
        taken = [*(o.type for o in op.operands), *components_of(op.codomain), *sums]
        name = f"@{function.sym_name.data}"
        _check_same_types(op, f"{name} takes", taken, function.function_type.inputs.data)
        _check_same_types(
            op, f"{name} returns", components_of(op.domain), function.function_type.outputs.data
        )

    def _callee(self, op: Operation, name: str) -> FuncOp:
        function = self.functions.get(name)
        if function is None or not isinstance(function.properties.get("function_type"), FunctionType):
            there = ", ".join(f"@{known}" for known in self.functions)
            raise error_at(op, f"there is no function @{name}", f"the module defines {there or 'none'}")
        self.calls.setdefault(self.function, []).append((name, op))
        return function

    def _check_recursion(self) -> None:
        """Functions may call themselves, but no derivative may be of a function that needs it."""
        reachable: dict[str, set[str]] = {}
        for name, calls in self.calls.items():
            for callee, op in calls:
                if not isinstance(op, DifferentiationOp | DerivedOp):
                    continue
                if callee not in reachable:
                    reachable[callee] = self._reachable(callee)
                if name in reachable[callee]:
                    raise error_at(
                        op,
                        f"@{callee} is differentiated in a function that it calls (@{name})",
                        "its derivative has no end: differentiate a function that does not need it",
                    )

    def _reachable(self, start: str) -> set[str]:
        """The functions that `start` calls or differentiates, directly or not, and itself."""
        found = {start}
        pending = [start]
        while pending:
            for callee, _ in self.calls.get(pending.pop(), ()):
                if callee not in found:
                    found.add(callee)
                    pending.append(callee)
        return found


def _parts(type_: ClosureType | SumType) -> Sequence[Attribute]:
    return (*type_.inputs, *type_.outputs) if isinstance(type_, ClosureType) else type_.types.data


def is_private(function: FuncOp) -> bool:
    """Whether a function is called from inside of its module alone."""
    visibility = function.sym_visibility
    return visibility is not None and visibility.data == "private"


def _is_dictionaries(attribute: Attribute, count: int) -> bool:
    if not isinstance(attribute, ArrayAttr):
        return False
    entries = cast("ArrayAttr[Attribute]", attribute).data
    return len(entries) == count and all(isinstance(entry, DictionaryAttr) for entry in entries)


def _located(op: Operation, check: Callable[[], None]) -> None:
    """Make the check, which raises for `op` or for one that it names."""
    try:
        check()
    except VerifyException as error:
        message = ": ".join(line.strip(" :") for line in str(error).splitlines())
        wrong = error.op if isinstance(error, NotLinear) else op
        raise VerifyError(f"{op.name}: {message}", location=location_of(wrong)) from error


def _check_same_types(
    op: Operation, subject: str, found: Sequence[Attribute], expected: Sequence[Attribute]
) -> None:
    if len(found) != len(expected):
        raise error_at(op, f"{subject} {len(expected)} values, got {len(found)}")
    for k, (a, b) in enumerate(zip(found, expected, strict=True)):
        if a != b:
            raise error_at(op, f"{subject} {b} in place {k}, got {a}")
