import type { PageRoute } from "@shipping/portal/page/page";

/** A request on the wire. */
export interface Sent {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string | undefined;
}

/** Placeholder for a fresh value of the header `idempotency-key`. */
export const NEW_KEY = "new";

/** A place of a request that can contain a text. */
export interface Place {
  /** The route as in Express: `POST /api/v1/orders`. */
  route: string;
  /** The place in the request: `body to.name`. */
  at: string;
  put(text: string): Sent;
}

/** The sender of the requests, and the resources in their paths. */
export interface Sender {
  key: string;
  accountId: string;
  /** The cookies of a visitor who is not signed in, of a viewer, and of an admin. */
  cookies: Record<PageRoute["access"], string>;
  /** The path of a page of the developer area about an existing resource. */
  pathOf(path: string): string;
}

/** The places of a route, by name. */
export function placesOf(route: string, puts: Record<string, Place["put"]>): Place[] {
  return Object.entries(puts).map(([at, put]) => ({ route, at, put }));
}

// The space in a body (64 KiB) and in a head (16 KiB) beside the rest of them.
const [MAX_BODY, MAX_HEAD] = [63 * 1024, 15 * 1024];

// The end of a text is kept, because it may be its hostile part.
const END = 8;

/** As much of the text as fits when it is encoded, with its end. */
function fit(text: string, most: number, encode: (text: string) => string): string {
  for (let part = text; ; ) {
    const encoded = encode(part);
    const bytes = Buffer.byteLength(encoded);
    if (bytes <= most) return encoded;
    const length = Math.min(part.length - 1, Math.floor((part.length * most) / bytes));
    part = text.slice(0, Math.max(0, length - END)) + text.slice(-END);
  }
}

export const inUrl = (text: string) => fit(text, MAX_HEAD, (part) => encodeURIComponent(Buffer.from(part).toString()));
export const inForm = (text: string) =>
  fit(text, MAX_BODY, (part) => new URLSearchParams([["", part]]).toString().slice(1));
const inJson = (text: string) => fit(text, MAX_BODY, (part) => JSON.stringify(part));
export const asItIs = (text: string) => fit(text, MAX_BODY, (part) => part);
/** Without characters that a header cannot contain. */
export const inHeader = (text: string) => fit(text.replace(/[\0-\x1f\x7f]/g, ""), MAX_HEAD, (part) => part);
/** Without characters that a path cannot contain, or that are refused there at once. */
export const inPath = (text: string) => inHeader(text).replace(/[^!-~]|[%?#]/g, "") || "x";

const PLACE = "\ue000";

/** A copy of a value, with the text at a path. */
function withPlace(value: unknown, [name, ...rest]: readonly (string | number)[]): unknown {
  if (name === undefined) return PLACE;
  if (typeof name === "number") return [withPlace(undefined, rest)];
  const known = typeof value === "object" ? (value as Record<string, unknown>) : {};
  return { ...known, [name]: withPlace(known[name], rest) };
}

/** The parts of a JSON Schema that are read here. */
export interface Schema {
  $ref?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
}

/** The paths of all values of a schema, including objects and lists. */
export function fieldsOf(schema: Schema, schemas: Record<string, Schema> = {}): (string | number)[][] {
  const { $ref = "", properties = {}, items, anyOf = [] } = schema;
  const parts = [...Object.entries(properties), ...(items ? [[0, items] as const] : [])];
  return [
    ...parts.flatMap(([name, part]) => [[name], ...fieldsOf(part, schemas).map((path) => [name, ...path])]),
    ...[...anyOf, ...($ref ? [schemas[$ref.slice($ref.lastIndexOf("/") + 1)] ?? {}] : [])].flatMap((part) =>
      fieldsOf(part, schemas),
    ),
  ];
}

/** The places of a JSON body: each field, a name, and the body itself; one field also without quotes. */
export function jsonPlaces(
  example: unknown,
  fields: readonly (readonly (string | number)[])[],
  send: (body: string) => Sent,
): Record<string, Place["put"]> {
  const fill = (path: readonly (string | number)[], json: string) =>
    send(JSON.stringify(withPlace(example, path)).replace(`"${PLACE}"`, () => json));
  return {
    ...Object.fromEntries(
      fields.map((path) => [`body ${path.join(".")}`, (text) => fill(path, inJson(text))] as const),
    ),
    "body, a value": (text) => fill(fields[0] ?? [], asItIs(text)),
    "body, a name": (text) => send(`{${inJson(text)}:1}`),
    "body, a name inside": (text) => fill(fields[0] ?? [], `{${inJson(text)}:1}`),
    body: (text) => send(asItIs(text)),
  };
}
