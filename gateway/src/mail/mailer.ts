import type { Log } from "@shipping/kit/process/log";
import type { Metrics } from "@shipping/kit/process/metrics";
import { isAddress } from "./address.js";
import type { Deliver, Mail } from "./deliver.js";
import { isFinal, NotAnAddress, reasonOf } from "./mail-failure.js";

/** Sends mails in the background, several times if it must. */
export interface Mailer {
  /** True if emails are sent at all. */
  canSend: boolean;
  /**
   * Queues a mail, or what will write one when its turn comes, or find that there is none to write. Resolves, never rejects, with whether a
   * server took it in the end; nobody has to wait for that.
   */
  send(mail: Mail | WriteMail): Promise<boolean>;
  /**
   * The same, at a random moment of the next second or so, with whatever else waits for that moment: neither an answer nor how busy the
   * process is afterwards tells whether there was a mail to write.
   */
  sendUnseen(write: WriteMail): Promise<boolean>;
  /** Gives what waits one last attempt, and waits for it so long. */
  stop(withinMs?: number): Promise<void>;
}

/** Writes a mail in the background. */
export type WriteMail = () => Promise<Mail | undefined>;

/** Mails that may wait in one process; those beyond are dropped. */
export const MAX_WAITING = 1_000;
const AT_ONCE = 4;
/** After a failure; after the last one, a mail is given up. A link lives 15 minutes. */
const WAITS_MS: readonly number[] = [2_000, 10_000, 60_000, 300_000];
const STOP_MS = 5_000;
/** From an unseen mail to the moment at which it is written: this long, and so much more at random. */
const UNSEEN_MS = { least: 250, spread: 1_000 };

interface Waiting {
  mail: Mail | WriteMail;
  failures: number;
  timer?: NodeJS.Timeout;
  done(sent: boolean): void;
}

interface Options {
  /** Undefined: nothing can be sent. */
  deliver: Deliver | undefined;
  log: Log;
  metrics: Metrics;
  random(bytes: number): Uint8Array;
  waitsMs?: readonly number[];
  mostWaiting?: number;
}

/** A mailer of this process. */
export function createMailer({
  deliver,
  log,
  metrics,
  random,
  waitsMs = WAITS_MS,
  mostWaiting = MAX_WAITING,
}: Options): Mailer {
  const ready: Waiting[] = [];
  const unseen: Waiting[] = [];
  let unseenTimer: NodeJS.Timeout | undefined;
  const all = new Set<Waiting>();
  let underWay = 0;
  let stopping = false;
  let emptied: (() => void) | undefined;
  const count = metrics.counterBy("mails_total", "Emails by result. Each retry is counted.", {
    by: "result",
    values: ["sent", "retried", "failed", "dropped"],
  });
  metrics.gauges({ mails_waiting: "Emails not sent yet." }, () => ({ mails_waiting: all.size }));

  function end(waiting: Waiting, result: "sent" | "failed" | "none"): void {
    if (result !== "none") count(result);
    all.delete(waiting);
    waiting.done(result === "sent");
    if (all.size === 0) emptied?.();
  }

  async function attempt(waiting: Waiting, handOn: Deliver): Promise<void> {
    try {
      const mail = typeof waiting.mail === "function" ? await waiting.mail() : waiting.mail;
      if (!mail) return end(waiting, "none");
      waiting.mail = mail;
      if (!isAddress(mail.to)) throw new NotAnAddress("The recipient is not a single email address.");
      await handOn(mail);
      end(waiting, "sent");
    } catch (error) {
      waiting.failures += 1;
      const waitMs = isFinal(error) || stopping ? undefined : waitsMs[waiting.failures - 1];
      const written = typeof waiting.mail === "function" ? undefined : waiting.mail;
      const said = { ...reasonOf(error, written), failures: waiting.failures };
      if (waitMs === undefined) {
        log.error(said, "email not sent; no more attempts");
        return end(waiting, "failed");
      }
      log.warn({ ...said, again_in_ms: waitMs }, "email not sent yet; it is retried");
      count("retried");
      waiting.timer = setTimeout(() => enqueue(waiting), waitMs);
    }
  }

  function enqueue(waiting: Waiting): void {
    clearTimeout(waiting.timer);
    delete waiting.timer;
    ready.push(waiting);
    next();
  }

  function next(): void {
    if (!deliver || underWay >= AT_ONCE) return;
    const waiting = ready.shift();
    if (!waiting) return;
    underWay += 1;
    void attempt(waiting, deliver).finally(() => {
      underWay -= 1;
      next();
    });
  }

  function showUnseen(): void {
    clearTimeout(unseenTimer);
    unseenTimer = undefined;
    for (const waiting of unseen.splice(0)) enqueue(waiting);
  }

  function accept(mail: Mail | WriteMail, put: (waiting: Waiting) => void): Promise<boolean> {
    if (!deliver || stopping || all.size >= mostWaiting) {
      count("dropped");
      log.warn({ waiting: all.size, can_send: deliver !== undefined }, "email dropped");
      return Promise.resolve(false);
    }
    return new Promise((done) => {
      const waiting = { mail, failures: 0, done };
      all.add(waiting);
      put(waiting);
    });
  }

  return {
    canSend: deliver !== undefined,
    send: (mail) => accept(mail, enqueue),
    sendUnseen: (write) =>
      accept(write, (waiting) => {
        unseen.push(waiting);
        const [byte = 0] = random(1);
        unseenTimer ??= setTimeout(showUnseen, UNSEEN_MS.least + (byte / 255) * UNSEEN_MS.spread);
      }),
    async stop(withinMs = STOP_MS) {
      stopping = true;
      showUnseen();
      for (const waiting of all) if (waiting.timer) enqueue(waiting);
      if (all.size === 0) return;
      const timeout = new Promise<void>((resolve) => setTimeout(resolve, withinMs).unref());
      await Promise.race([timeout, new Promise<void>((resolve) => (emptied = resolve))]);
      if (all.size > 0) log.error({ mails: all.size }, "stopped before all emails were sent");
    },
  };
}
