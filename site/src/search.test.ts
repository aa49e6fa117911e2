import { guides } from "@shipping/api/guides";
import MiniSearch from "minisearch";
import { INDEX_OPTIONS, openIndex, splitAtHits } from "./assets/find-sections.js";
import { findGuide, resources } from "./documents.js";
import { createSearchIndex, toSections } from "./guides/search-index.js";
import { searchSections } from "./reference/operations.js";

const sections = [...guides.flatMap(({ slug }) => toSections(findGuide(slug)!)), ...searchSections(resources())];
let search: ReturnType<typeof openIndex>;
beforeAll(async () => {
  search = openIndex(MiniSearch, await createSearchIndex(sections));
});
const placesOf = (text: string) => search(text).map(({ href }) => href.replace("/docs/", ""));

test("all words count, in whatever order, and one or two letters match no longer word", () => {
  const found = placesOf("idempotency-replayed");
  expect(found).toContain("idempotency#repeat-a-request");
  expect(placesOf("replayed replayed idempotency")).toEqual(found);
  expect([placesOf("ide"), placesOf("id")].map((places) => places.includes(found[0]!))).toEqual([true, false]);
});

test("a section whose title no other has is found by it", () => {
  const titles = sections.map(({ title }) => title);
  const unique = sections.filter(({ title }) => titles.indexOf(title) === titles.lastIndexOf(title));
  expect(unique.length).toBeGreaterThan(100);
  for (const { href, title } of unique)
    expect([title, placesOf(title)]).toEqual([title, expect.arrayContaining([href.replace("/docs/", "")])]);
});

test("a word with a spelling error is found", () => {
  expect(placesOf("idempotensy")).toContain("idempotency");
});

test("words that no section has find nothing, and neither does a text without words", () => {
  for (const text of ["zzzzzzzz", "zzzzzzzz key", "", " ", "?!"]) expect([text, search(text)]).toEqual([text, []]);
});

test("at most twenty sections are found", () => {
  expect(search("label")).toHaveLength(20);
});

test("the text of a section counts more than its examples", () => {
  const titles = search("retry").map(({ title }) => title);
  expect(titles.indexOf("Without a client")).toBeGreaterThan(titles.indexOf("Retries"));
  expect(search("urllib").map(({ title }) => title)).toContain("Without a client");
});

test("an excerpt is whole sentences of one paragraph, the first of them with the words that were found", () => {
  for (const text of ["retries", "signature", "replayed", "sandbox label", "weight_kg", "webhook secret"]) {
    const found = search(text);
    for (const { href, excerpt, terms } of found.filter(({ excerpt }) => !excerpt.includes("…"))) {
      const { text: whole = "", code = "", ...others } = sections.find((section) => section.href === href) ?? {};
      const paragraph = [...whole.split("\n"), ...code.split("\n"), ...Object.values(others)].find((one) =>
        one.includes(excerpt.replace(/^(?:(?:GET|POST|DELETE) \S+|Fields|Errors): |\.$/g, "")),
      );
      expect([href, excerpt, paragraph]).toEqual([href, excerpt, expect.any(String)]);
      if (!code.includes(excerpt)) expect(excerpt).toMatch(/^[\p{Lu}\p{N}\p{P}/]|^[a-z_]+\b/u);
      expect(terms.length).toBeGreaterThan(0);
    }
    expect(found.filter(({ excerpt }) => excerpt.length > 230)).toEqual([]);
  }
});

test("a long sentence is cut between words, with a word that was found", () => {
  const long = `It begins ${"far before ".repeat(40)}the needle${" and goes on".repeat(40)}.`;
  const content = `A first paragraph.\n${long}`;
  const index = new MiniSearch(INDEX_OPTIONS);
  index.add({ href: "/a", title: "A", of: "B", text: content, content });
  const [{ excerpt = "" } = {}] = openIndex(MiniSearch, JSON.stringify(index))("needle");
  expect(excerpt).toMatch(/^… (?:far|before) .*the needle and goes .* …$/);
});

test("the words that were found are marked, a name by its parts, too", () => {
  const marks = (text: string, terms: string[]) => splitAtHits(text, terms).filter((_part, index) => index % 2);
  expect(splitAtHits("Retry it: retry_after, retries.", ["retry"])).toEqual([
    "",
    "Retry",
    " it: ",
    "retry_after",
    ", retries.",
  ]);
  expect(marks("Größe, größer", ["größe"])).toEqual(["Größe"]);
  expect(marks("<b>b</b>", [])).toEqual([]);
});

test("the fields of an event are found", () => {
  expect(placesOf("voided_at")).toContain("events/label.voided#label");
});

test.each([
  ["POST /labels", "createLabel"],
  ["/api/v1/labels/{id}/void", "voidLabel"],
  ["DELETE webhooks", "disableSubscription"],
  ["List orders", "listOrders"],
])("%j finds its operation first", (text, id) => {
  expect(placesOf(text)[0]).toBe(`reference/${id}`);
});

test.each([
  ["weight_kg", "createShipment"],
  ["shipment_voided", "createLabel"],
  ["webhooks:write", "createSubscription"],
])("%j, a field, a code or a scope, finds its operation", (text, id) => {
  expect(placesOf(text)).toContain(`reference/${id}`);
});

test("a code that every operation can answer leads to the guide first", () => {
  expect(placesOf("rate_limited")[0]).not.toContain("reference/");
  expect(placesOf("idempotency_conflict")[0]).not.toContain("reference/");
});
