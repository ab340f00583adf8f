"""Compiled functions: signature, cache, call, lowered program, statistics."""
