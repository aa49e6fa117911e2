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
    """Name of the person or company. At most 200 characters."""

    street1: str
    """Street and house number. At most 200 characters."""

    city: str
    """City. At most 200 characters."""

    postal_code: str
    """Postal code. At most 200 characters."""

    country: str
    """Two-letter country code in upper case, such as `DE`."""

    company: NotRequired[str]
    """Company. At most 200 characters."""

    street2: NotRequired[str]
    """Additional address line. At most 200 characters."""

    state: NotRequired[str]
    """State or province. At most 200 characters."""

    email: NotRequired[str]
    """Email address; only its length is checked. At most 200 characters."""

    phone: NotRequired[str]
    """Phone number. Only the length is checked. At most 200 characters."""


class Parcel(TypedDict):
    """The packed parcel. These limits do not guarantee that a carrier accepts it."""

    weight_kg: float
    """Weight in kilograms. Greater than 0, at most 1000."""

    length_cm: float
    """Length in centimetres. Greater than 0, at most 1000."""

    width_cm: float
    """Width in centimetres. Greater than 0, at most 1000."""

    height_cm: float
    """Height in centimetres. Greater than 0, at most 1000."""


Metadata = dict[str, Any]
"""Your own JSON object, returned as you sent it. At most 4096 characters when serialized, and 16 levels deep."""


_OrderInput = TypedDict("_OrderInput", {"from": "Address"})


class OrderInput(_OrderInput):
    """An order to create."""

    reference: str
    """Your own order or warehouse reference. It does not have to be unique. At most 200 characters."""

    to: Address
    """The recipient."""

    parcel: Parcel
    metadata: NotRequired[Metadata]


_ShipmentInput = TypedDict("_ShipmentInput", {"from": "Address"})


class ShipmentInput(_ShipmentInput):
    """A shipment of one parcel to create. It can belong to an order."""

    reference: str
    """Your own order or warehouse reference. It does not have to be unique. At most 200 characters."""

    to: Address
    """The recipient."""

    parcel: Parcel
    metadata: NotRequired[Metadata]
    order_id: NotRequired[str]
    """ID of an existing order in the same account and environment."""


class RateInput(TypedDict):
    """ID of the shipment."""

    shipment_id: str
    """ID of the shipment."""


class LabelInput(TypedDict):
    shipment_id: str
    """ID of the shipment."""

    rate_id: str
    """ID of a rate of the same shipment."""

    format: NotRequired[Literal["pdf"]]
    """File format of the label."""


VoidInput = dict[str, Any]


class WebhookInput(TypedDict):
    url: str
    """HTTPS URL with a public host name and port 443, without credentials or a fragment. Names that are reserved for private use are refused. At most 2048 characters."""

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
    """The account that the API key belongs to."""

    id: str
    """ID of the account. Opaque."""

    object: Literal["account"]
    name: str
    environment: Union[Literal["sandbox", "live"], str]
    """The environment of the API key."""

    livemode: bool
    """True for records of the live environment."""

    api_version: Union[Literal["v1"], str]
    scopes: list[str]
    """The scopes of the API key."""

    capabilities: AccountCapabilities
    limits: AccountLimits
    created_at: str
    """ISO 8601 in UTC, with milliseconds."""


_Order = TypedDict("_Order", {"from": "Address"})


class Order(_Order):
    """An order."""

    id: str
    """ID of an order. Opaque."""

    object: Literal["order"]
    status: Union[Literal["received"], str]
    reference: str
    """Your own reference."""

    to: Address
    parcel: Parcel
    metadata: NotRequired[Metadata]
    livemode: bool
    """True for records of the live environment."""

    created_at: str
    """ISO 8601 in UTC, with milliseconds."""


_Shipment = TypedDict("_Shipment", {"from": "Address"})


class Shipment(_Shipment):
    """A shipment of one packed parcel. It has at most one label. Its status follows the state of the label."""

    id: str
    """ID of a shipment. Opaque."""

    object: Literal["shipment"]
    status: Union[Literal["draft", "label_created", "voided"], str]
    reference: str
    """Your own reference."""

    to: Address
    parcel: Parcel
    metadata: NotRequired[Metadata]
    order_id: NotRequired[str]
    """ID of an order. Opaque."""

    label_id: NotRequired[str]
    """ID of a label. Opaque."""

    livemode: bool
    """True for records of the live environment."""

    created_at: str
    """ISO 8601 in UTC, with milliseconds."""


class Rate(TypedDict):
    """A fixed sandbox rate for one shipment."""

    id: str
    """`rate_test_` followed by the ID of the shipment."""

    object: Literal["rate"]
    shipment_id: str
    """ID of a shipment. Opaque."""

    carrier: Union[Literal["service_sandbox"], str]
    service: Union[Literal["sandbox_standard"], str]
    currency: Union[Literal["EUR"], str]
    amount: float
    """Amount in major units, such as 5.00 euros."""

    test: bool
    """True in the sandbox: not valid postage and not an offer."""


class LabelCharge(TypedDict):
    currency: Union[Literal["EUR"], str]
    amount: float


class Label(TypedDict):
    """A label. Sandbox labels are not valid postage and are free."""

    id: str
    """ID of a label. Opaque."""

    object: Literal["label"]
    shipment_id: str
    """ID of a shipment. Opaque."""

    status: Union[Literal["created", "voided"], str]
    carrier: Union[Literal["service_sandbox"], str]
    tracking_number: str
    """Tracking number of the label. In the sandbox, it starts with `TEST`."""

    format: Union[Literal["pdf"], str]
    download_path: str
    """Path of the PDF on the API's host."""

    charge: LabelCharge
    test: bool
    """True in the sandbox: not valid postage and not an offer."""

    created_at: str
    """ISO 8601 in UTC, with milliseconds."""

    voided_at: NotRequired[str]
    """Only present after the label was voided."""


class Tracking(TypedDict):
    """The tracking record of a sandbox label. You cannot track it with a carrier."""

    id: str
    """Tracking number of the label. In the sandbox, it starts with `TEST`."""

    object: Literal["tracking"]
    tracking_number: str
    """Tracking number of the label. In the sandbox, it starts with `TEST`."""

    status: Union[Literal["pre_transit", "voided"], str]
    """`pre_transit`, or `voided` after the label was voided."""

    carrier: Union[Literal["service_sandbox"], str]
    label_id: str
    """ID of a label. Opaque."""

    shipment_id: str
    """ID of a shipment. Opaque."""

    events: list[dict[str, Any]]
    """Always empty in the sandbox."""

    test: bool
    """True in the sandbox: not valid postage and not an offer."""

    created_at: str
    """When the label was created."""

    updated_at: str
    """When the label was last changed."""


class Webhook(TypedDict):
    """A webhook subscription."""

    id: str
    """ID of a webhook subscription. Opaque."""

    object: Literal["webhook"]
    url: str
    events: list[Union[Literal["order.created", "shipment.created", "label.created", "label.voided"], str]]
    status: Union[Literal["active", "disabled"], str]
    livemode: bool
    """True for records of the live environment."""

    created_at: str
    """ISO 8601 in UTC, with milliseconds."""

    disabled_at: NotRequired[str]
    """Only present after the subscription was disabled."""


class CreatedWebhook(TypedDict):
    """A new webhook subscription, with its secret."""

    id: str
    """ID of a webhook subscription. Opaque."""

    object: Literal["webhook"]
    url: str
    events: list[Union[Literal["order.created", "shipment.created", "label.created", "label.voided"], str]]
    status: Union[Literal["active", "disabled"], str]
    livemode: bool
    """True for records of the live environment."""

    created_at: str
    """ISO 8601 in UTC, with milliseconds."""

    disabled_at: NotRequired[str]
    """Only present after the subscription was disabled."""

    secret: str
    """The secret that signs every delivery. Only this response contains it."""


class OrderCreatedEvent(TypedDict):
    """An order was created."""

    id: str
    """ID of the event, the same in every delivery of this event. Starts with `evt_`."""

    type: Literal["order.created"]
    livemode: bool
    """False in the sandbox, true in live."""

    created_at: str
    """Time of the event: ISO 8601 in UTC, with milliseconds."""

    data: Order


class ShipmentCreatedEvent(TypedDict):
    """A shipment was created."""

    id: str
    """ID of the event, the same in every delivery of this event. Starts with `evt_`."""

    type: Literal["shipment.created"]
    livemode: bool
    """False in the sandbox, true in live."""

    created_at: str
    """Time of the event: ISO 8601 in UTC, with milliseconds."""

    data: Shipment


class LabelCreatedEvent(TypedDict):
    """A label was created."""

    id: str
    """ID of the event, the same in every delivery of this event. Starts with `evt_`."""

    type: Literal["label.created"]
    livemode: bool
    """False in the sandbox, true in live."""

    created_at: str
    """Time of the event: ISO 8601 in UTC, with milliseconds."""

    data: Label


class LabelVoidedEvent(TypedDict):
    """A label was voided."""

    id: str
    """ID of the event, the same in every delivery of this event. Starts with `evt_`."""

    type: Literal["label.voided"]
    livemode: bool
    """False in the sandbox, true in live."""

    created_at: str
    """Time of the event: ISO 8601 in UTC, with milliseconds."""

    data: Label


ErrorCode = Literal["bad_request", "invalid_json", "unauthorized", "missing_scope", "not_found", "idempotency_conflict", "idempotency_in_progress", "label_exists", "shipment_voided", "label_voided", "webhook_limit_reached", "payload_too_large", "unsupported_media_type", "invalid_request", "rate_limited", "internal_error", "carrier_not_configured", "service_unavailable"]
"""Error code for programs. It does not change."""


class FieldError(TypedDict):
    """An invalid field."""

    path: str
    """Path of the field, such as `to.country`."""

    message: str
    """The rule that the field breaks."""


class ErrorBodyError(TypedDict):
    code: ErrorCode
    message: str
    """Message for people. It can change."""

    request_id: str
    """The same as `X-Request-Id`. Include it when you contact support."""

    fields: NotRequired[list[FieldError]]
    """The invalid fields. Only present with status 422."""


class ErrorBody(TypedDict):
    """The body of every error."""

    error: ErrorBodyError


class UnknownEvent(TypedDict):
    """An event of a type that is newer than this client."""

    id: str
    type: Literal["any type that is newer than this client"]
    """Its type, whatever it is. To compare it with a text, assign it to a variable of type `str` first."""

    livemode: bool
    created_at: str
    data: dict[str, Any]


WebhookEvent = Union[OrderCreatedEvent, ShipmentCreatedEvent, LabelCreatedEvent, LabelVoidedEvent, UnknownEvent]
"""What a delivery brings: `type` tells which it is. `data` is the resource as it was then. Ignore members and types that
you do not know."""
