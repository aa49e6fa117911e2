import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

export type VerifyingReceiver = Awaited<ReturnType<typeof openVerifyingReceiver>>;

const RECEIVER = fileURLToPath(new URL("run-receiver.ts", import.meta.url));

/** A receiver in a process of its own, so that attacks on it do not delay the process that measures the platform. */
export async function openVerifyingReceiver() {
  // By their resource, with the receipt time of the first in `performance.now()`, before its verification.
  const arrivals = new Map<string, number>();
  const receiver = fork(RECEIVER);
  const [url] = await once(receiver, "message");
  receiver.on("message", ([id, receivedMs]: [string, number]) => {
    if (!arrivals.has(id)) arrivals.set(id, receivedMs - performance.timeOrigin);
  });
  return {
    url: url as string,
    arrivals,
    /** Sets the secrets of the subscriptions, by the last segment of their URLs. */
    verifyWith: (secrets: readonly string[]) => void receiver.send(secrets),
    close: () => receiver.disconnect(),
  };
}
