"""Builds a request before its first attempt, so that all attempts send the same."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict
from urllib.parse import quote, urlencode

from ..errors import invalid_argument
from ..settings import Settings, checked_retries, checked_seconds

Method = Literal["GET", "POST", "DELETE"]
Answers = Literal["data", "page", "file"]


class ReadOptions(TypedDict, total=False):
    """Options of one call."""

    timeout: float | None
    """How many seconds one attempt of this call may take, until the last byte of its response."""

    retries: int | None
    """How often the client repeats this call after a failure; 0 for never."""

    deadline: float | None
    """How many seconds the whole call may take, its retries and the waits between them included."""

    headers: Mapping[str, str] | None
    """Additional headers, such as `traceparent`. The client refuses those that it sets itself."""


class WriteOptions(ReadOptions, total=False):
    idempotency_key: str | None
    """
    Names this write permanently: 1 to 128 printable ASCII characters. However often you send it with this key, it is
    executed once, and you get the same result. Without one, the client makes a key for its own retries.
    """


@dataclass(frozen=True)
class Operation:
    """One operation of the API."""

    method: Method
    path: Sequence[str]
    """The segments of the path below the base URL."""
    answers: Answers
    """The content of a successful response: `data`, `data` with a cursor, or a PDF."""
    options: Mapping[str, Any]
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Any = None
    """Sent as JSON."""


@dataclass(frozen=True)
class Outgoing:
    url: str
    method: Method
    headers: Mapping[str, str] = field(repr=False)
    body: bytes | None = field(repr=False)
    answers: Answers
    idempotency_key: str | None
    timeout: float
    retries: int
    deadline: float | None


def outgoing(operation: Operation, settings: Settings) -> Outgoing:
    """Checks the arguments and builds the request."""
    options = _known_options(operation)
    is_write = operation.method != "GET"
    key = _checked_key(options.get("idempotency_key")) if is_write else None
    headers = _checked_headers(options.get("headers"))
    if key is not None:
        headers["idempotency-key"] = key
    if operation.method == "POST":
        headers["content-type"] = "application/json"
    deadline = options.get("deadline", settings.deadline)
    query = urlencode({name: value for name, value in operation.query.items() if value is not None})
    return Outgoing(
        url=settings.base_url + "".join(map(_to_segment, operation.path)) + (f"?{query}" if query else ""),
        method=operation.method,
        headers=headers,
        body=_to_json(operation.body) if operation.method == "POST" else None,
        answers=operation.answers,
        idempotency_key=key,
        timeout=checked_seconds(options.get("timeout", settings.timeout), "timeout"),
        retries=checked_retries(options.get("retries", settings.retries)),
        deadline=None if deadline is None else checked_seconds(deadline, "deadline"),
    )


def _known_options(operation: Operation) -> dict[str, Any]:
    """The options without those that are None."""
    known = ReadOptions if operation.method == "GET" else WriteOptions
    unknown = [name for name in operation.options if name not in known.__optional_keys__]
    if unknown:
        # The message of Python itself.
        raise TypeError(f"got an unexpected keyword argument {unknown[0]!r}")
    return {name: value for name, value in operation.options.items() if value is not None}


def _checked_key(given: str | None) -> str:
    if given is None:
        return str(uuid.uuid4())
    if not isinstance(given, str) or not re.fullmatch(r"[!-~]([ -~]{0,126}[!-~])?", given):
        raise invalid_argument(
            "idempotency_key must be 1 to 128 printable ASCII characters, with no space at the start or end."
        )
    return given


# The headers that the client sets itself, and those of the connection.
RESERVED = frozenset(
    [
        "authorization",
        "idempotency-key",
        "content-type",
        "accept",
        "user-agent",
        "host",
        "content-length",
        "connection",
        "transfer-encoding",
        "keep-alive",
        "upgrade",
        "te",
        "trailer",
        "expect",
        "accept-encoding",
    ]
)
INSTEAD = {
    "idempotency-key": "use the option idempotency_key",
    "authorization": "use the client's argument api_key",
}


def _checked_headers(given: Mapping[str, str] | None) -> dict[str, str]:
    """The headers of one call, with lower-case names. Values may be secret, so no error repeats them."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise invalid_argument("headers must be a mapping of names to values.")
    headers: dict[str, str] = {}
    for name, value in given.items():
        lower = name.lower() if isinstance(name, str) else ""
        if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9a-z-]+", lower):
            raise invalid_argument(f"headers: {name!r} is not a header name.")
        if lower in RESERVED:
            raise invalid_argument(f"headers cannot set {lower}: {INSTEAD.get(lower, 'the client sets it')}.")
        if lower in headers:
            raise invalid_argument(f"headers contains {lower} twice.")
        if not isinstance(value, str) or not re.fullmatch(r"[!-~]([ -~]*[!-~])?", value):
            raise invalid_argument(f"headers: {lower} must be printable ASCII, with no space at the start or end.")
        headers[lower] = value
    return headers


def _to_segment(segment: str) -> str:
    # A proxy may resolve `..`, even percent-encoded, and an empty ID would address the list.
    if not isinstance(segment, str) or re.fullmatch(r"(\.|%2e){0,2}", segment, re.IGNORECASE):
        raise invalid_argument(f"{segment!r} is not a valid ID.")
    try:
        return "/" + quote(segment, safe="!'()*")
    except UnicodeEncodeError as cause:
        raise invalid_argument(f"{segment!r} is not a valid ID.") from cause


def _to_json(body: Any) -> bytes:
    if not isinstance(body, Mapping):
        raise invalid_argument("The input must be a dictionary.")
    try:
        return json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    except (TypeError, ValueError, RecursionError) as cause:
        advice = ". Send numbers as int or float, and dates as text." if isinstance(cause, TypeError) else "."
        raise invalid_argument(f"The input cannot be written as JSON: {cause}{advice}") from cause
