import { setTimeout as wait } from "node:timers/promises";
import { startLoop } from "@shipping/kit/process/loop";
import type { Metrics } from "@shipping/kit/process/metrics";
import type { PortalDeps } from "../database/deps.js";
import { isAddress } from "./address.js";
import type { Deliver, Mail } from "./deliver.js";
import { claimMails, endMail, LEASE_MS, type MailKind, measureMails, postponeMail, type WaitingMail } from "./mails.js";

/** Writes an email when its turn comes, or finds that none is needed. */
export type MailWriter = (waiting: WaitingMail) => Promise<Mail | undefined>;

export interface SendDeps extends Pick<PortalDeps, "db" | "clockOffsetMs" | "random" | "log"> {
  deliver: Deliver;
  writers: Readonly<Record<MailKind, MailWriter>>;
  count(result: Result): void;
}

/** The longest time until a process without work looks for some. */
const EVERY_MS = 1_000;
const MAX_CONCURRENT = 4;
const ATTEMPT_MS = LEASE_MS - 15_000;
const FIRST_WAIT_MS = 2_000;
const WAIT_GROWTH = 1.5;
const MAX_WAIT_MS = 3_600_000;
const STOP_MS = 5_000;
const FAST_STOP_MS = 500;

const RESULTS = ["sent", "retried", "failed", "refused"] as const;
type Result = (typeof RESULTS)[number];

/** Sends emails in the background. Stopping waits a few seconds for the attempts under way, and leaves all else to another process. */
export function sendMails(deps: Omit<SendDeps, "count"> & { metrics: Metrics }): {
  stop(fast?: boolean): Promise<void>;
} {
  const { metrics, log } = deps;
  const count = metrics.counterBy("mails_total", "Emails by result. Each retry is counted.", {
    by: "result",
    values: RESULTS,
  });
  measureMails(metrics, deps);
  const once = (isStopping: () => boolean) => sendMailsOnce({ ...deps, count }, isStopping);
  const loop = startLoop({ name: "send-mails", everyMs: EVERY_MS, log, once });
  return {
    stop: (fast) => Promise.race([loop.stop(), wait(fast ? FAST_STOP_MS : STOP_MS, undefined, { ref: false })]),
  };
}

/**
 * Attempts emails until none is due. The leased emails of a killed process are due again when their leases end, so none is lost. An email is sent
 * twice only if its process was killed, or lost its database, between the mail server's answer and the deletion of the row.
 */
export async function sendMailsOnce(deps: SendDeps, isStopping = () => false): Promise<void> {
  while (!isStopping()) {
    const claimed = await claimMails(deps, MAX_CONCURRENT);
    if (claimed.length === 0) return;
    await Promise.all(claimed.map((waiting) => attemptMail(deps, waiting)));
  }
}

async function attemptMail(deps: SendDeps, waiting: WaitingMail): Promise<void> {
  const result = await writeAndDeliver(deps, waiting);
  if (result) deps.count(result);
  try {
    if (result === "retried") await postponeMail(deps, waiting, waitMs(waiting.attempts, deps.random));
    else await endMail(deps, waiting, result && (result === "sent" ? "sent" : "failed"));
  } catch (err) {
    deps.log.warn({ err, mail: waiting.id, result }, "the outcome of an email was not stored; it is attempted again");
  }
}

/** Returns undefined if no email is needed. */
async function writeAndDeliver(deps: SendDeps, waiting: WaitingMail): Promise<Result | undefined> {
  const { id, kind, recipient, attempts } = waiting;
  try {
    if (waiting.isExpired) throw new GivenUp("failed", "The email has expired.");
    if (!isAddress(recipient)) throw new GivenUp("refused", "The recipient is not a single email address.");
    const mail = await deps.writers[kind](waiting);
    if (!mail) return undefined;
    const late = wait(ATTEMPT_MS, "late", { ref: false });
    if ((await Promise.race([deps.deliver(mail), late])) === "late") throw new Error("The mail server took too long.");
    return "sent";
  } catch (error) {
    const result = resultOf(error);
    const details = { mail: id, kind, attempts, ...describeFailure(error, recipient) };
    if (result === "retried") deps.log.warn(details, "email not sent yet; it is retried");
    else deps.log.error(details, "email not sent; no more attempts");
    return result;
  }
}

class GivenUp extends Error {
  constructor(
    readonly result: "failed" | "refused",
    message: string,
  ) {
    super(message);
  }
}

/**
 * The result of a failed attempt. A retry cannot help if the server has permanently refused the recipient or the content (RFC 5321, 4.2.1). After another
 * refusal, such as that of a wrong password, the email waits until an operator has fixed the cause.
 */
function resultOf(error: unknown): "retried" | "failed" | "refused" {
  if (error instanceof GivenUp) return error.result;
  const { responseCode, command } = error as { responseCode?: unknown; command?: unknown };
  if (typeof responseCode !== "number" || responseCode < 500) return "retried";
  return command === "RCPT TO" ? "refused" : command === "DATA" ? "failed" : "retried";
}

/** The wait after a failed attempt. It grows, and varies by a quarter, so that emails that failed together are not retried together. */
function waitMs(attempts: number, random: PortalDeps["random"]): number {
  const [byte = 0] = random(1);
  return Math.min(FIRST_WAIT_MS * WAIT_GROWTH ** (attempts - 1), MAX_WAIT_MS) * (0.75 + byte / 510);
}

/** Describes a failure for the log. A server's reply can repeat what it was sent, so links and email addresses are removed. */
function describeFailure(error: unknown, recipient: string): Record<string, unknown> {
  const { code, responseCode, message } = error as { code?: unknown; responseCode?: unknown; message?: unknown };
  const reason = String(message)
    .replaceAll(recipient, "[address]")
    .replace(/https?:\/\/\S*/g, "[link]")
    .slice(0, 300);
  return { code, response_code: responseCode, reason };
}
