import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { createCustomers } from "../bench/customers.js";
import type { Platform } from "../bench/platform.js";
import { percentile } from "../kit/statistics.js";
import { type Known, MOST } from "./attacks/attack.js";
import { MOST_MORE_MB, READY } from "./attacks/attacks.js";
import { addViewer } from "./attacks/member.js";
import { memoryLimits, peakMbOf, resetPeaks } from "./memory.js";
import { type Experience, together, type Victim } from "./victim.js";

/** The effects of an attack on others. */
export interface Outcome {
  attack: string;
  alone: Experience;
  beside: Experience;
  /** The attacker's counters. */
  attacker: Record<string, number>;
  /** Peak megabytes of each part: in all rounds, and before the first. */
  peaks: Record<string, number>;
  before: Record<string, number>;
  /** The promises that were broken, as sentences. */
  broken: string[];
}

const ROUNDS = 5;
const SECONDS = { alone: 5, beside: 12, between: 1 };
const KEYS = 50;
const ATTACK = fileURLToPath(new URL("run-attack.ts", import.meta.url));
/** Beside an attack, 99 of 100 requests may take at most twice as long as alone, or this many milliseconds longer. */
const SLOWER = { times: 2, ms: 20 };

/** Runs the victim alone and beside the attack in turns, on the same platform. */
export async function play(attack: string, platform: Platform, victim: Victim): Promise<Outcome> {
  const attacker = await prepareAttack(attack, await knownTo(platform, victim));
  const { processes } = await platform.cluster.now();
  const limits = memoryLimits();
  // A part with a limit is one process; PostgreSQL's processes share most of their memory.
  const limited = processes.filter(({ name }) => partOf(name) in limits);
  const rounds: { alone: Experience; beside: Experience }[] = [];
  let counted: Record<string, number> = {};
  let before: Record<string, number> = {};
  resetPeaks(limited);
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
  const broken = [
    ...brokenBy(alone, beside),
    ...tooLarge(peaks, limits),
    ...grown(peaks, before, MOST_MORE_MB[attack]),
    ...Object.entries(MOST).flatMap(([what, most]) =>
      (counted[what] ?? 0) > most ? [`${counted[what]} ${what}, above ${most}`] : [],
    ),
    ...restarted.map(({ name }) => `${name} ended`),
  ];
  return { attack, alone, beside, attacker: counted, peaks, before, broken };
}

async function knownTo({ cluster }: Platform, { receiver }: Victim): Promise<Known> {
  const [attacker] = await createCustomers(cluster.databases.gateway, { accounts: 1, keysOfEach: KEYS });
  const { address } = await cluster.process("records-1");
  if (!attacker) throw new Error("The attacker has no account.");
  const { sign_in_email: member } = await cluster.now();
  const mailFolder = join(cluster.dataDir, "mail");
  const viewer = await addViewer(cluster, attacker.accountId);
  const baseUrl = cluster.gateways[0] ?? "";
  return { baseUrl, records: address, keys: attacker.keys, viewer, receiver, member, mailFolder };
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

function brokenBy(alone: Experience, beside: Experience): string[] {
  const p99 = percentile(beside.latencies, 0.99);
  const p99Alone = percentile(alone.latencies, 0.99);
  const allowed = Math.max(SLOWER.times * p99Alone, p99Alone + SLOWER.ms);
  const errors = Object.entries(beside.errors).map(([error, count]) => `${count} × ${error}`);
  if (p99 > allowed) errors.push(`p99 is ${p99.toFixed(1)} ms, above ${allowed.toFixed(1)}`);
  if (beside.missingEvents > 0) errors.push(`${beside.missingEvents} events are missing`);
  return errors;
}

const partOf = (name: string) => name.replace(/-\d+$/, "");

function tooLarge(peaks: Record<string, number>, limits: Record<string, number>): string[] {
  return Object.entries(peaks).flatMap(([name, mb]) => {
    const limit = limits[partOf(name)];
    return limit !== undefined && mb > limit ? [`${name} had ${Math.round(mb)} MB, above its limit of ${limit}`] : [];
  });
}

/** The gateways whose memory grew by more than an attack may cost them. */
function grown(peaks: Record<string, number>, before: Record<string, number>, most = Number.POSITIVE_INFINITY) {
  return Object.entries(peaks).flatMap(([name, mb]) => {
    const more = mb - (before[name] ?? Number.NaN);
    const isGateway = partOf(name) === "gateway";
    return isGateway && more > most ? [`${name} had ${Math.round(more)} MB more than before, above ${most}`] : [];
  });
}
