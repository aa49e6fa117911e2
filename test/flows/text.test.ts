import { runs } from "@shipping/kit/testing/runs";
import fc from "fast-check";
import { RECORD } from "../api/platform.js";
import { type ApiClient, apiClient, type Order } from "../platform/api-client.js";
import { type ClusterUnderTest, sharedCluster } from "../platform/cluster.js";

// Separate processes, so that a text passes through all formats: JSON, protobuf, SQL.
let cluster: ClusterUnderTest;
beforeAll(async () => {
  cluster = await sharedCluster();
});
afterAll(() => cluster.stop());

async function newClient(): Promise<ApiClient> {
  const { key } = await cluster.newCustomer();
  return apiClient(cluster.gateways[0] ?? "", key);
}

// Characters that decoders drop, editors normalise, or databases fold: a byte order mark, line separators, joiners, combining marks, astral and
// private characters, noncharacters, spaces of all kinds.
const EDGES = [
  ..."\ufeff\ufffe\uffff\u2028\u2029\u200b\u200d\u0301\u1160\u00a0\u0085\u3000\u007f\u0080\ue000\t\r\n ",
  ..."😀𝄞\u{10ffff}\u{e0001}\u{1f468}",
];
const edge = fc.constantFrom("", ...EDGES);
const character = fc.string({ unit: "binary", minLength: 1, maxLength: 1 }).filter((one) => one > "\u001f");

/** Any text that the API accepts, often with such a character at its ends. It has visible characters, so every field accepts it. */
const text = fc
  .tuple(edge, edge, fc.array(fc.oneof(character, edge), { maxLength: 60 }), edge, edge)
  .map(([a, b, middle, y, z]) => `${a}${b}${middle.join("")}x${y}${z}`);

const address = fc.record({
  name: text,
  street1: text,
  city: text,
  postal_code: text,
  country: fc.constantFrom("DE", "PL"),
  company: text,
  street2: text,
  state: text,
  email: text,
  phone: text,
});
const metadata = fc.dictionary(text, fc.oneof(text, fc.array(text, { maxLength: 3 })), { maxKeys: 3 });
const record = fc.record({ reference: text, from: address, to: address, metadata });
// A record has two dozen texts, so fifty records have more than a thousand.

describe.each(["/orders", "/shipments"])("the texts of POST %s", (path) => {
  test("are stored and returned to the byte, in the creation, its replay, the record and its list", async () => {
    const property = fc.asyncProperty(record, fc.uuid(), async (sent, key) => {
      const one = await newClient();
      const input = { ...RECORD, ...sent };
      const created = await one.post<Order>(path, input, key);
      expect([created.status, created.body.data]).toEqual([201, expect.objectContaining(input)]);
      const replayed = await one.post<Order>(path, input, key);
      const read = await one.get<Order>(`${path}/${created.body.data.id}`);
      for (const { bytes } of [replayed, read]) expect(bytes.toString()).toBe(created.bytes.toString());
      expect((await one.get<Order[]>(path)).body.data).toEqual([created.body.data]);
    });
    await fc.assert(property, { numRuns: runs(25) });
  });
});
