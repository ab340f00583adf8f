"""The meaning of `x[key]`: keys, selections, views, reads and updates."""
