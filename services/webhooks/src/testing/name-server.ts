import { createSocket } from "node:dgram";
import { once } from "node:events";

/** The answer for a name: addresses, a failure, or none at all. */
export type Named = { 4: string[]; 6: string[] } | "fails" | "silent";

const TYPES: Record<number, 4 | 6> = { 1: 4, 28: 6 };
const FAILED = 0x8182;
const ANSWERED = 0x8180;

/** A DNS server on loopback that knows these names, and counts how often it is asked. */
export async function startNameServer(names: Readonly<Record<string, Named>>) {
  let asked = 0;
  const socket = createSocket("udp4", (query, from) => {
    asked += 1;
    const { name, type, end } = questionIn(query);
    const named = names[name] ?? "fails";
    if (named === "silent") return;
    const family = TYPES[type];
    const addresses = named === "fails" || family === undefined ? [] : named[family];
    const head = Buffer.alloc(12);
    head.writeUInt16BE(query.readUInt16BE(0), 0);
    head.writeUInt16BE(named === "fails" ? FAILED : ANSWERED, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(addresses.length, 6);
    const answers = addresses.map((address) => recordOf(type, address));
    socket.send(Buffer.concat([head, query.subarray(12, end), ...answers]), from.port, from.address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked: () => asked,
    close: () => new Promise<void>((resolve) => socket.close(() => resolve())),
  };
}

function questionIn(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join("."), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** A record for the name of the question, to which it points. */
function recordOf(type: number, address: string): Buffer {
  const bytes =
    TYPES[type] === 4
      ? Buffer.from(address.split(".").map(Number))
      : Buffer.from(
          address
            .split(":")
            .map((group) => group.padStart(4, "0"))
            .join(""),
          "hex",
        );
  const head = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, bytes.length]);
  return Buffer.concat([head, bytes]);
}
