"""The content of the page, as one value that can be written as JSON.

    content(function, args)      {"title": ..., "files": [...], "stages": [...], "kernels": ..., ...}

Listings are kept compressed, so that a program of thousands of ops makes a page of some MB; the browser
unpacks what is looked at.
"""

from __future__ import annotations

import base64
import gzip
import inspect
import json
import linecache
from collections.abc import Callable
from typing import Any

from mlirad.errors import MliradError
from mlirad.explorer.jacobians import Pattern, pattern
from mlirad.explorer.kernels import KernelRow, kernel_rows, roofline
from mlirad.explorer.maps import graph, map_functions, mathematics
from mlirad.explorer.memory import memory_map, memory_pieces, shown_bytes
from mlirad.explorer.origins import Listing
from mlirad.explorer.recording import Recording, record
from mlirad.frontend.compiling.lowered import Lowered
from mlirad.frontend.compiling.profile import Profile
from mlirad.frontend.compiling.transformed import Transformed
from mlirad.frontend.transformations import jit
from mlirad.ir.locations import read_place
from mlirad.lower.kernels.plan_memory.peak import peak_by_line

MOST_LINES = 5000
"""The number of lines of a source file that are shown."""

MOST_STAGE_LINES = 200_000
"""The number of lines of a stage that are shown."""

MOST_ENTRIES = 60_000
"""The number of entries of a sparsity pattern that are drawn."""

MOST_PEAK_LINES = 40
"""The number of lines of the source that are listed with what they have in memory at the peak."""


def content(
    function: Callable[..., Any], args: tuple[Any, ...], *, measured: bool, patterns: bool
) -> dict[str, Any]:
    """All of it. With `measured` the function is called, for a quarter of a second; with `patterns` the
    sparsity pattern of its derivative is found. Raises what tracing and compiling raise.
    """
    transformed = function if isinstance(function, Transformed) else jit(function)
    lowered = transformed.lower(*args)
    recording = record(lowered)
    profile = lowered.profile(*args) if measured else None
    found = pattern(transformed, args) if patterns else "It was not asked for."
    signature = zip(lowered.signature.paths, lowered.signature.types, strict=True)
    made = {
        "title": lowered.name,
        "signature": ", ".join(f"{path}: {t.dtype}{list(t.shape)}" for path, t in signature),
        "stages": [_stage(s.name, s.ops, s.seconds, s.listing) for s in recording.stages],
        "maps": _maps(recording),
        "kernels": _kernels(recording, profile),
        "memory": _memory(recording, lowered),
        "sparsity": _sparsity(found),
    }
    code = getattr(inspect.unwrap(transformed), "__code__", None)
    return {**made, **_sources(recording, None if code is None else code.co_filename)}


def _stage(name: str, ops: int, seconds: float, listing: Listing | None) -> dict[str, Any]:
    made: dict[str, Any] = {"name": name, "ops": ops, "ms": round(1e3 * seconds, 3)}
    if listing is not None:
        lines, origins = listing.lines[:MOST_STAGE_LINES], listing.origins[:MOST_STAGE_LINES]
        if len(listing.lines) > MOST_STAGE_LINES:
            lines.append(f"… and {len(listing.lines) - MOST_STAGE_LINES} more lines")
            origins.append(0)
        text = json.dumps({"lines": lines, "origins": origins}, separators=(",", ":"))
        made |= {"lines": len(lines), "packed": base64.b64encode(gzip.compress(text.encode(), 6)).decode()}
    return made


def _sources(recording: Recording, own: str | None) -> dict[str, Any]:
    """The files that ops come from, the function's `own` first and then by how many do, and for each origin
    its file and line.
    """
    places = recording.origins.places
    counts: dict[str, int] = {}
    for place in places:
        if place is not None:
            counts[place.file] = counts.get(place.file, 0) + 1
    names = sorted(counts, key=lambda name: (name != own, -counts[name]))
    numbers = {name: k for k, name in enumerate(names)}
    files: list[dict[str, Any]] = []
    for name in names:
        lines = [line.rstrip("\n") for line in linecache.getlines(name)[:MOST_LINES]]
        files.append({"path": name, "name": name.replace("\\", "/").rsplit("/", 1)[-1], "lines": lines})
    origins = [
        None if p is None else [numbers[p.file], p.line, int(recording.origins.is_op(k))]
        for k, p in enumerate(places)
    ]
    return {"files": files, "origins": origins}


def _maps(recording: Recording) -> dict[str, Any]:
    functions, title = map_functions(recording.linearized, recording.traced)
    if not functions:
        return {"title": title, "text": "", "graph": None, "note": ""}
    try:
        text = mathematics(functions)
    except MliradError as error:
        text = error.message
    image, note = graph(functions, recording.origins)
    return {"title": title, "text": text, "graph": image, "note": note}


def _kernels(recording: Recording, profile: Profile | None) -> dict[str, Any]:
    rows = kernel_rows(recording.compiled.program.kernels, profile, recording.origins)
    seconds = None if profile is None else profile.seconds
    return {
        "seconds": seconds,
        "calls": 0 if profile is None else profile.calls,
        "rows": [_row(r, seconds) for r in rows],
        "roofline": roofline(rows),
    }


def _row(row: KernelRow, seconds: float | None) -> dict[str, Any]:
    return {
        "name": row.name,
        "what": row.what,
        "origin": row.origin,
        "share": None if row.seconds is None or not seconds else row.seconds / seconds,
        "ms": None if row.seconds is None else 1e3 * row.seconds,
        "runs": row.runs,
        "bytes": row.nbytes,
        "operations": row.operations,
        "intensity": row.intensity,
        "level": row.level,
        "gbs": row.nbytes / row.seconds / 1e9 if row.seconds else None,
        "gops": row.operations / row.seconds / 1e9 if row.seconds else None,
        "peak": row.peak_share,
    }


def _memory(recording: Recording, lowered: Lowered) -> dict[str, Any]:
    compiled = recording.compiled
    size = compiled.program.arena_bytes
    pieces, steps = memory_pieces(compiled.entry, recording.origins)
    counts: dict[int | str, int] = {}
    for line, count in peak_by_line(compiled.entry).items():
        place = read_place(line)
        key = line if place is None else recording.origins.of(place._replace(column=0))
        counts[key] = counts.get(key, 0) + count
    most = sorted(counts.items(), key=lambda item: -item[1])[:MOST_PEAK_LINES]
    lines = [
        {"origin": key, "line": "", "bytes": shown_bytes(count)}
        if isinstance(key, int)
        else {"origin": 0, "line": key, "bytes": shown_bytes(count)}
        for key, count in most
    ]
    return {
        "size": shown_bytes(size),
        "steps": steps,
        "pieces": len(pieces),
        "image": memory_map(pieces, steps, size) if pieces else None,
        "lines": lines,
    }


def _sparsity(found: Pattern | str) -> dict[str, Any]:
    if isinstance(found, str):
        return {"note": found}
    count = len(found.rows)
    kept = slice(None) if count <= MOST_ENTRIES else slice(0, count, -(-count // MOST_ENTRIES))
    return {
        "note": "" if count <= MOST_ENTRIES else f"{MOST_ENTRIES} of the entries are drawn.",
        "title": found.title,
        "shape": list(found.shape),
        "count": count,
        "rows": found.rows[kept].tolist(),
        "columns": found.columns[kept].tolist(),
    }
