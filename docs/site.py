"""The pages of the site: the documentation as it stands, a reference of the interface, and the examples.

python -m docs.site build/pages        writes them to a folder, of which MkDocs makes the site (`make docs`)
"""

from __future__ import annotations

import ast
import re
import shutil
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from docs.reference import reference

ROOT = Path(__file__).resolve().parents[1]

COPIED = (
    "docs/*.md", "docs/guide/*.md", "docs/generated/*.md", "benchmarks/*.md", "benchmarks/charts/*.svg",
    "SECURITY.md",
)  # fmt: skip
"""What is copied; files of `docs/` come to the top."""

_LINK = re.compile(r"\]\(([^)#\s]+)(#[^)\s]*)?\)")


def write_pages(folder: Path) -> list[Path]:
    """Write all pages; links between them are made to fit, and those to other files lead nowhere."""
    shutil.rmtree(folder, ignore_errors=True)
    pages: dict[Path, str] = {Path("index.md"): (ROOT / "README.md").read_text()}
    sources = {Path("index.md"): Path("README.md")}
    for pattern in COPIED:
        for path in sorted(ROOT.glob(pattern)):
            name = path.relative_to(ROOT)
            target = name.relative_to("docs") if name.parts[0] == "docs" else name
            if path.suffix == ".md":
                pages[target], sources[target] = path.read_text(), name
            else:
                (folder / target).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, folder / target)
    targets = {source: target for target, source in sources.items()}
    for target, text in pages.items():
        pages[target] = _LINK.sub(partial(_link, target, sources[target], targets), text)
    pages[Path("reference.md")] = "\n".join(reference()) + "\n"
    pages[Path("examples.md")] = "\n".join(examples()) + "\n"
    for target, text in pages.items():
        path = folder / target
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return [folder / target for target in pages]


def _link(page: Path, source: Path, targets: dict[Path, Path], found: re.Match[str]) -> str:
    """A link of a page, from where the page comes to lie."""
    address, anchor = found[1], found[2] or ""
    if "://" in address:
        return found[0]
    wanted = Path(*_resolved(source.parent / address))
    target = targets.get(wanted)
    if target is None and wanted.suffix == ".svg":
        target = wanted
    up = "../" * len(page.parent.parts)
    if (
        target is None
    ):  # a file of the project that is no page: its name is shown where one points at the link
        return f'](#{anchor} "{wanted.as_posix()}")'
    return f"]({up}{target.as_posix()}{anchor})"


def _resolved(path: Path) -> list[str]:
    """The parts of a path without steps upwards."""
    parts: list[str] = []
    for part in path.parts:
        if part == "..":
            parts.pop()
        else:
            parts.append(part)
    return parts


def examples() -> Iterator[str]:
    """The examples with what they say of themselves."""
    yield "# Examples"
    for path in sorted((ROOT / "examples").glob("*.py")):
        if path.stem == "__init__":
            continue
        text = path.read_text()
        yield from ["", f"## {path.stem.replace('_', ' ').capitalize()}", ""]
        yield from (ast.get_docstring(ast.parse(text)) or "").splitlines()
        yield from ["", f"`examples/{path.name}`:", "", "```python", text.rstrip(), "```"]


def main() -> int:
    """Write the pages to the folder that is named; returns the exit code."""
    written = write_pages(Path(sys.argv[1] if len(sys.argv) > 1 else "build/pages"))
    sys.stdout.write(f"{len(written)} pages\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
