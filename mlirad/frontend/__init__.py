"""The Python side: tracing, NumPy's protocols, and the transformations that users call."""

from __future__ import annotations

from importlib import import_module

from mlirad.frontend.tracing.open_traces import bind_completing

bind_completing(lambda: import_module("mlirad.frontend.interface"))
