"""What `x[key]` means: keys, selections, views, reads and updates."""
