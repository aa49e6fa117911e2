"""From an order to a voided label with the client that openapi-python-client makes."""

import json
import os
import uuid

from shipping import AuthenticatedClient
from shipping import models as api
from shipping.api.labels import create_label, get_label_file, list_labels, void_label
from shipping.api.orders import create_order
from shipping.api.rates import quote_rates
from shipping.api.shipments import create_shipment
from shipping.api.tracking import get_tracking
from shipping.api.webhooks import create_subscription, disable_subscription

client = AuthenticatedClient(base_url=os.environ["SHIPPING_URL"], token=os.environ["SHIPPING_KEY"])


def write(operation, **options):
    return operation.sync(client=client, idempotency_key=str(uuid.uuid4()), **options)


def address(name: str) -> api.AddressInput:
    return api.AddressInput(name=name, street1="Königsallee 1", city="Düsseldorf", postal_code="40212", country="DE")


def packed(name: str) -> dict:
    parcel = api.ParcelInput(weight_kg=1.25, length_cm=30, width_cm=20, height_cm=10)
    metadata = api.MetadataInput.from_dict({"n": [1]})
    return {
        "reference": "PO-1",
        "from_": address("Zoë"),
        "to": address(name),
        "parcel": parcel,
        "metadata": metadata,
    }


order = write(create_order, body=api.OrderInput(**packed("山田"))).data
shipment = write(create_shipment, body=api.ShipmentInput(**packed("山田"), order_id=order.id)).data
rate = write(quote_rates, body=api.RateInput(shipment_id=shipment.id)).data[0]
label = write(create_label, body=api.LabelInput(shipment_id=shipment.id, rate_id=rate.id)).data
file = get_label_file.sync(client=client, id=label.id)
voided = write(void_label, id=label.id, body=api.VoidInput()).data
tracked = get_tracking.sync(client=client, tracking_number=label.tracking_number).data
page = list_labels.sync(client=client, limit=1)
webhook = api.WebhookInput(
    url="https://hooks.example.com/labels", events=[api.WebhookInputEventsItem.LABEL_CREATED]
)
subscription = write(create_subscription, body=webhook).data
write(disable_subscription, id=subscription.id)
refusal = write(create_order, body=api.OrderInput(**packed("\u3000"))).error

print(
    json.dumps(
        {
            "label": label.id,
            "pdf": file.payload.read(5).decode(),
            "status": voided.status,
            "tracking": tracked.status,
            "listed": page.data[0].id == label.id,
            "secret": subscription.secret.startswith("whsec_"),
            "refusal": refusal.code,
            "fields": [field.path for field in refusal.fields],
        }
    )
)
