"""The kinds of guards that machine code knows, and where they look: four words for each, see `jit/guards.py`.

    WORD                  an address           -                            the word that stands there
    ITEM                  a dictionary         a key                        the value, 0 for none
    ATTRIBUTE             an object            a name                       the value, 0 for none
    LIST, GROWING_LIST    a list               an address of items          how many there are, or at least
    DICT, GROWING_DICT    a dictionary         of keys and values in turn   how many pairs; likewise
    KEYS                  a dictionary         of keys                      how many
    ARRAY                 an array             an address of a description  -
    CALL                  a function           -                            -
    CLASS                 a version's address  an address of the expected   a function to call if they differ

`mlirad/runtime/guards.c` checks them.
"""

from __future__ import annotations

from typing import Final

WORD: Final = 0
ITEM: Final = 1
LIST: Final = 2
DICT: Final = 3
ATTRIBUTE: Final = 4
ARRAY: Final = 5
CALL: Final = 6
CLASS: Final = 7
KEYS: Final = 8
GROWING_LIST: Final = 9
GROWING_DICT: Final = 10

WORDS: Final = 4
"""The number of words that describe a guard: its kind and the three above."""
