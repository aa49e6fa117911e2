"""Code for mypy, which checks the types without running it. An unneeded ignore is an error, too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Union

from shipping_client import (
    CreatedWebhook,
    Label,
    LabelCreatedEvent,
    LabelInput,
    LabelVoidedEvent,
    Order,
    OrderCreatedEvent,
    OrderInput,
    Page,
    Rate,
    Shipment,
    ShipmentCreatedEvent,
    ShipmentInput,
    Shipping,
    UnknownEvent,
    Webhook,
    WebhookEvent,
    verify_webhook,
    with_response,
)

if TYPE_CHECKING:
    from typing_extensions import assert_type


def answers(shipping: Shipping, rate_input: LabelInput) -> None:
    assert_type(shipping.labels.create(rate_input), Label)
    assert_type(shipping.rates.create({"shipment_id": "shp_1"}), list[Rate])
    assert_type(shipping.labels.file("lbl_1"), bytes)
    assert_type(shipping.webhooks.create({"url": "https://x.example", "events": []}), CreatedWebhook)
    assert_type(with_response(shipping.shipments.get, "shp_1").data, Shipment)
    assert_type(with_response(shipping.orders.list().page, limit=5).data, Page[Order])
    assert_type(shipping.orders.list().to_list(max=10), list[Order])
    for order in shipping.orders.list():
        assert_type(order["from"]["city"], str)
    # The bound is missing, without which a list could grow indefinitely.
    shipping.orders.list().to_list()  # type: ignore[call-arg]
    # The argument belongs to another operation.
    with_response(shipping.shipments.get, "shp_1", idempotency_key="x")  # type: ignore[call-arg]


def inputs(shipping: Shipping, shipment: ShipmentInput, order: OrderInput, unset: str | None) -> None:
    shipping.shipments.create(shipment, idempotency_key=None, timeout=None, headers={"x-job": "7"})
    shipping.labels.create({"shipment_id": "shp_1", "rate_id": "rate_1"})
    # An order has no `order_id`.
    shipping.orders.create({**order, "order_id": "ord_1"})  # type: ignore[typeddict-unknown-key]
    # The parcel lacks a dimension.
    shipping.orders.create({**order, "parcel": {"weight_kg": 1}})  # type: ignore[typeddict-item]
    # No such event type.
    shipping.webhooks.create({"url": "https://x.example", "events": ["label.printed"]})  # type: ignore[list-item]
    # A read takes no idempotency key.
    shipping.labels.get("lbl_1", idempotency_key="x")  # type: ignore[call-arg]
    # The response to an order has members that a new order must not have.
    shipping.orders.create({**order, "status": "received"})  # type: ignore[typeddict-unknown-key]
    # None is not accepted where a key is required.
    Shipping(api_key=unset)  # type: ignore[arg-type]


def values_of_tomorrow(rate: Rate, label: Label, shipment: Shipment, webhook: Webhook) -> None:
    print(label["carrier"] == "dhl", rate["currency"] == "USD", shipment["status"] == "lost")
    print(label["test"] is False, rate["amount"] == 0, label["charge"]["amount"] == 7.5, "x" in webhook["events"])


KnownEvent = Union[OrderCreatedEvent, ShipmentCreatedEvent, LabelCreatedEvent, LabelVoidedEvent, UnknownEvent]


def events(event: KnownEvent) -> WebhookEvent:
    if event["type"] == "order.created":
        assert_type(event["data"], Order)
    elif event["type"] == "shipment.created":
        assert_type(event["data"], Shipment)
    elif event["type"] == "label.created" or event["type"] == "label.voided":
        assert_type(event["data"], Label)
    else:
        assert_type(event, UnknownEvent)
        kind: str = event["type"]
        print(kind == "label.printed", event["id"])
    assert_type(verify_webhook(b"{}", {}, ["whsec_x"]), WebhookEvent)
    # A parsed body is refused.
    verify_webhook({"id": "evt_1"}, {}, "whsec_x")  # type: ignore[arg-type]
    return event
