"""The C sources of the run-time library under the sanitizers of a C compiler, where one is installed.

Each program in `native` includes a source file, and puts simple functions in place of CPython's.
"""

from __future__ import annotations

import os
import random
import shlex
import shutil
import subprocess
import time
from functools import cache
from pathlib import Path

import pytest

from tools.build_runtime import SOURCES

PROGRAMS = sorted((Path(__file__).parent / "native").glob("*_test.c"))
SANITIZERS = ("address,undefined", "thread")
COMPILERS = ("clang-22", "clang", "gcc")


@cache
def compiler(sanitizer: str) -> list[str] | None:
    """A C compiler that has a sanitizer, that of the environment variable CC first."""
    for words in (shlex.split(os.environ.get("CC", "")), *([name] for name in COMPILERS)):
        if words and shutil.which(words[0]):
            command = [*words, f"-fsanitize={sanitizer}", "-x", "c", "-", "-o", os.devnull]
            if (
                subprocess.run(command, input=b"int main(void) { return 0; }", capture_output=True).returncode
                == 0
            ):
                return words
    return None


def executable(program: Path, sanitizer: str, folder: Path) -> Path:
    """A program with a sanitizer; a compiler that warns of it fails."""
    words = compiler(sanitizer)
    if words is None:
        pytest.skip(f"no C compiler has -fsanitize={sanitizer}")
    made = folder / program.stem
    flags = ["-std=gnu17", "-g", "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-attributes", "-pthread"]
    sanitized = [f"-fsanitize={sanitizer}", "-fno-sanitize-recover=all"]
    command = [*words, *flags, *sanitized, f"-I{SOURCES}", str(program), "-o", str(made)]
    ran = subprocess.run(command, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return made


@pytest.mark.fuzz
@pytest.mark.parametrize("sanitizer", SANITIZERS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_sources_are_clean(program: Path, sanitizer: str, tmp_path: Path, fuzz_seconds: float) -> None:
    made = executable(program, sanitizer, tmp_path)
    end = time.monotonic() + fuzz_seconds
    while True:
        seed = random.randrange(1 << 30)
        ran = subprocess.run([str(made), str(seed)], capture_output=True, text=True, timeout=600)
        assert ran.returncode == 0, f"seed {seed}: {ran.stdout}{ran.stderr}"
        if time.monotonic() > end:
            break
