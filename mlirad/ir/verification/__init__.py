"""The verifier of programs of the language."""

from mlirad.ir.verification.verification import verify_module

__all__ = ["verify_module"]
