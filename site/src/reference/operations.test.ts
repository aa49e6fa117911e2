import { errorGuidance } from "@shipping/api/openapi/error-guidance";
import { openApiDocument } from "@shipping/api/openapi/openapi";
import { errors } from "@shipping/proto/errors";
import { resources } from "../documents.js";
import { describeResources, type OperationDocument } from "./operations.js";

const operations = resources().flatMap((resource) => resource.operations);
const named = (id: string) => operations.find((operation) => operation.id === id);

// Other sites link to these pages. If one is renamed, its old URL must redirect to the new one.
test("the pages of the reference have URLs that do not change", () => {
  const expected = ["getAccount", "createOrder", "listOrders", "getOrder"];
  expected.push("createShipment", "listShipments", "getShipment", "quoteRates");
  expected.push("createLabel", "listLabels", "getLabel", "getLabelFile", "voidLabel", "getTracking");
  expected.push("createSubscription", "listSubscriptions", "getSubscription", "disableSubscription");
  expect(operations.map(({ href }) => href)).toEqual(expected.map((id) => `/docs/reference/${id}`));
});

describe("an operation", () => {
  test("has its parameters with their places, and the key that it needs", () => {
    const placesOf = (id: string) => named(id)?.parameters.map((one) => [one.in, one.field.name, one.field.isRequired]);
    expect(placesOf("getLabel")).toEqual([["path", "id", true]]);
    expect(placesOf("listOrders")).toEqual([
      ["query", "limit", false],
      ["query", "after", false],
    ]);
    expect(placesOf("createOrder")).toEqual([["header", "Idempotency-Key", true]]);
    expect(named("createOrder")?.parameters[0]?.field.text).toMatch(
      /Printable ASCII characters only\. 1 to 128 characters\.$/,
    );
  });

  test("has the fields of its body and of its answer", () => {
    expect(named("createLabel")?.body?.fields.map(({ name }) => name)).toEqual(["shipment_id", "rate_id", "format"]);
    expect(named("voidLabel")?.body?.fields).toEqual([]);
    expect(named("getAccount")?.body).toBeUndefined();
    const answer = named("listLabels")?.answer.fields.map(({ name, type }) => [name, type]);
    expect(answer).toEqual([
      ["data", "array of Label"],
      ["next_cursor", "string or null"],
    ]);
    expect(named("getLabelFile")?.answer).toMatchObject({ isPdf: true, fields: [] });
  });

  test("knows what its success leads to, and the headers of its answer", () => {
    expect(named("createLabel")?.next).toEqual(["getLabel", "getLabelFile", "voidLabel", "getTracking"]);
    expect(named("createLabel")?.answer.headers.map(({ name }) => name)).toContain("Idempotency-Replayed");
    expect(named("getLabel")?.answer.headers.map(({ name }) => name)).not.toContain("Idempotency-Replayed");
  });

  test("that the document does not have is an error, not an empty page", () => {
    const document = JSON.parse(JSON.stringify(openApiDocument())) as OperationDocument;
    expect(() => describeResources({ ...document, paths: {} })).toThrow("has no GET /account");
  });
});

test("the guidance says what to do about every error, in whole sentences", () => {
  expect(Object.keys(errorGuidance).sort()).toEqual(Object.keys(errors).sort());
  for (const [code, text] of Object.entries(errorGuidance))
    expect([code, text]).toEqual([code, expect.stringMatching(/^[A-Z].*\.$/)]);
});

test("the guidance says to wait exactly where the document's answer has Retry-After", () => {
  const told = Object.entries(errorGuidance).flatMap(([code, text]) => (text.includes("`Retry-After`") ? code : []));
  expect(told).toEqual(["idempotency_in_progress", "rate_limited", "service_unavailable"]);
});
