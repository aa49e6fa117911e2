import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Behaviour } from "./simulator/behaviour.js";
import type { Entry } from "./simulator/ledger.js";

// A path relative to this file, as in test/platform/cluster.ts: both are beside the tests.
const MAIN = fileURLToPath(new URL("./simulator/dist/main.js", import.meta.url));
/** The compiled adapter, which a process of carrier can load. */
const ADAPTER = fileURLToPath(new URL("./simulator/dist/adapter.js", import.meta.url));

/** A carrier in a process of its own, with its ledger in `file`; needs `npm run build` before. */
export async function startSimulatorProcess(file: string) {
  const child = spawn(process.execPath, [MAIN, "0", file], { stdio: ["pipe", "pipe", "inherit"] });
  const exited = once(child, "exit");
  const [url] = (await Promise.race([
    once(createInterface(child.stdout), "line"),
    exited.then(() => Promise.reject(new Error("The simulator did not start."))),
  ])) as [string];

  return {
    ...simulatorAt(url),
    async stop() {
      child.stdin.end();
      await exited;
    },
  };
}

export type Simulator = ReturnType<typeof simulatorAt>;

/** A carrier that runs at this URL. */
export function simulatorAt(url: string) {
  return {
    url,
    async behave(behaviour: Partial<Behaviour>): Promise<void> {
      await fetch(`${url}/behaviour`, { method: "PUT", body: JSON.stringify(behaviour) });
    },
    ledger: async () => (await (await fetch(`${url}/ledger`)).json()) as Entry[],
  };
}

/** The settings of a cluster in which this account's sandbox has this carrier. */
export const withCarrier = (url: string, accountId: string, takesKeys = false) => ({
  TRIAL_CARRIER_MODULE: ADAPTER,
  TRIAL_CARRIER_URL: `${url}?keys=${takesKeys ? "taken" : "ignored"}`,
  TRIAL_CARRIER_ACCOUNT: accountId,
});
