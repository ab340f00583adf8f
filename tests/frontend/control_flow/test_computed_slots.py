"""Objects whose class computes an attribute that a base has in a slot, near traced conditions."""

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false, reportMissingSuperCall=false

from __future__ import annotations

from typing import Any

import pytest

import mlirad as ad


class Number:
    __slots__ = ("digits", "name")

    def __init__(self, digits: tuple[int, ...]):
        self.digits = digits
        self.name = "a number"


class Constant(Number):
    def __init__(self) -> None:
        self.name = "a constant"

    @property
    def digits(self) -> Any:  # pyright: ignore[reportIncompatibleVariableOverride]
        return (3, *(1,))


class Frozen:
    __slots__ = ("kept",)

    def __init__(self) -> None:
        object.__setattr__(self, "kept", 2.0)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(name)


CONSTANT, FROZEN = Constant(), Frozen()


@pytest.mark.parametrize("held", [CONSTANT, FROZEN], ids=["computed", "frozen"])
def test_they_are_left_alone(held: object) -> None:
    def function(x: Any) -> Any:
        y = held
        if x > 0:
            return 2 * x if y is held else x
        if x < -5:
            raise ValueError("low")
        return -x

    assert ad.value_and_grad(function, control="rewrite")(3.0) == (6.0, 2.0)
    assert CONSTANT.digits == (3, 1)
    assert FROZEN.kept == 2.0
