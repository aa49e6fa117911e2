import {
  answering,
  type Breaking,
  editing,
  type Fault,
  ignoring,
  refusing,
  sending,
  sendingAll,
  setting,
} from "./breaking-proxy.js";

/** Replaces a limit by another, or by the default. */
const takingLimit = (resource: string, limit: string | null, taken: string) =>
  sendingAll((sent) => {
    const [path, query = ""] = sent.path.split("?");
    const parameters = new URLSearchParams(query);
    if (path !== `/${resource}` || sent.method !== "GET" || parameters.get("limit") !== limit) return;
    parameters.set("limit", taken);
    sent.path = `${path}?${parameters}`;
  });

const withoutCursor = (resource: string) =>
  sendingAll((sent) => {
    if (sent.path.startsWith(`/${resource}?`)) sent.path = sent.path.replace(/&after=.*$/, "");
  });

/** The first shipment is returned for every other one with its reference. */
function deduplicated(): Breaking {
  let first: string | undefined;
  return editing("POST /shipments", (shipment) => {
    first ??= shipment.id;
    shipment.id = first;
  })();
}

/** Faults of orders, shipments, their fields and their lists. */
export const recordFaults: readonly Fault[] = [
  setting("orders.create", "an order begins in another status", "POST /orders", { status: "new" }),
  {
    what: "an order is read under another id",
    breaks: "orders.get",
    begin: editing("GET /orders/{id}", (order) => {
      order.id = `${order.id}x`;
    }),
  },
  {
    what: "a shipment is answered with 200 instead of 201",
    breaks: "shipments.create",
    begin: answering("POST /shipments", (answered) => {
      if (answered.status === 201) answered.status = 200;
    }),
  },
  setting("shipments.create", "a shipment has no object", "POST /shipments", { object: undefined }),
  setting("shipments.get", "a shipment is read without its status", "GET /shipments/{id}", { object: "record" }),
  { what: "a reference is taken for a deduplication key", breaks: "shipments.several", begin: deduplicated },
  {
    what: "a shipment is taken for an order that is not there",
    breaks: "shipments.order-id",
    begin: sending("POST /shipments", (body) => {
      if (body.order_id === "conformance-nowhere") delete body.order_id;
    }),
  },
  ignoring("orders.no-order-id", "orders accept order_id", "POST /orders", "order_id"),
  ignoring("orders.fields-unknown", "an unknown member is ignored", "POST /orders", "unknown_one"),
  {
    what: "an unknown member of an address is ignored",
    breaks: "shipments.fields-unknown",
    begin: sending("POST /shipments", ({ from }) => {
      if (from) delete from.unknown_two;
    }),
  },
  {
    what: "a reference of 201 characters is cut",
    breaks: "orders.fields-bounded",
    begin: sending("POST /orders", (body) => {
      if (typeof body.reference === "string") body.reference = body.reference.slice(0, 200);
    }),
  },
  {
    what: "metadata may be longer than 4096 characters",
    breaks: "shipments.fields-bounded",
    begin: sending("POST /shipments", (body) => {
      if (JSON.stringify(body.metadata ?? "").length > 4096) delete body.metadata;
    }),
  },
  {
    what: "a country of three letters passes",
    breaks: "shipments.fields-bounded",
    begin: sending("POST /shipments", ({ from }) => {
      if (from?.country?.length === 3) from.country = "DE";
    }),
  },
  {
    what: "a parcel without weight is taken to weigh a kilogram",
    breaks: "shipments.fields-required",
    begin: sending("POST /shipments", ({ parcel }) => {
      if (parcel) parcel.weight_kg ??= 1;
    }),
  },
  {
    what: "two parcels are taken for one",
    breaks: "orders.fields-required",
    begin: sending("POST /orders", (body) => {
      if (Array.isArray(body.parcel)) body.parcel = { weight_kg: 1, length_cm: 1, width_cm: 1, height_cm: 1 };
    }),
  },
  {
    what: "a number may come as text",
    breaks: "orders.fields-typed",
    begin: sending("POST /orders", ({ parcel }) => {
      if (parcel?.height_cm === "5") parcel.height_cm = 5;
    }),
  },
  {
    what: "a parcel may weigh nothing",
    breaks: "shipments.fields-typed",
    begin: sending("POST /shipments", ({ parcel }) => {
      if (parcel?.weight_kg === 0) parcel.weight_kg = 1;
    }),
  },
  {
    what: "a refusal names no field",
    breaks: "orders.fields-required",
    begin: refusing((error) => {
      error.message = "Something is wrong.";
      delete error.fields;
    }),
  },
  {
    what: "the longest reference is refused",
    breaks: "orders.fields-longest",
    begin: sending("POST /orders", (body) => {
      if (body.reference?.length === 200) body.reference += "x";
    }),
  },
  {
    what: "a list is in no order",
    breaks: "orders.list",
    begin: editing("GET /orders", (orders) => {
      // A small number of them may happen to be in the order of another collation.
      orders.push(...orders.splice(0, orders.length / 2));
    }),
  },
  {
    what: "a list misses a record",
    breaks: "shipments.list",
    begin: editing("GET /shipments", (shipments) => {
      const older = shipments.filter(({ reference }: { reference: string }) => !reference.startsWith("conformance-"));
      shipments.splice(0, shipments.length, ...older);
    }),
  },
  {
    what: "a list has no next_cursor",
    breaks: "labels.list",
    begin: editing("GET /labels", (_, body) => {
      delete body.next_cursor;
    }),
  },
  ...["orders", "shipments", "labels"].flatMap((resource): Fault[] => [
    {
      what: "the second page is the first again",
      breaks: `${resource}.cursor`,
      begin: withoutCursor(resource),
    },
    { what: "a limit of 101 is cut", breaks: `${resource}.limit`, begin: takingLimit(resource, "101", "100") },
    { what: "a page has 50 by default", breaks: `${resource}.default-limit`, begin: takingLimit(resource, null, "50") },
  ]),
];
