import type { IncomingMessage, ServerResponse } from "node:http";
import { type Fields, findFault, ID_FIELD } from "@shipping/api/input/fields";
import { check, decodePairs } from "@shipping/api/input/validate";
import { type FieldError, fail, failFields, failureIn } from "@shipping/kit/errors";
import { isPlain } from "@shipping/kit/http/http-rules";
import { collect, MAX_BODY_BYTES } from "@shipping/kit/http/read-body";
import { isId, newId, type Random } from "@shipping/kit/ids";
import { callOptions } from "@shipping/kit/rpc/call-owner";
import type { Snapshot } from "@shipping/proto/shipping/common/v1/common_pb";
import { z } from "zod";
import { type HtmlPage, type PageAnswer, type PageDeps, type PageRequest, toCaller } from "./page.js";

/** The fields of a form, each with all its values in order. */
export type Form = ReadonlyMap<string, readonly string[]>;

// The largest form has 14: a key with all its scopes.
const MAX_PAIRS = 100;

/**
 * True if one of our own pages submitted the form. Browsers say so in `Sec-Fetch-Site`, which no script can set; older ones in `Origin`.
 * A request with neither is refused.
 */
export function isOwnForm({ headersDistinct }: Pick<IncomingMessage, "headersDistinct">, origin: string): boolean {
  const site = headersDistinct["sec-fetch-site"];
  if (site) return site.length === 1 && site[0] === "same-origin";
  const sent = headersDistinct.origin;
  return sent?.length === 1 && sent[0] === origin;
}

/** The body of a form, undecoded. */
export async function readFormText(req: IncomingMessage, res: ServerResponse): Promise<string> {
  if (!isPlain(req, "application/x-www-form-urlencoded")) {
    throw fail("unsupported_media_type", "Send forms as application/x-www-form-urlencoded.");
  }
  if (Number(req.headers["content-length"] ?? 0) > MAX_BODY_BYTES) throw fail("payload_too_large");
  const bytes = await collect(req, res, MAX_BODY_BYTES);
  if (!bytes) throw fail("payload_too_large");
  return bytes.toString();
}

/** Decodes a form. Refuses undeclared fields and values that exceed their declared length, so that no later code reads them. */
export function parseForm(text: string, fields: Fields): Form {
  if (text.split("&", MAX_PAIRS + 1).length > MAX_PAIRS) {
    throw failFields([{ path: "form", message: `must have at most ${MAX_PAIRS} values` }]);
  }
  const form = new Map<string, string[]>();
  for (const [name, value] of decodePairs(text, "form")) {
    const values = form.get(name);
    if (values) values.push(value);
    else form.set(name, [value]);
  }
  const faults = [...form].flatMap(([name, values]) => findFault(name, values, fields));
  if (faults.length > 0) throw failFields(faults, "form");
  return form;
}

/** Validates a form with these declared fields. `value` is undefined if there are errors. */
export function checkForm<Value>(
  schema: z.ZodType<Value>,
  form: Form,
  fields: Fields,
): { value: Value | undefined; errors: FieldError[] } {
  const values = [...form].map(([name, given]) => [name, fields[name]?.most === undefined ? given[0] : given]);
  const { value, faults } = check(schema, Object.fromEntries(values), "form");
  return { value: value as Value | undefined, errors: faults };
}

/**
 * Checks a form and does what it asks for. A refused form is shown again: 422 if its fields are invalid, 409 if the state of the account does not
 * allow it, 429 if it has done so too often. A form that was submitted before leads to `list`.
 */
export async function submitForm<Value>(
  form: Form,
  wanted: {
    schema: z.ZodType<Value>;
    fields: Fields;
    list: string;
    show(errors: readonly FieldError[]): HtmlPage;
    act(value: Value): Promise<PageAnswer>;
  },
): Promise<PageAnswer> {
  const { schema, fields, list, act } = wanted;
  const show = (errors: readonly FieldError[]) => {
    const page = wanted.show(errors);
    return { ...page, title: `Error: ${page.title}` };
  };
  const { value, errors } = checkForm(schema, form, fields);
  if (!value) return { ...show(errors), status: 422 };
  try {
    return await act(value);
  } catch (error) {
    const failure = failureIn(error);
    if (failure?.code === "idempotency_conflict") return { location: list };
    if (!failure || ![409, 422, 429].includes(failure.status)) throw error;
    if (failure.fields.length > 0) return { ...show(failure.fields), status: failure.status };
    return { ...show([{ path: "", message: failure.message }]), status: failure.status === 429 ? 429 : 409 };
  }
}

/** The first value of a field, as it was sent; empty if there is none. */
export function readField(form: Form, name: string): string {
  return form.get(name)?.[0] ?? "";
}

/** The ID of a rendered form. Submitted several times, the form takes effect once. */
export const formId = z.string("is required").refine((id) => isId("form", id), "does not belong to this form");

/** The fields of a form that only asks for confirmation. */
export const confirmationFields = { form_id: ID_FIELD };
const confirmation = z.strictObject({ form_id: formId });

/** Reads a form that only asks for confirmation, and returns its ID. */
export function readFormId(form: Form): string {
  const { value, errors } = checkForm(confirmation, form, confirmationFields);
  if (!value) throw failFields(errors);
  return value.form_id;
}

/** The ID of a form that is shown again: its own, so that it still takes effect once, or a new one. */
export function keepFormId(form: Form, random: Random): string {
  const sent = readField(form, "form_id");
  return isId("form", sent) ? sent : newId("form", random);
}

/** A write of the API, made by a form. */
interface FormWrite {
  /** The `operationId` of the API's operation. */
  operation: string;
  id?: string;
  /** The ID of the rendered form. The idempotency key is made from it. */
  formId: string;
  /** For forms that make several writes: tells their idempotency keys apart. */
  step?: string;
  /** Undefined if the endpoint has no body. */
  body: unknown;
}

/** Executes a write as its endpoint does, with the same validation and events, at most once per form. */
export async function writeByForm(
  deps: PageDeps,
  request: PageRequest,
  { operation, id = "", formId, step, body }: FormWrite,
): Promise<Snapshot> {
  const { snapshot } = await deps.access.executeWrite(
    {
      caller: toCaller(request),
      actor: request.actor,
      operation,
      id,
      body: body === undefined ? new Uint8Array() : Buffer.from(JSON.stringify(body)),
      idempotencyKey: ["developer-area", formId, step].filter(Boolean).join(":"),
    },
    callOptions(request),
  );
  if (!snapshot) throw new Error("The gateway answered a write without its result.");
  return snapshot;
}
