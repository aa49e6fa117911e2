import { Failure } from "@shipping/kit/errors";
import { jsonBody } from "./json-body.js";
import type { Place } from "./lost-numbers.js";
import { orderId, orderInput, pageQuery, webhookInput } from "./schemas.js";
import { checkBody, decodePairs, requireValid, validMembers, validQuery } from "./validate.js";

const address = { name: "A", street1: "B", city: "C", postal_code: "D", country: "DE" };
const parcel = { weight_kg: 1, length_cm: 2, width_cm: 3, height_cm: 4 };
const order = { reference: "PO-1", from: address, to: address, parcel };

/** Runs a check that must be refused, and returns the fields of the refusal in their order. */
function fieldsOf(check: () => unknown): readonly { path: string; message: string }[] {
  try {
    check();
  } catch (error) {
    if (error instanceof Failure && error.code === "invalid_request") return error.fields;
    throw error;
  }
  return [];
}

describe("a member whose name has a dot in it", () => {
  test("does not hide the field that its name reads like", () => {
    const { name: _, ...to } = address;
    expect(
      fieldsOf(() => requireValid(checkBody(orderInput, jsonBody({ ...order, to, "to.name": "x" }), "/"))),
    ).toEqual([
      { path: "to.name", message: "is required" },
      { path: "to.name", message: "is not a known field: send objects in objects instead of a name with a dot" },
    ]);
    expect(
      fieldsOf(() =>
        requireValid(checkBody(orderInput, jsonBody({ ...order, to: { ...to, "a.b": 1 }, "to.a": { b: 1 } }), "/")),
      ),
    ).toEqual([
      { path: "to.name", message: "is required" },
      { path: "to.a.b", message: "is not a known field: send objects in objects instead of a name with a dot" },
      { path: "to.a", message: "is not a known field: send objects in objects instead of a name with a dot" },
    ]);
  });

  test("leaves the member valid that its name begins with", () => {
    const body = { url: "https://localhost/", "url.x": 1, body: 1, events: ["order.created"] };
    expect(validMembers(body, checkBody(webhookInput, jsonBody(body), "/"))).toEqual({
      url: body.url,
      events: body.events,
    });
    const nested = { ...order, to: { ...address, reference: 1 } };
    expect(Object.keys(validMembers(nested, checkBody(orderInput, jsonBody(nested), "/")))).toEqual([
      "reference",
      "from",
      "parcel",
    ]);
  });

  test.each([null, [{}], "text"])("has no members to leave valid in %j", (body) => {
    expect(validMembers(body, checkBody(orderInput, jsonBody(body), "/"))).toEqual({});
  });
});

describe("an unknown member", () => {
  const told = (body: object) =>
    fieldsOf(() => requireValid(checkBody(orderInput, jsonBody(JSON.parse(JSON.stringify(body))), "/")))
      .filter(({ message }) => message.startsWith("is not a known field: "))
      .map(({ path, message }) => `${path} ${message.replace("is not a known field: ", "")}`);

  test.each([
    [
      { ...order, parcel: { ...parcel, weight_kg: undefined, weight: 1 } },
      "parcel.weight did you mean parcel.weight_kg?",
    ],
    [
      { ...order, to: { ...address, postal_code: undefined, PostCode: "1" } },
      "to.PostCode did you mean to.postal_code?",
    ],
    [
      { ...order, to: { ...address, street: "x", Company: "x" } },
      "to.street did you mean to.street2?, to.Company did you mean to.company?",
    ],
    [
      { ...order, reference: undefined, referenceNumber: "1", to: { ...address, street1: undefined, street2x: "1" } },
      "to.street2x did you mean to.street2?, referenceNumber did you mean reference?",
    ],
    // Names of other shipping APIs.
    [
      { ...order, to: { ...address, postal_code: undefined, street1: undefined, zip: "1", address_line1: "x" } },
      "to.zip did you mean to.postal_code?, to.address_line1 did you mean to.street1?",
    ],
    [
      { ...order, to: undefined, from: undefined, address_to: address, shipper: address },
      "address_to did you mean to?, shipper did you mean from?",
    ],
    [{ ...order, parcel: { ...parcel, weight_kg: undefined, we: 1 } }, "parcel.we remove it"],
    [{ ...order, meta: {}, notes: "" }, "meta did you mean metadata?, notes remove it"],
    [{ ...order, parcel: { ...parcel, "": 1, kg: 1 } }, 'parcel."" remove it, parcel.kg remove it'],
  ])("is told which absent member it is similar to, and no other: %#", (body, expected) => {
    expect(told(body).join(", ")).toBe(expected);
  });

  test.each([
    ["refrnc", "did you mean reference?"],
    ["refrn", "remove it"],
    ["rexxxence", "did you mean reference?"],
    ["rexxxxnce", "remove it"],
    ["xrxexfxerence", "did you mean reference?"],
    ["xrxexfxexrence", "remove it"],
    ["mobile", "remove it"],
  ])("is similar if at most a third of its letters differ: %s", (name, advice) => {
    expect(told({ ...order, reference: undefined, [name]: "1" })).toEqual([`${name} ${advice}`]);
  });

  test.each<[body: object, expected: string]>([
    ...["order", "data", "input", "reference_number"].map((name): [object, string] => [
      { [name]: order },
      `${name}: is not a known field: move ${Object.keys(order).join(", ")} to the top level; reference: is required`,
    ]),
    [{ orders: [order] }, "orders: is not a known field: move reference, "],
    [{ data: { type: "orders", attributes: order } }, "data: is not a known field: move reference, "],
    [
      { ...order, from: { address } },
      `from.address: is not a known field: move ${Object.keys(address).join(", ")} to from; from.name: is required`,
    ],
    [{ ...order, extra: { reference: "x" } }, "extra: is not a known field: remove it"],
    [{ extra: [order, order] }, "reference: is required"],
    [{ extra: { a: { b: order } } }, "reference: is required"],
    [{ extra: "reference" }, "reference: is required"],
  ])("that contains the missing fields is named first, with where they belong: %#", (body, expected) => {
    expect(() => requireValid(checkBody(orderInput, jsonBody(body), "/"))).toThrow(expected);
  });

  test("is compared only among ten, since more are no typing errors", () => {
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`metadata${n}`, 0]));
    expect(told({ ...order, ...many(10) })[9]).toBe("metadata9 did you mean metadata?");
    expect(told({ ...order, ...many(11) })[9]).toBe("metadata9 remove it");
  });
});

describe("a number that is not as it was sent", () => {
  const LOST = "must be a number that double precision can hold: send it as a string";
  const refused = (value: unknown, ...lost: Place[]) =>
    fieldsOf(() => requireValid(checkBody(orderInput, { value, lost: { places: lost, more: 0 } }, "/")));

  test("is refused where everything else is right, and named beside what is not", () => {
    expect(refused({ ...order, metadata: { n: [1] } }, ["metadata", "n", 0])).toEqual([
      { path: "metadata.n.0", message: LOST },
    ]);
    expect(refused({ ...order, reference: "" }, ["parcel", "weight_kg"]).map(({ path }) => path)).toEqual([
      "reference",
      "parcel.weight_kg",
    ]);
  });

  test("is named once where a rule of the field is broken too, by that rule, and hides no other by its name", () => {
    const far = { ...order, parcel: { ...parcel, weight_kg: Number.POSITIVE_INFINITY } };
    expect(refused(far, ["parcel", "weight_kg"])).toEqual([
      { path: "parcel.weight_kg", message: "must be a number greater than 0 and at most 1000" },
    ]);
    expect(refused({ ...far, "parcel.weight_kg": 0 }, ["parcel.weight_kg"])).toHaveLength(2);
  });

  test("is the whole body, or has no name", () => {
    expect(refused(Number.POSITIVE_INFINITY, [])).toEqual([{ path: "body", message: "must be a JSON object" }]);
    expect(refused({ ...order, metadata: { "": 1 } }, ["metadata", ""])).toEqual([
      { path: 'metadata.""', message: LOST },
    ]);
  });

  test("leaves the other members valid", () => {
    const value = { url: "https://localhost/", events: [0] };
    expect(
      validMembers(value, checkBody(webhookInput, { value, lost: { places: [["events", 0]], more: 0 } }, "/")),
    ).toEqual({
      url: value.url,
    });
  });
});

test("a body that was not sent is missing, and an operation without one has no fault", () => {
  expect(checkBody(orderInput, undefined, "/").faults).toEqual([{ path: "body", message: "is required" }]);
  expect(checkBody(undefined, undefined, "/")).toMatchObject({ value: undefined, faults: [], more: 0 });
});

test("a query or form is decoded pair by pair", () => {
  expect(decodePairs("a=b=c&d&=e+f%2B&", "form")).toEqual([
    ["a", "b=c"],
    ["d", ""],
    ["", "e f+"],
  ]);
  const message = "must be percent-encoded UTF-8";
  expect(fieldsOf(() => decodePairs("%zz", "form"))).toEqual([{ path: "form", message }]);
  expect(validQuery(pageQuery(orderId), "?limit=5")).toEqual({ limit: 5 });
});

describe("of more than 100 fields at fault", () => {
  const names = Array.from({ length: 6_000 }, (_, n) => `m${n}`);
  const named = names.slice(0, 100).map((path) => ({ path, message: "is not a known parameter: remove it" }));

  test("the first 100 of a query are named, and how many more there are under its path", () => {
    const query = names.slice(0, 900).join("&");
    expect(fieldsOf(() => validQuery(pageQuery(orderId), `/orders?${query}`))).toEqual([
      ...named,
      { path: "query", message: "has 800 more invalid fields" },
    ]);
  });

  test("a query of more than 8,000 characters is not read, so that none is named", () => {
    const fault = { path: "query", message: "must have at most 8000 characters" };
    expect(fieldsOf(() => validQuery(pageQuery(orderId), `/orders?${names.join("&")}`))).toEqual([fault]);
    expect(fieldsOf(() => requireValid(checkBody(orderInput, jsonBody(order), `/orders?${names.join("&")}`)))).toEqual([
      fault,
    ]);
  });

  test("those of a query that a write must not have are counted with those of its body", () => {
    const query = names.slice(0, 150).map((name) => `${name}=1`);
    const body = jsonBody({ ...order, ...Object.fromEntries(names.map((name) => [name, 0])) });
    for (const [sent, more] of [
      [jsonBody(order), 50],
      [body, 6_050],
    ] as const) {
      expect(fieldsOf(() => requireValid(checkBody(orderInput, sent, `/orders?${query.join("&")}`)))).toEqual([
        ...named,
        { path: "body", message: `has ${more} more invalid fields` },
      ]);
    }
  });

  test("exactly 100 are all, and one more is one more", () => {
    const withMembers = (count: number) => ({
      ...order,
      ...Object.fromEntries(names.slice(0, count).map((name) => [name, 0])),
    });
    expect(fieldsOf(() => requireValid(checkBody(orderInput, jsonBody(withMembers(100)), "/")))).toEqual(
      named.map(({ path }) => ({ path, message: "is not a known field: remove it" })),
    );
    expect(fieldsOf(() => requireValid(checkBody(orderInput, jsonBody(withMembers(101)), "/")))[100]).toEqual({
      path: "body",
      message: "has 1 more invalid field",
    });
  });
});
