import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toBinary } from "@bufbuild/protobuf";
import { adminCommand } from "@shipping/cli/run-admin";
import { adminIn } from "@shipping/cli/testing/admin";
import { suspendedSince } from "@shipping/gateway/testing/stored-accounts";
import { eventually } from "@shipping/kit/testing/eventually";
import { newCaller } from "@shipping/kit/testing/writes";
import { mapParts } from "@shipping/local/parts";
import { EventSchema } from "@shipping/proto/shipping/events/v1/events_pb";
import { startReceiver } from "@shipping/webhooks/testing/receiver";
import { deliveredEvents, storeDeadEvent } from "@shipping/webhooks/testing/stored-events";
import { eventFor } from "@shipping/webhooks/testing/webhooks-under-test";
import type { Command } from "commander";
import { createShipment, createWebhook } from "../api/platform.js";
import { apiClient, dataOf } from "../platform/api-client.js";
import { type Stack, sharedStack } from "../platform/stack.js";
import { examplesOf, openShell, type Shell } from "./shell.js";

const PREFIX = "npm run -s admin -- ";

let stack: Stack;
let folder: string;
let shell: Shell;
beforeAll(async () => {
  stack = await sharedStack();
  folder = await mkdtemp(join(tmpdir(), "commands-"));
  // Runs the files that `npm run build` has compiled, which takes a third of the time.
  shell = await openShell(folder, { RUN_BUILT: "1" });
  // The files that `npm start` writes.
  const rpc = mapParts((part) => `http://127.0.0.1:${stack.rpcPorts[part]}`);
  const platform = { rpc, token: stack.rpcToken, api: new URL(stack.baseUrl).origin };
  await mkdir(join(folder, ".data"));
  await writeFile(join(folder, ".data/platform.json"), JSON.stringify(platform));
  await writeDemo();
});
afterAll(async () => {
  await stack.stop();
  await rm(folder, { recursive: true });
});

/** A new account's key, because earlier commands use up a key's limit. */
async function writeDemo(): Promise<void> {
  const { sandbox } = await stack.newCustomer();
  await writeFile(join(folder, ".data/demo.json"), JSON.stringify({ base_url: stack.baseUrl, sandbox_key: sandbox }));
}

const examples = async (command: string) => examplesOf((await shell.run(`${command} --help`)).out);

/** An event that was sent to a subscription, and two dead events. */
async function deliveredEvent() {
  const { accountId, sandbox } = await stack.newCustomer();
  const api = apiClient(stack.baseUrl, sandbox);
  const receiver = await startReceiver();
  const { id: subscriptionId } = await createWebhook(api, receiver.url, ["shipment.created"]);
  const shipment = await createShipment(api);
  await dataOf(200, api.post("/rates", { shipment_id: shipment.id }, "order-1"));
  const { webhooks } = stack.databases;
  const [eventId = ""] = await eventually(async () => {
    const delivered = await deliveredEvents(webhooks, accountId);
    expect(delivered).toHaveLength(1);
    return delivered;
  });
  const message = toBinary(EventSchema, eventFor(newCaller()));
  const dead = () => storeDeadEvent(webhooks, { message, reason: "its type is unknown" });
  await receiver.close();
  return { accountId, eventId, subscriptionId, deadIds: [await dead(), await dead()] };
}

test("every example of admin works as printed, one after the other", async () => {
  const says: string[] = [];
  const say = (text: string) => void says.push(text);
  const below = (command: Command): Command[] => [command, ...command.commands.flatMap(below)];
  const commands = below(adminCommand({ env: { npm_lifecycle_event: "admin" }, out: say, err: say }));
  // Members are removed at the end, after their links were used. Groups and `admin` itself print the output of their commands.
  const isLast = (command: Command) => command.name() === "remove" || command.commands.length > 0;
  for (const command of [...commands].sort((one, other) => Number(isLast(one)) - Number(isLast(other)))) {
    command.outputHelp();
  }
  const printed = says.flatMap(examplesOf);
  expect(printed.length).toBeGreaterThan(commands.length);
  const { id } = await stack.newKey(await stack.newAccount());
  const event = await deliveredEvent();
  const erasable = await stack.newAccount();
  await suspendedSince(stack.databases.gateway, erasable, 2);
  const refused = await fetch(`${stack.baseUrl}/orders`, { headers: { authorization: "Bearer x" } });
  // IDs differ in each run.
  const own = (line: string) =>
    line
      .replace(/key_\w+/, id)
      .replace(/req_\w+/, refused.headers.get("x-request-id") ?? "")
      .replace("--out ", `--out ${folder}/`)
      .replace("erase --account Acme --confirm Acme", `erase --account ${erasable} --confirm ${erasable}`)
      .replace("order-1 --account Acme", `order-1 --account ${event.accountId}`)
      .replace(/evt_\w+/, event.eventId)
      .replace(/whk_\w+/, event.subscriptionId)
      .replace(/(?<=dead-event \w+ )[12]$/, (number) => event.deadIds[Number(number) - 1]!)
      // Other test files have accounts of this name on the same platform.
      .replace(/\bAcme\b/g, "Examples");
  const [first = "", ...others] = printed.map(own);
  // One command runs in a process of its own, the others in this process, which is forty times faster.
  for (const [line, run] of [[first, shell.run], ...others.map((line) => [line, runHere] as const)] as const) {
    const { status, out, err } = await run(line);
    // The event above has no record, which the deep check finds.
    expect([line, status, err]).toEqual([line, line.endsWith("doctor --deep") ? 1 : 0, ""]);
    expect(out).not.toBe("");
  }
});

function runHere(line: string) {
  expect(line.slice(0, PREFIX.length)).toBe(PREFIX);
  return adminIn(() => ({ DATA_DIR: join(folder, ".data") })).admin(line.slice(PREFIX.length));
}

test("listen: each example listens until Ctrl-C", async () => {
  for (const line of await examples("npm run listen --")) {
    const free = line.replace(/--port \d+|$/, " --port 0");
    const { status, out, err } = await shell.runUntil(free, "Press Ctrl-C to stop.");
    expect([line, status, err, status === 0 ? "" : out]).toEqual([line, 0, "", ""]);
    if (line.includes("--subscribe")) expect(out).toMatch(/Subscribed .+\n(.+\n)*Deleted subscription whk_/);
  }
});

test("migrate:new: the example compares schema and migrations", async () => {
  for (const line of await examples("npm run migrate:new --")) {
    const { status, out } = await shell.run(line);
    expect([status, out]).toEqual([0, "No changes: the migrations of records already match its schema.prisma.\n"]);
  }
});

test("conformance: the example finds that the platform conforms", async () => {
  await writeDemo();
  for (const line of await examples("npm run -s conformance --")) {
    const { status, out } = await shell.run(line.replace("http://127.0.0.1:8080/api/v1", stack.baseUrl));
    expect([status, out]).toEqual([
      0,
      expect.stringMatching(/ 0 failed, \d+ skipped, 1 not applicable, 0 not judged\n$/),
    ]);
  }
});
