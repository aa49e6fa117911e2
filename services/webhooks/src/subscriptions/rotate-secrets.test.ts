import { randomBytes } from "node:crypto";
import { createLog } from "@shipping/kit/process/log";
import { countIn, rowsIn } from "@shipping/kit/testing/rows";
import { newCaller, toSnapshot } from "@shipping/kit/testing/writes";
import sql from "sql-template-tag";
import { acceptEvents } from "../dispatch/accept-event.js";
import { createRequest, eventsFor, subscribe, webhooksUnderTest } from "../testing/webhooks-under-test.js";
import { createSubscription } from "./create-subscription.js";
import type { SubscriptionDeps } from "./deps.js";
import type { SealingKey } from "./key-ring.js";
import { requireKeys, rotateSecrets } from "./rotate-secrets.js";
import { secretIdentity } from "./subscription.js";

const newKey = (id: string): SealingKey => ({ id, key: randomBytes(32) });
const [first, second, third] = [newKey("2026-01"), newKey("2026-02"), newKey("2026-03")];
const ENOUGH = { rows: 200, batches: 25 };

const webhooks = webhooksUnderTest(beforeEach, afterEach);

const replicaWith = (...keys: SealingKey[]) => webhooks.replica({ config: { SECRETS_KEYS: keys } });

/** Creates a subscription, and returns it with its request and its answer. */
async function created(deps: SubscriptionDeps) {
  const request = createRequest(newCaller());
  const answer = toSnapshot(await createSubscription(deps, request));
  return { request, body: answer.body, id: answer.json.id as string, secret: answer.json.secret as string };
}

const creations = (deps: SubscriptionDeps, count: number) =>
  Promise.all(Array.from({ length: count }, () => created(deps)));

/** Checks that the replica opens its secret, and replays its creation byte by byte. */
async function expectIntact(deps: SubscriptionDeps, made: Awaited<ReturnType<typeof created>>): Promise<void> {
  const [row] = await rowsIn<{ secret: Buffer }>(deps.db, "subscriptions", { id: made.id });
  expect(Buffer.from(deps.keyRing.open(row!.secret, secretIdentity(made.id))).toString()).toBe(made.secret);
  expect(toSnapshot(await createSubscription(deps, made.request))).toMatchObject({ replayed: true, body: made.body });
}

describe("rotateSecrets", () => {
  test("seals everything with the first key, and names the keys that can be removed", async () => {
    const old = replicaWith(first);
    const made = await creations(old, 5);
    const both = replicaWith(second, first, third);
    for (const one of made) await expectIntact(both, one);

    expect(await rotateSecrets(both)).toMatchObject({
      writingKeyId: "2026-02",
      subscriptions: 5,
      ledgerBodies: 5,
      usedKeyIds: [],
      unusedKeyIds: ["2026-01", "2026-03"],
      missingKeyIds: [],
    });
    const without = replicaWith(second);
    for (const one of made) await expectIntact(without, one);
    expect(await rotateSecrets(without)).toMatchObject({ subscriptions: 0, ledgerBodies: 0, unusedKeyIds: [] });
  });

  test("the next call continues one that ended early", async () => {
    const made = await creations(replicaWith(first), 5);
    const deps = replicaWith(second, first);
    const limits = { rows: 2, batches: 1 };
    expect(await rotateSecrets(deps, limits)).toMatchObject({
      subscriptions: 2,
      ledgerBodies: 2,
      usedKeyIds: ["2026-01"],
      unusedKeyIds: [],
    });
    expect(await rotateSecrets(deps, limits)).toMatchObject({ subscriptions: 2, usedKeyIds: ["2026-01"] });
    expect(await rotateSecrets(deps, limits)).toMatchObject({ subscriptions: 1, unusedKeyIds: ["2026-01"] });
    for (const one of made) await expectIntact(replicaWith(second), one);
  });

  test("several calls at once, while subscriptions are created and events arrive: no secret is lost or sealed twice", async () => {
    const old = replicaWith(first, second);
    const caller = newCaller();
    const { id } = await subscribe(old, caller, "https://example.com/hook");
    const before = await creations(old, 40);
    const replicas = [replicaWith(second, first), replicaWith(second, first)];
    const limits = { rows: 7, batches: 100 };
    const [counts, ...during] = await Promise.all([
      Promise.all([...replicas, ...replicas].map((replica) => rotateSecrets(replica, limits))),
      creations(old, 20),
      creations(replicas[0]!, 20),
      acceptEvents(old, eventsFor(caller, 20)),
    ]);
    const made = [...before, ...during.filter((one) => Array.isArray(one)).flat()];
    const last = await rotateSecrets(replicas[1]!, ENOUGH);
    expect(last.unusedKeyIds).toEqual(["2026-01"]);
    const resealed = [...counts, last].reduce((sum, { subscriptions }) => sum + subscriptions, 0);
    expect(resealed).toBe(1 + 40 + 20);
    expect(made).toHaveLength(80);
    const without = replicaWith(second);
    for (const one of made) await expectIntact(without, one);
    expect(await countIn(without.db, "deliveries", { subscriptionId: id })).toBe(20);
  });

  test("a row that cannot be opened is logged and left unchanged, and the others are sealed again", async () => {
    const lines: string[] = [];
    const log = createLog({ part: "webhooks", destination: { write: (line: string) => void lines.push(line) } });
    const [moved, ...made] = await creations(replicaWith(first), 4);
    const other = made[0]!;
    await webhooks.db.run(sql`
      UPDATE subscriptions SET secret = (SELECT secret FROM subscriptions WHERE id = ${other.id}) WHERE id = ${moved!.id}`);
    const deps = webhooks.replica({ log, config: { SECRETS_KEYS: [second, first] } });
    expect(await rotateSecrets(deps, { rows: 1, batches: 100 })).toMatchObject({ usedKeyIds: ["2026-01"] });
    const done = await rotateSecrets(deps, ENOUGH);
    expect(done).toMatchObject({ usedKeyIds: ["2026-01"], unusedKeyIds: [] });
    expect(lines.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ level: "error", identity: ["subscription", moved!.id] }),
    );
    for (const one of made) await expectIntact(replicaWith(second), one);
  });

  test("a key that the ring does not hold is named, and a start without it is refused", async () => {
    await creations(replicaWith(first), 1);
    const deps = replicaWith(second);
    expect(await rotateSecrets(deps)).toMatchObject({ subscriptions: 0, missingKeyIds: ["2026-01"] });
    await expect(requireKeys(deps)).rejects.toThrow("encrypted with 2026-01, which is not in SECRETS_KEYS");
    await expect(webhooks.running({ config: { SECRETS_KEYS: [second] } })).rejects.toThrow("2026-01");
    await requireKeys(replicaWith(second, first));
  });
});
