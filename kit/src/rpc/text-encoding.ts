import { configureTextEncoding, getTextEncoding } from "@bufbuild/protobuf/wire";

// Protobuf's own decoders take a leading U+FEFF for a byte order mark and drop it.
const lenient = new TextDecoder("utf-8", { ignoreBOM: true });
const strict = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });

/**
 * Has messages encoded with Node's buffers: protobuf's own way makes an array of its own of each string, which for messages of many
 * short strings, as ours are, is a third of the price. Has them decoded to the character. Imported by all that reads or writes messages.
 */
configureTextEncoding({
  ...getTextEncoding(),
  encodeUtf8: (text) => Buffer.from(text) as Uint8Array<ArrayBuffer>,
  decodeUtf8: (bytes, isStrict) => (isStrict ? strict : lenient).decode(bytes),
});
