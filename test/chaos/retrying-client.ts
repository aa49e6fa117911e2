import { request } from "undici";

/** A definite answer, how many times the request was sent for it, and what came before: statuses, or "none" for no answer. */
export interface Definite {
  status: number;
  text: string;
  replayed: boolean;
  sent: number;
  indefinite: string[];
}

/** A write as a careful customer makes it. */
export interface Write {
  method: "POST" | "DELETE";
  path: string;
  key: string;
  idempotencyKey: string;
  body?: unknown;
}

const GIVE_UP_MS = 90_000;
const ATTEMPT_MS = 12_000;
const LONGEST_PAUSE_MS = 500;

/** Sends a write to any gateway, with the same key again and again, until it gets a definite answer: no lost connection, no 5xx, no "in progress". */
export async function untilDefinite(gateways: readonly string[], write: Write): Promise<Definite> {
  const deadline = Date.now() + GIVE_UP_MS;
  const indefinite: string[] = [];
  for (let sent = 1; ; sent++) {
    const answer = await send(gateways[Math.floor(Math.random() * gateways.length)] ?? "", write).catch(
      () => undefined,
    );
    if (answer && isDefinite(answer)) return { ...answer, sent, indefinite };
    indefinite.push(String(answer?.status ?? "none"));
    if (Date.now() > deadline) throw new Error(`No definite answer to ${write.path}: ${JSON.stringify(answer)}`);
    const pauseMs = Math.random() * Math.min(LONGEST_PAUSE_MS, 20 * 2 ** sent);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

function isDefinite({ status, text }: Omit<Definite, "sent" | "indefinite">): boolean {
  return status < 500 && !(status === 409 && text.includes("idempotency_in_progress"));
}

async function send(
  gateway: string,
  { method, path, key, idempotencyKey, body }: Write,
): Promise<Omit<Definite, "sent" | "indefinite">> {
  const response = await request(`${gateway}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      "idempotency-key": idempotencyKey,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    body: body === undefined ? null : JSON.stringify(body),
    headersTimeout: ATTEMPT_MS,
    bodyTimeout: ATTEMPT_MS,
  });
  const text = await response.body.text();
  return { status: response.statusCode, text, replayed: response.headers["idempotency-replayed"] === "true" };
}
