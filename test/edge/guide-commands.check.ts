import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toBinary } from "@bufbuild/protobuf";
import { adminCommand } from "@shipping/cli/run-admin";
import { eventually } from "@shipping/kit/testing/eventually";
import { EventSchema } from "@shipping/proto/shipping/events/v1/events_pb";
import { type Receiver, startReceiver } from "@shipping/webhooks/testing/receiver";
import { storeDeadEvent } from "@shipping/webhooks/testing/stored-events";
import { createLabel, createWebhook } from "../api/platform.js";
import { apiClient } from "../platform/api-client.js";
import { newEvent } from "../platform/bus.js";
import { type Stack, startStack } from "../platform/stack.js";
import { parcelBody } from "../trials/kit/bodies.js";
import { admin, json } from "./admin.js";

// Operators copy the commands of the guide, so each runs here, as the page writes it, with names of a platform's own.

const docs = join(import.meta.dirname, "../../docs/operations");
const groups = new Map(
  adminCommand({ env: {}, out() {}, err() {} }).commands.map((group) => [group.name(), group] as const),
);

/** Every command of `admin` in a page, as it follows the word `admin`. The table of `repair.md` leaves that word out. */
function commandsIn(page: string): string[] {
  const text = readFileSync(join(docs, page), "utf8");
  const named = [...text.matchAll(/\badmin (?:-- )?([^`\n|>]+?)(?= *(?:`|\n| > ))/g)].map(([, line = ""]) => line);
  const spans = [...text.matchAll(/`([a-z-]+ [^`\n]+)`/g)].map(([, line = ""]) => line);
  return [...named, ...spans].filter((line) => commandOf(line));
}

/** The command that a line names, if it names one. */
function commandOf(line: string) {
  const words = line.replace(/^--operator \S+ /, "").split(" ");
  const group = groups.get(words[0] ?? "");
  return group?.commands.length ? group.commands.find((one) => one.name() === words[1]) : group;
}

/** Whether a line has everything that its command requires; otherwise it only names the command. */
function isWhole(line: string): boolean {
  const command = commandOf(line);
  const required = command?.options.filter(({ mandatory }) => mandatory).map(({ long }) => `${long} `) ?? [];
  const given = line.replace(/ --\S+( [^-]\S*)?/g, "").split(" ").length;
  const takes = command?.registeredArguments.filter((one) => one.required).length ?? 0;
  const words = command?.parent?.name() && groups.has(command.parent.name()) ? 2 : 1;
  return required.every((option) => `${line} `.includes(option)) && given >= words + takes;
}

const pages = readdirSync(docs).filter((name) => name.endsWith(".md"));
const lines = [...new Set(pages.flatMap(commandsIn))].filter(isWhole);

const SITE = { PUBLIC_URL: "https://shipping.example.com" };
let stack: Stack;
let receiver: Receiver;
const folder = mkdtempSync(join(tmpdir(), "guide-commands-"));
beforeAll(async () => {
  stack = await startStack({});
  receiver = await startReceiver((response) => response.writeHead(204).end());
});
afterAll(async () => {
  await stack.stop();
  await receiver.close();
  rmSync(folder, { recursive: true });
});

test("commands are found in blocks, sentences and tables", () => expect(lines.length).toBeGreaterThan(30));

test.each(lines)("admin %s", async (line) => {
  const { accountId, sandbox } = await stack.newCustomer();
  const api = apiClient(stack.baseUrl, sandbox);
  const email = `${accountId}@example.com`;
  const order = () => {
    const headers = {
      authorization: `Bearer ${sandbox}`,
      "content-type": "application/json",
      "idempotency-key": "KEY",
    };
    const body = JSON.stringify(parcelBody);
    return fetch(`${stack.baseUrl}/orders`, { method: "POST", headers, body });
  };
  // The request log is written in the background.
  const requestId = () =>
    eventually(async () => (await json(stack, `request list --account ${accountId}`))[0].request_id as string);
  const names: [RegExp, string | (() => Promise<string>)][] = [
    [/(?<=--account )A\b|(?<=--confirm )A\b/g, accountId],
    [/(?<=--email )E\b/g, email],
    [/(?<=--environment )E\b/g, "sandbox"],
    [/\bFOLDER\b/g, join(folder, accountId)],
    [/\bYOU\b/g, "you"],
    [/\breq_(?:…|\w+)/g, () => order().then(requestId)],
    [/(?<=claim show )KEY/g, () => order().then(() => "KEY")],
    [/(?<=subscription (?:show )?)(?:whk_…|ID\b)/g, async () => (await createWebhook(api, receiver.url)).id],
    [/shp_…|(?<=--shipment )ID\b/g, async () => (await createLabel(api)).shipment_id],
    [/evt_…/g, arrivedEvent],
    [/\bNUMBER\b/g, deadEvent],
  ];
  let whole = line;
  for (const [name, value] of names)
    if (whole.search(name) >= 0) whole = whole.replace(name, typeof value === "string" ? value : await value());
  // A sentence leaves out what an installation with one account does not need.
  const taken = commandOf(line)?.options.map(({ long }) => long) ?? [];
  if (taken.includes("--account") && !whole.includes("--account")) whole += ` --account ${accountId}`;
  if (taken.includes("--email") && !whole.includes("--email")) whole += ` --email ${email}`;
  if (/^(?:sign-in-link|member remove)/.test(line)) {
    for (const other of [email, "other@example.com"])
      await admin(stack, `member add --account ${accountId} --email ${other} --role admin`, SITE);
  }
  if (line.startsWith("account erase")) await admin(stack, `account suspend --account ${accountId}`);
  const { status, out, err } = await admin(stack, whole, SITE);
  // `doctor` ends with 1 if it finds something, and other tests' rows are not all right.
  const allowed = line.startsWith("doctor") ? [0, 1] : [0];
  expect({ whole, out, err, isAllowed: allowed.includes(status) }).toMatchObject({ err: "", isAllowed: true });

  async function arrivedEvent(): Promise<string> {
    const { id } = await createWebhook(api, receiver.url);
    await createLabel(api);
    const found = await eventually(async () => {
      const [first] = await json(stack, `delivery list --subscription ${id} --state delivered`);
      return first.event_id as string;
    });
    return found;
  }
});

async function deadEvent(): Promise<string> {
  const message = toBinary(EventSchema, newEvent());
  return storeDeadEvent(stack.databases.webhooks, { message });
}
