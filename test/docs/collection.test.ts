import { randomUUID } from "node:crypto";
import { runInNewContext } from "node:vm";
import { type Stack, sharedStack } from "../platform/stack.js";

interface Sent {
  name: string;
  request: {
    method: string;
    url: { raw: string };
    header: { key: string; value: string }[];
    body?: { raw: string };
  };
  event?: { script: { exec: string[] } }[];
}
interface Collection {
  auth: { bearer: { value: string }[] };
  variable: { key: string; value: string }[];
  item: { item: Sent[] }[];
}

let stack: Stack;
beforeAll(async () => {
  stack = await sharedStack();
});
afterAll(() => stack.stop());

/** Sends the requests of a collection from top to bottom, as Postman does. Yields their statuses, and the keys that they had. */
async function play({ auth, variable, item }: Collection, apiKey: string) {
  const values = new Map(variable.map(({ key, value }) => [key, value]));
  values.set("api_key", apiKey);
  const filled = (text: string) =>
    text.replace(/\{\{(\$?\w+)\}\}/g, (_, name) => (name === "$guid" ? randomUUID() : (values.get(name) ?? name)));
  const statuses: [string, number][] = [];
  const keys: string[] = [];
  for (const { name, request, event = [] } of item.flatMap((folder) => folder.item)) {
    const headers = new Headers(request.header.map(({ key, value }) => [key, filled(value)]));
    headers.set("Authorization", `Bearer ${filled(auth.bearer[0]?.value ?? "")}`);
    const body = request.body ? filled(request.body.raw) : null;
    const answer = await fetch(filled(request.url.raw), { method: request.method, headers, body });
    statuses.push([name, answer.status]);
    keys.push(headers.get("Idempotency-Key") ?? "");
    const text = await answer.text();
    const pm = {
      response: { code: answer.status, json: () => JSON.parse(text) },
      collectionVariables: { set: (key: string, value: string) => values.set(key, value) },
    };
    for (const { script } of event) runInNewContext(script.exec.join("\n"), { pm });
  }
  return { statuses, keys: keys.filter(Boolean) };
}

test("the collection works from top to bottom with only a sandbox key, and again", async () => {
  const collection = (await (await fetch(`${stack.baseUrl}/postman.json`)).json()) as Collection;
  expect(collection.variable.find(({ key }) => key === "base_url")?.value).toBe(stack.baseUrl);
  const { sandbox } = await stack.newCustomer();
  const all: string[] = [];
  for (const time of ["first", "second"]) {
    const { statuses, keys } = await play(collection, sandbox);
    expect([time, statuses.length, statuses.filter(([, status]) => status > 201)]).toEqual([time, 18, []]);
    all.push(...keys);
  }
  expect(new Set(all).size).toBe(14);
});
