import { appendFile } from "node:fs/promises";

/** Appends each event to a file. */
export async function store(event: unknown): Promise<void> {
  await appendFile("stored", `${JSON.stringify(event)}\n`);
}
