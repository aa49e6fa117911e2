import { library, resources } from "../openapi/guide-library.js";
import { searchSections } from "./search-sections.js";

const found = (text: string) =>
  library()
    .search(text)
    .map(({ href }) => href);

test("every operation is in the search, once", () => {
  const hrefs = searchSections(resources()).map(({ href }) => href);
  expect(hrefs).toEqual(resources().flatMap(({ operations }) => operations.map(({ href }) => href)));
});

test.each([
  ["POST /labels", "createLabel"],
  ["/api/v1/labels/{id}/void", "voidLabel"],
  ["DELETE webhooks", "disableSubscription"],
  ["List orders", "listOrders"],
])("%j finds its operation first", (text, id) => {
  expect(found(text)[0]).toBe(`/docs/reference/${id}`);
});

test.each([
  ["quoteRates", "quoteRates"],
  ["weight_kg", "createShipment"],
  ["next_cursor", "listLabels"],
  ["shipment_voided", "createLabel"],
  ["tracking_number", "getTracking"],
  ["webhooks:write", "createSubscription"],
])("%j, a field, a code, a scope or an id, finds its operation", (text, id) => {
  expect(found(text)).toContain(`/docs/reference/${id}`);
});

test("a code that every operation can answer leads to the guide first", () => {
  expect(found("rate_limited")[0]).not.toContain("/docs/reference/");
  expect(found("idempotency_conflict")[0]).not.toContain("/docs/reference/");
});
