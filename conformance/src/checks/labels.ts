import type { Check } from "../check.js";
import { given, must, mustBe, mustHave, mustMatch, mustRefuse, mustSucceed, NotJudged, TIME } from "../judge.js";

const LABEL_ROWS = [
  "| id | string | yes | opaque ID |",
  "| object | string | yes | constant `label` |",
  "| shipment_id | string | yes | opaque ID |",
  "| status | string | yes | `created` or `voided` |",
  "| carrier | string | yes | constant `service_sandbox` |",
  "| tracking_number | string | yes | starts with `TEST`;",
  "| format | string | yes | constant `pdf` |",
  "| download_path | string | yes | path of the file download |",
  "| created_at | string (date-time) | yes | ISO 8601 UTC |",
  "| voided_at | string (date-time) | no | present once voided |",
];

export const rateChecks: readonly Check[] = [
  {
    id: "rates.create",
    proves: [
      "| POST | /rates | rates:read | request sandbox rates |",
      "Response: `data` is an array holding the fixed sandbox Rate.",
      "Body: `{shipment_id: string}` (required).",
      "| id | string | has the form `rate_test_<shipment_id>` |",
      "| shipment_id | string | the shipment the rate belongs to |",
      "| carrier | string | `service_sandbox` |",
      "| service | string | `sandbox_standard` |",
      "| currency | string | `EUR` |",
      "| amount | number | `5` (fixed sandbox rate, major units) |",
      "| test | boolean | `true` |",
      "Amounts are in major units of the stated currency (5.00 means 5.00 of that currency).",
    ],
    async run({ fixtures }) {
      const shipmentId = given(await fixtures.shipment()).id;
      const rates = mustSucceed(await fixtures.rates());
      must(Array.isArray(rates) && rates.length === 1, "POST /rates does not return an array of one rate");
      const rate = {
        ...{ id: `rate_test_${shipmentId}`, shipment_id: shipmentId, carrier: "service_sandbox" },
        ...{ service: "sandbox_standard", currency: "EUR", amount: 5, test: true },
      };
      mustHave(rates[0], rate, "the rate");
    },
  },
  {
    id: "rates.fields",
    proves: ["Body: `{shipment_id: string}` (required).", "| 422 | invalid fields (named in the error) |"],
    async run({ api }) {
      const answer = await api.post("/rates", {});
      mustRefuse(answer, 422);
      mustMatch(JSON.stringify(answer.json.error), /shipment_id/, "the error, which should name shipment_id,");
    },
  },
];

export const labelChecks: readonly Check[] = [
  {
    id: "labels.no-charge",
    proves: [
      "| charge | object | yes | `currency` constant `EUR`, `amount` number constant `0` (both required) |",
      "| test | boolean | yes | constant `true` |",
      "No carrier is contacted and no charge is ever made.",
    ],
    async run({ fixtures }) {
      const free = { charge: { currency: "EUR", amount: 0 }, test: true };
      mustHave(given(await fixtures.label()), free, "the label");
    },
  },
  {
    id: "labels.create",
    proves: [
      "| POST | /labels | labels:write | create a sandbox label |",
      "The client requests rates for the shipment, then creates a label using a returned rate.",
      "Response: `201`, `{data: Label}`.",
      "| label | (none) | `POST /labels` | sandbox key, rate belongs to the exact shipment | `created` |",
      "| rate_id | string | yes | the rate returned for that exact shipment |",
      "| format | string | no | only `pdf`; default `pdf` |",
      ...LABEL_ROWS.slice(0, -1),
    ],
    async run({ fixtures }) {
      const { id: shipmentId } = given(await fixtures.shipment());
      const label = mustSucceed(await fixtures.label(), 201);
      for (const field of ["id", "download_path"]) mustMatch(label[field], /./, `the label's ${field}`);
      const named = { object: "label", shipment_id: shipmentId, status: "created" };
      mustHave(label, { ...named, carrier: "service_sandbox", format: "pdf" }, "the label");
      mustMatch(label.tracking_number, /^TEST./, "the label's tracking_number");
      mustMatch(label.created_at, TIME, "the label's created_at");
      mustBe(label.voided_at ?? undefined, undefined, "voided_at of a label that is not voided");
    },
  },
  {
    id: "labels.shipment-status",
    proves: [
      "| shipment | `draft` | label issued | as above | `label_created` | |",
      "shipment becomes `label_created`; charge is zero |",
      "Shipment states: `draft`, `label_created`, `voided`.",
    ],
    async run({ api, fixtures }) {
      await fixtures.label();
      const { id } = given(await fixtures.shipment());
      const { status } = mustSucceed(await api.get(`/shipments/${id}`), 200);
      mustBe(status, "label_created", "the labelled shipment's status");
    },
  },
  {
    id: "labels.get",
    proves: [
      "| GET | /labels/{id} | labels:read | retrieve a label |",
      "Response `200`, `{data: Label}`.",
      "Label states: `created`, `voided`.",
    ],
    async run({ api, fixtures }) {
      const label = given(await fixtures.label());
      mustBe(mustSucceed(await api.get(`/labels/${label.id}`), 200), label, "the label read");
    },
  },
  {
    id: "labels.file",
    proves: [
      "| GET | /labels/{id}/file | labels:read | download the PDF |",
      "The client downloads the PDF",
      "Response `200` with `Content-Type: application/pdf` (binary).",
      "Binary downloads are not wrapped.",
      "Label file: `application/pdf`",
    ],
    async run({ fixtures }) {
      const file = await fixtures.file();
      mustBe(file.status, 200, "the status of GET /labels/{id}/file");
      mustMatch(file.responseHeaders.get("content-type"), /^application\/pdf\b/, "the Content-Type of the file");
      mustMatch(file.bytes.subarray(0, 5).toString("latin1"), /^%PDF-/, "the beginning of the file");
    },
  },
  {
    id: "labels.file-size",
    proves: ["| label format | pdf only; sandbox PDF 4 by 6 inches |", "4 by 6 inches"],
    async run({ fixtures }) {
      const { bytes } = await fixtures.file();
      // The size in points of 1/72 inch. Not readable if the page tree is compressed.
      const box = /\/MediaBox\s*\[\s*0 0 ([\d.]+) ([\d.]+)\s*\]/.exec(bytes.toString("latin1"));
      if (!box) throw new NotJudged("the page's size cannot be read from this PDF");
      mustBe([Number(box[1]), Number(box[2])].sort(), [288, 432], "the page's size in points");
    },
  },
  {
    id: "labels.one-per-shipment",
    proves: [
      "A shipment has at most one label.",
      "| labels per shipment | 1 |",
      "| 409 | conflicting idempotency key or conflicting resource state |",
    ],
    run: async ({ fixtures }) => mustRefuse(await fixtures.secondLabel(), 409),
  },
  {
    id: "labels.exact-rate",
    proves: [
      "| rate_id | string | yes | the rate returned for that exact shipment |",
      "rate belongs to the exact shipment",
    ],
    run: async ({ fixtures }) => mustRefuse(await fixtures.labelWithForeignRate(), [404, 409, 422]),
  },
  {
    id: "labels.fields",
    proves: [
      "Body (additional properties rejected):",
      "| format | string | no | only `pdf`; default `pdf` |",
      "| rate_id | string | yes | the rate returned for that exact shipment |",
      "label formats other than PDF",
    ],
    async run({ api, fixtures, run }) {
      const { id } = given(await fixtures.otherShipment());
      const body = { shipment_id: id, rate_id: `rate_test_${id}` };
      for (const bad of [{ format: "png" }, { unknown_field: run }]) {
        mustRefuse(await api.post("/labels", { ...body, ...bad }), 422);
      }
    },
  },
];
