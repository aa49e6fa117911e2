import { openDatabase } from "@shipping/kit/postgres/database";
import { silentLog } from "@shipping/kit/process/log";
import { CONNECT_MS } from "@shipping/kit/testing/database";
import { newCaller } from "@shipping/kit/testing/writes";
import { gatewayDatabase } from "../testing/gateway-database.js";
import { fingerprintOf } from "../testing/idempotency-under-test.js";
import { createDoneMarks, type DoneMark, markDone } from "./mark-done.js";
import { claimKey, peekKey, type RegistryRequest } from "./registry.js";

let gateway: Awaited<ReturnType<typeof gatewayDatabase>>;
beforeAll(async () => {
  gateway = await gatewayDatabase();
});
afterAll(() => gateway.drop());

const deps = () => ({ db: gateway.db, clockOffsetMs: 0, log: silentLog() });
const stateOf = async (mark: DoneMark) => (await peekKey(deps(), mark))?.state;

/** Claims this many keys for a new caller, and returns the marks for them. */
async function claimKeys(count: number): Promise<DoneMark[]> {
  const caller = newCaller();
  const marks = Array.from({ length: count }, async (_, number) => {
    const request: RegistryRequest = {
      caller,
      idempotencyKey: `${number}`,
      fingerprint: fingerprintOf("A"),
      owner: "records",
    };
    return { ...request, token: (await claimKey(deps(), request))! };
  });
  return Promise.all(marks);
}

describe("markDone", () => {
  test("a claim is done from then on, with the fingerprint of its result", async () => {
    const [mark] = (await claimKeys(1)) as [DoneMark];
    await markDone(deps(), [{ ...mark, fingerprint: fingerprintOf("B") }]);
    expect(await peekKey(deps(), mark)).toEqual({
      fingerprint: fingerprintOf("B"),
      owner: "records",
      state: "done",
      token: mark.token,
      attempts: 1,
      leaseLive: false,
    });
  });

  test("a claim that was taken over, is done already or is gone stays as it is", async () => {
    const [taken, done] = (await claimKeys(2)) as [DoneMark, DoneMark];
    const gone = { ...taken, idempotencyKey: "gone" };
    await markDone(deps(), [done]);
    await markDone(deps(), [{ ...taken, token: taken.token - 1n }, { ...done, fingerprint: fingerprintOf("B") }, gone]);
    expect(await stateOf(taken)).toBe("claimed");
    expect(await peekKey(deps(), done)).toMatchObject({ fingerprint: fingerprintOf("A") });
    expect(await stateOf(gone)).toBeUndefined();
  });

  test("two gateways with the same keys in opposite order do not deadlock", async () => {
    for (let round = 0; round < 10; round++) {
      const marks = await claimKeys(50);
      await Promise.all([marks, marks.toReversed(), marks, marks.toReversed()].map((batch) => markDone(deps(), batch)));
      expect(await Promise.all(marks.map(stateOf))).toEqual(marks.map(() => "done"));
    }
  });
});

describe("createDoneMarks", () => {
  test("writes every mark, several batches of them too, before flush resolves", async () => {
    const marks = await claimKeys(600);
    const done = createDoneMarks(deps());
    for (const mark of marks) done.mark(mark);
    await done.flush();
    expect(await Promise.all(marks.map(stateOf))).toEqual(marks.map(() => "done"));
    await done.flush();
  });

  test("marks that cannot be written are given up, and the next ones are tried again", async () => {
    const [lost] = (await claimKeys(1)) as [DoneMark];
    const closed = openDatabase(gateway.url, { connectMs: CONNECT_MS, log: silentLog() });
    await closed.close();
    const done = createDoneMarks({ ...deps(), db: closed });
    done.mark(lost);
    await done.flush();
    done.mark(lost);
    await done.flush();
    expect(await stateOf(lost)).toBe("claimed");
  });
});
