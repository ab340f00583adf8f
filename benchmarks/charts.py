"""Charts of a run: how many times as fast as the others mlirad is, and how close its derivatives are to the
roofline.

The roofline of a machine bounds the operations per second of code by its operations per byte: by what one
core can do at most, and by the bandwidth of the cache that the bytes come from.

Source: Williams, Waterman, Patterson, "Roofline: an insightful visual performance model", 2009.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.results import Measurement, Run
from benchmarks.systems import SYSTEMS
from benchmarks.table import OWN, over_own
from mlirad.explorer.svg import Drawing, LogScale

LEFT, RIGHT, TOP = 210.0, 780.0, 64.0
ROW, LINE = 19.0, 12.0
OPERATIONS = "operations"


def peaks_of_this_machine() -> dict[str, float]:
    """The bytes per second of each cache and of memory, and the operations per second, of one core."""
    from mlirad.disk_cache.peaks import kept_peaks

    peaks = kept_peaks()
    return {**peaks.bandwidth, OPERATIONS: peaks.operations}


def written(run: Run, folder: Path) -> Iterator[Path]:
    """The files of all charts, as they are written."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw in CHARTS.items():
        drawing = draw(run)
        if drawing is not None:
            path = folder / f"{name}.svg"
            path.write_text(str(drawing), encoding="utf-8")
            yield path


def label(run: Run, threads: int) -> str:
    """Return what was measured where."""
    plural = "s" if threads > 1 else ""
    return f"{run.machine}; {run.date}; {threads} thread{plural}"


def ratios(run: Run) -> Drawing | None:
    """A line per instance: the time of each other system's derivative over that of mlirad's."""
    if not run.measurements:
        return None
    threads = run.threads()[0]
    others = [key for key in run.systems() if key != OWN]
    found = {
        instance: {key: r for key in others if (r := over_own(run, instance, key, threads)) is not None}
        for instance in run.instances()
    }
    found = {instance: by_system for instance, by_system in found.items() if by_system}
    if not found:
        return None
    values = [r for by_system in found.values() for r in by_system.values()]
    scale = LogScale(min(0.25, *values) / 1.1, max(4.0, *values) * 1.1, LEFT, RIGHT - 20)
    bottom = TOP + ROW * len(found)
    drawing = Drawing(RIGHT, bottom + 62)
    drawing.text(16, 24, "Time of the derivative over that of mlirad: right of 1, mlirad is faster", "title")
    drawing.text(16, 44, label(run, threads), "note")
    for tick in scale.ticks(2 if scale.most / scale.least < 200 else 4):
        drawing.line(scale(tick), TOP, scale(tick), bottom, "one" if tick == 1 else "grid")
        drawing.text(scale(tick), bottom + 16, f"{tick:g}", "tick", "middle")
    for number, (instance, by_system) in enumerate(found.items()):
        y = TOP + ROW * (number + 0.5)
        drawing.text(LEFT - 10, y + 4, " ".join(instance), "", "end")
        for key, ratio in by_system.items():
            drawing.dot(scale(ratio), y, color(key), f"{SYSTEMS[key].name} {' '.join(instance)}: {ratio:.2f}")
    x = LEFT
    for key in others:
        drawing.dot(x, bottom + 40, color(key), SYSTEMS[key].name)
        drawing.text(x + 10, bottom + 44, SYSTEMS[key].name)
        x += 40 + 7.5 * len(SYSTEMS[key].name)
    return drawing


def color(key: str) -> str:
    """The class of a system's marks, the same in all charts."""
    return f"s{list(SYSTEMS).index(key)}"


def roofline(run: Run) -> Drawing | None:
    """A mark per instance: the operations per second of mlirad's derivative, by its operations per byte.

    Operations are the compiler's rough count, in which selections and the arithmetic of positions count as
    much as a product, so a mark can stand above the roof.
    """
    found = [
        m
        for m in run.measurements
        if (m.system, m.threads) == (OWN, 1) and m.work and m.traffic and m.derivative
    ]
    bandwidth = {name: rate for name, rate in run.peaks.items() if name != OPERATIONS}
    if not found or not bandwidth:
        return None
    peak = run.peaks[OPERATIONS]
    points = [(intensity(m), (m.work or 0) / (m.derivative or 1), m) for m in found]
    x = LogScale(
        min(p[0] for p in points) / 2,
        max(peak / min(bandwidth.values()), *(p[0] for p in points)) * 2,
        70,
        740,
    )
    least = min(p[1] for p in points) / 2
    y = LogScale(least, max(peak, *(p[1] for p in points)) * 2, 420, TOP)
    drawing = Drawing(RIGHT, 500)
    drawing.text(16, 24, "mlirad's derivatives beside what one core can do", "title")
    drawing.text(16, 44, label(run, 1), "note")
    for tick in x.ticks(10):
        drawing.line(x(tick), TOP, x(tick), 420, "grid")
        drawing.text(x(tick), 436, f"{tick:g}", "tick", "middle")
    for tick in y.ticks(10):
        drawing.line(70, y(tick), 740, y(tick), "grid")
        drawing.text(64, y(tick) + 4, f"{tick / 1e9:g}", "tick", "end")
    drawing.text(405, 456, "operations per byte that kernels read and write", "note", "middle")
    drawing.text(16, TOP - 6, "10⁹ operations per second", "note")
    lowest = TOP
    for name, rate in sorted(bandwidth.items(), key=lambda item: -item[1]):
        begin = max(x.least, least / rate)
        lowest = max(lowest + LINE, y(rate * begin) - 4)
        drawing.path([(x(begin), y(rate * begin)), (x(peak / rate), y(peak)), (x(x.most), y(peak))], "roof")
        drawing.text(x(begin) + 6, lowest, f"{name} {rate / 1e9:.0f} GB/s", "note")
    drawing.text(734, y(peak) - 6, f"{peak / 1e9:.0f} · 10⁹ float64 operations per second", "note", "end")
    for per_byte, rate, m in points:
        said = f"{m.problem} {m.size}: {per_byte:.2g} operations per byte, {rate / 1e9:.3g} · 10⁹ per second"
        drawing.dot(x(per_byte), y(rate), "s0" if not m.size.endswith("f32") else "s1", said)
    drawing.dot(74, 480, "s0", "float64")
    drawing.text(84, 484, "float64")
    drawing.dot(154, 480, "s1", "float32")
    drawing.text(164, 484, "float32, whose roof is twice as high")
    drawing.text(
        740, 484, "operations are counted roughly, selections and positions among them", "note", "end"
    )
    return drawing


def intensity(measurement: Measurement) -> float:
    """The operations of a derivative per byte that its kernels read and write."""
    return (measurement.work or 0) / max(sum((measurement.traffic or {}).values()), 1)


CHARTS: dict[str, Callable[[Run], Drawing | None]] = {"ratios": ratios, "roofline": roofline}
