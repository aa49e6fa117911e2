import { runs } from "@shipping/kit/testing/runs";
import { NotFoundError, Shipping } from "shipping-client";
import { type Stack, sharedStack } from "../platform/stack.js";
import { startUnreliableProxy, type UnreliableProxy } from "./unreliable-proxy.js";

const CHAINS = runs(60);
const AT_ONCE = 16;

const address = { name: "A", street1: "B 1", city: "Bremen", postal_code: "28195", country: "DE" };
const parcel = { weight_kg: 1, length_cm: 2, width_cm: 3, height_cm: 4 };

let stack: Stack;
let proxy: UnreliableProxy;
let apiKey: string;
beforeAll(async () => {
  stack = await sharedStack({ requestsPerMinute: 100_000 });
  proxy = await startUnreliableProxy(stack.baseUrl);
  apiKey = (await stack.newCustomer()).sandbox;
});
afterAll(async () => {
  await proxy.stop();
  await stack.stop();
});

/** From a shipment to the PDF of its label. */
async function chain(shipping: Shipping, number: number): Promise<string> {
  const { id } = await shipping.shipments.create({ reference: `PO-${number}`, from: address, to: address, parcel });
  const [rate] = await shipping.rates.create({ shipment_id: id });
  const label = await shipping.labels.create({ shipment_id: id, rate_id: rate?.id ?? "" });
  const pdf = await shipping.labels.file(label.id);
  expect(Buffer.from(pdf).subarray(0, 5).toString()).toBe("%PDF-");
  return label.id;
}

test(
  `${CHAINS} chains through a server that drops answers, closes idle sockets, stalls and answers 503 end with as many labels`,
  async () => {
    // Three retries make up for the proxy's faults; a busy machine answers 503, too.
    const shipping = new Shipping({ apiKey, baseUrl: proxy.baseUrl, timeoutMs: 4_000, maxRetries: 8 });
    const made: string[] = [];
    let next = 0;
    const worker = async () => {
      while (next < CHAINS) made.push(await chain(shipping, next++));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));

    const direct = new Shipping({ apiKey, baseUrl: stack.baseUrl });
    const kept: string[] = [];
    for await (const { id } of direct.labels.list({ limit: 25 })) kept.push(id);
    expect(kept).toEqual([...made].sort());
    expect(new Set(kept).size).toBe(CHAINS);
    await expect(direct.labels.get("lbl_x")).rejects.toBeInstanceOf(NotFoundError);
    const { stalled, ...frequent } = proxy.faults;
    expect(Math.min(...Object.values(frequent))).toBeGreaterThan(0);
    if (CHAINS > 60) console.log(proxy.faults);
  },
  60_000 + CHAINS * 500,
);
