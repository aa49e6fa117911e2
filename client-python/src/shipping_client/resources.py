from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Callable

from .gen.api_types import (
    Account,
    CreatedWebhook,
    Label,
    LabelInput,
    Order,
    OrderInput,
    Rate,
    RateInput,
    Shipment,
    ShipmentInput,
    Tracking,
    Webhook,
    WebhookInput,
)
from .listing import Listing, ListOptions
from .transport.operation import Operation, ReadOptions, WriteOptions

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Resource:
    def __init__(self, send: Callable[[Operation], Any]) -> None:
        self._send = send

    def _read(self, path: list[str], options: ReadOptions) -> Any:
        return self._send(Operation("GET", path, "data", options))

    def _read_file(self, path: list[str], options: ReadOptions) -> Any:
        return self._send(Operation("GET", path, "file", options))

    def _list(self, path: str, options: ListOptions) -> Listing[Any]:
        def fetch(given: Mapping[str, Any]) -> Any:
            rest: dict[str, Any] = dict(given)
            query = {"limit": rest.pop("limit", None), "after": rest.pop("after", None)}
            return self._send(Operation("GET", [path], "page", rest, query=query))

        return Listing(fetch, options)

    def _post(self, path: list[str], body: Any, options: WriteOptions) -> Any:
        return self._send(Operation("POST", path, "data", options, body=body))

    def _delete(self, path: list[str], options: WriteOptions) -> Any:
        return self._send(Operation("DELETE", path, "data", options))


class AccountResource(Resource):
    def get(self, **options: Unpack[ReadOptions]) -> Account:
        """The account of the API key and its capabilities. Scope `account:read`."""
        return self._read(["account"], options)  # type: ignore[no-any-return]


class OrdersResource(Resource):
    def create(self, input: OrderInput, **options: Unpack[WriteOptions]) -> Order:
        """Creates an order. Scope `orders:write`."""
        return self._post(["orders"], input, options)  # type: ignore[no-any-return]

    def list(self, **options: Unpack[ListOptions]) -> Listing[Order]:
        """All orders. Scope `orders:read`."""
        return self._list("orders", options)

    def get(self, id: str, **options: Unpack[ReadOptions]) -> Order:
        """An order by its ID. Scope `orders:read`."""
        return self._read(["orders", id], options)  # type: ignore[no-any-return]


class ShipmentsResource(Resource):
    def create(self, input: ShipmentInput, **options: Unpack[WriteOptions]) -> Shipment:
        """Creates a shipment of one packed parcel, for an order or without one. Scope `shipments:write`."""
        return self._post(["shipments"], input, options)  # type: ignore[no-any-return]

    def list(self, **options: Unpack[ListOptions]) -> Listing[Shipment]:
        """All shipments. Scope `shipments:read`."""
        return self._list("shipments", options)

    def get(self, id: str, **options: Unpack[ReadOptions]) -> Shipment:
        """A shipment by its ID. Scope `shipments:read`."""
        return self._read(["shipments", id], options)  # type: ignore[no-any-return]


class RatesResource(Resource):
    def create(self, input: RateInput, **options: Unpack[WriteOptions]) -> list[Rate]:
        """Requests the rates of a shipment. Scope `rates:read`, sandbox only."""
        return self._post(["rates"], input, options)  # type: ignore[no-any-return]


class LabelsResource(Resource):
    def create(self, input: LabelInput, **options: Unpack[WriteOptions]) -> Label:
        """Creates the label of a shipment with one of its rates. Scope `labels:write`, sandbox only."""
        return self._post(["labels"], input, options)  # type: ignore[no-any-return]

    def list(self, **options: Unpack[ListOptions]) -> Listing[Label]:
        """All labels. Scope `labels:read`."""
        return self._list("labels", options)

    def get(self, id: str, **options: Unpack[ReadOptions]) -> Label:
        """A label by its ID. Scope `labels:read`."""
        return self._read(["labels", id], options)  # type: ignore[no-any-return]

    def file(self, id: str, **options: Unpack[ReadOptions]) -> bytes:
        """Downloads the PDF of a label. Scope `labels:read`."""
        return self._read_file(["labels", id, "file"], options)  # type: ignore[no-any-return]

    def void(self, id: str, **options: Unpack[WriteOptions]) -> Label:
        """Voids a label and its shipment. Scope `labels:write`."""
        return self._post(["labels", id, "void"], {}, options)  # type: ignore[no-any-return]


class TrackingResource(Resource):
    def get(self, tracking_number: str, **options: Unpack[ReadOptions]) -> Tracking:
        """The tracking record of a label, by its tracking number. Scope `shipments:read`, sandbox only."""
        return self._read(["tracking", tracking_number], options)  # type: ignore[no-any-return]


class WebhooksResource(Resource):
    def create(self, input: WebhookInput, **options: Unpack[WriteOptions]) -> CreatedWebhook:
        """Subscribes a URL to events. Only this response contains the `secret`. Scope `webhooks:write`."""
        return self._post(["webhooks"], input, options)  # type: ignore[no-any-return]

    def list(self, **options: Unpack[ListOptions]) -> Listing[Webhook]:
        """All subscriptions, including disabled ones. Scope `webhooks:read`."""
        return self._list("webhooks", options)

    def get(self, id: str, **options: Unpack[ReadOptions]) -> Webhook:
        """A subscription by its ID. Scope `webhooks:read`."""
        return self._read(["webhooks", id], options)  # type: ignore[no-any-return]

    def disable(self, id: str, **options: Unpack[WriteOptions]) -> Webhook:
        """Disables a subscription. A delivery that is already on its way can still arrive. Scope `webhooks:write`."""
        return self._delete(["webhooks", id], options)  # type: ignore[no-any-return]
