import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { z } from "zod";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The fields of a part's `part.yaml`. */
const fields = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z]+$/)
    .describe("The part's name: in logs, in certificates, in the chart and on the command line."),
  promises: z
    .array(
      z
        .string()
        .regex(/^test\/[\w./-]+(\/|\.test\.ts)$/, "must be a test file below test/, or a folder with / at its end"),
    )
    .min(1)
    .describe(
      "Tests of the whole platform that a change of this part can break. `npm run test:part` runs them after the part's own.",
    ),
});

/** The declaration of a part, and its folder in the repository. */
export interface PartDeclaration extends z.infer<typeof fields> {
  folder: string;
}

/** Parses the text of a `part.yaml`. The error names the file, the field, and what it must be. */
export function parseDeclaration(text: string, folder: string): PartDeclaration {
  const { success, data, error } = fields.safeParse(parse(text));
  if (!success) throw new Error(`${folder}/part.yaml: ${z.prettifyError(error)}`);
  return { ...data, folder };
}

/** Reads the declarations of all parts, in the order of their names. */
export function readDeclarations(): PartDeclaration[] {
  const below = (folder: string) => readdirSync(join(root, folder)).map((name) => join(folder, name));
  return [...below("."), ...below("services")]
    .filter((folder) => existsSync(join(root, folder, "part.yaml")))
    .map((folder) => parseDeclaration(readFileSync(join(root, folder, "part.yaml"), "utf8"), folder))
    .sort((one, other) => one.name.localeCompare(other.name));
}
