import { configureTextEncoding, getTextEncoding } from "@bufbuild/protobuf/wire";

/**
 * Has messages encoded with Node's buffers: protobuf's own way makes an array of its own of each string, which for messages of many
 * short strings, as ours are, is a third of the price. Imported by what encodes many messages.
 */
configureTextEncoding({ ...getTextEncoding(), encodeUtf8: (text) => Buffer.from(text) as Uint8Array<ArrayBuffer> });
