from __future__ import annotations

import random as randomness
import ssl
import time
from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable

from .errors import invalid_argument
from .hooks import OnRequest, OnResponse
from .resources import (
    AccountResource,
    LabelsResource,
    OrdersResource,
    RatesResource,
    ShipmentsResource,
    TrackingResource,
    WebhooksResource,
)
from .settings import UNSET, Settings, Unset, checked_hook, checked_retries, checked_seconds, read_access
from .transport.connections import Connections
from .transport.operation import Operation
from .transport.send import send

if TYPE_CHECKING:
    from typing_extensions import Self


class Shipping:
    """
    A client of the API with one API key. Threads may share it.

    By default, `api_key` and `base_url` are the environment variables `SHIPPING_KEY` and `SHIPPING_URL`. `allow_http` allows
    `http` to other hosts than loopback: everyone on the way can read the API key. `timeout` is how many seconds one attempt
    may take, `retries` how often a request that failed is sent again, `deadline` how many seconds a whole call may take.
    `on_request` and `on_response` are called for each attempt, for logs and metrics: what they raise is ignored.
    `ssl_context` decides about certificates. `now`, `random` and `sleep` are for tests.
    """

    account: AccountResource
    orders: OrdersResource
    shipments: ShipmentsResource
    rates: RatesResource
    labels: LabelsResource
    tracking: TrackingResource
    webhooks: WebhooksResource

    def __init__(
        self,
        api_key: str | Unset = UNSET,
        base_url: str | Unset = UNSET,
        *,
        allow_http: bool = False,
        timeout: float = 20.0,
        retries: int = 3,
        deadline: float | None = None,
        on_request: OnRequest | None = None,
        on_response: OnResponse | None = None,
        ssl_context: ssl.SSLContext | None = None,
        now: Callable[[], float] = time.time,
        random: Callable[[], float] = randomness.random,
        sleep: Callable[[float], Any] = time.sleep,
    ) -> None:
        key, url = read_access(api_key, base_url, allow_http)
        if ssl_context is not None and not isinstance(ssl_context, ssl.SSLContext):
            raise invalid_argument("ssl_context must be an ssl.SSLContext.")
        settings = Settings(
            api_key=key,
            base_url=url,
            timeout=checked_seconds(timeout, "timeout"),
            retries=checked_retries(retries),
            deadline=None if deadline is None else checked_seconds(deadline, "deadline"),
            on_request=checked_hook(on_request, "on_request"),
            on_response=checked_hook(on_response, "on_response"),
            now=now,
            random=random,
            sleep=sleep,
        )
        connections = Connections(url, ssl_context)

        # The settings are in a closure, so that printing the client does not print its API key.
        def send_operation(operation: Operation) -> Any:
            return send(settings, connections, operation)

        self._base_url = url
        self._connections = connections
        self.account = AccountResource(send_operation)
        self.orders = OrdersResource(send_operation)
        self.shipments = ShipmentsResource(send_operation)
        self.rates = RatesResource(send_operation)
        self.labels = LabelsResource(send_operation)
        self.tracking = TrackingResource(send_operation)
        self.webhooks = WebhooksResource(send_operation)

    def __repr__(self) -> str:
        return f"<Shipping {self._base_url}>"

    def close(self) -> None:
        """Closes the connections that are kept open for the next request. The client can still be used."""
        self._connections.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()
