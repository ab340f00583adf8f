"""The machine of a run, in a line, and the kernels that its BLAS chose.

OpenBLAS chooses kernels by the processor, unless a variable names others: `OPENBLAS_CORETYPE` left over from
another machine makes products take 1.6 times as long, in NumPy, SciPy and mlirad alike.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Final

CHOICES: Final = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
"""The variables that decide how OpenBLAS computes."""


def described() -> str:
    """The processor, how many of it, its widest vectors, and the kernels of BLAS."""
    cores = os.cpu_count() or 1
    plural = "" if cores == 1 else "s"
    kernels = blas_kernels()
    parts = [_name(), f"{cores} core{plural}", *_vectors(), *([f"BLAS for {kernels}"] if kernels else [])]
    return ", ".join(parts)


@cache
def blas_kernels(*, chosen: bool = True) -> str:
    """The processors whose kernels NumPy's and SciPy's BLAS take, empty if they do not say.

    They say if `threadpoolctl` is installed and they are OpenBLAS. Without `chosen` no variable decides.
    """
    environment = {k: v for k, v in os.environ.items() if chosen or k not in CHOICES}
    ran = subprocess.run(
        [sys.executable, "-c", _ASKING], env=environment, capture_output=True, text=True, check=False
    )
    return ran.stdout.strip()


_ASKING: Final = """
import numpy, scipy.linalg, threadpoolctl
known = threadpoolctl.threadpool_info()
print(" and ".join(sorted({library["architecture"] for library in known if "architecture" in library})))
"""


def warning() -> str | None:
    """The sentence for a run whose BLAS does not take the kernels of this processor."""
    here, own = blas_kernels(), blas_kernels(chosen=False)
    names = [name for name in CHOICES if name in os.environ]
    if not names or (here == own and names == ["OPENBLAS_CORETYPE"]):
        return None
    does = (
        "computes in other blocks" if here == own else f"has kernels for {here} where it would choose {own}"
    )
    return f"BLAS {does}, as {' and '.join(names)} says: unset it, or products are slow in all systems"


def _name() -> str:
    return _field("model name") or platform.processor() or platform.machine()


def _vectors() -> list[str]:
    flags = _field("flags").split()
    names = (("avx512f", "AVX-512"), ("avx2", "AVX2"), ("avx", "AVX"))
    return [next((name for flag, name in names if flag in flags), "")] if flags else []


def _field(name: str) -> str:
    """Return what Linux says of the first processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return ""
    return next((line.partition(":")[2].strip() for line in lines if line.startswith(name)), "")
