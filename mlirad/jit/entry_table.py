"""The table that the entry of programs reads: where in it, counted in words of 64 bits, what stands.

First the program, then a description of each input, of each output, and the address of each constant:

    PROGRAM ARENA INPUTS ... HANDLER | dtype rank shape ... | dtype rank shape ... | address ...

An input has the dtype that the program reads, and the one that arguments have: where they differ, the entry
converts. Types of scalars, and the dtype of arguments, are 0 where an argument of that kind has another
signature. An output has the number of the input whose memory it may take, or -1.
"""

from __future__ import annotations

from typing import Final

PROGRAM: Final = 0
ARENA: Final = 1
"""The address of two words, whether the arena is in use and where it is; 0 without an arena."""
INPUTS: Final = 2
OUTPUTS: Final = 3
CONSTANTS: Final = 4
GENERAL_PATH: Final = 5
RELEASES: Final = 6
"""True to release the global lock at once."""
TIME_LIMIT: Final = 7
"""In nanoseconds."""
GUARDS: Final = 8
GUARDS_COUNT: Final = 9
GIVEN_OUTS: Final = 10
"""The number of arrays for results that come after the arguments: one for each, or none."""
DESTINATIONS: Final = 11
"""True if any result is written to an array that is given for it, or whose memory it may take."""
HANDLER: Final = 12
"""NumPy's handler of the memory of large results; see `jit/result_memory.py`."""
THREADS: Final = 13
"""The number of threads that may work on a call; 0 for as many as usual."""
HOLDS: Final = 14
"""True to hold the arguments from the beginning, as a library may call Python while the program runs."""
HEADER_WORDS: Final = 15

# Of inputs and outputs.
DTYPE_WORD: Final = 0
RANK_WORD: Final = 1
SHAPE_WORD: Final = 2

INPUT_BYTES: Final = 3
NUMPY_TYPE: Final = 4
PYTHON_TYPE: Final = 5
GIVEN_DTYPE: Final = 6
INPUT_WORDS: Final = 7

OUTPUT_BYTES: Final = 3
DTYPE_NUMBER: Final = 4
DONATED_INPUT: Final = 5
IS_COPIED: Final = 6
"""True if it is made elsewhere and copied there, as the program reads the argument for longer."""
IS_LARGE: Final = 7
OUTPUT_WORDS: Final = 8
