import { readFileSync } from "node:fs";

const manifest: { version: string } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));

/** The release that this code belongs to, such as `1.0.0`. `npm run release` sets it, for every workspace, image and chart alike. */
export const RELEASE = manifest.version;

/** Returns true if a release, such as `1.9.0`, is older than another, such as `1.10.0`. */
export function isOlder(release: string, other: string): boolean {
  const [one, two] = [release.split("."), other.split(".")];
  const at = one.findIndex((number, index) => number !== two[index]);
  return at >= 0 && Number(one[at]) < Number(two[at]);
}

/** Returns the releases that can follow one: its next patch, minor and major. */
export function nextReleases(release: string): [patch: string, minor: string, major: string] {
  const [major, minor, patch] = release.split(".").map(Number) as [number, number, number];
  return [`${major}.${minor}.${patch + 1}`, `${major}.${minor + 1}.0`, `${major + 1}.0.0`];
}
