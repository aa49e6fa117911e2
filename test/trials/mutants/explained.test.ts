import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { explained } from "./explained.js";
import { rooms } from "./rooms.js";

const root = join(import.meta.dirname, "../../..");

test("each explained mutant is of a text that is still in its file", () => {
  const read = (file: string) => readFileSync(join(root, file), "utf8");
  const gone = Object.entries(explained).flatMap(([file, mutants]) =>
    mutants.filter(([original, , why]) => !read(file).includes(original) || !why).map(([original]) => [file, original]),
  );
  expect(gone).toEqual([]);
});

test.each(Object.entries(rooms))("the room %s has files, and tests", (_, { files, tests }) => {
  expect(files.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  // Tests are named by a folder, or by the beginning of a file's path.
  const isThere = (path: string) =>
    readdirSync(join(root, dirname(path))).some((name) => name.startsWith(basename(path)));
  expect(tests.filter((path) => !isThere(path))).toEqual([]);
});
