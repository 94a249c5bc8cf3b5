"""What holds for every test: no network, and no deadline that a busy machine would miss."""

from __future__ import annotations

import sys

from hypothesis import HealthCheck, settings
from playwright import async_api, sync_api

_LOCAL = ("127.0.0.1", "::1", "localhost")


def _refuse_the_network(event: str, arguments: tuple[object, ...]) -> None:
    if event != "socket.connect":
        return
    address = arguments[1]
    if isinstance(address, tuple) and address[0] not in _LOCAL:
        raise PermissionError(f"tests must not use the network: {address!r}")


sys.addaudithook(_refuse_the_network)

settings.register_profile(
    "director",
    deadline=None,
    derandomize=True,
    print_blob=False,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("director")

for api in (async_api, sync_api):
    api.expect.set_options(timeout=60_000)
