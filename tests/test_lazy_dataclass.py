"""Our dataclasses are those of the standard library, which is asked for a twin of each."""

from __future__ import annotations

import ast
import copy
import dataclasses
import inspect
import math
import pickle
from collections.abc import Iterator
from dataclasses import FrozenInstanceError, field
from importlib import import_module
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

import pytest

from mlirad import lazy_dataclass as ours
from mlirad.lazy_dataclass import dataclass

PACKAGE = Path(__file__).parents[1] / "mlirad"
ALONE = {"mlirad.tools.jupyter"}
"""Modules that are imported by what they extend alone."""

OPTIONS = [
    {"frozen": frozen, "eq": eq, "repr": has_repr, "slots": slots}
    for frozen, eq, has_repr, slots in product((False, True), repeat=4)
]


def plain() -> type[Any]:
    class Plain:
        """A class with all kinds of fields."""

        __module__ = __name__
        count: ClassVar[int] = 3
        x: float
        y: tuple[float, ...] = ()
        made: list[int] = field(default_factory=list[int])
        told: str = field(default="", compare=False)
        hidden: int = field(default=1, repr=False)
        unhashed: int = field(default=2, hash=False)
        by_name: int = field(default=5, kw_only=True)
        late: dict[str, int] = field(init=False, default_factory=dict[str, int])
        constant: int = field(init=False, default=7)

    return Plain


@dataclass(frozen=True, slots=True)
class FrozenPair:
    x: float
    y: float = 1.0


@dataclass
class LoosePair:
    x: float
    y: float = 1.0


def outcome(call: Any) -> Any:
    """The result of a call, or the kind and text of its error."""
    try:
        return call()
    except (TypeError, AttributeError) as error:
        return type(error), str(error)


def behaviour(class_: type[Any], options: dict[str, bool]) -> list[Any]:
    """The behaviour of a class that `plain` made and of its instances."""
    a, b, c = class_(1.5, made=[]), class_(1.5, made=[], told="x"), class_(2.5, (1.0,), by_name=8)
    return [
        [(f.name, f.type, f.init, f.kw_only, f.compare) for f in dataclasses.fields(class_)],
        class_.__match_args__,
        [(p.name, p.kind, p.annotation) for p in inspect.signature(class_).parameters.values()],
        [repr(v).partition(" object at ")[0] for v in (a, b, c)],
        [a == b, a == c, a != c, a == (1.5,), a == 1.5],
        outcome(lambda: hash(a) == hash(b)),
        class_.__hash__ is None,
        outcome(lambda: setattr(a, "x", 3.0)),
        outcome(lambda: delattr(class_(3.5), "x")),
        outcome(lambda: setattr(a, "other", 3.0)) if not options["slots"] else None,
        a.late is not b.late,
        a.constant,
        dataclasses.asdict(dataclasses.replace(c, y=(2.0,))),
        outcome(lambda: class_()),
        outcome(lambda: class_(1, 2, 3, 4, 5, 6, 7)),
        hasattr(a, "__dict__"),
        repr(copy.deepcopy(c)).partition(" object at ")[0],
    ]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_all_options_mean_what_they_mean_in_the_standard_library(options: dict[str, bool]) -> None:
    found = behaviour(dataclass(**options)(plain()), options)
    assert found == behaviour(dataclasses.dataclass(**options)(plain()), options)


def test_hashes_are_those_of_tuples_of_fields() -> None:
    @dataclass(frozen=True)
    class One:
        x: int

    @dataclass(frozen=True)
    class Empty:
        pass

    assert hash(FrozenPair(1.0, 2.0)) == hash((1.0, 2.0))
    assert (hash(One(3)), One(3) == One(3), One(3) == One(4)) == (hash((3,)), True, False)
    assert (hash(Empty()), Empty() == Empty(), len({Empty(), Empty()})) == (hash(()), True, 1)
    nan = FrozenPair(math.nan)
    assert nan == copy.copy(nan)


@pytest.mark.parametrize("class_", [FrozenPair, LoosePair])
def test_instances_are_pickled(class_: type[Any]) -> None:
    pair = class_(2.0, 3.0)
    for again in (pickle.loads(pickle.dumps(pair)), copy.copy(pair), copy.deepcopy(pair)):
        assert again == pair
        assert repr(again) == f"{class_.__name__}(x=2.0, y=3.0)"


def test_methods_of_the_class_and_of_its_bases_stay() -> None:
    @dataclass(frozen=True)
    class Base:
        x: int

        def __repr__(self) -> str:
            return f"<{self.x}>"

        def __eq__(self, other: object) -> bool:
            return True

        __hash__ = object.__hash__

    @dataclass(frozen=True)
    class Derived(Base):
        y: int = 2

        def __post_init__(self) -> None:
            object.__setattr__(self, "sum", self.x + self.y)

    class Plainly(Derived):
        def __init__(self, x: int):
            super().__init__(x, 5)
            self.more = 1

    base, derived, last = Base(1), Derived(1), Plainly(1)
    assert (repr(base), base == Base(2), hash(base) == hash(Base(1))) == ("<1>", True, False)
    assert (repr(derived).rpartition(".")[2], derived == Derived(1, 3)) == ("Derived(x=1, y=2)", False)
    assert (derived.__dict__["sum"], last.__dict__["sum"], last.more) == (3, 6, 1)
    with pytest.raises(FrozenInstanceError, match="'x'"):
        last.x = 3  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(FrozenInstanceError, match="'z'"):
        derived.z = 3  # pyright: ignore[reportAttributeAccessIssue]


def test_methods_run_in_the_module_of_their_class() -> None:
    """Frames of them belong to it: errors that are raised in them are not said to be at a line of users."""
    pair = FrozenPair(1.0)
    assert pair == FrozenPair(1.0)
    assert hash(pair) == hash((1.0, 1.0))
    for name in ("__init__", "__eq__", "__hash__"):
        method = vars(FrozenPair)[name]
        assert method.__globals__ is globals()
        assert (method.__module__, method.__qualname__) == (__name__, f"FrozenPair.{name}")


def test_an_object_that_holds_itself_is_shown() -> None:
    @dataclass
    class Node:
        next: Any = None

    node = Node()
    node.next = node
    assert repr(node).endswith("Node(next=...)")


NOTHING = "def __create_fn__():\n\n return ()"
"""The text that the standard library of Python 3.13 compiles for a class that needs no function."""


def test_nothing_is_compiled_before_the_first_instance(monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[str] = []

    def noted(text: str, *rest: Any) -> None:
        if text != NOTHING:
            texts.append(text)
        exec(text, *rest)

    for module in (ours, dataclasses):
        monkeypatch.setattr(module, "exec", noted, raising=False)
    class_ = dataclass(frozen=True)(plain())
    assert not texts
    first = class_(1.0, hidden=3)
    assert len(texts) == 1
    assert repr(first).startswith("plain.<locals>.Plain(x=1.0, ")
    assert len(texts) == 1
    assert first == class_(1.0, hidden=3)
    assert first != class_(2.0)
    assert len(texts) == 2


def classes() -> Iterator[type[Any]]:
    """Every dataclass of the package that can be imported."""
    for path in sorted(PACKAGE.rglob("*.py")):
        name = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
        if "dataclass" not in path.read_text() or name in ALONE:
            continue
        try:
            module = import_module(name)
        except ImportError:
            continue
        for value in vars(module).values():
            if isinstance(value, type) and dataclasses.is_dataclass(value) and value.__module__ == name:
                yield value


def test_every_class_of_the_package_has_the_signature_that_the_standard_library_would_give() -> None:
    count = 0
    for class_ in classes():
        if "__init__" not in vars(class_) or class_.__init__.__code__.co_filename != "<string>":
            continue  # it has its own
        fields = dataclasses.fields(class_)
        twin = dataclasses.make_dataclass("Twin", [(f.name, f.type, copy.copy(f)) for f in fields])
        found = inspect.signature(class_)
        expected = inspect.signature(twin)
        assert [(p.name, p.kind) for p in found.parameters.values()] == [
            (p.name, p.kind) for p in expected.parameters.values()
        ], class_
        count += 1
    assert count > 300


def test_the_package_makes_dataclasses_this_way_alone() -> None:
    wrong = [
        f"{path}:{node.lineno}"
        for path in PACKAGE.rglob("*.py")
        if path.name != "lazy_dataclass.py"
        for node in ast.walk(ast.parse(path.read_text()))
        if (
            isinstance(node, ast.ImportFrom)
            and node.module == "dataclasses"
            and any(alias.name in ("dataclass", "make_dataclass") for alias in node.names)
        )
        or (isinstance(node, ast.Attribute) and ast.unparse(node) in ("dataclasses.dataclass",))
    ]
    assert not wrong, f"from mlirad.lazy_dataclass import dataclass: {wrong}"
