import { mkdir, rename, symlink } from "node:fs/promises";
import { join } from "node:path";
import { type Part, parts } from "@shipping/local/parts";

/** One link for each part, to the checkout from which its processes start. */
export interface PartLinks {
  /** The environment that makes `npm run cluster` start the parts through these links. */
  flags: string[];
  /** Makes new processes of this part start from that checkout. Running ones are unaffected. */
  point(part: Part, checkout: string): Promise<void>;
}

/** Makes links in a new folder, all of them to one checkout. */
export async function linkParts(folder: string, checkout: string): Promise<PartLinks> {
  await mkdir(folder);
  const linkTo = (part: Part) => join(folder, part);
  // Renamed into place, so that a part that restarts at this very moment finds one of the two.
  const point = async (part: Part, target: string) => {
    await symlink(target, `${linkTo(part)}.new`);
    await rename(`${linkTo(part)}.new`, linkTo(part));
  };
  for (const part of parts) await point(part, checkout);
  return { flags: parts.flatMap((part) => ["--from", `${part}=${linkTo(part)}`]), point };
}
