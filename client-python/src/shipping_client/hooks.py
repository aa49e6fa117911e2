from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import Any, Callable


@dataclass(frozen=True)
class RequestInfo:
    """An attempt that is about to start. It contains no headers, no body and no API key."""

    method: str
    url: str
    """The URL, with IDs and query."""
    attempt: int
    """1 for the first attempt, higher for retries."""


@dataclass(frozen=True)
class ResponseInfo(RequestInfo):
    """A finished attempt."""

    status: int | None
    """None if there was no complete response."""
    seconds: float
    """Duration until the last byte of the response."""
    request_id: str | None
    """Include it when you contact support."""
    code: str | None
    """The error code, if the attempt failed. The client may still retry."""


OnRequest = Callable[[RequestInfo], Any]
OnResponse = Callable[[ResponseInfo], Any]


def call_hook(hook: Callable[[Any], Any] | None, info: RequestInfo) -> None:
    """Calls a hook. A hook that raises must not fail the request."""
    if hook is None:
        return
    with contextlib.suppress(Exception):
        hook(info)
