import { patient } from "../testing/carrier-under-test.js";
import { callCarrier, callMsWithin } from "./call-carrier.js";

test("a call may take what the carrier may take, or what the request has left but two seconds, in which the outcome is stored", () => {
  const within = (leftMs: number) => callMsWithin({ ...patient, timeLeftMs: () => leftMs }, 400);
  expect([Number.POSITIVE_INFINITY, 2_401, 2_399, 2_000, 1_999].map(within)).toEqual([400, 400, 399, 0, -1]);
});

test("without time left, the call is not sent", async () => {
  const sent: number[] = [];
  for (const ms of [0, -1]) {
    const call = callCarrier(ms, async () => void sent.push(ms));
    await expect(call).rejects.toThrow("There is no time left to call the carrier.");
  }
  expect(sent).toEqual([]);
});

test("a call that the adapter does not end is aborted when its time is over", async () => {
  let given: AbortSignal | undefined;
  const call = callCarrier(5, ({ signal }) => {
    given = signal;
    return new Promise(() => {});
  });
  await expect(call).rejects.toThrow("The carrier has not answered within 5 ms.");
  expect(given?.reason).toMatchObject({ message: "The carrier has not answered within 5 ms." });
});

test("a call that ends in time leaves no timer behind", async () => {
  jest.useFakeTimers();
  try {
    expect(await callCarrier(1_000, async () => "an answer")).toBe("an answer");
    await expect(callCarrier(1_000, () => Promise.reject(new Error("lost")))).rejects.toThrow("lost");
    expect(jest.getTimerCount()).toBe(0);
  } finally {
    jest.useRealTimers();
  }
});
