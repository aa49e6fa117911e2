import type { SubscriptionDeps } from "../subscriptions/deps.js";

/** What works with the events that are kept. */
export interface EventDeps extends Pick<SubscriptionDeps, "db" | "clockOffsetMs" | "log"> {
  /** For how long events and their ended deliveries are kept. */
  retentionDays: number;
}
