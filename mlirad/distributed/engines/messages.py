"""Messages of the client to actors on workers, all at once, with a time limit.

    told(client, shards, "run", arguments, seconds=600.0)     a list of answers; None of workers that are lost
    told_only(client, shards, "stop", ("2f31",), 600.0)       begins to tell them, and waits for none

The proxies of Dask for actors find their client by what is current where they are made, which may be that of
another cluster, and wait forever where an actor is gone. So calls are made here: on the loop of the client
that placed the actors, by the message that those proxies send.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Any, Final

from mlirad.distributed.cluster import workers_of
from mlirad.errors import TimeLimitError
from mlirad.frontend.tracing.source import user_line
from mlirad.lazy_dataclass import dataclass
from mlirad.packages import load

POLL_SECONDS: Final = 1.0
"""The seconds between two looks of the client at whether the workers that it waits for are still there."""

REACH_SECONDS: Final = 3.0
"""The time that a worker may take to answer the client without the scheduler, before all goes by the
scheduler."""

SHORT: Final = 1 << 16
"""The number of bytes below which a request is part of the head of a message; larger ones are sent without a
copy.
"""


@dataclass(frozen=True, eq=False)
class Held:
    """A shard as the client knows it: which chunks it has, where, and the future that keeps its actor there.

    A shard `is_near` if the client reaches its worker itself, else the scheduler passes messages on.
    """

    number: int
    chunks: tuple[int, ...]
    address: str
    future: Any
    is_near: bool


def told(
    client: Any, shards: Sequence[Held], method: str, arguments: Sequence[tuple[Any, ...]], seconds: float
) -> list[Any]:
    """The results of a method of the actors of shards, each with its arguments; None where one is lost.

    Raises what the method raises, `TimeLimitError` after some seconds without an answer, and `ClusterError`
    where the scheduler is lost.
    """
    calls: list[asyncio.Task[Any]] = []
    end = time.monotonic() + seconds

    async def answered() -> None:
        calls.extend(
            asyncio.ensure_future(_answer(client, shard, method, given))
            for shard, given in zip(shards, arguments, strict=True)
        )
        try:
            await asyncio.wait(calls)
        finally:
            _drop(calls)

    all_answers = asyncio.run_coroutine_threadsafe(answered(), client.loop.asyncio_loop)
    try:
        while True:
            try:
                all_answers.result(max(min(POLL_SECONDS, end - time.monotonic()), 0.0))
            except TimeoutError:
                there = workers_of(client)
                late = [s for k, s in enumerate(shards) if k >= len(calls) or not calls[k].done()]
                if all(shard.address not in there for shard in late):
                    break
                if time.monotonic() > end:
                    names = ", ".join(shard.address for shard in late if shard.address in there)
                    raise TimeLimitError(
                        f"no answer for {seconds:g} s from {names}",
                        location=user_line(),
                        hint="pass timeout=... to resident, or look whether the worker hangs",
                    ) from None
            else:
                break
        return [call.result() if call.done() else None for call in calls]
    finally:
        all_answers.cancel()


def told_only(
    client: Any, shards: Sequence[Held], method: str, given: tuple[Any, ...], seconds: float
) -> None:
    """Begin to call a method of the actors of shards, whose results nobody waits for."""

    async def begun() -> None:
        calls = [asyncio.ensure_future(_answer(client, shard, method, given)) for shard in shards]
        await asyncio.wait(calls, timeout=seconds)
        _drop(calls)

    if shards and client.status == "running":
        client.loop.add_callback(begun)


def reached(client: Any, address: str) -> bool:
    """Tell whether the client reaches a worker itself: as it has been told, or by trying."""
    stated = client.direct_to_workers
    if stated is not None:
        return bool(stated)

    async def greeted() -> bool:
        try:
            await asyncio.wait_for(client.rpc(address).identity(), REACH_SECONDS)
        except (OSError, TimeoutError):
            return False
        return True

    return bool(client.sync(greeted))


async def _answer(client: Any, shard: Held, method: str, given: tuple[Any, ...]) -> Any:
    """The result of a method of an actor, None where its worker or the actor is lost."""
    message: dict[str, Any] = {
        "actor": shard.future.key,
        "function": method,
        "args": list(map(_packed, given)),
        "kwargs": {},
    }
    try:
        if shard.is_near:
            found = await client.rpc(shard.address).actor_execute(**message)
        else:
            found = await client.scheduler.proxy(worker=shard.address, msg={"op": "actor_execute", **message})
    except (OSError, KeyError):  # the worker does not answer, or does not have the actor
        return None
    if found["status"] != "OK":
        raise found["exception"]
    return found["result"]


def _packed(argument: Any) -> Any:
    """An argument as a message has it: short bytes as they are, with less work for Dask."""
    if isinstance(argument, bytes) and len(argument) < SHORT:
        return argument
    return load("distributed.protocol").to_serialize(argument)


def _drop(calls: Sequence[asyncio.Task[Any]]) -> None:
    """Cancel calls that are not done, and take the errors of the others, which nobody reads."""
    for call in calls:
        if not call.done():
            call.cancel()
        elif not call.cancelled():
            call.exception()
