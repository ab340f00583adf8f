"""The machine code between Python and programs: made without the addresses of a process, and kept."""

from __future__ import annotations

import ctypes
import importlib
from pathlib import Path
from typing import Any

import pytest

from mlirad.disk_cache import store
from mlirad.disk_cache.folder import Folder
from mlirad.jit.blas import blas_address
from mlirad.jit.c_functions import entry_text
from mlirad.jit.glue import load_glue, without_addresses
from mlirad.jit.pointers import pointer

glue: Any = importlib.import_module("mlirad.jit.glue")


def address_of(number: int) -> str:
    """A function that gives an address, and one that tells whether it is given it."""
    return f"""
define i64 @address() {{
  ret i64 ptrtoint (ptr {pointer(number)} to i64)
}}
define i1 @is_it(ptr %x) {{
  %same = icmp eq ptr %x, {pointer(number)}
  ret i1 %same
}}
"""


def said(number: int) -> tuple[int, bool, bool]:
    """The results of the functions, freshly loaded."""
    code = load_glue(address_of(number), ("address", "is_it"))
    is_it = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p)(code.addresses["is_it"])
    return ctypes.CFUNCTYPE(ctypes.c_uint64)(code.addresses["address"])(), is_it(number), is_it(number + 8)


@pytest.fixture
def emitted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that LLVM was given."""
    texts: list[str] = []
    emit = glue.quick_object_code

    def noted(text: str, target: Any) -> bytes:
        texts.append(text)
        return emit(text, target)

    monkeypatch.setattr(glue, "quick_object_code", noted)
    return texts


def kept(folder: Path) -> list[store.Entry]:
    return store.entries(Folder(str(folder), is_named=True, limit=1 << 20))


def test_code_is_found_by_processes_with_other_addresses(folder: Path, emitted: list[str]) -> None:
    for number in (0x7F00_1234_5678, 0x10, 0xFFFF_8000_0000_0008):
        assert said(number) == (number, True, False)
    assert len(emitted) == 1
    [entry] = kept(folder)
    record = store.examine(entry)
    assert record is not None
    assert record.name == "address"


def test_other_texts_are_other_code(folder: Path, emitted: list[str]) -> None:
    said(0x1000)
    same = address_of(0x1000).replace("eq ptr", "ne ptr")
    load_glue(same, ("address", "is_it"))
    assert len(emitted) == len(kept(folder)) == 2


def test_a_damaged_file_is_made_again(folder: Path, emitted: list[str]) -> None:
    said(0x1000)
    [entry] = kept(folder)
    content = bytearray(Path(entry.path).read_bytes())
    content[-1] ^= 1
    Path(entry.path).write_bytes(content)
    assert said(0x2000) == (0x2000, True, False)
    assert len(emitted) == 2
    assert len(kept(folder)) == 1


@pytest.mark.usefixtures("folder")
def test_what_cannot_be_linked_is_made_with_its_addresses(
    emitted: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    load_object = glue.load_object

    def near_only(code: bytes, **given: Any) -> Any:
        if given.get("externals"):
            raise glue.CompileError("out of range")
        return load_object(code, **given)

    monkeypatch.setattr(glue, "load_object", near_only)
    assert said(0x1000) == (0x1000, True, False)
    assert [pointer(0x1000) in text for text in emitted] == [False, True]


def test_nothing_is_kept_while_the_cache_is_off(emitted: list[str]) -> None:
    assert said(0x1000) == said(0x1000)
    assert len(emitted) == 2


def test_no_address_is_left_in_a_text() -> None:
    blas_address("mlirad_blas_dgemm")
    text, addresses = without_addresses(entry_text())
    assert "inttoptr (i64 " not in text
    assert len(set(addresses.values())) == len(addresses) > 10
    assert not any(str(address) in text for address in addresses.values())


def test_null_is_no_address() -> None:
    assert without_addresses(f"store ptr {pointer(0)}, ptr %x") == (f"store ptr {pointer(0)}, ptr %x", {})
