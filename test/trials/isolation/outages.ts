import { setTimeout as sleep } from "node:timers/promises";
import { eventually } from "@shipping/kit/testing/eventually";
import { type Broken, verdictOn } from "../abuse/verdict.js";
import { superuserUrl, withServer } from "../failover/postgres/replication.js";
import { signalTree } from "../kit/processes.js";
import type { Report, Say } from "../kit/report.js";
import { brokenBeside, onPlatform, openPage, type Scene, shown } from "./portal-platform.js";

const SECONDS = 12;
const KILL_EVERY_MS = 100;

/** Begins an outage of the portal, and yields a function that ends it. */
type Outage = (scene: Scene) => Promise<() => unknown>;

const portals: Record<string, Outage> = {
  /** Each process of the portal ends as soon as it has started. */
  async killed({ cluster }) {
    const ended = new AbortController();
    const killing = (async () => {
      while (!ended.signal.aborted) {
        await cluster.kill("portal-1").catch(() => {});
        await sleep(KILL_EVERY_MS);
      }
    })();
    return () => {
      ended.abort();
      return killing;
    };
  },
  async stopped({ cluster }) {
    const { pid } = await cluster.process("portal-1");
    signalTree(pid, "SIGSTOP");
    return () => signalTree(pid, "SIGCONT");
  },
  async "without its database"({ cluster }) {
    const url = await superuserUrl(cluster.dataDir, (await cluster.process("postgres")).address);
    const allow = (allowed: boolean) =>
      withServer(url, async (client) => {
        await client.query(`ALTER DATABASE portal ALLOW_CONNECTIONS ${allowed}`);
        if (!allowed)
          await client.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'portal'");
      });
    await allow(false);
    return () => allow(true);
  },
};

/** The portal is killed, hangs and loses its database in turn: the API's customers notice nothing. */
export const outages = (say: Say): Promise<Report> =>
  onPlatform(say, async (scene) => {
    const figures: Record<string, unknown> = {};
    const broken: string[] = [];
    for (const [state, begin] of Object.entries(portals)) {
      const plays: Play[] = [];
      while (plays.length === 0 || !verdictOn(plays)) {
        plays.push(await play(scene, begin));
        say(`portal ${state}: ${JSON.stringify(plays.at(-1))}`);
      }
      figures[state] = plays;
      if (verdictOn(plays) === "broken")
        broken.push(...plays.flatMap(({ service }) => service).map((one) => `portal ${state}: ${one}`));
    }
    return { figures, broken };
  });

interface Play extends Broken {
  alone: ReturnType<typeof shown>;
  beside: ReturnType<typeof shown>;
  /** The answer to a person who opens a page meanwhile. */
  page: string;
}

/** Compares the API with the portal and without it, once. */
async function play(scene: Scene, begin: Outage): Promise<Play> {
  const { victim, known } = scene;
  const alone = await victim.live(SECONDS);
  const end = await begin(scene);
  // The portal may still be answering its latest pages.
  await sleep(KILL_EVERY_MS);
  const [beside, page] = await Promise.all([victim.live(SECONDS), openPage(known)]).finally(end);
  await eventually(async () => {
    if ((await openPage(known)) !== "200") throw new Error("The portal has not recovered.");
  });
  const service = brokenBeside(alone, beside);
  if (page === "200") service.push("its pages were served");
  return { alone: shown(alone), beside: shown(beside), page, service, memory: [] };
}
