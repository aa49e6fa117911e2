from __future__ import annotations

import math
import os
import re
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any, Callable
from urllib.parse import SplitResult, urlsplit

from .errors import invalid_argument
from .hooks import OnRequest, OnResponse


class Unset:
    """The default of every option. It differs from None, which shows that the caller meant to set the option."""

    def __repr__(self) -> str:
        return "…"


UNSET = Unset()

MAX_TIMEOUT = 86_400.0


@dataclass(frozen=True)
class Settings:
    """The options of a client, checked, with defaults for those that are missing."""

    api_key: str = field(repr=False)
    base_url: str
    timeout: float
    retries: int
    deadline: float | None
    on_request: OnRequest | None
    on_response: OnResponse | None
    now: Callable[[], float]
    random: Callable[[], float]
    sleep: Callable[[float], Any]


def read_access(api_key: object, base_url: object, allow_http: object) -> tuple[str, str]:
    """The key and the base URL, from the options or the environment. One error names all that are missing."""
    key, key_name = _given_or_variable(api_key, "api_key", "SHIPPING_KEY")
    url, url_name = _given_or_variable(base_url, "base_url", "SHIPPING_URL")
    missing = [
        f"{option} or {variable}"
        for value, option, variable in ((key, "api_key", "SHIPPING_KEY"), (url, "base_url", "SHIPPING_URL"))
        if value is UNSET
    ]
    if missing:
        raise invalid_argument(
            f"Missing: {', and '.join(missing)}. Pass the option to Shipping(), or set the environment variable."
        )
    if not isinstance(allow_http, bool):
        raise invalid_argument("allow_http must be True or False.")
    return _checked_key(key, key_name), _checked_url(url, url_name, allow_http)


def _given_or_variable(value: object, option: str, variable: str) -> tuple[object, str]:
    # None is refused instead of replaced, because the key in the environment may belong to another account.
    if value is not UNSET:
        return value, option
    return os.environ.get(variable) or UNSET, variable


def _checked_key(value: object, name: str) -> str:
    if value is None or value == "":
        raise invalid_argument(f"{name} is missing: it is {value!r}.")
    if not isinstance(value, str) or not re.fullmatch(r"[!-~]+", value):
        raise invalid_argument(f"{name} must be an API key alone, without the word Bearer, spaces or line breaks.")
    return value


def _checked_url(value: object, name: str, allow_http: bool) -> str:
    parts = _split(value) if isinstance(value, str) else None
    if (
        not isinstance(value, str)
        or not re.fullmatch(r"[!-~]+", value)
        or re.search(r"[?#@\\]", value)
        or parts is None
        or parts.scheme not in ("http", "https")
        or not parts.hostname
    ):
        raise invalid_argument(f"{name} must be an http or https URL without credentials, query or fragment.")
    if parts.scheme == "http" and not allow_http and not _is_loopback(parts.hostname):
        raise invalid_argument(
            f"{name} must be https, otherwise others can read your API key. To use http anyway, pass allow_http."
        )
    return value.rstrip("/")


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _split(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        # `port` raises ValueError if the port is invalid.
        return parts if parts.port != 0 else None
    except ValueError:
        return None


def checked_retries(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise invalid_argument("retries must be an integer of 0 or more.")
    return value


def checked_seconds(value: object, name: str) -> float:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or not math.isfinite(value) or not 0 < value <= MAX_TIMEOUT:  # type: ignore[arg-type, operator]
        raise invalid_argument(f"{name} must be a number of seconds greater than 0, at most {MAX_TIMEOUT:.0f}.")
    return float(value)  # type: ignore[arg-type]


def checked_hook(value: Any, name: str) -> Any:
    if value is not None and not callable(value):
        raise invalid_argument(f"{name} must be a function.")
    return value
