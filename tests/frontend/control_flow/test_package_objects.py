"""Objects and globals of packages that functions change under a traced condition are errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest

import mlirad as ad
from tests.frontend.control_flow.test_entered import installed

PACKAGE = """
import collections, math

table = {"x": 0.5}
steps = [0.5]
count = 0.5
known = {}

class Model:
    shared = 0.5
    def __init__(self):
        self.x, self.list, self.dict, self.deque = 0.5, [0.5], {"x": 0.5}, collections.deque([0.5])
        self.inner = self.dict
    def set(self, x): self.x = x
    def set_by_name(self, x): setattr(self, "x", x)
    def set_in_table(self, x): self.__dict__["x"] = x
    def update(self, x): vars(self).update(x=x)
    def set_list(self, x): self.list[0] = x
    def append(self, x): self.list.append(x)
    def set_dict(self, x): self.dict["x"] = x
    def set_deque(self, x): self.deque[0] = x
    def set_class(self, x): Model.shared = x
    def nested(self, x): self.set(x)
    def total(self): return self.x + sum(self.list) + self.dict["x"] + self.deque[0] + Model.shared

class Slots:
    __slots__ = ("x",)
    def __init__(self): self.x = 0.5
    def set(self, x): self.x = x

def set_table(x): table["x"] = x
def set_steps(x): steps[0] = x
def set_count(x):
    global count
    count = x
def by_others(x): set_table(x)
def set_attribute(x): set_attribute.x = x

def factor(n):
    if n not in known:
        known[n] = math.factorial(n)
    return known[n]

def under_if(change, total, x):
    if x > 1.0:
        change(x)
    return total() * x

def under_expression(change, total, x):
    found = change(x) if x > 1.0 else None
    return total() * x

def under_and(change, total, x):
    x > 1.0 and change(x)
    return total() * x

def under_while(change, total, x):
    while x < 4.0:
        x = x * 2
        change(x)
    return total() * x

def cached(x):
    if x > 1.0:
        return x * factor(4)
    return x * factor(3)
"""

METHODS = (
    "set", "set_by_name", "set_in_table", "update", "set_list", "append", "set_dict", "set_deque",
    "set_class", "nested",
)  # fmt: skip


def _changes(package: ModuleType) -> Iterator[tuple[str, Callable[[Any], Any], Callable[[], Any]]]:
    for name in METHODS:
        model = package.Model()
        yield name, getattr(model, name), model.total
    slots = package.Slots()
    yield "slots", slots.set, lambda: slots.x
    yield "table", package.set_table, lambda: package.table["x"]
    yield "steps", package.set_steps, lambda: package.steps[0]
    yield "count", package.set_count, lambda: package.count
    yield "others", package.by_others, lambda: package.table["x"]
    package.set_attribute.x = 0.5
    yield "attribute", package.set_attribute, lambda: package.set_attribute.x


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModuleType]:
    """A package as it would be installed."""
    yield from installed(tmp_path_factory.mktemp("env"), "ad_package_with_objects", PACKAGE)


CARRIED = {"set", "set_by_name", "set_in_table", "update", "set_list", "nested", "slots"}
"""The functions that change attributes, which statements carry."""

CARRIED_BY = {(way, name) for way in ("if", "while") for name in CARRIED} | {("if", "append")}
"""The same, each with the statement that carries what it changes; a list grows in branches alone."""


@pytest.mark.parametrize("way", ["if", "expression", "and", "while"])
@pytest.mark.filterwarnings("ignore::mlirad.CaptureWarning")
def test_what_a_function_changes_under_a_traced_condition_is_carried_or_an_error(
    package: ModuleType, way: str
) -> None:
    statement = getattr(package, f"under_{way}")
    for x in (0.25, 2.0):
        for (name, *given), (_, *others) in zip(_changes(package), _changes(package), strict=True):

            def function(x: Any, given: list[Any] = given) -> Any:
                return statement(*given, x)

            compiled = ad.jit(function, control="rewrite", interpret=True)
            if (way, name) in CARRIED_BY:
                assert compiled(x) == statement(*others, x), name
            else:
                with pytest.raises(ad.MliradError, match=r"changes|by another name|same tuples|cannot grow"):
                    compiled(x)
                    pytest.fail(name)


def test_tables_of_what_was_computed_may_grow(package: ModuleType) -> None:
    for x in (0.5, 2.0):
        assert ad.grad(package.cached, control="rewrite")(x) == (24.0 if x > 1.0 else 6.0)
