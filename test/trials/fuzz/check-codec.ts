import assert from "node:assert/strict";
import { fromBinary } from "@bufbuild/protobuf";
import { BinaryReader, BinaryWriter } from "@bufbuild/protobuf/wire";
import { decodeAnswer, decodeCall } from "@shipping/kit/rpc/unary/batch-codec";
import { AnswerSchema, CallSchema } from "@shipping/proto/shipping/batch/v1/batch_pb";

/** Removes known fields whose wire type differs: protobuf's rule is that they are unknown. */
function withoutMistyped(bytes: Uint8Array, types: Record<number, number>, entry?: number): Uint8Array {
  const reader = new BinaryReader(bytes);
  const writer = new BinaryWriter();
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    const data = reader.skip(type, field);
    // The library (2.13) does not skip unknown fields of a map's entry, but reads on inside of them.
    const isUnknown = types[field] === undefined;
    if (isUnknown ? entry === undefined : types[field] !== type) continue;
    writer.tag(field, type);
    if (field === entry) writer.bytes(withoutMistyped(new BinaryReader(data).bytes(), { 1: 2, 2: 2 }));
    else writer.raw(data);
  }
  return writer.finish();
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

function sameMessage(read: () => object, expected: () => object): void {
  const outcome = (attempt: () => object) => {
    try {
      return attempt();
    } catch {
      return "refused";
    }
  };
  assert.deepEqual(outcome(read), outcome(expected));
}

/** Reads the bytes as a `Call` and as an `Answer`, and compares the result, or the error, with the library's. */
export function checkCodec(bytes: Buffer): void {
  // A list of pairs, because a name may be `__proto__`.
  const plain = ({ headers, ...rest }: { headers: Record<string, string>; [field: string]: unknown }) => ({
    ...rest,
    headers: Object.entries(headers),
  });
  sameMessage(
    () => {
      const call = decodeCall(bytes);
      return plain({ ...call, message: hex(call.message) });
    },
    () => {
      const call = fromBinary(CallSchema, withoutMistyped(bytes, { 1: 2, 2: 2, 3: 2 }, 2));
      return plain({ path: call.path, message: hex(call.message), headers: call.headers });
    },
  );
  sameMessage(
    () => {
      const answer = decodeAnswer(bytes);
      return plain({ ...answer, body: hex(answer.body) });
    },
    () => {
      const read = fromBinary(AnswerSchema, withoutMistyped(bytes, { 1: 0, 2: 0, 3: 2, 4: 2, 5: 2 }, 5));
      const { call, status, contentType, headers } = read;
      return plain({ call, status, contentType, body: hex(read.body), headers });
    },
  );
}
