"""The Python side: tracing, NumPy's protocols, and the transformations that users call."""

from __future__ import annotations

from mlirad.frontend.tracing.open_traces import bind_completing
from mlirad.packages import load

bind_completing(lambda: load("mlirad.frontend.interface"))
