"""The pages of the site: the reference has all public names, and links lead to pages."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import mlirad as ad
from docs.reference import groups, reference
from docs.site import ROOT, write_pages

_FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


def test_pages_are_linked_and_name_everything(tmp_path: Path) -> None:
    pages = write_pages(tmp_path)
    listed = (tmp_path / "reference.md").read_text()
    assert [name for name in ad.__all__ if f"`ad.{name}`" not in listed] == []
    assert re.findall(r"\b_[a-z]\w*|0x[0-9a-f]{6,}|<(?:class|function|object)", listed) == []
    assert ">>> " in listed and "```python\n>>> " not in listed
    for page in pages:
        for link in re.findall(r"\]\(([^)#\s]+\.(?:md|svg))[#)]", page.read_text()):
            assert "://" in link or (page.parent / link).exists(), f"{page.name}: {link}"
        # A page with several titles has no table of contents.
        titles = re.findall(r"^# ", _FENCED.sub("", page.read_text()), re.MULTILINE)
        assert len(titles) == 1, f"{page.name} has {len(titles)} titles"
    assert "[examples/truss.py](gallery/truss.md)" in (tmp_path / "index.md").read_text()
    named = re.findall(r"[\w/-]+\.md", (ROOT / "mkdocs.yml").read_text())
    written = {page.relative_to(tmp_path).as_posix() for page in pages}
    assert sorted(named) == sorted(name for name in written if not name.startswith("gallery/"))


def test_sessions_of_docstrings_are_fenced() -> None:
    text = "\n".join(reference())
    sessions = re.findall(r"^```python\n(>>> .*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert len(sessions) > 100
    assert sum(session.count(">>> ") for session in sessions) == text.count(">>> ")


def test_functions_are_grouped_by_the_pages_that_tell_of_them() -> None:
    found = groups()
    assert found["Transformations"][:2] == ["jit", "grad"]
    assert {"LinearMap", "Closure", "odeint", "MliradError"} <= {
        name for names in found.values() for name in names
    }


@pytest.mark.skipif(shutil.which("node") is None, reason="node runs the scripts of the site")
def test_sessions_are_copied_without_prompts_and_outputs() -> None:
    session = ">>> def f(x):\n...     return x\n...\n>>> f(2)\n2"
    told = scripted(f"[{session!r}, '$ ls\\na\\n$ pwd'].map(t => typed({{innerText: t}}))")
    assert told == ["def f(x):\n    return x\n\nf(2)", "ls\npwd"]


@pytest.mark.skipif(shutil.which("node") is None, reason="node runs the scripts of the site")
def test_lines_of_drawings_stay_whole() -> None:
    drawings, others = [" ┌───┐\n │ a │", " a ──► b\n ▼"], [">>> x | y\n", "a -> b", "| --- |", "α ∘ β"]
    told = scripted(f"{json.dumps(drawings + others)}.map(isDrawing)")
    assert told == [True] * len(drawings) + [False] * len(others)


def scripted(expression: str) -> Any:
    """The value of an expression in the script of the site."""
    script = (ROOT / "docs" / "site_assets" / "copy.js").read_text().replace("\nprepare();\n", "\n")
    told = f"console.log(JSON.stringify({expression}))"
    done = subprocess.run(["node", "-e", script + told], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)
