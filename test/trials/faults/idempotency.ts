import type { Fault } from "./fault.js";

const inGateway: readonly Fault[] = [
  {
    breaks: "a request under the key of another one in progress never gets the answer to that one",
    file: "gateway/src/idempotency/execute-once.ts",
    original: "other: waitForFailure",
    replacement: "other: waitForAnswer",
    noticedBy: "gateway/src/idempotency/wait-for-other.test.ts",
  },
  {
    breaks: "a claim that was fenced off is replaced at once",
    file: "gateway/src/idempotency/execute-once.ts",
    original: 'return sendUnder(deps, run, await takeOverKey(deps, run, { token, state: "claimed" }));',
    replacement: "return undefined;",
    noticedBy: "gateway/src/idempotency/execute-once-outcomes.test.ts",
  },
  {
    breaks: "after an unknown outcome, a repetition does not wait for the end of the lease",
    file: "gateway/src/idempotency/execute-once.ts",
    original: "await endLease(deps, run, token);",
    replacement: "",
    noticedBy: "gateway/src/idempotency/execute-once-outcomes.test.ts",
  },
  {
    breaks: "a refusal is reported only after other attempts under the same claim are ruled out",
    file: "gateway/src/idempotency/registry.ts",
    original: " AND attempts = 1",
    replacement: "",
    noticedBy: "gateway/src/idempotency/resolve-claim.test.ts",
  },
  {
    breaks: "a row that has changed since it was read is not taken over",
    file: "gateway/src/idempotency/registry.ts",
    original: " AND state = $",
    replacement: " AND '' <> $",
    noticedBy: "gateway/src/idempotency/claim-key.test.ts",
  },
  {
    breaks: "a lease that was granted before the clock was set back blocks no requests",
    file: "gateway/src/idempotency/registry.ts",
    original: "+ interval '10 seconds'",
    replacement: "+ interval '10 hours'",
    noticedBy: "gateway/src/idempotency/execute-once.test.ts",
  },
  {
    breaks: "the order of members in a body does not matter",
    file: "gateway/src/idempotency/registry.ts",
    original: "Object.keys(value).sort()",
    replacement: "Object.keys(value)",
    noticedBy: "gateway/src/idempotency/registry.test.ts",
  },
  {
    breaks: "a request that waits gets no answer of another account",
    file: "gateway/src/idempotency/wait-for-claim.ts",
    original: "[caller.accountId, caller.environment, ",
    replacement: "[caller.environment, ",
    noticedBy: "gateway/src/idempotency/wait-for-claim.test.ts",
  },
  {
    breaks: "a claim that was taken over is not marked as done by its former holder",
    file: "gateway/src/idempotency/mark-done.ts",
    original: "registry.token = given.token AND ",
    replacement: "",
    noticedBy: "gateway/src/idempotency/mark-done.test.ts",
  },
];

const inLedger: readonly Fault[] = [
  {
    breaks: "a claim that was fenced off is never executed",
    file: "kit/src/ledger/ledger.ts",
    original: "existing.token < excluded.token\n        RETURNING",
    replacement: "existing.token <= excluded.token\n        RETURNING",
    noticedBy: "kit/src/ledger/ledger.test.ts",
  },
  {
    breaks: "a stored result is never replaced",
    file: "kit/src/ledger/ledger.ts",
    original: "existing.kind = 'tombstone' AND existing.token < excluded.token\n        RETURNING",
    replacement: "existing.token < excluded.token\n        RETURNING",
    noticedBy: "kit/src/ledger/ledger.test.ts",
  },
  {
    breaks: "an event is relayed by one process at a time",
    file: "kit/src/ledger/outbox.ts",
    original: " FOR UPDATE SKIP LOCKED",
    replacement: "",
    noticedBy: "kit/src/ledger/outbox.test.ts",
  },
  {
    breaks: "each repetition of an event has a new message ID",
    file: "kit/src/ledger/reconcile-outbox.ts",
    original: "publications.get(row.id)",
    replacement: "publications.size",
    noticedBy: "kit/src/ledger/reconcile-outbox.test.ts",
  },
  {
    breaks: "a row stays until its owner does not need it any more",
    file: "kit/src/ledger/reconcile-outbox.ts",
    original: "deleteRows({ db, deletable }: Reconciliation, ids: readonly bigint[])",
    replacement: "deleteRows({ db }: Reconciliation, ids: readonly bigint[], deletable?: Sql)",
    noticedBy: "kit/src/ledger/reconcile-outbox.test.ts",
  },
];

const inServices: readonly Fault[] = [
  {
    breaks: "a label is replayed after its shipment has changed",
    file: "services/carrier/src/create-label.ts",
    original: "  if (outcome) return outcome;\n",
    replacement: "",
    noticedBy: "services/carrier/src/create-label.test.ts",
  },
  {
    breaks: "of voids at the same time, one changes the label",
    file: "services/carrier/src/void-label.ts",
    original: "AND status = $",
    replacement: "AND '' <> $",
    noticedBy: "services/carrier/src/void-label.test.ts",
  },
  {
    breaks: "a carrier that takes no keys is not asked to book again while the first call may take effect",
    file: "services/carrier/src/bookings/book-in-phases.ts",
    original: "if (!isFresh && row.inDoubt && !carrier.takesKeys)",
    replacement: "if (false)",
    noticedBy: "services/carrier/src/bookings/book-in-phases.test.ts",
  },
  {
    breaks: "a booking is not taken from its holder before the lease ends",
    file: "services/carrier/src/bookings/booking-rows.ts",
    original: "AND leased_until <= $",
    replacement: "AND clock_timestamp() >= $",
    noticedBy: "services/carrier/src/bookings/booking-rows.test.ts",
  },
  {
    breaks: "a shipment belongs to an order of its own account",
    file: "services/records/src/write/create-shipment.ts",
    original: "WHERE account_id = wanted.account_id AND ",
    replacement: "WHERE ",
    noticedBy: "services/records/src/write/create-shipment.test.ts",
  },
  {
    breaks: "a late label.created does not change a voided shipment",
    file: "services/records/src/write/apply-label-event.ts",
    original: "current.status = 'draft' OR (current.status = 'label_created' AND wanted.status = 'voided')",
    replacement: "current.status <> wanted.status",
    noticedBy: "services/records/src/write/apply-label-event.test.ts",
  },
];

export const idempotency: readonly Fault[] = [...inGateway, ...inLedger, ...inServices];
