"""Random simply typed programs with functions as values: of functions, in sums, in carries, recursive.

    module = random_higher_order(seed=7, size=20)         @main(x: f64, v: tensor<3xf64>, n: i64) -> f64

A program is a term of type f64, made top down with `size` as fuel. Floats never decide anything and every one
made by arithmetic is a sine or a hyperbolic tangent, so finite differences are meaningful. Recursion counts
down an integer. Values that a loop carries on, or that a recursive function passes to itself, capture no
closure, which could be one of their own kind; all others capture and choose among any. In `growing` programs
these capture what they like, loops and recursion wrap closures in closures of their own kind, and lists and
trees of anything are grown and folded.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr, TupleType, f64, i1, i64
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region

from mlirad.dialects.array import control
from mlirad.dialects.array import elementwise as ew
from mlirad.dialects.array.custom import CheckpointOp
from mlirad.dialects.array.indexing import BuildOp, IndexOp, YieldOp
from mlirad.dialects.array.literals import literal
from mlirad.dialects.array.reductions import SumOp
from mlirad.dialects.array.structural import ConstantOp
from mlirad.dialects.function import (
    ApplyOp,
    CaseOp,
    ClosureType,
    GetOp,
    InductiveType,
    InjectOp,
    LambdaOp,
    PartialOp,
    RollOp,
    SumType,
    TupleOp,
    UnrollOp,
    closure_type,
    inductive_type,
    sum_type,
)
from mlirad.dialects.shapes import Value, array_type, integer, ints, keyword, tuple_type
from mlirad.ir.functions import holds_closures

VECTOR = array_type((3,), f64)
ARITHMETIC = (ew.AddOp, ew.MulOp, ew.SubOp)
BOUNDED = (ew.SinOp, ew.TanhOp, ew.CosOp)


class Terms:
    """Emits terms of given types into the innermost open block."""

    def __init__(self, rng: random.Random, *, growing: bool = False):
        self.rng = rng
        self.growing = growing
        self.blocks: list[Block] = []
        self.scopes: list[list[Value]] = []
        self.functions: list[FuncOp] = []
        self.forms: tuple[Callable[[Attribute, int], Value], ...] = (
            self.bound,
            self.applied,
            self.applied,
            self.case,
            self.chosen,
            self.folded,
            self.recursive,
            *([self.wrapped_in_a_loop, self.wrapped_by_recursion, self.of_a_tree] if growing else []),
        )

    # Emission ------------------------------------------------------------------------------------

    def emit(
        self,
        op_class: type[Operation],
        operands: Sequence[Value],
        results: Sequence[Attribute],
        properties: dict[str, Attribute] | None = None,
        regions: Sequence[Region] = (),
    ) -> list[Value]:
        """The results of a new op."""
        op = op_class.create(
            operands=operands, result_types=results, properties=properties or {}, regions=regions
        )
        self.blocks[-1].add_op(op)
        return list(op.results)

    def block(
        self,
        types: Sequence[Attribute],
        body: Callable[..., Sequence[Value]],
        hidden: bool = False,
        terminator: type[Operation] = YieldOp,
    ) -> Block:
        """A block of what `body` emits; with `hidden`, closures from outside are not in scope there."""
        block, outer = Block(arg_types=types), self.scopes
        if hidden:
            self.scopes = [[v for v in scope if not holds_closures((v.type,))] for scope in outer]
        self.blocks.append(block)
        self.scopes.append(list(block.args))
        block.add_op(terminator.create(operands=body(*block.args)))
        self.blocks.pop()
        self.scopes.pop()
        self.scopes = outer
        return block

    def region(
        self, types: Sequence[Attribute], body: Callable[..., Sequence[Value]], hidden: bool = False
    ) -> Region:
        """A region of what `body` emits."""
        return Region(self.block(types, body, hidden))

    def constant(self, value: float, element: Attribute) -> Value:
        """A scalar literal."""
        return self.emit(ConstantOp, [], [element], {"value": literal(value, element)})[0]

    # Types ---------------------------------------------------------------------------------------

    def type(self, depth: int) -> Attribute:
        """A random type."""
        kind = self.rng.randrange(6) if depth else self.rng.randrange(2)
        if kind == 1:
            return VECTOR
        if kind == 2:
            return tuple_type([self.type(depth - 1), self.type(depth - 1)])
        if kind == 3:
            return sum_type([self.type(depth - 1) for _ in range(self.rng.randint(1, 3))])
        if kind > 3:
            inputs = [self.type(depth - 1) for _ in range(self.rng.choice((0, 1, 1, 1, 2)))]
            return closure_type(inputs, [self.type(depth - 1) for _ in range(self.rng.choice((1, 1, 1, 2)))])
        return f64

    # Terms ---------------------------------------------------------------------------------------

    def term(self, type_: Attribute, fuel: int) -> Value:
        """A value of the type."""
        known = [v for scope in self.scopes for v in scope if v.type == type_]
        if fuel <= 0:
            return self.rng.choice(known) if known else self.made(type_, 0)
        forms = self.forms
        kind = self.rng.randrange(len(forms) + 4)
        if kind == len(forms) and known:
            return self.rng.choice(known)
        return forms[kind](type_, fuel) if kind < len(forms) else self.made(type_, fuel)

    def bound(self, type_: Attribute, fuel: int) -> Value:
        """A term in which another one is a variable, and so are its components."""
        value = self.term(self.type(2), fuel // 2)
        self.scopes[-1].append(value)
        if isinstance(value.type, TupleType):
            for k, part in enumerate(value.type.types.data):
                self.scopes[-1] += self.emit(GetOp, [value], [part], {"index": integer(k)})
        return self.term(type_, fuel // 2)

    def applied(self, type_: Attribute, fuel: int) -> Value:
        """An application of a closure in scope, or of a new one."""
        known = [v for scope in self.scopes for v in scope if _returns(v.type, type_)]
        if known and self.rng.random() < 0.8:
            closure = self.rng.choice(known)
        else:
            inputs = [self.type(1) for _ in range(self.rng.randint(0, 2))]
            closure = self.term(closure_type(inputs, [type_]), fuel // 2)
        assert isinstance(closure.type, ClosureType)
        arguments = [self.term(t, fuel // 3) for t in closure.type.inputs]
        results = self.emit(ApplyOp, [closure, *arguments], closure.type.outputs)
        self.scopes[-1] += results
        return results[0]

    def case(self, type_: Attribute, fuel: int) -> Value:
        """A choice by the alternative of a sum."""
        types = [self.type(1) for _ in range(self.rng.randint(1, 3))]
        value = self.term(sum_type(types), fuel // 3)
        arms = [self.region([t], lambda _: [self.term(type_, fuel // 3)]) for t in types]
        return self.emit(CaseOp, [value], [type_], None, arms)[0]

    def chosen(self, type_: Attribute, fuel: int) -> Value:
        """A branch by the integer argument, which also has another result, or a checkpoint."""
        number = self.integer()
        limit = self.constant(self.rng.randint(0, 3), i64)
        types = [type_, *([self.type(1)] if self.rng.random() < 0.3 else [])]

        def branch() -> list[Value]:
            return [self.term(t, fuel // (2 + len(types))) for t in types]

        kind = self.rng.random()
        if kind < 0.45:
            (less,) = self.emit(ew.CompareOp, [number, limit], [i1], {"predicate": keyword("lt")})
            made = self.emit(control.IfOp, [less], types, None, [self.region([], branch) for _ in range(2)])
        elif kind < 0.9:
            regions = [self.region([], branch) for _ in range(self.rng.randint(1, 3))]
            made = self.emit(control.SwitchOp, [number], types, None, regions)
        else:
            made = self.emit(CheckpointOp, [], types, None, [self.region([], branch)])
        self.scopes[-1] += made
        return made[0]

    def folded(self, type_: Attribute, fuel: int) -> Value:
        """A loop whose carry is of the type."""
        init = self.term(type_, fuel // 3)
        hidden = holds_closures((type_,)) and not self.growing

        def iteration(i: Value, carry: Value, x: Value | None = None) -> list[Value]:
            if hidden:
                self.applied_once(carry)
                self.scopes[-1].remove(carry)
                return [carry if self.rng.random() < 0.3 else self.term(type_, fuel // 3)]
            return [self.term(type_, fuel // 3)]

        if self.rng.random() < 0.6:
            xs = self.term(VECTOR, fuel // 3)
            body = self.region([i64, type_, f64], iteration, hidden)
            properties: dict[str, Attribute] = {"carries": integer(1), "length": integer(3)}
            return self.emit(control.ScanOp, [init, xs], [type_], properties, [body])[0]
        start, limit = self.constant(0, i64), self.constant(self.rng.randint(0, 3), i64)

        def more(i: Value, carry: Value) -> list[Value]:
            return self.emit(ew.CompareOp, [i, limit], [i1], {"predicate": keyword("lt")})

        def counted(i: Value, carry: Value) -> list[Value]:
            return [*self.emit(ew.AddOp, [i, self.constant(1, i64)], [i64]), *iteration(i, carry)]

        regions = [self.region([i64, type_], more), self.region([i64, type_], counted, hidden)]
        return self.emit(control.WhileOp, [start, init], [i64, type_], None, regions)[1]

    def applied_once(self, value: Value) -> None:
        """Put arrays that a closure makes of arrays into scope."""
        if isinstance(value.type, ClosureType) and not holds_closures(
            (*value.type.inputs, *value.type.outputs)
        ):
            arguments = [self.term(t, 1) for t in value.type.inputs]
            self.scopes[-1] += self.emit(ApplyOp, [value, *arguments], value.type.outputs)

    def recursive(self, type_: Attribute, fuel: int) -> Value:
        """A call, or a partial application, of a function that counts down and calls itself."""
        name = f"f{len(self.functions)}"
        parameter = self.type(1)
        function = FuncOp(name, ([i64, parameter], [type_]), Region(), "private")
        self.functions.append(function)
        callee: dict[str, Attribute] = {"callee": SymbolRefAttr(name)}
        as_value = self.rng.random() < 0.5
        hands_on = holds_closures((parameter,)) and self.rng.random() < 0.5

        def again(count: Value, argument: Value) -> Value:
            closure = closure_type([i64], [type_])
            if as_value:
                (made,) = self.emit(PartialOp, [argument], [closure], callee)
                return self.emit(ApplyOp, [made, count], [type_])[0]
            return self.emit(CallOp, [count, argument], [type_], callee)[0]

        def body(count: Value, argument: Value) -> list[Value]:
            (more,) = self.emit(
                ew.CompareOp, [count, self.constant(0, i64)], [i1], {"predicate": keyword("gt")}
            )

            def deeper() -> list[Value]:
                (less,) = self.emit(ew.SubOp, [count, self.constant(1, i64)], [i64])
                self.applied_once(argument)
                handed = argument if hands_on else self.made_alone(parameter, fuel // 3)
                result = again(less, handed)
                if not holds_closures((type_,)):
                    self.scopes[-1].append(result)
                    return [self.term(type_, fuel // 3)]
                return [result]

            regions = [self.region([], deeper), self.region([], lambda: [self.term(type_, fuel // 3)])]
            return self.emit(control.IfOp, [more], [type_], None, regions)

        blocks, scopes, self.blocks, self.scopes = self.blocks, self.scopes, [], []
        function.body.add_block(self.block([i64, parameter], body, terminator=ReturnOp))
        self.blocks, self.scopes = blocks, scopes
        argument = self.term(parameter, fuel // 3)
        return again(self.constant(self.rng.randint(0, 3), i64), argument)

    def wrapped_in_a_loop(self, type_: Attribute, fuel: int) -> Value:
        """The result of a closure that a loop has wrapped in closures of its kind."""
        closure = self.wrapped_type(type_)
        init = self.term(closure, fuel // 3)

        def iteration(i: Value, carry: Value) -> list[Value]:
            return [self.wrapped(carry, fuel // 2)]

        body = self.region([i64, closure], iteration)
        properties: dict[str, Attribute] = {"carries": integer(1), "length": integer(self.rng.randint(0, 3))}
        (made,) = self.emit(control.ScanOp, [init], [closure], properties, [body])
        self.scopes[-1].append(made)
        return self.emit(ApplyOp, [made, *(self.term(t, fuel // 3) for t in closure.inputs)], [type_])[0]

    def wrapped_by_recursion(self, type_: Attribute, fuel: int) -> Value:
        """The result of a continuation that recursion has wrapped in continuations, and calls last."""
        closure = self.wrapped_type(type_)
        name = f"f{len(self.functions)}"
        function = FuncOp(name, ([i64, VECTOR, closure], [type_]), Region(), "private")
        self.functions.append(function)
        callee: dict[str, Attribute] = {"callee": SymbolRefAttr(name)}

        def body(count: Value, v: Value, k: Value) -> list[Value]:
            (more,) = self.emit(
                ew.CompareOp, [count, self.constant(0, i64)], [i1], {"predicate": keyword("gt")}
            )

            def deeper() -> list[Value]:
                (less,) = self.emit(ew.SubOp, [count, self.constant(1, i64)], [i64])
                return self.emit(CallOp, [less, v, self.wrapped(k, fuel // 2)], [type_], callee)

            def last() -> list[Value]:
                return self.emit(ApplyOp, [k, *(self.term(t, fuel // 3) for t in closure.inputs)], [type_])

            regions = [self.region([], deeper), self.region([], last)]
            return self.emit(control.IfOp, [more], [type_], None, regions)

        blocks, scopes, self.blocks, self.scopes = self.blocks, self.scopes, [], []
        function.body.add_block(self.block([i64, VECTOR, closure], body, terminator=ReturnOp))
        self.blocks, self.scopes = blocks, scopes
        arguments = [self.constant(self.rng.randint(0, 3), i64), self.term(VECTOR, fuel // 3)]
        return self.emit(CallOp, [*arguments, self.term(closure, fuel // 3)], [type_], callee)[0]

    def of_a_tree(self, type_: Attribute, fuel: int) -> Value:
        """The result of recursion on a list, or on a tree whose parts are shared, that a loop has grown."""
        name = f"f{len(self.functions)}"
        tree, arity = inductive_type(f"tree{len(self.functions)}"), self.rng.choice((1, 1, 2))
        leaf, node = self.type(1), tuple_type([self.type(1), *[tree] * arity])
        whole = sum_type([leaf, node])
        function = FuncOp(name, ([tree, f64], [type_]), Region(), "private")
        self.functions.append(function)

        def rolled(value: Value, number: int) -> Value:
            (sum_,) = self.emit(InjectOp, [value], [whole], {"index": integer(number)})
            return self.emit(RollOp, [sum_], [tree])[0]

        def body(given: Value, x: Value) -> list[Value]:
            def at_node(cell: Value) -> list[Value]:
                parts = [
                    self.emit(GetOp, [cell], [t], {"index": integer(k)})[0]
                    for k, t in enumerate(node.types.data)
                ]
                callee: dict[str, Attribute] = {"callee": SymbolRefAttr(name)}
                made = [self.emit(CallOp, [part, x], [type_], callee)[0] for part in parts[1:]]
                self.scopes[-1] += [parts[0], *made]
                return [made[-1] if holds_closures((type_,)) else self.term(type_, fuel // 3)]

            (sum_,) = self.emit(UnrollOp, [given], [whole])
            arms = [
                self.region([leaf], lambda _: [self.term(type_, fuel // 3)]),
                self.region([node], at_node),
            ]
            return self.emit(CaseOp, [sum_], [type_], None, arms)

        blocks, scopes, self.blocks, self.scopes = self.blocks, self.scopes, [], []
        function.body.add_block(self.block([tree, f64], body, terminator=ReturnOp))
        self.blocks, self.scopes = blocks, scopes

        def grown(i: Value, carry: Value) -> list[Value]:
            parts = [self.term(node.types.data[0], fuel // 3), *[carry] * arity]
            return [rolled(self.emit(TupleOp, parts, [node])[0], 1)]

        init = rolled(self.term(leaf, fuel // 3), 0)
        region = self.region([i64, tree], grown)
        properties: dict[str, Attribute] = {"carries": integer(1), "length": integer(self.rng.randint(0, 4))}
        (made,) = self.emit(control.ScanOp, [init], [tree], properties, [region])
        self.scopes[-1].append(made)
        return self.emit(CallOp, [made, self.term(f64, fuel // 3)], [type_], {"callee": SymbolRefAttr(name)})[
            0
        ]

    def wrapped_type(self, result: Attribute) -> ClosureType:
        """The type of closures with a result of a type."""
        return closure_type([self.type(1) for _ in range(self.rng.randint(0, 2))], [result])

    def wrapped(self, closure: Value, fuel: int) -> Value:
        """A closure that applies another of its type, or one of two such closures."""
        type_ = closure.type
        assert isinstance(type_, ClosureType)

        def body(*arguments: Value) -> list[Value]:
            given = [a if self.rng.random() < 0.5 else self.term(a.type, fuel // 3) for a in arguments]
            self.scopes[-1] += self.emit(ApplyOp, [closure, *given], type_.outputs)
            return [self.term(t, fuel // 2) for t in type_.outputs]

        def made() -> list[Value]:
            return self.emit(LambdaOp, [], [type_], None, [self.region(type_.inputs, body)])

        if self.rng.random() < 0.7:
            return made()[0]
        regions = [self.region([], made) for _ in range(2)]
        return self.emit(control.SwitchOp, [self.integer()], [type_], None, regions)[0]

    def made_alone(self, type_: Attribute, fuel: int) -> Value:
        """A new value that captures no closure from outside."""
        outer = self.scopes
        if holds_closures((type_,)) and not self.growing:
            self.scopes = [[v for v in scope if not holds_closures((v.type,))] for scope in outer]
        value = self.term(type_, fuel)
        self.scopes = outer
        return value

    def integer(self) -> Value:
        """An integer in scope, or a literal."""
        known = [v for scope in self.scopes for v in scope if v.type == i64]
        return self.rng.choice(known) if known else self.constant(self.rng.randint(0, 3), i64)

    def made(self, type_: Attribute, fuel: int) -> Value:
        """A value made by the constructor of its type."""
        match type_:
            case ClosureType():
                results = type_.outputs
                fuel = (fuel - 1) // len(results)
                region = self.region(type_.inputs, lambda *_: [self.term(t, fuel) for t in results])
                return self.emit(LambdaOp, [], [type_], None, [region])[0]
            case TupleType():
                parts = [self.term(t, (fuel - 1) // 2) for t in type_.types.data]
                return self.emit(TupleOp, parts, [type_])[0]
            case SumType():
                index = self.rng.randrange(len(type_.types.data))
                value = self.term(type_.types.data[index], fuel - 1)
                return self.emit(InjectOp, [value], [type_], {"index": integer(index)})[0]
            case InductiveType():
                raise AssertionError("only of_a_tree makes values of inductive types")
            case _ if type_ == VECTOR:
                body = self.region([i64], lambda i: [self.term(f64, fuel // 2)])
                return self.emit(BuildOp, [], [VECTOR], None, [body])[0]
            case _:
                return self.number(fuel)

    def number(self, fuel: int) -> Value:
        """A float made by arithmetic."""
        if fuel <= 0:
            return self.constant(round(self.rng.uniform(-1, 1), 2), f64)
        kind = self.rng.random()
        if kind < 0.2:
            (raw,) = self.emit(SumOp, [self.term(VECTOR, fuel - 1)], [f64], {"dims": ints((0,))})
        elif kind < 0.35:
            (raw,) = self.emit(IndexOp, [self.term(VECTOR, fuel - 1), self.integer()], [f64])
        else:
            operands = [self.term(f64, (fuel - 1) // 2) for _ in range(2)]
            (raw,) = self.emit(self.rng.choice(ARITHMETIC), operands, [f64])
        return self.emit(self.rng.choice(BOUNDED), [raw], [f64])[0]


def _returns(closure: Attribute, type_: Attribute) -> bool:
    return isinstance(closure, ClosureType) and closure.outputs[:1] == (type_,)


def random_higher_order(seed: int, size: int, *, growing: bool = False) -> ModuleOp:
    """A module with one public function, @main, whose size grows with `size`."""
    terms = Terms(random.Random(seed), growing=growing)
    types = [f64, VECTOR, i64]

    def body(*arguments: Value) -> list[Value]:
        total = arguments[0]
        for form in terms.rng.sample(terms.forms, 3):
            (total,) = terms.emit(ew.AddOp, [total, form(f64, size)], [f64])
        return [total]

    main = Region(terms.block(types, body, terminator=ReturnOp))
    return ModuleOp([FuncOp("main", (types, [f64]), main), *terms.functions])


@st.composite
def higher_order_programs(draw: st.DrawFn, max_size: int = 24) -> ModuleOp:
    """Modules of `random_higher_order`; shrinks towards less fuel."""
    size = draw(st.integers(1, max_size))
    return random_higher_order(draw(st.integers(0, 2**32 - 1)), size)
