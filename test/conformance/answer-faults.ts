import {
  answering,
  answeringAll,
  dropHeader,
  editing,
  type Fault,
  refusing,
  sendingAll,
  setting,
  turning,
} from "./breaking-proxy.js";

/** Faults of errors, limits, and rules for every response. */
export const answerFaults: readonly Fault[] = [
  {
    what: "an unknown id is answered with 400",
    breaks: "errors.not-found",
    begin: turning(404, 400, "GET /labels/{id}"),
  },
  { what: "what is no JSON is answered with 422", breaks: "errors.invalid-json", begin: turning(400, 422) },
  {
    what: "any Content-Type is taken for JSON",
    breaks: "errors.content-type",
    begin: sendingAll(({ headers }) => {
      if (headers["content-type"]) headers["content-type"] = "application/json";
    }),
  },
  {
    what: "a Content-Type with an empty parameter is another one",
    breaks: "errors.content-type",
    begin: answeringAll((answered, { headers }) => {
      if (headers["content-type"] === "application/json;") answered.status = 415;
    }),
  },
  { what: "too large a body is answered with 400", breaks: "errors.too-large", begin: turning(413, 400) },
  {
    what: "a body of exactly 64 KiB is too large",
    breaks: "errors.too-large",
    begin: answeringAll((answered, { body }) => {
      if (body.length === 65_536) answered.status = 413;
    }),
  },
  { what: "the base path has another version", breaks: "version.base-path", basePath: "/api/v2", begin: () => ({}) },
  {
    what: "the description has a later version",
    breaks: "version.description",
    begin: () => ({
      sent: ({ headers }) => void delete headers["accept-encoding"],
      answered(answered, { path }) {
        if (path !== "/openapi.json") return;
        answered.body = Buffer.from(answered.body.toString().replace('"version":"1.0.0"', '"version":"1.1.0"'));
      },
    }),
  },
  { what: "live keys find no shipment", breaks: "live.no-carrier", begin: turning(503, 404) },
  { what: "a 121st request passes", breaks: "limits.rate", begin: turning(429, 200) },
  { what: "429 lacks Retry-After", breaks: "limits.rate", begin: dropHeader("retry-after") },
  {
    what: "an error has no request_id",
    breaks: "answers.request-id",
    beside: ["errors.invalid-json"],
    begin: refusing((error) => {
      delete error.request_id;
    }),
  },
  { what: "an answer has no X-Request-Id", breaks: "answers.request-id", begin: dropHeader("x-request-id") },
  {
    what: "an error says that it is a page",
    breaks: "answers.error-body",
    beside: ["errors.invalid-json"],
    begin: answeringAll(({ status, headers }) => {
      if (status >= 400) headers["content-type"] = "text/html";
    }),
  },
  {
    what: "an error has no code",
    breaks: "answers.error-body",
    beside: ["errors.content-type"],
    begin: refusing((error) => {
      delete error.code;
    }),
  },
  {
    what: "a success has another Content-Type",
    breaks: "answers.envelope",
    beside: ["orders.create"],
    begin: answeringAll(({ headers }) => {
      headers["content-type"] = "text/plain";
    }),
  },
  {
    what: "a time is a local one",
    breaks: "answers.times",
    beside: ["orders.create"],
    begin: editing("POST /orders", (order) => {
      order.created_at = order.created_at.replace("Z", "+02:00");
    }),
  },
  setting("answers.ids", "an id is a number", "GET /account", { id: 5 }),
  setting("answers.secrets", "an account shows a secret", "GET /account", { secret: "whsec_shown" }),
  {
    what: "a refusal has a status of its own",
    breaks: "answers.known-status",
    beside: ["labels.file-voided"],
    begin: turning(409, 410),
  },
  {
    what: "a label that exists is refused with another code",
    breaks: "contract.conflicts",
    begin: refusing((error) => {
      if (error.code === "label_exists") error.code = "conflict";
    }),
  },
  {
    what: "an answer does not say what is left of the limit",
    breaks: "contract.rate-limit-headers",
    begin: dropHeader("ratelimit"),
  },
  {
    what: "HEAD is not known",
    breaks: "contract.head",
    begin: answering("HEAD /account", (answered) => {
      answered.status = 404;
    }),
  },
  {
    what: "a refused method does not say which are allowed",
    breaks: "contract.head",
    begin: dropHeader("allow"),
  },
  {
    what: "a refusal does not list its fields",
    breaks: "contract.error-fields",
    beside: ["orders.no-order-id"],
    begin: refusing((error) => {
      delete error.fields;
    }),
  },
];
