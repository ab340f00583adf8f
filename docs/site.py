"""The pages of the site: the documentation as it stands, a reference of the interface, and the gallery.

    python -m docs.site build/pages build/gallery

writes them to the first folder, from which MkDocs makes the site (`make docs`); what `docs.gallery` has made
of the examples is in the second one.
"""

from __future__ import annotations

import re
import shutil
import sys
from functools import partial
from pathlib import Path

from docs import gallery
from docs.reference import reference

ROOT = Path(__file__).resolve().parents[1]

COPIED = (
    "docs/*.md",
    "docs/python/*.md",
    "docs/guide/*.md",
    "docs/generated/*.md",
    "docs/pictures/*.svg",
    "benchmarks/*.md",
    "benchmarks/charts/*.svg",
    "SECURITY.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
)
"""The files to copy; files of `docs/` come to the top."""

WEIGHTS = {
    "python": 4,
    "guide": 3,
    "reference.md": 2,
    "benchmarks": 0.5,
    "CHANGELOG.md": 0.25,
    "internals.md": 0.5,
}
"""The weight of a page, or of the pages of a folder, in the search; 1 for all others."""

_SESSION = re.compile(r"^```python(?=\n>>> )", re.MULTILINE)
"""The start of a block of Python with prompts, which the site shows and copies as such."""

_LINK = re.compile(r"\]\(([^)#\s]+)(#[^)\s]*)?\)")


def write_pages(folder: Path, made: Path | None = None) -> list[Path]:
    """Write all pages; links between them are made to fit, and those to other files lead nowhere.

    Figures and output of the examples come from the folder `made`, and are left out without it.
    """
    shutil.rmtree(folder, ignore_errors=True)
    pages: dict[Path, str] = {Path("index.md"): (ROOT / "README.md").read_text()}
    sources = {Path("index.md"): Path("README.md")}
    for pattern in COPIED:
        for path in sorted(ROOT.glob(pattern)):
            name = path.relative_to(ROOT)
            target = _placed(name)
            if path.suffix == ".md":
                pages[target], sources[target] = path.read_text(), name
            else:
                (folder / target).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, folder / target)
    targets = {source: target for target, source in sources.items()} | gallery.targets()
    for target, text in pages.items():
        pages[target] = _LINK.sub(partial(_link, target, sources[target], targets), text)
    pages[Path("reference.md")] = "\n".join(reference()) + "\n"
    pages |= gallery.pages(made)
    for figure in sorted(made.glob("*.svg")) if made else ():
        (folder / "gallery").mkdir(parents=True, exist_ok=True)
        shutil.copyfile(figure, folder / "gallery" / figure.name)
    shutil.copytree(ROOT / "docs" / "site_assets", folder / "site_assets")
    for target, text in pages.items():
        path = folder / target
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_weight(target) + _SESSION.sub("```pycon", text))
    return [folder / target for target in pages]


def _weight(page: Path) -> str:
    """The head of a page that tells the search how much it weighs."""
    weight = WEIGHTS.get(page.parts[0])
    return "" if weight is None else f"---\nsearch:\n  boost: {weight}\n---\n\n"


def _placed(name: Path) -> Path:
    """Return where a file of the project that is copied lies in the site."""
    return name.relative_to("docs") if name.parts[0] == "docs" else name


def _link(page: Path, source: Path, targets: dict[Path, Path], found: re.Match[str]) -> str:
    """A link of a page, from where the page comes to lie."""
    address, anchor = found[1], found[2] or ""
    if "://" in address:
        return found[0]
    wanted = Path(*_resolved(source.parent / address))
    target = targets.get(wanted)
    if target is None and wanted.suffix == ".svg":
        target = _placed(wanted)
    up = "../" * len(page.parent.parts)
    if (
        target is None
    ):  # a file of the project that is not a page: its name is shown where one points at the link
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


def main() -> int:
    """Write the pages, from and to the folders that are named; returns the exit code."""
    folder, made = (Path(argument) for argument in sys.argv[1:])
    written = write_pages(folder, made)
    sys.stdout.write(f"{len(written)} pages\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
