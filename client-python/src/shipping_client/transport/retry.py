"""When to send a request again, and how long to wait before."""

from __future__ import annotations

import re
from email.utils import parsedate_to_datetime
from typing import Callable

from ..errors import KINDS

# What answers that may be followed by another attempt have in common: nothing was executed, or the key makes it harmless.
RETRYABLE_CODES = frozenset({"internal_error", "service_unavailable", "rate_limited", "idempotency_in_progress"})

# The statuses by which a code that is newer than this client goes.
RETRYABLE_STATUSES = frozenset({429, 500, 503})

FIRST_WAIT = 0.5
MAX_BACKOFF = 8.0
# A rate window lasts a minute. Whoever asks for more than a little over that is not waited for.
MAX_RETRY_AFTER = 65.0

_DATE = re.compile(r"[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT")


def is_retryable(status: int, code: str | None) -> bool:
    """Whether a refusal with this status and code, None if it is not the API's, may be answered otherwise next time."""
    if code is None:
        return status >= 500
    return code in RETRYABLE_CODES if code in KINDS else status in RETRYABLE_STATUSES


def seconds_of(retry_after: str | None, now: float) -> float | None:
    """The seconds that a `Retry-After` asks for; None if it says nothing that can be understood."""
    if retry_after is None:
        return None
    # A header that came twice is one with a comma. Of an integer, Python would limit the digits.
    if re.fullmatch(r"[0-9]+(, [0-9]+)*", retry_after):
        return max(map(float, retry_after.split(", ")))
    if not _DATE.fullmatch(retry_after):
        return None
    try:
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - now)
    # TypeError: of a month that it does not know, in Python 3.9.
    except (TypeError, ValueError):
        return None


def wait_before(retry: int, retry_after: float | None, random: Callable[[], float]) -> float | None:
    """
    Seconds until the next attempt, the first retry being number 0; None if the server asks for more than is waited.
    Without a wish of the server: half a second, doubled each time, less up to half of it.
    """
    if retry_after is not None and retry_after > MAX_RETRY_AFTER:
        return None
    if retry_after:
        return retry_after * (1 + random() / 10)
    return min(FIRST_WAIT * 2.0 ** min(retry, 10), MAX_BACKOFF) * (1 - random() / 2)
