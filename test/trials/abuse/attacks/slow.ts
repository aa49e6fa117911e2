import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { Attack } from "./attack.js";

const SLOW_BODIES = 200;
const BYTE_EVERY_MS = 1_000;

/** Bodies that arrive byte by byte. */
async function slowBody({ known, stopped, count }: Attack): Promise<void> {
  const { hostname, port, pathname } = new URL(known.baseUrl);
  const open: Socket[] = [];
  for (let body = 0; body < SLOW_BODIES; body++) {
    const socket = connect(Number(port), hostname);
    socket.on("error", () => {});
    socket.on("close", () => stopped.aborted || count("closed"));
    socket.on("data", () => count("answered"));
    const key = known.keys[body % known.keys.length];
    socket.write(
      `POST ${pathname}/shipments HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${key}\r\n` +
        `Idempotency-Key: slow-${body}\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n`,
    );
    open.push(socket);
    count("opened");
  }
  const dripping = setInterval(() => {
    for (const socket of open) if (socket.writable) socket.write(" ");
  }, BYTE_EVERY_MS);
  if (!stopped.aborted) await once(stopped, "abort");
  clearInterval(dripping);
  for (const socket of open) socket.destroy();
}

export const slowAttacks = { "slow-body": slowBody };
