import { newAccount } from "../abuse/attacker.js";
import type { Known } from "../abuse/attacks/attack.js";
import { brokenService } from "../abuse/verdict.js";
import { type Experience, newVictim, type Victim } from "../abuse/victim.js";
import { type Platform, startPlatform } from "../bench/platform.js";
import type { Report, Say } from "../kit/report.js";
import { percentiles } from "../kit/statistics.js";

const CUSTOMERS = { accounts: 40, keysOfEach: 6 };
const WARM_UP_SECONDS = 10;

/** The allowed effect of the portal on the API's customers: 99 of 100 requests take at most 1.2 times as long as without it, or 5 ms longer. */
const SLOWER = { times: 1.2, ms: 5 };

/** One process of each part with certificates, customers of the API, and a member of another account. */
export interface Scene extends Platform {
  victim: Victim;
  known: Known;
}

/** Plays a scene on a platform that is warm. */
export async function onPlatform(say: Say, play: (scene: Scene) => Promise<Report>): Promise<Report> {
  const platform = await startPlatform({
    replicas: 1,
    tls: true,
    ...CUSTOMERS,
    env: { TRUSTED_PROXIES: "1", RATE_LIMIT_PER_MINUTE: "100000" },
  });
  try {
    const victim = await newVictim(platform.target);
    try {
      const known = await newAccount(platform, victim);
      await victim.live(WARM_UP_SECONDS);
      say("the platform is warm");
      return await play({ ...platform, victim, known });
    } finally {
      victim.close();
    }
  } finally {
    await platform.stop();
  }
}

/** The milliseconds in which the API answers, and how late its events are. */
export const shown = ({ latencies, eventLatencies }: Experience) => ({
  requests: latencies.length,
  ms: percentiles(latencies),
  eventMs: percentiles(eventLatencies),
});

/** The promises to the API's customers that were broken, as sentences. */
export const brokenBeside = (alone: Experience, beside: Experience): string[] =>
  brokenService(alone, beside, {}, SLOWER);

/** The status of a page that a signed-in member opens; `no answer` within two seconds counts, too. */
export async function openPage({ portal, viewer }: Known): Promise<string> {
  const url = `${portal}/developers/sandbox/orders`;
  return fetch(url, { headers: { cookie: viewer }, redirect: "manual", signal: AbortSignal.timeout(2_000) }).then(
    ({ status }) => String(status),
    () => "no answer",
  );
}
