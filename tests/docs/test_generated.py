"""The generated pages are what the tables say, and everything public is documented."""

from __future__ import annotations

import ast
import inspect
import re

import pytest

import mlirad as ad
from docs import blocks, generate
from docs.generate import DOCS
from docs.reference import signature
from docs.samples import SAMPLES
from mlirad.dialects.array import ARRAY_OPS
from mlirad.dialects.array.control import ReplayOp
from mlirad.dialects.array.elementwise import ElementwiseOp
from mlirad.dialects.array.indexing import YieldOp
from mlirad.registry import PASS_MODULES
from mlirad.tools import demo, opt, run

WRITTEN = {path.name: path.read_text() for path in DOCS.glob("*.md")}
INTERFACE = "\n".join(path.read_text() for path in sorted((DOCS / "python").glob("*.md")))
"""The pages of the Python interface, one after another."""


@pytest.mark.parametrize("name", generate.PAGES)
def test_generated_pages_are_up_to_date(name: str) -> None:
    """If not, run `python -m docs.generate`."""
    page = "\n".join(generate.PAGES[name]())
    assert (DOCS / "generated" / f"{name}.md").read_text() == f"{generate.NOTE}\n\n{page}\n"


def test_no_generated_page_is_left_over() -> None:
    assert {path.stem for path in (DOCS / "generated").glob("*.md")} == set(generate.PAGES)


def test_every_op_has_a_sample_or_is_elementwise() -> None:
    rest = {op.name for op in ARRAY_OPS if not issubclass(op, ElementwiseOp)}
    rest -= {YieldOp.name, ReplayOp.name}
    assert rest <= set(SAMPLES) <= {op.name for op in ARRAY_OPS}


@pytest.mark.parametrize("name", ad.__all__)
def test_every_public_name_is_documented(name: str) -> None:
    is_raised = isinstance(getattr(ad, name), type) and issubclass(getattr(ad, name), Exception)
    is_in_catalogue = is_raised and name != "MliradError"
    text = WRITTEN["errors.md"] if is_in_catalogue else INTERFACE
    place = "docs/errors.md" if is_in_catalogue else "docs/python/"
    assert re.search(rf"`ad\.{name}\b", text), f"ad.{name} is missing in {place}"


def test_errors_are_listed_with_their_bases() -> None:
    rows = re.findall(r"^\| `ad\.(\w+)` \| ((?:`[\w.]+`(?:, )?)+) \|", WRITTEN["errors.md"], re.MULTILINE)
    errors = {name for name in ad.__all__ if name.endswith("Error")} - {"MliradError"}
    assert {name for name, _ in rows} == errors
    for name, shown in rows:
        bases = [b for b in getattr(ad, name).__bases__ if b is not ad.MliradError]
        assert [text.split(".")[-1] for text in re.findall(r"`([\w.]+)`", shown)] == [
            b.__name__ for b in bases
        ]


@pytest.mark.parametrize("name", [n for n in ad.__all__ if inspect.isfunction(getattr(ad, n))])
def test_signatures_are_those_of_the_code(name: str) -> None:
    heading = re.search(rf"^## `ad\.{name}\((.*)\)`$", INTERFACE, re.MULTILINE)
    assert heading is not None
    assert f"({heading[1]})" == signature(getattr(ad, name))


def test_every_pass_is_mentioned_by_a_page_that_people_write() -> None:
    text = "".join((*WRITTEN.values(), INTERFACE))
    assert [name for name in PASS_MODULES if name not in text] == []


@pytest.mark.parametrize("tool", [opt, run, demo], ids=["mlirad-opt", "mlirad-run", "mlirad-demo"])
def test_every_option_of_the_tools_is_documented(tool) -> None:
    options = re.findall(r"--[a-z-]+", tool._argument_parser().format_help())
    assert [o for o in options if o not in WRITTEN["tools.md"] and o != "--help"] == []


def files_named_in(text: str) -> set[str]:
    """The names of files and folders in a text: `passes/dce.py`, `passes/`, `dce.py`."""
    return set(re.findall(r"`([\w.-]*/[\w./-]*|[\w-]+\.(?:py|mlir|md))`", text))


def test_files_that_pages_and_packages_name_exist() -> None:
    """A name is the end of a path: `passes/dce.py`, and in a text about `passes` also `dce.py`."""
    root = DOCS.parent
    known = [
        f"/{path.relative_to(root)}"
        for folder in ("mlirad", "docs", "tests", "lit", "examples", "benchmarks", "tools", "README.md")
        for path in (root / folder, *(root / folder).rglob("*"))
    ]
    ends = {"/" + path.split("/", n)[n] for path in known for n in range(1, path.count("/") + 1)}
    for page in (*blocks.pages(), root / "SECURITY.md"):
        prose = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
        for name in files_named_in(prose):
            assert f"/{name.rstrip('/')}" in ends, f"{page.name}: {name}"
    for head in (root / "mlirad").rglob("__init__.py"):
        for name in files_named_in(ast.get_docstring(ast.parse(head.read_text())) or ""):
            assert f"/{name.rstrip('/')}" in ends, f"{head.relative_to(root)}: {name}"


def test_docstrings_begin_with_their_subject() -> None:
    """The first sentence names a thing or says what it does: it does not begin with "What" or "Whether"."""
    questions = re.compile(r"(What|Whether|Which|Where|Whose|How)\b")
    documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    found = [
        f"{path}: {head.partition(chr(10))[0]}"
        for folder in ("mlirad", "benchmarks", "docs", "examples", "tools")
        for path in sorted((DOCS.parent / folder).rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, documented) and questions.match(head := ast.get_docstring(node) or "")
    ]
    assert found == []


def test_links_lead_somewhere() -> None:
    for path in blocks.pages():
        for target in re.findall(r"\]\(([^)#]+)\)", path.read_text()):
            assert "://" in target or (path.parent / target).exists(), f"{path.name}: {target}"
