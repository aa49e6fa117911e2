import { type Answer, type Sending, send } from "../kit/send.js";

/** A definite response, the number of attempts, and the outcomes before it: statuses, or "none" for no response. */
export interface Definite extends Pick<Answer, "status" | "text" | "replayed"> {
  sent: number;
  indefinite: string[];
}

/** One request of a write: its time, its duration, and its status (0 without a response). */
export interface Attempt {
  path: string;
  atMs: number;
  tookMs: number;
  status: number;
  retryAfter: string | undefined;
}

/** A write as a careful customer makes it. */
export interface Write extends Sending {
  method: "POST" | "DELETE";
  idempotencyKey: string;
}

const GIVE_UP_MS = 90_000;
const MAX_PAUSE_MS = 500;

/** Sends a write to any gateway, with the same key, until it gets a definite response: no lost connection, no 5xx, no "in progress". */
export async function untilDefinite(
  gateways: readonly string[],
  write: Write,
  attempted: (attempt: Attempt) => void = () => {},
): Promise<Definite> {
  const deadline = Date.now() + GIVE_UP_MS;
  const indefinite: string[] = [];
  for (let sent = 1; ; sent++) {
    const atMs = performance.now();
    const answer = await send(gateways[Math.floor(Math.random() * gateways.length)] ?? "", write).catch(
      () => undefined,
    );
    const { status = 0, retryAfter } = answer ?? {};
    attempted({ path: write.path, atMs, tookMs: performance.now() - atMs, status, retryAfter });
    if (answer && isDefinite(answer)) return { ...answer, sent, indefinite };
    indefinite.push(String(answer?.status ?? "none"));
    if (Date.now() > deadline) throw new Error(`No definite answer to ${write.path}: ${JSON.stringify(answer)}`);
    const pauseMs = Math.random() * Math.min(MAX_PAUSE_MS, 20 * 2 ** sent);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

function isDefinite({ status, text }: Answer): boolean {
  return status < 500 && !(status === 409 && text.includes("idempotency_in_progress"));
}
