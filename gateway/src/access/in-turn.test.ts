import { failureIn } from "@shipping/kit/errors";
import { eventually } from "@shipping/kit/testing/eventually";
import { createTurns } from "./in-turn.js";

const context = (ms?: number) => ({ timeoutMs: () => ms, signal: new AbortController().signal });

/** Calls that last until they are ended. */
function heldCalls() {
  const inTurn = createTurns();
  const ends: (() => void)[] = [];
  let underWay = 0;
  let most = 0;
  const call = inTurn(async (_: { accountId: string }) => {
    underWay++;
    most = Math.max(most, underWay);
    await new Promise<void>((resolve) => ends.push(resolve));
    underWay--;
  });
  return { call, ends, underWay: () => underWay, most: () => most };
}

test("sixteen calls are executed at once, eight of an account; the others wait for their turn", async () => {
  const { call, ends, underWay, most } = heldCalls();
  const calls = Array.from({ length: 40 }, (_, n) =>
    call({ accountId: n < 20 ? "acc_a" : `acc_${n}` }, context(60_000)),
  );
  await eventually(() => expect(underWay()).toBe(16));
  let ended = 0;
  await eventually(() => {
    for (const end of ends.splice(0)) {
      ended++;
      end();
    }
    expect(ended).toBe(40);
  });
  await Promise.all(calls);
  expect(most()).toBe(16);
});

test("an account's calls leave turns for those of others", async () => {
  const { call, ends, underWay } = heldCalls();
  const many = Array.from({ length: 20 }, () => call({ accountId: "acc_a" }, context(60_000)));
  await eventually(() => expect(underWay()).toBe(8));
  const other = call({ accountId: "acc_b" }, context(60_000));
  await eventually(() => expect(underWay()).toBe(9));
  await eventually(() => {
    for (const end of ends.splice(0)) end();
    expect(underWay()).toBe(0);
  });
  await Promise.all([...many, other]);
});

test("a call that has had no turn at its deadline is refused with 503, and a failed one gives back its turn", async () => {
  const { call, ends, underWay } = heldCalls();
  const held = Array.from({ length: 8 }, () => call({ accountId: "acc_a" }, context(60_000)));
  await eventually(() => expect(underWay()).toBe(8));
  const refusal = await call({ accountId: "acc_a" }, context(20)).catch((error: unknown) => failureIn(error));
  expect(refusal).toMatchObject({ code: "service_unavailable" });
  for (const end of ends.splice(0)) end();
  await Promise.all(held);

  const failing = createTurns()(async () => {
    throw new Error("lost");
  });
  for (let n = 0; n < 20; n++) await expect(failing({ accountId: "acc_a" }, context(1_000))).rejects.toThrow("lost");
});

test("with 200 calls waiting, further ones are refused at once", async () => {
  const { call, ends, underWay } = heldCalls();
  const calls = Array.from({ length: 8 }, () => call({ accountId: "acc_a" }, context(60_000)));
  await eventually(() => expect(underWay()).toBe(8));
  for (let n = 0; n < 200; n++) calls.push(call({ accountId: "acc_a" }, context(60_000)));
  const refusal = await call({ accountId: "acc_b" }, context(60_000)).catch((error: unknown) => failureIn(error));
  expect(refusal).toMatchObject({ code: "service_unavailable" });
  let ended = 0;
  await eventually(() => {
    for (const end of ends.splice(0)) {
      ended++;
      end();
    }
    expect(ended).toBe(208);
  });
  await Promise.all(calls);
});

test("50 calls begin at once, and 50 in each second after them", async () => {
  jest.useFakeTimers();
  try {
    const call = createTurns()(async () => undefined);
    let begun = 0;
    const caller = async () => {
      for (;;) {
        await call({}, context(60_000));
        begun++;
      }
    };
    void caller();
    await jest.advanceTimersByTimeAsync(0);
    expect(begun).toBe(50);
    await jest.advanceTimersByTimeAsync(3_000);
    expect(begun).toBe(200);
  } finally {
    jest.useRealTimers();
  }
});
