"""Reading MLIR text: what is wrong is a `ParseError` at its place."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import f32, f64

from mlirad.dialects.array.literals import literal, literal_array
from mlirad.dialects.array.structural import ConstantOp
from mlirad.dialects.shapes import array_type
from mlirad.errors import ParseError
from mlirad.ir.parsing import make_context, parse_module


@pytest.mark.parametrize(
    ("text", "location", "message"),
    [
        ("func.func @f(%x: f64) {\n  %y = array.neg %z : f64\n}", "<string>:2:18", "%z is not defined"),
        ("func.func @f(%x: f64) {\n  %y = array.nog %x : f64\n}", "<string>:2:18", "not registered"),
        ("func.func @f(%x: !linear.map<f64, i64>)", "<string>:1:18", "i64 is not a space of a linear map"),
        ("func.func @f(%x: !linear.map<f64>)", "<string>:1:18", "malformed type"),
        ('func.func @f(%x: "', "<string>:1:18", "End of file reached"),
        ("\n\n  ?", "<string>:3:3", "Could not parse entire input"),
    ],
)
def test_errors_name_their_place(text: str, location: str, message: str) -> None:
    with pytest.raises(ParseError, match=message) as caught:
        parse_module(text)
    assert caught.value.location == location


def test_lines_count_from_the_first_one_of_the_part() -> None:
    with pytest.raises(ParseError) as caught:
        parse_module("\n?", "f.mlir", first_line=41)
    assert caught.value.location == "f.mlir:42:1"


def test_a_block_declared_twice_names_both_places() -> None:
    text = '"a.b"() ({\n^a:\n  "a.c"() : () -> ()\n^a:\n  "a.c"() : () -> ()\n}) : () -> ()'
    with pytest.raises(ParseError, match=r"re-declaration of block 'a'.*<string>:2:1") as caught:
        parse_module(text, context=make_context(allow_unregistered=True))
    assert caught.value.location == "<string>:4:1"


@pytest.mark.parametrize("type_", ["f64", "f32"])
def test_dense_literals_keep_what_is_not_finite(type_: str) -> None:
    element = {"f64": f64, "f32": f32}[type_]
    values = np.array([np.nan, np.inf, -np.inf, -0.0, 1.5])
    written = ConstantOp.create(
        result_types=[array_type((5,), element)], properties={"value": literal(values, element)}
    )
    text = f"func.func @main() {{\n  {written!s}\n  func.return\n}}"
    (read,) = [op for op in parse_module(text).walk() if isinstance(op, ConstantOp)]
    np.testing.assert_array_equal(literal_array(read), values)
    assert np.signbit(literal_array(read)[3])


def test_bits_of_the_wrong_width_are_an_error() -> None:
    with pytest.raises(ParseError, match="8 hexadecimal digits"):
        parse_module(
            "func.func @main() {\n  %0 = array.constant dense<[0x7ff8000000000000]> : tensor<1xf32>\n}"
        )


@pytest.mark.parametrize(
    ("first", "next_", "use"),
    [
        ("!a0 = f64", "!aN = tuple<!aM, !aM>", "func.func @f(%x: !a59) {\nfunc.return\n}"),
        ("#a0 = 1", "#aN = [#aM, #aM]", "func.func @f() attributes {a = #a59} {\nfunc.return\n}"),
        ("#a0 = 1", "#aN = {x = #aM, y = #aM}", "func.func @f() attributes {a = #a59} {\nfunc.return\n}"),
        ('#a0 = loc("f":1:1)', "#aN = loc(fused[#aM, #aM])", "func.func @f() {\nfunc.return loc(#a59)\n}"),
    ],
    ids=["types", "lists", "dictionaries", "locations"],
)
def test_aliases_that_double_are_refused(first: str, next_: str, use: str) -> None:
    lines = [next_.replace("N", str(k)).replace("M", str(k - 1)) for k in range(1, 60)]
    with pytest.raises(ParseError, match="parts, or nested more than"):
        parse_module("\n".join([first, *lines, use]))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("func.func @f(%x: i2147483648)", "integers have at most 128 bits"),
        ("func.func @f() attributes {a = 0 : i2147483648}", "integers have at most 128 bits"),
        ("func.func @f(%x: " + "tuple<" * 70 + ">" * 70 + ")", "nested more than 64 deep"),
        ("func.func @f(%x: " + "tuple<" * 9000 + ">" * 9000 + ")", "nested too deeply"),
        ("func.func @f() attributes {a = " + "[" * 9000 + "]" * 9000 + "}", "nested too deeply"),
        (
            "func.func @f(%x: f64) {\n%y = array.sum %x {dims = " + "[" * 99 + "]" * 99 + "} : f64 -> f64\n}",
            "lists are nested more than 8 deep",
        ),
    ],
)
def test_types_and_attributes_that_are_too_large_are_refused(text: str, message: str) -> None:
    with pytest.raises(ParseError, match=message) as caught:
        parse_module(text)
    assert caught.value.location is not None
