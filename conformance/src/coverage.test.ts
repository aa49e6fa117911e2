import type { Check } from "./check.js";
import { checks } from "./checks.js";
import { contract, selectChecks, specification, unprovenSentences } from "./conformance.js";
import { findQuote, findUnproven, parseStatements, strayQuotes, strayReasons } from "./coverage.js";
import { unproven } from "./unproven.js";

const quotesOf = (profile: "spec" | "contract") =>
  checks.filter((check) => (check.profile ?? "spec") === profile).flatMap(({ proves }) => proves);

describe("a check's quote", () => {
  test("is in the specification, or for profile contract in the contract, word for word", () => {
    expect(strayQuotes([specification], quotesOf("spec"))).toEqual([]);
    expect(strayQuotes([contract], quotesOf("contract"))).toEqual([]);
  });

  test("is told apart from what only resembles it", () => {
    const quote = "A shipment has at most two labels.";
    expect(strayQuotes([specification], [quote, "A shipment has at most one label."])).toEqual([quote]);
  });

  test("exists for every check but the optional ones, and ids are unique", () => {
    expect(checks.filter(({ proves }) => proves.length === 0).map(({ id }) => id)).toEqual([
      "contract.file-tag",
      "deliveries.standard",
    ]);
    expect(new Set(checks.map(({ id }) => id)).size).toBe(checks.length);
  });
});

describe("a sentence that no check proves", () => {
  test("has a reason, sentence by sentence", () => {
    expect(unprovenSentences().filter(({ reason }) => reason === "")).toEqual([]);
  });

  test("is excused once, as a whole sentence, and not if checks prove it", () => {
    expect(strayReasons(specification, checks, unproven)).toEqual([]);
  });

  const statements = parseStatements(
    "# Rules\n\nIt holds. It holds too. It may hold; that is all. It turns, and it is 1.0.0.",
  );
  const one: Check = { id: "one", proves: ["It holds.", "It turns"], run: async () => {} };
  const other: Check = { id: "other", proves: [", and it is"], run: async () => {} };
  const sentences = (checks: readonly Check[]) => findUnproven(statements, checks, {}).map(({ sentence }) => sentence);

  test("is listed without a reason if there is none, or only one for a part of the sentence", () => {
    expect(findUnproven(statements.slice(0, 3), [one], { "is a guess": ["It may hold; that is all."] })).toEqual([
      { section: "Rules", sentence: "It holds too.", reason: "" },
      { section: "Rules", sentence: "It may hold; that is all.", reason: "is a guess" },
    ]);
    for (const part of ["It may hold", "that is all.", "It may hold; that is all. It turns"])
      expect(findUnproven(statements.slice(2, 3), [one], { "is a guess": [part] })).toMatchObject([{ reason: "" }]);
  });

  test("is what quotes leave of a sentence, the contract's not counted", () => {
    expect(sentences([one, other])).toContain("It turns, and it is 1.0.0.");
    const last: Check = { id: "last", proves: ["1.0.0"], run: async () => {} };
    expect(sentences([one, other, last])).not.toContain("It turns, and it is 1.0.0.");
    expect(sentences([one, other, { ...last, profile: "contract" }])).toContain("It turns, and it is 1.0.0.");
  });

  test.each([
    ["a part of a sentence", { why: ["It may hold"] }, "It may hold"],
    ["a sentence that is not there", { why: ["It flies."] }, "It flies."],
    ["a sentence that a check proves", { why: ["It holds."] }, "It holds."],
    ["a sentence that has a reason already", { why: ["It holds too."], also: ["It holds too."] }, "It holds too."],
  ])("has no reason for %s", (_, reasons, stray) => {
    expect(strayReasons(statements, [one, other], reasons)).toEqual([stray]);
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
