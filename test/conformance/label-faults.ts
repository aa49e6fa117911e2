import {
  answering,
  answeringAll,
  type Breaking,
  editing,
  type Fault,
  ignoring,
  isOperation,
  jsonIn,
  permitting,
  sending,
  sendingAll,
  setting,
  turning,
} from "./breaking-proxy.js";

/** A replay returns the label's current state. */
function currentState(): Breaking {
  let voided: unknown;
  return {
    answered(answered, sent) {
      if (isOperation("POST /labels/{id}/void", sent)) voided = jsonIn(answered.body)?.data;
      if (!isOperation("POST /labels", sent) || answered.headers["idempotency-replayed"] === undefined) return;
      answered.body = Buffer.from(JSON.stringify({ data: voided }));
    },
  };
}

/** A cache serves the file of a voided label. */
function cachedFile(): Breaking {
  let cached: Buffer = Buffer.alloc(0);
  return {
    answered(answered, sent) {
      if (!isOperation("GET /labels/{id}/file", sent)) return;
      if (answered.status === 200) cached = answered.body;
      else Object.assign(answered, { status: 200, body: cached, headers: { "content-type": "application/pdf" } });
    },
  };
}

/** Each void of a label counts as another one. */
function voidedAnew(): Breaking {
  let voids = 0;
  return editing("POST /labels/{id}/void", (label) => {
    voids++;
    label.voided_at = new Date(Date.parse(label.voided_at) + voids).toISOString();
  })();
}

/** Faults of rates, labels, their files, their voids, and tracking. */
export const labelFaults: readonly Fault[] = [
  {
    what: "a rate is in cents",
    breaks: "rates.create",
    begin: editing("POST /rates", ([rate]) => {
      rate.amount = 500;
    }),
  },
  {
    what: "a rate belongs to no shipment",
    breaks: "rates.create",
    begin: editing("POST /rates", ([rate]) => {
      delete rate.shipment_id;
    }),
  },
  { what: "rates for nothing are refused with 400", breaks: "rates.fields", begin: turning(422, 400, "POST /rates") },
  setting("labels.no-charge", "a label is charged for", "POST /labels", { charge: { currency: "EUR", amount: 5 } }),
  setting("labels.no-charge", "a label is no test", "POST /labels", { test: false }),
  setting("labels.create", "a tracking number could be a real one", "POST /labels", { tracking_number: "1Z999" }),
  setting("labels.create", "a label's time has no zone", "POST /labels", { created_at: "2026-01-01T00:00:00" }),
  {
    what: "a label is answered with 200 instead of 201",
    breaks: "labels.create",
    begin: turning(201, 200, "POST /labels"),
  },
  setting("labels.shipment-status", "a labelled shipment is still a draft", "GET /shipments/{id}", { status: "draft" }),
  setting("labels.get", "a label that is read lacks its path", "GET /labels/{id}", { download_path: undefined }),
  {
    what: "a file is sent again to a client that has it",
    breaks: "contract.file-tag",
    begin: sendingAll(({ headers }) => {
      delete headers["if-none-match"];
    }),
  },
  {
    what: "a client that has the file of a voided label may use it",
    breaks: "contract.voided",
    begin: answeringAll((answered, { headers }) => {
      if (headers["if-none-match"] && answered.status === 409)
        Object.assign(answered, { status: 304, body: Buffer.alloc(0) });
    }),
  },
  {
    what: "the file has another Content-Type",
    breaks: "labels.file",
    begin: answering("GET /labels/{id}/file", ({ headers }) => {
      headers["content-type"] = "application/octet-stream";
    }),
  },
  {
    what: "the file is of A4",
    breaks: "labels.file-size",
    begin: answering("GET /labels/{id}/file", (answered) => {
      const text = answered.body.toString("latin1").replace("[0 0 288 432]", "[0 0 595 842]");
      answered.body = Buffer.from(text, "latin1");
    }),
  },
  { what: "a shipment gets a second label", breaks: "labels.one-per-shipment", begin: permitting(409, "POST /labels") },
  {
    what: "the rate of another shipment is taken",
    breaks: "labels.exact-rate",
    begin: sending("POST /labels", (body) => {
      body.rate_id = `rate_test_${body.shipment_id}`;
    }),
  },
  ignoring("labels.fields", "labels are made in any format", "POST /labels", "format"),
  ignoring("labels.void-body", "a void takes a reason", "POST /labels/{id}/void", "reason"),
  setting("labels.void", "a voided label does not say when", "POST /labels/{id}/void", { voided_at: undefined }),
  { what: "a second void changes the label", breaks: "labels.void-again", begin: voidedAnew },
  { what: "the file of a voided label is served", breaks: "labels.file-voided", begin: cachedFile },
  setting("shipments.voided", "the shipment of a voided label stays as it was", "GET /shipments/{id}", {
    status: "label_created",
  }),
  {
    what: "the shipment of a voided label gets another",
    breaks: "shipments.no-replacement",
    begin: permitting(409, "POST /labels"),
  },
  { what: "a replay answers the current state", breaks: "idempotency.snapshot", begin: currentState },
  setting("tracking.get", "tracking simulates scans", "GET /tracking/{id}", { events: [{ status: "in_transit" }] }),
  setting("tracking.voided", "a voided label is delivered", "GET /tracking/{id}", { status: "delivered" }),
];
