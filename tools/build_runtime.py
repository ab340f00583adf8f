"""Compiles the run-time library to LLVM IR text: `mlirad/runtime/*.c` to `mlirad/runtime/generated/*.ll`.

    python -m tools.build_runtime              writes the texts (or `make runtime`)
    python -m tools.build_runtime --check      says what would change, and exits with 1 if anything would

The compiler is pinned (`COMPILER`), as texts of two releases differ. Clang's text is for one processor; what
is written is for any: without target, processor features and metadata, as definitions that fit into other
modules. The first line has digests of the sources and of the text, so a test sees an edit of either without a
compiler.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

from mlirad.runtime import GENERATED

SOURCES: Final = GENERATED.parent

PACKAGE: Final = "ziglang"
"""The package of the compiler: clang, as Zig ships it for every system."""

COMPILER: Final = f"{PACKAGE} 0.17.1"
"""With its version, as in the extra `runtime` of pyproject.toml. The major version of its clang must not be
above that of the LLVM in llvmlite, which reads the text.
"""

FLAGS: Final = (
    *("-target", "x86_64-linux-gnu", "-std=c17", "-O2", "-ffreestanding", "-fPIC"),
    *("-Wall", "-Wextra", "-Wno-unused-command-line-argument"),
    # Objects of Python and NumPy are read through structures of our own.
    "-fno-strict-aliasing",
    # LLVM decides on these again with the processor known.
    *("-fno-vectorize", "-fno-slp-vectorize", "-fno-unroll-loops"),
    # Nothing in the text that only serves debuggers, unwinding or checks.
    *("-fno-unwind-tables", "-fno-asynchronous-unwind-tables", "-fno-stack-protector", "-fno-ident", "-g0"),
    "-fno-sanitize=undefined",
    "-fno-discard-value-names",
)

ATTRIBUTES: Final = frozenset({"alwaysinline", "cold", "noinline", "noreturn", "nounwind"})
"""The attributes of functions that are kept."""


def main(arguments: Sequence[str]) -> int:
    """Write the texts, or with `--check` compare them; the exit status."""
    if not is_installed():
        sys.exit(f"{COMPILER} is not installed: pip install -e '.[runtime]'")
    checks = "--check" in arguments
    stale = 0
    for source in sources():
        path, text = text_path(source), generated_text(source)
        if path.exists() and path.read_text() == text:
            continue
        stale += 1
        if checks:
            print(f"{path} is not what {source.name} compiles to: run make runtime")
        else:
            path.write_text(text)
            print(f"wrote {path}")
    return int(checks and stale > 0)


def is_installed() -> bool:
    """Whether the compiler is, in its version."""
    try:
        return f"{PACKAGE} {version(PACKAGE)}" == COMPILER
    except PackageNotFoundError:
        return False


def sources() -> list[Path]:
    """The files that are compiled."""
    return sorted(SOURCES.glob("*.c"))


def text_path(source: Path) -> Path:
    """Where the text of a source file is."""
    return GENERATED / f"{source.stem}.ll"


def generated_text(source: Path) -> str:
    """The text of a source file, with its first line."""
    text = portable(_compiled(source), source.stem)
    return f"{head(source, text)}\n{text}"


def head(source: Path, text: str) -> str:
    """The first line of a generated file."""
    return (
        f"; Generated from {source.name} by tools/build_runtime.py: change the source and run make runtime. "
        f"sources {source_digest(source)} text {_digest([text])}"
    )


def source_digest(source: Path) -> str:
    """A digest of a source file, the headers that it includes, the compiler and its flags."""
    files = included(source)
    return _digest([COMPILER, *FLAGS, *(part for f in files for part in (f.name, f.read_text()))])


def included(source: Path) -> list[Path]:
    """A source file and the headers of the library that it includes, directly or not."""
    found = [source]
    for path in found:
        for name in re.findall(r'^#include "(.*)"$', path.read_text(), re.MULTILINE):
            header = SOURCES / name
            if header not in found:
                found.append(header)
    return found


def _digest(parts: Sequence[str]) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def _compiled(source: Path) -> str:
    """Clang's text of a source file. Exits with what clang says where it says anything."""
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder, "text.ll")
        command = [sys.executable, "-m", PACKAGE, "cc", *FLAGS, "-S", "-emit-llvm", source.name]
        command += ["-o", str(written)]
        caches = dict.fromkeys(("ZIG_GLOBAL_CACHE_DIR", "ZIG_LOCAL_CACHE_DIR"), folder)
        ran = subprocess.run(command, cwd=SOURCES, env=os.environ | caches, capture_output=True, text=True)
        if ran.returncode or ran.stderr:
            sys.exit(ran.stderr or f"{COMPILER} failed on {source}")
        return written.read_text()


_DROPPED: Final = re.compile(
    r"^(; ModuleID|source_filename|target |attributes #|!|; Function Attrs|.*@llvm\.lifetime\.).*\n",
    re.MULTILINE,
)


def portable(text: str, name: str) -> str:
    """Clang's text as one that can be part of any module for any target with pointers of 64 bits.

    Functions that C hides are internal; types, and what is `static`, get names that no other text has.
    """
    groups = dict(re.findall(r"^attributes (#\d+) = \{ (.*) \}$", text, re.MULTILINE))
    weights = dict(re.findall(r'^(!\d+) = (!\{!"branch_weights".*\})$', text, re.MULTILINE))
    private = re.findall(
        r"^(?:define internal .*?)?@([\w.]+)(?:\(| = (?:internal|private) )", text, re.MULTILINE
    )

    def attributes(found: re.Match[str]) -> str:
        return "".join(f" {word}" for word in groups[found[1]].split() if word in ATTRIBUTES)

    def metadata(found: re.Match[str]) -> str:
        return f", !prof {weights[found[2]]}" if found[1] == "prof" and found[2] in weights else ""

    text = _DROPPED.sub("", text)
    text = re.sub(r" (#\d+)", attributes, text)
    text = re.sub(r", !([\w.]+) (!\d+)", metadata, text)
    text = re.sub(r"\s+; preds = .*", "", text)
    text = re.sub(r" (dso_local|local_unnamed_addr|unnamed_addr)\b", "", text)
    text = re.sub(r"^define hidden ", "define internal ", text, flags=re.MULTILINE)
    text = re.sub(r"%(struct|union)\.", f"%mlirad.{name}.", text)
    for symbol in private:
        text = re.sub(rf"@{re.escape(symbol)}(?![\w.])", f"@mlirad.{name}.{symbol.lstrip('.')}", text)
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
