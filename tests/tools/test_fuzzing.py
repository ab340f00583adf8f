"""The tools answer any text with a result or an error that names its place."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from mlirad.tools import opt

LIT = Path(__file__).parents[2] / "lit"
MUTATIONS = 400

WORDS = (
    *"(){}[]<>,:=%@#!^\"'\\/*?é²\0\ufeff\n\t",
    "->",
    "//",
    "0",
    "-1",
    "1e999",
    "0x",
    "99999999999999999999999999",
    "tensor<3xf64>",
    "tensor<999999999999x999999999999xf64>",
    "tensor<?xf64>",
    "tensor<*xf64>",
    "tuple<>",
    "!linear.map<f64, f64>",
    "f16",
    "index",
    "%x",
    "%x#1",
    "%0:99999999999",
    "array.yield",
    "func.return",
    "dense<1.0> : tensor<99999999999xf64>",
    'dense<"0x00"> : tensor<3xf64>',
    "array<i64: 1>",
    "loc(unknown)",
    'loc("f":1:2)',
    "^bb0:",
    "{-#",
    "#-}",
    "#alias = 1",
    "!alias = f64",
    "attributes {x}",
    "affine_map<(d0) -> (d0)>",
    "unit",
    "builtin.module",
    "builtin.unrealized_conversion_cast",
)

TOKEN = re.compile(r"\s+|[\w.$]+|.", re.DOTALL)


def corpus() -> list[str]:
    """The parts of every lit test, valid and not."""
    parts: list[str] = []
    for path in sorted(LIT.rglob("*.mlir")):
        if "Output" not in path.parts:
            parts += [p for p in path.read_text().split("// -----\n") if "func.func" in p]
    return parts


def mutated(text: str, generator: random.Random) -> str:
    """The text with a few of its tokens dropped, doubled, moved or replaced."""
    tokens = TOKEN.findall(text)
    for _ in range(generator.randint(1, 4)):
        here = generator.randrange(len(tokens))
        match generator.randrange(6):
            case 0:
                del tokens[here]
            case 1:
                tokens.insert(here, tokens[here])
            case 2:
                tokens.insert(here, tokens[generator.randrange(len(tokens))])
            case 3:
                tokens[here] = tokens[generator.randrange(len(tokens))]
            case 4:
                tokens[here] = generator.choice(WORDS)
            case _:
                del tokens[here:]
        if not tokens:
            return ""
    return "".join(tokens)


def cases() -> Iterator[bytes]:
    """Mutated texts, and mutated bytes of them."""
    generator = random.Random(20240)
    texts = corpus()
    for k in range(MUTATIONS):
        data = mutated(generator.choice(texts), generator).encode()
        if k % 8 == 0 and data:
            position = generator.randrange(len(data))
            data = data[:position] + bytes([generator.randrange(256)]) + data[position + 1 :]
        yield data


def outcome(data: bytes, path: Path, capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, str]:
    """Exit code and standard error of `mlirad-opt`."""
    path.write_bytes(data)
    code = opt.main([str(path), *options])
    return code, capsys.readouterr().err


def test_mutated_programs_give_errors_with_places(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MLIRAD_TRACEBACK", "1")
    path = tmp_path / "f.mlir"
    codes: set[int] = set()
    for data in cases():
        code, error = outcome(data, path, capsys)
        codes.add(code)
        if code:
            assert re.match(rf"{re.escape(str(path))}:\d+:\d+: error: \S", error), (data.decode(), error)
    assert codes == {0, 1}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "Could not parse entire input"),
        (b"\xff\xfe", ":1:1: error: the text is not valid UTF-8"),
        (b"// caf\xc3\xa9\n  \xc3(", ":2:3: error: the text is not valid UTF-8"),
        (b"\0", "Unexpected character"),
        (b'"', "End of file reached"),
        # A string that is not closed: a lexer that backtracks takes time exponential in its length.
        (b'"' + b"a" * 10_000, "End of file reached"),
        (b'"op"() {x = "' + b"a" * 10_000 + b"\\q", "End of file reached"),
        (b"%x = " * 100, "error"),
        (b"(" * 100_000, "error"),
        (b'"a"() ({' * 20_000, "error"),
        (b"func.func @f() {" * 20_000, "ops are nested more than 64 deep"),
        (b"!t = tuple<" + b"tuple<" * 20_000, "nested too deeply"),
        (b"func.func @f(%x: tensor<" + b"9" * 100_000 + b"xf64>)", "error"),
        (b'"a"() {x = [' + b"[" * 20_000, "nested too deeply"),
        (b"func.func @f() {\n  %c = array.constant dense<0> : tensor<9999999999xi64>", "write a broadcast"),
    ],
)
def test_extreme_input(data: bytes, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, error = outcome(data, tmp_path / "f.mlir", capsys, "--allow-unregistered-dialect")
    assert code == 1
    assert message in error
    assert "internal error" not in error


def test_deep_nesting_is_verified_without_recursion(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    depth = 60
    lines = ["func.func @f(%x: f64) -> f64 {"]
    lines += [f"%v{k} = array.build () : -> f64 {{" for k in range(depth)]
    lines += [
        f"array.yield {'%x' if k == depth - 1 else f'%v{k + 1}'} : f64 }}" for k in reversed(range(depth))
    ]
    lines += ["func.return %v0 : f64 }"]
    code, error = outcome("\n".join(lines).encode(), tmp_path / "f.mlir", capsys)
    assert (code, error) == (0, "")
