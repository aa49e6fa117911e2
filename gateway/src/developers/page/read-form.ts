import type { IncomingMessage, ServerResponse } from "node:http";
import { fail, failFields } from "@shipping/kit/errors";
import type { z } from "zod";
import { collect, MAX_BODY_BYTES } from "../../api/middleware/read-body.js";
import { isPlain } from "../../http/http-rules.js";
import { type Checked, check, decodePairs } from "../../input/validate.js";

/** The fields of a form, each with all its values in order. */
export type Form = ReadonlyMap<string, readonly string[]>;

// The largest form has 14: a key with all its scopes.
const MAX_PAIRS = 100;

/**
 * Whether a form was sent by one of our own pages. Browsers say so in `Sec-Fetch-Site`, which no script can set; an older one at least
 * in `Origin`. A request that says neither comes from no browser that we know.
 */
export function isOwnForm({ headersDistinct }: Pick<IncomingMessage, "headersDistinct">, origin: string): boolean {
  const site = headersDistinct["sec-fetch-site"];
  if (site) return site.length === 1 && site[0] === "same-origin";
  const sent = headersDistinct.origin;
  return sent?.length === 1 && sent[0] === origin;
}

/** Reads a form. */
export async function readForm(req: IncomingMessage, res: ServerResponse): Promise<Form> {
  if (!isPlain(req, "application/x-www-form-urlencoded")) {
    throw fail("unsupported_media_type", "Send forms as application/x-www-form-urlencoded.");
  }
  if (Number(req.headers["content-length"] ?? 0) > MAX_BODY_BYTES) throw fail("payload_too_large");
  const bytes = await collect(req, res, MAX_BODY_BYTES);
  if (!bytes) throw fail("payload_too_large");
  return formOf(bytes.toString());
}

/** The fields of a form's text. */
export function formOf(text: string): Form {
  if (text.split("&", MAX_PAIRS + 1).length > MAX_PAIRS) {
    throw failFields([{ path: "form", message: `must have at most ${MAX_PAIRS} values` }]);
  }
  const form = new Map<string, string[]>();
  for (const [name, value] of decodePairs(text, "form")) {
    const values = form.get(name);
    if (values) values.push(value);
    else form.set(name, [value]);
  }
  return form;
}

/** Checks a form. Fields that `lists` names may come several times; any other repeated field is an error, and so is an unknown one. */
export function checkForm<Fields>(
  schema: z.ZodType<Fields>,
  form: Form,
  lists: readonly string[] = [],
): Checked & { value: Fields | undefined } {
  const values = [...form].map(([name, given]) => [name, given.length > 1 || lists.includes(name) ? given : given[0]]);
  return check(schema, Object.fromEntries(values), "form") as Checked & { value: Fields | undefined };
}
