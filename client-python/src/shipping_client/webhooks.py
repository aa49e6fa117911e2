"""Functions for receivers of events and their tests. They need a subscription's secret, but no API key."""

from __future__ import annotations

import hashlib
import hmac
import json
import math
import re
import time
from collections.abc import Iterable, Sequence
from typing import Any, Callable, Union, cast

from .errors import WebhookVerificationError, refused
from .gen.api_types import WebhookEvent

RawBody = Union[bytes, bytearray, memoryview, str]
"""The body of a delivery as it arrived."""

# Strict on purpose: `t` once, digits alone, and nothing that is not understood.
_HEADER = re.compile(r"t=([0-9]{1,12})((?:,v1=[0-9a-f]{64})+)")

PARSED_BODY = """The body was parsed before it was verified, so its original bytes are gone. Read the raw body instead.
Django: request.body
Flask: request.get_data()
FastAPI and Starlette: await request.body()"""


def verify_webhook(
    payload: RawBody,
    headers: Any,
    secret: str | Sequence[str],
    *,
    tolerance: float = 300,
    now: Callable[[], float] = time.time,
) -> WebhookEvent:
    """
    Checks that a delivery is recent and comes from the platform, and returns its event. Raises WebhookVerificationError if it is neither.

    `payload` is the body as it arrived; `headers` are those of the request, or the value of `Service-Signature` alone;
    `secret` is the whole `whsec_…`, or several of them while you change from one to the next. `tolerance` is how many
    seconds the signature's time may be from yours, in either direction.
    """
    body = _bytes_of(payload)
    if body is None:
        raise WebhookVerificationError("parsed_body", PARSED_BODY)
    secrets = [secret] if isinstance(secret, str) else secret
    keys = [_key_of(one) for one in secrets] if isinstance(secrets, Sequence) else []
    if not keys:
        raise refused("secret must be the complete whsec_… string, or a list of them.")
    # NaN would let any time pass.
    if isinstance(tolerance, bool) or not isinstance(tolerance, (int, float)) or not 0 <= tolerance < math.inf:
        raise refused("tolerance must be a number of seconds, 0 or more.")
    signature = _signature_in(headers)
    if not signature:
        raise _invalid("The Service-Signature header is missing.")
    match = _HEADER.fullmatch(signature)
    if match is None:
        raise _invalid("The Service-Signature header is malformed.")
    signed_at, digests = match.group(1), match.group(2)[len(",v1=") :].split(",v1=")
    if not _is_signed(keys, signed_at, body, digests):
        raise _invalid("The signature does not match: the secret is wrong, or the body was changed.")
    age = math.floor(now()) - int(signed_at)
    if abs(age) > tolerance:
        raise _invalid(f"Signed {abs(age)} s {'ahead of' if age < 0 else 'behind'} this machine's clock.")
    return _event_in(body)


def test_header(payload: RawBody, secret: str, *, timestamp: int | None = None) -> str:
    """Returns the header `Service-Signature` that the platform would send with this body, for tests of your receiver."""
    body = _bytes_of(payload)
    if body is None:
        raise refused("payload must be the text or the bytes that you send, such as json.dumps(event).")
    key = _key_of(secret)
    if timestamp is None:
        timestamp = int(time.time())
    if isinstance(timestamp, bool) or not isinstance(timestamp, int) or not 0 <= timestamp <= 999_999_999_999:
        raise refused("timestamp must be a time in whole seconds.")
    return f"t={timestamp},v1={_digest(key, str(timestamp), body)}"


# Its name begins as those of tests do: pytest would take it for one.
test_header.__test__ = False  # type: ignore[attr-defined]


def _bytes_of(payload: object) -> bytes | None:
    if isinstance(payload, str):
        # What cannot be encoded was never sent, so that no signature fits.
        return payload.encode("utf-8", "surrogatepass")
    return bytes(payload) if isinstance(payload, (bytes, bytearray, memoryview)) else None


def _key_of(secret: object) -> bytes:
    # With an empty one, anybody could sign.
    if not isinstance(secret, str) or not re.match(r"whsec_.", secret, re.DOTALL):
        raise refused("secret must be the complete whsec_… string, or a list of them.")
    return secret.encode("utf-8", "surrogatepass")


def _signature_in(headers: Any) -> str | None:
    """The header's value, whatever the framework's headers are. One that came twice is two, and refused."""
    if headers is None or isinstance(headers, str):
        return headers
    items = getattr(headers, "items", None)
    if items is None:
        raise refused("headers must be the headers of the request, or the value of Service-Signature.")
    pairs: Iterable[Any] = items()
    values = [value for name, value in pairs if str(name).lower() == "service-signature"]
    for value in values:
        if not isinstance(value, str):
            raise refused(f"headers: Service-Signature must be a str, not a {type(value).__name__}.")
    return ",".join(values)


def _is_signed(keys: Sequence[bytes], signed_at: str, body: bytes, digests: Sequence[str]) -> bool:
    """Whether one of the digests is right. Each is compared, and in constant time."""
    checks = [hmac.compare_digest(_digest(key, signed_at, body), digest) for key in keys for digest in digests]
    return any(checks)


def _digest(key: bytes, signed_at: str, body: bytes) -> str:
    return hmac.new(key, f"{signed_at}.".encode() + body, hashlib.sha256).hexdigest()


def _event_in(body: bytes) -> WebhookEvent:
    try:
        # A byte order mark is no part of the JSON.
        event = json.loads(body.decode("utf-8-sig"))
    except (ValueError, RecursionError) as cause:
        message = "The signature is valid, but the body is not JSON."
        raise WebhookVerificationError("invalid_event", message) from cause
    if not isinstance(event, dict):
        raise WebhookVerificationError("invalid_event", "The signature is valid, but the body is not a JSON object.")
    return cast(WebhookEvent, event)


def _invalid(message: str) -> WebhookVerificationError:
    return WebhookVerificationError("invalid_signature", message)
