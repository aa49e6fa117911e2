from __future__ import annotations

import math
import time
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Generic, TypeVar

from ..errors import APIConnectionError, ShippingError
from ..hooks import RequestInfo, ResponseInfo, call_hook
from ..settings import Settings
from .answers import read_error, read_value
from .attempt import Answer, attempt
from .connections import Connections
from .operation import Operation, Outgoing, outgoing
from .retry import backoff, is_retryable

if TYPE_CHECKING:
    from typing_extensions import ParamSpec

    P = ParamSpec("P")

T = TypeVar("T")


@dataclass(frozen=True)
class AnswerInfo:
    """How a request was answered."""

    status: int
    request_id: str | None
    """Include it when you contact support."""
    replayed: bool
    """Whether this is the response to an earlier request with the same idempotency key."""
    idempotency_key: str | None
    """The idempotency key of a write."""


@dataclass(frozen=True)
class Answered(Generic[T]):
    """The data of a response, with its status and headers."""

    data: T
    response: AnswerInfo


@dataclass(frozen=True)
class _Failed:
    error: ShippingError
    is_retryable: bool


_last: ContextVar[AnswerInfo | None] = ContextVar("shipping_client_last", default=None)


def with_response(method: Callable[P, T], *args: P.args, **options: P.kwargs) -> Answered[T]:
    """
    Calls a method of the client, and returns its data together with the status, the request ID, and whether the response
    is a replay: `with_response(shipping.orders.get, "ord_…")`.
    """
    _last.set(None)
    data = method(*args, **options)
    info = _last.get()
    if info is None:
        raise TypeError("with_response needs a method that sends a request.")
    return Answered(data, info)


def send(settings: Settings, connections: Connections, operation: Operation) -> Any:
    """Sends an operation, and retries it with the same idempotency key where that may help."""
    request = outgoing(operation, settings)
    begun = time.monotonic()

    def left() -> float:
        return math.inf if request.deadline is None else request.deadline - (time.monotonic() - begun)

    retry = 0
    while True:
        outcome = _attempt_with_hooks(settings, connections, request, retry + 1, min(request.timeout, left()))
        if isinstance(outcome, Answered):
            _last.set(outcome.response)
            return outcome.data
        is_over = not outcome.is_retryable or retry >= request.retries
        wait = None if is_over else backoff(retry, outcome.error.retry_after, settings.random)
        # After a wait until the deadline, no time would be left for the attempt.
        if wait is None or wait >= left():
            raise outcome.error
        settings.sleep(wait)
        retry += 1


def _attempt_with_hooks(
    settings: Settings, connections: Connections, request: Outgoing, number: int, seconds: float
) -> Answered[Any] | _Failed:
    call_hook(settings.on_request, RequestInfo(request.method, request.url, number))
    begun = time.perf_counter()
    outcome = _try_once(settings, connections, request, seconds)
    end = outcome.response if isinstance(outcome, Answered) else outcome.error
    call_hook(
        settings.on_response,
        ResponseInfo(
            request.method,
            request.url,
            number,
            status=end.status,
            seconds=time.perf_counter() - begun,
            request_id=end.request_id,
            code=end.code if isinstance(end, ShippingError) else None,
        ),
    )
    return outcome


def _try_once(
    settings: Settings, connections: Connections, request: Outgoing, seconds: float
) -> Answered[Any] | _Failed:
    try:
        return _to_outcome(settings, request, attempt(settings, connections, request, seconds))
    except ShippingError as error:
        # A response that is too long will be too long again.
        return _Failed(error, is_retryable=isinstance(error, APIConnectionError))


def _to_outcome(settings: Settings, request: Outgoing, answer: Answer) -> Answered[Any] | _Failed:
    is_good = 200 <= answer.status < 300
    data = read_value(answer, request.answers) if is_good else None
    if data is None:
        error, code = read_error(answer, request, settings)
        return _Failed(error, is_good or is_retryable(answer.status, code))
    info = AnswerInfo(
        status=answer.status,
        request_id=answer.headers.get("x-request-id"),
        replayed=answer.headers.get("idempotency-replayed") == "true",
        idempotency_key=request.idempotency_key,
    )
    return Answered(data, info)
