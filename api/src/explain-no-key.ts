import { parseApiKey } from "./api-key.js";

const SEND = "Send it as Authorization: Bearer <key>.";
const WHOLE_KEY = /service_(?:test|live)_(?:[0-9A-Za-z]{3}|[a-z]{2}_)[0-9A-Za-z]{35}(?![0-9A-Za-z])/g;
// Only these are repeated: any other word may be a secret.
const SCHEME = /^(basic|token|digest|api-?key|key|jwt|oauth)[ :=]/i;

/** Mistakes around a key, by the first pattern that matches the header. */
const MISTAKES: readonly [pattern: RegExp, message: string][] = [
  [/^bearer +bearer\b/i, "The word Bearer is there twice. Send it once: Authorization: Bearer <key>."],
  [/^["']/, "There are quotes around the value of the Authorization header. Remove them."],
  [/["'`<>{}[\]()]service_/i, "There are quotes or brackets around the API key. Send it without them."],
  [/^service_/i, `The word Bearer is missing before the API key. ${SEND}`],
  [/^bearer[^\s\w]|^bearer\t|^bearerservice_/i, `Only a space may stand between Bearer and the API key. ${SEND}`],
];

/** Texts that are sent in place of a key, by the first pattern that matches what follows `Bearer`. */
const WRONG_KEYS: readonly [pattern: RegExp, message: string][] = [
  [
    /^(?:undefined|null|none|nil|\[object)\b|^[$%{]/i,
    "The API key is the name of a variable, or a value that was never set. Set the variable, and send its value.",
  ],
  [/^whsec_/, "This is the secret of a webhook subscription, not an API key. API keys start with service_."],
  [/^key_/, "This is the ID of an API key, not the key. Only the response that created it has the key."],
  [/^service_(?:test|live)_/i, "The API key is incomplete or was changed. Copy it again, all 51 characters."],
];

const OF_A_CELL =
  "This is an API key of another installation: the two letters before its last underscore name the cell to which it belongs. Send it to the base URL that you got with it, or use a key from the developer area of this one.";

const PLACEHOLDER =
  "This is not an API key, but perhaps a placeholder such as YOUR_SANDBOX_KEY. Replace it with your key, which starts with service_test_ or service_live_.";

/** The parts of a request in which a key may have been sent. */
export interface Sent {
  url?: string | undefined;
  headersDistinct: Readonly<Record<string, readonly string[] | undefined>>;
}

const KEY = /service_(?:test|live)_[0-9A-Za-z]/;
// Other names are not repeated, because a name may be a secret, too.
const NAME_OF_HEADER =
  /^(?:x-)?(?:api|access|auth|service|shipping)?-?(?:key|token|auth|authorization|authentication)$/;
const NAME_OF_PARAMETER = /^(?:api|access|auth|service)?[_-]?(?:key|token|authorization)$/i;
const BELONGS = "Send the API key as Authorization: Bearer <key>";

/** Says that the API key of a request is in its query, or in a header other than `Authorization`; undefined if it is in neither. */
export function findKeyElsewhere({ url = "", headersDistinct }: Sent): string | undefined {
  const [, query = ""] = /\?(.*)$/s.exec(url) ?? [];
  if (KEY.test(query))
    return `${BELONGS}, not in the query. Then replace the key: logs and browsers keep URLs, so others may have seen it.`;
  const { authorization = [], ...others } = headersDistinct;
  const isKey = (values: readonly string[] = []) => values.some((value) => KEY.test(value));
  const [withKey] = Object.entries(others).find(([, values]) => isKey(values)) ?? [];
  const isAbsent = authorization.length === 0;
  const header = withKey ?? (isAbsent ? Object.keys(others).find((name) => NAME_OF_HEADER.test(name)) : undefined);
  if (header) return `${BELONGS}, not in ${NAME_OF_HEADER.test(header) ? `the header ${header}` : "another header"}.`;
  const isParameter = isAbsent && query.split("&").some((pair) => NAME_OF_PARAMETER.test(pair.split("=", 1)[0] ?? ""));
  return isParameter ? `${BELONGS}, not in the query.` : undefined;
}

/** Says what is wrong with a request in which `parseApiKey` finds no key, or one of a cell. Repeats no value of it: it may be another secret. */
export function explainNoKey(request: Sent): string {
  return findKeyElsewhere(request) ?? explainHeader(request.headersDistinct.authorization ?? []);
}

function explainHeader(headers: readonly string[]): string {
  const [header = ""] = headers;
  if (headers.length > 1) return "There are two Authorization headers. Send one: Authorization: Bearer <key>.";
  if (header === "") return "The API key is missing. Add an Authorization header: Authorization: Bearer <key>.";
  const keys = header.match(WHOLE_KEY)?.length ?? 0;
  if (keys > 1) return "There are two API keys in the Authorization header. Send one: Authorization: Bearer <key>.";
  if (parseApiKey(header)?.cell) return OF_A_CELL;
  const [, scheme] = SCHEME.exec(header) ?? [];
  if (/^basic +/i.test(header) && KEY.test(Buffer.from(header.slice("basic ".length), "base64").toString("latin1")))
    return `The API key is sent with Basic authentication, as curl -u does. ${SEND}`;
  if (scheme) return `The Authorization header has the scheme ${scheme}, not Bearer. ${SEND}`;
  const mistake = find(MISTAKES, header);
  if (mistake) return mistake;
  if (/^\S+ +service_/.test(header) && !/^bearer /i.test(header))
    return `Another word than Bearer stands before the API key. ${SEND}`;
  if (!/^bearer +\S/i.test(header)) return `The Authorization header has no API key. ${SEND}`;
  const key = header.replace(/^bearer +/i, "");
  if (keys === 1 && key.replace(WHOLE_KEY, "") !== "")
    return "There is something beside the API key, such as a comma or a line break. Send its 51 characters alone.";
  return find(WRONG_KEYS, key) ?? PLACEHOLDER;
}

function find(rules: readonly [RegExp, string][], text: string): string | undefined {
  return rules.find(([pattern]) => pattern.test(text))?.[1];
}
