"""Questions that the rules of many ops ask, each answered by `VerifyException` with what does not fit.

x, = operands(op, 1); result, = results(op, 1)
require_elements("operand 0", x, FLOAT, COMPLEX)
require_type("the result", result, extents(x), element(x))
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, NoReturn, TypeAlias, cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    ComplexType,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    IntegerType,
    Signedness,
    TensorType,
    i1,
    i64,
)
from xdsl.ir import Attribute, Block, Operation
from xdsl.utils.exceptions import VerifyException

Tensor: TypeAlias = "TensorType[Attribute]"
Rule: TypeAlias = "Callable[[Operation], None]"

RULES: dict[str, Rule] = {}
"""The rule of each op, by its name."""

BOOLEAN: Final = "booleans"
SIGNED: Final = "signed integers"
UNSIGNED: Final = "unsigned integers"
FLOAT: Final = "floats"
COMPLEX: Final = "complex numbers"

INTEGER: Final = (SIGNED, UNSIGNED)
NUMBER: Final = (*INTEGER, FLOAT, COMPLEX)


def rule(*names: str) -> Callable[[Rule], Rule]:
    """Enter a function as the rule of the ops of these names."""

    def enter(function: Rule) -> Rule:
        RULES.update(dict.fromkeys(names, function))
        return function

    return enter


def refuse(reason: str) -> NoReturn:
    """Raise `VerifyException`."""
    raise VerifyException(reason)


def require(holds: bool, reason: str) -> None:
    """Raise `VerifyException` with the reason unless something holds."""
    if not holds:
        refuse(reason)


# Operands and results ------------------------------------------------------------------------------


def operands(op: Operation, count: int | None = None, *, regions: int = 0) -> list[Tensor]:
    """The types of the operands, tensors; raises for another number of operands or regions."""
    found = _tensors("operand", op.operand_types)
    if count is not None:
        require(len(found) == count, f"takes {_counted(count, 'operand')}, not {len(found)}")
    require(len(op.regions) == regions, f"has {_counted(regions, 'region')}, not {len(op.regions)}")
    return found


def results(op: Operation, count: int = 1) -> list[Tensor]:
    """The types of the results, tensors; raises for another number of results."""
    found = _tensors("result", op.result_types)
    require(len(found) == count, f"has {_counted(count, 'result')}, not {len(found)}")
    return found


def _tensors(noun: str, types: Iterable[Attribute]) -> list[Tensor]:
    found = list(types)
    for k, type_ in enumerate(found):
        require(isinstance(type_, TensorType), f"{noun} {k} has type {type_}, which is not a tensor type")
    return cast("list[Tensor]", found)


def _counted(count: int, noun: str) -> str:
    return f"{'no' if count == 0 else count} {noun}{'' if count == 1 else 's'}"


def extents(type_: Tensor) -> tuple[int, ...]:
    """The extents of a tensor type; -1 for those that are not known."""
    return tuple(-1 if e.data in (DYNAMIC_INDEX, -1) else e.data for e in type_.shape.data)


def element(type_: Tensor) -> Attribute:
    """The element type."""
    return type_.element_type


def kind(element: Attribute) -> str:
    """Return what kind of numbers an element type has."""
    if element == i1:
        return BOOLEAN
    if isinstance(element, IntegerType):
        integer = cast("IntegerType[int, Signedness]", element)
        return UNSIGNED if integer.signedness.data == Signedness.UNSIGNED else SIGNED
    if isinstance(element, AnyFloat):
        return FLOAT
    return COMPLEX if isinstance(element, ComplexType) else f"elements of type {element}"


def bits(element: Attribute) -> int:
    """Return how many bits an element has."""
    if isinstance(element, ComplexType):
        return 2 * bits(cast("ComplexType[Any]", element).element_type)
    if isinstance(element, IntegerType):
        return cast("IntegerType[int, Signedness]", element).width.data
    return element.bitwidth if isinstance(element, AnyFloat) else 0


def require_elements(what: str, type_: Tensor, *kinds: str) -> None:
    """Require elements of one of some kinds."""
    if kind(element(type_)) not in kinds:
        refuse(f"{what} is {type_}, and must have elements that are {_listed(kinds)}")


def _listed(kinds: Sequence[str]) -> str:
    words = ["integers" if k == UNSIGNED else k for k in kinds if k != SIGNED or UNSIGNED not in kinds]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def fit(a: Sequence[int], b: Sequence[int]) -> bool:
    """Return whether extents are the same as far as they are known."""
    return len(a) == len(b) and all(m == n or -1 in (m, n) for m, n in zip(a, b, strict=True))


def written(shape: Sequence[int], element: Attribute) -> str:
    """The type of a tensor as it is written."""
    return f"tensor<{''.join(f'{n}x' if n >= 0 else '?x' for n in shape)}{element}>"


def require_type(what: str, type_: Tensor, shape: Sequence[int], of: Attribute) -> None:
    """Require that a type has a shape and an element type."""
    if not fit(extents(type_), shape) or element(type_) != of:
        refuse(f"{what} is {type_}, and must be {written(shape, of)}")


def require_same(what: str, type_: Tensor, other: str, as_: Tensor) -> None:
    """Require that two types are the same."""
    if not fit(extents(type_), extents(as_)) or element(type_) != element(as_):
        refuse(f"{what} is {type_}, and {other} is {as_}: they must be of one type")


def require_scalar(what: str, type_: Tensor, of: Attribute | None = None) -> None:
    """Require a tensor of rank 0, of an element type if one is given."""
    require(not extents(type_), f"{what} is {type_}, and must be of rank 0")
    require(of is None or element(type_) == of, f"{what} is {type_}, and must have elements of type {of}")


# Properties ----------------------------------------------------------------------------------------


def integers(
    op: Operation, name: str, count: int | None = None, default: int | None = None
) -> tuple[int, ...]:
    """The property that is a list of integers, of as many as there must be, or all by default."""
    value = op.properties.get(name)
    if value is None and default is not None:
        return (default,) * (count or 0)
    if not isinstance(value, DenseArrayBase) or cast(Any, value).elt_type not in (i64, i1):
        refuse(f"`{name}` must be a list of integers of type i64, not {value}")
    found = tuple(int(v) for v in cast(Any, value).get_values())
    if count is not None:
        require(len(found) == count, f"`{name}` is {list(found)}, and must have {_counted(count, 'element')}")
    return found


def number(op: Operation, name: str) -> int:
    """The property that is an integer."""
    value = op.properties.get(name)
    if not isinstance(value, IntegerAttr):
        refuse(f"`{name}` must be an integer, not {value}")
    return cast("IntegerAttr[Any]", value).value.data


def padding(op: Operation, count: int) -> list[tuple[int, int]]:
    """The property `padding`, a pair for each dimension, zeros by default."""
    value = op.properties.get("padding")
    if value is None:
        return [(0, 0)] * count
    shape = extents(cast("Tensor", value.get_type())) if isinstance(value, DenseIntOrFPElementsAttr) else ()
    require(shape == (count, 2), f"`padding` is of shape {list(shape)}, and must be of shape {[count, 2]}")
    numbers = [int(n) for n in cast(Any, value).get_values()] * (2 * count)
    return list(zip(numbers[: 2 * count : 2], numbers[1 : 2 * count : 2], strict=True))


def require_positive(name: str, values: Sequence[int]) -> None:
    """Require that all elements of a property are larger than 0."""
    require(all(n > 0 for n in values), f"`{name}` is {list(values)}, and must be positive")


def require_dimensions(
    name: str, dims: Sequence[int], rank: int, *, is_sorted: bool = False, of: str = "the operand"
) -> None:
    """Require different dimensions of something of a rank, in order if they must be."""
    require(
        all(0 <= d < rank for d in dims),
        f"`{name}` is {list(dims)}, and {of} has {_counted(rank, 'dimension')}",
    )
    require(len(set(dims)) == len(dims), f"`{name}` is {list(dims)}, which has a dimension twice")
    require(not is_sorted or list(dims) == sorted(dims), f"`{name}` is {list(dims)}, and must be sorted")


def require_apart(first: str, dims: Sequence[int], second: str, others: Sequence[int]) -> None:
    """Require that two lists have no dimension in common."""
    both = sorted({*dims} & {*others})
    require(not both, f"`{first}` and `{second}` both have dimension {both[0] if both else ''}")


# Regions -------------------------------------------------------------------------------------------


def require_region(
    op: Operation, k: int, arguments: Sequence[Attribute], returned: Sequence[Attribute]
) -> None:
    """Require that a region takes arguments and returns values of some types."""
    block = block_of(op, k)
    found = list(block.arg_types)
    require(
        found == list(arguments),
        f"region {k} takes {_types(found)}, and must take {_types(arguments)}",
    )
    end = block.last_op
    given = [] if end is None else list(end.operand_types)
    require(
        given == list(returned),
        f"region {k} returns {_types(given)}, and must return {_types(returned)}",
    )


def block_of(op: Operation, k: int) -> Block:
    """The block of a region, which ends with `stablehlo.return`."""
    blocks = list(op.regions[k].blocks)
    require(len(blocks) == 1, f"region {k} has {len(blocks)} blocks, and must have one")
    end = blocks[0].last_op
    ends = end is not None and end.name == "stablehlo.return"
    require(ends, f"region {k} must end with stablehlo.return")
    return blocks[0]


def _types(types: Sequence[Attribute]) -> str:
    return f"({', '.join(map(str, types))})"


def scalar(element: Attribute) -> Tensor:
    """The tensor type of rank 0."""
    return TensorType(element, [])


def window_extents(
    shape: Sequence[int],
    sizes: Sequence[int],
    strides: Sequence[int],
    padding: Sequence[tuple[int, int]],
    base: Sequence[int],
    window: Sequence[int],
) -> tuple[int, ...]:
    """Return how many windows there are along each dimension."""

    def count(extent: int, size: int, stride: int, pad: tuple[int, int], base: int, window: int) -> int:
        if extent < 0 or size < 0:
            return -1
        wide = (0 if extent == 0 else (extent - 1) * base + 1) + sum(pad)
        covered = 0 if size == 0 else (size - 1) * window + 1
        return 0 if wide <= 0 or covered > wide else (wide - covered) // stride + 1

    return tuple(map(count, shape, sizes, strides, padding, base, window))
