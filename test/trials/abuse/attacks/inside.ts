import { once } from "node:events";
import { connect } from "node:http2";
import { encodeCalls } from "@shipping/kit/rpc/unary/batch-codec";
import { BATCH_PATH, UNARY_TYPE, VERSION_HEADER } from "@shipping/kit/rpc/unary/protocol";
import type { Attack } from "./attack.js";

const STREAMS = 50;
const CALLS = 2_000;

/** Batches of thousands of calls, and calls that announce gigabytes, at a service's RPC port. */
async function batchBomb({ known, stopped, count }: Attack): Promise<void> {
  const path = "/shipping.records.v1.RecordsService/ListShipments";
  const call = { path, headers: {}, message: Buffer.alloc(0) };
  const many = encodeCalls(Array(CALLS).fill(call));
  // Field 1 with a length of four gigabytes.
  const endless = Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f, ...Array(64 * 1024).fill(0)]);
  while (!stopped.aborted) {
    const session = connect(`http://${known.records}`);
    session.on("error", () => count("session lost"));
    const streams = Array.from({ length: STREAMS }, async (_, turn) => {
      const stream = session.request({
        ":method": "POST",
        ":path": BATCH_PATH,
        "content-type": UNARY_TYPE,
        [VERSION_HEADER]: "1",
      });
      stream.on("error", () => count("stream refused"));
      stream.on("response", (headers) => count(String(headers[":status"])));
      stream.resume();
      stream.end(turn % 2 ? many : endless);
      await once(stream, "close").catch(() => {});
    });
    await Promise.race([Promise.all(streams), once(stopped, "abort")]);
    session.destroy();
  }
}

export const insideAttacks = { "batch-bomb": batchBomb };
