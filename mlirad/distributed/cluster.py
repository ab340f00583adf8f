"""The workers of Dask's client: that they run what this process compiles.

    client = current_client()        None where Dask computes in this process
    require_alike(client)            ClusterError that names a worker of another version or processor

Machine code is made here, so all workers must have this version of mlirad, and of what it calls, and a
processor that runs the code.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from typing import Any, Final, cast
from weakref import WeakKeyDictionary

from mlirad.disk_cache.sources import compiler, versions
from mlirad.errors import ClusterError, TimeLimitError, is_from_signal
from mlirad.frontend.tracing.source import user_line
from mlirad.jit.target import ENVIRONMENT_VARIABLE, find_target
from mlirad.packages import load

SECONDS: Final = 60.0
"""The time that the scheduler, or a worker that is asked what it is, may take to answer."""

DISTRIBUTED: Final = ("dask.distributed", "distributed")
"""The names of the scheduler that a client brings."""

_checked: Final[WeakKeyDictionary[Any, set[str]]] = WeakKeyDictionary()
"""The workers that were found to be alike, by client."""


def current_client() -> Any:
    """Return the client that Dask would compute with now, None where it computes in this process.

    A scheduler that `dask.config` names goes before the client there is, as everywhere in Dask.
    """
    if "distributed" not in sys.modules:
        return None
    distributed: Any = load("distributed")
    named: Any = load("dask").config.get("scheduler", None)
    if isinstance(named, distributed.Client):
        return named
    if named is not None and str(named).lower() not in DISTRIBUTED:
        return None
    try:
        return distributed.get_client()
    except ValueError:
        return None


def identity() -> dict[str, str]:
    """Describe the properties that decide which machine code a process can run."""
    target, made_by = find_target(), compiler()
    return {
        **{name: text for name, text in versions().items() if name != "llvm"},
        "mlirad": "unknown" if made_by is None else made_by.hex()[:16],
        "processor": f"{target.triple} {target.cpu} {target.features}",
    }


def workers_of(client: Any) -> dict[str, Any]:
    """The workers that a client sees at present, by address, with what the scheduler says of them.

    Raises `ClusterError` where the scheduler does not answer.
    """
    try:
        if client.status != "running":
            raise ConnectionError
        found = client.sync(client.scheduler.identity, n_workers=-1, callback_timeout=SECONDS)
    except (OSError, TimeoutError):
        raise ClusterError(
            "the scheduler does not answer", location=user_line(), hint="make a new client"
        ) from None
    return dict(found["workers"])


def require_alike(client: Any = None) -> None:
    """Raise `ClusterError` for a worker that cannot run what is compiled here; each is asked once.

    Raises `TimeLimitError` for one that does not answer.
    """
    client = current_client() if client is None else client
    if client is None:
        return
    checked = _checked.setdefault(client, set())
    fresh = [address for address in workers_of(client) if address not in checked]
    if not fresh:
        return
    mine = identity()

    async def asked(address: str) -> Any:
        try:
            return await asyncio.wait_for(client.run(identity, workers=[address]), SECONDS)
        except Exception as error:
            if is_from_signal(error):
                raise
            return error

    async def told() -> list[Any]:
        return await asyncio.gather(*map(asked, fresh))

    for address, answer in zip(fresh, client.sync(told), strict=True):
        if isinstance(answer, TimeoutError):
            raise TimeLimitError(
                f"no answer for {SECONDS:g} s from {address}",
                location=user_line(),
                hint="look whether the worker hangs, and restart it",
            )
        if not isinstance(answer, OSError):  # else it was lost meanwhile
            require_same(mine, answer if isinstance(answer, Exception) else answer[address], address)
            checked.add(address)


def require_same(mine: Mapping[str, str], theirs: object, address: str) -> None:
    """Raise `ClusterError` where a worker says something else of itself than this process does."""
    if not isinstance(theirs, dict):
        raise ClusterError(
            f"worker {address} does not run mlirad: {theirs or 'it does not answer'}",
            location=user_line(),
            hint="install this version of mlirad on all workers",
        )
    stated = cast("dict[str, object]", theirs)
    for name, text in mine.items():
        other = stated.get(name)
        if other == text:
            continue
        if name == "processor":
            raise ClusterError(
                f"worker {address} has another processor, or other features of it, than the client: "
                f"{_difference(str(other), text)}",
                location=user_line(),
                hint=f"set {ENVIRONMENT_VARIABLE}=x86-64-v3 for client and workers, or the least of theirs",
            )
        raise ClusterError(
            f"worker {address} runs {name} {other}, and the client {text}",
            location=user_line(),
            hint="install the same versions on client and workers",
        )


def _difference(theirs: str, mine: str) -> str:
    """The features that one has and the other lacks, or the names."""
    one, two = (set(text.replace(" ", ",").split(",")) for text in (theirs, mine))
    shown = [" ".join(sorted(found)[:6]) or "nothing" for found in (one - two, two - one)]
    return f"{shown[0]} there, {shown[1]} here"
