import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "CONTRIBUTING.md"), "utf8");

test("the map of tests has every folder of test, each once", () => {
  const folders = readdirSync(join(root, "test"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== "dist")
    .map(({ name }) => name);
  const [, table = ""] = /\n\| folder of `test`.*\n\|[- |]+\|\n((?:\|.*\n)+)/.exec(page) ?? [];
  const rows = [...table.matchAll(/^\| `([\w-]+)`/gm)].map(([, name]) => name);
  expect(rows.sort()).toEqual(folders.sort());
});
