"""The carries of a source loop: the rebuilt loop needs to carry only those that the source's text changes.

carries = Carries(op.body.block.args, yields(op.body), op.init, init)
final = b.replay(tape, carries.init, lambda entry, state: carries.changed(body(carries.all_of(state))))
results = carries.all_of(final)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

from xdsl.ir import BlockArgument

from mlirad.dialects.shapes import Value

T = TypeVar("T")


class Carries(Generic[T]):
    """The initial values, `all`, and which carries are `varying`: neither passed on nor reset to these."""

    def __init__(
        self, arguments: Sequence[Value], made: Sequence[Value], old: Sequence[Value], new: Sequence[T]
    ):
        self.all = list(new)
        sources = enumerate(zip(arguments, made, old, strict=False))
        self.varying = [k for k, (arg, value, init) in sources if value is not arg and value is not init]

    @property
    def init(self) -> list[T]:
        """The initial values of the carries that change."""
        return [self.all[k] for k in self.varying]

    def all_of(self, values: Sequence[T]) -> list[T]:
        """Every carry, from those that change."""
        result = list(self.all)
        for k, value in zip(self.varying, values, strict=True):
            result[k] = value
        return result

    def changed(self, values: Sequence[Value]) -> list[Value]:
        """The values for the carries that change, given one for every carry."""
        return [values[k] for k in self.varying]


def name_arguments_like(values: Sequence[Value], sources: Sequence[Value]) -> None:
    """Give region arguments without a name those of what they stand for."""
    for value, source in zip(values, sources, strict=True):
        if value.name_hint is None and isinstance(value, BlockArgument):
            value.name_hint = source.name_hint
