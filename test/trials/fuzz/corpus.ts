import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const fileOf = (name: string) => join(import.meta.dirname, "corpus", `${name}.txt`);

/** The committed inputs of a target, in base64, one per line. */
export async function readCorpus(name: string): Promise<Buffer[]> {
  const text = await readFile(fileOf(name), "utf8").catch(() => "");
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => Buffer.from(line, "base64"));
}

export async function writeCorpus(name: string, inputs: readonly Buffer[]): Promise<void> {
  await writeFile(fileOf(name), inputs.map((input) => `${input.toString("base64")}\n`).join(""));
}
