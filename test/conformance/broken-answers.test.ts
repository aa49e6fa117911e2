import type { Clock } from "@shipping/conformance/api";
import { checks } from "@shipping/conformance/checks";
import { judge, type Options } from "@shipping/conformance/conformance";
import { backdateCounted } from "@shipping/gateway/testing/stored-requests";
import { warmUp } from "../edge/operations.js";
import { apiClient, dataOf, type Order, type Shipment } from "../platform/api-client.js";
import { type Stack, startStack } from "../platform/stack.js";
import { accessFaults } from "./access-faults.js";
import { answerFaults } from "./answer-faults.js";
import { type BreakingProxy, type Fault, openBreakingProxy } from "./breaking-proxy.js";
import { exactnessFaults } from "./exactness-faults.js";
import { labelFaults } from "./label-faults.js";
import { recordFaults } from "./record-faults.js";

/** Checks that need lists longer than a page. */
const LONG_LISTS = /\.(list|cursor|default-limit)$/;
const LONG = 27;
const party = { name: "Ada", street1: "Main 1", city: "Bonn", postal_code: "53111", country: "DE" };
const parcel = { weight_kg: 1, length_cm: 10, width_cm: 10, height_cm: 10 };
const record = { reference: "listed", from: party, to: party, parcel };

let stack: Stack;
let proxy: BreakingProxy;
let longLists: string;
beforeAll(async () => {
  stack = await startStack({ privateTargets: false });
  proxy = await openBreakingProxy(stack.baseUrl);
  longLists = await accountWithLongLists();
});
afterAll(async () => {
  await proxy.close();
  await stack.stop();
});

/** The keys that the proxy replaces others with. */
const holders = { main: "" };
const faults: readonly Fault[] = [
  ...recordFaults,
  ...labelFaults,
  ...accessFaults(holders),
  ...answerFaults,
  ...exactnessFaults,
];

let movedMs = 0;
/** Moves the windows of the limit into the past instead of waiting. */
const clock: Clock = {
  now: () => Date.now() + movedMs,
  async wait(ms) {
    const seconds = Math.ceil(ms / 1_000);
    movedMs += seconds * 1_000;
    await backdateCounted(stack.databases.gateway, seconds);
  },
};

async function accountWithLongLists(): Promise<string> {
  await warmUp(stack);
  const accountId = await stack.newAccount();
  const api = apiClient(stack.baseUrl, (await stack.newKey(accountId)).key);
  for (let n = 0; n < LONG; n++) {
    await dataOf<Order>(201, api.post("/orders", record));
    const { id } = await dataOf<Shipment>(201, api.post("/shipments", record));
    await dataOf(201, api.post("/labels", { shipment_id: id, rate_id: `rate_test_${id}` }));
  }
  return accountId;
}

/** Unused keys, so that no limit is near. */
async function newOptions(only: readonly string[], basePath?: string): Promise<Options> {
  const account = only.some((id) => LONG_LISTS.test(id)) ? longLists : await stack.newAccount();
  const { key } = await stack.newKey(account);
  const { key: liveKey } = await stack.newKey(account, "live");
  const { key: narrowKey } = await stack.newKey(account, "sandbox", { scopes: ["account:read", "orders:write"] });
  const { key: secondKey } = await stack.newKey(await stack.newAccount());
  holders.main = key;
  const extent = { profile: "contract", slow: true, invasive: true, only, requestsPerWindow: 110 } as const;
  const baseUrl = basePath ? new URL(basePath, proxy.url).href : proxy.url;
  return { baseUrl, key, liveKey, narrowKey, secondKey, ...extent, clock, say: () => {} };
}

/** Runs these checks, and yields those that do not pass, with their messages. */
async function faultsFound(only: readonly string[], basePath?: string): Promise<Record<string, string>> {
  const { outcomes } = await judge(await newOptions(only, basePath));
  expect(outcomes.map(({ id }) => id).sort()).toEqual(Array.from(only).sort());
  const found = outcomes.filter(({ verdict }) => verdict !== "passed");
  return Object.fromEntries(found.map(({ id, verdict, reason }) => [id, `${verdict}: ${reason}`]));
}

test("all the checks below pass through a proxy without a fault", async () => {
  proxy.breakBy({});
  const concerned = new Set(faults.flatMap(({ breaks, beside = [] }) => [breaks, ...beside]));
  expect(await faultsFound([...concerned])).toEqual({});
});

test.each(faults)("$breaks sees it when $what", async ({ breaks, beside = [], basePath, begin }) => {
  proxy.breakBy(begin());
  expect(await faultsFound([breaks, ...beside], basePath)).toEqual({ [breaks]: expect.stringMatching(/^failed: /) });
});

test("every check of the specification that needs no listener has a fault that it sees", () => {
  const seen = new Set(faults.map(({ breaks }) => breaks));
  const unseen = checks.filter(
    ({ id, profile, needs }) => !seen.has(id) && profile !== "contract" && !needs?.includes("webhook"),
  );
  expect(unseen.map(({ id }) => id)).toEqual([]);
});
