import { mkdir, rename, symlink } from "node:fs/promises";
import { join } from "node:path";
import { type Part, parts } from "@shipping/local/parts";

/** One link for each part, to the checkout from which its processes start. */
export interface PartLinks {
  /** What makes `npm run cluster` start the parts through these links. */
  flags: string[];
  /** From now on, processes of this part start from that checkout. Those that run are not touched. */
  point(part: Part, checkout: string): Promise<void>;
}

/** Makes links in a new folder, all of them to one checkout. */
export async function linkParts(folder: string, checkout: string): Promise<PartLinks> {
  await mkdir(folder);
  const linkTo = (part: Part) => join(folder, part);
  // Renamed into place: a part that is restarted at this very moment finds one of the two.
  const point = async (part: Part, target: string) => {
    await symlink(target, `${linkTo(part)}.new`);
    await rename(`${linkTo(part)}.new`, linkTo(part));
  };
  for (const part of parts) await point(part, checkout);
  return { flags: parts.flatMap((part) => ["--from", `${part}=${linkTo(part)}`]), point };
}
