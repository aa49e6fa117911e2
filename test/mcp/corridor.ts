import { Shipping } from "shipping-client";
import type { Agent } from "./agent.js";

const address = { name: "A", street1: "B 1", city: "Bremen", postal_code: "28195", country: "DE" };
const parcel = { weight_kg: 1, length_cm: 2, width_cm: 3, height_cm: 4 };

export const shipmentFor = (reference: string) => ({ reference, from: address, to: address, parcel });

/** Repeats a call as a host does when an error tells its agent to: one of the tool, or an answer that refuses the message. */
async function untilDone<Data>(agent: Agent, name: string, args: Record<string, unknown>): Promise<Data> {
  for (let call = 1; ; call++) {
    const result = await agent.call(name, args).catch((error: Error) => error);
    const failed = result instanceof Error || result.isError;
    if (failed && call === 10)
      throw new Error(result instanceof Error ? result.message : JSON.stringify(result.content));
    if (failed) continue;
    const { data } = (result.structuredContent ?? {}) as { data?: Data };
    return data ?? (result as Data);
  }
}

interface File {
  content: { resource?: { blob: string; mimeType: string } }[];
}

/** From a shipment to the PDF of its label, tool by tool. Returns the label's ID. */
export async function playCorridor(agent: Agent, reference: string): Promise<string> {
  const { id } = await untilDone<{ id: string }>(agent, "createShipment", shipmentFor(reference));
  const [rate] = await untilDone<{ id: string }[]>(agent, "quoteRates", { shipment_id: id });
  const label = await untilDone<{ id: string }>(agent, "createLabel", { shipment_id: id, rate_id: rate?.id });
  const { content } = await untilDone<File>(agent, "getLabelFile", { id: label.id });
  const file = content.find(({ resource }) => resource);
  const start = Buffer.from(file?.resource?.blob ?? "", "base64")
    .subarray(0, 5)
    .toString();
  if (start !== "%PDF-") throw new Error(`The file of ${label.id} begins with ${start}.`);
  return label.id;
}

/** Returns the IDs of all labels of an account, in their order. */
export async function labelsOf(access: { apiKey: string; baseUrl: string }): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of new Shipping(access).labels.list({ limit: 100 })) ids.push(id);
  return ids;
}
