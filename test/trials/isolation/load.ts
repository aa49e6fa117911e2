import { execFile } from "node:child_process";
import { availableParallelism, loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { answeredRequests } from "@shipping/gateway/testing/stored-requests";
import { type Attacker, newAccount, prepareAttack } from "../abuse/attacker.js";
import { peakMbOf, resetPeaks } from "../abuse/memory.js";
import { type Experience, together } from "../abuse/victim.js";
import { createShipment } from "../bench/seed.js";
import type { Target } from "../bench/target.js";
import { closedLoop } from "../kit/load.js";
import { cpuMsOf } from "../kit/processes.js";
import { type Report, reportOf, type Say } from "../kit/report.js";
import { brokenBeside, onPlatform, type Scene, shown } from "./portal-platform.js";

/** The portal's worst pages, and the worst of its calls to the gateway. */
export const ATTACKS: readonly string[] = [
  ...["form-bomb", "sign-in-flood", "mail-flood", "document-flood", "page-flood"],
  ...["label-searches", "label-pictures", "downloads", "slow-download", "access-flood"],
];
const ROUNDS = 5;
const SECONDS = { busy: 30, first: 20, alone: 8, beside: 12, between: 2 };
const MOST_MORE_MB = 20;
const LOGGED_REQUESTS = 100_000;
/** The portal and its visitors have the first core, and the gateway the second. */
const [PORTAL_CORE, GATEWAY_CORE] = [0, 1];

/** The API beside all attacks on the portal at once, and beside a portal that floods the gateway with its calls. */
export const load =
  (attacks: readonly string[]) =>
  (say: Say): Promise<Report> =>
    onPlatform(say, async (scene) => {
      if (availableParallelism() < 2) throw new Error("The parts need a core each.");
      const { victim, cluster, known } = scene;
      await fillRequestLog(scene);
      const [gateway, portal] = [await cluster.process("gateway-1"), await cluster.process("portal-1")];
      await pin(gateway.pid, GATEWAY_CORE);
      await pin(portal.pid, PORTAL_CORE);
      const attackers: Attacker[] = [];
      for (const name of attacks) {
        // Each has an account of its own, because a member may open ten pages a second.
        const attacker = await prepareAttack(name, name === "access-flood" ? known : await newAccount(scene, victim));
        await pin(attacker.pid, PORTAL_CORE);
        attackers.push(attacker);
      }
      const rounds: { alone: Experience; beside: Experience }[] = [];
      const counters: Record<string, Record<string, number>> = {};
      const loads: number[] = [];
      resetPeaks([gateway, portal]);
      await beBusy(scene.target);
      const cpuMs = { alone: 0, beside: 0 };
      const cpu = () => cpuMsOf([gateway])["gateway-1"] ?? 0;
      let before: Record<string, number> = {};
      for (let round = 0; round < ROUNDS; round++) {
        loads.push(loadavg()[0] ?? 0);
        const begun = cpu();
        const alone = await victim.live(round === 0 ? SECONDS.first : SECONDS.alone);
        const between = cpu();
        if (round === 0) before = peakMbOf([gateway, portal]);
        for (const attacker of attackers) attacker.begin();
        const beside = await victim.live(SECONDS.beside);
        cpuMs.alone += between - begun;
        cpuMs.beside += cpu() - between;
        for (const attacker of attackers) counters[attacker.name] = await attacker.pause();
        rounds.push({ alone, beside });
        say(`round ${round + 1}: ${JSON.stringify({ alone: shown(alone).ms, beside: shown(beside).ms })}`);
        await sleep(SECONDS.between * 1_000);
      }
      const gatewayCpuPercent = {
        alone: cpuMs.alone / (10 * (SECONDS.first + (ROUNDS - 1) * SECONDS.alone)),
        beside: cpuMs.beside / (10 * ROUNDS * SECONDS.beside),
      };
      await Promise.all(attackers.map((attacker) => attacker.end()));
      const peaks = peakMbOf([gateway, portal]);
      const [alone, beside] = [together(rounds.map((one) => one.alone)), together(rounds.map((one) => one.beside))];
      const moreMb = (peaks["gateway-1"] ?? 0) - (before["gateway-1"] ?? 0);
      const restarted = (await cluster.process("gateway-1")).pid !== gateway.pid;
      return reportOf(
        {
          loadBefore: loads,
          gatewayCpuPercent,
          alone: shown(alone),
          beside: shown(beside),
          mb: { before, peaks, moreMb },
          attackers: counters,
        },
        [
          ...brokenBeside(alone, beside).map((promise) => [false, promise] as const),
          [moreMb <= MOST_MORE_MB, `The gateway had ${Math.round(moreMb)} MB more than before, above ${MOST_MORE_MB}.`],
          [!restarted, "The gateway ended."],
        ],
      );
    });

/** Pins a process with all its threads, and the children that it starts from now on. */
async function pin(pid: number, core: number): Promise<void> {
  await promisify(execFile)("taskset", ["--all-tasks", "--pid", "--cpu-list", String(core), String(pid)]);
}

/**
 * Lets the customers of the API use their limits. V8 lets a heap grow to a multiple of what it keeps when there is much to do, so a gateway that
 * has never been busy would be charged for its first busy time.
 */
async function beBusy(target: Target): Promise<void> {
  let turn = 0;
  const operation = () =>
    turn++ % 2 === 0
      ? createShipment(target, target.customers.next())
      : target.call({ customer: target.customers.next(), path: "/shipments?limit=100", expect: 200 });
  await closedLoop(operation, { clients: 24, seconds: SECONDS.busy });
}

/** Gives the attacker's account as many requests as its pages may have to look through. */
async function fillRequestLog({ cluster, known }: Scene): Promise<void> {
  const [accountId = ""] = known.access.accountIds;
  await cluster.databases.gateway.run(answeredRequests({ accountId, environment: "sandbox" }, LOGGED_REQUESTS));
}
