from __future__ import annotations

import platform
import socket
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse
from urllib.parse import urlsplit

from ..errors import APIConnectionError, UnexpectedAnswerError
from ..settings import Settings
from ..version import __version__
from .connections import Clock, Connection, Connections
from .operation import Outgoing

USER_AGENT = f"shipping-client-python/{__version__} Python/{platform.python_version()}"

MAX_ANSWER_BYTES = 32 * 1024 * 1024
"""The largest page, of 100 records, has less than 2 MiB."""


@dataclass(frozen=True)
class Answer:
    """A complete answer. The names of its headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def attempt(settings: Settings, connections: Connections, request: Outgoing, seconds: float) -> Answer:
    """Sends the request once and reads the complete response. Raises a ShippingError if the response is incomplete."""
    connection = connections.take(Clock(seconds))
    is_complete = False
    try:
        # Without this, the exception of an incomplete response would keep its socket open.
        with closing(_exchange(connection, settings, request)) as response:
            body = _read_body(response, request)
            is_complete = True
            headers: dict[str, str] = {}
            for name, value in response.getheaders():
                lower = name.lower()
                headers[lower] = f"{headers[lower]}, {value}" if lower in headers else value
            return Answer(response.status, headers, body)
    except socket.timeout as cause:
        message = f"No complete response within {seconds:g} s."
        raise APIConnectionError("timed_out", message, idempotency_key=request.idempotency_key) from cause
    # UnicodeError is raised for a host name that IDNA cannot encode.
    except (OSError, HTTPException, UnicodeError) as cause:
        message = "The connection failed before the response was complete."
        raise APIConnectionError("connection_failed", message, idempotency_key=request.idempotency_key) from cause
    finally:
        # The connection is closed after any exception, also KeyboardInterrupt. Otherwise the next request would read the
        # rest of this response.
        if is_complete:
            connections.give_back(connection)
        else:
            connection.close()


def _exchange(connection: Connection, settings: Settings, request: Outgoing) -> HTTPResponse:
    parts = urlsplit(request.url)
    target = f"{parts.path or '/'}{'?' if parts.query else ''}{parts.query}"
    headers = {
        "authorization": f"Bearer {settings.api_key}",
        "accept": "application/json, application/pdf",
        "user-agent": USER_AGENT,
        **request.headers,
    }
    try:
        connection.request(request.method, target, body=request.body, headers=headers)
    except (BrokenPipeError, ConnectionResetError):
        # The server may have responded before it had read the whole request.
        if connection.sock is None:
            raise
    return connection.getresponse()


def _read_body(response: HTTPResponse, request: Outgoing) -> bytes:
    declared = response.length
    body = bytearray()
    while True:
        chunk = response.read(min(65_536, MAX_ANSWER_BYTES + 1 - len(body)))
        if not chunk:
            break
        body += chunk
        if len(body) > MAX_ANSWER_BYTES:
            raise UnexpectedAnswerError(
                "unexpected_answer",
                f"Answered {response.status} with more than {MAX_ANSWER_BYTES} bytes.",
                status=response.status,
                idempotency_key=request.idempotency_key,
            )
    if declared is not None and len(body) < declared:
        raise HTTPException(f"{len(body)} of {declared} bytes arrived.")
    return bytes(body)
