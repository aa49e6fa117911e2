import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { countUnsettled } from "@shipping/carrier/testing/stored-bookings";
import { newId } from "@shipping/kit/ids";
import { silentLog } from "@shipping/kit/process/log";
import { startLoop } from "@shipping/kit/process/loop";
import { eventually } from "@shipping/kit/testing/eventually";
import { audit } from "../../carrier/audit.js";
import { TROUBLES } from "../../carrier/simulator/behaviour.js";
import { type Simulator, startSimulatorProcess, withCarrier } from "../../carrier/simulator-process.js";
import { type ClusterUnderTest, startCluster } from "../../platform/cluster.js";
import { withFolder } from "../kit/with-folder.js";
import { type Played, playChain } from "./play-chain.js";

interface ChainsOptions {
  chains: number;
  clients: number;
  killEveryMs: number;
  /** How many of the carrier's calls go wrong, from 0 to 1. */
  rate: number;
  takesKeys: boolean;
  /** No chain begins after this time. */
  limitMs?: number;
}

// Enough that one of each survives while others start again.
const PROCESSES = ["--gateways", "3", "--carrier", "3", "--records", "1", "--webhooks", "1"];
// Longer than the maximum pause of a booking that could not be settled.
const SETTLED_MS = 240_000;

/** Starts a carrier and a cluster, and plays label chains there. */
export const runChains = (options: ChainsOptions) =>
  withFolder(async (folder, ends) => {
    const simulator = await startSimulatorProcess(join(folder, "ledger"));
    ends.push(() => simulator.stop());
    const bytes = randomBytes(16);
    const accountId = newId("acc", () => bytes);
    const cluster = await startCluster(PROCESSES, {
      ...withCarrier(simulator.url, accountId, options.takesKeys),
      RATE_LIMIT_PER_MINUTE: "1000000",
      LOG_LEVEL: "silent",
    });
    ends.push(() => cluster.stop());
    return playChains(cluster, simulator, { ...options, ...(await cluster.newCustomer("Chains", bytes)) });
  });

/**
 * Plays label chains at a carrier that loses, doubles, delays and refuses calls, while gateways and carriers are killed. Then waits until all
 * bookings are settled, and compares the carrier's ledger with the labels and with the responses to the customers.
 */
export async function playChains(
  cluster: ClusterUnderTest,
  simulator: Simulator,
  options: ChainsOptions & { accountId: string; key: string },
) {
  const { accountId, key, chains, clients, rate, takesKeys, limitMs = Number.POSITIVE_INFINITY } = options;
  const begun = performance.now();
  const since = (from: number) => Math.round((performance.now() - from) / 1000);
  await simulator.behave({ takesKeys, rate, troubles: TROUBLES });
  const customer = { gateways: cluster.gateways, key };
  const played: Played[] = [];
  let next = 0;
  let kills = 0;

  async function killOne(): Promise<void> {
    const name = await victimIn(cluster);
    if (!name) return;
    await cluster.kill(name);
    kills++;
  }
  async function client(): Promise<void> {
    while (next < chains && performance.now() - begun < limitMs)
      played.push(await playChain(customer, `chain ${next++}`));
  }

  const killing = startLoop({ name: "kill", everyMs: options.killEveryMs, log: silentLog(), once: killOne });
  await Promise.all(Array.from({ length: clients }, client)).finally(() => killing.stop());
  const answered = performance.now();
  await simulator.behave({ rate: 0 });
  await cluster.healthy();
  await eventually(
    async () => {
      if ((await countUnsettled(cluster.databases.carrier, accountId)) > 0)
        throw new Error("Some bookings are not settled.");
    },
    { withinMs: SETTLED_MS },
  ).catch(() => undefined);

  const settledAfterSeconds = since(answered);
  const ledger = await simulator.ledger();
  const ended = (end: Played["end"]) => played.filter((one) => one.end === end).length;
  return {
    chains: played.length,
    labelled: ended("labelled"),
    voided: ended("voided"),
    refused: ended("refused"),
    // Attempts without a definite response, all repeated with their key.
    errors: played.reduce((sum, { errors }) => sum + errors, 0),
    kills,
    // At the carrier: all that were ever made.
    bookings: ledger.length,
    cancelled: ledger.filter(({ isCancelled }) => isCancelled).length,
    seconds: since(begun),
    settledAfterSeconds,
    wrong: played.flatMap(({ wrong }) => wrong).slice(0, 10),
    audit: await audit(cluster, accountId, { played, ledger }),
  };
}

/** A gateway or a carrier that accepts connections, if another process of its part does, too. */
async function victimIn(cluster: ClusterUnderTest): Promise<string | undefined> {
  const names = (await cluster.listening()).filter((name) => /^(gateway|carrier)/.test(name));
  const partOf = (name: string) => name.split("-")[0];
  const spare = names.filter((name) => names.some((other) => other !== name && partOf(other) === partOf(name)));
  return spare[Math.floor(Math.random() * spare.length)];
}
