"""The base class of the ops of mlirad's dialects: with rules of their own, and quick to make and to ask.

    op = AddOp.create(operands=[x, y], result_types=[f64])        6 microseconds; by xDSL's own `create` 10
    op.lhs                                                        0.3; by xDSL's own accessor 1.9

Compiling is mostly making ops and asking for their operands. xDSL does both for ops of any kind: with blocks
to branch to, defaults, groups of operands. Most ops are simpler, and have a shorter way here.
"""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Never, Protocol, Self, cast

from xdsl.dialects.builtin import LocationAttr, UnknownLoc
from xdsl.ir import Attribute, Block, Operation, OpResult, Region, SSAValue, SSAValues, Use
from xdsl.irdl import IRDLOperation, traits_def
from xdsl.irdl.operations import (
    BaseAccessor,
    BaseAttrAccessor,
    BeforeVariadicSingleAccessor,
    UniqueVariadicAccessor,
    VarIRConstruct,
)
from xdsl.traits import Pure

_NOWHERE = UnknownLoc()


class Result(OpResult[Attribute]):
    """A result of an op. It is itself alone, as xDSL's are, but Python's own code says so: values are what
    passes look up all the time.
    """

    __hash__ = object.__hash__
    __eq__ = object.__eq__  # pyright: ignore[reportAssignmentType]


class Values(SSAValues[SSAValue]):
    """Operands or results. Python's own code for tuples reads them, so a slice is a plain tuple."""

    if not TYPE_CHECKING:
        __getitem__ = tuple.__getitem__


class Operands(Values):
    """The operands of `op`. Setting one of them gives the op other operands."""

    op: LanguageOp

    def __setitem__(self, index: int, value: SSAValue) -> None:
        values = list(self.op._operands)  # pyright: ignore[reportPrivateUsage]
        use = self.op._operand_uses[index]  # pyright: ignore[reportPrivateUsage]
        values[index].remove_use(use)
        value.add_use(use)
        values[index] = value
        _set_operands(self.op, values)


def _set_operands(op: LanguageOp, values: Sequence[SSAValue]) -> Operands:
    """Note what the operands of an op are, whose uses are noted elsewhere."""
    operands = op._operands = Operands(values)  # pyright: ignore[reportPrivateUsage]
    operands.op = op
    return operands


class OpMeta(ABCMeta):
    """The class of op classes. As none has virtual subclasses, `isinstance` is the ordinary, faster one."""

    __instancecheck__ = type.__instancecheck__

    def __setattr__(cls, name: str, value: object) -> None:
        """Set an attribute; xDSL's accessors of operands, results and regions become faster ones."""
        if isinstance(value, BaseAccessor | BaseAttrAccessor):
            value = _faster(value)
        super().__setattr__(name, value)


class LanguageOp(IRDLOperation, metaclass=OpMeta):
    """A pure op of mlirad's dialects, whose own rules can be checked apart from what its definition declares.

    xDSL checks both at once. But the rules of an op read the ops of its regions, which may lack operands or
    properties that they declare; so the verifier checks what is declared first, and rules from inside out.
    """

    traits = traits_def(Pure())

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        # Not yet decorated, so `verify_` is what the class states, without the check of what it declares.
        rules = cls.__dict__.get("verify_")
        if rules is not None:
            cls.check_rules = rules

    @classmethod
    def create(
        cls,
        *,
        operands: Sequence[SSAValue] = (),
        result_types: Sequence[Attribute] = (),
        properties: Mapping[str, Attribute] | None = None,
        attributes: Mapping[str, Attribute] | None = None,
        location: LocationAttr | None = None,
        successors: Sequence[Block] = (),
        regions: Sequence[Region] = (),
    ) -> Self:
        """An op of these parts, which are not checked. No op declares defaults, so none are filled in."""
        op = cls.__new__(cls)
        if successors:
            # Of text alone, which the verifier refuses then.
            op.successors = successors
        op._use(operands)
        op.results = cast(
            "SSAValues[OpResult]", Values([Result(type_, op, k) for k, type_ in enumerate(result_types)])
        )
        op.properties = {} if properties is None else dict(properties)
        op.attributes = {} if attributes is None else dict(attributes)
        op.location = _NOWHERE if location is None else location
        op.regions = ()
        for region in regions:
            op.add_region(region)
        return op

    def _use(self, operands: Sequence[SSAValue]) -> None:
        """Be a user of these operands, and of no others yet."""
        uses: list[Use] = []
        for operand in _set_operands(self, operands):
            use = Use(self, len(uses))
            operand.add_use(use)
            uses.append(use)
        self._operand_uses = tuple(uses)

    def _set_all_operands(self, operands: Sequence[SSAValue]) -> None:
        for operand, use in zip(self._operands, self._operand_uses, strict=True):
            operand.remove_use(use)
        self._use(operands)

    if not TYPE_CHECKING:
        operands = property(attrgetter("_operands"), _set_all_operands)

    def check_declared(self) -> None:
        """Check the numbers of operands, results, regions and blocks, declared types, and properties."""
        self.get_irdl_definition().verify(self)

    def check_rules(self) -> None:
        """Check the op's own rules; what is declared holds, for the op and for all ops in it."""


class _Accessor:
    """Reads operands, results or regions of an op, which the op has from `index` on."""

    def __init__(self, index: int):
        self.index = index

    def __set__(self, op: LanguageOp, value: object) -> Never:
        raise AttributeError("operands, results and regions are not set by name: make another op")


class _OperandAccessor(_Accessor):
    def __get__(self, op: LanguageOp, owner: type[LanguageOp] | None = None) -> SSAValue:
        return op._operands[self.index]  # pyright: ignore[reportPrivateUsage]


class _ResultAccessor(_Accessor):
    def __get__(self, op: LanguageOp, owner: type[LanguageOp] | None = None) -> SSAValue:
        return op.results[self.index]


class _RegionAccessor(_Accessor):
    def __get__(self, op: LanguageOp, owner: type[LanguageOp] | None = None) -> Region:
        return op.regions[self.index]


class _OperandsAccessor(_Accessor):
    """Reads all operands of an op that has but one group of them."""

    def __get__(self, op: LanguageOp, owner: type[LanguageOp] | None = None) -> SSAValues:
        return op._operands  # pyright: ignore[reportPrivateUsage]


class _ResultsAccessor(_Accessor):
    """Reads all results of an op that has but one group of them."""

    def __get__(self, op: LanguageOp, owner: type[LanguageOp] | None = None) -> SSAValues[OpResult]:
        return op.results


class _Reader(Protocol):
    """An accessor of xDSL."""

    def __get__(self, obj: Operation, _: object, /) -> object: ...
    def __set__(self, instance: object, value: object, /) -> Never: ...


class _GroupAccessor:
    """Reads as xDSL's accessor does; a group is not a plain tuple."""

    def __init__(self, accessor: object):
        self.accessor = cast(_Reader, accessor)

    def __get__(self, op: LanguageOp, owner: type[LanguageOp] | None = None) -> object:
        found = self.accessor.__get__(op, owner)
        return Values(cast("tuple[SSAValue, ...]", found)) if type(found) is tuple else found

    def __set__(self, op: LanguageOp, value: object) -> None:
        self.accessor.__set__(op, value)


_SINGLE: Mapping[VarIRConstruct, type[_Accessor]] = {
    VarIRConstruct.OPERAND: _OperandAccessor,
    VarIRConstruct.RESULT: _ResultAccessor,
    VarIRConstruct.REGION: _RegionAccessor,
}
_WHOLE: Mapping[VarIRConstruct, type[_Accessor]] = {
    VarIRConstruct.OPERAND: _OperandsAccessor,
    VarIRConstruct.RESULT: _ResultsAccessor,
}


def _faster(accessor: BaseAccessor | BaseAttrAccessor) -> object:
    """Return what reads the same as an accessor of xDSL."""
    construct = accessor.construct
    if isinstance(accessor, BeforeVariadicSingleAccessor) and construct in _SINGLE:
        return _SINGLE[construct](accessor.idx)
    if isinstance(accessor, UniqueVariadicAccessor) and accessor.num_defs == 1 and construct in _WHOLE:
        return _WHOLE[construct](0)
    return _GroupAccessor(accessor) if construct in _WHOLE else accessor
