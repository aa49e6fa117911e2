import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PART_NAMES, PARTS, type PartName } from "@shipping/proto/parts";
import { parse } from "yaml";

const root = join(import.meta.dirname, "../..");

/** A part, its folder in the repository, and the tests of the whole platform that a change of this part can break. */
export interface PartPromises {
  name: PartName;
  folder: string;
  promises: string[];
}

/** Reads the promises of all parts. `npm run parts` has checked their declarations. */
export function readPromises(): PartPromises[] {
  return PART_NAMES.map((name) => {
    const { folder } = PARTS[name];
    return { name, folder, promises: parse(readFileSync(join(root, folder, "part.yaml"), "utf8")).promises };
  });
}
