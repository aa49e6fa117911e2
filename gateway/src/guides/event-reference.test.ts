import { events as examples } from "../api/examples.js";
import { EVENT_TYPES } from "../input/schemas.js";
import { library } from "../openapi/guide-library.js";
import { openApiDocument } from "../openapi/openapi.js";
import { type EventDocument, eventReference } from "./event-reference.js";
import { guides } from "./guides.js";

const document = JSON.parse(JSON.stringify(openApiDocument())) as EventDocument;

/** The rows of the table under a heading, cell by cell. */
function rowsUnder(heading: string, markdown: string): string[][] {
  const [, part = ""] = markdown.split(`# ${heading}\n`);
  const [, , ...rows] = part.split("\n#")[0]?.match(/^\|.*\|$/gm) ?? [];
  return rows.map((row) => row.slice(2, -2).split(" | "));
}

/** The names of all members of an example, but not those of `metadata`, which are the customer's own. */
function membersOf(value: object): string[] {
  return Object.entries(value).flatMap(([name, member]) => [
    name,
    ...(typeof member === "object" && member !== null && name !== "metadata" ? membersOf(member) : []),
  ]);
}

describe("the page of an event", () => {
  test("has the fields of its body and of what is in it, with the document's rules", () => {
    const page = eventReference("label.voided", document);
    expect(rowsUnder("Fields", page).map(([field]) => field)).toEqual(
      ["id", "type", "livemode", "created_at", "data"].map((name) => `\`${name}\``),
    );
    expect(page).toContain("| `type` | string | Always `label.voided`. |");
    expect(page).toContain("| `data` | [Label](#label) |");
    expect(page).toContain("| `status` | string | `created` or `voided`. |");
    expect(page).toContain("| `voided_at` | string | Optional. Only present after the label was voided. |");
    expect(page).toContain("| `charge.amount` | number | Always `0`. |");
  });

  test("has a table for each schema inside, once, with its bounds", () => {
    const page = eventReference("order.created", document);
    expect(page.match(/^### .*$/gm)).toEqual(["### Order", "### Address", "### Parcel"]);
    expect(page).toMatch(/\| `weight_kg` \| number \| .*Greater than 0, at most 1000\. \|/);
    expect(page).toMatch(/\| `street2` \| string \| Optional\. .*At most 200 characters\. \|/);
  });

  test.each(EVENT_TYPES)("%s names every member that its example has", (type) => {
    const page = eventReference(type, document);
    const named = [...page.matchAll(/^\| `(?:\w+\.)?(\w+)` \|/gm)].map(([, field]) => field);
    expect(membersOf(examples[type]).filter((member) => !named.includes(member))).toEqual([]);
  });

  test("a type that the document does not have is an error, not an empty page", () => {
    expect(() => eventReference("order.created", { ...document, webhooks: {} })).toThrow("no webhook order.created");
  });
});

describe("the catalogue of events", () => {
  test("has a page for each type, which says when it is sent, and shows the document's example", () => {
    expect(guides.flatMap(({ event }) => event ?? [])).toEqual(EVENT_TYPES);
    for (const type of EVENT_TYPES) {
      const { rendered } = library().page(`events/${type}`) ?? {};
      const titles = rendered?.sections.filter(({ level }) => level === 2).map(({ title }) => title);
      expect(titles).toEqual([
        "When it is sent",
        "What to do with it",
        "Fields",
        "Example",
        "Before you process the event",
      ]);
      expect(rendered?.html).toContain(examples[type].id);
    }
  });

  test("lists every type in its overview", () => {
    const { rendered } = library().page("events") ?? {};
    for (const type of EVENT_TYPES)
      expect(rendered?.html).toContain(`<a href="/docs/events/${type}"><code>${type}</code></a>`);
  });

  test("is found by the search, fields included", () => {
    const found = library().search("voided_at");
    expect(found.map(({ href }) => href)).toContain("/docs/events/label.voided#label");
  });
});
