"""The code blocks of the documentation, and the commands of console blocks run as they are written.

    ```console
    $ mlirad-run docs/programs/f.mlir --entry f --args 2.0
    1.8185948536513634
    ```

A console block holds commands after `$` with their output. The tools of mlirad and `xdsl-opt` are run, in the
folder of the project; a block with a line `...` or with another command is shown as it stands.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOOLS = ("mlirad-opt", "mlirad-run", "mlirad-demo", "xdsl-opt")
_FENCE = re.compile(r"^```(?P<language>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_LONG_NUMBER = re.compile(r"\d+\.\d{13,}(?:e[+-]\d+)?")


@dataclass(frozen=True)
class Block:
    """A fenced block: where it stands, its language and its text."""

    path: Path
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line}"


def pages() -> list[Path]:
    """The pages that people write: the README, those of docs/, of the Python interface and of the guide."""
    docs = ROOT / "docs"
    folders = (docs, docs / "python", docs / "guide")
    return [ROOT / "README.md", *(page for folder in folders for page in sorted(folder.glob("*.md")))]


def blocks_of(path: Path, language: str) -> Iterator[Block]:
    """The blocks of a page in a language."""
    text = path.read_text()
    for found in _FENCE.finditer(text):
        if found["language"] == language:
            yield Block(path, text.count("\n", 0, found.start()) + 2, language, found["text"])


def refreshed(path: Path) -> str:
    """The text of a page with the output of its commands as it is now."""

    def replace(found: re.Match[str]) -> str:
        if found["language"] != "console":
            return found[0]
        return f"```console\n{rerun(found['text'])}```"

    return _FENCE.sub(replace, path.read_text())


def rerun(text: str) -> str:
    """A console block with the output of its commands as it is now."""
    lines = text.splitlines()
    commands = [line[2:] for line in lines if line.startswith("$ ")]
    if "..." in lines or not all(shlex.split(command)[0] in TOOLS for command in commands):
        return text
    found = "".join(f"$ {command}\n{output(command)}" for command in commands)
    return text if rounded(found) == rounded(text) else found


def rounded(text: str) -> str:
    """A text with numbers of many digits in twelve: the last ones depend on the machine."""
    return _LONG_NUMBER.sub(lambda number: f"{float(number[0]):.12g}", text)


def output(command: str) -> str:
    """Return what a command prints, on both streams."""
    program, *arguments = shlex.split(command)
    stream = _Stream()
    with contextlib.redirect_stdout(stream), contextlib.redirect_stderr(stream), contextlib.chdir(ROOT):
        _run(program, arguments)
    text = stream.getvalue().replace(str(ROOT) + os.sep, "").rstrip("\n")
    return text + "\n" if text else ""


class _Stream(io.StringIO):
    """A text stream that also takes bytes, as standard output does."""

    @property
    def buffer(self):
        stream = self

        class _Buffer:
            def write(self, data: bytes) -> int:
                return stream.write(data.decode())

            def flush(self) -> None:
                """Nothing is held back."""

        return _Buffer()


def _run(program: str, arguments: list[str]) -> None:
    if program == "mlirad-opt":
        from mlirad.tools.opt import main

        main(arguments)
    elif program == "mlirad-run":
        from mlirad.tools.run import main

        main(arguments)
    elif program == "mlirad-demo":
        from mlirad.tools.demo import main

        main(arguments)
    else:
        from xdsl.xdsl_opt_main import xDSLOptMain

        xDSLOptMain(args=arguments).run()
