"""What Schemathesis reports although it is right: each with the sentence of the specification, or of the contract, that says so."""

import atexit
from collections import Counter
from pathlib import Path

import schemathesis
from schemathesis.openapi.checks import RejectedPositiveData, UnsupportedMethodResponse, UseAfterFree

DOCUMENTS = Path(__file__, "../../../conformance/spec").resolve()


def refused(failure, response, *paths):
    """A body that keeps the document's schema, and is refused for these fields alone."""
    if not isinstance(failure, RejectedPositiveData) or response.status_code != 422:
        return False
    return {field["path"].partition(".")[0] for field in response.json()["error"]["fields"]} <= set(paths)


EXPLAINED = {
    "| 404 | unknown route or inaccessible resource |": lambda failure, _, response: (
        isinstance(failure, UnsupportedMethodResponse) and response.status_code == 404
    ),
    "Webhook subscriptions: `DELETE /webhooks/{id}` disables the subscription": lambda failure, case, _: (
        isinstance(failure, UseAfterFree) and case.path == "/webhooks/{id}"
    ),
    "| rate_id | string | yes | the rate returned for that exact shipment |": lambda failure, _, response: (
        refused(failure, response, "rate_id")
    ),
    "| metadata | JSON object | no | at most 4096 characters when serialized |": lambda failure, _, response: (
        refused(failure, response, "metadata") and "4096 characters" in response.text
    ),
    "is what a double cannot stand for: an integer that it does not keep exactly": lambda failure, _, response: (
        refused(failure, response, "metadata", "parcel") and "double precision" in response.text
    ),
}

documents = "".join(document.read_text() for document in DOCUMENTS.glob("*.md"))
for sentence in EXPLAINED:
    assert sentence in documents, f"Neither the specification nor the contract says: {sentence}"

met = Counter()
atexit.register(lambda: print("Explained:", *(f"{count} x {sentence}" for sentence, count in met.items()), sep="\n  "))


@schemathesis.hook
def filter_failure(context, failure, case, response):
    sentence = next((sentence for sentence, explains in EXPLAINED.items() if explains(failure, case, response)), None)
    met.update(filter(None, [sentence]))
    return sentence is None


@schemathesis.hook
def map_body(context, body):
    """Has generated labels take a rate of their own shipment, so that some are made."""
    if context.operation.label == "POST /labels" and isinstance(body, dict):
        if isinstance(body.get("shipment_id"), str) and isinstance(body.get("rate_id"), str):
            return {**body, "rate_id": f"rate_test_{body['shipment_id']}"}
    return body
