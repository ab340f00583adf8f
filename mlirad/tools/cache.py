"""`mlirad-cache`: lists, verifies and removes the compiled programs on disk.

    mlirad-cache path          the folder
    mlirad-cache list          every file: name, size, when it was made and last used, processor, key
    mlirad-cache verify        compares every file with its checksum, and removes the damaged ones
    mlirad-cache clear         removes all programs

Entries named mlirad_call, mlirad_entry and the like are not programs, but the machine code by which programs
are called. A trace is not a program either: it says which program a function comes to, so that it need not be
traced. The folder is the one that Python sessions with these environment variables use. The exit code is 1
after an error, and where `verify` found a damaged file.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Mapping, Sequence

from mlirad.disk_cache import store
from mlirad.disk_cache.folder import FOLDER_VARIABLE, SIZE_VARIABLE, Folder, find_folder, objection
from mlirad.disk_cache.store import Entry
from mlirad.disk_cache.traces import Trace
from mlirad.errors import UnsupportedError
from mlirad.tools.process import guarded


def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns its exit code."""
    given = _argument_parser().parse_args(argv)
    return guarded(lambda: _COMMANDS[given.command](_folder(is_unused_too=given.command == "path")))


def _folder(*, is_unused_too: bool) -> Folder:
    """The folder, perhaps also one that is not used; raises `UnsupportedError` if there is no folder."""
    folder = find_folder()
    if folder is None:
        raise UnsupportedError(
            "no programs are kept",
            hint=f"set {FOLDER_VARIABLE} to a folder, instead of 'off' or of no home",
        )
    why = None if is_unused_too else objection(folder)
    if why is not None:
        raise UnsupportedError(f"{folder.path} {why}", hint=f"set {FOLDER_VARIABLE} to another folder")
    return folder


def _path(folder: Folder) -> int:
    print(folder.path)
    return 0


def _list(folder: Folder) -> int:
    entries = store.entries(folder)
    rows = [("name", "size", "made", "last used", "processor", "key")] if entries else []
    for entry in entries:
        record = store.examine(entry)
        about = ("damaged", "", "")
        if isinstance(record, Trace):
            about = (f"trace of {record.name}", _date(record.made), "")
        elif record is not None:
            about = (record.name, _date(record.made), record.processor)
        rows.append((about[0], _size(entry.size), about[1], _date(entry.used), about[2], entry.key))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for name, size, *rest in rows:
        cells = [name.ljust(widths[0]), size.rjust(widths[1])]
        print("  ".join([*cells, *map(str.ljust, rest, widths[2:])]).rstrip())
    print(f"{_sum(entries)} of {_size(folder.limit)} in {folder.path}")
    return 0


def _verify(folder: Folder) -> int:
    entries = store.entries(folder)
    damaged = [entry for entry in entries if store.examine(entry) is None]
    for entry in damaged:
        print(f"{entry.key}: damaged, {'removed' if store.remove(entry) else 'could not be removed'}")
    whole = [entry for entry in entries if entry not in damaged]
    print(f"{_sum(whole)}: what was written")
    return 1 if damaged else 0


def _clear(folder: Folder) -> int:
    entries = store.entries(folder)
    left = store.clear(folder)
    print(f"removed {_sum([entry for entry in entries if entry not in left])}")
    if left:
        raise UnsupportedError(
            f"{_sum(left)} could not be removed", hint=f"ask for the right to write to {folder.path}"
        )
    return 0


_COMMANDS: Mapping[str, Callable[[Folder], int]] = {
    "path": _path,
    "list": _list,
    "verify": _verify,
    "clear": _clear,
}


def _sum(entries: Sequence[Entry]) -> str:
    traces = sum(entry.is_trace for entry in entries)
    programs = _number(len(entries) - traces, "program") + (f", {_number(traces, 'trace')}" if traces else "")
    return f"{programs}, {_size(sum(entry.size for entry in entries))}"


def _number(count: int, noun: str) -> str:
    return f"1 {noun}" if count == 1 else f"{count} {noun}s"


def _size(count: int) -> str:
    size, unit = float(count), "B"
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024 or unit == "GiB":
            break
        size /= 1024
    return f"{size:.0f} B" if unit == "B" else f"{size:.1f} {unit}"


def _date(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))


def _argument_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "mlirad-cache",
        description="Show and remove the compiled programs that mlirad keeps on disk.",
        epilog=f"Environment: {FOLDER_VARIABLE} is the folder, or 'off'; {SIZE_VARIABLE} is how large it "
        "may grow, as in 512M or 2G. Files that were not used for longest are removed first.",
        allow_abbrev=False,
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser("path", help="print the folder")
    commands.add_parser("list", help="list the programs: size, when made and last used, processor, key")
    commands.add_parser("verify", help="compare every file with its checksum, and remove damaged ones")
    commands.add_parser("clear", help="remove all programs")
    return parser


if __name__ == "__main__":
    sys.exit(main())
