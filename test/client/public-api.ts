import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Compares the declarations of a client's modules with `public-api.txt` in its folder. `UPDATE_API=1` renews the file, unless the changelog has a
 * date for its version: such a version is released, and a change of its types needs a new version.
 */
export async function checkPublicApi(folder: string, version: string, modules: Readonly<Record<string, string>>) {
  const parts = Object.entries(modules).map(([name, declarations]) => `=== ${name}\n${declarations.trim()}\n`);
  const report = `${version}\n\n${parts.join("\n")}`;
  const path = join(folder, "public-api.txt");
  const committed = await readFile(path, "utf8").catch(() => "");
  if (report === committed) return;
  const changelog = await readFile(join(folder, "CHANGELOG.md"), "utf8");
  const isReleased = changelog.includes(`\n## ${version}\n\n20`);
  if (process.env.UPDATE_API && !isReleased) return writeFile(path, report);
  const remedy = isReleased
    ? `Version ${version} is released: set a new one, and begin its part of CHANGELOG.md.`
    : "If that is intended, tell it in CHANGELOG.md, and run this test with UPDATE_API=1.";
  expect([remedy, ...report.split("\n")]).toEqual(["The public API is as committed.", ...committed.split("\n")]);
}
