import { createHash, createHmac } from "node:crypto";
import { type Stack, sharedStack } from "../platform/stack.js";
import { type Agent, agentFor, textIn } from "./agent.js";
import { shipmentFor } from "./corridor.js";

let stack: Stack;
beforeAll(async () => {
  stack = await sharedStack();
});
afterAll(() => stack.stop());

const SUBSCRIPTION = { url: "https://shop.example.com/webhooks", events: ["label.created"] };

/** An agent, and the idempotency keys of its requests. */
async function watchedAgent(apiKey: string): Promise<{ agent: Agent; keys: string[] }> {
  const keys: string[] = [];
  const watching: typeof fetch = (url, init) => {
    const key = new Headers(init?.headers).get("idempotency-key");
    if (key !== null) keys.push(key);
    return fetch(url, init);
  };
  return { agent: await agentFor({ baseUrl: stack.baseUrl, apiKey, fetch: watching }), keys };
}

describe("the idempotency key of a call", () => {
  test("lets the agent have the secret of its subscription again, and no other agent of the account", async () => {
    const accountId = await stack.newAccount();
    const keyOf = async () => (await stack.newKey(accountId, "sandbox", { scopes: ["webhooks:write"] })).key;
    const apiKey = await keyOf();
    const first = await agentFor({ baseUrl: stack.baseUrl, apiKey });
    const made = await first.dataOf<{ id: string; secret: string }>("createSubscription", SUBSCRIPTION);
    const again = await agentFor({ baseUrl: stack.baseUrl, apiKey });
    expect(await again.dataOf("createSubscription", SUBSCRIPTION)).toEqual(made);
    const other = await agentFor({ baseUrl: stack.baseUrl, apiKey: await keyOf() });
    const theirs = await other.dataOf<{ id: string; secret: string }>("createSubscription", SUBSCRIPTION);
    expect(theirs.id).not.toBe(made.id);
    expect(theirs.secret).not.toBe(made.secret);
    await Promise.all([first, again, other].map((agent) => agent.close()));
  });

  test("cannot be worked out from the call, nor from the call and another API key", async () => {
    const { agent, keys } = await watchedAgent((await stack.newCustomer()).sandbox);
    await agent.dataOf("createSubscription", SUBSCRIPTION);
    const { events, url } = SUBSCRIPTION;
    const calls = [
      ["createSubscription", { events, url }, null],
      ["createSubscription", Object.entries({ events, url }), null],
    ].map((call) => JSON.stringify(call));
    const another = (await stack.newCustomer()).sandbox;
    const guesses = calls.flatMap((call) =>
      [createHash("sha256"), createHmac("sha256", ""), createHmac("sha256", another)].map(
        (hash) => `mcp-${hash.update(call).digest("base64url")}`,
      ),
    );
    expect(keys).toHaveLength(1);
    expect(guesses).not.toContain(keys[0]);
    await agent.close();
  });

  test("is that of the call in any order of its members, and of no other call", async () => {
    const { agent, keys } = await watchedAgent((await stack.newCustomer()).sandbox);
    const callWith = (metadata: unknown) => agent.call("createOrder", { ...shipmentFor("keys"), metadata });
    await callWith({ a: 1, b: { c: 2, d: 3 } });
    await callWith({ b: { d: 3, c: 2 }, a: 1 });
    expect(new Set(keys).size).toBe(1);
    const different = [
      { a: 1 },
      { x: { a: 1 } },
      { x: [["a", 1]] },
      { x: [[["a", 1]]] },
      { x: ["a", 1] },
      { x: [] },
      { x: {} },
    ];
    const before = keys.length;
    for (const metadata of different) await callWith(metadata);
    expect(new Set(keys.slice(before)).size).toBe(different.length);
    const replayed = await callWith({ x: [["a", 1]] });
    expect(textIn(replayed)).toContain("nothing was done again");
    await agent.close();
  });
});
