"""The pages of the site: the reference has all public names, and links lead to pages."""

from __future__ import annotations

import re
from pathlib import Path

import mlirad as ad
from docs.reference import reference
from docs.site import ROOT, write_pages


def test_pages_are_linked_and_name_everything(tmp_path: Path) -> None:
    pages = write_pages(tmp_path)
    listed = (tmp_path / "reference.md").read_text()
    assert [name for name in ad.__all__ if f"`ad.{name}`" not in listed] == []
    for page in pages:
        for link in re.findall(r"\]\(([^)#\s]+\.(?:md|svg))[#)]", page.read_text()):
            assert "://" in link or (page.parent / link).exists(), f"{page.name}: {link}"
    assert "[examples/truss.py](gallery/truss.md)" in (tmp_path / "index.md").read_text()
    named = re.findall(r"[\w/-]+\.md", (ROOT / "mkdocs.yml").read_text())
    written = {page.relative_to(tmp_path).as_posix() for page in pages}
    assert sorted(named) == sorted(name for name in written if not name.startswith("gallery/"))


def test_sessions_of_docstrings_are_fenced() -> None:
    text = "\n".join(reference())
    sessions = re.findall(r"^```python\n(>>> .*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert len(sessions) > 100
    assert sum(session.count(">>> ") for session in sessions) == text.count(">>> ")
