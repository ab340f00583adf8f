"""The names of the methods of any order, for messages of passes that are none of them."""

from __future__ import annotations

METHODS = ("dual-arrays", "jacobian", "chad")
"""The methods that take derivatives of derivatives."""
