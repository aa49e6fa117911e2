import type { ApiAnswer, Order } from "../platform/api-client.js";
import { createOrder, createShipment, RECORD, usePlatform } from "./platform.js";

const platform = usePlatform();

const MIB = 1024 * 1024;
const COUNT = 40;

/** Content that makes a record as large as the rules allow: about 33 KB. */
const longest = "😀".repeat(200);
const party = { ...RECORD.to, name: longest, street1: longest, city: longest, postal_code: longest, company: longest };
const more = { street2: longest, state: longest, email: longest, phone: longest };
const metadata = { a: "😀".repeat(4_000) };
const large = { reference: longest, from: { ...party, ...more }, to: { ...party, ...more }, metadata };

test.each([
  ["orders", createOrder],
  ["shipments", createShipment],
])("pages of large %s end at 1 MiB, and together they are the whole list", async (name, create) => {
  const api = await platform.sandbox();
  const made: string[] = [];
  for (let n = 0; n < COUNT; n++) made.push((await create(api, large)).id);
  const seen: string[] = [];
  const sizes: number[] = [];
  let after: string | null = "";
  while (after !== null) {
    const answer: ApiAnswer<Order[]> = await api.get(`/${name}?limit=100${after && `&after=${after}`}`);
    expect(answer.status).toBe(200);
    seen.push(...answer.body.data.map(({ id }) => id));
    sizes.push(answer.bytes.length);
    after = answer.body.next_cursor ?? null;
  }
  expect(seen).toEqual(made.toSorted());
  expect(sizes).toHaveLength(2);
  // The records have 1 MiB together, and another one would not fit.
  expect(sizes[0]).toBeLessThan(MIB + 100);
  expect(sizes[0]).toBeGreaterThan(MIB - 40_000);
});
