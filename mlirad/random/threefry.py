"""Threefry-2x32 with 20 rounds: from a key and a counter of two words each to two random words.

A word is 32 bits in an int32. The function is a bijection of counters for each key. (Salmon, Moraes, Dror
and Shaw, *Parallel random numbers: as easy as 1, 2, 3*, SC 2011, section 4.2; the rotations are those of
their table 2.)
"""

from __future__ import annotations

from typing import Any, Final

PARITY: Final = 0x1BD11BDA
"""The number whose exclusive or with the words of the key is the third word of the key schedule."""

ROTATIONS: Final = ((13, 15, 26, 6), (17, 29, 16, 24))
"""The number of bits by which the second word turns: in four rounds, and in the next four."""

GROUPS: Final = 5
"""Four rounds each, after which the key is added."""


def threefry(key: tuple[Any, Any], counter: tuple[Any, Any]) -> tuple[Any, Any]:
    """The words of a counter, which broadcasts; all are int32."""
    schedule = (*key, PARITY ^ key[0] ^ key[1])
    x, y = counter[0] + schedule[0], counter[1] + schedule[1]
    for group in range(GROUPS):
        for rotation in ROTATIONS[group % 2]:
            x = x + y
            y = _turned(y, rotation) ^ x
        x = x + schedule[(group + 1) % 3]
        y = y + schedule[(group + 2) % 3] + (group + 1)
    return x, y


def shifted(word: Any, count: int) -> Any:
    """A word moved to the right, with zeros from the left."""
    return (word >> count) & ((1 << (32 - count)) - 1)


def _turned(word: Any, count: int) -> Any:
    return (word << count) | shifted(word, 32 - count)
