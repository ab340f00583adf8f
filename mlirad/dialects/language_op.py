"""The base class of the ops of mlirad's dialects: with rules of their own, and quick to make and to ask.

    op = AddOp.create(operands=[x, y], result_types=[f64])        6 microseconds; by xDSL's own `create` 10
    op.lhs                                                        0.3; by xDSL's own accessor 1.9

Compiling is mostly making ops and asking for their operands. xDSL does both for ops of any kind: with blocks
to branch to, defaults, groups of operands. What most ops are has a shorter way here.
"""

from __future__ import annotations

from abc import ABCMeta
from collections.abc import Callable, Mapping, Sequence
from typing import Never, Self, cast

from xdsl.dialects.builtin import LocationAttr, UnknownLoc
from xdsl.ir import Attribute, Block, OpResult, Region, SSAValue, SSAValues, Use
from xdsl.irdl import IRDLOperation, traits_def
from xdsl.irdl.operations import BeforeVariadicSingleAccessor, VarIRConstruct
from xdsl.traits import Pure

_NOWHERE = UnknownLoc()


class Result(OpResult[Attribute]):
    """A result of an op. It is itself alone, as xDSL's are, but Python's own code says so: values are what
    passes look up all the time.
    """

    __hash__ = object.__hash__
    __eq__ = object.__eq__  # pyright: ignore[reportAssignmentType]


class OpMeta(ABCMeta):
    """The class of op classes. As none has virtual subclasses, `isinstance` is the ordinary, faster one."""

    __instancecheck__ = type.__instancecheck__

    def __setattr__(cls, name: str, value: object) -> None:
        """Set an attribute; xDSL's accessors of single operands and results become faster ones."""
        if isinstance(value, BeforeVariadicSingleAccessor):
            if value.construct is VarIRConstruct.OPERAND:
                value = _OperandAccessor(value.idx)
            elif value.construct is VarIRConstruct.RESULT:
                value = _ResultAccessor(value.idx)
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
        op._operands = SSAValues(operands)
        uses = [Use(op, k) for k in range(len(op._operands))]
        for operand, use in zip(op._operands, uses, strict=True):
            operand.add_use(use)
        op._operand_uses = tuple(uses)
        op.results = SSAValues([Result(type_, op, k) for k, type_ in enumerate(result_types)])
        op.properties = {} if properties is None else dict(properties)
        op.attributes = {} if attributes is None else dict(attributes)
        op.location = _NOWHERE if location is None else location
        op.regions = ()
        for region in regions:
            op.add_region(region)
        return op

    def check_declared(self) -> None:
        """Check the numbers of operands, results, regions and blocks, declared types, and properties."""
        self.get_irdl_definition().verify(self)

    def check_rules(self) -> None:
        """Check the op's own rules; what is declared holds, for the op and for all ops in it."""


class _Accessor:
    """Reads one operand or result of an op, by its index."""

    def __init__(self, index: int):
        self.index = index

    def __set__(self, op: LanguageOp, value: object) -> Never:
        raise AttributeError("operands and results are not set by name: make another op")


class _OperandAccessor(_Accessor):
    def __get__(self, op: LanguageOp, owner: type[LanguageOp] | None = None) -> SSAValue:
        return _item(op._operands, self.index)  # pyright: ignore[reportPrivateUsage]


class _ResultAccessor(_Accessor):
    def __get__(self, op: LanguageOp, owner: type[LanguageOp] | None = None) -> SSAValue:
        return _item(op.results, self.index)


_item = cast("Callable[[tuple[SSAValue, ...], int], SSAValue]", tuple.__getitem__)
"""As `values[index]`, without xDSL's code for slices."""
