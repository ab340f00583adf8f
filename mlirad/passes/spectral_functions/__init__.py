"""Spectral functions: sums over all eigenvectors or singular vectors, and their derivatives at equal
values."""

from __future__ import annotations

from mlirad.passes.spectral_functions.spectral_functions import (
    SpectralFunctionsPass,
    expand_spectral_functions,
)

__all__ = ["SpectralFunctionsPass", "expand_spectral_functions"]
