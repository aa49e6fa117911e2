import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import {
  AnswerSchema,
  CallRequestSchema,
  CallResponseSchema,
  CallSchema,
} from "@shipping/proto/shipping/batch/v1/batch_pb";
import fc from "fast-check";
import { decodeAnswer, decodeCall, encodeAnswers, encodeCalls } from "./batch-codec.js";

const text = fc.string({ unit: "binary", maxLength: 300 });
const bytes = fc.oneof(fc.uint8Array(), fc.uint8Array({ minLength: 100, maxLength: 20_000 }));
// Names that are numbers would be sorted, and no header is named `__proto__`.
const headers = fc.dictionary(
  text.map((name) => `x-${name}`),
  text,
  { maxKeys: 5, noNullPrototype: true },
);
const call = fc.record({ path: text, headers, message: bytes });
const answer = fc.record({
  call: fc.nat(63),
  status: fc.oneof(fc.constant(0), fc.nat(599), fc.nat(2 ** 31 - 1)),
  contentType: text,
  body: bytes,
  headers,
});

const plain = (value: Uint8Array) => Buffer.from(value).toString("hex");

test("calls are written and read as the library does", () => {
  fc.assert(
    fc.property(fc.array(call, { maxLength: 5 }), (calls) => {
      const expected = toBinary(CallRequestSchema, create(CallRequestSchema, { calls }));
      expect(plain(encodeCalls(calls))).toBe(plain(expected));
      for (const each of calls) {
        const read = decodeCall(Buffer.from(toBinary(CallSchema, create(CallSchema, each))));
        expect({ ...read, message: plain(read.message) }).toEqual({ ...each, message: plain(each.message) });
      }
    }),
  );
});

test("answers are written and read as the library does", () => {
  fc.assert(
    fc.property(fc.array(answer, { maxLength: 5 }), (answers) => {
      const expected = toBinary(CallResponseSchema, create(CallResponseSchema, { answers }));
      expect(plain(encodeAnswers(answers))).toBe(plain(expected));
      for (const each of answers) {
        const read = decodeAnswer(Buffer.from(toBinary(AnswerSchema, create(AnswerSchema, each))));
        expect({ ...read, body: plain(read.body) }).toEqual({ ...each, body: plain(each.body) });
      }
    }),
  );
});

test("fields that are not known are skipped, and bytes that are no message are refused", () => {
  const known = toBinary(CallSchema, create(CallSchema, { path: "/a", headers: { a: "b" } }));
  const unknown = Buffer.of(0x7a, 2, 1, 1, 0x70, 5, 0x6d, 1, 2, 3, 4);
  const withMore = Buffer.concat([unknown, known, unknown]);
  expect(decodeCall(withMore)).toMatchObject({ path: "/a", headers: { a: "b" } });
  expect(fromBinary(CallSchema, withMore)).toMatchObject({ path: "/a", headers: { a: "b" } });
  const answers: MessageInitShape<typeof AnswerSchema> = { call: 1, status: 200 };
  const answered = Buffer.concat([unknown, toBinary(AnswerSchema, create(AnswerSchema, answers))]);
  expect(decodeAnswer(answered)).toMatchObject({ call: 1, status: 200, headers: {}, contentType: "" });
  // Fuzzing found these: text that is not UTF-8, a field with the number 0, and a tag of more than 32 bits.
  const neither = [
    [0x0a, 1, 0xff],
    [0x00, 0],
    [0xff, 0xff, 0xff, 0xff, 0x78, 0],
  ].map((bytes) => Buffer.from(bytes));
  for (const bytes of neither) {
    expect(() => fromBinary(CallSchema, bytes)).toThrow();
    expect(() => decodeCall(bytes)).toThrow();
  }
  for (const bytes of [Buffer.of(0x0a), Buffer.of(0x0a, 9, 1), Buffer.of(0x07), Buffer.of(0x12, 2, 0x0a, 7)]) {
    expect(() => decodeCall(bytes)).toThrow();
    expect(() => fromBinary(CallSchema, bytes)).toThrow();
  }
  const notAnswers = [[0x1a, 1, 0xff], [0x08], [0x22, 9, 1], [0x07], [0x2a, 2, 0x0a, 7]].map((of) => Buffer.from(of));
  for (const bytes of [...neither.slice(1), ...notAnswers]) {
    expect(() => decodeAnswer(bytes)).toThrow();
    expect(() => fromBinary(AnswerSchema, bytes)).toThrow();
  }
});

test("a field of another wire type is unknown", () => {
  const [path, entry] = [Buffer.of(0x08, 5), Buffer.of(0x12, 4, 0x08, 1, 0x12, 0)];
  expect(decodeCall(path)).toEqual({ path: "", headers: {}, message: new Uint8Array() });
  expect(decodeCall(entry).headers).toEqual({ "": "" });
});
