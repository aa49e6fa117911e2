import type { Sending } from "./exchange.js";

/** The specification's table of endpoints. */
export const OPERATIONS = [
  "GET /account",
  "POST /orders",
  "GET /orders",
  "GET /orders/{id}",
  "POST /shipments",
  "GET /shipments",
  "GET /shipments/{id}",
  "POST /rates",
  "POST /labels",
  "GET /labels",
  "GET /labels/{id}",
  "GET /labels/{id}/file",
  "POST /labels/{id}/void",
  "GET /tracking/{tracking_number}",
  "POST /webhooks",
  "GET /webhooks",
  "GET /webhooks/{id}",
  "DELETE /webhooks/{id}",
] as const;

export type Operation = (typeof OPERATIONS)[number];

export const WRITES = OPERATIONS.filter((operation) => !operation.startsWith("GET"));

/** An ID that no resource has. */
export const UNKNOWN_ID = "conformance-nowhere";

/** The operations whose path or body contains an ID. */
export const NAMING = OPERATIONS.filter(
  (operation) => operation.includes("{") || /^POST \/(rates|labels)$/.test(operation),
);

/** The IDs and the body for a request. */
export type Names = ReturnType<typeof unknownNames>;

export const unknownNames = (record: object) => ({
  record,
  orders: UNKNOWN_ID,
  shipments: UNKNOWN_ID,
  rate: `rate_test_${UNKNOWN_ID}`,
  labels: UNKNOWN_ID,
  tracking: `TEST${UNKNOWN_ID}`,
  webhooks: UNKNOWN_ID,
});

/** A valid request for an operation. Without `idempotencyKey`, that header is missing. */
export function requestFor(operation: Operation, names: Names, idempotencyKey?: string): Sending {
  const [method, form] = operation.split(" ") as [Sending["method"], string];
  const resource = form.split("/")[1] as keyof Names;
  const body = buildBody(operation, names);
  return {
    method,
    path: form.replace(/\{\w+\}/, String(names[resource])),
    headers: {
      ...(body !== undefined && { "Content-Type": "application/json" }),
      ...(idempotencyKey !== undefined && { "Idempotency-Key": idempotencyKey }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
}

function buildBody(operation: Operation, { record, shipments, rate }: Names): object | undefined {
  switch (operation) {
    case "POST /orders":
    case "POST /shipments":
      return record;
    case "POST /rates":
      return { shipment_id: shipments };
    case "POST /labels":
      return { shipment_id: shipments, rate_id: rate };
    case "POST /labels/{id}/void":
      return {};
    case "POST /webhooks":
      return { url: "https://example.com/conformance", events: ["label.voided"] };
    default:
      return undefined;
  }
}
