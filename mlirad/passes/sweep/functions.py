"""The swept functions of a module, each made once, so that functions may call themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute

from mlirad.dialects.shapes import Value
from mlirad.ir.arrays import ArrayBuilder
from mlirad.passes.sweep.instance import Instance

Key = tuple[str, tuple[int, ...], bool]
Make = Callable[["SweptFunctions", FuncOp, tuple[int, ...], str, bool], FuncOp]
"""From a function, the places of the arguments that carry data, and a name to the swept function, with values
or without."""


class SweptFunctions:
    """The functions that calls become, by name, arguments that carry data, and direction."""

    def __init__(
        self,
        instance: Instance,
        functions: Mapping[str, FuncOp],
        forward: Make,
        backward: Make,
        fresh: Callable[[str], str],
    ):
        self.instance, self.functions = instance, functions
        self.made: list[FuncOp] = []
        self._fresh = fresh
        self._makes = {False: forward, True: backward}
        self._names: dict[Key, str] = {}
        self._outputs: dict[str, list[Attribute]] = {}

    def forward(self, name: str, given: tuple[int, ...]) -> str:
        """The function that also takes data of the arguments `given`, and returns those of its results."""
        types = self.functions[name].function_type
        outputs = [*types.outputs, *(s for t in types.outputs if (s := self.instance.space(t)) is not None)]
        return self._function((name, given, False), outputs)

    def backward(self, name: str, given: tuple[int, ...]) -> str:
        """The function that also takes data of the results, and returns those of the arguments `given`."""
        inputs = self.functions[name].function_type.inputs.data
        outputs = [s for k in given if (s := self.instance.space(inputs[k])) is not None]
        return self._function((name, given, True), outputs)

    def called(self, b: ArrayBuilder, name: str, operands: Sequence[Value]) -> list[Value]:
        """The results of a call of a swept function."""
        return list(b.insert(CallOp, operands, self._outputs[name], {"callee": SymbolRefAttr(name)}).results)

    def _function(self, key: Key, outputs: list[Attribute]) -> str:
        if key not in self._names:
            source, given, is_backward = key
            name = self._fresh(f"{source}_{'back' if is_backward else 'swept'}{len(self._names)}")
            while name in self.functions:
                name += "_"
            self._names[key] = name
            self._outputs[name] = outputs
            made = self._makes[is_backward](self, self.functions[source], given, name, not is_backward)
            self.made.append(made)
        return self._names[key]
