import type { IncomingMessage } from "node:http";
import { parseApiKey } from "@shipping/api/api-key";
import { ID_FIELD } from "@shipping/api/input/fields";
import { parseJsonBody } from "@shipping/api/input/json-body";
import { orderId, orderInput, pageQuery, webhookInput } from "@shipping/api/input/schemas";
import { checkBody, requireValid, validQuery } from "@shipping/api/input/validate";
import { textFields } from "@shipping/carrier/label/address-fields";
import { layOut } from "@shipping/carrier/label/layout";
import { fingerprint } from "@shipping/gateway/idempotency/registry";
import { toLogRow } from "@shipping/gateway/request-log/logged-request";
import { addressHeaders, getClientAddress } from "@shipping/kit/http/client-address";
import { parseRange, unmetCondition } from "@shipping/kit/http/conditional";
import { httpFault, isPlain } from "@shipping/kit/http/http-rules";
import { redact } from "@shipping/kit/process/log";
import { decodeCall, encodeCalls, readElements } from "@shipping/kit/rpc/unary/batch-codec";
import { parseForm } from "@shipping/portal/page/read-form";
import { readCookie } from "@shipping/portal/session/session";
import { brokenTargetRule } from "@shipping/webhooks/egress/target-url";

/** A reader of texts of strangers, customers or other parts, and the most characters that reach it. */
export interface TextReader {
  most: number;
  read(text: string): unknown;
}

const [HEAD, BODY, LABEL_FIELD] = [16 * 1024, 64 * 1024, 200];
const LABEL = { width: 200, height: 80, most: 16, least: 6 };
const LOGGED = {
  ...{ requestId: "req_a", method: "GET", path: "/", status: 404, aborted: false, ms: 1, replayed: false },
  ...{ source: "192.0.2.1", userAgent: "" },
};
const list = pageQuery(orderId);

/** A header with this value, as Node yields it. */
const header = (name: string, text: string) => ({ headersDistinct: { [name]: [text] } });
const request = (rawHeaders: string[], headersDistinct: object) =>
  httpFault({ httpVersion: "1.1", rawHeaders, headersDistinct } as unknown as IncomingMessage);

/** Reads a message that arrives in chunks of 64 bytes. */
function readInChunks(bytes: Buffer): void {
  const { take } = readElements(decodeCall);
  for (let at = 0; at < bytes.length; at += 64) take(bytes.subarray(at, at + 64));
}

/** The code that reads texts, by its name. The trial itself sends the same texts in whole requests, and does not reach labels, logs and batches. */
export const readers: Readonly<Record<string, TextReader>> = {
  forms: { most: BODY, read: (text) => parseForm(text, { after: ID_FIELD }) },
  queries: { most: HEAD, read: (text) => validQuery(list, `/orders?${text}`) },
  keys: { most: HEAD, read: (text) => parseApiKey(`Bearer ${text}`) },
  "content types": { most: HEAD, read: (text) => isPlain(header("content-type", text), "application/json") },
  parameters: { most: HEAD, read: (text) => isPlain(header("content-type", `a/b;${text}`), "a/b") },
  tags: { most: HEAD, read: (text) => unmetCondition({ "if-none-match": text }, { etag: '"x"' }) },
  dates: { most: HEAD, read: (text) => unmetCondition({ "if-modified-since": text }, { modified: new Date(0) }) },
  ranges: { most: HEAD, read: (text) => parseRange({ range: `bytes=${text}` }, 1_000, {}) },
  hosts: { most: HEAD, read: (text) => request(["Host", text], { host: [text] }) },
  "many headers": { most: HEAD, read: (text) => request(Array.from(text), {}) },
  cookies: { most: HEAD, read: (text) => readCookie(text, "session", "https://ship.example") },
  "addresses of proxies": {
    most: HEAD,
    read: (text) =>
      addressHeaders.map((name) =>
        getClientAddress({ ...header(name, text), socket: { remoteAddress: "::1" } }, { count: 3, header: name }),
      ),
  },
  "logged requests": { most: HEAD, read: (text) => toLogRow({ ...LOGGED, path: `/${text}`, userAgent: text }, 0) },
  "logged fields": {
    most: BODY,
    read: (text) => toLogRow({ ...LOGGED, fields: [{ path: text, message: text }] }, 0),
  },
  "the log": { most: BODY, read: redact },
  JSON: { most: BODY, read: (text) => parseJsonBody(Buffer.from(text)) },
  fingerprints: { most: BODY, read: (text) => fingerprint("POST", "/orders", { metadata: JSON.parse(text) }) },
  orders: {
    most: BODY,
    read: (text) => requireValid(checkBody(orderInput, parseJsonBody(Buffer.from(text)), "/orders")),
  },
  "fields of orders": {
    most: BODY,
    read: (text) =>
      requireValid(checkBody(orderInput, parseJsonBody(Buffer.from(JSON.stringify({ reference: text }))), "/orders")),
  },
  webhooks: {
    most: BODY,
    read: (text) =>
      requireValid(checkBody(webhookInput, parseJsonBody(Buffer.from(JSON.stringify({ url: text }))), "/webhooks")),
  },
  "webhook URLs": {
    most: 2_000,
    read: (text) => brokenTargetRule(`https://${text}`, { allowPrivate: false, allowTargets: [] }),
  },
  "lines of labels": {
    most: LABEL_FIELD,
    read: (text) => layOut(Array.from({ length: 6 }, () => textFields(text)).flat(), LABEL),
  },
  "batches of calls": {
    most: BODY,
    read: (text) => readInChunks(encodeCalls([{ path: text, headers: { a: text }, message: Buffer.from(text) }])),
  },
  "bytes of calls": { most: BODY, read: (text) => readInChunks(Buffer.from(text)) },
};

/** An error ends a reading like a success. */
export function readOnce({ read }: TextReader, text: string): void {
  try {
    read(text);
  } catch {
    // Refused.
  }
}
