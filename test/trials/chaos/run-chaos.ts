import { silentLog } from "@shipping/kit/process/log";
import { startLoop } from "@shipping/kit/process/loop";
import type { ClusterUnderTest } from "../../platform/cluster.js";
import { audit } from "./audit.js";
import { submitForms } from "./member-forms.js";
import { mixedLoad } from "./mixed-load.js";

const STORES = ["postgres", "nats"];
const ACCOUNTS = 4;
const FORM_CLIENTS = 4;

/** Maximum number of processes that are down at once: if a start takes longer than many kills, no request would ever be executed. */
const MOST_DOWN = 3;

/**
 * Kills a random process with SIGKILL every `killEveryMs`, unless too many are down, while a mixed load runs and members submit forms, then audits
 * everything that was acknowledged, and the audit log.
 */
export async function runChaos(
  cluster: ClusterUnderTest,
  options: { operations: number; clients: number; killEveryMs: number; forms: number },
) {
  const begun = performance.now();
  const customers = await Promise.all(Array.from({ length: ACCOUNTS }, () => cluster.newCustomer()));
  let kills = 0;

  async function killOne(): Promise<void> {
    const { processes } = await cluster.now();
    const listening = await cluster.listening();
    if (processes.length - listening.length >= MOST_DOWN) return;
    const names = listening.filter((name) => !STORES.includes(name));
    await cluster.kill(names[Math.floor(Math.random() * names.length)]!);
    kills++;
  }

  const killing = startLoop({ name: "kill", everyMs: options.killEveryMs, log: silentLog(), once: killOne });
  const load = { gateways: cluster.gateways, customers, operations: options.operations, clients: options.clients };
  const [{ acknowledged, retries }, forms] = await Promise.all([
    mixedLoad(load),
    submitForms(cluster, { forms: options.forms, clients: FORM_CLIENTS }),
  ]).finally(() => killing.stop());
  await cluster.healthy();
  const accountIds = customers.map(({ accountId }) => accountId);
  const found = await audit(cluster, accountIds, acknowledged);
  const lines = await forms.audit();
  const seconds = Math.round((performance.now() - begun) / 1000);
  return { operations: acknowledged.length, forms: forms.sent, kills, retries, seconds, audit: found, lines };
}
