# Made by `npm run generate` from the OpenAPI document: do not edit.
from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Union

# Before Python 3.11, type checkers alone know NotRequired.
if sys.version_info >= (3, 11):
    from typing import NotRequired
elif TYPE_CHECKING:
    from typing_extensions import NotRequired


class Address(TypedDict):
    """A sender or a recipient."""

    name: str
    """Name of the person or the business. At most 200 characters."""

    street1: str
    """Street and house number. At most 200 characters."""

    city: str
    """City. At most 200 characters."""

    postal_code: str
    """Postal code. At most 200 characters."""

    country: str
    """Two-letter country code, upper case."""

    company: NotRequired[str]
    """Company. At most 200 characters."""

    street2: NotRequired[str]
    """More of the street address. At most 200 characters."""

    state: NotRequired[str]
    """State or province. At most 200 characters."""

    email: NotRequired[str]
    """Email address; only its length is checked. At most 200 characters."""

    phone: NotRequired[str]
    """Phone number; only its length is checked. At most 200 characters."""


class Parcel(TypedDict):
    """The one packed parcel. The bounds are no promise that a carrier takes it."""

    weight_kg: float
    """Weight in kilograms. Greater than 0, at most 1000."""

    length_cm: float
    """Length in centimetres. Greater than 0, at most 1000."""

    width_cm: float
    """Width in centimetres. Greater than 0, at most 1000."""

    height_cm: float
    """Height in centimetres. Greater than 0, at most 1000."""


Metadata = dict[str, Any]
"""Your own JSON object, returned as sent: at most 4096 characters when serialized, 16 levels deep."""


_OrderInput = TypedDict("_OrderInput", {"from": "Address"})


class OrderInput(_OrderInput):
    """An order to create."""

    reference: str
    """Your own order or warehouse reference. It does not deduplicate. At most 200 characters."""

    to: Address
    """The recipient."""

    parcel: Parcel
    metadata: NotRequired[Metadata]


_ShipmentInput = TypedDict("_ShipmentInput", {"from": "Address"})


class ShipmentInput(_ShipmentInput):
    """A shipment to create: one parcel, whether or not it belongs to an order."""

    reference: str
    """Your own order or warehouse reference. It does not deduplicate. At most 200 characters."""

    to: Address
    """The recipient."""

    parcel: Parcel
    metadata: NotRequired[Metadata]
    order_id: NotRequired[str]
    """An existing order of the same account and environment."""


class RateInput(TypedDict):
    """The shipment to rate."""

    shipment_id: str
    """The shipment to rate."""


class LabelInput(TypedDict):
    shipment_id: str
    """The shipment to label."""

    rate_id: str
    """The rate that was returned for that very shipment."""

    format: NotRequired[Literal["pdf"]]
    """Only `pdf`."""


VoidInput = dict[str, Any]


class WebhookInput(TypedDict):
    url: str
    """HTTPS URL of a public host, port 443, without credentials or fragment. Names that are reserved for private use are refused. At most 2048 characters."""

    events: list[Literal["order.created", "shipment.created", "label.created", "label.voided"]]
    """One to four different event types."""


class AccountCapabilities(TypedDict):
    orders: bool
    shipments: bool
    webhooks: bool
    rates: bool
    labels: bool
    tracking: bool


class AccountLimits(TypedDict):
    requests_per_minute: int
    active_webhooks: int


class Account(TypedDict):
    """Identity and capabilities of the calling account."""

    id: str
    """Opaque id of the account."""

    object: Literal["account"]
    name: str
    environment: Literal["sandbox", "live"]
    """The environment of the calling key."""

    livemode: bool
    """True for records of the live environment."""

    api_version: Literal["v1"]
    scopes: list[str]
    """The scopes of the calling key."""

    capabilities: AccountCapabilities
    limits: AccountLimits
    created_at: str
    """ISO 8601 UTC with milliseconds."""


_Order = TypedDict("_Order", {"from": "Address"})


class Order(_Order):
    """An order."""

    id: str
    """Opaque id of an order."""

    object: Literal["order"]
    status: Literal["received"]
    reference: str
    """Your own reference."""

    to: Address
    parcel: Parcel
    metadata: NotRequired[Metadata]
    livemode: bool
    """True for records of the live environment."""

    created_at: str
    """ISO 8601 UTC with milliseconds."""


_Shipment = TypedDict("_Shipment", {"from": "Address"})


class Shipment(_Shipment):
    """A shipment of one packed parcel. It has at most one label, whose state its status follows."""

    id: str
    """Opaque id of a shipment."""

    object: Literal["shipment"]
    status: Literal["draft", "label_created", "voided"]
    reference: str
    """Your own reference."""

    to: Address
    parcel: Parcel
    metadata: NotRequired[Metadata]
    order_id: NotRequired[str]
    """Opaque id of an order."""

    label_id: NotRequired[str]
    """Opaque id of a label."""

    livemode: bool
    """True for records of the live environment."""

    created_at: str
    """ISO 8601 UTC with milliseconds."""


class Rate(TypedDict):
    """A fixed sandbox rate for one shipment."""

    id: str
    """`rate_test_` and the shipment's id."""

    object: Literal["rate"]
    shipment_id: str
    """Opaque id of a shipment."""

    carrier: Literal["service_sandbox"]
    service: Literal["sandbox_standard"]
    currency: Literal["EUR"]
    amount: Literal[5]
    """In major units: 5.00 euros."""

    test: Literal[True]
    """No valid postage, no offer: of the sandbox."""


class LabelCharge(TypedDict):
    currency: Literal["EUR"]
    amount: Literal[0]


class Label(TypedDict):
    """A label. Those of the sandbox are no valid postage and cost nothing."""

    id: str
    """Opaque id of a label."""

    object: Literal["label"]
    shipment_id: str
    """Opaque id of a shipment."""

    status: Literal["created", "voided"]
    carrier: Literal["service_sandbox"]
    tracking_number: str
    """The label's tracking number. Those of the sandbox start with `TEST`."""

    format: Literal["pdf"]
    download_path: str
    """Path of the file on this host."""

    charge: LabelCharge
    test: Literal[True]
    """No valid postage, no offer: of the sandbox."""

    created_at: str
    """ISO 8601 UTC with milliseconds."""

    voided_at: NotRequired[str]
    """Present once voided."""


class Tracking(TypedDict):
    """The tracking record of a sandbox label. It cannot be tracked through a carrier."""

    id: str
    """The label's tracking number. Those of the sandbox start with `TEST`."""

    object: Literal["tracking"]
    tracking_number: str
    """The label's tracking number. Those of the sandbox start with `TEST`."""

    status: Literal["pre_transit", "voided"]
    """`pre_transit` until the label is voided."""

    carrier: Literal["service_sandbox"]
    label_id: str
    """Opaque id of a label."""

    shipment_id: str
    """Opaque id of a shipment."""

    events: list[dict[str, Any]]
    """Always empty in the sandbox."""

    test: Literal[True]
    """No valid postage, no offer: of the sandbox."""

    created_at: str
    """When the label was created."""

    updated_at: str
    """When the label was last changed."""


class Webhook(TypedDict):
    """A webhook subscription."""

    id: str
    """Opaque id of a webhook subscription."""

    object: Literal["webhook"]
    url: str
    events: list[Literal["order.created", "shipment.created", "label.created", "label.voided"]]
    status: Literal["active", "disabled"]
    livemode: bool
    """True for records of the live environment."""

    created_at: str
    """ISO 8601 UTC with milliseconds."""

    disabled_at: NotRequired[str]
    """Present once disabled."""


class CreatedWebhook(TypedDict):
    """A webhook subscription that was just created."""

    id: str
    """Opaque id of a webhook subscription."""

    object: Literal["webhook"]
    url: str
    events: list[Literal["order.created", "shipment.created", "label.created", "label.voided"]]
    status: Literal["active", "disabled"]
    livemode: bool
    """True for records of the live environment."""

    created_at: str
    """ISO 8601 UTC with milliseconds."""

    disabled_at: NotRequired[str]
    """Present once disabled."""

    secret: str
    """Signs every delivery. This answer alone shows it."""


class OrderCreatedEvent(TypedDict):
    """An order was created."""

    id: str
    """The same in every delivery of this event. Starts with `evt_`."""

    type: Literal["order.created"]
    livemode: bool
    """False in the sandbox."""

    created_at: str
    """When it happened: ISO 8601 UTC with milliseconds."""

    data: Order


class ShipmentCreatedEvent(TypedDict):
    """A shipment was created."""

    id: str
    """The same in every delivery of this event. Starts with `evt_`."""

    type: Literal["shipment.created"]
    livemode: bool
    """False in the sandbox."""

    created_at: str
    """When it happened: ISO 8601 UTC with milliseconds."""

    data: Shipment


class LabelCreatedEvent(TypedDict):
    """A label was created."""

    id: str
    """The same in every delivery of this event. Starts with `evt_`."""

    type: Literal["label.created"]
    livemode: bool
    """False in the sandbox."""

    created_at: str
    """When it happened: ISO 8601 UTC with milliseconds."""

    data: Label


class LabelVoidedEvent(TypedDict):
    """A label was voided."""

    id: str
    """The same in every delivery of this event. Starts with `evt_`."""

    type: Literal["label.voided"]
    livemode: bool
    """False in the sandbox."""

    created_at: str
    """When it happened: ISO 8601 UTC with milliseconds."""

    data: Label


ErrorCode = Literal["bad_request", "invalid_json", "unauthorized", "missing_scope", "not_found", "idempotency_conflict", "idempotency_in_progress", "label_exists", "shipment_voided", "label_voided", "webhook_limit_reached", "payload_too_large", "unsupported_media_type", "invalid_request", "rate_limited", "internal_error", "carrier_not_configured", "service_unavailable"]
"""What went wrong, for programs: it does not change."""


class FieldError(TypedDict):
    """A field at fault."""

    path: str
    """Dotted path, for instance `to.country`."""

    message: str
    """The rule that it breaks."""


class ErrorBodyError(TypedDict):
    code: ErrorCode
    message: str
    """For people: it may change."""

    request_id: str
    """Equals `X-Request-Id`; quote it when you ask for help."""

    fields: NotRequired[list[FieldError]]
    """Every field at fault; with status 422 only."""


class ErrorBody(TypedDict):
    """Every failure."""

    error: ErrorBodyError


WebhookEvent = Union[OrderCreatedEvent, ShipmentCreatedEvent, LabelCreatedEvent, LabelVoidedEvent]
"""What a delivery brings: `type` tells which it is. `data` is the resource as it was then. Ignore members and types that
you do not know."""
