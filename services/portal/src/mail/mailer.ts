import type { Log } from "@shipping/kit/process/log";
import type { Metrics } from "@shipping/kit/process/metrics";
import { isAddress } from "./address.js";
import type { Deliver, Mail } from "./deliver.js";

/**
 * Sends emails in the background. Sign-in links, which anyone can request, have a separate queue: they wait until all other emails are sent, and take
 * no space from them.
 */
export interface Mailer {
  canSend: boolean;
  /** Whether `send` would drop an email now. */
  isFull(): boolean;
  /**
   * Queues an email, or a function that writes one when its turn comes (or finds that none is needed). Resolves, never rejects, with whether a server
   * accepted it. Callers need not wait.
   */
  send(mail: Mail | WriteMail): Promise<boolean>;
  /**
   * Queues a sign-in link, after a random delay of about a second, together with all others that wait by then. Neither the response time nor the load
   * afterwards reveals whether an email was written, and so whether the email address belongs to a member.
   */
  sendUnseen(write: WriteMail): Promise<boolean>;
  /** Makes one last attempt for each waiting email, within this time. */
  stop(withinMs?: number): Promise<void>;
}

type WriteMail = () => Promise<Mail | undefined>;

/** The most emails of a queue that can wait in one process. More are dropped. */
export const MAX_WAITING = 1_000;
const MAX_CONCURRENT = 4;
/** The wait after each failure. After one failure more, the email is dropped. Sign-in links expire after 15 minutes. */
const WAITS_MS: readonly number[] = [2_000, 10_000, 60_000, 300_000];
const STOP_MS = 5_000;
/** The delay of `sendUnseen`: at least this, plus a random part. */
const UNSEEN_DELAY_MS = { min: 250, random: 1_000 };

interface Waiting {
  queue: Queue;
  mail: Mail | WriteMail;
  failures: number;
  timer?: NodeJS.Timeout;
  done(sent: boolean): void;
}

/** Emails that wait for their turn. `size` also counts those in progress and those that wait for a retry. */
interface Queue {
  ready: Waiting[];
  size: number;
}

interface Options {
  deliver: Deliver | undefined;
  log: Log;
  metrics: Metrics;
  random(bytes: number): Uint8Array;
  waitsMs?: readonly number[];
  maxWaiting?: number;
}

export function createMailer(options: Options): Mailer {
  const { deliver, log, metrics, random, waitsMs = WAITS_MS, maxWaiting = MAX_WAITING } = options;
  const [first, links]: [Queue, Queue] = [
    { ready: [], size: 0 },
    { ready: [], size: 0 },
  ];
  const unseen: Waiting[] = [];
  let unseenTimer: NodeJS.Timeout | undefined;
  const all = new Set<Waiting>();
  let inFlight = 0;
  let stopping = false;
  let emptied: (() => void) | undefined;
  const count = metrics.counterBy("mails_total", "Emails by result. Each retry is counted.", {
    by: "result",
    values: ["sent", "retried", "failed", "refused", "dropped"],
  });
  metrics.gauges({ mails_waiting: "Emails not sent yet." }, () => ({ mails_waiting: all.size }));

  function end(waiting: Waiting, result: "sent" | "failed" | "refused" | "none"): void {
    if (result !== "none") count(result);
    if (all.delete(waiting)) waiting.queue.size -= 1;
    waiting.done(result === "sent");
    if (all.size === 0) emptied?.();
  }

  async function attempt(waiting: Waiting, deliverOnce: Deliver): Promise<void> {
    try {
      const mail = typeof waiting.mail === "function" ? await waiting.mail() : waiting.mail;
      if (!mail) return end(waiting, "none");
      waiting.mail = mail;
      if (!isAddress(mail.to)) throw new NotAnAddress("The recipient is not a single email address.");
      await deliverOnce(mail);
      end(waiting, "sent");
    } catch (error) {
      waiting.failures += 1;
      const retryInMs = isFinal(error) || stopping ? undefined : waitsMs[waiting.failures - 1];
      const written = typeof waiting.mail === "function" ? undefined : waiting.mail;
      const details = { ...describeFailure(error, written), failures: waiting.failures };
      if (retryInMs === undefined) {
        log.error(details, "email not sent; no more attempts");
        return end(waiting, isRecipientRefused(error) ? "refused" : "failed");
      }
      log.warn({ ...details, again_in_ms: retryInMs }, "email not sent yet; it is retried");
      count("retried");
      waiting.timer = setTimeout(() => enqueue(waiting), retryInMs);
    }
  }

  function enqueue(waiting: Waiting): void {
    clearTimeout(waiting.timer);
    delete waiting.timer;
    waiting.queue.ready.push(waiting);
    next();
  }

  function next(): void {
    if (!deliver || inFlight >= MAX_CONCURRENT) return;
    const waiting = first.ready.shift() ?? links.ready.shift();
    if (!waiting) return;
    inFlight += 1;
    void attempt(waiting, deliver).finally(() => {
      inFlight -= 1;
      next();
    });
  }

  function enqueueUnseen(): void {
    clearTimeout(unseenTimer);
    unseenTimer = undefined;
    for (const waiting of unseen.splice(0)) enqueue(waiting);
  }

  const isFull = (queue: Queue) => !deliver || stopping || queue.size >= maxWaiting;

  function accept(queue: Queue, mail: Mail | WriteMail, put: (waiting: Waiting) => void): Promise<boolean> {
    if (isFull(queue)) {
      count("dropped");
      log.warn({ waiting: all.size, can_send: deliver !== undefined }, "email dropped");
      return Promise.resolve(false);
    }
    return new Promise((done) => {
      const waiting = { queue, mail, failures: 0, done };
      queue.size += 1;
      all.add(waiting);
      put(waiting);
    });
  }

  return {
    canSend: deliver !== undefined,
    isFull: () => isFull(first),
    send: (mail) => accept(first, mail, enqueue),
    sendUnseen: (write) =>
      accept(links, write, (waiting) => {
        unseen.push(waiting);
        const [byte = 0] = random(1);
        unseenTimer ??= setTimeout(enqueueUnseen, UNSEEN_DELAY_MS.min + (byte / 255) * UNSEEN_DELAY_MS.random);
      }),
    async stop(withinMs = STOP_MS) {
      stopping = true;
      enqueueUnseen();
      for (const waiting of all) if (waiting.timer) enqueue(waiting);
      if (all.size === 0) return;
      const timeout = new Promise<void>((resolve) => setTimeout(resolve, withinMs).unref());
      await Promise.race([timeout, new Promise<void>((resolve) => (emptied = resolve))]);
      if (all.size === 0) return;
      log.error({ mails: all.size }, "stopped before all emails were sent");
      for (const _ of all) count("dropped");
    },
  };
}

class NotAnAddress extends Error {
  override readonly name = "NotAnAddress";
}

/** True if a server does not know the recipient, or the recipient is not an email address. An operator cannot fix this. */
function isRecipientRefused(error: unknown): boolean {
  return error instanceof NotAnAddress || (isFinal(error) && (error as { command?: unknown }).command === "RCPT TO");
}

/** True if a retry cannot help (RFC 5321, 4.2.1), for instance after a wrong password. */
function isFinal(error: unknown): boolean {
  if (error instanceof NotAnAddress) return true;
  const { responseCode } = error as { responseCode?: unknown };
  return typeof responseCode === "number" && responseCode >= 500;
}

/** Describes a failure for the log. A server's reply can repeat what it was sent, so links and email addresses are removed. */
function describeFailure(error: unknown, mail: Mail | undefined): Record<string, unknown> {
  const { code, responseCode, message } = error as { code?: unknown; responseCode?: unknown; message?: unknown };
  const reason = String(message)
    .replaceAll(mail?.to || "[address]", "[address]")
    .replace(/https?:\/\/\S*/g, "[link]")
    .slice(0, 300);
  return { code, response_code: responseCode, reason };
}
