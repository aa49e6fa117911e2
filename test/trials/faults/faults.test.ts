import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { rooms } from "./rooms.js";

const root = join(import.meta.dirname, "../../..");

test.each(Object.values(rooms).flat())("can be planted, and names a test: $file, $breaks", (fault) => {
  const { file, original, replacement, noticedBy } = fault;
  expect(readFileSync(join(root, file), "utf8").split(original)).toHaveLength(2);
  expect(replacement).not.toBe(original);
  expect(existsSync(join(root, noticedBy))).toBe(true);
});

test("sixty faults are listed", () => {
  expect(Object.fromEntries(Object.entries(rooms).map(([name, { length }]) => [name, length]))).toEqual({
    idempotency: 20,
    admission: 10,
    dispatch: 10,
    input: 10,
    pages: 10,
  });
});
