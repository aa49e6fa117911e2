import { setMaxListeners } from "node:events";
import { Pool } from "undici";
import type { Attack } from "./attack.js";

/** A request of an attacker, at the gateway unless told otherwise. */
export interface Blow {
  method?: "GET" | "POST";
  path: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

/** Sends requests on this many connections, one after the other on each, until it is stopped or has sent the most. Counts the statuses. */
export async function hammer(
  { known, stopped, count }: Attack,
  options: { connections: number; most?: number; origin?: string; localAddress?: string; next(turn: number): Blow },
): Promise<void> {
  const {
    connections,
    most = Number.POSITIVE_INFINITY,
    origin = new URL(known.baseUrl).origin,
    localAddress,
  } = options;
  const pool = new Pool(origin, { connections, connect: localAddress ? { localAddress } : {} });
  let turn = 0;
  // One for each open request.
  setMaxListeners(0, stopped);

  async function connection(): Promise<void> {
    while (!stopped.aborted && turn < most) {
      const { method = "GET", path, headers = {}, body = null } = options.next(turn++);
      try {
        const response = await pool.request({ method, path, headers, body, signal: stopped });
        await response.body.dump({ limit: Number.MAX_SAFE_INTEGER, signal: stopped });
        count(String(response.statusCode));
      } catch (error) {
        if (!stopped.aborted) count((error as NodeJS.ErrnoException).code ?? "error");
      }
    }
  }

  await Promise.all(Array.from({ length: connections }, connection));
  await pool.destroy();
}
