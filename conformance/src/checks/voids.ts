import type { Check } from "../check.js";
import type { Exchange } from "../exchange.js";
import { given, must, mustBe, mustMatch, mustRefuse, mustSucceed, TIME } from "../judge.js";

export const trackingCheck: Check = {
  id: "tracking.get",
  proves: [
    "| GET | /tracking/{tracking_number} | shipments:read | sandbox tracking |",
    "Has a status, either `pre_transit` or `voided`, and an `events` array that is always empty.",
    "Response: the tracking record (status `pre_transit` or `voided`, empty `events`).",
    "Path: the label's tracking number.",
    "Tracking statuses: `pre_transit` and `voided`;",
    "No carrier movement, delivery scans",
  ],
  async run({ api, fixtures }) {
    const { tracking_number } = given(await fixtures.label());
    mustBeTracking(await api.get(`/tracking/${tracking_number}`));
  },
};

function mustBeTracking(answer: Exchange): void {
  const { status, events } = mustSucceed(answer, 200);
  must(["pre_transit", "voided"].includes(status), `the tracking record's status is ${status}`);
  mustBe(events, [], "the tracking record's events");
}

/** These void the label, so they run after the checks that need it. */
export const voidChecks: readonly Check[] = [
  {
    id: "labels.void-body",
    proves: ["Body: an empty JSON object; other properties are rejected."],
    async run({ api, fixtures }) {
      const { id } = given(await fixtures.label());
      mustRefuse(await api.post(`/labels/${id}/void`, { reason: "none" }), 422);
    },
  },
  {
    id: "labels.void",
    proves: [
      "| POST | /labels/{id}/void | labels:write | void a sandbox label |",
      "Response `200`, `{data: Label}` with status `voided`.",
      "| voided_at | string (date-time) | no | present once voided |",
      "| label | `created` | `POST /labels/{id}/void` | | `voided` | `voided_at` is set;",
      "Label states: `created`, `voided`.",
    ],
    async run({ fixtures }) {
      const before = given(await fixtures.label());
      const { status, voided_at, ...rest } = mustSucceed(await fixtures.voided(), 200);
      mustBe(status, "voided", "the voided label's status");
      mustMatch(voided_at, TIME, "voided_at");
      const { status: _, ...kept } = before;
      mustBe(rest, kept, "the rest of the voided label");
    },
  },
  {
    id: "labels.void-again",
    proves: [
      "| label | `voided` | `POST /labels/{id}/void` with a new idempotency key | | `voided` | the existing voided label is returned; no further state change |",
    ],
    async run({ api, fixtures }) {
      const voided = given(await fixtures.voided());
      mustBe(mustSucceed(await api.post(`/labels/${voided.id}/void`, {}), 200), voided, "the label voided again");
    },
  },
  {
    id: "labels.file-voided",
    proves: ["A voided label cannot be downloaded.", "Errors are JSON.", "file can no longer be downloaded |"],
    async run({ fixtures }) {
      const answer = await fixtures.voidedFile();
      must(answer.status >= 400 && answer.status < 500, `the file of a voided label is answered ${answer.status}`);
      mustMatch(answer.json?.error?.code, /./, "the code of the refused file");
    },
  },
  {
    id: "shipments.voided",
    proves: [
      "| shipment | `label_created` | label voided | | `voided` |",
      "the shipment becomes `voided`;",
      "Shipment states: `draft`, `label_created`, `voided`.",
    ],
    async run({ api, fixtures }) {
      const { shipment_id } = given(await fixtures.voided());
      const { status } = mustSucceed(await api.get(`/shipments/${shipment_id}`), 200);
      mustBe(status, "voided", "the status of the shipment of a voided label");
    },
  },
  {
    id: "shipments.no-replacement",
    proves: ["a replacement label needs a new shipment |", "A shipment has at most one label."],
    run: async ({ fixtures }) => mustRefuse(await fixtures.replacement(), 409),
  },
  {
    id: "tracking.voided",
    // The record is there only if rates, the label and its void were.
    proves: [
      "Tracking statuses: `pre_transit` and `voided`;",
      "Rates, labels, voids and tracking are available in the sandbox.",
    ],
    run: async ({ fixtures }) => mustBeTracking(await fixtures.voidedTracking()),
  },
  {
    id: "idempotency.snapshot",
    proves: ["A replay returns the original snapshot even when the resource has since changed."],
    async run({ api, fixtures, keyOf }) {
      const original = await fixtures.label();
      given(await fixtures.voided());
      const replay = await api.post("/labels", original.body ?? "", keyOf("label"));
      mustBe(mustSucceed(replay), given(original), "the label replayed after it was voided");
      mustBe(replay.status, original.status, "the status of the replay");
    },
  },
];
