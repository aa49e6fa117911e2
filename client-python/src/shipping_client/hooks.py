from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import Any, Callable


@dataclass(frozen=True)
class RequestInfo:
    """An attempt that begins. It holds no header, no body and no key."""

    method: str
    url: str
    """With ids and query."""
    attempt: int
    """1, and more for a retry."""


@dataclass(frozen=True)
class ResponseInfo(RequestInfo):
    """An attempt that ended."""

    status: int | None
    """None if there was no complete response."""
    seconds: float
    """How long it took, its response's last byte included."""
    request_id: str | None
    """Quote it when you ask for help."""
    code: str | None
    """What was wrong, if anything was. The client may still try again."""


OnRequest = Callable[[RequestInfo], Any]
OnResponse = Callable[[ResponseInfo], Any]


def tell(hook: Callable[[Any], Any] | None, info: RequestInfo) -> None:
    """Calls a hook. A log that fails must not fail a label."""
    if hook is None:
        return
    with contextlib.suppress(Exception):
        hook(info)
