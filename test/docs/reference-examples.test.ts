import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as examples from "@shipping/api/examples";
import { CLIENTS, EXAMPLE_ORIGIN, guides } from "@shipping/api/guides";
import { errors } from "@shipping/proto/errors";
import { EVENT_TYPES } from "@shipping/proto/event-types";
import { resources } from "@shipping/site/documents";
import { clientPackages } from "@shipping/site/guides/client-packages";
import { requestExamples } from "@shipping/site/reference/request-examples";
import { type Stack, sharedStack } from "../platform/stack.js";
import { fencesOf } from "./fences.js";
import { hasPython, PYTHON_ENV } from "./python.js";
import { runPage } from "./run-page.js";
import { checkTypes, prepareModules } from "./typescript.js";

const operations = resources().flatMap((resource) => resource.operations);
const exampleOf = (language: string) =>
  operations.map((operation) => ({
    id: operation.id,
    code: requestExamples(operation).find((one) => one.language === language)?.code ?? "",
  }));

let stack: Stack;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "shipping-reference-"));
  stack = await sharedStack();
  await prepareModules(folder);
});
afterAll(async () => {
  await stack.stop();
  await rm(folder, { recursive: true });
});

// The developer area is not public documentation, and the other file repeats all pages.
const NOT_FOLLOWED = /^\/(?:developers|llms-full\.txt)/;

let reading: Promise<Map<string, string>> | undefined;
const readAsStranger = () => (reading ??= followLinks());

/** All pages that can be reached by links from `/llms.txt`, by path. */
async function followLinks(): Promise<Map<string, string>> {
  const read = new Map<string, string>();
  const left = ["/llms.txt"];
  for (const path of left) {
    const answer = await fetch(new URL(path, stack.baseUrl));
    expect([path, answer.status]).toEqual([path, 200]);
    const text = await answer.text();
    read.set(path, text);
    if (path.endsWith(".json")) continue;
    const links = [...text.matchAll(/\]\((\/[^)#]*)/g)].map(([, link = ""]) => link);
    for (const link of links) if (!left.includes(link) && !NOT_FOLLOWED.test(link)) left.push(link);
  }
  return read;
}

const pagesOfOperations = async () =>
  [...(await readAsStranger())].filter(([path]) => path.startsWith("/docs/reference/"));

/** The curl example of each operation on the public pages. */
async function examplesRead(): Promise<{ id: string; code: string }[]> {
  return (await pagesOfOperations()).map(([path, page]) => ({
    id: path.replace(/^.*\/|\.md$/g, ""),
    code: fencesOf(page).find(({ language }) => language === "sh")?.code ?? "",
  }));
}

describe("a stranger who has /llms.txt, the base URL and a key, and follows links to Markdown alone", () => {
  test("reaches every operation, every error code and every type of event", async () => {
    const read = await readAsStranger();
    const namesIn = (pattern: RegExp) =>
      [...read.values()].flatMap((page) => [...page.matchAll(pattern)].map(([, name]) => name));
    const own = (await pagesOfOperations()).map(([, page]) => /^`(.*)`$/m.exec(page)?.[1]);
    expect(own.sort()).toEqual(operations.map(({ route, path }) => `${route.method} ${path}`).sort());
    const codes = namesIn(/^\| (?:\d{3} \| \[)?`(\w+)`.*\|.*\|$/gm);
    expect(codes).toEqual(expect.arrayContaining(Object.keys(errors)));
    expect(namesIn(/^## Fields\n[\s\S]*?"type": "(.*?)"/gm)).toEqual(EVENT_TYPES);
  });

  test("reads the examples of the guides as they are executed here", async () => {
    const read = await readAsStranger();
    const origin = new URL(stack.baseUrl).origin;
    const codeIn = (page: string) => fencesOf(page.replaceAll(EXAMPLE_ORIGIN, origin)).map(({ code }) => code);
    for (const { slug, file, event } of guides) {
      const source = codeIn(await readFile(join(import.meta.dirname, "../..", file), "utf8"));
      const twin = codeIn(read.get(`/docs/${slug}.md`) ?? "");
      expect([slug, twin.slice(0, source.length)]).toEqual([slug, source]);
      const added = event ? 1 : slug === CLIENTS ? clientPackages().length : 0;
      expect([slug, twin.length - source.length]).toEqual([slug, added]);
    }
  });
});

/** The example with the account's own IDs, of which there is one of each kind by then. */
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
    for (const { id, code } of language === "sh" ? await examplesRead() : exampleOf(language)) {
      const page = `\`\`\`${language}\n${await withOwnIds(code, key)}\`\`\`\n`;
      expect([id, await runPage({ page, folder: own, env, hasPython })]).toEqual([id, { [language]: 1 }]);
    }
    expect((await readFile(join(own, "label.pdf"))).subarray(0, 5).toString()).toBe("%PDF-");
  },
);

test("those in TypeScript have the types of the packed client", async () => {
  await checkTypes(
    folder,
    exampleOf("ts").map(({ code }) => code),
  );
});

test("sent again a second later, an example is a request of its own", () => {
  const writes = exampleOf("sh").filter(({ code }) => code.includes("Idempotency-Key"));
  const keys = writes.map(({ code }) => /Idempotency-Key: (.*)"/.exec(code)?.[1]);
  const unguessable = "$(od -An -N16 -tx1 /dev/urandom | tr -d ' \\n')";
  const unique = (id: string) => (id === "createSubscription" ? unguessable : "$(date +%s)-$$");
  expect(keys).toEqual(writes.map(({ id }) => `${id}-${unique(id)}`));
});
