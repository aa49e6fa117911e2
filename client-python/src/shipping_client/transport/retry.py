"""When to send a request again, and how long to wait before."""

from __future__ import annotations

import re
from email.utils import parsedate_to_datetime
from typing import Callable

from ..errors import KINDS

# Codes after which a retry is safe: the request was not executed, or the idempotency key prevents a second execution.
RETRYABLE_CODES = frozenset({"internal_error", "service_unavailable", "rate_limited", "idempotency_in_progress"})

# For codes that are newer than this client, the status decides.
RETRYABLE_STATUSES = frozenset({429, 500, 503})

FIRST_WAIT = 0.5
MAX_BACKOFF = 8.0
# A rate window lasts one minute. If the server asks for much longer, the client gives up.
MAX_RETRY_AFTER = 65.0

_DATE = re.compile(r"[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT")


def is_retryable(status: int, code: str | None) -> bool:
    """Whether a retry may succeed. `code` is None if the response is not from the API."""
    if code is None:
        return status >= 500
    return code in RETRYABLE_CODES if code in KINDS else status in RETRYABLE_STATUSES


def parse_retry_after(retry_after: str | None, now: float) -> float | None:
    """The seconds to wait; None if the header is missing or invalid."""
    if retry_after is None:
        return None
    # Repeated headers are joined with a comma. `int` would limit the number of digits.
    if re.fullmatch(r"[0-9]+(, [0-9]+)*", retry_after):
        return max(map(float, retry_after.split(", ")))
    if not _DATE.fullmatch(retry_after):
        return None
    try:
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - now)
    # TypeError: Python 3.9 raises it for an unknown month.
    except (TypeError, ValueError):
        return None


def backoff(retry: int, retry_after: float | None, random: Callable[[], float]) -> float | None:
    """
    Seconds until the next attempt; the first retry is number 0. None if the server asks for too long a wait. Without
    Retry-After: half a second, doubled with each retry, minus up to half of it as jitter.
    """
    if retry_after is not None and retry_after > MAX_RETRY_AFTER:
        return None
    if retry_after:
        return retry_after * (1 + random() / 10)
    return min(FIRST_WAIT * 2.0 ** min(retry, 10), MAX_BACKOFF) * (1 - random() / 2)
