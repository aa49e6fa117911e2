"""All errors. Their names differ from Python's built-in `ConnectionError` and `PermissionError`."""

from __future__ import annotations

from collections.abc import Sequence

from .gen.api_types import FieldError


class ShippingError(Exception):
    """The base class of all errors. It never contains the API key."""

    code: str
    """Error code for programs. It does not change."""

    message: str
    """Message for people. It can change."""

    status: int | None
    """HTTP status of the response. None if there was none."""

    request_id: str | None
    """Include it when you contact support."""

    fields: Sequence[FieldError]
    """The invalid fields, with the code `invalid_request`. Otherwise empty."""

    idempotency_key: str | None
    """The idempotency key of the failed write. If you do not know whether the write was executed, retry it with this key."""

    retry_after: float | None
    """The seconds to wait before you try again, from the header `Retry-After`. None if the response has none."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        status: int | None = None,
        request_id: str | None = None,
        fields: Sequence[FieldError] = (),
        idempotency_key: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        # Pickle recreates an error from these positional arguments.
        super().__init__(code, message)
        self.code = code
        self.message = message
        self.status = status
        self.request_id = request_id
        self.fields = fields
        self.idempotency_key = idempotency_key
        self.retry_after = retry_after

    def __str__(self) -> str:
        return self.message


class InvalidRequestError(ShippingError):
    """The request is invalid: 400, 413, 415, 422. `fields` lists the invalid fields."""


class AuthenticationError(ShippingError):
    """The API key is missing, unknown, expired or revoked: 401."""


class PermissionDeniedError(ShippingError):
    """The API key does not have the required scope: 403."""


class NotFoundError(ShippingError):
    """The resource does not exist, or belongs to another account: 404."""


class ConflictError(ShippingError):
    """The state of a resource or of an idempotency key does not allow the request: 409."""


class RateLimitError(ShippingError):
    """Too many requests with this API key, even after all retries: 429."""


class ServerError(ShippingError):
    """The API failed or cannot do this: 500, 503."""


class APIConnectionError(ShippingError):
    """No complete response, because the connection failed or it took too long. The request may have been executed."""


class UnexpectedAnswerError(ShippingError):
    """The response is not from the API, but from a proxy or another program in between."""


class InvalidArgumentError(ShippingError):
    """An option, an ID or the input is invalid. Nothing was sent."""


class WebhookVerificationError(ShippingError):
    """A webhook delivery that you must not trust, or whose body cannot be read."""


KINDS = {
    "bad_request": InvalidRequestError,
    "invalid_json": InvalidRequestError,
    "unauthorized": AuthenticationError,
    "missing_scope": PermissionDeniedError,
    "not_found": NotFoundError,
    "idempotency_conflict": ConflictError,
    "idempotency_in_progress": ConflictError,
    "label_exists": ConflictError,
    "shipment_voided": ConflictError,
    "label_voided": ConflictError,
    "webhook_limit_reached": ConflictError,
    "payload_too_large": InvalidRequestError,
    "unsupported_media_type": InvalidRequestError,
    "invalid_request": InvalidRequestError,
    "rate_limited": RateLimitError,
    "internal_error": ServerError,
    "carrier_not_configured": ServerError,
    "service_unavailable": ServerError,
    "invalid_argument": InvalidArgumentError,
    "connection_failed": APIConnectionError,
    "timed_out": APIConnectionError,
    "unexpected_answer": UnexpectedAnswerError,
    "invalid_signature": WebhookVerificationError,
    "parsed_body": WebhookVerificationError,
    "invalid_event": WebhookVerificationError,
}
"""The class of every code: those of the API, and those that the client finds itself."""

BY_STATUS = {
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    429: RateLimitError,
}


def class_for(code: str, status: int | None = None) -> type[ShippingError]:
    """The class of a code. For codes that are newer than this client, the status decides."""
    if code in KINDS:
        return KINDS[code]
    if status is None or status < 400:
        return ShippingError
    if status >= 500:
        return ServerError
    return BY_STATUS.get(status, InvalidRequestError)


def invalid_argument(message: str) -> InvalidArgumentError:
    """Creates the error for an invalid argument. Used before anything is sent."""
    return InvalidArgumentError("invalid_argument", message)
