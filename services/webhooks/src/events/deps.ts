import type { SubscriptionDeps } from "../subscriptions/deps.js";

/** The dependencies of operations on stored events. */
export interface EventDeps extends Pick<SubscriptionDeps, "db" | "clockOffsetMs" | "log"> {
  /** How long events and their finished deliveries are kept. */
  retentionDays: number;
}
