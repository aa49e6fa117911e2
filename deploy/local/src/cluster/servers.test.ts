import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "@shipping/kit/testing/eventually";
import getPort from "get-port";
import type { ServerProcess } from "../servers/server-process.js";
import { partServer } from "./servers.js";

/** A part that says in `/readyz` what a file says, until it is empty. */
const PART = `
  const { createServer } = require("node:http");
  const { readFileSync } = require("node:fs");
  createServer((_, response) => {
    const missing = readFileSync(process.env.MISSING, "utf8");
    response.writeHead(missing ? 503 : 200).end(missing || "ready");
  }).listen(Number(process.env.OPS_PORT), "127.0.0.1");`;

let folder: string;
const spawned: ServerProcess[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "part-server-"));
});
afterEach(async () => {
  for (const one of spawned.splice(0)) await one.stop(true);
  await rm(folder, { recursive: true });
});

/** Starts a part with this program, and collects what the launcher says of it. */
async function start(program: string, slowMs?: number) {
  const [main, missing, port] = [join(folder, "main.cjs"), join(folder, "missing"), await getPort()];
  await writeFile(main, program);
  const isMissing = (text: string) => writeFile(missing, text);
  await isMissing("database: not reachable");
  const said: string[] = [];
  const env = { OPS_PORT: String(port), MISSING: missing };
  const planned = { name: "records-1", address: "127.0.0.1:1", main, env, opsUrl: `http://127.0.0.1:${port}` };
  const ready = partServer(planned, folder, (line) => void said.push(line), slowMs).start(
    (server) => void spawned.push(server),
  );
  return { said, isMissing, ready };
}

const waits = (what: string) => `records-1 is not ready yet: ${what}. Its log: ${join(folder, "records-1.log")}`;

test("the launcher says once what a slow process waits for, and again when that changes", async () => {
  const { said, isMissing, ready } = await start(PART, 0);
  await eventually(() => expect(said).toContain(waits("database: not reachable")));
  await isMissing("migrations not applied: 20260101000000_more");
  await eventually(() => expect(said.at(-1)).toBe(waits("migrations not applied: 20260101000000_more")));
  await isMissing("");
  await ready;
  expect(new Set(said).size).toBe(said.length);
});

test("it says nothing of a process that is ready within ten seconds", async () => {
  const { said, isMissing, ready } = await start(PART, 600_000);
  await isMissing("");
  await ready;
  expect(said).toEqual([]);
});

test("a process that ends before it is ready is an error that says how it ended", async () => {
  const { ready } = await start("process.exit(3)");
  await expect(ready).rejects.toThrow("exit 3");
});
