"""Which closures may meet where: classes of closures, united along the flow of values.

    %f = array.if %p {... yield %g} else {... yield %h}        %f, %g, %h are of one class, with two codes

A class stands for the closures that one place may hold, in a value itself or inside of tuples and sums. It
has codes, the `lambda` and `partial` ops that make such closures, and a signature, whose classes are those of
the parameters and results of every code and every application. Uniting is transitive and has no direction, so
the analysis is linear in the program up to the inverse of Ackermann's function.

Codes of one class that are equal but for what they capture are one code: then there is no tag. What is inside
of them is united, too, so that it is laid out alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias, cast

from xdsl.dialects.builtin import ModuleOp, TupleType
from xdsl.dialects.func import CallOp
from xdsl.ir import Attribute, Operation

from mlirad.dialects.array import control
from mlirad.dialects.array.custom import CheckpointOp
from mlirad.dialects.function import (
    ApplyOp,
    CaseOp,
    ClosureType,
    GetOp,
    InjectOp,
    LambdaOp,
    PartialOp,
    SumType,
    TupleOp,
)
from mlirad.dialects.function.closures import signature_of
from mlirad.dialects.linear import DifferentiationOp
from mlirad.dialects.shapes import Value
from mlirad.errors import UnsupportedError
from mlirad.ir.builder import function_block, returned, yields
from mlirad.ir.call_graph import functions_of
from mlirad.ir.free_values import own_operands
from mlirad.ir.functions import holds_closures
from mlirad.ir.locations import location_of
from mlirad.passes.eliminate_functions.equal_codes import CodeNumbers, corresponding

Code: TypeAlias = LambdaOp | PartialOp
"""What makes closures."""


class FlowClass:
    """The closures that may meet in one place."""

    __slots__ = ("_parent", "codes", "signature", "size", "type")

    def __init__(self, type_: ClosureType):
        self.type = type_
        self.codes: list[Code] = []
        self.signature: tuple[list[Tree], list[Tree]] | None = None
        """The classes inside of the parameters and of the results, once they are asked for."""
        self.size = 1
        self._parent: FlowClass | None = None

    def find(self) -> FlowClass:
        """The class that this one was united with."""
        root = self
        while root._parent is not None:
            root = root._parent
        at: FlowClass | None = self
        while at is not None and at is not root:
            at._parent, at = root, at._parent
        return root

    def join(self, other: FlowClass) -> None:
        """Take over another class, which is a root as this one is."""
        other._parent = self
        self.size += other.size
        self.codes += other.codes


Tree: TypeAlias = "FlowClass | tuple[Tree, ...] | None"
"""The classes inside of a value: of a closure, of the parts of a tuple or sum, None where there are none."""


class Flow:
    """The classes of the values of a module."""

    def __init__(self, module: ModuleOp):
        self.module = module
        self.functions = {f.sym_name.data: f for f in functions_of(module)}
        self._trees: dict[Value, Tree] = {}
        self._order: dict[Code, int] = {}
        self._code_of: dict[Code, Code] = {}
        for function in self.functions.values():
            for op in function.body.walk():
                self._visit(op)
        self._merge_equal_codes()

    def tree(self, value: Value) -> Tree:
        """The classes inside of a value."""
        if value not in self._trees:
            self._trees[value] = _fresh(value.type)
        return self._trees[value]

    def class_of(self, closure: Value) -> FlowClass:
        """The class of a closure."""
        tree = self.tree(closure)
        assert isinstance(tree, FlowClass)
        return tree.find()

    def codes(self, class_: FlowClass) -> list[Code]:
        """The codes of a class, in the order of the program; of equal ones the first."""
        return list(
            dict.fromkeys(self.code(op) for op in sorted(class_.find().codes, key=self._order.__getitem__))
        )

    def code(self, op: Code) -> Code:
        """The code that stands for one and all that are equal to it."""
        return self._code_of.get(op, op)

    # Uniting -------------------------------------------------------------------------------------

    def _unite(self, first: Tree, second: Tree) -> bool:
        """Unite the classes at the same places of two trees; whether any two were distinct."""
        pending = [(first, second)]
        changed = False
        while pending:
            a, b = pending.pop()
            if isinstance(a, tuple) and isinstance(b, tuple):
                pending += zip(a, b, strict=True)
            elif isinstance(a, FlowClass) and isinstance(b, FlowClass):
                a, b = a.find(), b.find()
                if a is b:
                    continue
                if a.size < b.size:
                    a, b = b, a
                a.join(b)
                changed = True
                if a.signature is None:
                    a.signature = b.signature
                elif b.signature is not None:
                    for x, y in zip(a.signature, b.signature, strict=True):
                        pending += zip(x, y, strict=True)
        return changed

    def _same(self, xs: Iterable[Value], ys: Iterable[Value]) -> bool:
        """Unite the classes of values that flow into each other."""
        changed = [
            self._unite(self.tree(x), self.tree(y))
            for x, y in zip(xs, ys, strict=True)
            if holds_closures((x.type,))
        ]
        return any(changed)

    def _signature(self, closure: Value, arguments: Sequence[Value], results: Sequence[Value]) -> None:
        """Unite the signature of the class of a closure with these parameters and results."""
        class_ = self.class_of(closure)
        if class_.signature is None:
            type_ = class_.type
            class_.signature = ([_fresh(t) for t in type_.inputs], [_fresh(t) for t in type_.outputs])
        for trees, values in zip(class_.signature, (arguments, results), strict=True):
            for tree, value in zip(list(trees), values, strict=True):
                self._unite(tree, self.tree(value))

    # The flow of each op -------------------------------------------------------------------------

    def _visit(self, op: Operation) -> None:
        match op:
            case LambdaOp():
                self._add_code(op)
                self._signature(op.closure, op.body.block.args, yields(op.body))
            case PartialOp():
                self._add_code(op)
                callee = self.functions[op.callee_name]
                count = len(signature_of(op.closure).inputs)
                args = function_block(callee).args
                self._signature(op.closure, args[:count], returned(callee))
                self._same(op.fixed, args[count:])
            case ApplyOp():
                self._signature(op.closure, op.arguments, op.outputs)
            case TupleOp():
                self._unite(self.tree(op.result), _together([self.tree(c) for c in op.components]))
            case GetOp():
                self._unite(self.tree(op.result), _part(self.tree(op.operand), op.index.value.data))
            case InjectOp():
                self._unite(self.tree(op.value), _part(self.tree(op.result), op.index.value.data))
            case CaseOp():
                for k, arm in enumerate(op.arms):
                    self._unite(self.tree(arm.block.args[0]), _part(self.tree(op.value), k))
                    self._same(op.outputs, yields(arm))
            case control.IfOp() | control.SwitchOp() | CheckpointOp():
                for region in op.regions:
                    self._same(op.results, yields(region))
            case control.ScanOp():
                count = op.carry_count
                for carries in (op.body.block.args[1 : count + 1], yields(op.body)[:count], op.final):
                    self._same(op.init, carries)
            case control.WhileOp():
                count = len(op.init)
                for carries in (
                    op.condition.block.args,
                    op.body.block.args,
                    yields(op.body)[:count],
                    op.final,
                ):
                    self._same(op.init, carries)
            case CallOp():
                callee = self.functions[op.callee.root_reference.data]
                self._same(op.arguments, function_block(callee).args)
                self._same(op.res, returned(callee))
            case DifferentiationOp():
                self._same(op.arguments, function_block(self.functions[op.callee_name]).args)
            case _:
                _require_arrays(op)

    def _add_code(self, op: Code) -> None:
        self._order[op] = len(self._order)
        self.class_of(op.closure).codes.append(op)

    # Equal codes ---------------------------------------------------------------------------------

    def _merge_equal_codes(self) -> None:
        """Make codes of one class one that are equal, until no two are."""
        numbers = CodeNumbers()
        changed = True
        while changed:
            changed = False
            classes = dict.fromkeys(self.class_of(op.closure) for op in self._order)
            for class_ in classes:
                if class_.find() is class_ and len(class_.codes) > 1:
                    changed |= self._merge_in(class_, numbers)

    def _merge_in(self, class_: FlowClass, numbers: CodeNumbers) -> bool:
        first: dict[object, Code] = {}
        changed = False
        for op in self.codes(class_):
            outer = [self._root(v) for v in numbers.captured(op)]
            kept = first.setdefault((numbers.number(op), *outer), op)
            if kept is not op:
                for equal, code in list(self._code_of.items()):
                    if code is op:
                        self._code_of[equal] = kept
                self._code_of[op] = kept
                changed = True
                for x, y in corresponding(kept, op):
                    self._same([x], [y])
                self._same(numbers.known(kept), numbers.known(op))
        return changed

    def _root(self, value: Value) -> object:
        """What two captured values must agree on: the classes inside of them."""
        return (value.type, _roots(self.tree(value)))


def _fresh(type_: Attribute) -> Tree:
    """New classes for the closures inside of a value of the type."""
    if isinstance(type_, ClosureType):
        return FlowClass(type_)
    if isinstance(type_, TupleType | SumType) and holds_closures((type_,)):
        return tuple(_fresh(t) for t in cast("Sequence[Attribute]", type_.types.data))
    return None


def _part(tree: Tree, index: int) -> Tree:
    return tree[index] if isinstance(tree, tuple) else None


def _together(trees: Sequence[Tree]) -> Tree:
    return None if all(t is None for t in trees) else tuple(trees)


def _roots(tree: Tree) -> object:
    if isinstance(tree, tuple):
        return tuple(_roots(t) for t in tree)
    return None if tree is None else id(tree.find())


def _require_arrays(op: Operation) -> None:
    """Raise for an op that cannot take or make closures and does."""
    arguments = [argument for region in op.regions for argument in region.block.args]
    values: Sequence[Value] = [*own_operands(op), *op.results, *arguments]
    if op.results and holds_closures(v.type for v in values):
        raise UnsupportedError(f"{op.name} takes or makes functions as values", location=location_of(op))
