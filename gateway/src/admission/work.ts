import type { Bulkhead, BulkheadLimits } from "@shipping/kit/http/bulkhead";
import type { Metrics } from "@shipping/kit/process/metrics";

/** The weight of a request, by its kind. */
export const WEIGHTS = { one: 1, file: 2, list: 8 } as const;

/** These limits allow sixteen lists in total and one per account. */
export const DEFAULT_LIMITS: BulkheadLimits = { total: 128, perAccount: 8 };

export function measureWork(metrics: Metrics, bulkhead: Pick<Bulkhead, "load">, limits: BulkheadLimits): void {
  const help = {
    gateway_work_under_way: "Work in progress, where 1 is one plain read.",
    gateway_work_under_way_max: "The most work that may be in progress at once. Further requests wait.",
    gateway_requests_waiting: "Requests waiting for their account's turn.",
    gateway_accounts_waiting:
      "Accounts with waiting requests. One means that this account is at its limit, many mean that the process is.",
    gateway_requests_given_up: "Requests refused with 503 since the start because they waited too long for their turn.",
  };
  metrics.gauges(help, () => {
    const { inProgress, waiting, waitingAccounts, refused } = bulkhead.load();
    return {
      gateway_work_under_way: inProgress,
      gateway_work_under_way_max: limits.total,
      gateway_requests_waiting: waiting,
      gateway_accounts_waiting: waitingAccounts,
      gateway_requests_given_up: refused,
    };
  });
}
