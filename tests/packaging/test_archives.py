"""The sdist and the wheel: complete, installable, and readable where a package index shows them.

`make package` does the same from an empty environment, with everything that pip installs.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import zipfile
from email import message_from_string
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The sdist, unpacked, and the wheel that is built from it."""
    folder = tmp_path_factory.mktemp("archives")
    _build("build_sdist", ROOT, folder)
    with tarfile.open(next(folder.glob("*.tar.gz"))) as archive:
        archive.extractall(folder, filter="data")
    source = next(path for path in folder.iterdir() if path.is_dir())
    _build("build_wheel", source, folder)
    return source, next(folder.glob("*.whl"))


def _build(hook: str, source: Path, target: Path) -> None:
    """Run a hook of the build backend, as pip does, but with the packages of this environment."""
    code = f"import hatchling.build as b; b.{hook}({str(target)!r})"
    subprocess.run([sys.executable, "-c", code], cwd=source, check=True, capture_output=True, timeout=300)


def test_sdist_has_every_file_of_the_checkout_but_those_of_its_host(archives: tuple[Path, Path]) -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("not a checkout of git")
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True)
    tracked = {name for name in listed.stdout.splitlines() if (ROOT / name).exists()}
    missing = {name for name in tracked if not (archives[0] / name).exists()}
    assert {name for name in missing if not name.startswith(".github/")} == set()


def test_wheel_runs_without_the_checkout(archives: tuple[Path, Path], tmp_path: Path) -> None:
    with zipfile.ZipFile(archives[1]) as wheel:
        wheel.extractall(tmp_path / "installed")
    code = (
        "import mlirad as ad, numpy as np\n"
        "print(ad.__file__)\n"
        "print(ad.grad(lambda x: np.sum(np.tanh(x) ** 2))(np.array([0.0, 1.0])))\n"
        "print(ad.explore(lambda x: x * x, 2.0, path='page.html', measure=False))\n"
    )
    environment = os.environ | {"PYTHONPATH": str(tmp_path / "installed"), "MLIRAD_CACHE": "off"}
    command = [sys.executable, "-c", code]
    ran = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stderr
    place, gradient, *_ = ran.stdout.splitlines()
    assert place.startswith(str(tmp_path / "installed"))
    assert gradient == "[0.         0.63970001]"
    assert (tmp_path / "page.html").exists()


def test_readme_on_an_index_has_no_link_into_the_checkout(archives: tuple[Path, Path]) -> None:
    with zipfile.ZipFile(archives[1]) as wheel:
        name = next(name for name in wheel.namelist() if name.endswith("/METADATA"))
        metadata = message_from_string(wheel.read(name).decode())
    shown, written = metadata.get_payload(), (ROOT / "README.md").read_text()
    assert isinstance(shown, str)
    blocks = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
    assert blocks.findall(shown) == blocks.findall(written)
    prose = blocks.sub("", shown)
    links = re.findall(r"\]\(([^)]*)\)", prose)
    assert links
    assert [link for link in links if not link.startswith("https://")] == []
    assert "](docs/python.md)" in written
    assert "the Python interface" in prose


def test_versions_agree() -> None:
    version = re.search(r'^__version__ = "(.*)"$', (ROOT / "mlirad/__init__.py").read_text(), re.MULTILINE)
    assert version is not None
    assert f"\nversion: {version[1]}\n" in (ROOT / "CITATION.cff").read_text()
    assert "\n## [Unreleased]\n" in (ROOT / "CHANGELOG.md").read_text()
