"""Files that others wrote, cut off or changed anywhere: what reads them gives a result, or one sentence."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import f64

import mlirad as ad
from mlirad.dialects.shapes import array_type
from mlirad.disk_cache import peaks
from mlirad.tools.arguments import read_arguments, read_example
from mlirad.tools.run import main

HEADERS = [
    b"{'descr': '<f8', 'fort\n",
    b"{'descr': '<f8', 'fortran_order': False, 'shape': (3,\n",
    b"{'descr': '<f8', 'fortran_order': False, 'shape': (-3,), }\n",
    b"{'descr': '<f8', 'fortran_order': False, 'shape': (3.5,), }\n",
    b"{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,), }\n",
    b"{'descr': '<f8', 'fortran_order': False, 'shape': (1099511627776,), }\n",
    b"{'descr': '|O', 'fortran_order': False, 'shape': (3,), }\n",
    b"{'descr': '<U9999999', 'fortran_order': False, 'shape': (3,), }\n",
    b"{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (3,), }\n",
    b"{'descr': 'no dtype', 'fortran_order': False, 'shape': (3,), }\n",
    b"{'descr': '<f8', 'fortran_order': 7, 'shape': (3,), }\n",
    b"{'descr': '<f8', 'fortran_order': False, 'shape': (" + b"1," * 200 + b"), }\n",
    b"(" * 9000 + b"\n",
    b"[" * 90 + b"]" * 90 + b"\n",
    b"__import__('os').system('false')\n",
    b"\xff\xfe\x00\n",
    b"{'descr': '\x1b[31m', 'fortran_order': False, 'shape': (3,), }\n",
    b"",
]
"""Headers that are not headers, or promise what is not there."""


def _whole(array: Any, version: tuple[int, int]) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, version=version)
    return stream.getvalue()


def _contents(rng: random.Random) -> Iterator[bytes]:
    for header in HEADERS:
        yield b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(24)
        yield b"\x93NUMPY\x02\x00" + len(header).to_bytes(4, "little") + header + bytes(24)
    for version in ((1, 0), (2, 0), (3, 0)):
        whole = _whole(np.arange(3.0), version)
        yield from (whole[:size] for size in range(0, len(whole), 5))
        for _ in range(60):
            changed = bytearray(whole)
            changed[rng.randrange(len(changed))] = rng.randrange(256)
            yield bytes(changed)
    yield _whole(np.asfortranarray(np.ones((2, 3))), (1, 0))
    yield b"PK\x03\x04 no archive"


@pytest.mark.filterwarnings("ignore")
def test_arrays_of_any_bytes_are_read_or_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    reads: list[Callable[[], object]] = [
        lambda: read_arguments([str(path)], [array_type((3,), f64)], "main"),
        lambda: read_example(str(path)),
    ]
    refused = 0
    for content in _contents(random.Random(0)):
        path.write_bytes(content)
        for read in reads:
            try:
                read()
            except ad.MliradError as error:
                assert "defect" not in str(error) and "\x1b" not in str(error), content
                refused += 1
    assert refused > 100


def test_the_tool_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = tmp_path / "f.mlir"
    text.write_text(
        "func.func @main(%x: tensor<3xf64>) -> tensor<3xf64> {\n  func.return %x : tensor<3xf64>\n}\n"
    )
    array = tmp_path / "x.npy"
    array.write_bytes(b"\x93NUMPY\x01\x00\x17\x00" + HEADERS[0].ljust(0x17) + bytes(24))
    assert main([str(text), "--args", str(array)]) == 1
    assert "is not a file in NumPy's format" in capsys.readouterr().err


def test_peaks_of_any_text_are_measured_again(tmp_path: Path) -> None:
    path = tmp_path / peaks.FILE
    whole = json.dumps({"machine": [], "bandwidth": {"memory": 1.0}, "operations": 1.0})
    texts = [whole[:size] for size in range(0, len(whole), 3)]
    texts += ["[" * 100_000, '{"machine": 1' + "0" * 5000 + "}", "null", "[]", '{"machine": {}}', "\x00"]
    for text in texts:
        path.write_text(text)
        path.chmod(0o600)
        assert peaks._read(str(path)) is None
