import { parcelBody } from "../kit/bodies.js";
import type { Operation } from "../kit/load.js";
import { createLabel, createShipment, createShipments, post, quoteRate, type Seeds } from "./seed.js";
import type { Target } from "./target.js";

/** An operation that is measured on the platform and on its floor. */
export interface Case {
  name: string;
  /** A description of the operation, for the table. */
  does: string;
  operation(target: Target, seeds: Seeds): Operation;
  /** Requests that an operation makes one after the other; 1 unless given. */
  requests?: number;
  /** Work before each round of about this many seconds. */
  prepare?(target: Target, seeds: Seeds, seconds: number): Promise<void>;
}

/** More operations than a platform or a floor completes. */
const LABELS_PER_SECOND = 1_500;

/** The cases over HTTP, in the order of the table. */
export const cases: readonly Case[] = [
  {
    name: "orders",
    does: "POST /orders",
    operation: (target) => () =>
      post(target, target.customers.next(), { path: "/orders", body: parcelBody, expect: 201 }),
  },
  {
    name: "shipments",
    does: "POST /shipments",
    operation: (target) => () => createShipment(target, target.customers.next()),
  },
  {
    name: "rates",
    does: "POST /rates",
    operation: (target, { shipments }) => inTurn(shipments, (shipment) => quoteRate(target, shipment)),
  },
  {
    name: "labels",
    does: "POST /labels of a shipment that is there",
    // A shipment has one label, so each round needs new shipments.
    async prepare(target, { drafts }, seconds) {
      drafts.splice(0, drafts.length, ...(await createShipments(target, LABELS_PER_SECOND * seconds)));
    },
    operation:
      (target, { drafts }) =>
      async () => {
        const draft = drafts.pop();
        if (!draft) throw new Error("no shipment is left without a label");
        await createLabel(target, draft);
      },
  },
  {
    name: "label-chain",
    does: "POST /shipments, /rates, /labels, one after the other",
    requests: 3,
    operation: (target) => async () => {
      const shipment = await createShipment(target, target.customers.next());
      await quoteRate(target, shipment);
      await createLabel(target, shipment);
    },
  },
  {
    name: "pdf",
    does: "GET /labels/{id}/file",
    operation: (target, { labels }) =>
      inTurn(labels, ({ customer, id }) => target.call({ customer, path: `/labels/${id}/file`, expect: 200 })),
  },
  {
    name: "get",
    does: "GET /shipments/{id}",
    operation: (target, { shipments }) =>
      inTurn(shipments, ({ customer, id }) => target.call({ customer, path: `/shipments/${id}`, expect: 200 })),
  },
  {
    name: "list",
    does: "GET /shipments, a page of 25",
    operation: (target) => () =>
      target.call({ customer: target.customers.next(), path: "/shipments?limit=25", expect: 200 }),
  },
  {
    name: "replay",
    does: "POST /shipments again with a used key",
    operation(target, { shipments }) {
      const path = target.name === "platform" ? "/shipments" : "/replays";
      return inTurn(shipments, ({ customer, idempotencyKey }) =>
        post(target, customer, { path, body: parcelBody, expect: 201, idempotencyKey }),
      );
    },
  },
  {
    name: "refused-422",
    does: "POST /shipments with a weight of 0",
    operation(target) {
      const body = { ...parcelBody, parcel: { ...parcelBody.parcel, weight_kg: 0 } };
      return () => post(target, target.customers.next(), { path: "/shipments", body, expect: 422 });
    },
  },
  {
    name: "refused-429",
    does: "GET /account with a key over its limit",
    prepare: (target) => target.limit(),
    operation: (target) => () => target.call({ customer: target.limited.next(), path: "/account", expect: 429 }),
  },
];

/** An operation on one item after the other. */
function inTurn<Item>(items: readonly Item[], operation: (item: Item) => Promise<unknown>): Operation {
  let turn = 0;
  return () => operation(items[turn++ % items.length]!);
}
