import type { Api } from "./api.js";
import type { Exchange } from "./exchange.js";
import { succeeded } from "./judge.js";

/** What a run has made and cannot take away again, by the name of the resource. */
export type LeftBehind = Readonly<Record<string, number>>;

const isNew = (one: Exchange) => one.method === "POST" && succeeded(one) && !one.answered.has("idempotency-replayed");

/** Everything new, but for subscriptions that are disabled. */
export function leftBehind(exchanges: readonly Exchange[]): LeftBehind {
  const ids = (path: string) => new Set(exchanges.filter((one) => isNew(one) && one.path === path).map(idOf));
  const counts = ["orders", "shipments", "labels", "webhooks"].map((name) => [name, ids(`/${name}`).size] as const);
  return Object.fromEntries(counts);
}

/** Disables the subscriptions that are still active, and yields those that stay. */
export async function disableAll(api: Api, exchanges: readonly Exchange[]): Promise<string[]> {
  const made = exchanges.filter((one) => isNew(one) && one.path === "/webhooks").map(idOf);
  const gone = new Set(exchanges.filter((one) => one.method === "DELETE" && succeeded(one)).map(({ path }) => path));
  const staying: string[] = [];
  for (const id of made.filter((one) => !gone.has(`/webhooks/${one}`))) {
    const disabled = await api.delete(`/webhooks/${id}`).then(succeeded, () => false);
    if (!disabled) staying.push(id);
  }
  return staying;
}

const idOf = ({ json }: Exchange): string => String(json?.data?.id);
