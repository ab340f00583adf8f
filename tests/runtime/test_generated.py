"""The LLVM IR texts of the run-time library: made from its sources, and fit for any module."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from mlirad.jit import engine
from mlirad.jit.target import file_target
from mlirad.runtime import GENERATED, runtime_module
from tools import build_runtime

SOURCES = build_runtime.sources()


def name_of(source: Path) -> str:
    return source.stem


@pytest.mark.parametrize("source", SOURCES, ids=name_of)
def test_texts_are_of_these_sources(source: Path) -> None:
    """Digests tell without a compiler that a source or a text was edited."""
    first, _, text = build_runtime.text_path(source).read_text().partition("\n")
    assert first == build_runtime.head(source, text), (
        f"{source.name} or its text was edited: run make runtime"
    )


@pytest.mark.skipif(not build_runtime.is_installed(), reason=f"{build_runtime.COMPILER} is not installed")
@pytest.mark.parametrize("source", SOURCES, ids=name_of)
def test_sources_compile_to_these_texts(source: Path) -> None:
    assert build_runtime.text_path(source).read_text() == build_runtime.generated_text(source)


def test_constants_are_those_of_python() -> None:
    assert build_runtime.CONSTANTS.read_text() == build_runtime.constants_header(), "run make runtime"


def test_every_text_has_a_source() -> None:
    assert {path.stem for path in GENERATED.glob("*.ll")} == {source.stem for source in SOURCES}


@pytest.mark.parametrize(
    "triple", ["x86_64-unknown-linux-gnu", "aarch64-apple-darwin", "x86_64-pc-windows-msvc"]
)
@pytest.mark.parametrize("source", SOURCES, ids=name_of)
def test_texts_compile_for_each_target(source: Path, triple: str) -> None:
    definitions, declarations = runtime_module(source.stem)
    assert engine.object_code(definitions + "\n".join(declarations.values()), file_target(triple))


@pytest.mark.parametrize("triple", ["wasm32-unknown-unknown", "i686-unknown-linux-gnu"])
@pytest.mark.parametrize("name", ["chunk_store", "standalone"])
def test_texts_of_object_files_serve_pointers_of_32_bits(name: str, triple: str) -> None:
    """The structures that they allocate are of words of 64 bits, however wide a pointer is."""
    definitions, declarations = runtime_module(name)
    text = definitions + "\n".join(declarations.values())
    types = dict(re.findall(r"^(%\S+) = type \{ (.*) \}$", text, re.MULTILINE))
    members = {member for listed in types.values() for member in listed.split(", ")}
    assert members - set(types) <= {"i64"}
    assert engine.object_code(text, file_target(triple))


def test_texts_fit_into_one_module() -> None:
    """No two define the same, except for those for other systems, and for programs without a host."""
    others = re.compile("(clock|stack)_(?!posix|linux)|standalone")
    modules = [runtime_module(source.stem) for source in SOURCES if not others.match(source.stem)]
    text = "".join(module.definitions for module in modules)
    defined = set(re.findall(r"^define .*?@([\w.]+)\(", text, re.MULTILINE))
    declared = {name: line for module in modules for name, line in module.declarations.items()}
    outside = [line for name, line in declared.items() if name not in defined]
    assert engine.object_code("\n".join([text, *outside]), file_target())


@pytest.mark.parametrize("source", SOURCES, ids=name_of)
def test_texts_call_no_library_of_their_own_accord(source: Path) -> None:
    """A copy of a structure may become a call of memcpy, which no source asks for."""
    written = "".join(path.read_text() for path in build_runtime.included(source))
    called = runtime_module(source.stem).declarations
    named = [re.sub(r"^llvm\.(mem\w+)\..*", r"__builtin_\1", name) for name in called]
    assert [name for name in named if not name.startswith("llvm.") and name not in written] == []


def test_an_edit_of_a_header_is_seen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    shutil.copytree(build_runtime.SOURCES, tmp_path, dirs_exist_ok=True)
    monkeypatch.setattr(build_runtime, "SOURCES", tmp_path)
    before = {path.name: build_runtime.source_digest(path) for path in build_runtime.sources()}
    with (tmp_path / "attributes.h").open("a") as file:
        file.write("#define MORE\n")
    after = {path.name: build_runtime.source_digest(path) for path in build_runtime.sources()}
    assert before.keys() == after.keys()
    assert not set(before.values()) & set(after.values())
