import type { IncomingMessage } from "node:http";
import { parseApiKey } from "@shipping/gateway/admission/api-key";
import { isOwnForm, parseForm } from "@shipping/gateway/developers/page/read-form";
import { readCookie } from "@shipping/gateway/developers/session/session";
import { addressHeaders, getClientAddress } from "@shipping/gateway/http/client-address";
import { parseRange, unmetCondition } from "@shipping/gateway/http/conditional";
import { httpFault, isPlain } from "@shipping/gateway/http/http-rules";
import { ID_FIELD } from "@shipping/gateway/input/fields";
import { orderId, pageQuery } from "@shipping/gateway/input/schemas";
import { validQuery } from "@shipping/gateway/input/validate";
import { library } from "@shipping/gateway/openapi/documents";
import { toLogRow } from "@shipping/gateway/request-log/logged-request";
import { redact } from "@shipping/kit/process/log";
import { asSent, fill, nearlySecret, numbered, type Reader, readingsOf } from "./shapes.js";

const HEAD_BYTES = 16 * 1024;
const BODY_BYTES = 64 * 1024;

/** Inputs in percent-encoding. */
const pairs: Reader["shapes"] = {
  "one name again and again": fill("a&"),
  "one name and value": fill("limit=1&"),
  "another name each time": numbered((n) => `a${n}=1&`),
  "only separators": fill("&"),
  "only equals signs": fill("="),
  "only spaces": fill("+"),
  escapes: fill("%41"),
  "escapes of four bytes": fill("%f0%9f%98%80"),
  "an escape that is none, at the end": (size) => `${"a=%41&".repeat(size / 6)}%`,
  "the form of a cursor": (size) => `after=ord_${"a".repeat(size)}`,
};

const list = pageQuery(orderId);
const origin = "https://ship.example";

/** A header whose value has this shape, up to the length that the readers see. */
const headers = (name: string, value: string) => ({ headersDistinct: { [name]: [value] } });

const readers: readonly Omit<Reader, "given">[] = [
  { reader: "forms", most: BODY_BYTES, shapes: pairs, read: (text) => parseForm(text, { after: ID_FIELD }) },
  { reader: "queries", most: HEAD_BYTES, shapes: pairs, read: (text) => validQuery(list, `/orders?${text}`) },
  {
    reader: "keys",
    most: HEAD_BYTES,
    shapes: {
      "spaces behind the scheme": (size) => `Bearer ${" ".repeat(size)}x y`,
      "a long key": (size) => `Bearer service_test_${"a".repeat(size)}`,
      "the scheme again and again": fill("Bearer "),
    },
    read: parseApiKey,
  },
  {
    reader: "content types",
    most: HEAD_BYTES,
    shapes: {
      "empty parameters": (size) => `application/json${"; ".repeat(size / 2)}x`,
      spaces: (size) => `application/json${" ".repeat(size)}x`,
      "the same parameter": (size) => `application/json${";charset=utf-8".repeat(size / 14)}`,
    },
    read: (text) => isPlain(headers("content-type", text), "application/json"),
  },
  {
    reader: "conditions",
    most: HEAD_BYTES,
    shapes: {
      tags: fill('"a", '),
      "weak tags": fill('W/"a",'),
      quotes: fill('"'),
      commas: fill(","),
      spaces: (size) => `${" ".repeat(size)}x`,
    },
    read: (text) => [
      unmetCondition({ "if-match": text }, { etag: '"x"' }),
      unmetCondition({ "if-none-match": text }, { etag: '"x"' }),
      unmetCondition({ "if-modified-since": `Mon${text}` }, { modified: new Date(0) }),
    ],
  },
  {
    reader: "ranges",
    most: HEAD_BYTES,
    shapes: {
      digits: (size) => `bytes=${"9".repeat(size)}-x`,
      spaces: (size) => `bytes=${" ".repeat(size)}x`,
      "many ranges": (size) => `bytes=${"0-1,".repeat(size / 4)}`,
    },
    read: (text) => parseRange({ range: text }, 1_000, {}),
  },
  {
    reader: "hosts",
    most: HEAD_BYTES,
    shapes: {
      labels: (size) => `${"a.".repeat(size / 2)} `,
      escapes: (size) => `${"%41".repeat(size / 3)} `,
      brackets: (size) => `[${":".repeat(size)}`,
      digits: (size) => `a:${"1".repeat(size)}x`,
    },
    read: (text) => httpFault(requestWith(["Host", text], { host: [text] })),
  },
  {
    reader: "the number of headers",
    most: HEAD_BYTES,
    shapes: { "the smallest there are": fill("a") },
    read: (text) => httpFault(requestWith(Array.from(text), {})),
  },
  {
    reader: "cookies",
    most: HEAD_BYTES,
    shapes: {
      separators: fill(";"),
      "the session's again and again": fill("__Host-developers-session=x;"),
      spaces: (size) => `${" ".repeat(size)}x`,
      equals: fill("="),
    },
    read: (text) => readCookie(text, "session", origin),
  },
  {
    reader: "addresses of proxies",
    most: HEAD_BYTES,
    shapes: { commas: fill(","), addresses: fill("192.0.2.1, "), spaces: (size) => `${" ".repeat(size)}x` },
    read: (text) =>
      addressHeaders.map((header) =>
        getClientAddress({ ...headers(header, text), socket: { remoteAddress: "::1" } }, { count: 3, header }),
      ),
  },
  {
    reader: "origins",
    most: HEAD_BYTES,
    shapes: { "the same": fill(origin) },
    read: (text) => isOwnForm(headers("origin", text), origin),
  },
  {
    reader: "search",
    most: HEAD_BYTES,
    shapes: {
      "one letter again and again": fill("e "),
      "all letters": fill("a b c d e f g h i j k l m n o p q r s t u v w x y z "),
      "one word": fill("x"),
      "nearly a word": fill("idempotencz "),
      points: fill("a."),
      "other words": numbered((n) => `label${n} `),
    },
    read: (text) => library().search(text),
  },
  {
    reader: "the request log",
    most: HEAD_BYTES,
    shapes: nearlySecret,
    read: (text) => toLogRow({ ...refused, path: `/${text}`, userAgent: text }, 0),
  },
  {
    reader: "invalid fields in the request log",
    most: BODY_BYTES,
    shapes: nearlySecret,
    read: (text) => toLogRow({ ...refused, fields: [{ path: text, message: text }] }, 0),
  },
  { reader: "the log", most: BODY_BYTES, shapes: nearlySecret, read: redact },
];

/** A refused request as the request log receives it. */
const refused = {
  ...{ requestId: "req_a", method: "GET", path: "/", status: 404, aborted: false, ms: 1, replayed: false },
  ...{ source: "192.0.2.1", userAgent: "" },
};

function requestWith(rawHeaders: string[], headersDistinct: NodeJS.Dict<string[]>): IncomingMessage {
  return { httpVersion: "1.1", rawHeaders, headersDistinct } as unknown as IncomingMessage;
}

/** Readings of inputs that need no key. */
export const publicReadings = readers.flatMap((reader) => readingsOf({ ...reader, given: asSent }));
