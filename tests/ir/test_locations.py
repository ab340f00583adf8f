"""Source locations as attributes and as text."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import CallSiteLoc, FusedLoc, NameLoc, NoneAttr, StringAttr, UnknownLoc

from mlirad.errors import VerifyError
from mlirad.ir.locations import (
    FileLocation,
    location_of,
    name_of,
    place_of,
    read_place,
    source_location,
)
from mlirad.ir.parsing import parse_module
from mlirad.ir.verification import verify_module

PROGRAM = """
func.func @f(%x: f64) -> f64 {
  %y = array.neg %x : f64
  %z = "array.neg"(%y) : (f64) -> f64 loc("model.py":7:0)
  func.return %z : f64
}
"""


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("f.py:3", FileLocation("f.py", 3)),
        ("f.py:3:14", FileLocation("f.py", 3, 14)),
        ("C:f.py:3", FileLocation("C:f.py", 3)),
        ("f.py", None),
        ("f.py:x", None),
        ("", None),
    ],
)
def test_places_are_read_as_they_are_written(text: str, place: FileLocation | None) -> None:
    assert read_place(text) == place
    if place is not None:
        assert str(place) == text


def test_the_first_place_in_a_file_is_taken() -> None:
    inner, outer = source_location("f.py", 3), source_location("g.py", 5, 2)
    assert place_of(CallSiteLoc(inner, outer)) == ("f.py", 3, 0)
    assert place_of(CallSiteLoc(UnknownLoc(), outer)) == ("g.py", 5, 2)
    assert place_of(FusedLoc((UnknownLoc(), outer, inner), NoneAttr())) == ("g.py", 5, 2)
    assert place_of(NameLoc(StringAttr("call"), inner)) == ("f.py", 3, 0)
    assert place_of(NameLoc(StringAttr("call"), NoneAttr())) is None
    assert place_of(UnknownLoc()) is None
    assert source_location("f.py", 3) is inner


def test_parsed_ops_know_their_places() -> None:
    function = parse_module(PROGRAM, "f.mlir", first_line=10).body.ops.first
    assert function is not None
    first, second, last = function.regions[0].block.ops
    assert [location_of(op) for op in (function, first, second, last)] == [
        "f.mlir:11:1",
        "f.mlir:12:8",
        "model.py:7",
        "f.mlir:14:3",
    ]
    first.location = UnknownLoc()
    assert location_of(first) == "f.mlir:11:1"
    assert name_of(first.results[0]) == "%y"
    first.results[0].name_hint = None
    assert name_of(first.results[0]) == "the result of array.neg"


def test_parsed_ops_with_a_name_for_a_place_have_that_of_the_text() -> None:
    module = parse_module('"builtin.module"() ({\n}) : () -> () loc("name")', "f.mlir")
    assert location_of(module) == "f.mlir:1:1"
    assert '"name"' in str(module.location)
    with pytest.raises(VerifyError, match="has no block") as caught:
        verify_module(module)
    assert caught.value.location == "f.mlir:1:1"
