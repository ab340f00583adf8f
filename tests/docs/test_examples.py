"""Every example in the documentation is run: Python sessions, MLIR programs, commands and their output."""

from __future__ import annotations

import doctest

import pytest

from docs import blocks
from mlirad.ir.parsing import parse_module
from mlirad.ir.verification import verify_module

FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE

PAGES = blocks.pages()
PROGRAMS = [
    block
    for path in (*PAGES, *sorted((blocks.ROOT / "docs" / "generated").glob("*.md")))
    for block in blocks.blocks_of(path, "mlir")
]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_python_blocks(path) -> None:
    """The sessions of a page, in one namespace; plain blocks are run, and must not fail."""
    namespace: dict[str, object] = {}
    failures: list[str] = []
    for block in blocks.blocks_of(path, "python"):
        if not block.text.startswith(">>> "):
            exec(compile(block.text, str(block), "exec"), namespace)
            continue
        session = doctest.DocTestParser().get_doctest(
            block.text, namespace, str(block), str(path), block.line - 1
        )
        doctest.DocTestRunner(optionflags=FLAGS).run(session, out=failures.append, clear_globs=False)
        namespace = session.globs
    assert not failures, "".join(failures)


@pytest.mark.parametrize("block", PROGRAMS, ids=str)
def test_mlir_blocks(block: blocks.Block) -> None:
    verify_module(parse_module(block.text, str(block)))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_commands_print_what_is_shown(path) -> None:
    """`python -m docs.generate` rewrites the output."""
    assert blocks.refreshed(path) == path.read_text()


def test_sessions_fail_when_an_output_is_wrong() -> None:
    session = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "wrong", None, 0)
    failures: list[str] = []
    doctest.DocTestRunner(optionflags=FLAGS).run(session, out=failures.append)
    assert failures
