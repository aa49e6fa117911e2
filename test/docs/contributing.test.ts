import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { rooms } from "../tree/rooms.js";

const root = join(import.meta.dirname, "../..");
const read = (name: string) => readFileSync(join(root, "docs/contributing", name), "utf8");

test("the map of tests has every folder of test, each once", () => {
  const folders = readdirSync(join(root, "test"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== "dist")
    .map(({ name }) => name);
  const [, section = ""] = read("tests.md").split("\n## The folders of `test`\n");
  const rows = [...(section.split("\n## ")[0] ?? "").matchAll(/^- `([\w-]+)`:/gm)].map(([, name]) => name);
  expect(rows.sort()).toEqual(folders.sort());
});

test.each(Object.entries(rooms))("the map of rooms describes those of %s, in their order", (part, order) => {
  const rows = [...read("map.md").matchAll(/^- `([\w/-]+)`:/gm)].map(([, name = ""]) => name);
  const listed = rows.filter((name) => name.startsWith(`${part}/`) || name === part);
  // The table has one row for the command line's parts.
  const described = order.map((room) => (room === "." ? part : `${part}/${room.replace(/^(cli)\/.*/, "$1")}`));
  expect(listed).toEqual([...new Set(described)]);
});
