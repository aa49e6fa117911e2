import { connect, type Socket } from "node:net";
import { parseAnswers, type RawAnswer, received } from "@shipping/kit/testing/raw-http";
import type { ApiAnswer, Body } from "../platform/api-client.js";

/** Longer than any answer takes, shorter than the 30 s after which the gateway gives a request up. */
const ANSWER_MS = 15_000;

/** A request that is sent without corrections, joining or reordering. */
export interface Sending {
  key?: string;
  /** A list sends the header once for each value; undefined omits a header that is sent by default. */
  headers?: Record<string, string | readonly string[] | undefined>;
  /** Sends bytes or text unchanged. Without further headers they are announced as JSON of their length. */
  body?: string | Buffer;
}

/** Sends a request on a connection of its own and yields its response. `target` follows the method in the request line. */
export async function sendTo<Data>(
  port: number,
  method: string,
  target: string,
  sending: Sending = {},
): Promise<ApiAnswer<Data>> {
  const [answer] = await exchange(port, headOf(method, target, sending), sending.body ?? "");
  if (!answer) throw new Error(`No answer to ${method} ${target}.`);
  return answerOf<Data>(answer);
}

/** The request line and the headers of a request. */
export function headOf(method: string, target: string, { key, headers, body }: Sending): string {
  const all: NonNullable<Sending["headers"]> = {
    Host: "gateway",
    Connection: "close",
    ...(key !== undefined && { Authorization: `Bearer ${key}` }),
    ...(body !== undefined && {
      "Content-Type": "application/json",
      "Content-Length": String(Buffer.byteLength(body)),
    }),
    ...headers,
  };
  const lines = Object.entries(all).flatMap(([name, value]) =>
    (typeof value === "string" ? [value] : (value ?? [])).map((one) => `${name}: ${one}\r\n`),
  );
  return `${method} ${target} HTTP/1.1\r\n${lines.join("")}\r\n`;
}

/** Sends bytes on a connection of its own, and yields every answer that came before the server closed it. */
export async function exchange(port: number, ...parts: (string | Buffer)[]): Promise<RawAnswer[]> {
  return answersOn(connect(port, "127.0.0.1"), (socket) => {
    for (const part of parts) socket.write(part);
  });
}

/** The same, but the client half-closes the connection after the last byte. */
export async function exchangeAndEnd(port: number, ...parts: (string | Buffer)[]): Promise<RawAnswer[]> {
  return answersOn(connect(port, "127.0.0.1"), (socket) => {
    for (const part of parts) socket.write(part);
    socket.end();
  });
}

async function answersOn(socket: Socket, write: (socket: Socket) => void): Promise<RawAnswer[]> {
  let hangs = false;
  const timer = setTimeout(() => {
    hangs = true;
    socket.destroy();
  }, ANSWER_MS);
  const bytes = received(socket);
  write(socket);
  const answers = parseAnswers(await bytes);
  clearTimeout(timer);
  if (hangs)
    throw new Error(`The connection was still open after ${ANSWER_MS} ms; statuses: ${answers.map((a) => a.status)}`);
  return answers;
}

/** A response from the wire, with its JSON parsed. */
export function answerOf<Data>({ status, headers, body }: RawAnswer): ApiAnswer<Data> {
  const isJson = headers["content-type"] === "application/json" && body !== "";
  const parsed = (isJson ? JSON.parse(body) : undefined) as Body<Data>;
  return { status, headers: new Headers(headers), bytes: Buffer.from(body), body: parsed };
}
