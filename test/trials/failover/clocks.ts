import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { createSignInLink } from "@shipping/gateway/accounts/manage-members";
import { openPrisma } from "@shipping/gateway/database/deps";
import { newVisitor } from "../../developers/visitor.js";
import { stillMissing } from "../chaos/deliveries/arrivals.js";
import { ordersAtRate } from "../chaos/deliveries/order-load.js";
import { newSubscriber } from "../chaos/deliveries/subscriber.js";
import type { Arrival } from "../kit/event-receiver.js";
import type { Report, Say } from "../kit/report.js";
import { startLoad } from "./load.js";
import { verdict } from "./verdict.js";
import { startWithClocks, type WrongClocks } from "./wrong-clocks.js";

const SKEW_MS = 300_000;
const PER_SECOND = 5;
const JUMP_EVERY_MS = 250;
// A receiver's tolerance, and the delivery time of the signature.
const TOLERATED_MS = SKEW_MS + 2_000;

/** The clocks that are five minutes wrong: of two replicas one is ahead and one is behind, and so is every other database. */
const PHASES: readonly (readonly [name: string, isWrong: (name: string) => boolean])[] = [
  ["gateways disagree", (name) => name.startsWith("gateway-")],
  ["services disagree", (name) => /^(records|carrier|tracking|webhooks)-/.test(name)],
  ["databases disagree", (name) => name.endsWith(" database")],
  ["everything disagrees", () => true],
];

/**
 * Clocks of processes and databases disagree by five minutes in both directions, then jump: no request is refused, and no event is lost, doubled
 * or late.
 */
export async function clocks(say: Say, phaseMs = 8_000, jumpingMs = 20_000): Promise<Report> {
  const wrong = await startWithClocks({ RATE_LIMIT_PER_MINUTE: "1000000", WEBHOOK_ALLOW_PRIVATE_TARGETS: "true" });
  const { cluster } = wrong;
  try {
    const subscriber = await newSubscriber(cluster);
    const load = await startLoad(cluster, { clients: 6 });
    const seconds = (PHASES.length * phaseMs + jumpingMs) / 1000;
    const ordering = ordersAtRate({ ...cluster, keys: [subscriber.key], perSecond: PER_SECOND, seconds });
    ordering.catch(() => {});
    const refusedSignIns: string[] = [];
    for (const [phase, isWrong] of PHASES) {
      say(phase);
      let turn = 0;
      for (const name of wrong.names) await wrong.set(name, isWrong(name) ? (turn++ % 2 ? SKEW_MS : -SKEW_MS) : 0);
      await sleep(phaseMs / 2);
      await signIn(wrong).catch((error) => refusedSignIns.push(`${phase}: ${error.message}`));
      await sleep(phaseMs / 2);
    }
    const failedBefore = Object.values(load.attempts.seen().failed).reduce((sum, count) => sum + count, 0);
    say("clocks jump");
    const jumps = await jump(wrong, jumpingMs);
    for (const name of wrong.names) await wrong.set(name, 0);
    const { acknowledged } = await ordering;
    const missing = await stillMissing(acknowledged, subscriber.arrivals, 30_000);
    await subscriber.close();
    const signedOff = subscriber.arrivals.map((arrival) => Math.abs(signedAt(arrival) - trueTime(arrival)));
    const signedByWrongClocks = signedOff.filter((ms) => ms > SKEW_MS / 2).length;
    return await verdict(say, cluster, load, {
      figures: {
        jumps,
        failedBefore,
        refusedSignIns,
        orders: acknowledged.length,
        missing,
        deliveries: subscriber.arrivals.length,
        signedByWrongClocks,
      },
      promises: [
        [failedBefore === 0, "A write failed although clocks did nothing but disagree."],
        [
          refusedSignIns.length === 0,
          "A link or a session was refused on the way between gateways whose clocks disagree.",
        ],
        [missing === 0, "An event did not arrive."],
        [signedByWrongClocks > 0, "No clock was wrong."],
        [
          signedOff.every((ms) => ms <= TOLERATED_MS),
          "A signature's time was further from the true time than the clock of its process.",
        ],
      ],
    });
  } finally {
    await wrong.stop();
  }
}

/** Sets one clock after the other to another time: minutes forward or back, or right. */
export async function jump(wrong: WrongClocks, forMs: number): Promise<number> {
  const until = performance.now() + forMs;
  let jumps = 0;
  while (performance.now() < until) {
    const name = wrong.names[Math.floor(Math.random() * wrong.names.length)] ?? "";
    const others = [-SKEW_MS, 0, SKEW_MS].filter((aheadMs) => aheadMs !== wrong.of(name));
    await wrong.set(name, others[Math.floor(Math.random() * others.length)] ?? 0);
    jumps++;
    await sleep(JUMP_EVERY_MS);
  }
  return jumps;
}

/** A link that one gateway's clock made signs in at the other gateway, and the session is open at both. */
async function signIn({ cluster, of }: WrongClocks): Promise<void> {
  const db = cluster.databases.gateway;
  const prisma = openPrisma(db);
  const now = () => new Date(Date.now() + of("gateway-1"));
  const { account_id: accountId, gateways } = await cluster.now();
  const [first = "", second = ""] = gateways.map((url) => new URL(url).origin);
  const deps = { db, prisma, now, random: randomBytes };
  const { url } = await createSignInLink(deps, { accountId, origin: second }).finally(() => prisma.$disconnect());
  const visitor = newVisitor(second);
  const { status } = await visitor.submit(new URL(url).pathname);
  if (status !== 303) throw new Error(`the link was answered ${status}`);
  const cookie = visitor.cookies();
  for (const origin of [second, first]) {
    const page = await newVisitor(origin).get("/developers/sandbox", { cookie });
    if (page.status !== 200) throw new Error(`the session was answered ${page.status}`);
  }
}

const signedAt = ({ signature }: Arrival) => Number(/t=(\d+)/.exec(signature)?.[1]) * 1000;
const trueTime = ({ atMs }: Arrival) => performance.timeOrigin + atMs;
