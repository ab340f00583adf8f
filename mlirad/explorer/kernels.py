"""The kernels of a program: what each takes, and where it stands on the roofline of this machine.

    rows = kernel_rows(compiled, profile, origins)
    roofline(rows)                                     an image, None where nothing was measured

The roofline has a roof for every cache, bytes a second times operations a byte, and one for operations a
second, all of one core. A kernel cannot be above the roof of the smallest cache that its arrays fit.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlirad.disk_cache.peaks import kept_peaks
from mlirad.explorer.origins import Origins
from mlirad.explorer.svg import Drawing, LogScale
from mlirad.frontend.compiling.profile import Profile
from mlirad.lazy_dataclass import dataclass
from mlirad.lower.native_program import KernelNote

WIDTH, HEIGHT = 760, 420
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 20, 20, 44


@dataclass(frozen=True)
class KernelRow:
    """A kernel and what it does in a call; seconds and runs are None where it was not measured."""

    name: str
    what: str
    origin: int
    nbytes: float
    operations: float
    level: str | None
    element_bytes: int
    seconds: float | None = None
    runs: float | None = None
    peak_share: float | None = None

    @property
    def intensity(self) -> float:
        """Operations a byte."""
        return self.operations / self.nbytes if self.nbytes else 0.0


def kernel_rows(kernels: Sequence[KernelNote], profile: Profile | None, origins: Origins) -> list[KernelRow]:
    """The kernels, those that take most time first; in the order of the program where none was measured."""
    times = {} if profile is None else {k.name: k for k in profile.kernels}
    rows: list[KernelRow] = []
    for note in kernels:
        time = times.get(note.name)
        origin = origins.of_text(note.line)
        if time is None:
            nbytes, work = float(note.nbytes * note.iterations), float(note.work * note.iterations)
            row = KernelRow(note.name, note.what, origin, nbytes, work, None, note.element_bytes)
        else:
            row = KernelRow(
                note.name,
                note.what,
                origin,
                time.nbytes,
                time.operations,
                time.level,
                note.element_bytes,
                time.seconds,
                time.runs,
                time.peak_share,
            )
        rows.append(row)
    return sorted(rows, key=lambda r: -(r.seconds or 0.0))


def roofline(rows: Sequence[KernelRow]) -> str | None:
    """The roofs and the kernels that were measured, each as large as its share of the time."""
    measured = [r for r in rows if r.seconds and r.nbytes and r.operations]
    if not measured:
        return None
    peaks = kept_peaks()
    total = sum(r.seconds or 0.0 for r in measured)
    rates = [r.operations / (r.seconds or 1.0) for r in measured]
    highest = peaks.operations * max(8 / r.element_bytes for r in measured)
    slowest = min([*rates, peaks.operations / 100])
    least = min([r.intensity for r in measured] + [1 / 32])
    most = max([r.intensity for r in measured] + [32.0])
    d = Drawing(WIDTH, HEIGHT)
    x = LogScale(least / 1.5, most * 1.5, _LEFT, WIDTH - _RIGHT)
    y = LogScale(slowest / 2, highest * 2, HEIGHT - _BOTTOM, _TOP)
    for tick in x.ticks(4):
        d.line(x(tick), _TOP, x(tick), HEIGHT - _BOTTOM, "grid")
        d.text(x(tick), HEIGHT - _BOTTOM + 16, _number(tick), "tick", "middle")
    for tick in y.ticks(10):
        d.line(_LEFT, y(tick), WIDTH - _RIGHT, y(tick), "grid")
        d.text(_LEFT - 6, y(tick) + 4, f"{tick / 1e9:g}", "tick", "end")
    d.text(_LEFT, _TOP - 6, "10⁹ operations a second", "note")
    d.text(WIDTH - _RIGHT, HEIGHT - 8, "operations a byte", "note", "end")
    _roofs(d, x, y, peaks.bandwidth, peaks.operations)
    for row, rate in zip(measured, rates, strict=True):
        share = (row.seconds or 0.0) / total
        title = f"{row.name}: {100 * share:.1f} % of the time, {rate / 1e9:.2f}·10⁹ operations a second"
        d.dot(x(row.intensity), y(rate), "s1", title, 4 + 12 * share**0.5, origin=row.origin)
    return d.inline()


def _roofs(d: Drawing, x: LogScale, y: LogScale, bandwidth: dict[str, float], operations: float) -> None:
    """A line for each cache up to the operations a second, and one at these."""
    for k, (name, rate) in enumerate(sorted(bandwidth.items(), key=lambda item: -item[1])):
        corner = operations / rate
        start = max(x.least, y.least / rate)
        end = min(max(corner, start), x.most)
        d.path([(x(start), y(start * rate)), (x(end), y(end * rate))], "roof")
        above, below = (x(start) + 4, y(start * rate) - 12), (x(start) + 14, y(start * rate) + 8)
        d.text(*(below if k % 2 else above), name, "note")  # roofs that are close differ by side
    first = min(operations / max(bandwidth.values(), default=operations), x.most)
    d.path([(x(max(first, x.least)), y(operations)), (x(x.most), y(operations))], "roof")
    d.text(x(x.most), y(operations) - 6, f"{operations / 1e9:.3g}·10⁹ a second", "note", "end")


def _number(value: float) -> str:
    return f"{value:g}" if value >= 1 else f"1/{1 / value:g}"
