"""A folder for compiled programs of one test, and the number of compiles."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mlirad.jit.blas import blas_address
from mlirad.jit.c_functions import HOLD_FUNCTION, definition
from mlirad.jit.result_memory import kept_bytes


@pytest.fixture(scope="session")
def glue() -> None:
    """The machine code that every process makes once, made while nothing is kept."""
    definition("hold", HOLD_FUNCTION)
    kept_bytes()
    blas_address("mlirad_blas_dgemm")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, glue: None) -> Path:
    """The folder that the cache uses during the test; it does not exist yet."""
    path = tmp_path / "cache"
    monkeypatch.setenv("MLIRAD_CACHE", str(path))
    return path


@pytest.fixture
def compiles(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The entries of the programs that were compiled, in order."""
    making: Any = importlib.import_module("mlirad.frontend.compiling.run_compiler")
    compile_module: Callable[..., Any] = making.compile_module
    made: list[str] = []

    def counted(module: Any, options: Any, *args: Any, **kwargs: Any) -> Any:
        made.append(options.entry)
        return compile_module(module, options, *args, **kwargs)

    monkeypatch.setattr(making, "compile_module", counted)
    return made
