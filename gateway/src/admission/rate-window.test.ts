import { openDatabase } from "@shipping/kit/postgres/database";
import { silentLog } from "@shipping/kit/process/log";
import { CONNECT_MS } from "@shipping/kit/testing/database";
import { runs } from "@shipping/kit/testing/runs";
import fc from "fast-check";
import { gatewayDatabase } from "../testing/gateway-database.js";
import { type AdmitDeps, createAdmit } from "./admit.js";

let gateway: Awaited<ReturnType<typeof gatewayDatabase>>;
beforeAll(async () => {
  gateway = await gatewayDatabase();
});
afterAll(() => gateway.drop());

const at = (seconds: number, requestsPerMinute = 120): AdmitDeps => ({
  db: gateway.db,
  requestsPerMinute,
  clockOffsetMs: seconds * 1_000,
});

const admit = (deps: AdmitDeps, keyHash: Buffer) => createAdmit(deps)({ keyHash });

const times = <T>(count: number, work: () => Promise<T>) => Promise.all(Array.from({ length: count }, work));

/** Sends this many requests at once, and returns how many are admitted. */
async function admitted(count: number, deps: AdmitDeps, hash: Buffer): Promise<number> {
  const admissions = await times(count, () => admit(deps, hash));
  return admissions.filter((admission) => admission?.within).length;
}

describe("the rate window", () => {
  test("of 50 requests at once over three gateways exactly 30 pass, if 30 are allowed", async () => {
    const { hash } = await gateway.newKey();
    const pools = [1, 2, 3].map(() => openDatabase(gateway.url, { connectMs: CONNECT_MS, log: silentLog() }));
    const gateways = pools.map((db) => createAdmit({ ...at(0, 30), db }));
    let turn = 0;
    const admissions = await times(50, () => gateways[turn++ % 3]!({ keyHash: hash }));
    expect(admissions.filter((admission) => admission?.within)).toHaveLength(30);
    expect(new Set(admissions.map((admission) => admission?.remaining))).toEqual(new Set(Array(30).keys()));
    await Promise.all(pools.map((pool) => pool.close()));
  });

  test("requests of many keys of an account that wait together get an answer each: within, refused or unknown", async () => {
    const { accountId } = await gateway.newKey();
    const keys = await times(5, () => gateway.newKey({ accountId }));
    const admitTogether = createAdmit(at(0, 2));
    const hashes = [...keys, ...keys, ...keys].map(({ hash }) => hash).concat([Buffer.alloc(32)]);
    const admissions = await Promise.all(hashes.map((keyHash) => admitTogether({ keyHash })));
    expect(admissions.at(-1)).toBeUndefined();
    for (const key of keys) {
      const own = admissions.filter((admission) => admission?.keyId === key.id);
      // Two statements may be running, so it is open which of the key's three requests is refused.
      expect(own.filter((admission) => admission?.within)).toHaveLength(2);
      expect(own).toHaveLength(3);
    }
  });

  test("slides: what was counted leaves after 61 seconds, and not before", async () => {
    const { hash } = await gateway.newKey();
    expect(await admitted(70, at(0), hash)).toBe(70);
    expect(await admitted(70, at(30), hash)).toBe(50);
    expect(await admitted(5, at(55), hash)).toBe(0);
    expect(await admitted(80, at(62), hash)).toBe(70);
    expect(await admitted(80, at(95), hash)).toBe(50);
  });

  test("sixty seconds after the limit was reached, however early in its second, requests are admitted, also if some were refused meanwhile", async () => {
    // At this offset, the last request of the burst has almost a full second of its counter before it.
    const untilNextSecond = (1_000 - (Date.now() % 1_000)) / 1_000;
    const { hash } = await gateway.newKey();
    expect(await admitted(5, at(untilNextSecond, 3), hash)).toBe(3);
    expect(await admitted(1, at(untilNextSecond + 30, 3), hash)).toBe(0);
    expect(await admitted(5, at(untilNextSecond + 60, 3), hash)).toBe(3);
  });

  test("is each key's own, also among those of one account", async () => {
    const first = await gateway.newKey();
    const second = await gateway.newKey({ accountId: first.accountId });
    for (const { hash } of [first, second]) expect(await admitted(5, at(0, 3), hash)).toBe(3);
  });

  test("tells what is left, and when the oldest counted request leaves", async () => {
    const { hash } = await gateway.newKey();
    await admit(at(0, 3), hash);
    expect(await admit(at(10, 3), hash)).toMatchObject({ within: true, remaining: 1 });
    expect(await admit(at(20, 3), hash)).toMatchObject({ within: true, remaining: 0 });
    const refused = await admit(at(30, 3), hash);
    expect(refused).toMatchObject({ within: false, remaining: 0 });
    // The plan may have become smaller meanwhile.
    expect(await admit(at(30, 1), hash)).toMatchObject({ within: false, remaining: 0 });
    // A second may end between these requests.
    expect(refused?.resetSeconds).toBeGreaterThan(25);
    expect(refused?.resetSeconds).toBeLessThanOrEqual(31);
  });

  test("a clock that is set back never admits more, nor locks a key out for longer than a window", async () => {
    const { hash } = await gateway.newKey();
    expect(await admitted(5, at(3_600, 3), hash)).toBe(3);
    expect(await admitted(5, at(3_590, 3), hash)).toBe(0);
    expect(await admitted(5, at(0, 3), hash)).toBe(0);
    expect(await admitted(5, at(62, 3), hash)).toBe(3);
  });

  test("requests that a clock set back by up to 61 seconds admits are counted in the latest second", async () => {
    const { hash } = await gateway.newKey();
    expect(await admitted(5, at(3_600, 3), hash)).toBe(3);
    expect(await admitted(5, at(3_539, 3), hash)).toBe(0);
    expect(await admitted(5, at(3_600, 3), hash)).toBe(0);
  });

  test("sixty seconds without a request are counted from the latest one, although the clock was set back after it", async () => {
    const { hash } = await gateway.newKey();
    expect(await admitted(2, at(30, 3), hash)).toBe(2);
    expect(await admitted(1, at(0, 3), hash)).toBe(1);
    expect(await admitted(5, at(61, 3), hash)).toBe(0);
  });

  test("never admits more than the limit in any 60 s, never refuses while the last 61 s held fewer or the last 60 s none", async () => {
    const waitMs = fc.oneof(fc.integer({ min: 0, max: 25_000 }), fc.integer({ min: 58_000, max: 61_500 }));
    const step = fc.record({ waitMs, requests: fc.integer({ min: 1, max: 5 }) });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 6 }), fc.array(step, { maxLength: 25 }), async (limit, steps) => {
        const { hash } = await gateway.newKey();
        // For each admission, only the moments before and after it are known.
        const counted: { from: number; to: number }[] = [];
        let offsetMs = 0;
        for (const { waitMs, requests } of steps) {
          offsetMs += waitMs;
          for (let request = 0; request < requests; request++) {
            const from = Date.now() + offsetMs;
            const admission = await admit({ ...at(0, limit), clockOffsetMs: offsetMs }, hash);
            const to = Date.now() + offsetMs + 1;
            if (admission?.within) {
              counted.push({ from, to });
              expect(counted.filter((each) => to - each.from < 60_000).length).toBeLessThanOrEqual(limit);
            } else {
              expect(counted.filter((each) => from - each.to <= 61_000).length).toBeGreaterThanOrEqual(limit);
              expect(counted.filter((each) => from - each.to < 60_000)).not.toEqual([]);
            }
            expect(admission?.resetSeconds).toBeGreaterThanOrEqual(1);
            expect(admission?.resetSeconds).toBeLessThanOrEqual(60);
          }
        }
      }),
      { numRuns: runs(8) },
    );
  });
});
