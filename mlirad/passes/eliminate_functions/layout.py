"""What stands for a value: which arrays, and in which order.

    an array                             itself
    a tuple                              what stands for its components, one after the other
    a sum                                an i64 tag, and slots that can hold any alternative
    a closure of a class with
      one code                           its environment
      several codes                      an i64 tag, and slots that can hold any environment
      no code                            nothing: it is never applied

The environment of a code is what its region captures, each value once. In the place of a captured closure
that is known, the result of a `lambda` or `partial`, the values of its environment are captured: these are
visible there, and a tag is made where it flows on. Without that, what closures share would be copied at each
level, and the slots of f_{k+1} capturing f_k and f_{k-1} would grow like the numbers of Fibonacci.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, cast

from xdsl.dialects.builtin import TupleType, i64
from xdsl.ir import Attribute

from mlirad.dialects.function import ClosureType, GetOp, LambdaOp, PartialOp, SumType, TupleOp
from mlirad.dialects.shapes import Value
from mlirad.errors import UnsupportedError
from mlirad.ir.first_order import is_higher
from mlirad.ir.free_values import captures
from mlirad.ir.locations import location_of, name_of
from mlirad.passes.eliminate_functions.flow import Code, Flow, FlowClass, Tree
from mlirad.passes.slots import merged

Key: TypeAlias = Value | tuple[Value, int]
"""An array of the source program, or one of the arrays that stand for another value."""


class Layouts:
    """What stands for the values of a module."""

    def __init__(self, flow: Flow):
        self.flow = flow
        self._classes: dict[FlowClass, list[Attribute]] = {}
        self._environments: dict[Code, list[Key]] = {}
        self._parts: dict[Value, list[Key]] = {}
        self._entered: dict[FlowClass, None] = {}
        self._captures: list[tuple[Code, Value]] = []
        """The captured closures that are being laid out, the outermost first, and what captures them."""

    def codes(self, closure: Value) -> list[Code]:
        """The codes that a closure may have."""
        return self.flow.codes(self.flow.class_of(closure))

    def types(self, value: Value) -> list[Attribute]:
        """The types of what stands for a value."""
        return self._types(value.type, self.flow.tree(value))

    def parts(self, value: Value) -> list[Key]:
        """What is captured for a value: all that it is made of."""
        if value not in self._parts:
            self._parts[value] = self._made_parts(value)
        return self._parts[value]

    def environment(self, code: Code) -> list[Key]:
        """What a code captures, each once."""
        if code not in self._environments:
            keys: dict[Key, None] = {}
            for value in dict.fromkeys(code.fixed) if isinstance(code, PartialOp) else captures(code.body):
                self._captures.append((code, value))
                keys.update(dict.fromkeys(self.parts(value)))
                self._captures.pop()
            self._environments[code] = list(keys)
        return self._environments[code]

    def environment_types(self, code: Code) -> list[Attribute]:
        """The types of the environment of a code."""
        return [self._key_type(key) for key in self.environment(code)]

    def places(self, value: Value) -> list[list[int]]:
        """Where in what stands for a value each alternative of a sum, or environment of a closure, lies.

        Only for values that have a tag, which is at place 0.
        """
        places = merged(self._groups(value.type, self.flow.tree(value)))[1]
        return [[place + 1 for place in own] for own in places]

    def _made_parts(self, value: Value) -> list[Key]:
        if not is_higher(value.type):
            return [value]
        value = source_of(value)
        owner = value.owner
        if isinstance(owner, LambdaOp | PartialOp):
            return self.environment(owner)
        if isinstance(owner, TupleOp):
            return [key for component in owner.components for key in self.parts(component)]
        if isinstance(owner, GetOp):
            return self.component(owner)
        return [(value, k) for k in range(len(self.types(value)))]

    def component(self, op: GetOp) -> list[Key]:
        """What stands for a component of a tuple."""
        source = source_of(op.result)
        if source is not op.result:
            return self.parts(source)
        tree = self.flow.tree(op.operand)
        types = cast(TupleType, op.operand.type).types.data
        sizes = [len(self._types(t, _subtree(tree, k))) for k, t in enumerate(types)]
        start = sum(sizes[: op.index.value.data])
        return self.parts(op.operand)[start : start + sizes[op.index.value.data]]

    def _key_type(self, key: Key) -> Attribute:
        return self.types(key[0])[key[1]] if isinstance(key, tuple) else key.type

    def _types(self, type_: Attribute, tree: Tree) -> list[Attribute]:
        match type_:
            case TupleType():
                parts = enumerate(cast("Sequence[Attribute]", type_.types.data))
                return [leaf for k, t in parts for leaf in self._types(t, _subtree(tree, k))]
            case SumType():
                return [i64, *merged(self._groups(type_, tree))[0]]
            case ClosureType():
                assert isinstance(tree, FlowClass)
                return self._class_types(tree.find())
            case _:
                return [type_]

    def _groups(self, type_: Attribute, tree: Tree) -> list[list[Attribute]]:
        """The types of the alternatives of a sum, or of the environments of a closure."""
        if isinstance(type_, SumType):
            return [self._types(t, _subtree(tree, k)) for k, t in enumerate(type_.types.data)]
        assert isinstance(tree, FlowClass)
        return [self.environment_types(code) for code in self.flow.codes(tree)]

    def _class_types(self, class_: FlowClass) -> list[Attribute]:
        if class_ not in self._classes:
            if class_ in self._entered:
                raise self._endless(class_)
            self._entered[class_] = None
            groups = self._groups(class_.type, class_)
            del self._entered[class_]
            own = groups[0] if len(groups) == 1 else [i64, *merged(groups)[0]] if groups else []
            self._classes[class_] = own
        return self._classes[class_]

    def _endless(self, class_: FlowClass) -> UnsupportedError:
        """The error that a class needs itself, at the code of it whose environment does."""
        code, value = next(
            (code, value) for code, value in self._captures if self.flow.class_of(code.closure) is class_
        )
        made = name_of(code.closure)
        return UnsupportedError(
            f"the function {made} captures {name_of(value)}, which may be a function made in the same place: "
            "what it holds has no bounded size",
            location=location_of(code),
            hint=f"carry what {made} captures in the place of {made}, or write the loop in Python, where "
            "each function is one of its own",
        )


def source_of(value: Value) -> Value:
    """The component that a value is of a tuple that is known, or the value itself."""
    while isinstance(value.owner, GetOp):
        whole = source_of(value.owner.operand)
        if not isinstance(whole.owner, TupleOp):
            break
        value = whole.owner.components[value.owner.index.value.data]
    return value


def _subtree(tree: Tree, index: int) -> Tree:
    return tree[index] if isinstance(tree, tuple) else None
