import { connect, type Socket } from "node:net";

/** A response as it was received. Header names are in lower case. */
export interface RawAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Sends bytes on a new connection, and returns every response until the server closes it. */
export async function exchange(port: number, ...bytes: (string | Buffer)[]): Promise<RawAnswer[]> {
  const socket = connect(port, "127.0.0.1");
  for (const part of bytes) socket.write(part);
  return parseAnswers(await received(socket));
}

/** All bytes that a connection receives until it is closed. */
export function received(socket: Socket): Promise<Buffer> {
  const chunks: Buffer[] = [];
  return new Promise((resolve) => {
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("error", () => {});
    socket.on("close", () => resolve(Buffer.concat(chunks)));
  });
}

/** Splits received bytes into responses of known length. */
export function parseAnswers(bytes: Buffer): RawAnswer[] {
  const answers: RawAnswer[] = [];
  let rest = bytes;
  while (rest.length > 0) {
    const end = rest.indexOf("\r\n\r\n");
    if (end < 0) throw new Error(`Not an answer: ${rest}`);
    const [statusLine = "", ...lines] = rest.subarray(0, end).toString("latin1").split("\r\n");
    const headers = Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(":");
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    const length = Number(headers["content-length"] ?? 0);
    const start = end + 4;
    answers.push({
      status: Number(statusLine.split(" ")[1]),
      headers,
      body: rest.subarray(start, start + length).toString(),
    });
    rest = rest.subarray(start + length);
  }
  return answers;
}
