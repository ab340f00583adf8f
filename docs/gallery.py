"""The gallery: an overview of the examples, and a page for each with its figure, what it prints and its code.

    python -m docs.gallery build/gallery        runs the examples, and writes their figures and output there

Figures and output are made when the site is, so they are never older than the code. `docs/site.py` writes the
pages.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]

OVERVIEW = Path("gallery.md")
"""The place of the overview in the site."""

MISSING = "this example needs"
"""The beginning of an example's output if the package that it shows is missing."""


class Example(NamedTuple):
    """A program below `examples/`: the first line of its docstring, the rest of it, and the code after it."""

    path: Path
    summary: str
    description: str
    code: str
    draws: bool

    @property
    def name(self) -> str:
        """The name of its page and of what is made of it."""
        return self.path.stem

    @property
    def place(self) -> Path:
        """Return where its page lies in the site."""
        return Path("gallery") / f"{self.name}.md"

    @property
    def title(self) -> str:
        """The name as the title of a page."""
        return self.name.replace("_", " ").capitalize()


def examples() -> list[Example]:
    """All programs that can be run, those with a figure first."""
    found: list[Example] = []
    for path in sorted((ROOT / "examples").glob("*.py")):
        text = path.read_text()
        tree = ast.parse(text)
        functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        summary, _, rest = (ast.get_docstring(tree) or "").partition("\n")
        if "main" in functions:
            code = "\n".join(text.splitlines()[tree.body[0].end_lineno :]).strip()
            found.append(Example(path, summary, rest.strip("\n"), code, "draw" in functions))
    return sorted(found, key=lambda example: not example.draws)


def targets() -> dict[Path, Path]:
    """The pages to which links to the examples lead."""
    return {example.path.relative_to(ROOT): example.place for example in examples()} | {
        Path("examples"): OVERVIEW
    }


def pages(made: Path | None) -> dict[Path, str]:
    """The text of all pages by their place in the site, with figures and output from `made`."""
    found = {OVERVIEW: "\n".join(overview(made)) + "\n"}
    for example in examples():
        found[example.place] = "\n".join(page(example, made)) + "\n"
    return found


def overview(made: Path | None) -> Iterator[str]:
    """The page of all examples."""
    yield from ["# Gallery", ""]
    yield "Programs of about a hundred lines. Each checks what it computes, by a known answer or other"
    yield "means. Those with a figure draw it to a file, which takes matplotlib:"
    yield from ["", "```sh", "python examples/lens.py --plot lens.svg", "```", ""]
    yield from ['<div class="grid cards" markdown>', ""]
    for example in examples():
        address = f"gallery/{example.name}"
        yield f"-   **[{example.title}]({address}.md)**"
        if _figure(example, made):
            yield from ["", f"    [![{example.title}]({address}.svg)]({address}.md)"]
        yield from ["", f"    {example.summary}", ""]
    yield "</div>"


def page(example: Example, made: Path | None) -> Iterator[str]:
    """The page of an example."""
    yield from [f"# {example.title}", "", example.summary, ""]
    if _figure(example, made):
        yield from [f"![{example.title}]({example.name}.svg)", ""]
    yield from [example.description, ""]
    output = made / f"{example.name}.txt" if made else None
    if output and output.exists():
        yield from ["It prints:", "", "```text", output.read_text().rstrip(), "```", ""]
    yield from [f"`examples/{example.path.name}`:", "", "```python", example.code, "```"]


def _figure(example: Example, made: Path | None) -> bool:
    """Return whether there is a figure of an example."""
    return made is not None and (made / f"{example.name}.svg").exists()


def make(example: Example, folder: Path) -> None:
    """Run an example, and write its figure and what it prints."""
    command = [sys.executable, str(example.path)]
    if example.draws:
        command += ["--plot", str(folder / f"{example.name}.svg")]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{example.path.name} failed:\n{done.stderr}")
    if not done.stdout.startswith(MISSING):
        (folder / f"{example.name}.txt").write_text(done.stdout.replace(f"{ROOT}{os.sep}", ""))


def main() -> int:
    """Run all examples; returns the exit code."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "build/gallery").resolve()
    folder.mkdir(parents=True, exist_ok=True)
    for example in examples():
        sys.stdout.write(f"{example.name}\n")
        sys.stdout.flush()
        make(example, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
