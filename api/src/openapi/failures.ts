import { type ErrorCode, errors } from "@shipping/proto/errors";
import { label } from "../examples.js";
import { listErrorCodes, type Operation } from "../operations/operation.js";
import { errorRef, headerRefs, type headers } from "./components.js";
import { errorGuidance } from "./error-guidance.js";

const RETRYABLE: readonly ErrorCode[] = ["idempotency_in_progress", "rate_limited", "service_unavailable"];

/** The error responses of an operation by status, with an example for each code. */
export function failures(route: Operation) {
  const codesByStatus = new Map<number, ErrorCode[]>();
  for (const code of listErrorCodes(route)) {
    const { status } = errors[code];
    codesByStatus.set(status, [...(codesByStatus.get(status) ?? []), code]);
  }
  const responses = [...codesByStatus].map(([status, codes]) => {
    const names: (keyof typeof headers)[] = status === 401 ? ["WWW-Authenticate"] : ["RateLimit", "RateLimit-Policy"];
    if (codes.some((code) => RETRYABLE.includes(code))) names.push("Retry-After");
    const examples = Object.fromEntries(
      codes.map((code) => [code, { description: errorGuidance[code], value: { error: errorExample(route, code) } }]),
    );
    const response = {
      description: codes.map((code) => `\`${code}\`: ${errors[code].message}`).join(" "),
      headers: headerRefs(names),
      content: { "application/json": { schema: errorRef, examples } },
    };
    return [status, response] as const;
  });
  return Object.fromEntries(responses);
}

function errorExample(route: Operation, code: ErrorCode) {
  const { invalid, missing } = route.example;
  const request_id = "req_krugkidnfzsxg5lmmqqgc3tpoa";
  if (code === "invalid_request")
    return { code, message: `${invalid.path}: ${invalid.message}`, request_id, fields: [invalid] };
  const messages: Partial<Record<ErrorCode, string | undefined>> = {
    label_exists: `The shipment already has the label ${label.id}. Create a new shipment for another one.`,
    unsupported_media_type: `The Content-Type is text/plain. ${errors.unsupported_media_type.message}`,
    invalid_json: "The body is not valid JSON: it ends before it is complete.",
    not_found: missing,
    missing_scope: `The API key does not have the scope ${route.scope}. Use a key that has it.`,
  };
  return { code, message: messages[code] ?? errors[code].message, request_id };
}
