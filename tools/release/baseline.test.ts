import { join } from "node:path";
import { editedMigrations, readBaseline, readMigrations } from "./baseline.js";
import { currentVersion, namedVersions } from "./versions.js";

const root = join(import.meta.dirname, "../..");

test("the migrations of releases are as they were released", () => {
  const now = readMigrations(root);
  expect(Object.keys(now).length).toBeGreaterThan(5);
  expect(editedMigrations(readBaseline(root)?.migrations ?? {}, now)).toEqual([]);
  expect(editedMigrations({ edited: "a", gone: "b", same: "c" }, { edited: "d", same: "c", more: "e" })).toEqual([
    ...["edited", "gone"],
  ]);
});

test("this tree names one version everywhere but in the packages that others install alone", () => {
  const version = currentVersion(root);
  expect(namedVersions(root).length).toBeGreaterThan(60);
  expect(namedVersions(root).filter(([, named]) => named !== version)).toEqual([]);
});
