import type { Mutant } from "./find-mutants.js";

/** Mutants that no test can detect, or that none should. `original` is their text in the file, or the part of it that `replacement` stands for. */
export const explained: { file: string; original: string; replacement: string; why: string }[] = [
  {
    file: "gateway/src/admission/pauses.ts",
    original: '""',
    replacement: '"Stryker was here!"',
    why: "Before the first request: no account has either ID.",
  },
  {
    file: "gateway/src/admission/bulkhead.ts",
    original: "pauseMs < 1",
    replacement: "pauseMs <= 1",
    why: "A pause of exactly a millisecond.",
  },
  {
    file: "gateway/src/admission/pace.ts",
    original: "++requests",
    replacement: "--requests",
    why: "Every thousandth request is as well counted downwards.",
  },
  {
    file: "gateway/src/idempotency/resolve-claim.ts",
    original: 'outcome === "aborted"',
    replacement: "true",
    why: "A claim whose write has committed is marked as done by then, and only an open one is deleted.",
  },
  {
    file: "kit/src/events/bus-connection.ts",
    original: "made.info?.version",
    replacement: "made.info.version",
    why: "A connection that was made has what NATS said of itself; the type checker needs the question mark.",
  },
  {
    file: "kit/src/events/event-stream.ts",
    original: "false",
    replacement: "true",
    why: "The client then first asks whether there is JetStream, and what comes next fails in the same way without it.",
  },
  {
    file: "kit/src/ledger/outbox.ts",
    original: "ORDER BY id",
    replacement: "",
    why: "PostgreSQL reads the rows from the index of unpublished events, which is in this order. Only ORDER BY says that it must.",
  },
  {
    file: "services/carrier/src/bookings/book-in-phases.ts",
    original: "performance.now() > waitUntil",
    replacement: "performance.now() >= waitUntil",
    why: "At this very microsecond.",
  },
  {
    file: "services/carrier/src/bookings/book-in-phases.ts",
    original: "performance.now() - noted > SEND_WITHIN_MS",
    replacement: "performance.now() - noted >= SEND_WITHIN_MS",
    why: "After exactly two seconds.",
  },
  {
    file: "services/carrier/src/bookings/booking-rows.ts",
    original: "<=",
    replacement: "<",
    why: "A lease, or a pause, that ends at this very microsecond.",
  },
  {
    file: "services/carrier/src/bookings/booking-rows.ts",
    original: ">",
    replacement: ">=",
    why: "A doubt that ends at this very microsecond.",
  },
  {
    file: "services/carrier/src/bookings/booking-rows.ts",
    original: "ORDER BY due_at",
    replacement: "",
    why: "PostgreSQL reads the rows from the index of bookings that are due, which is in this order. Only ORDER BY says that it must.",
  },
  {
    file: "services/carrier/src/bookings/monitor-bookings.ts",
    original: "ORDER BY due_at",
    replacement: "",
    why: "PostgreSQL reads the rows from the index of bookings that are due, which is in this order. Only ORDER BY says that it must.",
  },
  {
    file: "services/carrier/src/bookings/cancel-in-phases.ts",
    original: "performance.now() > waitUntil",
    replacement: "performance.now() >= waitUntil",
    why: "At this very microsecond.",
  },
  {
    file: "services/carrier/src/bookings/monitor-bookings.ts",
    original: "<",
    replacement: "<=",
    why: "What has been due for exactly a minute.",
  },
  {
    file: "services/carrier/src/bookings/settle-bookings.ts",
    original: "carrier.isLocal",
    replacement: "false",
    why: "No carrier becomes a local one. If it did, the next line would fail in the same way; the type checker needs the comparison.",
  },
  {
    file: "services/records/src/write/apply-label-event.ts",
    original: "[]",
    replacement: '["Stryker was here"]',
    why: "Nobody reads the result of a change.",
  },
  {
    file: "kit/src/postgres/apply-migration.ts",
    original: "performance.now() - loggedAt > patience.progressMs",
    replacement: "performance.now() - loggedAt >= patience.progressMs",
    why: "After exactly ten seconds.",
  },
  {
    file: "kit/src/postgres/outage.ts",
    original: "/^(?:57014|40P01|55P03|25006)$/",
    replacement: "/^(?:57014|40P01|55P03|25006)/",
    why: "Every SQLSTATE has five characters.",
  },
  {
    file: "kit/src/postgres/session.ts",
    original: "[given.options, ...options].filter(Boolean)",
    replacement: "[given.options, ...options]",
    why: "Without options in the URL, a blank comes before ours, which PostgreSQL passes over.",
  },
  {
    file: "services/webhooks/src/dispatch/ready-queue.ts",
    original: "<=",
    replacement: "<",
    why: "What is due at this very microsecond.",
  },
  {
    file: "services/webhooks/src/dispatch/sweep-deliveries.ts",
    original: "<",
    replacement: "<=",
    why: "A lease that ends at this very microsecond.",
  },
  {
    file: "services/webhooks/src/dispatch/sweep-deliveries.ts",
    original: "expired.length === 0",
    replacement: "false",
    why: "Where nothing has expired, the statement that is spared changes nothing.",
  },
  {
    file: "services/webhooks/src/egress/connections.ts",
    original: "end < 0",
    replacement: "end <= 0",
    why: "What begins with HTTP/1.1 does not begin with an empty line.",
  },
  {
    file: "services/webhooks/src/egress/egress-guard.ts",
    original: "remoteAddress === undefined",
    replacement: "false",
    why: "For ipaddr, undefined is no valid address either; the type checker needs the comparison.",
  },
  {
    file: "services/webhooks/src/egress/egress-proxy.ts",
    original: "head.length > 0",
    replacement: "true",
    why: "To put back no bytes does nothing.",
  },
  {
    file: "gateway/src/input/lost-numbers.ts",
    original: '{ above: undefined, name: "" }',
    replacement: "{}",
    why: "It only stands for the whole text, and is compared with, never read.",
  },
  {
    file: "client-python/src/shipping_client/webhooks.py",
    original: "age < 0",
    replacement: "age < 1",
    why: "An age of 0 is within every tolerance.",
  },
  {
    file: "client/src/config.ts",
    original: "{\n    // Deno denies access without --allow-env.\n    return undefined;\n  }",
    replacement: "{}",
    why: "The end of the function returns the same.",
  },
  {
    file: "client/src/webhook-signature.ts",
    original: "time === undefined",
    replacement: "false",
    why: "The header has a time and digests, or neither; the type checker needs both comparisons.",
  },
  {
    file: "client/src/webhook-signature.ts",
    original: '"string"',
    replacement: '""',
    why: "In the first check of toBytes, which only spares the bytes of a long text: they are counted again. Other places are held by tests.",
  },
  {
    file: "kit/src/events/consume-stream.ts",
    original: "!stopped && !isClosed()",
    replacement: "false",
    why: "After an error, it only spares NATS repetitions without a pause. The loop's own condition is held by tests.",
  },
  {
    file: "kit/src/events/jetstream-bus.ts",
    original: "error.status >= 500",
    replacement: "error.status > 500",
    why: "NATS answers 500 when the storage of all of its streams is full, of which a shared server would make every test suffer.",
  },
];

const known = new Set(
  explained.map(({ file, original, replacement }) => JSON.stringify([file, original, replacement])),
);

export function isExplained({ file, original, replacement }: Omit<Mutant, "id" | "line">): boolean {
  return known.has(JSON.stringify([file, original, replacement]));
}
