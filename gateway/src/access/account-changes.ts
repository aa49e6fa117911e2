import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { fail } from "@shipping/kit/errors";
import { databaseNow } from "@shipping/kit/postgres/clock";
import {
  type AccountChangeSchema,
  type AcknowledgeChangesRequest,
  AcknowledgeChangesResponseSchema,
  type ListChangesRequest,
  ListChangesResponseSchema,
} from "@shipping/proto/shipping/access/v1/access_pb";
import sql from "sql-template-tag";
import type { GatewayDeps } from "../database/deps.js";

const MAX_CHANGES = 100;

type Deps = Pick<GatewayDeps, "db" | "clockOffsetMs">;

interface ChangeRow {
  id: string;
  at: Date;
  accountId: string;
  name: string;
  suspendedAt: Date | null;
  erasingSince: Date | null;
  actor: string;
  source: string;
  action: string;
  environment: string | null;
  subject: string;
  detail: string;
}

/** Reads changes of accounts that the portal has not acknowledged, and those that it may have lost since. It recognizes repeated ones by their IDs. */
export async function listChanges(deps: Deps, { since, after = "" }: ListChangesRequest) {
  if (since !== undefined && Number.isNaN(Date.parse(since))) throw fail("invalid_request", "since is not a time.");
  const [moment] = await deps.db.runList<{ readAt: Date }>(sql`SELECT ${databaseNow(deps)} AS "readAt"`);
  const rows = await deps.db.runList<ChangeRow>(sql`
    SELECT c.id, c.at, c.account_id AS "accountId", a.name, a.suspended_at AS "suspendedAt", a.erasing_since AS "erasingSince",
      c.actor, c.source, c.action, c.environment, c.subject, c.detail
    FROM account_changes c JOIN accounts a ON a.id = c.account_id
    WHERE check_at IS NULL AND (acknowledged_at IS NULL OR acknowledged_at >= ${since ?? null}::timestamptz) AND c.id > ${after}
    ORDER BY c.id LIMIT ${MAX_CHANGES}`);
  return create(ListChangesResponseSchema, { changes: rows.map(toChange), readAt: moment!.readAt.toISOString() });
}

function toChange(row: ChangeRow): MessageInitShape<typeof AccountChangeSchema> {
  const { id, at, accountId, name, suspendedAt, erasingSince, actor, source, action, environment, subject, detail } =
    row;
  return {
    id,
    at: at.toISOString(),
    account: {
      id: accountId,
      name,
      ...(suspendedAt && { suspendedAt: suspendedAt.toISOString() }),
      ...(erasingSince && { erasingSince: erasingSince.toISOString() }),
    },
    actor: { name: actor, source },
    action,
    environment: environment ?? "",
    subject,
    detail,
  };
}

/** Marks changes that the portal has stored. They stay until they are deleted seven days later, so the portal cannot remove a line of its own acts. */
export async function acknowledgeChanges(deps: Deps, { ids }: AcknowledgeChangesRequest) {
  if (ids.length > MAX_CHANGES)
    throw fail("invalid_request", `At most ${MAX_CHANGES} changes can be acknowledged at once.`);
  // Two portals may acknowledge the same changes, so the rows are locked in one order.
  await deps.db.runList(sql`
    WITH stored AS (
      SELECT id FROM account_changes WHERE id = ANY(${ids}::text[]) AND acknowledged_at IS NULL AND check_at IS NULL
      ORDER BY id FOR UPDATE)
    UPDATE account_changes SET acknowledged_at = ${databaseNow(deps)} FROM stored WHERE account_changes.id = stored.id`);
  return create(AcknowledgeChangesResponseSchema);
}
