"""Attributes of objects under traced conditions: they change as in Python, with derivatives."""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlirad as ad


class Body:
    """An object with attributes of many kinds; its class has one of them."""

    steps = 0

    def __init__(self, mass: Any) -> None:
        self.mass, self.count = mass, 0
        self.items, self.table = [mass, 2.0], {"k": mass, "n": {"deep": 1.0}}
        self.v = np.ones(3) * mass
        self.other: Any = None
        self.__own = mass

    def grow(self, by: Any) -> Body:
        """Change an attribute."""
        self.mass = self.mass + by
        return self

    def clip(self, high: Any) -> None:
        """Change an attribute under a condition."""
        if self.mass > high:
            self.mass = high
            self.__own *= 2.0
        elif self.mass < -high:
            self.count += 1
        else:
            self.mass -= self.__own

    @property
    def weight(self) -> Any:
        """An attribute with a setter."""
        return self.mass * 9.81

    @weight.setter
    def weight(self, value: Any) -> None:
        self.mass = value / 9.81


class Slotted:
    """Attributes in slots."""

    __slots__ = ("mass",)

    def __init__(self, mass: Any) -> None:
        self.mass = mass


@dataclasses.dataclass
class Record:
    """A class that a decorator makes."""

    mass: Any
    more: Any = 0.5

    def grow(self, by: Any) -> None:
        """Change an attribute."""
        self.mass = self.mass + by


def assigned(x):
    b = Body(2 * x)
    if x > 0:
        b.mass = x * x
    return b.mass


def counted(x):
    b = Body(x)
    if x > 0:
        b.count += 1
    return b.count * x


def attribute_of_the_class(x):
    b = Body(x)
    if x > 0:
        b.steps += 2
    return b.steps * x + Body.steps


def either_way(x):
    b = Body(x)
    if x > 0.5:
        b.mass = 2 * x
    elif x > -0.5:
        b.count += 1
    else:
        b.mass, b.count = -x, 3
    return b.mass * x + b.count * x


def only_on_one_side_and_read_on_the_other(x):
    b = Body(x)
    if x > 0:
        b.mass = 3 * x
    else:
        return b.mass * x
    return b.mass


def element_of_a_dictionary(x):
    b = Body(x)
    if x > 0:
        b.table["k"] = 3 * x
        b.table["n"]["deep"] = x
    return b.table["k"] * b.table["n"]["deep"]


def element_of_a_list(x):
    b = Body(x)
    if x > 0:
        b.items[0] = 3 * x
        b.items.reverse()
    return b.items[0] - 2 * b.items[1]


def element_of_an_array(x):
    b = Body(x)
    if x > 0:
        b.v[1] = 3 * x
    return b.v @ np.arange(3.0)


def part_of_an_array(x):
    b = Body(x)
    if x > 0:
        b.v[1:][0] *= x
        b.v += 1.0
    return b.v @ np.arange(3.0)


def array_with_two_names(x):
    b = Body(x)
    v = b.v
    if x > 0:
        b.v[0] = 3 * x
    return v[0] * x


def list_with_two_names(x):
    b = Body(x)
    items = b.items
    if x > 0:
        b.items[0] = 3 * x
    return items[0] * x


def object_with_two_names(x):
    b = Body(x)
    c = b
    if x > 0:
        c.mass = 3 * x
        b.mass *= c.mass
    return c.mass + b.mass


def object_in_an_object(x):
    b = Body(x)
    b.other = Body(x)
    if x > 0:
        b.other.mass = 3 * x
    return b.mass * b.other.mass


def object_in_a_list(x):
    bodies = [Body(x), Body(-x)]
    if x > 0:
        bodies[1].mass = x * x
    return bodies[0].mass - bodies[1].mass


def by_methods(x):
    b = Body(x)
    if x > 0:
        b.grow(x).grow(1.0)
    b.clip(1.5)
    b.clip(0.5)
    return b.mass * (b.count + 1)


def by_a_setter(x):
    b = Body(x)
    if x > 0:
        b.weight = 3 * x
    return b.mass


def by_setattr(x):
    b = Body(x)
    if x > 0:
        setattr(b, "mass", 3 * x)  # noqa: B010
    return b.mass


def by_an_inner_function(x):
    b = Body(x)

    def add(y):
        if y > 0:
            b.mass = b.mass + y * y
        return b.mass

    return add(x) + add(-x)


def in_a_slot(x):
    b = Slotted(x)
    if x > 0:
        b.mass = 3 * x
    return b.mass


def of_a_dataclass(x):
    b = Record(x)
    if x > 0:
        b.mass, b.more = 3 * x, x
    return b.mass * b.more


def of_a_dataclass_with_two_names(x):
    b = Record(x)
    c = b
    if x > 0:
        b.grow(x)
        c.mass *= 2
    return b.mass + 10 * c.mass


def of_a_dataclass_in_a_loop(x):
    b = Record(abs(x) + 0.1)
    c = b
    while b.mass < 3:
        b.grow(0.5)
        c.more = c.more + b.mass
    return b.mass + 10 * c.mass + b.more


def of_dataclasses_in_a_list(x):
    bodies = [Record(x), Record(-x)]
    c = bodies[0]
    if x > 0:
        c.mass = 3 * x
        bodies[1] = Record(2 * x)
    return c.mass + 10 * bodies[0].mass + bodies[1].mass


def array_of_two_objects(x):
    b, c = Body(x), Body(x)
    c.v = b.v
    if x > 0:
        b.v[0] = 3 * x
    return c.v[0] + 10 * b.v.sum()


def list_of_two_objects(x):
    b, c = Body(x), Body(x)
    c.items = b.items
    if x > 0:
        b.items[0] = 3 * x
    return c.items[0] * x


def view_in_an_attribute(x):
    b = Body(x)
    w = b.v[1:]
    if x > 0:
        b.v[1] = 3 * x
    return w[0] + 10 * b.v.sum()


def of_a_namespace(x):
    b = types.SimpleNamespace(mass=x)
    if x > 0:
        b.mass = 3 * x
    return b.mass


def of_an_object_made_there(x):
    y = x
    if x > 0:
        b = Body(x)
        b.mass *= 3
        y = b.grow(x).mass
    return y


def nested_branches(x):
    b = Body(x)
    if x > -0.5:
        if x > 0.2:
            b.mass = x * 3
            if x > 0.5:
                b.count = 2
        b.v[0] = x
    return b.mass * (1 + b.count) + b.v[0]


def in_a_loop_of_known_length(x):
    b = Body(x)
    for k in range(20):
        if b.mass < 0.5 * k:
            b.mass = b.mass * 0.5 + 0.1
            b.count += 1
    return b.mass + b.count


def in_a_loop_on_a_condition(x):
    b = Body(abs(x) + 0.1)
    while b.mass < 3:
        b.mass *= 1.5
        b.grow(0.1)
        b.v[0] += b.mass
        b.count += 1
    return b.mass * b.count + b.v[0]


def objects_of_a_loop(x):
    bodies = [Body(x), Body(-x), Body(0.3)]
    for b in bodies:
        if b.mass > 0.2:
            b.mass = b.mass * 3
    return bodies[0].mass - bodies[1].mass * bodies[2].mass


def objects_in_a_loop_on_a_condition(x):
    bodies = [Body(abs(x) + 0.1), Body(x)]
    while bodies[0].mass < 4:
        for b in bodies:
            b.mass = b.mass * 1.5
            if b.mass < 0:
                b.count += 1
    return bodies[0].mass - bodies[1].mass + bodies[1].count


def left_early(x):
    b = Body(x)
    for k in range(20):
        if b.mass * k > 2:
            b.count = k
            break
        b.mass += 0.1
    return b.mass + b.count * x


def before_an_exception(x):
    b = Body(x)
    if x > 9:
        b.grow(5.0)
        b.count = 7
        raise ValueError("large")
    return b.mass * (b.count + 1)


FORMS = [found for found in list(globals().values()) if getattr(found, "__code__", None) and found.__name__]
"""The functions above."""


@pytest.mark.parametrize("case", FORMS, ids=lambda form: form.__name__)
@pytest.mark.filterwarnings("ignore::mlirad.ControlFlowWarning")
def test_attributes_change_as_in_python(case: Callable[..., Any]) -> None:
    control = ("auto", "rewrite")[len(case.__name__) % 2]
    compiled = ad.value_and_grad(case, control=control, interpret=True)
    for x in (0.7, 0.31, -0.7):
        value, slope = compiled(x)
        np.testing.assert_allclose(value, case(x), rtol=1e-12)
        np.testing.assert_allclose(slope, (case(x + 1e-6) - case(x - 1e-6)) / 2e-6, rtol=1e-6, atol=1e-8)


def replaced_after_a_write(x):
    b = Record(x)
    c = b
    if x > 0:
        b.mass = 3 * x
        b = Record(2 * x)
    return b.mass + c.mass


def read_by_another_name(x):
    b, c = Body(x), Record(x)
    b.other = c
    if x > 0:
        b.other.grow(x)
        c.grow(1.0)
    return c.mass


def array_read_by_another_name(x):
    b, c, y = Body(x), Body(x), 0.0
    c.v = b.v
    if x > 0:
        b.v[0] = 3 * x
        y = c.v[0]
    return y


def array_that_is_another_one(x):
    b, w = Body(x), np.zeros(3) + x
    if x > 0:
        b.v = w
    b.v[0] = 5.0
    return w[0]


def asked_for(x):
    b = Body(x)
    if x > 0:
        b.extra = x  # type: ignore[attr-defined]
    return 2 * x if hasattr(b, "extra") else x


def default_that_changes(x):
    class Own:
        mass = 2.0

    b = Own()
    if x > 0:
        b.mass = b.mass * x
    Own.mass = 5.0
    return b.mass


REFUSED = {
    replaced_after_a_write: "b was has no value here",
    read_by_another_name: "which it also reaches by another name",
    array_read_by_another_name: "is or may be written by another name",
    array_that_is_another_one: "may be an array that has been written since",
    asked_for: "only one way through an `if`",
    default_that_changes: "its class gets another one later",
}
"""Functions with a part that is known only when the program runs, and the words for it in messages."""


@pytest.mark.parametrize("case", REFUSED, ids=lambda form: form.__name__)
def test_what_is_not_known_of_attributes_is_refused(case: Callable[..., Any]) -> None:
    with pytest.raises(ad.MliradError) as caught:
        ad.jit(case, control="rewrite", interpret=True)(0.7)
    assert REFUSED[case] in str(caught.value)
    assert __file__ in str(caught.value.location)
    assert caught.value.hint


class Model:
    """An object that outlives the calls of its method."""

    def __init__(self) -> None:
        self.last, self.text = 0.5, "none"

    def loss(self, x):
        """Keep the argument, if it is positive."""
        if x > 0:
            self.last = x
        return x * self.last

    def told(self, x):
        """Try to keep a list in the place of a text."""
        if x > 0:
            self.last = x
            self.text = [x]
        return x


def test_attributes_that_outlive_the_call_are_warned_of() -> None:
    model = Model()
    with pytest.warns(ad.CaptureWarning, match=r"leaves a traced value in self\.last"):
        value, slope = ad.value_and_grad(model.loss, control="rewrite", interpret=True)(2.0)
    assert (value, slope) == (4.0, 4.0)


def test_attributes_are_as_before_where_a_branch_cannot_be_traced() -> None:
    model = Model()
    with pytest.raises(ad.TracingError, match=r"self\.text has no value here"):
        ad.jit(model.told, control="rewrite", interpret=True)(2.0)
    assert (model.last, model.text) == (0.5, "none")
