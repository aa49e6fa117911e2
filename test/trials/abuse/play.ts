import type { Platform } from "../bench/platform.js";
import type { Measured } from "../kit/processes.js";
import { newAccount, prepareAttack } from "./attacker.js";
import { MOST_MORE_MB } from "./attacks/attacks.js";
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
  const large = largeRequests[attack];
  if (!large) return undefined;
  const known = await newAccount(platform, victim);
  const { origin } = new URL(known[large.at]);
  const most = ROUNDS * CONNECTIONS;
  return readAtFullSpeed(known, processes, { origin, requests: large.of(known), most });
}
