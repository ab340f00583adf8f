"""Functions of Python that take the elements of an iterable, where traced conditions keep or leave them out.

sum(v for v in x if v > 0)               the sum of all elements, with 0 for those that do not count
len([v for v in x if v > 0])             how many count, traced
filter(f, x), takewhile(f, x), next(g)   the same of functions that decide which elements count
statistics.mean(xs), math.fsum(xs)       by functions of NumPy
"""

from __future__ import annotations

import builtins
import functools
import itertools
import math
import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, NoReturn, cast

import numpy as np

from mlirad.frontend.constructs.raising_later import raise_where
from mlirad.frontend.control_flow.comprehensions import element, met
from mlirad.frontend.control_flow.expressions import and_, choose, flag, not_, or_
from mlirad.frontend.control_flow.iterables import enumerate_, zip_
from mlirad.frontend.control_flow.kept import Kept, KeptList, Pair, as_list, flagged, require_known, use_up
from mlirad.frontend.control_flow.picks import all_of
from mlirad.frontend.indexing.masks import MaskedElements, is_same_mask
from mlirad.frontend.numpy_functions.arrays.creation import array
from mlirad.frontend.numpy_functions.protocols.asked_calls import length
from mlirad.frontend.tracing.array import made
from mlirad.frontend.tracing.operations import contains_traced, xp
from mlirad.frontend.tracing.raising import tracing_error

Calling = Callable[[Any], Any]
"""The form of a function that rewritten code calls."""


def _sum(values: Iterable[Any], /, start: Any = 0) -> Any:
    found = as_list(values)
    if not isinstance(found, KeptList):
        return sum(found, start)
    return start + found.combined(np.sum(found.chosen(), axis=0))


def _any(values: Iterable[Any]) -> Any:
    found: Any = False
    for counts, value in flagged(values):
        found = or_(True, found, _truth(counts, value))
        if found is True:
            return found
    if found is not False:
        use_up(values)
    return found


def _all(values: Iterable[Any]) -> Any:
    found: Any = True
    for counts, value in flagged(values):
        found = and_(True, found, _truth(not_(counts), value, is_all=True))
        if found is False:
            return found
    if found is not True:
        use_up(values)
    return found


def _truth(counts: Any, value: Any, *, is_all: bool = False) -> Callable[[], Any]:
    """The truth of an element; where it does not count, the one that changes nothing."""
    return lambda: (
        or_(True, counts, lambda: flag(value)) if is_all else and_(True, counts, lambda: flag(value))
    )


def _product(values: Iterable[Any], *, start: Any = 1) -> Any:
    found = as_list(values)
    if not isinstance(found, KeptList):
        return math.prod(found, start=start)
    return start * found.combined(np.prod(found.chosen(), axis=0))


def _map(of: Calling) -> Callable[..., Any]:
    def called(function: Any, *iterables: Any) -> Any:
        if not any(isinstance(x, Kept | KeptList | MaskedElements) for x in iterables):
            return map(of(function), *iterables)
        rows = (
            ((c, (row,)) for c, row in flagged(iterables[0]))
            if len(iterables) == 1
            else flagged(_zip(*iterables))
        )
        return Kept(element((c,), False, functools.partial(of(function), *row)) for c, row in rows)

    return called


def _reduce(of: Calling) -> Callable[..., Any]:
    def called(function: Any, iterable: Any, *initial: Any) -> Any:
        if not isinstance(iterable, Kept | KeptList | MaskedElements):
            return functools.reduce(of(function), iterable, *initial)
        step = of(function)
        values = as_list(iterable)
        if not isinstance(values, KeptList):
            return functools.reduce(step, values, *initial)
        start, rest = (initial[0], values) if initial else (values[0], values[1:])
        return functools.reduce(
            lambda found, pair: choose(pair[0], lambda: step(found, pair[1]), lambda: found),
            flagged(rest),
            start,
        )

    return called


def _length(values: Any) -> Any:
    return values.number() if isinstance(values, KeptList) else length(values)


def _list(*args: Any) -> Any:
    found: Any = as_list(args[0]) if args else ()
    return found.copy() if isinstance(found, KeptList) else list(found)


def _tuple(*args: Any) -> Any:
    found: Any = as_list(args[0]) if args else ()
    return found.copy() if isinstance(found, KeptList) else tuple(found)


def _next(iterator: Any, *default: Any) -> Any:
    if not isinstance(iterator, Kept):
        require_known(iterator)
        return next(iterator, *default)
    is_any, value = iterator.first(*default)
    if is_any is True:
        return value
    if default:
        return choose(is_any, lambda: value, lambda: default[0])
    raise_where(xp.logical_not(is_any), StopIteration("no element of the iterator counts"))
    return value


def _enumerate(iterable: Any, start: Any = 0) -> Any:
    values = as_list(iterable) if isinstance(iterable, Kept | MaskedElements) else iterable
    if isinstance(iterable, Kept):
        use_up(iterable)
    if not isinstance(values, KeptList):
        return enumerate_(values, start)
    numbers = xp.cumsum(values.mask) - 1
    rows = enumerate(flagged(values))
    return Kept((c, (made(numbers[k].value, weak=True) + start, value)) for k, (c, value) in rows)


def _zip(*iterables: Any, strict: bool = False) -> Any:
    values = [as_list(x) if isinstance(x, Kept | MaskedElements) else x for x in iterables]
    for x in iterables:
        if isinstance(x, Kept):
            use_up(x)
    lists = [x for x in values if isinstance(x, KeptList)]
    if not lists:
        return zip_(*values, strict=strict)
    if len(lists) < len(values) or not all(is_same_mask(lists[0].mask, other.mask) for other in lists):
        if strict:
            raise tracing_error(
                "traced conditions decide whether these lists have one length, which `strict` asks for",
                "leave `strict` out, or compare their lengths before",
            )
        return Kept(_by_numbers(values, [x.number() for x in lists]))
    rows = (tuple(x.row(k) for x in lists) for k in range(lists[0].mask.shape[0]))
    return Kept(zip(map(lists[0].mask.__getitem__, range(lists[0].mask.shape[0])), rows, strict=True))


def _by_numbers(values: list[Any], numbers: list[Any]) -> Iterator[Pair]:
    """Elements of the same number in lists, which are moved in front of those that do not count there."""
    rows = (x.in_front().values if isinstance(x, KeptList) else x for x in values)
    for k, row in enumerate(zip(*rows, strict=False)):
        flags = (True if isinstance(n, int) and k < n else xp.less(k, n) for n in numbers)
        yield all_of(flags), row


def _flag(tests: Callable[[Any], Any], value: Any) -> Any:
    return flag(tests(value))


def _filter(of: Calling, *, is_negated: bool = False) -> Callable[..., Any]:
    def called(function: Any, iterable: Iterable[Any]) -> Any:
        tests = of(bool if function is None else function)

        def pairs() -> Iterator[Pair]:
            for counts, value in flagged(iterable):
                found = met(and_(False, counts, functools.partial(_flag, tests, value)))
                is_met = met(not_(found)) if is_negated else found
                if is_met is not False:
                    yield all_of((counts, is_met)), value

        return Kept(pairs(), "a `filter`")

    return called


def _while(of: Calling, *, takes: bool) -> Callable[..., Any]:
    """`itertools.takewhile`, or `dropwhile`."""

    def called(predicate: Any, iterable: Iterable[Any]) -> Any:
        tests = of(predicate)

        def pairs() -> Iterator[Pair]:
            holds: Any = True
            is_known = True
            for counts, value in flagged(iterable):
                is_met = functools.partial(_flag, tests, value)
                holds = and_(False, holds, functools.partial(or_, False, not_(counts), is_met))
                if takes and holds is False:
                    if not is_known:
                        use_up(iterable)
                    return
                is_known = is_known and holds is True
                given = met(holds if takes else not_(holds))
                if given is not False:
                    yield all_of((counts, given)), value
            if takes and not is_known:
                use_up(iterable)

        return Kept(pairs(), f"`{'takewhile' if takes else 'dropwhile'}`")

    return called


def _slice(iterable: Any, *bounds: Any) -> Any:
    """`itertools.islice`."""
    if not isinstance(iterable, Kept | KeptList):
        return itertools.islice(iterable, *bounds)
    itertools.islice((), *bounds)  # which raises where the bounds are wrong
    values = as_list(iterable)
    if isinstance(iterable, Kept):
        use_up(iterable)
    return Kept(flagged(values[slice(*bounds)]), "`islice`")


def _concatenate(arrays: Any, axis: Any = 0, **options: Any) -> Any:
    """`np.concatenate`, of arrays that traced conditions keep: their rows are kept with them."""
    found = as_list(arrays)
    if not isinstance(found, KeptList):
        return np.concatenate(found, axis, **options)
    rows = found.chosen()
    shape = rows.elements.shape
    if axis != 0 or options or len(shape) < 2:
        _refuse_joined("concatenate")
    _require_some(found, "need at least one array to concatenate")
    elements = xp.reshape(rows.elements, (shape[0] * shape[1], *shape[2:]))
    return MaskedElements(elements, xp.repeat(rows.mask, shape[1]), 0)


def _stack(arrays: Any, axis: Any = 0, **options: Any) -> Any:
    """`np.stack`, of arrays that traced conditions keep: an array whose rows are kept."""
    found = as_list(arrays)
    if not isinstance(found, KeptList):
        return np.stack(found, axis, **options)
    if axis != 0 or options:
        _refuse_joined("stack")
    _require_some(found, "need at least one array to stack")
    return found.chosen()


def _require_some(found: KeptList, otherwise: str) -> None:
    """Have a call raise at run time what NumPy raises for an empty list."""
    raise_where(xp.equal(xp.count_nonzero(found.mask), 0), ValueError(otherwise))


def _refuse_joined(name: str) -> NoReturn:
    raise tracing_error(
        f"traced conditions decide which arrays this list has, so the size of what np.{name} makes of them "
        "is not known",
        f"join them along their first axis, np.{name}(arrays), of arrays of one shape",
    )


def _accumulate(of: Calling) -> Callable[..., Any]:
    def called(iterable: Iterable[Any], func: Any = operator.add, *, initial: Any = None) -> Any:
        return itertools.accumulate(iterable, of(func), initial=initial)

    return called


def _from_iterator(iter: Iterable[Any], dtype: Any = float, count: int = -1, **options: Any) -> Any:
    values = as_list(iter if count < 0 else _slice(iter, count))
    if isinstance(values, KeptList):
        raise_where(xp.less(values.number(), count), ValueError(_too_short(count)))
        return values.chosen().astype(dtype)
    found: list[Any] = list(values)
    if len(found) < count:
        raise ValueError(_too_short(count))
    return array(found, dtype) if contains_traced(found) else np.fromiter(found, dtype, count, **options)


def _too_short(count: int) -> str:
    return f"iterator too short: Expected {count}"


def standing(of: Calling) -> dict[Any, Callable[..., Any]]:
    """The functions that stand for those of Python, by these."""
    return {
        builtins.sum: _sum,
        math.prod: _product,
        builtins.map: _map(of),
        functools.reduce: _reduce(of),
        builtins.any: _any,
        builtins.all: _all,
        builtins.len: _length,
        builtins.list: _list,
        builtins.tuple: _tuple,
        builtins.next: _next,
        builtins.enumerate: _enumerate,
        builtins.zip: _zip,
        builtins.filter: _filter(of),
        itertools.filterfalse: _filter(of, is_negated=True),
        itertools.takewhile: _while(of, takes=True),
        itertools.dropwhile: _while(of, takes=False),
        itertools.accumulate: _accumulate(of),
        itertools.islice: _slice,
        np.concatenate: _concatenate,
        np.stack: _stack,
        np.fromiter: _from_iterator,
    }


# The module statistics ---------------------------------------------------------------------------


def _mean(data: Any, *weights: Any, **options: Any) -> Any:
    found = _array(data)
    given = [*weights, *options.values()]
    if given and given[0] is not None:
        return cast(Any, np.average)(found, weights=_array(given[0]))
    return cast(Any, np.mean)(found)


def _spread(function: Callable[..., Any], ddof: int) -> Callable[..., Any]:
    def called(data: Any, mean: Any = None) -> Any:
        return function(_array(data), ddof=ddof) if mean is None else _about(data, mean, function, ddof)

    return called


def _about(data: Any, mean: Any, function: Callable[..., Any], ddof: int) -> Any:
    found = _array(data)
    variance = np.sum((found - mean) ** 2) / (np.size(found) - ddof)
    return variance if function is np.var else np.sqrt(variance)


def _median(data: Any) -> Any:
    return np.median(_array(data))


def _geometric_mean(data: Any) -> Any:
    return np.exp(cast(Any, np.mean)(np.log(_array(data))))


def _array(data: Any) -> Any:
    found = as_list(data)
    return found.chosen() if isinstance(found, KeptList) else array([*found], np.float64)


_STATISTICS: Final[dict[str, Callable[..., Any]]] = {
    "mean": _mean,
    "fmean": _mean,
    "median": _median,
    "variance": _spread(np.var, 1),
    "pvariance": _spread(np.var, 0),
    "stdev": _spread(np.std, 1),
    "pstdev": _spread(np.std, 0),
    "geometric_mean": _geometric_mean,
}
"""Functions of `statistics` by their names."""


def of_statistics(function: Any) -> Callable[..., Any] | None:
    """The function that stands for one of `statistics`, found by its name: few programs import it."""
    known = _STATISTICS.get(function.__name__)
    if known is None:
        return None

    def called(*args: Any, **options: Any) -> Any:
        found = [as_list(value) for value in args]
        found = [[*cast("Any", value)] if isinstance(value, Iterator) else value for value in found]
        is_traced = contains_traced(found) or any(isinstance(value, KeptList) for value in found)
        if not is_traced:
            return function(*found, **options)
        if found:
            _require_data(function, found[0])
        return known(*found, **options)

    return called


def _require_data(function: Callable[..., Any], data: Any) -> None:
    """Have what a function of `statistics` raises be raised where it has too few numbers."""
    too_few = [0.0] if function.__name__ in ("variance", "stdev") else []
    if isinstance(data, KeptList):
        try:
            function(too_few)
        except ValueError as error:
            raise_where(np.less_equal(data.number(), len(too_few)), error)
    elif len(data) <= len(too_few):
        function(too_few)
