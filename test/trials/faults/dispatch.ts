import type { Fault } from "./fault.js";

export const dispatch: readonly Fault[] = [
  {
    breaks: "an event reaches subscriptions of its own environment alone",
    file: "services/webhooks/src/dispatch/accept-event.ts",
    original: "AND environment = stored.environment AND status = 'active'",
    replacement: "AND status = 'active'",
    noticedBy: "services/webhooks/src/dispatch/accept-event.test.ts",
  },
  {
    breaks: "replicas that accept events at the same time count each other's attempts in flight",
    file: "services/webhooks/src/dispatch/accept-event.ts",
    original: "FROM ready_queue WHERE subscription_id = wanted.subscription_id FOR UPDATE)",
    replacement: "FROM ready_queue WHERE subscription_id = wanted.subscription_id)",
    noticedBy: "services/webhooks/src/dispatch/accept-event.test.ts",
  },
  {
    breaks: "the end of an attempt counts only while its process holds the claim",
    file: "services/webhooks/src/dispatch/complete-delivery.ts",
    original: "AND subscription_id = ended.subscription_id AND claim_id = ended.claim_id",
    replacement: "AND subscription_id = ended.subscription_id",
    noticedBy: "services/webhooks/src/dispatch/sweep-deliveries.test.ts",
  },
  {
    breaks: "a subscription that keeps failing has two attempts in flight at most",
    file: "services/webhooks/src/dispatch/dispatch-deliveries.ts",
    original: "least(",
    replacement: "greatest(",
    noticedBy: "services/webhooks/src/dispatch/dispatch-deliveries.test.ts",
  },
  {
    breaks: "a result that the database could not take is stored again, without another request",
    file: "services/webhooks/src/dispatch/attempt-delivery.ts",
    original: "if (performance.now() - claimedAt > LEASE_MS - 2 * COMPLETE_AGAIN_MS) throw error;",
    replacement: "if (performance.now() > claimedAt) throw error;",
    noticedBy: "services/webhooks/src/dispatch/attempt-delivery.test.ts",
  },
  {
    breaks: "a redirect is a failed attempt",
    file: "services/webhooks/src/dispatch/send-attempt.ts",
    original: 'status < 300 ? "delivered" : "failed"',
    replacement: 'status < 400 ? "delivered" : "failed"',
    noticedBy: "services/webhooks/src/dispatch/send-attempt.test.ts",
  },
  {
    breaks: "a name that resolves to a private IP address beside a public one is refused",
    file: "services/webhooks/src/egress/egress-guard.ts",
    original: "addresses.find((address) => !isPublicAddress(address, rules.denyRanges, nat64))",
    replacement: "addresses.slice(0, 1).find((address) => !isPublicAddress(address, rules.denyRanges, nat64))",
    noticedBy: "services/webhooks/src/egress/egress-guard.test.ts",
  },
  {
    breaks: "a connection that ends at another IP address than a vetted one carries no request",
    file: "services/webhooks/src/egress/guarded-connections.ts",
    original: "if (tunnel || isAmong(vetted, socket.remoteAddress)) return socket;",
    replacement: "if (vetted.length > 0) return socket;",
    noticedBy: "services/webhooks/src/egress/guarded-connections.test.ts",
  },
  {
    breaks: "disabling a subscription again gives no place for another one free",
    file: "services/webhooks/src/subscriptions/disable-subscription.ts",
    original: "FROM target, claim WHERE s.id = target.id AND target.status = 'active'",
    replacement: "FROM target, claim WHERE s.id = target.id",
    noticedBy: "services/webhooks/src/subscriptions/disable-subscription.test.ts",
  },
  {
    breaks: "an alert about a failing subscription goes to one of several gateways",
    file: "services/webhooks/src/health/claim-failing.ts",
    original: "AND (h.alert_lease_until IS NULL OR h.alert_lease_until < (SELECT now FROM clock))",
    replacement: "",
    noticedBy: "services/webhooks/src/health/claim-failing.test.ts",
  },
];
