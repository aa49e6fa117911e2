import { parcelBody } from "../../kit/bodies.js";
import { type Operation, outcomeIn, pageIn, resourceIn } from "../check/operation.js";
import type { Chance, NamedKey, Recorder } from "./recorder.js";

/** A customer whose clients work on the same records at the same time. */
export interface Shared {
  account: string;
  keys: readonly NamedKey[];
  /** A URL for subscriptions whose events do not matter. */
  sinkUrl: string;
}

const LISTS = ["/orders", "/shipments", "/labels", "/webhooks"];

/** Works on a customer's records until it is stopped. In each turn, several requests compete. */
export async function contend(
  recorder: Recorder,
  shared: Shared,
  chance: Chance,
  stopping: AbortSignal,
): Promise<void> {
  const client = clientOf(recorder, shared, chance);
  const turns = [client.shipment, client.shipment, client.shipment, client.keys, client.subscription, client.walk];
  while (!stopping.aborted) await turns[Math.floor(chance() * turns.length)]!();
}

let names = 0;
let walks = 0;

/** A client of a customer. */
export function clientOf(recorder: Recorder, { account, keys, sinkUrl }: Shared, chance: Chance) {
  const given = { account, keys };
  const newName = (of: string) => `${of}-${++names}`;
  const get = (path: string) => recorder.once({ ...given, method: "GET", path });
  const post = (path: string, idempotencyKey: string, body: unknown) =>
    recorder.untilDefinite({ ...given, method: "POST", path, idempotencyKey, body });
  const remove = (path: string, idempotencyKey: string) =>
    recorder.untilDefinite({ ...given, method: "DELETE", path, idempotencyKey });
  /** Sometimes sends the same request twice at once: with one key, on any gateways. */
  const twice = (write: () => Promise<Operation>) => Promise.all(chance() < 0.4 ? [write(), write()] : [write()]);
  const idIn = (operations: readonly Operation[]) =>
    operations.map((one) => (outcomeIn(one) === "done" ? resourceIn(one)?.id : undefined)).find(Boolean);

  /** A shipment, labels for it that compete, voids of the label that compete, and readers of all of it meanwhile. */
  async function shipment(): Promise<void> {
    const name = newName("shipment");
    const made = await twice(() => post("/shipments", name, { ...parcelBody, reference: name }));
    const id = idIn(made);
    if (!id) return;
    const body = { shipment_id: id, rate_id: `rate_test_${id}` };
    const rivals = 1 + Math.floor(chance() * 3);
    const [labels] = await Promise.all([
      Promise.all(
        Array.from({ length: rivals }, async (_, rival) => {
          const written = await twice(() => post("/labels", `${name}-label-${rival}`, body));
          await get(`/shipments/${id}`);
          return written;
        }),
      ),
      post("/rates", `${name}-rates`, { shipment_id: id }),
      get(`/shipments/${id}`),
    ]);
    const label = labels
      .flat()
      .map((one) => (outcomeIn(one) === "done" ? resourceIn(one) : undefined))
      .find(Boolean);
    if (!label) return;
    const look = () =>
      Promise.all([get(`/labels/${label.id}`), get(`/tracking/${label.tracking_number}`), get(`/shipments/${id}`)]);
    await look();
    if (chance() < 0.3) return;
    const voiding = async (rival: number) => {
      await twice(() => post(`/labels/${label.id}/void`, `${name}-void-${rival}`, {}));
      await look();
    };
    await Promise.all([voiding(0), chance() < 0.5 ? voiding(1) : look(), get(`/labels/${label.id}/file`)]);
    await Promise.all([get(`/labels/${label.id}/file`), post("/labels", `${name}-label-late`, body)]);
  }

  /** One key for several paths and bodies. */
  async function sharedKey(): Promise<void> {
    const name = newName("key");
    const body = (reference: string) => ({ ...parcelBody, reference });
    const [order] = await Promise.all([
      post("/orders", name, body(name)),
      chance() < 0.5 ? post("/orders", name, body(name)) : post("/shipments", name, body(name)),
      chance() < 0.5 ? post("/orders", name, body(`${name}-other`)) : post("/rates", name, { shipment_id: "shp_none" }),
    ]);
    const id = idIn([order]);
    if (id && resourceIn(order)?.object === "order") await get(`/orders/${id}`);
  }

  /** A subscription, and deletions of it that compete. */
  async function subscription(): Promise<void> {
    const name = newName("subscription");
    const id = idIn(
      await twice(() => post("/webhooks", name, { url: `${sinkUrl}?${name}`, events: ["label.voided"] })),
    );
    if (!id) return;
    await get(`/webhooks/${id}`);
    await Promise.all([
      twice(() => remove(`/webhooks/${id}`, `${name}-delete`)),
      chance() < 0.5 ? remove(`/webhooks/${id}`, `${name}-delete-too`) : get(`/webhooks/${id}`),
    ]);
    await get(`/webhooks/${id}`);
  }

  /** A whole list, page by page; a refused page is requested again. */
  async function walk(list = LISTS[Math.floor(chance() * LISTS.length)], limit = 1 + Math.floor(chance() ** 2 * 100)) {
    const number = ++walks;
    for (let cursor: string | null = ""; cursor !== null; ) {
      const path = `${list}?limit=${limit}${cursor && `&after=${cursor}`}`;
      const page = await recorder.untilDefinite({ ...given, method: "GET", path, walk: number });
      if (outcomeIn(page) !== "done") return;
      cursor = pageIn(page).next_cursor;
    }
  }

  return {
    shipment,
    keys: sharedKey,
    subscription,
    walk,
    walkAll: () => Promise.all(LISTS.map((list) => walk(list, 100))),
  };
}
