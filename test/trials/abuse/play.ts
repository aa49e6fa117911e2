import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { createCustomers } from "../bench/customers.js";
import type { Platform } from "../bench/platform.js";
import type { Measured } from "../kit/processes.js";
import type { Known } from "./attacks/attack.js";
import { MOST_MORE_MB, READY } from "./attacks/attacks.js";
import { addViewer } from "./attacks/member.js";
import { CONNECTIONS, largeRequests } from "./attacks/slow-reader.js";
import { memoryLimits, peakMbOf, resetPeaks } from "./memory.js";
import { type OrdinaryUse, readAtFullSpeed } from "./ordinary-client.js";
import { type Broken, brokenMemory, brokenService, partOf } from "./verdict.js";
import { type Experience, together, type Victim } from "./victim.js";

/** The effects of an attack on others. */
export interface Outcome extends Broken {
  attack: string;
  /** The effects of an ordinary client that read the same responses before, if the attack is compared with one. */
  ordinary: OrdinaryUse | undefined;
  alone: Experience;
  beside: Experience;
  /** The attacker's counters. */
  attacker: Record<string, number>;
  /** Peak megabytes of each part: in all rounds, and before the first attack. */
  peaks: Record<string, number>;
  before: Record<string, number>;
}

const ROUNDS = 5;
const SECONDS = { alone: 5, beside: 12, between: 1 };
const KEYS = 50;
const ATTACK = fileURLToPath(new URL("run-attack.ts", import.meta.url));

/** Runs the victim alone and beside the attack in turns, on the same platform. */
export async function play(attack: string, platform: Platform, victim: Victim): Promise<Outcome> {
  const attacker = await prepareAttack(attack, await newAccount(platform, victim));
  const { processes } = await platform.cluster.now();
  const limits = memoryLimits();
  // A part with a limit is one process; PostgreSQL's processes share most of their memory.
  const limited = processes.filter(({ name }) => partOf(name) in limits);
  const rounds: { alone: Experience; beside: Experience }[] = [];
  let counted: Record<string, number> = {};
  let before: Record<string, number> = {};
  resetPeaks(limited);
  const ordinary = await ordinaryUse(attack, platform, victim, limited);
  for (let round = 0; round < ROUNDS; round++) {
    const alone = await victim.live(SECONDS.alone);
    if (round === 0) before = peakMbOf(limited);
    attacker.begin();
    const beside = await victim.live(SECONDS.beside);
    counted = await attacker.pause();
    rounds.push({ alone, beside });
    await new Promise((resolve) => setTimeout(resolve, SECONDS.between * 1_000));
  }
  await attacker.end();
  const now = await platform.cluster.now();
  const restarted = now.processes.filter(({ name, pid }) =>
    processes.every((one) => one.name !== name || one.pid !== pid),
  );
  const peaks = peakMbOf(limited.filter(({ pid }) => now.processes.some((one) => one.pid === pid)));
  const alone = together(rounds.map((round) => round.alone));
  const beside = together(rounds.map((round) => round.beside));
  const service = [...brokenService(alone, beside, counted), ...restarted.map(({ name }) => `${name} ended`)];
  const memory = brokenMemory({ before, peaks }, limits, MOST_MORE_MB[attack]);
  return { attack, ordinary, alone, beside, attacker: counted, peaks, before, service, memory };
}

/** Lets an ordinary client read as many of an attack's large responses as the attack will. */
async function ordinaryUse(attack: string, platform: Platform, victim: Victim, processes: readonly Measured[]) {
  const requestsOf = largeRequests[attack];
  if (!requestsOf) return undefined;
  const known = await newAccount(platform, victim);
  const most = ROUNDS * CONNECTIONS;
  return readAtFullSpeed(known, processes, { requests: requestsOf(known), most });
}

/** The knowledge of a customer with an account of its own. */
async function newAccount({ cluster }: Platform, { receiver }: Victim): Promise<Known> {
  const [account] = await createCustomers(cluster.databases.gateway, { accounts: 1, keysOfEach: KEYS });
  const { address } = await cluster.process("records-1");
  if (!account) throw new Error("The customer has no account.");
  const { sign_in_email: member } = await cluster.now();
  const mailFolder = join(cluster.dataDir, "mail");
  const viewer = await addViewer(cluster, account.accountId);
  const baseUrl = cluster.gateways[0] ?? "";
  return { baseUrl, records: address, keys: account.keys, viewer, receiver, member, mailFolder };
}

/** An attacker that is ready. */
async function prepareAttack(name: string, known: Known) {
  const args = [...process.execArgv, ATTACK, name, JSON.stringify(known)];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const { value: first } = await lines.next();
  if (first !== READY) throw new Error(`The attacker ${name} did not get ready.`);
  return {
    begin: () => void child.stdin.write("begin\n"),
    /** Ends a round. Returns the counters of all rounds so far. */
    async pause(): Promise<Record<string, number>> {
      child.stdin.write("pause\n");
      const { value: counted } = await lines.next();
      if (counted === undefined) throw new Error(`The attacker ${name} ended early.`);
      return JSON.parse(counted);
    },
    async end() {
      child.stdin.end();
      await ended;
    },
  };
}
