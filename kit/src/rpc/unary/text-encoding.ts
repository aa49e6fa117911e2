import { configureTextEncoding, getTextEncoding } from "@bufbuild/protobuf/wire";

// Protobuf's own decoders take a leading U+FEFF for a byte order mark and drop it.
const lenient = new TextDecoder("utf-8", { ignoreBOM: true });
const strict = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });

/**
 * Encodes messages with Node's buffers. Protobuf's own way allocates an array for each string, which for messages with many short strings,
 * such as ours, is a third of the cost. Decoding keeps a leading U+FEFF. Every module that reads or writes messages imports this.
 */
configureTextEncoding({
  ...getTextEncoding(),
  encodeUtf8: (text) => Buffer.from(text) as Uint8Array<ArrayBuffer>,
  decodeUtf8: (bytes, isStrict) => (isStrict ? strict : lenient).decode(bytes),
});
