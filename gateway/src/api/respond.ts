import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { publicJson } from "@shipping/kit/json";
import type { HttpAnswer } from "../http/send.js";

const DATA_START = Buffer.from('{"data":');
const DATA_END = Buffer.from("}");

/** A value that is JSON text already, under `data`. */
export function data(json: string): HttpAnswer {
  return { type: "application/json", body: `{"data":${json}}` };
}

/** The bytes that an owner rendered, under `data`, without looking into them: a replay is equal byte for byte. */
export function rendered(bytes: Uint8Array): HttpAnswer {
  return { type: "application/json", body: Buffer.concat([DATA_START, bytes, DATA_END]) };
}

/** One resource under `data`. */
export function one<Desc extends DescMessage>(schema: Desc, message: MessageShape<Desc> | undefined): HttpAnswer {
  if (!message) throw new Error(`The owner answered no ${schema.name}.`);
  return data(publicJson(schema, message));
}

/** A page of resources under `data`, with the cursor of the next one or null. */
export function page<Desc extends DescMessage>(
  schema: Desc,
  messages: readonly MessageShape<Desc>[],
  nextCursor: string | undefined,
): HttpAnswer {
  const list = messages.map((message) => publicJson(schema, message)).join();
  return { type: "application/json", body: `{"data":[${list}],"next_cursor":${JSON.stringify(nextCursor ?? null)}}` };
}
