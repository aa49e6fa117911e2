/** The body of a delivery as it arrived. */
export type RawBody = string | Uint8Array | ArrayBuffer;
