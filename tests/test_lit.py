"""All of lit, in one go."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

LIT = Path(__file__).parents[1] / "lit"


def test_lit(tmp_path: Path) -> None:
    """Every test of `lit/` passes; what a failing one printed is in the message."""
    command = [
        *(sys.executable, "-c", "from lit.main import main; main()"),
        *("-v", "--workers=1", f"--param=exec_root={tmp_path}", str(LIT)),
    ]
    run = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
