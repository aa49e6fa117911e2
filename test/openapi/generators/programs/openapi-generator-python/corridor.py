"""From an order to a voided label with the client that openapi-generator makes for Python."""

import json
import os
import uuid

import openapi_client as api
from openapi_client.exceptions import UnprocessableEntityException

settings = api.Configuration(host=os.environ["SHIPPING_URL"], access_token=os.environ["SHIPPING_KEY"])
client = api.ApiClient(settings)
labels, webhooks = api.LabelsApi(client), api.WebhooksApi(client)


def key() -> str:
    return str(uuid.uuid4())


def address(name: str) -> api.AddressInput:
    return api.AddressInput(name=name, street1="Königsallee 1", city="Düsseldorf", postal_code="40212", country="DE")


def packed(name: str) -> dict:
    parcel = api.ParcelInput(weight_kg=1.25, length_cm=30, width_cm=20, height_cm=10)
    return {"reference": "PO-1", "from": address("Zoë"), "to": address(name), "parcel": parcel, "metadata": {"n": [1]}}


order = api.OrdersApi(client).create_order(key(), api.OrderInput(**packed("山田"))).data
shipment = (
    api.ShipmentsApi(client).create_shipment(key(), api.ShipmentInput(**packed("山田"), order_id=order.id)).data
)
rate = api.RatesApi(client).quote_rates(key(), api.RateInput(shipment_id=shipment.id)).data[0]
label = labels.create_label(key(), api.LabelInput(shipment_id=shipment.id, rate_id=rate.id)).data
file = labels.get_label_file(label.id)
voided = labels.void_label(label.id, key(), {}).data
tracking = api.TrackingApi(client).get_tracking(label.tracking_number).data
page = labels.list_labels(limit=1)
subscription = webhooks.create_subscription(
    key(), api.WebhookInput(url="https://hooks.example.com/labels", events=["label.created"])
).data
webhooks.disable_subscription(subscription.id, key())
try:
    api.OrdersApi(client).create_order(key(), api.OrderInput(**packed("\u3000")))
except UnprocessableEntityException as error:
    refusal = error.data.error

print(
    json.dumps(
        {
            "label": label.id,
            "pdf": bytes(file[:5]).decode(),
            "status": voided.status,
            "tracking": tracking.status,
            "listed": page.data[0].id == label.id,
            "secret": subscription.secret.startswith("whsec_"),
            "refusal": refusal.code,
            "fields": [field.path for field in refusal.fields],
        }
    )
)
