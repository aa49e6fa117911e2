import { create } from "@bufbuild/protobuf";
import {
  type HoldDeliveriesRequest,
  type HoldDeliveriesResponse,
  HoldDeliveriesResponseSchema,
} from "@shipping/proto/shipping/webhooks/v1/operations_pb";
import sql from "sql-template-tag";
import type { DispatchDeps } from "../dispatch/deps.js";

/** Holds the deliveries of an account, or lets them continue. An attempt that is under way ends as usual. */
export async function holdDeliveries(
  deps: Pick<DispatchDeps, "db" | "wakeDispatcher">,
  { accountId, held }: HoldDeliveriesRequest,
): Promise<HoldDeliveriesResponse> {
  await deps.db.run(
    held
      ? sql`INSERT INTO held_accounts (account_id, since) VALUES (${accountId}, clock_timestamp()) ON CONFLICT DO NOTHING`
      : sql`DELETE FROM held_accounts WHERE account_id = ${accountId}`,
  );
  if (!held) deps.wakeDispatcher();
  return create(HoldDeliveriesResponseSchema);
}
