import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Fence, fencesOf } from "../docs/fences.js";

const page = readFileSync(join(import.meta.dirname, "../../docs/receive-webhooks.md"), "utf8");

/** The examples of `docs/receive-webhooks.md` that tests run, by the heading above each and its language. */
export const examples: ReadonlyMap<string, Fence> = new Map(
  page.split(/^##+ /m).flatMap((section) =>
    fencesOf(section)
      .filter(({ mark }) => mark === "recipe")
      .map((fence) => [`${section.split("\n", 1)} in ${fence.language}`, fence] as const),
  ),
);

/** The code of an example, as it is printed. */
export function exampleOf(name: string): string {
  const example = examples.get(name);
  if (!example) throw new Error(`docs/receive-webhooks.md has no example ${name}.`);
  return example.code;
}
