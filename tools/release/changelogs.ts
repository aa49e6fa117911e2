import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The page that says, by release, what an operator must do. */
export const CHANGES = "docs/operations/changes.md";

const DATE = /^\d{4}-\d{2}-\d{2}$/m;
const read = (root: string, path: string) => readFileSync(join(root, path), "utf8");

/** Returns what `changes.md` says about a release, or undefined if it has no section for it. */
export function changesIn(root: string, release: string): string | undefined {
  return sectionOf(read(root, CHANGES), release);
}

function sectionOf(page: string, release: string): string | undefined {
  const sections = page.split(/^## /m).slice(1);
  return sections.find((section) => section.startsWith(`${release}\n`))?.slice(release.length + 1);
}

/**
 * Dates the sections that a release publishes, if they have no date yet: its own in `changes.md`, and those of the clients' current versions,
 * because each platform hands out both clients.
 */
export function dateSections(root: string, release: string, today: string): void {
  const [, python = ""] = /"([\d.]+)"/.exec(read(root, "client-python/src/shipping_client/version.py")) ?? [];
  const published: [path: string, version: string][] = [
    [CHANGES, release],
    ["client/CHANGELOG.md", JSON.parse(read(root, "client/package.json")).version],
    ["client-python/CHANGELOG.md", python],
  ];
  for (const [path, version] of published) {
    const page = read(root, path);
    const [first = ""] = sectionOf(page, version)?.trim().split("\n") ?? [];
    if (DATE.test(first)) continue;
    writeFileSync(join(root, path), page.replace(`## ${version}\n`, `## ${version}\n\n${today}\n`));
  }
}
