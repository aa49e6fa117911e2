import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "@shipping/kit/testing/eventually";
import { apiClient, dataOf, type Webhook } from "../platform/api-client.js";
import { type Stack, sharedStack } from "../platform/stack.js";

const main = join(import.meta.dirname, "../../conformance/src/main.ts");
let stack: Stack;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "conformance-"));
  stack = await sharedStack();
});
afterAll(async () => {
  await stack.stop();
  await rm(folder, { recursive: true });
});

/** Runs the program with two requests a minute, so that it waits right after it has subscribed. */
function conformance(key: string, report: string) {
  const only = ["webhooks.create", "webhooks.get", "webhooks.delete"].join();
  const args = [stack.baseUrl, "--only", only, "--requests-per-minute", "2", "--json", report];
  const child: ChildProcess = spawn(process.execPath, ["--conditions=source", "--import=tsx", main, ...args], {
    env: { ...process.env, CONFORMANCE_KEY: key },
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (said += chunk));
  return { child, said: () => said };
}

test.each(["SIGINT", "SIGTERM"] as const)(
  "%s ends a run: its subscription is disabled, and what is left is not judged",
  async (signal) => {
    const { sandbox } = await stack.newCustomer();
    const report = join(folder, `${signal}.json`);
    const { child, said } = conformance(sandbox, report);
    const ended = once(child, "close");
    await eventually(() => expect(said()).toMatch(/^waiting \d+ s$/m));
    child.kill(signal);
    // Sends two signals, as Ctrl-C does: from the terminal, and from npm.
    child.kill(signal);
    expect(await ended).toEqual([3, null]);
    expect(said()).toMatch(/^passed +webhooks\.create$/m);
    for (const id of ["webhooks.get", "webhooks.delete"])
      expect(said()).toMatch(new RegExp(`^not judged +${id} +the run was interrupted$`, "m"));
    expect(said()).toContain("1 disabled subscriptions");
    expect(JSON.parse(await readFile(report, "utf8"))).toMatchObject({ exit_status: 3, still_active: [] });
    const subscriptions = await dataOf(200, apiClient(stack.baseUrl, sandbox).get<Webhook[]>("/webhooks"));
    expect(subscriptions.map(({ status }) => status)).toEqual(["disabled"]);
  },
);
