import type { Check } from "../check.js";
import { given, must, mustBe, mustHave, mustMatch, mustRefuse, mustSucceed } from "../judge.js";
import { UNKNOWN_ID } from "../operations.js";

export const recordChecks: readonly Check[] = [
  {
    id: "orders.create",
    proves: [
      "| POST | /orders | orders:write | create an order |",
      "Response: `data` holds the order, status `received`.",
      "Order states: `received` (initial).",
      "| order | (none) | `POST /orders` | valid request | `received` |",
      "IDs are opaque strings and new orders have status `received`",
      "Order representation: `id` and `status` are implied by the states below.",
    ],
    async run({ fixtures }) {
      const order = mustSucceed(await fixtures.order());
      mustMatch(order.id, /./, "the order's id");
      mustBe(order.status, "received", "the order's status");
    },
  },
  {
    id: "orders.get",
    proves: [
      "| GET | /orders/{id} | orders:read | retrieve an order |",
      "Path `id`: opaque ID.",
      "Response: `data` holds the record.",
      "Records created through this API are retrieved through this API",
    ],
    async run({ api, fixtures }) {
      const { id } = given(await fixtures.order());
      mustBe(mustSucceed(await api.get(`/orders/${id}`), 200).id, id, "the id of the order read");
    },
  },
  {
    id: "shipments.create",
    proves: [
      "| POST | /shipments | shipments:write | create a shipment |",
      "Response: `201`, `data` holds the shipment with status `draft`.",
      "Shipment representation: carries at least `id` (string), `object` (value `shipment`) and `status` (see States).",
      "| shipment | (none) | `POST /shipments` | valid request | `draft` |",
      "Body: the Order and Shipment input fields, with optional `order_id`.",
    ],
    async run({ fixtures }) {
      const shipment = mustSucceed(await fixtures.shipment(), 201);
      mustMatch(shipment.id, /./, "the shipment's id");
      mustHave(shipment, { object: "shipment", status: "draft" }, "the shipment");
    },
  },
  {
    id: "shipments.get",
    proves: [
      "| GET | /shipments/{id} | shipments:read | retrieve a shipment |",
      "Path `id`: opaque ID.",
      ", or retrieves the shipment by ID.",
      "Response: `data` holds the record.",
      "Records created through this API are retrieved through this API",
    ],
    async run({ api, fixtures }) {
      const { id } = given(await fixtures.otherShipment());
      mustHave(mustSucceed(await api.get(`/shipments/${id}`), 200), { id, object: "shipment" }, "the shipment read");
    },
  },
  {
    id: "shipments.several",
    proves: [
      "Several parcels for one order are expressed as one shipment per parcel with the same `order_id` and distinct idempotency keys.",
      "a business reference, not a deduplication key",
    ],
    async run({ fixtures }) {
      const first = given(await fixtures.shipment());
      const second = mustSucceed(await fixtures.otherShipment(), 201);
      must(first.id !== second.id, "two shipments with one reference and two idempotency keys have the same id");
    },
  },
  {
    id: "shipments.order-id",
    proves: [
      "| order_id | string | no | accepted for shipment creation only; must name an existing order in the same account and environment |",
    ],
    async run({ api, record }) {
      mustRefuse(await api.post("/shipments", { ...record, order_id: UNKNOWN_ID }), [404, 422]);
    },
  },
  {
    id: "orders.no-order-id",
    proves: [
      "Orders do not accept `order_id`.",
      "Body: the Order and Shipment input fields, without `order_id`.",
      "accepted for shipment creation only",
    ],
    async run({ api, fixtures, record }) {
      const { id } = given(await fixtures.order());
      mustRefuse(await api.post("/orders", { ...record, order_id: id }), 422);
    },
  },
];
