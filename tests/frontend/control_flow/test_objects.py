"""Lists, dictionaries and arrays in them that have several names, in rewritten control flow: as in Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from tests.generators.structures import leaves_of


def array_in_a_dictionary(x, n):
    v = np.zeros(2) + x
    table = {"t": v, "n": 1}
    if x > 0:
        table["t"][0] = 7.0
    table["t"][1] = 5.0
    return v, table


def array_in_a_list_of_a_loop(x, n):
    v = np.zeros(2) + x
    w = v * 2
    items = [v, w]
    for _ in range(n):
        items[1][0] += 1.0
        items[0][1] = x
    v[1] += 5.0
    return v, items, w


def array_in_a_tuple(x, n):
    v = np.zeros(2) + x
    pair = (v, v * 2)
    if x > 0:
        pair[0][0] = 7.0
    else:
        pair[1][0] = 7.0
    for _ in range(20):
        pair[0][0] += 1.0
    return v, pair


def list_of_two_names(x, n):
    items = [x, 2.0]
    other = items
    if x > 0:
        items[0] = 7.0
        x = other[0]
    for _ in range(n):
        items[0] += 1.0
        other[0] += 1.0
    return x, items, other


def list_in_a_dictionary(x, n):
    table = {"l": [x, 2.0]}
    items = table["l"]
    if x > 0:
        table["l"][0] = 7.0
    for _ in range(n):
        table["l"][0] += 1.0
    return table, items


def list_in_a_list(x, n):
    items = [x, 2.0, [x, 1.0]]
    while items[0] < 9:
        items[0] += 1.0
        items[2][1] = items[2][0] * 0.5
        inner = items[2]
        inner[0] = items[0]
    return items


def the_same_list_either_way(x, n):
    items = [x, 2.0]
    table = {}
    if x > 0:
        same = items
        same[0] = 4.0
        table["l"] = items
    else:
        same = items
        table["l"] = items
    same[1] = 9.0
    return items, same, table


def entry_that_gets_another_array(x, n):
    v = np.zeros(2) + x
    table = {"v": v, "w": v, "q": v * 2}
    total = 0.0
    for _ in range(n):
        table["v"] = table["v"] + 1.0
        total += v[0] + table["w"][0]
        table["q"][0] = total
    return v, table, total


def list_that_gets_what_another_variable_had(x, n):
    y = x
    items = [x, 2.0]
    k = 0.0
    while k < n:
        k += 1
        items = [y, *items[1:]]
        y = y * 0.5 + 1.0
    return items, y


@pytest.mark.parametrize(
    "function",
    [
        array_in_a_dictionary, array_in_a_list_of_a_loop, array_in_a_tuple, list_of_two_names,
        list_in_a_dictionary, list_in_a_list, the_same_list_either_way, entry_that_gets_another_array,
        list_that_gets_what_another_variable_had,
    ],
)  # fmt: skip
def test_writes_show_by_all_names(function: Callable[..., Any]) -> None:
    compiled = ad.jit(function, control="rewrite", interpret=True)
    for point in ((0.7, 3), (-0.4, 0)):
        for found, expected in zip(leaves_of(compiled(*point)), leaves_of(function(*point)), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-14)


def written_and_replaced(x):
    v = np.zeros(2) + x
    w = v
    if x > 0:
        v[0] = 7.0
        v = v * 2
    return v + w


def list_written_and_replaced(x):
    items = [x, 2.0]
    other = items
    if x > 0:
        items[0] = 1.0
        items = [2.0, x]
    return items[0] + other[0]


def replaced_twice(x):
    v = np.zeros(2) + x
    w = v
    if x > 0:
        v = v * 2
    if x < 1:
        v = v * 3
    v[0] = 5.0
    return w


def one_of_two_in_a_branch(x):
    v = np.zeros(2) + x
    w = np.ones(2)
    if x > 0:
        v = v if x > 1 else w
    else:
        w[:1] *= x
    v += 1.0
    return w


def kept_under_another_name(x):
    v = np.zeros(2) + x
    w = v
    u = v * 2
    if x > 0:
        u = v
        v = v * 2
    u[0] = 9.0
    return w


def list_that_parts(x):
    items = [x, 2.0]
    other = items
    while x < 9:
        x = x + other[0]
        items[0] += 1.0
        items = [x, x]
    return items[0] + other[0]


def put_into_a_dictionary(x):
    w = np.zeros(3) + x
    table = {"t": w * 2}
    if x > 0:
        table["t"] = w
    table["t"][0] = 9.0
    return w


def put_into_a_list_of_a_loop(x):
    w = np.zeros(3) + x
    items = [w * 2]
    while x < 3:
        x = x + 1
        items[0] = w
    items[0][0] = 9.0
    return w


def returned_from_a_loop_that_writes_it(x):
    v, k = np.zeros(3) + x, 0
    table = {"v": v, "n": 3}
    while k < 20:
        k += 1
        if v[0] > 3:
            return v, table
        v[0] = v[0] + 1.0
        table["v"][1] = v[0]
    return v, table


@pytest.mark.parametrize(
    ("function", "line", "message"),
    [
        (written_and_replaced, 6, "may be an array that has been written since"),
        (list_written_and_replaced, 6, "an element of what items was has no value here"),
        (replaced_twice, 0, "may be an array that has been written since"),
        (one_of_two_in_a_branch, 0, "may be an array that has been written since"),
        (kept_under_another_name, 0, "may be an array that has been written since"),
        (put_into_a_dictionary, 0, "may be an array that has been written since"),
        (put_into_a_list_of_a_loop, 0, "may be an array that has been written since"),
        (returned_from_a_loop_that_writes_it, 5, "may be an array that has been written since"),
        (list_that_parts, 3, "writes items and other, which is one object with another"),
    ],
)
def test_what_is_written_under_another_name_alone(
    function: Callable[..., Any], line: int, message: str
) -> None:
    with pytest.raises(ad.TracingError, match=message) as caught:
        ad.jit(function, control="rewrite", interpret=True)(0.7)
    if line:
        assert caught.value.location == f"{__file__}:{function.__code__.co_firstlineno + line}"


def chosen_list(x):
    a, b = [x], [2 * x]
    if x > 0:
        c = a
    else:
        c = b
    c[0] = c[0] * 10
    return a[0] + b[0]


def chosen_by_an_expression(x):
    a, b = [x], [2 * x]
    c = a if x > 0 else b
    a[0] = c[0] * 10
    return c[0]


def chosen_or_kept(x):
    a, c = {"v": x}, {"v": 3.0 * x}
    if x > 0:
        c = a
    c["v"] = c["v"] * 10
    return a["v"] + c["v"]


def chosen_argument(x):
    def first(c):
        d = [0.0]
        if x > 0:
            d = c
        d[0] = 7.0 * x
        return d[0]

    a = [x]
    return first(a) + a[0]


def chosen_inner_list(x):
    p, q = {"w": [x]}, {"w": [2 * x]}
    c = q
    for _ in range(3):
        if x > 0:
            c = p
        c["w"][0] = 5 * x
    return p["w"][0] + q["w"][0]


@pytest.mark.parametrize(
    "function", [chosen_list, chosen_by_an_expression, chosen_or_kept, chosen_argument, chosen_inner_list]
)
def test_objects_that_a_condition_chooses_among_are_not_written(function: Callable[..., Any]) -> None:
    with pytest.raises(
        ad.TracingError, match=r"which object .* is here, and one of them is written"
    ) as caught:
        ad.jit(function, control="rewrite", interpret=True)(0.7)
    assert caught.value.location is not None
    assert caught.value.location.startswith(f"{__file__}:")


def read_only(x):
    a, b = {"v": x}, {"v": 3.0 * x}
    c = a if x > 0 else b
    if x > 1:
        d = b
    else:
        d = a
    return c["v"] * a["v"] + d["v"]


def own_list(x):
    c = [x]
    if x > 0:
        c = [2 * x]
    for _ in range(5):
        if c[0] > 2:
            c = [c[0] - 1]
        c[0] = c[0] + x
    c.append(c[0])
    return c[0] + c[1]


def list_of_a_branch(x):
    if x > 0:
        c = [x]
    else:
        c = [2 * x]
    c.append(3 * x)
    return c[0] + c[1]


def chosen_copies(x):
    a = [x]
    if x > 0:
        c = list(a)
    else:
        c = [2 * x]
    c[0] = c[0] + 1
    return a[0] + c[0]


def exchanged(x):
    a, b = [x, x], [2 * x, x]
    for _ in range(3):
        a, b = b, a
        if x > 1:
            a[0] = a[0] + 1
    return a[0] + b[0] * 3


@pytest.mark.parametrize("function", [read_only, own_list, list_of_a_branch, chosen_copies, exchanged])
@pytest.mark.parametrize("x", [1.5, -1.0])
def test_what_is_chosen_may_be_read_and_what_is_new_written(function: Callable[..., Any], x: float) -> None:
    assert ad.jit(function, control="rewrite", interpret=True)(x) == function(x)
