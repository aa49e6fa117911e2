import { quoted, statementsOf } from "./document.js";

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
  const statements = statementsOf(DOCUMENT);
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
  const statements = statementsOf(DOCUMENT);
  expect(quoted(statements, "paths are").map(({ text }) => text)).toEqual(["All paths are relative."]);
  expect(quoted(statements, "First comes this. Then that.")).toHaveLength(2);
  expect(quoted(statements, "All paths are absolute.")).toEqual([]);
});
