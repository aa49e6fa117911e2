import { readFileSync } from "node:fs";
import { join } from "node:path";
import { explained } from "./explained.js";

test("each explained mutant is of a text that is still in its file", () => {
  const read = (file: string) => readFileSync(join(import.meta.dirname, "../../..", file), "utf8");
  const gone = Object.entries(explained).flatMap(([file, mutants]) =>
    mutants.filter(([original, , why]) => !read(file).includes(original) || !why).map(([original]) => [file, original]),
  );
  expect(gone).toEqual([]);
});
