"""Texts of traced values: shown as they are, carried on by what makes texts, refused by what decides."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlirad as ad
from mlirad.frontend.tracing.unfinished_texts import UnfinishedText

OF_ANY_OBJECT = set(dir(object)) - {"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__"}

ARGUMENTS: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"), ("1.0",)),
    **dict.fromkeys(("__contains__", "count", "endswith", "find", "index", "rfind", "rindex"), ("1",)),
    **dict.fromkeys(("startswith", "partition", "rpartition", "removeprefix", "removesuffix"), ("1",)),
    **dict.fromkeys(("center", "ljust", "rjust", "zfill"), (30,)),
    "__add__": ("a",),
    "__getitem__": (0,),
    "__mod__": ((),),
    "__mul__": (2,),
    "__rmul__": (2,),
    "format_map": ({},),
    "join": (["a", "b"],),
    "replace": ("a", "b"),
    "translate": ({},),
}
"""The arguments with which a method of `str` is called, where it needs some."""

OF_CLASSES = {"maketrans", "__rmod__", "__getnewargs__"}
"""Methods that do not look at the text, or are not called by the programs of users."""

NAMES = sorted(set(dir(str)) - OF_ANY_OBJECT - OF_CLASSES)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("value", [1.5, 1.5 + 2j])
def test_every_method_of_a_text_decides_nothing(name: str, value: complex) -> None:
    found: list[Any] = []

    def f(x: Any) -> Any:
        found.append(getattr(str(x), name)(*ARGUMENTS.get(name, ())))
        return x

    try:
        ad.jit(f, interpret=True, control="plain")(value)
    except ad.TracingError as error:
        assert "holds elements of traced values" in str(error)
        assert not found
    else:
        assert all(isinstance(text, UnfinishedText) for text in found)


DECIDING: dict[str, Callable[[Any], Any]] = {
    "equal": lambda x: x if f"{x}" == "1.5" else 2 * x,
    "equal from the left": lambda x: x if "1.5" == str(x) else 2 * x,  # noqa: SIM300
    "contains": lambda x: x if "1" in f"{x}" else 2 * x,
    "begins": lambda x: x if str(x).startswith("1") else 2 * x,
    "in upper case": lambda x: x if f"{x}".upper() == "1.5" else 2 * x,
    "key": lambda x: {"1.5": x}.get(f"{x}", 2 * x),
    "length": lambda x: x * len(f"{x}"),
    "characters": lambda x: x * len(list(str(x))),
    "formatted": lambda x: x if "%s" % x == "1.5" else 2 * x,  # noqa: UP031
    "joined": lambda x: x if "x = " + str(x) == "x = 1.5" else 2 * x,
    "member": lambda x: x if str(x) in {"1.5", "2.5"} else 2 * x,
    "of two parts": lambda x: x if f"x = {x}" == "x = 1.5" else 2 * x,
    "of two values": lambda x: x if f"{x}, {2 * x}" == "1.5, 3.0" else 2 * x,
    "represented": lambda x: x if f"{x!r}" == "np.float64(1.5)" else 2 * x,
    "filled in": lambda x: x if "x = %s" % x == "x = 1.5" else 2 * x,  # noqa: UP031
    "filled in by name": lambda x: x if "x = %(x)s" % {"x": x} == "x = 1.5" else 2 * x,  # noqa: UP031
    "format": lambda x: x if "x = {}".format(x) == "x = 1.5" else 2 * x,  # noqa: UP032
    "format_map": lambda x: x if "x = {a}".format_map({"a": x}) == "x = 1.5" else 2 * x,
    "of a list": lambda x: x if str([x]) == "[1.5]" else 2 * x,
    "of a dictionary": lambda x: x if repr({"x": x}) == "{'x': 1.5}" else 2 * x,
    "of an object": lambda x: x if f"a {Named(x)}" == "a b 1.5" else 2 * x,
    "of an object by its own text": lambda x: x if str(Named(x)) == "b 1.5" else 2 * x,
    "joined from parts": lambda x: x if ", ".join(["x", str(x)]) == "x, 1.5" else 2 * x,
    "replaced": lambda x: x if "x = y".replace("y", str(x)) == "x = 1.5" else 2 * x,
    "within another": lambda x: x if str(x) in "1.5 or 2.5" else 2 * x,
    "not within another": lambda x: x if f"{x}" not in "1.5 or 2.5" else 2 * x,
    "counted in another": lambda x: x * "1.5 or 2.5".count(f"{x}"),
    "compared beside others": lambda x: x if "a" < f"x = {x}" < "z" else 2 * x,
    "in a helper": lambda x: x if title(x) == "x = 1.5" else 2 * x,
    "kept first": lambda x: [x if text == "x = 1.5" else 2 * x for text in [f"x = {x}"]][0],  # noqa: RUF015
    "as a key of two parts": lambda x: {"x1.5": x}.get(f"x{x}", 2 * x),
    "of elements that a mask chooses": lambda x: x if f"n = {np.stack([x, x])[[x, x] > x]}" == "" else 2 * x,
}


class Named:
    """An object with a text that tells its value."""

    def __init__(self, x: Any):
        self.x = x

    def __str__(self) -> str:
        return f"b {self.x}"


def title(x: Any) -> str:
    return f"x = {x}"


@pytest.mark.parametrize("control", ["auto", "plain", "rewrite"])
@pytest.mark.parametrize("case", DECIDING)
def test_a_text_chooses_no_branch(case: str, control: str) -> None:
    with pytest.raises(ad.TracingError) as error:
        ad.jit(DECIDING[case], interpret=True, control=control)(1.5)
    assert error.value.hint is not None
    assert "test_unfinished_texts.py" in str(error.value.location)


@pytest.mark.parametrize("control", ["auto", "plain", "rewrite"])
def test_what_asks_already_is_seen_by_others(control: str) -> None:
    """Functions that made texts in one trace ask in all others; those that call them are to ask, too."""

    class Own(Named):
        def __str__(self) -> str:
            return f"c {self.x}"

    def own(x: Any) -> str:
        return f"c {x}"

    class Kept:
        text = ""

    kept = Kept()

    def keep(x: Any) -> None:
        kept.text = own(x)

    for make in (
        lambda x: f"a {Own(x)}",
        lambda x: "a {}".format(Own(x)),  # noqa: UP032
        lambda x: "a %s" % Own(x),  # noqa: UP031
        lambda x: f"a {own(x)}",
        lambda x: "a {}".format(own(x)),  # noqa: UP032
        lambda x: "a %s" % own(x),  # noqa: UP031
        lambda x: (keep(x), f"a {kept.text}")[1],
    ):
        for begin in (Own, own):  # these ask from here on
            with pytest.raises(ad.TracingError):
                ad.jit(lambda x, b=begin: x if str(b(x)) == "c 1.5" else 2 * x, control=control)(1.5)
        with pytest.raises(ad.TracingError):
            ad.jit(lambda x, m=make: x if m(x) == "a c 1.5" else 2 * x, control=control)(1.5)


TEXTS: dict[str, Callable[[Any], str]] = {
    "a text": lambda x: str(x),
    "joined": lambda x: "x is " + str(x) + "!",
    "formatted": lambda x: f"x is {x}",
    "with digits": lambda x: f"x is {x:.3f}",
    "filled in": lambda x: "x is %s" % x,  # noqa: UP031
    "by format": lambda x: "x is {}".format(x),  # noqa: UP032
    "with braces": lambda x: "{x} is " + str(x),
    "of an object": lambda x: str(Named(x)),
}


@pytest.mark.parametrize("case", TEXTS)
def test_texts_are_messages_of_exceptions(case: str) -> None:
    def f(x: Any) -> Any:
        assert x > 1.0, TEXTS[case](x)
        said = TEXTS[case](x)
        assert x > 2.0, said
        if x < 3.0:
            raise ValueError(TEXTS[case](x))
        return x

    call = ad.jit(f, interpret=True, control="rewrite")
    assert call(3.5) == 3.5
    for x, kind in ((0.5, AssertionError), (1.5, AssertionError), (2.5, ValueError)):
        with pytest.raises(kind):
            call(x)


def test_texts_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    def f(x: Any, z: Any) -> Any:
        print("once")  # noqa: T201
        print(x, f"{x}", f"{x} and {x}", "x: " + str(x), str(x).ljust(22) + "|", f"{x!s:>22}")  # noqa: T201
        print(z, f"{z}", bool(str(z)))  # noqa: T201
        return x

    ad.jit(f, interpret=True, control="plain")(np.ones(2), 1j)
    once, first, second = capsys.readouterr().out.splitlines()
    shown = "Array(x: float64[2])"
    assert once == "once"
    assert first == f"{shown} {shown} {shown} and {shown} x: {shown} {shown}  |   {shown}"
    assert second == "ComplexArray(complex128[]) ComplexArray(complex128[]) True"


@pytest.mark.parametrize("control", ["auto", "plain", "rewrite"])
def test_texts_are_handed_on(control: str, caplog: pytest.LogCaptureFixture) -> None:
    log = logging.getLogger("texts")

    def f(x: Any) -> Any:
        text = f"x: {x}" + " / {}".format(x) + " / %s" % x  # noqa: UP031, UP032
        log.warning(text)
        log.warning("and %s", text)
        warnings.warn(text, stacklevel=1)
        if not text:
            raise ValueError(text)
        return x

    with pytest.warns(UserWarning, match=r"x: Array.* / "):
        assert ad.jit(f, interpret=True, control=control)(1.5) == 1.5
    assert [r.getMessage().startswith(("x: ", "and x: ")) for r in caplog.records] == [True, True]


def test_an_error_has_a_text() -> None:
    def f(x: Any) -> Any:
        raise ValueError(f"x is {x}")

    with pytest.raises(ad.TracingError, match=r"x is Array\(x: float64\[\]\)"):
        ad.jit(f, interpret=True)(1.5)
