import type { Check } from "../check.js";
import { mustRefuse, mustSucceed } from "../judge.js";
import { NAMING, requestFor, unknownNames } from "../operations.js";

const BODY_LIMIT = 65_536;

export const errorChecks: readonly Check[] = [
  {
    id: "errors.not-found",
    proves: ["| 404 | unknown route or inaccessible resource |"],
    async run({ api, run, record }) {
      mustRefuse(await api.get("/conformance-nothing"), 404);
      const names = unknownNames(record);
      for (const operation of NAMING) mustRefuse(await api.send(requestFor(operation, names, `${run}-nowhere`)), 404);
    },
  },
  {
    id: "errors.invalid-json",
    proves: ["| 400 | invalid JSON |"],
    run: async ({ api }) => mustRefuse(await api.post("/orders", '{"reference": '), 400),
  },
  {
    id: "errors.content-type",
    proves: [
      "| 415 | unsupported content type (must be `application/json`) |",
      "Every request body that is JSON uses `Content-Type: application/json`.",
    ],
    async run({ api, record, keyOf }) {
      const headers = { "Content-Type": "text/plain", "Idempotency-Key": keyOf("text") };
      const body = JSON.stringify(record);
      mustRefuse(await api.send({ method: "POST", path: "/orders", headers, body }), 415);
      // Parameters may be empty (RFC 9110, 5.6.6).
      const spelled = { "Content-Type": "application/json;", "Idempotency-Key": keyOf("spelled") };
      mustSucceed(await api.send({ method: "POST", path: "/orders", headers: spelled, body }));
    },
  },
  {
    id: "errors.too-large",
    proves: ["| 413 | body exceeds 64 KiB |", "| request body | 64 KiB; larger returns 413 |"],
    async run({ api, record }) {
      const body = JSON.stringify(record);
      mustRefuse(await api.post("/orders", body.padEnd(BODY_LIMIT + 1)), 413);
      mustSucceed(await api.post("/orders", body.padEnd(BODY_LIMIT)));
    },
  },
];
