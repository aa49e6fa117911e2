import { mkdir, rename, symlink } from "node:fs/promises";
import { join } from "node:path";
import { type Part, parts } from "@shipping/local/parts";

export type PartLinks = Awaited<ReturnType<typeof linkParts>>;

/** Makes one link for each part in a new folder, all of them to the checkout from which its processes start. */
export async function linkParts(folder: string, checkout: string) {
  await mkdir(folder);
  const linkTo = (part: Part) => join(folder, part);
  // Makes new processes of this part start from that checkout. The link is renamed into place, so that one that starts at this very moment finds one
  // of the two.
  const point = async (part: Part, target: string) => {
    await symlink(target, `${linkTo(part)}.new`);
    await rename(`${linkTo(part)}.new`, linkTo(part));
  };
  for (const part of parts) await point(part, checkout);
  // The flags make `npm run cluster` start the parts through these links.
  return { flags: parts.flatMap((part) => ["--from", `${part}=${linkTo(part)}`]), point };
}
