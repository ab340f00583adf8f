"""What holds for all compiled functions of the process, unless one says otherwise: `ad.config`.

ad.config.progress = False       no line that tells how far a long compile is
"""

from __future__ import annotations

from mlirad.frontend.compiling import progress
from mlirad.frontend.tracing.argument_kinds import checked_flag


class Config:
    """Settings of the process.

    `progress` is whether a compile of more than two seconds tells on stderr how far it is. Until it is set,
    the environment variable MLIRAD_PROGRESS says so, `on` or `off`; without that, it is whether stderr is a
    terminal.
    """

    __slots__ = ()

    @property
    def progress(self) -> bool:
        """Whether long compiles tell how far they are."""
        return progress.is_shown()

    @progress.setter
    def progress(self, value: bool) -> None:
        progress.set_shown(checked_flag(value, "progress"))

    def __repr__(self) -> str:
        return f"<mlirad.config: progress={self.progress}>"


config = Config()
"""The settings of this process."""
