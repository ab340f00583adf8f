"""Variables that hold one array, or parts of it, in rewritten control flow: as in Python, or an error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlirad as ad


def same_array(x):
    v = np.zeros(4) + x
    w = v
    if x > 0:
        w[1] += 0.2
    return v.sum()


def part(x):
    v = np.zeros(4) + x
    w = v[1:]
    if x > 0:
        w[1] += 0.2
        v[0] = v[2] * 2
    return v.sum() + w[1]


def part_of_what_is_read(x):
    v = np.zeros(4) + x
    w = v[1:]
    if x > 0:
        w[1] += 0.2
        y = v[2] * 2
    else:
        y = x
    return y + v.sum()


def part_of_a_list(x):
    parts = [np.zeros(3) + x, np.zeros(3)]
    w = parts[0]
    if x > 0:
        parts[0][1] = 4.0
        y = w.sum()
    else:
        y = x
    return w.sum() + y


def part_of_a_dictionary(x):
    table = {"a": np.zeros(3) + x}
    w = table["a"]
    if x > 0:
        w[0] = 9.0
    return table["a"].sum()


def one_of_two(x):
    v = np.zeros(4) + x
    w = v if x > 0 else -v
    if x < 2:
        u = v
    else:
        u = w * 2
    return (w * 2).sum() + v.sum() + u.sum()


def replaced_and_written(x):
    v = np.zeros(4) + x
    if x > 0:
        v = v * 2
    v[0] = 7.0
    return v.sum()


def row_in_a_loop(x):
    matrix = np.ones((2, 3)) * x
    row = matrix[0]
    while row[0] < 3:
        row[0] = row[0] + 1.0
        matrix[1, 1] = matrix[0, 0]
    return matrix.sum() + row.sum()


def one_after_the_other(x):
    before = np.ones(3) * x
    now = before
    while now[0] < 5:
        before = now
        now = now * 2 + 1
    return now.sum() + before.sum()


def long_loop(x):
    v = np.zeros(3) + x
    w = v
    for i in range(20):
        w[i % 3] = v[(i + 1) % 3] * 0.5 + 0.1
    return v.sum()


def best_of_a_loop(x):
    best = np.zeros(3)
    y = np.zeros(3) + x
    for i in range(20):
        y = y * 0.9 + 0.01 * i
        if y[0] > best[0]:
            best = y
    return best.sum()


def best_that_is_written(x):
    best = np.zeros(3)
    y = np.zeros(3) + x
    for i in range(20):
        y[0] = y[0] * 0.9 + 0.01 * i
        if y[0] > best[0]:
            best = y.copy()
    return best.sum()


@pytest.mark.parametrize(
    "function",
    [
        same_array, part, part_of_what_is_read, part_of_a_list, part_of_a_dictionary, one_of_two,
        replaced_and_written, row_in_a_loop, one_after_the_other, long_loop, best_of_a_loop,
        best_that_is_written,
    ],
)  # fmt: skip
def test_writes_show_by_all_names(function: Callable[..., Any]) -> None:
    compiled = ad.jit(function, control="rewrite", interpret=True)
    for x in (0.7, -0.4):
        np.testing.assert_allclose(compiled(x), function(x), rtol=1e-14)


def written_later(x):
    v = np.zeros(4) + x
    if x > 0:
        w = v
    else:
        w = -v
    w[0] = 5.0
    return w.sum() + v.sum()


def replaced_or_not(x):
    v = np.zeros(4) + x
    w = v
    if x > 0:
        v = v * 2
    v[0] = 5.0
    return w.sum() + v.sum()


def other_written_later(x):
    v = np.zeros(4) + x
    w = v if x > 0 else -v
    v[0] = 5.0
    return w.sum()


def row_written_later(x):
    matrix = np.ones((2, 3)) * x
    row = matrix[0] if x > 0 else matrix[1]
    row[0] = 5.0
    return matrix.sum()


def no_longer_the_same(x):
    before = np.ones(3) * x
    now = before
    while now[0] < 5:
        now[1] = now[1] + 1
        before = now
        now = now * 2 + 1
    return now.sum() + before.sum()


class Holder:
    """An object that holds an array or a list."""

    def __init__(self, held: Any):
        self.held = held


def written_in_a_branch_of_a_branch(x):
    v = np.zeros(3) + x
    holder = Holder(v)
    if x > 0:
        if x > 0.5:
            v = v + 1
        v[0] = 5.0
    return holder.held.sum()


def part_of_what_may_be_written(x):
    v = np.zeros(3) + x
    w = v if x > 0 else -v
    part = v[1:]
    w[1] = 5.0
    return part.sum()


def read_by_an_attribute(x):
    holder = Holder(np.zeros(3) + x)
    v, y = holder.held, 0.0
    if x > 0:
        v[0] = 5.0
        y = holder.held.sum()
    return y


def read_before_the_write(x):
    v, k, y = np.zeros(3) + x, 0, 0.0
    holder = Holder(v)
    while k < x * 4:
        y += holder.held.sum()
        v[0] = v[0] + 1
        k += 1
    return y


def list_of_an_attribute(x):
    items = [x, 1.0]
    holder, y = Holder(items), 0.0
    if x > 0:
        items[0] = 5.0
        y = holder.held[0]
    return y


def list_of_the_caller(x):
    def first(one):
        if one[0] > 0.5:
            one = [*one]
        one[0] = 5.0
        return one[0]

    items = [x, 1.0]
    return first(items) + items[0]


def another_one_from_iteration_to_iteration(x):
    v, k = np.zeros(3) + x, 0
    w = v.copy()
    while k < 4:
        w[0] = w[0] + 1
        w = v if x > k else w * 0.5
        k += 1
    return v.sum()


def written_by_a_function_in_a_loop(x):
    def patch(a):
        if a[0] > 0.5:
            a = a * 0.5
        a[0] = a[0] + 0.25
        return a

    v, k, y = np.zeros(3) + x, 0, 0.0
    while k < x * 4:
        y += patch(v)[0]
        k += 1
    return y


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (written_in_a_branch_of_a_branch, "may be an array that has been written since"),
        (part_of_what_may_be_written, "may be an array that has been written since"),
        (read_by_an_attribute, "may be written by another name in this branch"),
        (read_before_the_write, "writes v, which it also reaches by another name"),
        (list_of_an_attribute, "writes items, which it also reaches by another name"),
        (list_of_the_caller, "decides which object one is here, and one of them is written"),
        (another_one_from_iteration_to_iteration, "may be an array that has been written since"),
        (written_by_a_function_in_a_loop, "writes an array that may be .*, which is made outside"),
    ],
)
def test_what_other_names_may_not_see_is_an_error(function: Callable[..., Any], message: str) -> None:
    with pytest.raises(ad.TracingError, match=message) as caught:
        ad.jit(function, control="rewrite", interpret=True)(0.7)
    assert (caught.value.location or "").startswith(__file__)


@pytest.mark.parametrize(
    ("function", "line", "message"),
    [
        (written_later, 7, "may be an array that has been written since"),
        (replaced_or_not, 6, "may be an array that has been written since"),
        (other_written_later, 4, "may be an array that has been written since"),
        (row_written_later, 4, "may be an array that has been written since"),
        (
            no_longer_the_same,
            3,
            "writes before and now, which is one object with another",
        ),
    ],
)
def test_what_depends_on_the_way_is_an_error(function: Callable[..., Any], line: int, message: str) -> None:
    with pytest.raises(ad.TracingError, match=message) as caught:
        ad.jit(function, control="rewrite", interpret=True)(0.7)
    place = f"{__file__}:{function.__code__.co_firstlineno + line}"
    assert caught.value.location == place
    assert ".copy()" in (caught.value.hint or "")
