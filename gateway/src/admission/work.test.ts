import { createBulkhead } from "@shipping/kit/http/bulkhead";
import { silentLog } from "@shipping/kit/process/log";
import { createMetrics } from "@shipping/kit/process/metrics";
import { samplesIn } from "@shipping/kit/testing/samples";
import { measureWork } from "./work.js";

test("the work in progress and its limit are metrics", async () => {
  const limits = { total: 3, perAccount: 1 };
  const bulkhead = createBulkhead(limits);
  const leaving: (() => void)[] = [];
  const turns = ["a", "a", "b", "b", "b", "c"].map((accountId) =>
    bulkhead.acquire({
      ...{ accountId, weight: 1, deadline: performance.now() + 60_000 },
      onDisconnect: (gone) => void leaving.push(gone),
    }),
  );
  const metrics = createMetrics({ part: "gateway", log: silentLog() });
  measureWork(metrics, bulkhead, limits);
  expect(samplesIn(await metrics.render())).toEqual({
    'gateway_work_under_way{part="gateway"}': 3,
    'gateway_work_under_way_max{part="gateway"}': 3,
    'gateway_requests_waiting{part="gateway"}': 3,
    'gateway_accounts_waiting{part="gateway"}': 2,
    'gateway_requests_given_up{part="gateway"}': 0,
  });
  for (const leave of leaving) leave();
  await Promise.allSettled(turns);
});
