"""Functions for receivers of events and their tests. They need a subscription's secret, but no API key."""

from __future__ import annotations

import hashlib
import hmac
import inspect
import json
import math
import re
import time
from collections.abc import Iterable, Sequence
from typing import Any, Callable, Union, cast

from .errors import WebhookVerificationError, invalid_argument
from .gen.api_types import WebhookEvent

RawBody = Union[bytes, bytearray, memoryview, str]
"""The body of a delivery as it arrived."""

# The format is strict on purpose: `t` once, only digits, at most ten signatures, no unknown entries.
_HEADER = re.compile(r"t=([0-9]{1,12})((?:,v1=[0-9a-f]{64}){1,10})")

# Environment files and secret stores add these: white space, invisible characters, quotes, separators, and the backslash of a line break.
_NOT_IN_SECRETS = re.compile(r"[\s\u200b-\u200f\u2060\ufeff\"'`\\,;]|.whsec_")

_NO_MATCH = "The signature does not match: the secret is wrong, or the body was changed."
_EMPTY_BODY = (
    "The body is empty, so the signature does not match. It was probably read before, or Content-Length was ignored: "
    "verify first, or pass the bytes that were read."
)

_HOW_TO_STAY_RAW = """
Django: request.body
Flask: request.get_data()
FastAPI and Starlette: await request.body()"""


def verify_webhook(
    payload: RawBody,
    headers: Any,
    secret: str | Sequence[str],
    *,
    tolerance: float = 300,
    max_bytes: int = 262_144,
    now: Callable[[], float] = time.time,
) -> WebhookEvent:
    """
    Checks that a delivery is recent and comes from the platform, and returns its event. Raises WebhookVerificationError if it is neither.

    `payload` is the body as it arrived; `headers` are those of the request, or the value of `Service-Signature` alone;
    `secret` is the whole `whsec_…`, or several of them while you change from one to the next. `tolerance` is how many
    seconds the signature's time may be from yours, in either direction. A body above `max_bytes` is refused before it is
    hashed; deliveries are smaller than 65,536.
    """
    if not isinstance(payload, (str, bytes, bytearray, memoryview)):
        raise WebhookVerificationError("parsed_body", _what_it_is(payload) + _HOW_TO_STAY_RAW)
    secrets = [secret] if isinstance(secret, str) else secret
    keys = [_to_key(one) for one in secrets] if isinstance(secrets, Sequence) else []
    if not keys:
        raise invalid_argument("secret must be the complete whsec_… string, or a list of them.")
    # NaN would accept any time.
    if isinstance(tolerance, bool) or not isinstance(tolerance, (int, float)) or not 0 <= tolerance < math.inf:
        raise invalid_argument("tolerance must be a number of seconds, 0 or more.")
    if isinstance(max_bytes, bool) or not isinstance(max_bytes, int) or max_bytes < 1:
        raise invalid_argument("max_bytes must be an integer above 0.")
    signature = _find_signature(headers)
    if not signature:
        raise _invalid_signature("The Service-Signature header is missing.")
    match = _HEADER.fullmatch(signature)
    if match is None:
        raise _invalid_signature("The Service-Signature header is malformed.")
    signed_at, digests = match.group(1), match.group(2)[len(",v1=") :].split(",v1=")
    age = math.floor(now()) - int(signed_at)
    if abs(age) > tolerance:
        raise _invalid_signature(f"Signed {abs(age)} s {'ahead of' if age < 0 else 'behind'} this machine's clock.")
    # No text has fewer bytes than it has characters.
    body = None if _length(payload) > max_bytes else _to_bytes(payload)
    if body is None or len(body) > max_bytes:
        raise _invalid_signature(f"The body is longer than {max_bytes} bytes.")
    if not _is_signed(keys, signed_at, body, digests):
        raise _invalid_signature(_NO_MATCH if body else _EMPTY_BODY)
    return _parse_event(body)


def test_header(payload: RawBody, secret: str, *, timestamp: int | None = None) -> str:
    """Returns the header `Service-Signature` that the platform would send with this body, for tests of your receiver."""
    body = _to_bytes(payload)
    if body is None:
        raise invalid_argument("payload must be the text or the bytes that you send, such as json.dumps(event).")
    key = _to_key(secret)
    if timestamp is None:
        timestamp = int(time.time())
    if isinstance(timestamp, bool) or not isinstance(timestamp, int) or not 0 <= timestamp <= 999_999_999_999:
        raise invalid_argument("timestamp must be a time in whole seconds.")
    return f"t={timestamp},v1={_digest(key, str(timestamp), body)}"


# Without this attribute, pytest would collect it as a test because of its name.
test_header.__test__ = False  # type: ignore[attr-defined]


def _what_it_is(payload: object) -> str:
    """Says what was passed instead of a body. Coroutines have to be closed, or Python warns that they were never awaited."""
    if payload is None:
        return "The body is None. Read the raw body instead."
    if inspect.iscoroutine(payload):
        payload.close()
        return "This is a coroutine. Await it, and pass what it returns."
    if inspect.isawaitable(payload):
        return "This is an awaitable. Await it, and pass what it returns."
    if any(hasattr(payload, name) for name in ("headers", "META")):
        return "This is a request, not its body. Read the raw body instead."
    if hasattr(payload, "read"):
        return "This is a stream or a file. Read it, and pass the bytes."
    if callable(payload):
        return "This is a function or a method. Call it, and pass the bytes that it returns."
    return "The body was parsed before it was verified, so its original bytes are gone. Read the raw body instead."


def _length(payload: RawBody) -> int:
    return payload.nbytes if isinstance(payload, memoryview) else len(payload)


def _to_bytes(payload: object) -> bytes | None:
    if isinstance(payload, str):
        # A lone surrogate cannot have been sent, so no signature will match.
        return payload.encode("utf-8", "surrogatepass")
    return bytes(payload) if isinstance(payload, (bytes, bytearray, memoryview)) else None


def _to_key(secret: object) -> bytes:
    if isinstance(secret, str) and "whsec_" in secret and _NOT_IN_SECRETS.search(secret):
        raise invalid_argument(
            "secret has something beside the whsec_… string, such as quotes, a space or a line break. "
            "Pass the whsec_… string alone."
        )
    # With an empty secret, anyone could sign.
    if not isinstance(secret, str) or not re.match(r"whsec_.", secret, re.DOTALL):
        raise invalid_argument("secret must be the complete whsec_… string, or a list of them.")
    return secret.encode("utf-8", "surrogatepass")


def _find_signature(headers: Any) -> str | None:
    """The header in the headers of any framework. If it is repeated, the joined value is malformed and refused."""
    if headers is None or isinstance(headers, str):
        return headers
    items = getattr(headers, "items", None)
    if items is None:
        raise invalid_argument("headers must be the headers of the request, or the value of Service-Signature.")
    pairs: Iterable[Any] = items()
    values = [value for name, value in pairs if str(name).lower() == "service-signature"]
    for value in values:
        if not isinstance(value, str):
            raise invalid_argument(f"headers: Service-Signature must be a str, not a {type(value).__name__}.")
    return ",".join(values)


def _is_signed(keys: Sequence[bytes], signed_at: str, body: bytes, digests: Sequence[str]) -> bool:
    """Whether one of the digests matches. Computes one for each key, and compares all, in constant time."""
    expected = [_digest(key, signed_at, body) for key in keys]
    checks = [hmac.compare_digest(one, digest) for one in expected for digest in digests]
    return any(checks)


def _digest(key: bytes, signed_at: str, body: bytes) -> str:
    digest = hmac.new(key, f"{signed_at}.".encode(), hashlib.sha256)
    digest.update(body)
    return digest.hexdigest()


def _parse_event(body: bytes) -> WebhookEvent:
    try:
        # Ignores a byte order mark.
        event = json.loads(body.decode("utf-8-sig"))
    except (ValueError, RecursionError) as cause:
        message = "The signature is valid, but the body is not JSON."
        raise WebhookVerificationError("invalid_event", message) from cause
    if not isinstance(event, dict):
        raise WebhookVerificationError("invalid_event", "The signature is valid, but the body is not a JSON object.")
    return cast(WebhookEvent, event)


def _invalid_signature(message: str) -> WebhookVerificationError:
    return WebhookVerificationError("invalid_signature", message)
