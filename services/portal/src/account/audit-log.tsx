import { scopes } from "@shipping/api/api-key";
import { visible } from "@shipping/api/input/text";
import { AUDIT_ACTIONS, type AuditAction } from "../audit/audit.js";
import { AREA_PATH, type PageAnswer, type PageDeps, type PageRequest } from "../page/page.js";
import { PAGE_SIZE, Paging, readCursor, toPage } from "../page/paging.js";
import { getRetrySeconds, MissingPart } from "../page/part.js";
import { Table } from "../page/table.js";
import { Text, Time, titledPage } from "../page/text.js";
import { describeDevice } from "../session/member-sessions.js";

const EVERY_SCOPE = scopes.join(" ");

export async function showAuditLog(deps: PageDeps, request: PageRequest): Promise<PageAnswer> {
  const { accountId } = request.session;
  const id = readCursor(request.query, "aud");
  const missing = id ? [] : await deps.catchUp();
  const after = id && (await deps.prisma.auditEntry.findFirst({ where: { id, accountId } }))?.id;
  const rows = await deps.prisma.auditEntry.findMany({
    where: { accountId },
    orderBy: [{ at: "desc" }, { id: "desc" }],
    take: PAGE_SIZE + 1,
    ...(after && { cursor: { id: after }, skip: 1 }),
  });
  const { rows: entries, nextCursor } = toPage(rows);
  const page = titledPage(
    "Audit log",
    <>
      <p>
        Every sign-in and every change to keys, members and subscriptions in the last {deps.auditRetentionDays} days,
        whether made here, through the API or by the operator. Labels voided in the developer area are listed too, and
        lists and labels that were downloaded from it as one file.
      </p>
      {missing.map((changes) => (
        <MissingPart what={`The latest changes of ${changes} cannot be shown.`} request={request} />
      ))}
      {entries.length === 0 ? (
        <div class="empty">
          <p>No changes yet.</p>
        </div>
      ) : (
        <Table
          class="audit"
          places={{ What: "title", When: "state", Details: "detail", Who: "aside" }}
          columns={{
            When: ({ at }) => <Time at={at} short />,
            Who: ({ actor }) => (
              <span title={visible(actor)}>
                <Text>{actor}</Text>
              </span>
            ),
            What: ({ action, environment }) => (
              <span>
                {AUDIT_ACTIONS[action as AuditAction] ?? action}
                {environment && <span class="beside">, {environment}</span>}
              </span>
            ),
            Details: (entry) => <Detail {...entry} />,
            "IP address": ({ source }) => source,
          }}
          rows={entries}
        />
      )}
      <Paging path={`${AREA_PATH}/audit`} query={request.query} after={after} next={nextCursor} />
    </>,
  );
  return missing.length === 0 ? page : { ...page, refreshSeconds: getRetrySeconds(request.url) };
}

/** Describes the entry. A sign-in or a switch names the device; its whole user agent is the tooltip. */
function Detail({ action, detail }: { action: string; detail: string }) {
  if (action !== "member.signed_in" && action !== "member.switched_account")
    return (
      <span title={visible(detail)}>
        <Text>{detail.replace(EVERY_SCOPE, "Full access")}</Text>
      </span>
    );
  const [way = "", userAgent = ""] = detail.split(/, (.*)/s);
  return <span title={visible(userAgent)}>{`${way}, ${describeDevice(userAgent)}`}</span>;
}
