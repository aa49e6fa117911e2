import { hash } from "node:crypto";
import zlib from "node:zlib";
import type { Environment } from "@shipping/kit/caller";
import type { Random } from "@shipping/kit/ids";

/** The permissions of a key, in the order of the specification. */
export const scopes = [
  "account:read",
  "orders:write",
  "orders:read",
  "shipments:write",
  "shipments:read",
  "rates:read",
  "labels:write",
  "labels:read",
  "webhooks:write",
  "webhooks:read",
] as const;

export type Scope = (typeof scopes)[number];

const PREFIX = { sandbox: "service_test_", live: "service_live_" } as const;
const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const KEY = /^service_(?:test|live)_(?:[0-9A-Za-z]{3}|([a-z]{2})_)[0-9A-Za-z]{35}$/;

/** A key whose format and checksum are right. Whether it exists, only the database knows. */
export interface ParsedKey {
  hash: Buffer;
  /** The two letters that name the cell of the key. No key of today has them: they are kept for installations of several cells. */
  cell?: string;
}

/** Reads the key in an `Authorization` header; undefined without a database look-up if its format or checksum is wrong. */
export function parseApiKey(authorization: string | undefined): ParsedKey | undefined {
  const key = authorization?.match(/^bearer +(\S+)$/i)?.[1];
  const match = key && KEY.exec(key);
  if (!match || key.slice(-CHECKSUM_LENGTH) !== checksum(key.slice(0, -CHECKSUM_LENGTH))) return undefined;
  const [, cell] = match;
  return { hash: toHash(key), ...(cell && { cell }) };
}

/** Creates a key. It is shown once; only its hash and its last four characters are stored. */
export function newApiKey(environment: Environment, random: Random): { key: string; hash: Buffer; lastFour: string } {
  const body = PREFIX[environment] + randomCharacters(SECRET_LENGTH, random);
  const key = body + checksum(body);
  return { key, hash: toHash(key), lastFour: key.slice(-4) };
}

function toHash(key: string): Buffer {
  return hash("sha256", key, "buffer");
}

// CRC-32 as six base62 digits: 62⁶ is more than 2³².
function checksum(body: string): string {
  let value = zlib.crc32(body);
  let digits = "";
  for (let place = 0; place < CHECKSUM_LENGTH; place++) {
    digits = ALPHABET.charAt(value % 62) + digits;
    value = Math.floor(value / 62);
  }
  return digits;
}

// Skips bytes from 248 on: 256 is not a multiple of 62, so they would favour the first eight characters.
function randomCharacters(count: number, random: Random): string {
  let text = "";
  while (text.length < count) {
    for (const byte of random(count)) if (byte < 248) text += ALPHABET.charAt(byte % 62);
  }
  return text.slice(0, count);
}
