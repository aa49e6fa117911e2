import { checks } from "./checks.js";
import { contract, selectChecks, specification, unprovenSentences } from "./conformance.js";
import { findQuote, findUnproven, parseStatements, strayQuotes } from "./coverage.js";
import { unproven } from "./unproven.js";

const quotesOf = (profile: "spec" | "contract") =>
  checks.filter((check) => (check.profile ?? "spec") === profile).flatMap(({ proves }) => proves);

describe("what checks quote", () => {
  test("is in the specification, or for profile contract in the contract, word for word", () => {
    expect(strayQuotes([specification], quotesOf("spec"))).toEqual([]);
    expect(strayQuotes([contract], quotesOf("contract"))).toEqual([]);
    expect(strayQuotes([specification], Object.values(unproven).flat())).toEqual([]);
  });

  test("is told apart from what only resembles it", () => {
    const quote = "A shipment has at most two labels.";
    expect(strayQuotes([specification], [quote, "A shipment has at most one label."])).toEqual([quote]);
  });

  test("is something for every check but the optional one, and ids are unique", () => {
    expect(checks.filter(({ proves }) => proves.length === 0).map(({ id }) => id)).toEqual(["deliveries.standard"]);
    expect(new Set(checks.map(({ id }) => id)).size).toBe(checks.length);
  });
});

describe("what no check proves", () => {
  test("has a reason, sentence by sentence", () => {
    expect(unprovenSentences().filter(({ reason }) => reason === "")).toEqual([]);
  });

  test("is listed without a reason where nobody has given one", () => {
    const statements = parseStatements("# Rules\n\nIt holds. It holds too. It may hold.");
    const check = { id: "one", proves: ["It holds."], run: async () => {} };
    expect(findUnproven(statements, [check], { "is a guess": ["may hold"] })).toEqual([
      { section: "Rules", sentence: "It holds too.", reason: "" },
      { section: "Rules", sentence: "It may hold.", reason: "is a guess" },
    ]);
  });
});

describe("the checks that run", () => {
  test("are the specification's, with the contract's if these are asked for", () => {
    const spec = selectChecks({ profile: "spec" });
    expect(spec.every(({ id }) => !id.startsWith("contract."))).toBe(true);
    expect(selectChecks({ profile: "contract" })).toEqual(checks);
    expect(spec.length).toBeLessThan(checks.length);
  });

  test("are those that are named, in their own order", () => {
    const only = ["labels.void", "orders.create"];
    expect(selectChecks({ profile: "spec", only }).map(({ id }) => id)).toEqual(["orders.create", "labels.void"]);
    expect(() => selectChecks({ profile: "spec", only: ["labels.fly"] })).toThrow("Unknown check: labels.fly.");
  });
});

const DOCUMENT = `# Title

Base address: \`{base_url}\`. All paths are relative. \`id\` is opaque, e.g. a number.

## Fields

| Field | Type |
|---|---|
| name | string |
| size | number |

1. First comes this. Then that.
- A mark of a list.
`;

test("a document states its sentences, list items and rows, each under its heading", () => {
  const statements = parseStatements(DOCUMENT);
  expect(statements.filter(({ section }) => section === "Title").map(({ text }) => text)).toEqual([
    "Base address: `{base_url}`.",
    "All paths are relative.",
    "`id` is opaque, e.g. a number.",
  ]);
  expect(statements.filter(({ section }) => section === "Fields").map(({ text }) => text)).toEqual([
    "| name | string |",
    "| size | number |",
    "First comes this.",
    "Then that.",
    "A mark of a list.",
  ]);
});

test("a quote is part of a statement, or has statements as its parts", () => {
  const statements = parseStatements(DOCUMENT);
  expect(findQuote(statements, "paths are").map(({ text }) => text)).toEqual(["All paths are relative."]);
  expect(findQuote(statements, "First comes this. Then that.")).toHaveLength(2);
  expect(findQuote(statements, "All paths are absolute.")).toEqual([]);
});
