import { existsSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import type { Env } from "@shipping/kit/process/config";
import { PARTS } from "@shipping/proto/parts";
import { InvalidArgumentError } from "commander";
import { type Part, parts } from "../parts.js";
import { cachedRelease, commitOf } from "./build-release.js";

/** The parts that run from another checkout, each with the folder that holds its `dist` and `prisma`. */
export type Checkouts = Partial<Record<Part, string>>;

/** Reads a value of `--from`, which can be repeated: PART=CHECKOUT. */
export function addCheckout(text: string, before: Checkouts = {}): Checkouts {
  const [, name = "", checkout = ""] = /^([a-z]+)=(.+)$/.exec(text) ?? [];
  return { ...before, [toPart(name, "PART=FOLDER, where PART is")]: folderIn(checkout, toPart(name)) };
}

/** Reads the name of a part. */
export function toPart(name: string, form = "the name of a part:"): Part {
  const part = parts.find((known) => known === name);
  if (!part) throw new InvalidArgumentError(`Use ${form} one of ${parts.join(", ")}.`);
  return part;
}

/** Returns where all parts but `only` run from: `others` is a checkout that has been built, or a revision, which is built once. */
export async function otherParts(only: Part, others: string, say: (line: string) => void): Promise<Checkouts> {
  const isFolder = existsSync(join(others, "package.json"));
  const checkout = isFolder ? others : await cachedRelease(await commitOf(others), say);
  const other = parts.filter((part) => part !== only);
  return Object.fromEntries(other.map((part) => [part, folderIn(checkout, part)]));
}

/** Returns the setting that names a part's checkout in its `build_info`: the name of its folder, which is the commit if it was built for `--others`. */
export function buildOf(part: Part, folder: string | undefined): Env {
  return folder === undefined ? {} : { BUILD_REVISION: basename(folder.slice(0, -PARTS[part].folder.length - 1)) };
}

function folderIn(checkout: string, part: Part): string {
  const folder = resolve(checkout, PARTS[part].folder);
  const program = join(folder, "dist/main.js");
  if (existsSync(program)) return folder;
  throw new InvalidArgumentError(`${program} does not exist. Run this there first: npm ci && npm run build`);
}
