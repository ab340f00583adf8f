"""The names of the methods whose derivatives are compiled, for messages of passes that are none of them."""

from __future__ import annotations

COMPILED_METHODS = ("dual-arrays", "jacobian", "chad", "curry")
"""The methods that take derivatives of derivatives."""
