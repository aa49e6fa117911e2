import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { createCustomers } from "../bench/customers.js";
import type { Platform } from "../bench/platform.js";
import { type Known, MOST } from "./attacks/attack.js";
import { READY } from "./attacks/attacks.js";
import { addViewer } from "./attacks/member.js";
import { memoryLimits, peakMbOf, resetPeaks } from "./memory.js";
import type { Experience, Victim } from "./victim.js";

/** What an attack did to others. */
export interface Outcome {
  attack: string;
  alone: Experience;
  beside: Experience;
  /** What the attacker counted. */
  attacker: Record<string, number>;
  /** Megabytes of each part at its highest. */
  peaks: Record<string, number>;
  /** The promises that were broken, as sentences. */
  broken: string[];
}

const SECONDS = { alone: 15, beside: 30, between: 5 };
const KEYS = 50;
const ATTACK = fileURLToPath(new URL("run-attack.ts", import.meta.url));
/** Beside an attack, 99 of 100 requests take at most twice as long as alone, or so many milliseconds longer. */
const SLOWER = { times: 2, ms: 20 };

/** Has the victim live alone and then beside the attack, on the same platform. */
export async function play(attack: string, platform: Platform, victim: Victim): Promise<Outcome> {
  const attacker = await prepareAttack(attack, await knownTo(platform, victim));
  const alone = await victim.live(SECONDS.alone);
  const { processes } = await platform.cluster.now();
  const limits = memoryLimits();
  // Those with a limit are one process each; most of PostgreSQL's memory is shared by many.
  const limited = processes.filter(({ name }) => partOf(name) in limits);
  resetPeaks(limited);
  attacker.begin();
  const beside = await victim.live(SECONDS.beside);
  const counted = await attacker.end();
  await new Promise((resolve) => setTimeout(resolve, SECONDS.between * 1_000));
  const now = await platform.cluster.now();
  const restarted = now.processes.filter(({ name, pid }) =>
    processes.every((one) => one.name !== name || one.pid !== pid),
  );
  const peaks = peakMbOf(limited.filter(({ pid }) => now.processes.some((one) => one.pid === pid)));
  const broken = [
    ...brokenBy(alone, beside),
    ...tooLarge(peaks, limits),
    ...Object.entries(MOST).flatMap(([what, most]) =>
      (counted[what] ?? 0) > most ? [`${counted[what]} ${what}, above ${most}`] : [],
    ),
    ...restarted.map(({ name }) => `${name} ended`),
  ];
  return { attack, alone, beside, attacker: counted, peaks, broken };
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
interface Attacker {
  begin(): void;
  end(): Promise<Record<string, number>>;
}

async function prepareAttack(name: string, known: Known): Promise<Attacker> {
  const args = [...process.execArgv, ATTACK, name, JSON.stringify(known)];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const { value: first } = await lines.next();
  if (first !== READY) throw new Error(`The attacker ${name} did not get ready.`);
  return {
    begin: () => void child.stdin.write("begin\n"),
    async end() {
      child.kill("SIGTERM");
      const { value: counted } = await lines.next();
      await ended;
      return JSON.parse(counted ?? "{}");
    },
  };
}

function brokenBy(alone: Experience, beside: Experience): string[] {
  const allowed = Math.max(SLOWER.times * alone.p99, alone.p99 + SLOWER.ms);
  const errors = Object.entries(beside.errors).map(([error, count]) => `${count} × ${error}`);
  if (beside.p99 > allowed) errors.push(`p99 is ${beside.p99.toFixed(1)} ms, above ${allowed.toFixed(1)}`);
  if (beside.events.missing > 0) errors.push(`${beside.events.missing} events are missing`);
  return errors;
}

const partOf = (name: string) => name.replace(/-\d+$/, "");

function tooLarge(peaks: Record<string, number>, limits: Record<string, number>): string[] {
  return Object.entries(peaks).flatMap(([name, mb]) => {
    const limit = limits[partOf(name)];
    return limit !== undefined && mb > limit ? [`${name} had ${Math.round(mb)} MB, above its limit of ${limit}`] : [];
  });
}
