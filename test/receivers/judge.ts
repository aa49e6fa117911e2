import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { eventually } from "@shipping/kit/testing/eventually";
import { freePort } from "../platform/free-port.js";
import { type deliveriesUnderTest, REFERENCE, SECRET, tooLong } from "./deliveries.js";

/** A program that receives deliveries at `/webhooks` of `PORT`. Its `store` appends a line of JSON to the file `stored`. */
export interface Program {
  folder: string;
  command(port: number): readonly [string, ...string[]];
  env?: Readonly<Record<string, string>>;
  /** The path, if it is another one. */
  path?: string;
}

/** Runs a receiver, and does something with its URL as soon as it responds. */
export async function whileReceiving(
  { folder, command, env, path = "/webhooks" }: Program,
  act: (url: string) => Promise<void>,
): Promise<void> {
  const port = await freePort();
  const [program, ...args] = command(port);
  const given = { ...process.env, ...env, PORT: String(port), WEBHOOK_SECRET: SECRET };
  const child = spawn(program, args, { cwd: folder, env: given });
  const ended = once(child, "exit");
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (printed += chunk));
  const url = `http://localhost:${port}${path}`;
  try {
    await eventually(async () => {
      if (child.exitCode !== null) throw new Error("The receiver has ended.");
      await fetch(url, { method: "POST" });
    });
    await act(url);
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${printed.slice(-4000)}`);
  } finally {
    child.kill();
    await ended;
  }
}

/** Sends a receiver deliveries of the dispatcher, and forgeries. Throws unless it accepts and stores the good ones alone. */
export async function judge(program: Program, { sentTo }: ReturnType<typeof deliveriesUnderTest>): Promise<void> {
  const stored = join(program.folder, "stored");
  await rm(stored, { force: true });
  await whileReceiving(program, async (url) => {
    const { accepted, refused } = await sentTo(url);
    expect({ accepted, refused }).toEqual({
      accepted: accepted.map(() => "delivered 204"),
      refused: refused.map(() => "failed 400"),
    });
    expect([400, 413, "closed"]).toContain(await answerToTooMuch(url));
    const lines = (await readFile(stored, "utf8")).trim().split("\n");
    expect(lines.map((line) => JSON.parse(line).data.reference)).toEqual(accepted.map(() => REFERENCE));
  });
}

async function answerToTooMuch(url: string): Promise<number | "closed"> {
  const { headers, body } = tooLong();
  return fetch(url, { method: "POST", headers, body: new Uint8Array(body) }).then(
    ({ status }) => status,
    () => "closed",
  );
}
