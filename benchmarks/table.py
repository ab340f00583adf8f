"""The tables of a run, as Markdown: times, first calls, memory, and where mlirad is behind."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from benchmarks.results import Measurement, Run
from benchmarks.systems import MLIRAD, PEERS, SYSTEMS

OWN, BY_HAND = "mlirad", "c"
TIMES_OF_C = 1.5
"""The factor over the time of C by hand from which mlirad counts as behind."""

LEAST_GROWTH = 1 << 19
"""The bytes that a process may grow in a call beyond the best peer before it counts as behind: allocators and
pages that were used before make as much of a difference from run to run.
"""

Figure = Callable[[Measurement], float | None]


def times(run: Run) -> Iterator[str]:
    """Value, derivative and their ratio in mlirad, the derivative in others, and the quotients. Where there
    are several numbers of threads, a cell has a figure for each."""
    others = [key for key in run.systems() if key != OWN]
    titles = ["problem", "size"]
    titles += [f"{MLIRAD.name} value", f"{MLIRAD.name} derivative", "ratio"]
    titles += [SYSTEMS[key].name for key in others]
    titles += ["best peer / mlirad", "C / mlirad"]
    yield from head(titles)
    for instance in run.instances():
        cells = [*instance, cell(run, instance, OWN, lambda m: m.value, milliseconds)]
        cells.append(cell(run, instance, OWN, lambda m: m.derivative, milliseconds))
        cells.append(cell(run, instance, OWN, ratio, number))
        cells += [cell(run, instance, key, lambda m: m.derivative, milliseconds) for key in others]
        cells.append(joined(number(best_peer(run, instance, count)) for count in run.threads()))
        cells.append(joined(number(over_own(run, instance, BY_HAND, count)) for count in run.threads()))
        yield row(cells)


def first_calls(run: Run) -> Iterator[str]:
    """The first call of the derivative in every system, and that of JAX over mlirad's; with one thread, or
    the fewest that were measured."""
    count = run.threads()[0]
    systems = [key for key in run.systems() if key != BY_HAND]
    yield from head(["problem", "size", *(SYSTEMS[key].name for key in systems), "JAX / mlirad"])
    for instance in run.instances():
        found = {key: run.found(instance, key, count) for key in systems}
        cells = [seconds(m.first_call) if m is not None else "" for m in found.values()]
        own, jax = found.get(OWN), found.get("jax")
        both = own is not None and jax is not None and own.first_call and jax.first_call
        yield row([*instance, *cells, number(jax.first_call / own.first_call) if both else ""])  # pyright: ignore


def memory(run: Run) -> Iterator[str]:
    """Yield how much the process grows in a call of the derivative."""
    count = run.threads()[0]
    yield from head(["problem", "size", *(SYSTEMS[key].name for key in run.systems())])
    for instance in run.instances():
        found = [run.found(instance, key, count) for key in run.systems()]
        yield row([*instance, *(shown_bytes(m.peak_bytes) if m is not None else "" for m in found)])


def theft(run: Run) -> Iterator[str]:
    """Yield how much time a hypervisor stole while derivatives were measured, on each number of threads, and
    where it was most; nothing of a run that did not count.
    """
    for count in run.threads():
        found = [(m.stolen, m) for m in run.measurements if m.threads == count and m.stolen is not None]
        if not found:
            continue
        bursts = sum(m.bursts or 0 for _, m in found)
        left_out = sum(m.left_out or 0 for _, m in found)
        most, where = max(found, key=lambda pair: pair[0])
        said = f"- on {count} thread{'s' if count > 1 else ''}: {left_out} of {bursts} bursts left out; "
        said += f"{percent(sum(stolen for stolen, _ in found) / len(found))} of the time in all"
        if most:
            said += f", {percent(most)} in {' '.join(where.instance)} by {SYSTEMS[where.system].name}"
        yield said


def behind(run: Run) -> Iterator[str]:
    """Yield where a peer is faster than mlirad, or C by more than `TIMES_OF_C`, worst first; then where a
    process grows by less with a peer.
    """
    found: list[tuple[float, str]] = []
    for instance in run.instances():
        for count in run.threads():
            said = f"{' '.join(instance)}, {count} thread{'s' if count > 1 else ''}"
            peer, by_hand = best_peer(run, instance, count), over_own(run, instance, BY_HAND, count)
            if peer is not None and peer < 1:
                found.append((peer, f"{said}: the best peer takes {peer:.2f} of mlirad's time"))
            if by_hand is not None and by_hand < 1 / TIMES_OF_C:
                found.append(
                    (by_hand * TIMES_OF_C, f"{said}: C by hand takes {by_hand:.2f} of mlirad's time")
                )
    yield from (f"- {line}" for _, line in sorted(found))
    for instance in run.instances():
        own, best = growth(run, instance)
        if own - best > LEAST_GROWTH:
            yield f"- {' '.join(instance)}: the best peer needs {best / own:.2f} of mlirad's memory"


def growth(run: Run, instance: tuple[str, str]) -> tuple[int, int]:
    """The growth of a process in a call of mlirad and of the best peer; 0, 0 if one is not known."""
    found = {key: run.found(instance, key, run.threads()[0]) for key in (OWN, *PEERS)}
    known = {key: m.peak_bytes for key, m in found.items() if m is not None and m.peak_bytes is not None}
    own = known.pop(OWN, None)
    return (0, 0) if own is None or not known else (own, min(known.values()))


def best_peer(run: Run, instance: tuple[str, str], threads: int) -> float | None:
    """The time of the fastest peer over mlirad's."""
    found = [over_own(run, instance, key, threads) for key in PEERS]
    return min((f for f in found if f is not None), default=None)


def over_own(run: Run, instance: tuple[str, str], key: str, threads: int) -> float | None:
    """The time of a system over mlirad's."""
    own, other = run.found(instance, OWN, threads), run.found(instance, key, threads)
    if own is None or other is None or not own.derivative or other.derivative is None:
        return None
    return other.derivative / own.derivative


def ratio(measurement: Measurement) -> float | None:
    if not measurement.value or measurement.derivative is None:
        return None
    return measurement.derivative / measurement.value


# Cells --------------------------------------------------------------------------------------------


def cell(
    run: Run, instance: tuple[str, str], key: str, figure: Figure, shown: Callable[[float | None], str]
) -> str:
    """A figure of a system for each number of threads."""
    found = [run.found(instance, key, count) for count in run.threads()]
    return joined(shown(None if m is None else figure(m)) for m in found)


def joined(cells: Iterable[str]) -> str:
    return " · ".join(text for text in cells if text)


def head(titles: list[str]) -> Iterator[str]:
    yield row(titles)
    yield row("---" for _ in titles)


def row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def milliseconds(taken: float | None) -> str:
    return "" if taken is None else f"{1e3 * taken:.3g} ms"


def seconds(taken: float | None) -> str:
    return "" if taken is None else f"{taken:.2f} s"


def percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def number(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}" if value < 10 else f"{value:.3g}"


def shown_bytes(count: int | None) -> str:
    if count is None:
        return ""
    return f"{count / 1024:.4g} KiB" if count < 1024**2 else f"{count / 1024**2:.4g} MiB"
