import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { Attack } from "./attack.js";
import { hammer } from "./hammer.js";
import { largeRecord } from "./heavy.js";

const SLOW_BODIES = 200;
const BYTE_EVERY_MS = 1_000;
const READERS = 100;
const LARGE_RECORDS = 100;

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

/** Lists of large records, whose answers nobody reads. */
async function slowReader(attack: Attack): Promise<void> {
  const { known, stopped, count } = attack;
  await fill(attack);
  const { hostname, port, pathname } = new URL(known.baseUrl);
  const open: Socket[] = [];
  while (!stopped.aborted) {
    for (let turn = 0; open.length < READERS; turn++) {
      const socket = connect(Number(port), hostname).pause();
      socket.on("error", () => {});
      socket.on("close", () => {
        open.splice(open.indexOf(socket), 1);
        if (!stopped.aborted) count("closed");
      });
      const key = known.keys[turn % known.keys.length];
      socket.write(
        `GET ${pathname}/shipments?limit=100 HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${key}\r\n\r\n`,
      );
      open.push(socket);
      count("opened");
    }
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  for (const socket of [...open]) socket.destroy();
}

/** Has the account's lists hold as many bytes as they can. */
export async function fill({ known, stopped }: Attack): Promise<void> {
  const filled = new AbortController();
  const either = AbortSignal.any([stopped, filled.signal]);
  let created = 0;
  const count = (what: string) => {
    if (what === "201" && ++created >= LARGE_RECORDS) filled.abort();
  };
  await hammer({ known, stopped: either, count }, { connections: 4, next: (turn) => largeRecord(known, turn) });
}

export const slowAttacks = { "slow-body": slowBody, "slow-reader": slowReader };
