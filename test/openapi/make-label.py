"""Makes a label with the client that openapi-python-client generates, and reads errors by their types."""

import os
import uuid

from shipping import AuthenticatedClient
from shipping.api.labels import create_label, void_label
from shipping.api.rates import quote_rates
from shipping.api.shipments import create_shipment, list_shipments
from shipping.models import Address, Error, ErrorCode, LabelInput, Parcel, RateInput, ShipmentInput, VoidInput

client = AuthenticatedClient(
    base_url=os.environ["SHIPPING_URL"], token=os.environ["SHIPPING_KEY"], raise_on_unexpected_status=True
)


def write(operation, body, **path):
    return operation.sync(client=client, idempotency_key=str(uuid.uuid4()), body=body, **path)


def address(country):
    return Address(name="Ada Byron", street1="1 Long Lane", city="London", postal_code="EC1A 9HF", country=country)


def shipment_to(country):
    parcel = Parcel(weight_kg=1.2, length_cm=30, width_cm=20, height_cm=10)
    return ShipmentInput(reference="Generated client", from_=address("GB"), to=address(country), parcel=parcel)


shipment = write(create_shipment, shipment_to("GB")).data
rates = write(quote_rates, RateInput(shipment_id=shipment.id)).data
wanted = LabelInput(shipment_id=shipment.id, rate_id=rates[0].id)
label = write(create_label, wanted).data
# The generator knows no application/pdf: the file is taken as bytes.
file = client.get_httpx_client().get(f"/labels/{label.id}/file").content
assert file.startswith(b"%PDF-"), file[:80]
assert list_shipments.sync(client=client, limit=1).data[0].object_ == "shipment"

exists = write(create_label, wanted)
assert isinstance(exists, Error) and exists.error.code == ErrorCode.LABEL_EXISTS, exists
bad = write(create_shipment, shipment_to("gb"))
assert isinstance(bad, Error) and bad.error.code == ErrorCode.INVALID_REQUEST, bad
assert [field.path for field in bad.error.fields] == ["to.country"], bad
assert write(void_label, VoidInput(), id=label.id).data.status == "voided"

print(f"{label.tracking_number}: made, {len(file)} bytes of PDF, voided; {exists.error.code}, {bad.error.fields[0].path}")
