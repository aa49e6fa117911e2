import { Failure } from "@shipping/kit/errors";
import { EVENT_TYPES, SOME_EVENT_TYPES } from "@shipping/proto/event-types";
import type { z } from "zod";
import { jsonBody } from "./json-body.js";
import { labelInput, orderInput, rateInput, shipmentInput, voidInput, webhookInput } from "./schemas.js";
import { checkBody, requireValid } from "./validate.js";

const address = { name: "A", street1: "B", city: "C", postal_code: "D", country: "DE" };
const parcel = { weight_kg: 1, length_cm: 2, width_cm: 3, height_cm: 4 };
const order = { reference: "PO-1", from: address, to: address, parcel };

/** Runs a check that must be refused, and returns the faults by field. */
function faults(check: () => unknown): Record<string, string> {
  try {
    check();
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "invalid_request") throw error;
    return Object.fromEntries(error.fields.map(({ path, message }) => [path, message]));
  }
  return {};
}

const inBody = (schema: z.ZodType, body: unknown, url = "/") =>
  faults(() => requireValid(checkBody(schema, jsonBody(body), url)));
const inOrder = (change: object) => Object.keys(inBody(orderInput, { ...order, ...change }));

describe("an order's fields", () => {
  test("all optional ones may be absent, and none is changed", () => {
    const full = {
      ...order,
      reference: " ü ",
      to: { ...address, company: "", street2: "2", state: "S", email: "no check", phone: "-" },
      metadata: {},
    };
    expect(requireValid(checkBody(orderInput, jsonBody(order), "/"))).toEqual(order);
    expect(requireValid(checkBody(orderInput, jsonBody(full), "/"))).toEqual(full);
  });

  test("every one at fault is named, with its path and its rule", () => {
    const body = {
      from: { ...address, country: "de", zip: "1" },
      to: null,
      parcel: { ...parcel, weight_kg: 0 },
      extra: 1,
    };
    expect(inBody(orderInput, body)).toEqual({
      reference: "is required",
      "from.country": "must be a two-letter country code in upper case",
      "from.zip": "is not a known field: remove it",
      to: "is required",
      "parcel.weight_kg": "must be a number greater than 0 and at most 1000",
      extra: "is not a known field: remove it",
    });
  });

  test("each field has its rule, and what breaks it where that is hard to see", () => {
    const clean = "without control characters or lone surrogates";
    const text = `must be a string of 1 to 200 characters, not blank, ${clean}`;
    const optional = `must be a string of at most 200 characters, ${clean}`;
    const country = "must be a two-letter country code in upper case";
    const size = "must be a number greater than 0 and at most 1000";
    const to = { ...address, name: "", country: 5, company: 5, phone: "x".repeat(201) };
    const sizes = { ...parcel, weight_kg: "1,5", length_cm: 1001, width_cm: true };
    expect(inBody(orderInput, { reference: 5, from: "x", to, parcel: sizes })).toEqual({
      reference: `${text}: it is a number, so put it in quotes`,
      from: "must be a JSON object",
      ...{ "to.name": text, "to.country": country },
      "to.company": `${optional}: it is a number, so put it in quotes`,
      "to.phone": `${optional}: it has 201 characters`,
      "parcel.weight_kg": `${size}, without quotes and with a decimal point, such as 1.5`,
      ...{ "parcel.length_cm": size, "parcel.width_cm": size },
    });
    expect(inBody(shipmentInput, { ...order, parcel: [], order_id: "\u0000" })).toEqual({
      parcel: "must be a JSON object",
      order_id: `must be a string ${clean}: it has the character U+0000`,
    });
    expect(inBody(rateInput, { shipment_id: " " })).toEqual({
      shipment_id: `must be a string of at least 1 character, not blank, ${clean}`,
    });
  });

  test("a required text of invisible characters is blank, and the rule names one of them", () => {
    const named = (text: string, codePoint: string) =>
      expect(inBody(orderInput, { ...order, to: { ...address, name: text } })["to.name"]).toMatch(
        new RegExp(`, not blank, .*: it has only invisible characters, such as ${codePoint.replace("+", "\\+")}$`),
      );
    named(" \u200b", "U+200B");
    named("\u3164", "U+3164");
    named("\u2800\u2060", "U+2800");
    expect(inBody(orderInput, { ...order, to: { ...address, name: "\u3164\u2800 -", company: "\u200b" } })).toEqual({});
  });

  test.each([null, [], "x", 5, true])("a body that is %j has the path body", (body) => {
    for (const schema of [orderInput, shipmentInput, rateInput, labelInput, webhookInput])
      expect(inBody(schema, body)).toEqual({ body: "must be a JSON object" });
    expect(inBody(voidInput, body)).toEqual({ body: "must be the empty object {}" });
  });

  test.each(["__proto__", "constructor", "toString", "order_id"])("a member named %s is unknown", (name) => {
    const body = JSON.parse(JSON.stringify(order).replace("{", `{"${name}":"x",`));
    expect(inBody(orderInput, body)).toEqual({ [name]: "is not a known field: remove it" });
    expect(inBody(orderInput, { ...order, to: body })).toHaveProperty([`to.${name}`]);
  });

  test.each(["", " \t\n", "\u00a0\u2003", "x\u0000", "\ud800", 5, null])("%j is no reference", (reference) => {
    expect(inOrder({ reference })).toEqual(["reference"]);
  });

  test("lengths count code points", () => {
    expect(inOrder({ reference: "😀".repeat(200) })).toEqual([]);
    expect(inOrder({ reference: "😀".repeat(201) })).toEqual(["reference"]);
    for (const name of ["name", "street1", "city", "postal_code", "company", "street2", "state", "email", "phone"]) {
      expect(inOrder({ to: { ...address, [name]: "é".repeat(200) } })).toEqual([]);
      expect(inOrder({ to: { ...address, [name]: "é".repeat(201) } })).toEqual([`to.${name}`]);
    }
  });

  test.each([0, -0, 1000.0001, -1, Number.POSITIVE_INFINITY, "5", null, true])("%j is no weight", (weight) => {
    expect(inOrder({ parcel: { ...parcel, weight_kg: weight } })).toEqual(["parcel.weight_kg"]);
  });

  test.each([1000, 0.0001, 5e-324])("%j is a weight", (weight) => {
    expect(inOrder({ parcel: { ...parcel, weight_kg: weight } })).toEqual([]);
  });

  test.each(["de", "D", "DEU", "D1", "ÄÖ", "ＤＥ", "DE\n", ""])("%j is no country", (country) => {
    expect(inOrder({ from: { ...address, country } })).toEqual(["from.country"]);
  });

  test("null is not absent: an optional member is to be left out, a required one is required", () => {
    const [required, optional] = ["is required", "is null: omit the field"];
    const nulls = (value: object) => Object.fromEntries(Object.keys(value).map((name) => [name, null]));
    const to = { ...nulls(address), company: null, street2: null, state: null, email: null, phone: null };
    expect(
      inBody(shipmentInput, { reference: null, from: null, to, parcel: nulls(parcel), metadata: null, order_id: null }),
    ).toEqual({
      ...Object.fromEntries(["reference", "from"].map((path) => [path, required])),
      ...Object.fromEntries(
        ["name", "street1", "city", "postal_code", "country"].map((name) => [`to.${name}`, required]),
      ),
      ...Object.fromEntries(["company", "street2", "state", "email", "phone"].map((name) => [`to.${name}`, optional])),
      ...Object.fromEntries(Object.keys(parcel).map((name) => [`parcel.${name}`, required])),
      metadata: optional,
      order_id: optional,
    });
    expect(inBody(labelInput, { shipment_id: null, rate_id: null, format: null })).toEqual({
      shipment_id: required,
      rate_id: required,
      format: optional,
    });
    expect(inBody(webhookInput, { url: null, events: null })).toEqual({ url: required, events: required });
  });
});

describe("the other bodies", () => {
  test("a label's format is pdf or absent", () => {
    const label = { shipment_id: "a", rate_id: "b" };
    expect(inBody(labelInput, label)).toEqual({});
    expect(inBody(labelInput, { ...label, format: "pdf" })).toEqual({});
    expect(inBody(labelInput, { ...label, format: "png" })).toEqual({ format: 'must be "pdf"' });
  });

  test("a void has an empty object", () => {
    expect(inBody(voidInput, {})).toEqual({});
    expect(inBody(voidInput, { reason: "x" })).toEqual({ reason: "is not a known field: remove it" });
  });

  const inEvents = (events: unknown) => inBody(webhookInput, { url: "https://a.example", events });

  test.each([[[]], [["order.created", "order.created"]], ["order.created"], [[...EVENT_TYPES, "order.gone"]]])(
    "%j are no event types",
    (events) => {
      expect(inEvents(events)).toEqual({ events: `must be a list of ${SOME_EVENT_TYPES}` });
    },
  );

  test("every event type can be subscribed to at once", () => {
    expect(inEvents([...EVENT_TYPES])).toEqual({});
    expect(inEvents(["order.created"])).toEqual({});
    expect(inEvents(undefined)).toEqual({ events: "is required" });
  });

  test("an unknown event type is named by its place", () => {
    const one = `must be one of ${EVENT_TYPES.join(", ")}`;
    expect(inEvents(["order.created", "order.gone", 5])).toEqual({ "events.1": one, "events.2": one });
    expect(inEvents(["order.gone", "order.gone"])).toEqual({ "events.0": one, "events.1": one });
  });

  test("no write takes a query", () => {
    expect(inBody(voidInput, { a: 1 }, "/x?dry_run=1")).toEqual({
      dry_run: "is not a known parameter: remove it",
      a: "is not a known field: remove it",
    });
  });
});
