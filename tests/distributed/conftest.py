"""A cluster of two processes, which the tests of this folder share."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="session")
def client() -> Iterator[Any]:
    dask = pytest.importorskip("dask")
    distributed = pytest.importorskip("distributed")

    quiet = {"logging.distributed": "critical", "distributed.admin.system-monitor.interval": "60s"}
    with (
        dask.config.set(quiet),
        distributed.LocalCluster(n_workers=2, threads_per_worker=2, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        client.run(_importable, os.getcwd())
        yield client


def _importable(folder: str) -> None:
    import sys

    sys.path.insert(0, folder)
