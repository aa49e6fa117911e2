import type { HttpAnswer } from "../http/send.js";

const DATA_START = Buffer.from('{"data":');
const DATA_END = Buffer.from("}");

/** The JSON that an owner rendered, under `data`, without looking into it: a replay is equal byte for byte. */
export function rendered(json: Uint8Array): HttpAnswer {
  return wrapped(json, DATA_END);
}

/** A page that an owner rendered, under `data`, with the cursor of the next one or null. */
export function page({ data, nextCursor }: { data: Uint8Array; nextCursor?: string | undefined }): HttpAnswer {
  return wrapped(data, Buffer.from(`,"next_cursor":${JSON.stringify(nextCursor ?? null)}}`));
}

function wrapped(json: Uint8Array, end: Uint8Array): HttpAnswer {
  if (json.length === 0) throw new Error("The owner answered nothing.");
  return { type: "application/json", body: Buffer.concat([DATA_START, json, end]) };
}
