import { once } from "node:events";
import { connect } from "node:http2";
import { BATCH_PATH, BATCH_TYPE, frameOf } from "@shipping/kit/rpc/unary/call-frames";
import type { Attack } from "../attack.js";

const STREAMS = 50;
const CALLS = 2_000;

/** Batches of thousands of calls, and frames that promise gigabytes, at a service's RPC port. */
async function batchBomb({ known, stopped, count }: Attack): Promise<void> {
  const head = { path: "/shipping.records.v1.RecordsService/ListShipments", headers: {} };
  const many = Buffer.concat(Array.from({ length: CALLS }, () => frameOf(head, Buffer.alloc(0))));
  const endless = Buffer.alloc(64 * 1024, 0xff);
  while (!stopped.aborted) {
    const session = connect(`http://${known.records}`);
    session.on("error", () => count("session lost"));
    const streams = Array.from({ length: STREAMS }, async (_, turn) => {
      const stream = session.request({ ":method": "POST", ":path": BATCH_PATH, "content-type": BATCH_TYPE });
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
