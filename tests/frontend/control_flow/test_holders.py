"""Other holders of a list that is written under a traced condition: nothing wrong is read from there."""

from __future__ import annotations

import functools
import linecache
import types
import weakref
from collections import UserDict, deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlirad as ad

KEPT: list[Any] = [None]


class Slotted:
    """An object of the program without a dictionary."""

    __slots__ = ("__weakref__", "held")

    def __init__(self, held: Any):
        self.held = held


def a_namespace(items):
    held = types.SimpleNamespace(held=items)
    return lambda: held.held


def a_namespace_in_a_tuple(items):
    held = ("name", types.SimpleNamespace(held=([items], "items")))
    return lambda: held[1].held[0][0]


def a_slot(items):
    held = Slotted(items)
    return lambda: held.held


def a_dictionary(items):
    held = {"held": items, "name": "items"}
    return lambda: held["held"]


def a_dictionary_of_the_user(items):
    held = UserDict(held=items)
    return lambda: held["held"]


def a_deque(items):
    held = deque([items])
    return lambda: held[0]


def a_proxy(items):
    held = types.MappingProxyType({"held": items})
    return lambda: held["held"]


def a_view(items):
    held = {"held": items}.values()
    return lambda: next(iter(held))


def an_exception(items):
    held = ValueError(items)
    return lambda: held.args[0]


def an_array(items):
    held = np.empty(1, object)
    held[0] = items
    return lambda: held[0]


def a_global(items):
    KEPT[0] = items
    return lambda: KEPT[0]


def a_closure(items):
    return lambda: items


def a_default(items):
    return lambda held=items: held


def an_iterator(items):
    held = iter([items, items])
    return lambda: next(held)


def a_generator(items):
    def give(one):
        while True:
            yield one

    held = give(items)
    return lambda: next(held)


def a_bound_method(items):
    held = items.__getitem__
    return lambda: [held(0)]


def a_cache(items):
    held = functools.lru_cache(lambda key, one=[items]: one.pop())
    held(0)
    return lambda: held(0)


def a_weak_reference(items):
    KEPT[0] = Slotted(items)
    held = weakref.ref(KEPT[0])
    return lambda: held().held


HOLDERS = [
    a_namespace, a_namespace_in_a_tuple, a_slot, a_dictionary, a_dictionary_of_the_user, a_deque, a_proxy,
    a_view, an_exception, an_array, a_global, a_closure, a_default, an_iterator, a_generator,
    a_bound_method, a_cache, a_weak_reference,
]  # fmt: skip


def replaced_on_one_way(x, hold):
    items = [x, 1.0]
    read = hold(items)
    if x > 0:
        items = [x, 2.0]
    items[0] = 5.0
    return read()[0]


def replaced_in_a_function(x, hold):
    def first(one):
        if x > 0:
            one = [x, 3.0]
        one[0] = 5.0
        return one[0]

    def both(one):
        return hold(one), first(one)

    read, y = both([x, 1.0])
    return read()[0] + y


def read_in_the_branch(x, hold):
    items = [x, 1.0]
    read, y = hold(items), 0.0
    if x > 0:
        items[0] = 5.0
        y = read()[0]
    return y


@pytest.mark.parametrize("hold", HOLDERS)
@pytest.mark.parametrize("function", [replaced_on_one_way, replaced_in_a_function, read_in_the_branch])
@pytest.mark.filterwarnings("ignore::mlirad.CaptureWarning")
def test_holders_of_lists_see_no_write_or_it_is_an_error(
    function: Callable[..., Any], hold: Callable[..., Any]
) -> None:
    message = "decides which object|also reaches by another name|changes .* by a function that it calls"
    with pytest.raises(ad.TracingError, match=message):
        ad.jit(functools.partial(function, hold=hold), control="rewrite", interpret=True)(0.7)


def replaced_by_what_a_holder_has(x, hold):
    read, one = hold([x, 1.0]), [x, 2.0]
    if x > 0:
        one = read()
    one[0] = 5.0
    return read()[0]


def written_in_the_holder(x, hold):
    items = [x, 1.0]
    read = hold(items)
    if x > 0:
        read()[0] = 5.0
    return items[0]


@pytest.mark.parametrize("hold", [a_namespace, a_namespace_in_a_tuple, a_dictionary_of_the_user, an_array])
@pytest.mark.parametrize("function", [replaced_by_what_a_holder_has, written_in_the_holder])
def test_lists_that_a_body_gets_from_holders_are_not_written_but_in_attributes(
    function: Callable[..., Any], hold: Callable[..., Any]
) -> None:
    given = functools.partial(function, hold=hold)
    compiled = ad.jit(given, control="rewrite", interpret=True)
    carried = (a_namespace, a_namespace_in_a_tuple, a_dictionary_of_the_user)
    if function is written_in_the_holder and hold in carried:
        assert [compiled(x) for x in (0.7, -0.7)] == [given(x) for x in (0.7, -0.7)]
        return
    with pytest.raises(ad.TracingError, match=r"decides which object|changes .* by a function that it calls"):
        compiled(0.7)


def in_a_loop(x):
    items, k, y = [x, 1.0], 0, 0.0
    held = types.SimpleNamespace(held=items)
    while k < x * 4:
        y += held.held[0]
        items[0] = items[0] + 1
        k += 1
    return y


def in_a_module(x):
    items = [x, 1.0]
    OWN.held = items
    if x > 0:
        items = [x, 2.0]
    items[0] = 5.0
    return OWN.held[0]


def state_of_a_module(x):
    if x > 0:
        OWN.count()
    return x * OWN.counts["n"]


OWN: Any = types.ModuleType("own")
OWN.__file__ = "/own.py"
SOURCE = "counts = {'n': 0}\ndef count():\n    counts['n'] += 1\n"
linecache.cache[OWN.__file__] = (len(SOURCE), None, SOURCE.splitlines(keepends=True), OWN.__file__)
exec(compile(SOURCE, OWN.__file__, "exec"), vars(OWN))


@pytest.mark.parametrize("function", [in_a_loop, in_a_module, state_of_a_module])
@pytest.mark.filterwarnings("ignore::mlirad.CaptureWarning")
def test_loops_and_modules(function: Callable[..., Any]) -> None:
    message = "decides which object|also reaches by another name|changes .* by a function that it calls"
    with pytest.raises(ad.TracingError, match=message):
        ad.jit(function, control="rewrite", interpret=True)(0.7)


def own_list_beside_holders(x):
    items, other = [x, 1.0], [x, 2.0]
    held = types.SimpleNamespace(other=other, array=np.ones(2))
    if x > 0:
        items = [x, 2.0]
    items[0] = 5.0
    return items[0] + items[1] + held.other[0] * held.array[1]


def list_of_a_namespace_that_is_read(x):
    held = types.SimpleNamespace(held=[x, 1.0])
    y = 0.0
    for k in range(20):
        y = y + held.held[k % 2]
        if y > 3:
            y = y * held.held[1]
    return y


def attempt_that_writes_a_namespace(x):
    held = types.SimpleNamespace(n=0, items=[])

    def count():
        held.n += 1
        held.items.append(held.n)
        return held.n

    y = x
    for _ in range(20):
        y = y + count()
    return y + len(held.items)


@pytest.mark.parametrize(
    "function", [own_list_beside_holders, list_of_a_namespace_that_is_read, attempt_that_writes_a_namespace]
)
@pytest.mark.parametrize("x", [1.5, -1.0])
def test_what_holders_do_not_have_to_do_with_is_written(function: Callable[..., Any], x: float) -> None:
    assert ad.jit(function, control="rewrite", interpret=True)(x) == pytest.approx(function(x), rel=1e-14)
