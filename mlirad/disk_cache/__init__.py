"""Compiled programs on disk, so that another process need not compile them again: key, record, folder."""
