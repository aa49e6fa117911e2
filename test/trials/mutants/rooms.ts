/**
 * Rooms that implement promises: the files that are mutated, and the tests in one process that must detect the mutants. A folder means its files
 * or its tests.
 */
export const rooms: Record<string, { files: string[]; tests: string[] }> = {
  input: { files: ["api/src/input"], tests: ["api/src/input", "api/src/openapi"] },
  egress: { files: ["services/webhooks/src/egress"], tests: ["services/webhooks/src/egress"] },
  client: {
    files: ["attempt", "call", "config", "error-kinds", "operation", "read-answer", "retry", "send"]
      .concat("shipping-error", "webhook-signature")
      .map((name) => `client/src/${name}.ts`),
    tests: ["client/src"],
  },
  http: { files: ["kit/src/http", "kit/src/http/server"], tests: ["kit/src/http"] },
  idempotency: {
    files: ["gateway/src/idempotency"],
    tests: ["gateway/src/idempotency", "gateway/src/api/execute-write"],
  },
  admission: {
    files: ["gateway/src/admission"],
    tests: ["gateway/src/admission", "gateway/src/api/middleware/admit-caller"],
  },
  dispatch: {
    files: ["services/webhooks/src/dispatch"],
    tests: ["services/webhooks/src/dispatch", "services/webhooks/src/operator/control-deliveries"],
  },
  ledger: { files: ["kit/src/ledger"], tests: ["kit/src/ledger"] },
  events: {
    files: ["kit/src/events", "services/webhooks/src/stream"],
    tests: ["kit/src/events", "services/webhooks/src/stream", "test/flows/bus-stream"],
  },
  postgres: {
    files: ["kit/src/postgres"],
    tests: ["kit/src/postgres", "services/carrier/src/search-labels", "services/records/src/search/search-records"],
  },
  creations: {
    files: [
      "services/records/src/write",
      "services/carrier/src/create-label.ts",
      "services/carrier/src/store-label.ts",
    ],
    tests: ["create-label", "store-label", "bookings"]
      .map((name) => `services/carrier/src/${name}`)
      .concat("services/records/src/write"),
  },
  bookings: {
    files: ["services/carrier/src/bookings"],
    tests: ["services/carrier/src/bookings", "services/carrier/src/store-label"],
  },
};
