import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { nextReleases } from "@shipping/kit/release";
import { BASELINE, type Baseline, editedMigrations, readBaseline, readTree, removedNames } from "./baseline.js";
import { CHANGES, changesIn, dateSections } from "./changelogs.js";
import { currentVersion, setVersion } from "./versions.js";

/** The commit of each release, for clones that have no tags. */
const RELEASES = "docs/operations/releases.json";
const bin = (name: string) => fileURLToPath(new URL(`../../node_modules/.bin/${name}`, import.meta.url));

/** The release cannot be prepared. The message has a line for each reason. */
export class Refused extends Error {}

/**
 * Prepares a release in a clean tree, or, once that is committed, notes its commit, which the commit itself cannot contain. Returns a
 * sentence that says what to do next. The first release is the one that the tree names.
 */
export function prepareRelease(root: string, release: string, today: string): string {
  const current = currentVersion(root);
  const before = readBaseline(root);
  const git = (...args: string[]) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
  if (git("status", "--porcelain") !== "") throw new Refused("The tree has changes that are not committed.");
  const commits: Record<string, string> = JSON.parse(readFileSync(join(root, RELEASES), "utf8"));
  if (before?.release === release) {
    commits[release] = git("log", "-1", "--format=%H", "--", BASELINE);
    writeFileSync(join(root, RELEASES), `${JSON.stringify(commits, null, 2)}\n`);
    return `${RELEASES} names commit ${commits[release]}. Commit it.`;
  }
  const allowed = before ? nextReleases(current) : [current];
  if (!allowed.includes(release))
    throw new Refused(`${release} does not follow ${before ? current : "nothing"}: use ${allowed.join(", ")}.`);
  if (before && !commits[current])
    throw new Refused(`${RELEASES} has no commit for ${current}: run npm run release -- ${current}, and commit that.`);
  const now = readTree(root, release);
  const problems = findProblems(root, { before, now });
  if (problems.length > 0) throw new Refused(problems.join("\n"));
  renewProtos(root);
  if (release !== current) setVersion(root, release);
  dateSections(root, release, today);
  writeFileSync(join(root, BASELINE), formatted(JSON.stringify(now, null, 2)));
  return `Release ${release} is prepared. Review and commit it; then run npm run release -- ${release} again, which notes the commit.`;
}

function findProblems(root: string, { before, now }: { before: Baseline | undefined; now: Baseline }): string[] {
  const { release } = now;
  const released = before?.migrations ?? {};
  const section = changesIn(root, release)?.trim();
  const added = Object.keys(now.migrations).filter((path) => !(path in released));
  const removed = before ? removedNames(before, now).filter((name) => !section?.includes(`\`${name}\``)) : [];
  return [
    ...(section ? [] : [`${CHANGES} has no section "## ${release}" that says what an operator must do.`]),
    ...editedMigrations(released, now.migrations).map(
      (path) => `${path} was changed or removed after its release: restore it, and add another migration.`,
    ),
    ...added
      .filter((path) => !readFileSync(join(root, path), "utf8").startsWith(`-- release: ${release}\n`))
      .map((path) => `${path} is new in this release, so its first line must be "-- release: ${release}".`),
    ...removed.map((name) => `${name} was removed: say in the section of ${CHANGES} what replaces \`${name}\`.`),
  ];
}

/** Renews the image with which `npm run lint` compares the protos, if nothing would break the one before. */
function renewProtos(root: string): void {
  const baseline = "proto/baseline.binpb";
  const run = (...args: string[]) => execFileSync(bin("buf"), args, { cwd: root, encoding: "utf8", stdio: "pipe" });
  try {
    run("breaking", "proto", "--against", baseline);
  } catch (error) {
    throw new Refused(`The protos would break the last release:\n${(error as { stdout: string }).stdout}`);
  }
  run("build", "proto", "--exclude-source-info", "-o", baseline);
}

/** Formats JSON as `npm run format` does. */
function formatted(input: string): string {
  const cwd = fileURLToPath(new URL("../..", import.meta.url));
  return execFileSync(bin("biome"), ["format", `--stdin-file-path=${BASELINE}`], { cwd, input, encoding: "utf8" });
}
