import { request } from "undici";

/** A request of a customer. */
export interface Sending {
  method: "GET" | "POST" | "DELETE";
  /** The path below a gateway's `/api/v1`. */
  path: string;
  key: string;
  idempotencyKey?: string | undefined;
  body?: unknown;
}

/** The response, its bytes as text; of a file only that it came. */
export interface Answer {
  status: number;
  text: string;
  replayed: boolean;
  retryAfter: string | undefined;
}

const TIMEOUT_MS = 12_000;

/** Sends a request once. Rejects if there is no response in time. */
export async function send(gateway: string, { method, path, key, idempotencyKey, body }: Sending): Promise<Answer> {
  const response = await request(`${gateway}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    body: body === undefined ? null : JSON.stringify(body),
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
  });
  const text = await response.body.text();
  const { "content-type": type, "idempotency-replayed": replayed, "retry-after": retryAfter } = response.headers;
  return {
    status: response.statusCode,
    text: type?.includes("pdf") ? "" : text,
    replayed: replayed === "true",
    retryAfter: retryAfter?.toString(),
  };
}
