"""`x.flags` of a traced array: how its elements would lie in memory, and whether it can be written.

x.flags.c_contiguous      x.flags["F_CONTIGUOUS"]      x.flags.writeable
"""

from __future__ import annotations

from typing import Any, Final, NoReturn

import numpy as np

from mlirad.frontend.indexing.views import is_read_only
from mlirad.frontend.tracing.array import Array, is_scalar, strides_in_bytes, view_of
from mlirad.frontend.tracing.raising import unsupported_error

_SHORT: Final = {
    "C": "c_contiguous", "CONTIGUOUS": "c_contiguous", "F": "f_contiguous", "FORTRAN": "f_contiguous",
    "O": "owndata", "W": "writeable", "A": "aligned", "X": "writebackifcopy", "B": "behaved", "CA": "carray",
    "FA": "farray",
}  # fmt: skip


class Flags:
    """The flags of an array, by attribute and by NumPy's names; none of them can be set."""

    __slots__ = ("_array",)

    def __init__(self, array: Array):
        object.__setattr__(self, "_array", array)

    @property
    def c_contiguous(self) -> bool:
        """Return whether the elements lie one after the other, the last dimension fastest."""
        return bool(self._layout().c_contiguous)

    contiguous = c_contiguous

    @property
    def f_contiguous(self) -> bool:
        """Return whether the elements lie one after the other, the first dimension fastest."""
        return bool(self._layout().f_contiguous)

    @property
    def fnc(self) -> bool:
        """Return whether the array is contiguous with the first dimension fastest, and not with the last
        one.
        """
        return self.f_contiguous and not self.c_contiguous

    @property
    def forc(self) -> bool:
        """Return whether the array is contiguous either way."""
        return self.f_contiguous or self.c_contiguous

    @property
    def owndata(self) -> bool:
        """Return whether the array is not a view of another one."""
        return view_of(self._array) is None

    @property
    def writeable(self) -> bool:
        """Return whether the array can be written: scalars and some views cannot."""
        return not is_scalar(self._array) and not is_read_only(self._array)

    def __getattr__(self, name: str) -> bool:
        """The flags that follow from others."""
        if name == "aligned":
            return True
        if name == "writebackifcopy":
            return False
        if name == "fortran":
            return self.f_contiguous
        if name in ("behaved", "carray", "farray"):
            of_layout = {"behaved": True, "carray": self.c_contiguous, "farray": self.fnc}
            return self.writeable and of_layout[name]
        raise AttributeError(f"an array has no flag {name!r}", name=name, obj=self)

    def __getitem__(self, name: str) -> bool:
        found = _SHORT.get(name, name.lower() if name.isupper() else "")
        if found not in _NAMES:
            raise KeyError("Unknown flag")  # as NumPy
        return bool(getattr(self, found))

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise unsupported_error(
            f"the flag {name} of a traced array cannot be set",
            "leave it out, or set it outside of the function",
        )

    def __setitem__(self, name: str, value: Any) -> NoReturn:
        self.__setattr__(name, value)

    def _layout(self) -> Any:
        """The flags of a NumPy array of this shape and these strides, which has no memory of its own."""
        array = self._array
        one = np.empty(1, array.dtype)
        return np.lib.stride_tricks.as_strided(one, array.shape, strides_in_bytes(array)).flags


_NAMES: Final = frozenset((
    "aligned", "behaved", "c_contiguous", "carray", "contiguous", "f_contiguous", "farray", "fnc", "forc",
    "owndata", "writeable", "writebackifcopy",
))  # fmt: skip
