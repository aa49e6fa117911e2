import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as examples from "@shipping/gateway/api/examples";
import { resources } from "@shipping/gateway/openapi/documents";
import { requestExamples } from "@shipping/gateway/reference/request-examples";
import { packedClient } from "../client/packed-client.js";
import { type Stack, sharedStack } from "../stack.js";
import { hasPython, PYTHON_ENV } from "./python.js";
import { runPage } from "./run-page.js";
import { checkTypes, prepareModules } from "./typescript.js";

const operations = resources().flatMap((resource) => resource.operations);
const codeOf = (language: string) =>
  operations.map((operation) => ({
    id: operation.id,
    code: requestExamples(operation).find((one) => one.language === language)?.code ?? "",
  }));

let stack: Stack;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "shipping-reference-"));
  const [started, tarball] = await Promise.all([sharedStack(), packedClient()]);
  stack = started;
  await prepareModules(folder, tarball);
}, 120_000);
afterAll(async () => {
  await stack.stop();
  await rm(folder, { recursive: true });
});

/** The example with the ids of what the account has by now, which is one of each kind. */
async function withOwnIds(code: string, key: string): Promise<string> {
  const { order, shipment, label, webhook } = examples;
  const own = async (path: string) => {
    const answer = await fetch(`${stack.baseUrl}/${path}`, { headers: { authorization: `Bearer ${key}` } });
    const [first] = ((await answer.json()) as { data: { id: string; tracking_number?: string }[] }).data;
    return first;
  };
  const [ownOrder, ownShipment, ownLabel, ownWebhook] = await Promise.all(
    ["orders", "shipments", "labels", "webhooks"].map(own),
  );
  const ids = [
    [order.id, ownOrder?.id],
    [shipment.id, ownShipment?.id],
    [label.id, ownLabel?.id],
    [label.tracking_number, ownLabel?.tracking_number],
    [webhook.id, ownWebhook?.id],
  ] as const;
  return ids.reduce((text, [there, here]) => (here ? text.replaceAll(there, here) : text), code);
}

test.each(hasPython ? ["sh", "ts", "python"] : ["sh", "ts"])(
  "the examples in %s work from top to bottom on a new account, and save the label",
  async (language) => {
    const own = join(folder, language);
    await mkdir(own);
    const key = (await stack.newCustomer()).sandbox;
    const { PATH, HOME } = process.env;
    const env = { PATH, HOME, NODE_NO_WARNINGS: "1", ...PYTHON_ENV, SHIPPING_URL: stack.baseUrl, SHIPPING_KEY: key };
    for (const { id, code } of codeOf(language)) {
      const page = `\`\`\`${language}\n${await withOwnIds(code, key)}\`\`\`\n`;
      expect([id, await runPage({ page, folder: own, env, hasPython })]).toEqual([id, { [language]: 1 }]);
    }
    expect((await readFile(join(own, "label.pdf"))).subarray(0, 5).toString()).toBe("%PDF-");
  },
  120_000,
);

test("those in TypeScript have the types of the packed client", async () => {
  await checkTypes(
    folder,
    codeOf("ts").map(({ code }) => code),
  );
}, 60_000);

test("sent again a second later, an example is a request of its own", () => {
  const writes = codeOf("sh").filter(({ code }) => code.includes("Idempotency-Key"));
  const keys = writes.map(({ code }) => /Idempotency-Key: (.*)"/.exec(code)?.[1]);
  expect(keys).toEqual(writes.map(({ id }) => `${id}-$(date +%s)-$$`));
});
